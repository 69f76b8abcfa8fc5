"""On random well-typed higher-order programs a run costs what the term says, or at most that."""

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from diffcurry.modes import CARRIER
from interpreters.cost import counted, measured
from interpreters.cost.counted import Moving
from interpreters.modes.primal import Primal
from tests.strategies.language import R, features
from tests.strategies.meanings import function_of
from tests.strategies.points import arguments, thousandths
from tests.strategies.programs import RATIONAL, programs


@given(st.data())
def test_the_count_in_the_term_is_that_of_the_run_or_more(data):
    program = data.draw(programs(RATIONAL, result=R, depth=5))
    function = function_of(program)
    args = tuple(np.asarray(x)[()] for x in data.draw(arguments(program, thousandths)))
    made = function.program()
    carrier = Moving(CARRIER)
    mode = Primal(carrier)
    values = made.lifted(args, mode)
    with np.errstate(all="ignore"):
        mode.value(made.arrow(mode), values)
    cost = counted(made.bulk)
    event(f"exact: {cost.exact}")
    assert not cost.unknown or "a case" in features(program)  # of a function that a sum holds
    if cost.exact:
        assert (cost.counts, cost.moved) == (dict(carrier.counts), carrier.moved)
    elif not cost.recurs and not cost.unknown:
        assert carrier.total <= cost.total
        assert carrier.moved <= cost.moved
    assert measured(made.lam).total >= 0
