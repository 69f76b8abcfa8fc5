"""Whole programs on XLA: loops, conditionals, functions, indices, and their derivatives."""

import functools

import numpy as np
import pytest
from hypothesis import Phase, event, given, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import MissingRule
from combinators.objects import Fun, Int, Product, Real, Tangent, Tensor
from combinators.operation import Operation
from combinators.primitives.loops import FOLD, FOLD_BACKWARDS, SCAN, SCAN_BACKWARDS
from combinators.primitives.tangents import PACK, PLUS, UNPACK, ZEROS
from combinators.simplify import simplify
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Tuple, Var, const
from diffcurry import fun
from interpreters.backends.xla import compile_program
from tests.interpreters.backends.test_python_programs import A, lam_of, prim
from tests.interpreters.backends.xla.comparing import agrees, asked, on_xla, same
from tests.strategies.meanings import function_of
from tests.strategies.points import arguments, thousandths
from tests.strategies.programs import programs

jax = asked()


@pytest.mark.slow
@settings(max_examples=10, phases=(Phase.explicit, Phase.generate))
@given(st.data())
def test_random_programs_and_their_gradients(data):
    program = data.draw(programs())
    args = data.draw(arguments(program, thousandths))
    function = function_of(program)
    values = tuple(np.asarray(arg, dtype=float)[()] for arg in args)
    for f in (function, dc.grad(function, (0, 1, 2))):
        lam = simplify(f.program(*values).lam)
        try:
            compile_program(lam)
        except MissingRule as error:
            event(f"not of first order: {error.args[0]:.70}")
            continue
        same(on_xla(lam, *values), f.evaluate(values), 1e-8, 1e-8)


def test_arrays():
    agrees(lambda a: (a[0], a[:, 1], a[1, 2], a[::-1, ::2], a[-1:], a.T, a.reshape(4, 3)), A)
    agrees(lambda a: (a @ a.T, a.T @ a, np.dot(a[0], a[1]), a @ a[0], np.outer(a[0], a[1])), A)
    agrees(lambda a: (np.sum(a), a.sum(0), a.sum((0, 1), keepdims=True), np.max(a, 1)), A)
    agrees(lambda a: (np.prod(a, 0), dc.logsumexp(a), np.mean(a), np.std(a)), A)
    agrees(lambda a: (np.cumsum(a, 1), np.cumprod(a, 1), np.cumprod(a, 0), np.cumprod(a)), A)
    agrees(lambda a: (np.concatenate([a, a], 1), np.stack([a, a + 1]), np.hstack([a[0], 1.0])), A)
    agrees(lambda x: (np.array([1.0, 2.0]) * x, np.ones(3) * x, np.stack([x, 2 * x])), 3.0)
    agrees(lambda a: np.where(a > 2, a, 0.0) * np.clip(a, 1, 5) + np.einsum("ij->j", a), A)
    agrees(lambda a: (dc.sigmoid(a), dc.relu(a - 5), dc.erf(a), dc.softplus(a), 1 / (a + 1)), A)
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
    twice = Lam((x, i), Prim(Operation(PLUS), (put.body, put.body)))
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
        twice = Prim(Operation(PLUS), (put(axis), put(axis)))
        same(on_xla(Lam((x,), twice), np.array([1.0, 2.0])), 2 * true)


def test_rows_that_are_put_are_added_in_place():
    big = Tensor((50,))
    a, acc, i = Var("a", big), Var("acc", big), Var("i", Int)
    taken = prim("multiply", prim("take", a, i, axis=0), const(2.0))
    step = Lam((acc, i), Prim(Operation(PLUS), (acc, prim("put", taken, i, axis=0, extents=(50,)))))
    zero = Prim(Operation(ZEROS, (("of", big),)), ())
    whole = Lam((a,), Prim(FOLD, (step, zero, const(np.arange(50)))))
    same(on_xla(whole, np.arange(50) + 0.5), 2 * np.arange(50) + 1.0)
    source = compile_program(whole).source
    assert "_add_at(acc, " in source
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
    same(on_xla(Lam((x,), Prim(Operation(PLUS), (embed, embed))), np.arange(1.0, n + 1)), 2 * true)


def test_windows_side_by_side_are_joined():
    def f(x):
        return np.sum(np.sin(x[:, :2])) + np.sum(x[:, 2:5] ** 2) + np.sum(x[:, 6:])

    code = agrees(dc.grad(f), np.arange(14.0).reshape(2, 7))
    assert "jnp.concatenate" in code.source


def test_empty_arrays_and_loops():
    empty = np.zeros((0, 3))
    agrees(lambda a: (a * 2, a.sum(), a.sum(0), a.T, np.prod(a), np.cumprod(a, 0)), empty)
    agrees(lambda a: dc.fold(lambda c, r: c + r, np.ones(3), a), empty)
    agrees(lambda a: dc.scan(lambda c, r: (c + r, (np.sum(r), c)), np.ones(3), a), empty)
    agrees(lambda a: dc.map(lambda r: np.sum(r) > 0, a), empty)
    agrees(lambda a: dc.map(lambda r: (r, (np.sum(r), np.ones((2, 2)))), a), empty)
    agrees(dc.grad(lambda a: np.sum(dc.fold(lambda c, r: c * r, np.ones(3), a))), empty)
    agrees(dc.grad(lambda a: np.sum(dc.map(lambda r: np.sum(r * r), a))), empty)


