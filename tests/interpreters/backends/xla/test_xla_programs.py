"""Whole programs on XLA: loops, conditionals, functions, indices, and their derivatives."""

import linecache

import numpy as np
import pytest
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import MissingRule
from combinators.objects import Fun, Int, Real, Tangent, Tensor
from combinators.simplify import simplify
from combinators.terms import Lam, Var, const
from diffcurry import fun
from interpreters.backends.xla import compile_program
from tests.interpreters.backends.programs import (
    A,
    branching,
    drawn,
    lam_of,
    of_arrays,
    of_empty_arrays,
    of_loops,
    tower,
)
from tests.interpreters.backends.terms import (
    DEEP,
    PAIR,
    doubled_by_puts,
    first_leaf,
    loops_of_terms,
    many_lets,
    nested_choices,
    nested_folds,
    nested_functions,
    pairs_twice,
    plus,
    prim,
    unpack,
    zero,
)
from tests.interpreters.backends.xla.comparing import agrees, asked, on_xla, same

jax = asked()


@pytest.mark.slow
@settings(max_examples=10, phases=(Phase.explicit, Phase.generate))
@given(st.data())
def test_random_programs_and_their_gradients(data):
    function, values = drawn(data)
    for f in (function, dc.grad(function, (0, 1, 2))):
        lam = simplify(f.program(*values).lam)
        try:
            compile_program(lam)
        except MissingRule as error:
            event(f"not of first order: {error.args[0]:.70}")
            continue
        same(on_xla(lam, *values), f.evaluate(values), 1e-8, 1e-8)


@pytest.mark.parametrize("programs", [of_arrays, of_empty_arrays, of_loops])
def test_arrays_and_loops(programs):
    for function, *args in programs():
        agrees(function, *args)


def test_more_arrays():
    agrees(lambda a: (a.transpose(2, 0, 1), np.sum(a, (0, 2)), a[:, ::-2]), A.reshape(3, 2, 2))
    agrees(lambda a: np.linspace(0, 1, 40).reshape(10, 4) @ a.T + np.arange(3), A)
    agrees(lambda a: dc.logsumexp(a, 0, keepdims=True), np.array([[-np.inf, 1.0], [-np.inf, 2.0]]))


def test_indices_outside_read_zero_and_scatter_nowhere():
    a, i = Var("a", Tensor((3, 4))), Var("i", Tensor((4,), int))
    at = np.array([-1, 0, 2, 3])
    rows = on_xla(Lam((a, i), prim("take", a, i, axis=0)), A, at)
    same(rows, np.stack([0 * A[0], A[0], A[2], 0 * A[0]]))
    one = Var("one", Int)
    column = Lam((a, one), prim("take", a, one, axis=1))
    for index, true in ((1, A[:, 1]), (-1, np.zeros(3)), (4, np.zeros(3))):
        same(on_xla(column, A, np.int64(index)), true)
    x = Var("x", Tensor((4,)))
    put = Lam((x, i), prim("put", x, i, axis=0, extents=(3,)))
    same(on_xla(put, np.arange(1.0, 5.0), at), np.array([2.0, 0.0, 3.0]))
    twice = Lam((x, i), plus(put.body, put.body))
    same(on_xla(twice, np.arange(1.0, 5.0), at), np.array([4.0, 0.0, 6.0]))
    agrees(lambda a, i: (a[i], a[:, i], a[i, i], np.take(a, i)), A, np.array([0, 1, 2]))
    agrees(lambda a, i: (a[i], a[:, i], a[i, i], a[i, i + 1] * 2), A, np.int64(1))


@pytest.mark.parametrize("index", [0, 2, 3, -1])
def test_a_row_that_is_put_where_it_is_known(index):
    x, y = Var("x", Tensor((2,))), Var("y", Tensor((3, 3)))
    put = lambda axis: prim("put", x, const(index), axis=axis, extents=(3,))
    for axis, shape in ((0, (3, 2)), (1, (2, 3))):
        true = np.zeros(shape)
        if 0 <= index < 3:
            np.moveaxis(true, axis, 0)[index] = [1.0, 2.0]
        same(on_xla(Lam((x,), put(axis)), np.array([1.0, 2.0])), true)
        seven = Lam((), prim("put", const(7.0), const(index), axis=0, extents=(3,)))
        same(on_xla(seven), np.where(np.arange(3) == index, 7.0, 0.0))
        column = Lam((y,), prim("take", y, const(index), axis=axis))
        there = 0 <= index < 3
        same(on_xla(column, A[:3, :3]), np.take(A[:3, :3], index, axis) if there else np.zeros(3))
        same(on_xla(Lam((x,), plus(put(axis), put(axis))), np.array([1.0, 2.0])), 2 * true)


