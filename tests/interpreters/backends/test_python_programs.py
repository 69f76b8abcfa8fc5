"""Whole programs: loops, conditionals, functions, buffers; and the text itself."""

import functools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import MissingRule
from combinators.objects import Fun, Int, Product, Real, Tangent, Tensor, Vector
from combinators.operation import Operation, named
from combinators.primitives.loops import FOLD, FOLD_BACKWARDS, SCAN, SCAN_BACKWARDS
from combinators.primitives.tangents import PACK, PLUS, UNPACK, ZEROS
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Tuple, Var, const
from diffcurry import cond, fun
from interpreters.backends.python import compile_program
from interpreters.staging.programs import gradient, pullback
from tests.interpreters.backends.comparing import agrees, plain, same
from tests.strategies.meanings import function_of
from tests.strategies.points import arguments, thousandths
from tests.strategies.programs import programs

A = np.arange(12.0).reshape(3, 4)
LONG = np.linspace(-1, 1, 5000)


def prim(name, *args, **parameters):
    return Prim(Operation(named(name), tuple(parameters.items())), args)


def lam_of(function, *args):
    return fun(function).program(*args).lam


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_programs(data):
    program = data.draw(programs())
    args = data.draw(arguments(program, thousandths))
    function = function_of(program)
    values = tuple(np.asarray(arg, dtype=float)[()] for arg in args)
    code = compile_program(function.program(*values).lam)
    same(code.function(*plain(values)), function.evaluate(values), 1e-9)


def test_arrays():
    agrees(lambda a: (a[0], a[:, 1], a[1, 2], a[::-1, ::2], a[-1:], a.T, a.reshape(4, 3)), A)
    agrees(lambda a: (a @ a.T, a.T @ a, np.dot(a[0], a[1]), a @ a[0], np.outer(a[0], a[1])), A)
    agrees(lambda a: (np.sum(a), a.sum(0), a.sum((0, 1), keepdims=True), np.max(a, 1)), A)
    agrees(lambda a: (np.prod(a, 0), dc.logsumexp(a), np.mean(a), np.std(a)), A)
    agrees(lambda a: (np.cumsum(a, 1), np.cumprod(a, 1), np.cumprod(a, 0), np.cumprod(a)), A)
    agrees(lambda a: (np.concatenate([a, a], 1), np.stack([a, a + 1]), np.hstack([a[0], 1.0])), A)
    agrees(lambda x: (np.array([1.0, 2.0]) * x, np.ones(3) * x, np.stack([x, 2 * x])), 3.0)
    agrees(lambda a: np.where(a > 2, a, 0.0) * np.clip(a, 1, 5) + np.einsum("ij->j", a), A)
    agrees(lambda a, i: (a[i], a[:, i], a[i, i], a[i, i + 1] * 2, np.take(a, i)), A, np.int64(1))
    agrees(lambda a, i: (a[i], a[:, i], a[i, i]), A, np.array([0, -1, 2]))
    agrees(lambda a: (dc.sigmoid(a), dc.relu(a - 5), dc.erf(a), dc.softplus(a), 1 / (a + 1)), A)


def test_empty_arrays_and_loops():
    empty = np.zeros((0, 3))
    agrees(lambda a: (a * 2, a.sum(), a.sum(0), a.T, np.prod(a)), empty)
    agrees(lambda a: dc.fold(lambda c, r: c + r, np.ones(3), a), empty)
    agrees(lambda a: dc.scan(lambda c, r: (c + r, (np.sum(r), c)), np.ones(3), a), empty)
    agrees(lambda a: dc.map(lambda r: np.sum(r) > 0, a), empty)


def test_loops():
    agrees(lambda a: dc.fold(lambda c, r: c * r + 1.0, 1.0, a), A[0])
    agrees(lambda a: dc.scan(lambda c, r: ((c[1], c[0] + r), c[0] * r), (a[0], a[1]), a), A)
    agrees(lambda a: dc.map(lambda r: dc.map(lambda x: x * r[0], r), a), A)
    agrees(lambda n: dc.fold(lambda c, i: c * 3 + i, 1, np.arange(5)) + n, np.int64(2))
    agrees(lambda a: dc.fold(lambda c, r: np.sin(c) + r * c, np.ones(4), a), A)
    agrees(lambda a: dc.fold(lambda c, r: (c[1], c[0]), (a[0], a[1]), a), A)
    agrees(lambda a: dc.fold(lambda c, rs: c + rs[0] * rs[1][0], 0.0, (a[0], (a[1], a[2]))), A)
    code = agrees(lambda a: dc.fold(lambda c, r: c + np.exp(r), 0.0 * a[0], a), np.ones((4, 2000)))
    assert "out=a" not in code.source