def test_loops():
    agrees(lambda a: dc.fold(lambda c, r: c * r + 1.0, 1.0, a), A[0])
    agrees(lambda a: dc.scan(lambda c, r: ((c[1], c[0] + r), c[0] * r), (a[0], a[1]), a), A)
    agrees(lambda a: dc.map(lambda r: dc.map(lambda x: x * r[0], r), a), A)
    agrees(lambda n: dc.fold(lambda c, i: c * 3 + i, 1, np.arange(5)) + n, np.int64(2))
    agrees(lambda a: dc.fold(lambda c, r: np.sin(c) + r * c, np.ones(4), a), A)
    agrees(lambda a: dc.fold(lambda c, r: (c[1], c[0]), (a[0], a[1]), a), A)
    agrees(lambda a: dc.fold(lambda c, rs: c + rs[0] * rs[1][0], 0.0, (a[0], (a[1], a[2]))), A)
    agrees(lambda a: dc.map(lambda p: p[0] * p[1], (a[0], a[1])), A)
    agrees(lambda a: dc.map(lambda r: dc.cond(r > 3, lambda: np.log(r), lambda: 0.0), a), A[0])
    agrees(lambda a: dc.map(lambda r: dc.fold(lambda c, x: c * x + r[0], 1.0, r), a), A)
    agrees(lambda a: dc.map(lambda r: 1.0, a), A)


@pytest.mark.parametrize("xs", [[1.0, 2.0, 3.0], [0.5], []])
def test_backward_loops(xs):
    c, r, x = Var("c", Real), Var("r", Real), Var("x", Tensor((len(xs),)))
    step = Lam((c, r), prim("add", prim("multiply", c, const(2.0)), r))
    keep = Lam((c, r), Tuple((step.body, prim("subtract", c, r))))
    array = np.array(xs)
    for operation in (FOLD, FOLD_BACKWARDS):
        total = 1.0
        for item in xs[::-1] if operation is FOLD_BACKWARDS else xs:
            total = total * 2 + item
        same(on_xla(Lam((x,), Prim(operation, (step, const(1.0), x))), array), np.float64(total))
    for operation in (SCAN, SCAN_BACKWARDS):
        lam = Lam((x,), Prim(operation, (keep, const(1.0), x)))
        total, kept = 1.0, [0.0] * len(xs)
        order = range(len(xs))
        for i in order[::-1] if operation is SCAN_BACKWARDS else order:
            total, kept[i] = total * 2 + xs[i], total - xs[i]
        same(on_xla(lam, array), (np.float64(total), np.array(kept)))


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
    def f(x, a):
        return dc.cond(x > 0, lambda: (np.log(x), a * 2), lambda: (x * 3.0, a))

    for x in (2.0, -1.0, 0.0):
        agrees(f, x, A[0])
        agrees(dc.grad(lambda x, a: f(x, a)[0]), x, A[0])
    assert "lax.cond" in compile_program(lam_of(f, 1.0, A[0])).source
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
    def tower(x):
        f = fun(lambda t: np.sin(t) * 2.0, Real)
        for _ in range(6):
            f = fun(functools.partial(lambda g, t: g(g(t)), f), Real)
        return f(x)

    code = agrees(tower, 1.0, rtol=1e-9)
    assert code.source.count("def ") < 12
    agrees(dc.grad(tower), 1.0, rtol=1e-9)


PAIR = Product(Real, Tensor((2,)))


def test_sums_zeros_and_packs():
    x = Var("x", PAIR)
    zero = Prim(Operation(ZEROS, (("of", PAIR),)), ())
    plus = Lam((x,), Prim(Operation(PLUS), (x, Prim(Operation(PLUS), (x, zero)))))
    true = np.float64(2.0), 2 * np.ones(2)
    same(on_xla(plus, (1.0, np.ones(2))), true)
    unpack = Operation(UNPACK, (("of", PAIR),))
    nothing = Prim(Operation(ZEROS, (("of", Tangent),)), ())
    packed = Prim(Operation(PACK), (x,))
    both = Prim(Operation(PLUS), (packed, Prim(Operation(PLUS), (nothing, packed))))
    same(on_xla(Lam((x,), Prim(unpack, (both,))), (1.0, np.ones(2))), true)
    opened = Lam((), Prim(unpack, (nothing,)))
    same(on_xla(opened), (np.float64(0.0), np.zeros(2)))


def test_a_type_that_is_a_dag():
    deep = Real
    for _ in range(60):
        deep = Product(deep, deep)
    zeros = Prim(Operation(ZEROS, (("of", deep),)), ())
    body = Prim(Operation(PLUS), (zeros, zeros))
    for _ in range(60):
        body = Proj(0, body)
    same(on_xla(Lam((), body)), np.float64(0.0))


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
    x = Var("x", Real)
    bindings, last = [], x
    for i in range(100):
        var = Var(f"x{i}", Real)
        bindings.append((var, prim("add", prim("sin", last), x)))
        last = var
    true = 1.0
    for _ in range(100):
        true = np.sin(true) + 1.0
    same(on_xla(Lam((x,), Let(tuple(bindings), last)), 1.0), np.float64(true))
    nested, folds = x, x
    for i in range(12):
        nested = Cond(prim("less", x, const(float(i))), prim("sin", nested), const(float(i)))
        c, r = Var(f"c{i}", Real), Var(f"r{i}", Real)
        folds = Prim(FOLD, (Lam((c, r), prim("add", folds, c)), const(0.0), const(np.ones(1))))
    same(on_xla(Lam((x,), nested), 11.5), np.float64(11.0))
    same(on_xla(Lam((x,), folds), 1.5), np.float64(1.5))
    body = x
    for i in range(50):
        y = Var(f"y{i}", Real)
        body = App(Lam((y,), prim("add", body, y)), x)
    same(on_xla(Lam((x,), body), 1.0), np.float64(51.0))