def test_rows_that_are_put_are_added_in_place():
    whole = doubled_by_puts(50)
    same(on_xla(whole, np.arange(50) + 0.5), 2 * np.arange(50) + 1.0)
    source = compile_program(whole).source
    assert "_add_inside(acc, " in source
    assert source.count("jnp.zeros") == 1


@pytest.mark.parametrize(
    ("start", "step", "n"), [((4,), (-3,), 2), ((1,), (2,), 3), ((0,), (1,), 6), ((2,), (1,), 0)]
)
def test_windows_and_their_transposes(start, step, n):
    x, y = Var("x", Tensor((n,))), Var("y", Tensor((6,)))
    embed = prim("embed", x, start=start, step=step, shape=(6,))
    window = prim("slice", y, start=start, step=step, extent=(n,))
    true, at = np.zeros(6), [start[0] + step[0] * k for k in range(n)]
    true[at] = np.arange(1.0, n + 1)
    same(on_xla(Lam((x,), embed), np.arange(1.0, n + 1)), true)
    same(on_xla(Lam((y,), window), np.arange(6.0)), np.arange(6.0)[at])
    same(on_xla(Lam((x,), plus(embed, embed)), np.arange(1.0, n + 1)), 2 * true)


def test_windows_side_by_side_are_joined():
    def f(x):
        return np.sum(np.sin(x[:, :2])) + np.sum(x[:, 2:5] ** 2) + np.sum(x[:, 6:])

    code = agrees(dc.grad(f), np.arange(14.0).reshape(2, 7))
    assert "jnp.concatenate" in code.source


def test_loops_of_no_rounds():
    empty = np.zeros((0, 3))
    agrees(lambda a: np.cumprod(a, 0), empty)
    agrees(lambda a: dc.map(lambda r: (r, (np.sum(r), np.ones((2, 2)))), a), empty)
    agrees(dc.grad(lambda a: np.sum(dc.fold(lambda c, r: c * r, np.ones(3), a))), empty)
    agrees(dc.grad(lambda a: np.sum(dc.map(lambda r: np.sum(r * r), a))), empty)


def test_maps():
    agrees(lambda a: dc.map(lambda p: p[0] * p[1], (a[0], a[1])), A)
    agrees(lambda a: dc.map(lambda r: dc.cond(r > 3, lambda: np.log(r), lambda: 0.0), a), A[0])
    agrees(lambda a: dc.map(lambda r: dc.fold(lambda c, x: c * x + r[0], 1.0, r), a), A)
    agrees(lambda a: dc.map(lambda r: 1.0, a), A)


@pytest.mark.parametrize("xs", [[1.0, 2.0, 3.0], [0.5], []])
def test_backward_loops(xs):
    for lam, true in loops_of_terms(xs):
        same(on_xla(lam, np.array(xs)), true)


@pytest.mark.parametrize("reverse", [False, True])
def test_recurrences(reverse):
    a, b = (Var(n, Tensor((5, 3))) for n in "ab")
    lam = Lam((a, b), prim("recurrence", a, b, axis=0, reverse=reverse))
    x, y = np.arange(15.0).reshape(5, 3) / 7, np.cos(np.arange(15.0)).reshape(5, 3)
    from interpreters.carriers.numpy_values import VALUES

    x[2, 1], y[0, 1], y[4, 1] = np.inf, 0.0, 0.0
    y[1, 1] = y[3, 1] = 0.0
    with np.errstate(all="ignore"):
        true = VALUES["recurrence"](axis=0, reverse=reverse)(x, y)
    same(on_xla(lam, x, y), true)
    agrees(dc.grad(lambda x: np.prod(x)), np.array([1.0, 0.0, 3.0, -2.0]))
    agrees(dc.grad(dc.fun(lambda x: np.sum(np.cumprod(x, 1) ** 2))), x[:, :1] + y[:, :1] * 0.3)


