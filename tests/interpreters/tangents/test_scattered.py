"""Indexing pulls back to parts that are put into one array at the end."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.morphisms import interpret
from interpreters.carriers.counting import Counting
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback


def convolution(n):
    return dc.fun(
        lambda a: dc.fold(lambda c, i: c + a[i] * a[n - 1 - i], 0.0, np.arange(n)),
        dc.Tensor((n,)),
    )


def counted(n):
    carrier = Counting(NumPy())
    mode = Dependent(carrier)
    arrow = interpret(convolution(n).program().combinators, mode)
    _, pullback = mode.rep(arrow, (np.linspace(0.5, 1.5, n),))
    pullback(1.0)
    return carrier.total


def test_a_loop_over_indices_costs_as_much_a_round_however_long_the_array():
    assert counted(400) + 1 == 4 * (counted(100) + 1)  # the first part is moved, not added


@pytest.mark.parametrize("form", [Dependent, Pullback])
@pytest.mark.parametrize("carrier", [NumPy, Fractions])
def test_both_forms_and_carriers_give_the_gradient(form, carrier):
    over = carrier()
    mode = form(over)
    a = over.lift([1.0, 2.0, 4.0], dc.Tensor((3,)))
    _, pullback = mode.rep(interpret(convolution(3).program().combinators, mode), (a,))
    one = over.lift(1.0, dc.Real)
    for _ in range(2):
        assert list(pullback(one)[0]) == [8, 4, 2]


def test_over_dual_numbers_it_gives_second_derivatives():
    assert np.array_equal(dc.hessian(convolution(4))(np.ones(4)), 2 * np.eye(4)[::-1])
    assert isinstance(Dependent(over=Pushforward(over=NumPy())), Dependent)


def test_parts_meet_a_dense_cotangent():
    def program(x):
        return x[0] * 2.0 + np.sum(x * x) + np.sum(x[np.array([1, 1, -1])]) + x[-1]

    assert dc.grad(program)(np.array([1.0, 2.0, 3.0])).tolist() == [4.0, 6.0, 8.0]


def test_what_is_scattered_survives_calls_conditionals_and_loops():
    def program(x):
        pick = dc.fun(lambda i: x[i] * x[1], dc.Int)
        chosen = dc.cond(x[0] > 0, lambda: pick(2), lambda: pick(0))
        return chosen + dc.fold(lambda c, row: c[::-1] * row, x, np.ones((3, 3)))[0]

    x = np.array([1.0, 2.0, 3.0])
    for mode in ("dependent", "simple", "forward"):
        assert dc.grad(program, mode=mode)(x).tolist() == [0.0, 3.0, 3.0]
