"""Programs as machine code give what emitted Python gives."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import MissingRule
from interpreters.backends.llvm import blocks, emission
from tests.interpreters.backends.llvm.comparing import Bare, agrees, same
from tests.interpreters.backends.programs import drawn

X = np.array([0.3, -1.5, 2.0, 0.7, 1.1, -0.2, 0.9, 4.0, -3.0])


@settings(suppress_health_check=list(HealthCheck))
@given(st.data())
def test_gradients_of_random_programs_and_nothing_outside_their_arrays(data):
    function, given_point = drawn(data)
    point = tuple(np.array(x) if isinstance(x, list) else x for x in given_point)
    program = dc.value_and_grad(function, argnums=(0, 1, 2)).program(*point)
    try:
        found = Bare(program.lam)(*point)
    except MissingRule as error:
        event(f"no code: {error.args[0]:.70}")
        assume(False)
    same(found, program.compiled("f").function(*point), rtol=1e-9)


def test_chains_of_arrays():
    agrees(dc.grad(lambda x: np.sum(np.tanh(np.sin(x) * x) / (1 + x * x))), X)


def test_the_pieces_of_an_array_are_written_behind_its_zeros():
    def turned(t):
        rows = dc.map(lambda s: np.stack([np.cos(s), np.sin(s), 0.0, 0.0]), t)
        return dc.fold(lambda c, row: c * row[0] + row[1] + row[3], 1.0, rows)

    agrees(dc.value_and_grad(turned), X)


def test_what_a_nest_writes_in_pieces_is_read_whole_by_a_later_one():
    def reversed_columns(x):
        whole = np.stack([np.sin(x), np.cos(x), x], axis=1)
        return whole[:, 2] * whole[:, 0] + (whole @ np.ones((3, 3)))[:, 1]

    agrees(reversed_columns, X)


def test_what_is_taken_is_made_before_it_is_taken():
    at = np.arange(9)[::-1].copy()
    agrees(lambda x: np.ones((1, 9)) @ np.sin(x)[at][:, None], X)


def test_what_a_nest_makes_is_read_in_it_through_a_view_before_it_is_in_memory():
    def f(x):
        rows = np.sum(np.sin(x)[:, None, None] * x[0], axis=1)
        return np.prod(rows) + np.sum(np.cumsum(rows[:, 0]))

    agrees(f, X)


def _with(size, **numbers):
    x = 1 + np.sin(np.arange(size * 1.0)) / 3
    for at, number in numbers.items():
        x[int(at[1:])] = number
    return x


@pytest.mark.parametrize("size", [16, 17, 24, 31, 100])
@pytest.mark.parametrize(
    "numbers",
    [
        {},
        {"_3": 0.0},
        {"_3": -0.0, "_15": -2.0},
        {"_2": 0.0, "_9": 0.0},
        {"_1": 1e-300, "_2": 1e300, "_14": 1e200},
        {"_0": 1e200, "_1": 1e200, "_2": 1e-320},
        {"_4": np.inf},
        {"_4": np.inf, "_5": 0.0},
        {"_7": np.nan},
    ],
)
def test_running_products_of_vectors_are_those_of_numbers(size, numbers):
    agrees(dc.grad(np.prod), _with(size, **numbers))
    agrees(lambda x: dc.grad(np.prod)(x[::-1]) * x, _with(size, **numbers))


def test_running_products_along_the_last_of_two_axes():
    rows = np.stack([_with(40), _with(40, _3=0.0), _with(40, _39=-0.0)])
    agrees(dc.grad(lambda x: np.sum(np.sin(np.prod(x, axis=1)))), rows)
    agrees(dc.grad(lambda x: np.sum(np.sin(np.prod(x, axis=0)))), rows.T.copy())


def test_hessians_are_computed_along_their_diagonals():
    def rosenbrock(x):
        return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    x = np.linspace(-1, 2, 20)
    agrees(dc.hessian(rosenbrock), x)
    agrees(dc.hessian(lambda x: np.sum(np.sin(x) * x) + np.sum(x) ** 2), x)
    agrees(dc.jacfwd(lambda x: np.exp(x) * x), x)
    agrees(lambda x: np.eye(20) * x + np.sum(np.eye(20) * (x + x), axis=0), x)


def test_what_is_given_is_copied_in_one_piece():
    rows = np.arange(600.0).reshape(20, 30)
    agrees(lambda x: (x, x * 2, x.T, x[::-1], x[3:13], np.stack([x, x])), rows)


@pytest.mark.parametrize("size", [2048, 2081, 5000])
def test_long_nests_in_blocks_give_what_they_give_whole(size, monkeypatch):
    made, before = [], blocks.Blocks._made
    for module in (blocks, emission):
        monkeypatch.setattr(module, "NEAR", 1 << 12)
    monkeypatch.setattr(blocks.Blocks, "_made", lambda *args: made.append(1) or before(*args))
    t = np.linspace(-1, 1, size)
    rows, at = np.stack([t, np.cos(t), t * t], axis=1), np.arange(size) % 7

    def f(w, x):
        y = np.sin(x[:, 0] * w[at, 0]) + w[at, 1]
        z = np.exp(-y * y) * x[:, 1] / (1 + y * y) + x[:, 2]
        u = np.tanh(z * y) * np.stack([np.cos(y), z])
        return np.sum(u * u, axis=0) * z

    w = np.arange(14.0).reshape(7, 2) / 9
    total = lambda w, x: np.sum(f(w, x) ** 2)
    agrees(f, w, rows, rtol=1e-9)
    agrees(dc.grad(total, (0, 1)), w, rows, rtol=1e-9)
    assert made


def test_what_is_taken_of_a_view_stands_behind_what_makes_it():
    x = np.linspace(-1, 1, 17)
    rows, at = np.outer(x, [1.0, 2.0, 3.0]), np.arange(17)[::-1].copy()

    def f(x, y):
        u = np.tanh(x)
        return np.tanh(np.tanh(u[:, None] * y)[:, 2][at] * u), u

    agrees(f, x, rows)