@pytest.mark.parametrize("xs", [[1.0, 2.0, 3.0], [0.5], []])
def test_backward_loops(xs):
    row, stack = Real, Tensor((len(xs),))
    c, r, x = Var("c", Real), Var("r", row), Var("x", stack)
    step = Lam((c, r), prim("add", prim("multiply", c, const(2.0)), r))
    keep = Lam((c, r), Tuple((step.body, prim("subtract", c, r))))
    array = np.array(xs)
    for operation in (FOLD, FOLD_BACKWARDS):
        found = compile_program(Lam((x,), Prim(operation, (step, const(1.0), x)))).function(array)
        total = 1.0
        for item in xs[::-1] if operation is FOLD_BACKWARDS else xs:
            total = total * 2 + item
        assert found == total
    for operation in (SCAN, SCAN_BACKWARDS):
        lam = Lam((x,), Prim(operation, (keep, const(1.0), x)))
        total, kept = 1.0, [0.0] * len(xs)
        order = range(len(xs))
        for i in order[::-1] if operation is SCAN_BACKWARDS else order:
            total, kept[i] = total * 2 + xs[i], total - xs[i]
        same(compile_program(lam).function(array), (total, np.array(kept)))


def test_conditionals_compute_one_branch():
    def f(x, a):
        return dc.cond(x > 0, lambda: (np.log(x), a * 2), lambda: (x * 3.0, a))

    for x in (2.0, -1.0, 0.0):
        agrees(f, x, A[0])
    calls = []
    whole = lam_of(lambda g, x: dc.cond(x > 0, lambda: g(x), lambda: x), dc.fun(np.sin, Real), 1.0)
    code = compile_program(whole).function
    assert code(lambda x: calls.append(x) or 5.0, 2.0) == 5.0
    assert code(lambda x: calls.append(x) or 5.0, -2.0) == -2.0
    assert calls == [2.0]


def test_functions():
    sin = dc.fun(np.sin, Real)
    code = compile_program(lam_of(lambda g, x: g(g(x)) + g(1.0), sin, 0.5)).function
    assert code(np.cos, 0.5) == np.cos(np.cos(0.5)) + np.cos(1.0)

    def makes(x, y):
        return dc.fun(lambda a, b: a * x + b * y, Real, Real), x

    made, x = compile_program(lam_of(makes, 2.0, 3.0)).function(2.0, 3.0)
    assert (made(1.0, 10.0), x) == (32.0, 2.0)
    array = np.ones(3)
    made = compile_program(lam_of(lambda a: dc.fun(lambda i: a * i, Real), array)).function(array)
    array[:] = 7.0
    assert list(made(2.0)) == [2.0, 2.0, 2.0]
    late = compile_program(
        lam_of(lambda a: dc.map(lambda r: dc.fun(lambda i: r * i, Real), a), np.arange(3.0))
    ).function(np.arange(3.0))
    assert [f(2.0) for f in late] == [0.0, 2.0, 4.0]


def test_a_known_function_is_written_once():
    def tower(x):
        f = fun(lambda t: np.sin(t) * 2.0, Real)
        for _ in range(12):
            f = fun(functools.partial(lambda g, t: g(g(t)), f), Real)
        return f(x)

    code = agrees(tower, 1.0, rtol=1e-9)
    assert code.source.count("def ") < 40


def test_results_are_nobody_elses():
    x = np.arange(3000.0)

    def f(x, n):
        y = np.sin(x)
        return x, x[::-1], y, y, y.reshape(30, 100), dc.fold(lambda c, i: c, x, np.arange(2)), n

    found = compile_program(lam_of(f, x, (x, x))).function(x, (x, x))
    leaves = [x, *found[:-1], *found[-1]]
    for i, a in enumerate(leaves):
        assert not any(np.shares_memory(a, b) for b in leaves[i + 1 :])


