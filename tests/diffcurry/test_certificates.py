"""On random well-typed higher-order programs gradients cost what their terms say, and K1 holds."""

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from diffcurry import Real, fun
from diffcurry.derived import derived
from diffcurry.modes import CARRIER
from interpreters.cost import certificate, counted
from interpreters.cost.counted import Moving
from interpreters.modes.primal import Primal
from tests.strategies.language import R, features
from tests.strategies.meanings import function_of
from tests.strategies.points import arguments, thousandths
from tests.strategies.programs import RATIONAL, programs


def ran(function, program, args):
    carrier = Moving(CARRIER)
    mode = Primal(carrier)
    arrow, values = program.arrow(mode), program.lifted(args, mode)
    carrier.reset()
    with np.errstate(all="ignore"):
        mode.value(arrow, values)
    return carrier


@given(st.data())
def test_a_gradient_costs_what_its_term_says_and_at_most_what_k1_grants(data):
    program = data.draw(programs(RATIONAL, result=R, depth=4))
    function = function_of(program)
    args = tuple(np.asarray(x)[()] for x in data.draw(arguments(program, thousandths)))
    lam = function.program().lam
    made = derived(lam)
    for derivative in (made.raw, made.both, made.alone):
        cost, carrier = counted(derivative.bulk), ran(function, derivative, args)
        assert not cost.unknown or "a case" in features(program)  # of a function that a sum holds
        if not cost.recurs and not cost.unknown:
            assert carrier.total <= cost.total
            assert carrier.moved <= cost.moved
        if cost.exact:
            assert (cost.counts, cost.moved) == (dict(carrier.counts), carrier.moved)
    found = certificate(lam, made.both.lam, made.alone.lam)
    event(f"exact: {found.exact}, bounds: {len(found.bounds)}")
    is_unknown = not found.bounds and "a case" in features(program)  # as above
    assert found.holds or is_unknown, found


def test_what_is_spread_for_nothing_and_hardly_read_is_counted_in_the_bound():
    certificate = fun(lambda x: np.broadcast_to(x, (1000,))[0], Real).cost().certificate
    assert "holds" in str(certificate)
    assert "does not hold" not in str(certificate)
