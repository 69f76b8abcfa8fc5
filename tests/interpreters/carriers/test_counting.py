"""Operations are counted, so that promises of cost can be tested."""

from collections import Counter
from fractions import Fraction as Q

import numpy as np
import pytest

from combinators.errors import WrongMode
from combinators.morphisms import interpret
from combinators.objects import Real, Tensor
from combinators.tracing.cases import cond
from combinators.tracing.control import fold
from combinators.tracing.definition import Definition
from combinators.translate import translate
from interpreters.carriers.counting import Counting
from interpreters.carriers.duals import Dual
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback


def arrow(function, *types):
    lam = Definition(function, types).specialise(types, (None,) * len(types)).lam
    return translate(lam.params, lam.body)


@pytest.fixture
def carrier():
    return Counting(NumPy())


def run(carrier, function, *arguments):
    types = tuple(Tensor(np.shape(x)) for x in arguments)
    values = tuple(carrier.lift(x, obj) for x, obj in zip(arguments, types, strict=True))
    mode = Primal(over=carrier)
    return mode.value(interpret(arrow(function, *types), mode), values)


def test_scalars_and_their_total(carrier):
    assert run(carrier, lambda x, y: x * y + np.sin(x) * y, 0.0, 2.0) == 0
    assert carrier.counts == {"multiply": 2, "sin": 1, "add": 1}
    assert carrier.total == 4


def test_arrays_count_their_elements_and_moves_count_nothing(carrier):
    run(carrier, lambda a: np.sum((a * a).T.reshape(6)[1:5]), np.ones((2, 3)))
    assert carrier.counts == {"multiply": 6, "sum": 4}
    carrier.reset()
    run(carrier, lambda a: a @ a.T, np.ones((2, 3)))
    assert carrier.counts == {"matmul": 2 * 2 * 2 * 3}


def test_what_is_not_run_does_not_count(carrier):
    run(carrier, lambda x: cond(x > 0.0, lambda: x * x, lambda: np.exp(x) + x), 1.0)
    assert carrier.counts == {"greater": 1, "multiply": 1}


def test_runs_add_up_until_reset(carrier):
    mode = Primal(over=carrier)
    program = interpret(arrow(lambda xs: fold(lambda c, x: c * x, 1.0, xs), Tensor((7,))), mode)
    assert carrier.total == 0
    for runs in (1, 2):
        mode.value(program, (np.ones(7),))
        assert carrier.counts == Counter(multiply=7 * runs)
    counts = carrier.counts
    carrier.reset()
    mode.value(program, (np.ones(7),))
    assert counts is carrier.counts
    assert carrier.total == 7


@pytest.mark.parametrize("size", [(), (4,)])
def test_adding_cotangents_counts_elements(carrier, size):
    mode = Dependent(over=carrier)
    program = interpret(arrow(lambda x: x * x, Tensor(size)), mode)
    _, pullback = mode.rep(program, (np.ones(size)[()],))
    forwards = Counter(carrier.counts)
    pullback(np.ones(size)[()])
    elements = int(np.prod(size))
    assert forwards == {"multiply": elements}
    assert carrier.counts - forwards == {"scale": 2 * elements, "add": elements}


def test_a_mode_over_it_and_it_over_a_mode():
    """The same program costs more in the numbers below than in the dual numbers above."""
    program = arrow(lambda x: x * x, Real)
    below = Counting(Fractions())
    mode = Pushforward(over=below)
    assert mode.push(interpret(program, mode), (Q(3),), (Q(1),)) == (9, 6)
    assert below.counts == {"multiply": 1, "scale": 2, "add": 1}
    above = Counting(Pushforward(over=Fractions()))
    result = Primal(above).value(interpret(program, Primal(above)), (Dual(Q(3), Q(1)),))
    assert (result.primal, result.tangent) == (9, 6)
    assert above.counts == {"multiply": 1}


def test_the_simple_form_runs_a_body_again_for_each_call_and_the_dependent_form_never():
    """What Fig. 3 of 004 costs, and Fig. 5 does not."""

    def function(x):
        f = Definition(lambda z: np.sin(z) * x, (Real,))
        return f(f(f(x)))

    sines = {}
    for form in (Pullback, Dependent):
        carrier = Counting(NumPy())
        mode = form(over=carrier)
        _, pullback = mode.rep(interpret(arrow(function, Real), mode), (np.float64(2),))
        forwards = carrier.counts["sin"]
        pullback(np.float64(1))
        sines[form] = forwards, carrier.counts["sin"] - forwards
    assert sines == {Pullback: (3, 3), Dependent: (3, 0)}


@pytest.mark.parametrize("depth", [8, 64])
def test_forward_mode_costs_a_constant_times_the_program(depth):
    def chain(x):
        for _ in range(depth):
            x = np.sin(x) * x
        return x

    carrier = Counting(NumPy())
    mode = Pushforward(over=carrier)
    program = interpret(arrow(chain, Real), mode)
    mode.push(program, (np.float64(1),), (None,))
    primal = carrier.total
    assert primal == 2 * depth
    carrier.reset()
    mode.push(program, (np.float64(1),), (np.float64(1),))
    assert carrier.total <= 4 * primal


def test_it_counts_over_carriers_only():
    with pytest.raises(WrongMode, match="Dependent is none"):
        Counting(Dependent(over=NumPy()))