def test_buffers_are_used_again_and_nothing_changes():
    def f(x):
        y = np.sin(x) * 2.0
        z = y + np.cos(y) * x
        view = z[::2]
        w = np.exp(-z * z) + np.concatenate([view, view])
        return w * y, z + 1.0, dc.fold(lambda c, i: c * y + i, w, np.arange(3))

    assert "out=" in agrees(f, LONG).source
    agrees(
        lambda a: dc.fold(lambda c, r: (c[0] + r, c[0] * r), (a[0], a[0]), a), np.ones((3, 2000))
    )
    agrees(lambda a: dc.scan(lambda c, r: (np.sin(c) + r, c), a[0], a), np.ones((3, 2000)))
    agrees(
        lambda a: dc.scan(lambda c, r: (np.sin(np.cos(c) * 2) + r * 2, np.tan(r * 2 + 1)), a[0], a),
        np.ones((3, 2000)) / 3,
    )
    agrees(lambda a: dc.cond(a[0] > 0, lambda: np.sin(a) * 2, lambda: a) * np.cos(a), -LONG)


# Cotangents, as gradient programs have them.

PAIR = Product(Real, Tensor((2,)))


def test_sums_zeros_and_packs():
    x, t = Var("x", PAIR), Var("t", Tangent)
    zero = Prim(Operation(ZEROS, (("of", PAIR),)), ())
    plus = Lam((x,), Prim(Operation(PLUS), (x, Prim(Operation(PLUS), (x, zero)))))
    same(compile_program(plus).function((1.0, np.ones(2))), (2.0, 2 * np.ones(2)))
    unpack = Operation(UNPACK, (("of", PAIR),))
    nothing = Prim(Operation(ZEROS, (("of", Tangent),)), ())
    packed = Prim(Operation(PACK), (x,))
    both = Prim(Operation(PLUS), (packed, Prim(Operation(PLUS), (nothing, packed))))
    same(
        compile_program(Lam((x,), Prim(unpack, (both,)))).function((1.0, np.ones(2))),
        (2.0, 2 * np.ones(2)),
    )
    opened = compile_program(Lam((t,), Prim(unpack, (t,)))).function
    same(opened(None), (0.0, np.zeros(2)))
    vector = Prim(Operation(ZEROS, (("of", Vector(Real, 3)),)), ())
    assert compile_program(Lam((), vector)).function() == (0.0, 0.0, 0.0)


def test_a_type_that_is_a_dag():
    deep = Real
    for _ in range(60):
        deep = Product(deep, deep)
    t = Var("t", Tangent)
    unpacked = Prim(Operation(UNPACK, (("of", deep),)), (t,))
    body = Prim(Operation(PLUS), (unpacked, Prim(Operation(ZEROS, (("of", deep),)), ())))
    for _ in range(60):
        body = Proj(0, body)
    assert compile_program(Lam((t,), body)).function(None) == 0.0


def test_puts_are_added_in_their_place():
    n, big = 50, Tensor((50,))
    a, acc, i = Var("a", big), Var("acc", big), Var("i", Int)
    taken = prim("multiply", prim("take", a, i, axis=0), const(2.0))
    put = prim("put", taken, i, axis=0, extents=(n,))
    step = Lam((acc, i), Prim(Operation(PLUS), (acc, put)))
    zero = Prim(Operation(ZEROS, (("of", big),)), ())
    whole = Lam((a,), Prim(FOLD, (step, zero, const(np.arange(n)))))
    code = compile_program(whole)
    same(code.function(np.arange(n) + 0.5), 2 * np.arange(n) + 1.0)
    assert "acc[i] += " in code.source
    assert "copy" not in code.source
    rows, at = Var("rows", Tensor((3, 2))), Var("at", Tensor((3,), int))
    spread = Lam((rows, at), prim("put", rows, at, axis=0, extents=(4,)))
    true = np.array([[2.0, 2], [0, 0], [1, 1], [0, 0]])
    same(compile_program(spread).function(np.ones((3, 2)), np.array([0, 0, 2])), true)
    x = Var("x", Tensor((2,)))
    embed = prim("embed", x, start=(4,), step=(-3,), shape=(5,))
    both = Lam((x,), Prim(Operation(PLUS), (embed, embed)))
    same(compile_program(both).function(np.array([1.0, 2.0])), np.array([0, 4.0, 0, 0, 2.0]))