def test_conditionals_compute_one_branch():
    for x in (2.0, -1.0, 0.0):
        agrees(branching, x, A[0])
        agrees(dc.grad(lambda x, a: branching(x, a)[0]), x, A[0])
    assert "lax.cond" in compile_program(lam_of(branching, 1.0, A[0])).source
    agrees(lambda x, a: dc.cond(x > 0, lambda: (a, x), lambda: (0 * a, 1.0)), 2.0, A[0])
    agrees(lambda x: dc.cond(x < 0, lambda: ((x,),), lambda: ((2.0,),)), -1.0)
    agrees(lambda x: dc.cond(x < 0, lambda: (), lambda: ()), -1.0)


def test_functions_that_no_loop_has_to_hold():
    def twice(f, x):
        return f(f(x))

    agrees(lambda x: twice(lambda t: np.sin(t) * x, x), 0.5)
    square = fun(lambda t: t * t, Real)
    agrees(lambda x, y: fun(twice, Fun(Real, Real), Real)(square, x) + square(y), 0.5, 2.0)

    def step(x, xs):
        scaled = fun(lambda t: t * x, Real)
        return dc.fold(lambda c, r: scaled(c) + scaled(r), 1.0, xs), dc.map(scaled, xs)

    agrees(step, 0.5, A[0])
    agrees(lambda a: dc.fold(fun(lambda p, q: p * q + 1.0, Real, Real), 1.0, a), A[0])


def test_a_known_function_is_written_once():
    code = agrees(tower(6), 1.0, rtol=1e-9)
    assert code.source.count("def ") < 12
    agrees(dc.grad(tower(6)), 1.0, rtol=1e-9)


def test_sums_zeros_and_packs():
    for lam in pairs_twice():
        same(on_xla(lam, (1.0, np.ones(2))), (2.0, 2 * np.ones(2)))
    same(on_xla(Lam((), unpack(zero(Tangent), PAIR))), (0.0, np.zeros(2)))


def test_a_type_that_is_a_dag():
    same(on_xla(Lam((), first_leaf(plus(zero(DEEP), zero(DEEP))))), 0.0)


def losses():
    many = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
    yield lambda x: np.sum(np.sin(x) * np.exp(-x * x) + np.log1p(x * x)), many
    yield lambda x: dc.logsumexp(x @ x.T), many
    yield lambda x: np.sum(np.maximum(x, 0.1) * np.abs(x) + dc.relu(x)), many
    yield lambda x: np.prod(x + 2.0) + np.sum(np.cumsum(x, 1) ** 2), many
    yield lambda x: np.sum(dc.fold(lambda c, r: np.tanh(c * r), np.ones(4), x) ** 2), many
    yield lambda x: np.sum(dc.scan(lambda c, r: (c * r + 1, c * c), 0.5, x[0])[1]), many
    yield lambda x: np.sum(dc.map(lambda r: np.sum(r) ** 3, x)), many
    yield lambda x: dc.fold(lambda c, i: c + x[i, 0] * c, 1.0, np.arange(3)), many
    yield lambda x: dc.cond(x[0, 0] > 0, lambda: np.sum(x), lambda: np.sum(x * x * x)), many
    yield (
        lambda x: np.sum(x[:, ::2] * x[:, 1::2]) + np.sum(np.where(x > 0, np.sqrt(np.abs(x)), x)),
        many,
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", range(10))
def test_gradients_and_second_derivatives(number):
    f, x = list(losses())[number]
    agrees(dc.value_and_grad(f), x, rtol=1e-12)
    agrees(dc.grad(lambda x: np.sum(np.sin(dc.grad(f)(x)))), x, rtol=1e-11)


def test_depth():
    true = 1.0
    for _ in range(100):
        true = np.sin(true) + 1.0
    same(on_xla(many_lets(100), 1.0), true)
    same(on_xla(nested_choices(12), 11.5), 11.0)
    same(on_xla(nested_folds(12), 1.5), 1.5)
    same(on_xla(nested_functions(50), 1.0), 51.0)


@pytest.mark.parametrize(
    "function",
    [
        fun(lambda x, i: x[i], checked=True),
        lambda x, i: dc.cond(i > 0, lambda: fun(np.sin, Real), lambda: fun(np.cos, Real))(x[0]),
        lambda x, i: dc.scan(lambda c, r: (c, fun(lambda y: y * r, Real)), 0.0, x)[1][0](x[0]),
    ],
)
def test_a_refusal_names_the_line_of_the_program(function):
    """Not the one that is run, which is JAX's where JAX calls us back."""
    lam = lam_of(function, A[0], 1)
    with pytest.raises(MissingRule) as found:
        compile_program(lam)
    assert "lambda x, i: " in linecache.getline(*found.value.place)