def test_zeros_absorb_also_where_their_nans_would_not_be_seen():
    v, p = Var("v", Real), Var("p", Real)
    scaled = prim("scale", v, p)
    hidden = Cond(prim("less", scaled, const(1.0)), const(1.0), const(2.0))
    for body, true in (
        (scaled, 0.0),
        (hidden, 1.0),
        (prim("unscale", v, prim("scale", v, p)), 0.0),
    ):
        code = compile_program(Lam((v, p), body)).function
        for infinite in (np.inf, np.nan):
            assert code(0.0, float(infinite)) == true
    array = Tensor((3,))
    v, p = Var("v", array), Var("p", array)
    scaled = prim("sum", prim("scale", v, p), axis=(0,), keepdims=False)
    code = compile_program(Lam((v, p), scaled))
    assert code.function(np.array([0.0, 1, 2]), np.array([np.inf, 1, 2])) == 5.0
    assert "v * p" in code.source
    step = Lam((Var("c", Real), Var("r", Real)), prim("scale", Var("r", Real), Var("c", Real)))
    loop = Lam((v,), Prim(FOLD, (step, const(np.inf), v)))
    assert compile_program(loop).function(np.array([0.0, 1, 2])) == 0.0
    f = Lam((Var("z", Real),), prim("scale", Var("z", Real), const(np.inf)), "f")
    x = Var("x", Real)
    known = Let(((Var("a", Real), App(f, x)),), prim("add", App(f, Var("a", Real)), Var("a", Real)))
    assert compile_program(Lam((x,), known)).function(0.0) == 0.0
    g = Var("g", Fun(Real, Real))
    asked = Cond(prim("less", App(g, App(f, x)), const(1.0)), App(f, x), const(3.0))
    assert compile_program(Lam((g, x), asked)).function(lambda a: a, 0.0) == 0.0


# The text.

HOSTILE = (
    "class",
    "__import__",
    "print",
    "np",
    "math",
    "f",
    "l",
    "O",
    "a b; import os",
    "λ",
    "ªº",
    "x\n    raise SystemExit",
    "_scale",
    "",
    "0",
    "match",
    "n" * 200,
    "ｘ",
)


def test_no_name_can_become_code():
    params = tuple(Var(name, Real) for name in HOSTILE)
    total = params[0]
    for param in params[1:]:
        total = prim("add", total, prim("sin", param))
    body = Let(
        ((Var("del", Real), prim("exp", params[0])),), prim("divide", Var("del", Real), total)
    )
    lam = Lam(params, body, "import os")
    code = compile_program(lam, name='x"); raise SystemExit("', doc='"""\nraise SystemExit\n\\"""')
    values = [0.1 * i for i in range(len(HOSTILE))]
    true = np.exp(0.0) / (values[0] + sum(np.sin(values[1:])))
    assert abs(code.function(*values) - true) < 1e-12
    formatted(code.source)


def formatted(*sources):
    for source in sources:
        for command in (["format", "--diff"], ["check"]):
            ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "-"]
            done = subprocess.run(ruff, input=source, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr


def texts():
    many = np.linspace(0, 1, 40)

    def wide(*xs):
        return np.concatenate([x * 2 for x in xs]), sum(np.sum(x) for x in xs), xs

    def scalars(x, y):
        z = x
        for i in range(30):
            z = np.maximum(z * y, np.sin(z)) / (1.0 + i) + np.where(x < y, x, y) - -z
        return z, np.floor(z), x != x

    def loops(a):
        return dc.scan(lambda c, r: (c + np.sum(r * many), dc.map(lambda x: x, r)), 0.0, a)

    yield compile_program(lam_of(wide, *[np.ones(3)] * 15), doc="What it does.")
    yield compile_program(lam_of(scalars, 0.3, 0.4))
    yield compile_program(lam_of(loops, np.ones((3, 40))))
    yield compile_program(lam_of(lambda x: np.array([[1.0, np.inf], [3.0, np.nan]]) * x, 2.0))
    yield compile_program(
        lam_of(lambda x, y: (dc.fun(lambda z: z * x + y, Real), -(-x + y)), 1.0, 2.0)
    )


def test_the_text_is_formatted_and_deterministic():
    first, second = ([code.source for code in texts()] for _ in range(2))
    assert first == second
    formatted(*first)


def test_it_runs_with_numpy_alone():
    def f(x, a):
        return dc.fold(lambda c, r: c * r + np.sin(x / c), 1.0, a), dc.logsumexp(a), dc.erf(a)

    a = np.arange(3.0)
    code = compile_program(lam_of(f, 0.5, a))
    alone = "import sys; assert 'diffcurry' not in sys.modules; print(f(0.5, np.arange(3.0)))"
    text = f"{code.source}\n{alone}"
    done = subprocess.run(
        [sys.executable, "-I", "-c", text], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(code.function(0.5, a))


def test_depth():
    x = Var("x", Real)
    bindings = []
    last = x
    for i in range(20_000):
        var = Var(f"x{i}", Real)
        bindings.append((var, prim("add", prim("sin", last), x)))
        last = var
    code = compile_program(Lam((x,), Let(tuple(bindings), last)))
    assert 0 < code.function(1.0) < 2
    nested, folds = x, x
    for i in range(100):
        nested = Cond(prim("less", x, const(float(i))), prim("sin", nested), const(float(i)))
        c, r = Var(f"c{i}", Real), Var(f"r{i}", Real)
        folds = Prim(FOLD, (Lam((c, r), prim("add", folds, c)), const(0.0), const(np.ones(1))))
    assert compile_program(Lam((x,), nested)).function(99.5) == 99.0
    assert compile_program(Lam((x,), folds)).function(1.5) == 1.5


def test_closures_nested_deep():
    x = Var("x", Real)
    body = x
    for i in range(500):
        y = Var(f"y{i}", Real)
        body = App(Lam((y,), prim("add", body, y)), x)
    assert compile_program(Lam((x,), body)).function(1.0) == 501.0
    f = Var("f", Fun(Real, Real))
    body = App(f, x)
    for i in range(200):
        y = Var(f"y{i}", Real)
        body = Let(((f, Lam((y,), prim("add", App(f, y), x))),), body) if i else body
    whole = Lam((x,), Let(((f, Lam((Var("z", Real),), Var("z", Real))),), body))
    assert compile_program(whole).function(1.0) == 200.0


def test_what_has_no_code_says_so():
    @dc.primitive(derivative=lambda v, x, y: v)
    def unheard_of_by_the_backend(x):
        return x + 1.0

    for x in (1.0, np.ones(3)):
        with pytest.raises(MissingRule, match="unheard_of_by_the_backend"):
            compile_program(lam_of(lambda x: unheard_of_by_the_backend(x), x))


def test_an_index_outside_reads_zero():
    code = compile_program(lam_of(lambda a, i: a[i] / a[0], A[0], np.int64(1))).function
    assert [code(A[1], i) for i in (1, -1, 4)] == [A[1][1] / A[1][0], 0.0, 0.0]


def test_an_overridden_function_is_applied():
    def f(x):
        return dc.with_derivative(lambda x: x * 2.0, lambda x, g: g)(x)

    agrees(f, 3.0)


def test_gradients_and_pullbacks_as_programs():
    def f(x, a):
        return dc.fold(lambda c, r: c * np.sin(r) + dc.cond(r > x, lambda: c, lambda: x), x, a)

    args = (0.3, np.array([0.1, 0.5, -2.0]))
    value, slopes = dc.value_and_grad(f, argnums=(0, 1)).evaluate(args)
    found = compile_program(gradient(lam_of(f, *args), (0, 1))).function(*args)
    same(found, (value, slopes), 1e-12)
    y, back = compile_program(pullback(lam_of(f, *args), (0, 1))).function(*args)
    same(y, value, 1e-12)
    for _ in range(2):
        same(back(1.0), slopes, 1e-12)


def test_a_choice_between_tuples_of_one_is_a_tuple():
    agrees(lambda x: cond(x < 0, lambda: (0,), lambda: (1,)), 1.0)
    agrees(lambda x: cond(x < 0, lambda: ((x,),), lambda: ((2.0,),)), -1.0)
