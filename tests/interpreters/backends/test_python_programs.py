"""Whole programs: loops, conditionals, functions, buffers; and the text itself."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import MissingRule
from combinators.objects import Fun, Real, Tangent, Tensor, Vector
from combinators.primitives.loops import FOLD
from combinators.terms import App, Cond, Lam, Let, Prim, Var, const
from diffcurry import cond
from interpreters.backends.python import compile_program
from interpreters.staging.programs import gradient, pullback
from tests.interpreters.backends.comparing import agrees, plain, same
from tests.interpreters.backends.programs import (
    A,
    branching,
    drawn,
    lam_of,
    of_arrays,
    of_empty_arrays,
    of_long_lines,
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
from tests.interpreters.backends.texts import HOSTILE, HOSTILE_DOC, HOSTILE_NAME, formatted

LONG = np.linspace(-1, 1, 5000)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_random_programs(data):
    function, values = drawn(data)
    code = compile_program(function.program(*values).lam)
    same(code.function(*plain(values)), function.evaluate(values), 1e-9)


@pytest.mark.parametrize("programs", [of_arrays, of_empty_arrays, of_loops])
def test_arrays_and_loops(programs):
    for function, *args in programs():
        agrees(function, *args)


def test_indices():
    agrees(lambda a, i: (a[i], a[:, i], a[i, i], a[i, i + 1] * 2, np.take(a, i)), A, np.int64(1))
    agrees(lambda a, i: (a[i], a[:, i], a[i, i]), A, np.array([0, -1, 2]))


def test_a_loop_does_not_write_into_its_argument():
    code = agrees(lambda a: dc.fold(lambda c, r: c + np.exp(r), 0.0 * a[0], a), np.ones((4, 2000)))
    assert "out=a" not in code.source


@pytest.mark.parametrize("xs", [[1.0, 2.0, 3.0], [0.5], []])
def test_backward_loops(xs):
    for lam, true in loops_of_terms(xs):
        same(compile_program(lam).function(np.array(xs)), true)


def test_conditionals_compute_one_branch():
    for x in (2.0, -1.0, 0.0):
        agrees(branching, x, A[0])
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
    code = agrees(tower(12), 1.0, rtol=1e-9)
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


def test_sums_zeros_and_packs():
    for lam in pairs_twice():
        same(compile_program(lam).function((1.0, np.ones(2))), (2.0, 2 * np.ones(2)))
    t = Var("t", Tangent)
    same(compile_program(Lam((t,), unpack(t, PAIR))).function(None), (0.0, np.zeros(2)))
    assert compile_program(Lam((), zero(Vector(Real, 3)))).function() == (0.0, 0.0, 0.0)


def test_a_type_that_is_a_dag():
    t = Var("t", Tangent)
    lam = Lam((t,), first_leaf(plus(unpack(t, DEEP), zero(DEEP))))
    assert compile_program(lam).function(None) == 0.0


def test_puts_are_added_in_their_place():
    code = compile_program(doubled_by_puts(50))
    same(code.function(np.arange(50) + 0.5), 2 * np.arange(50) + 1.0)
    assert "acc[i] += " in code.source
    assert "copy" not in code.source
    rows, at = Var("rows", Tensor((3, 2))), Var("at", Tensor((3,), int))
    spread = Lam((rows, at), prim("put", rows, at, axis=0, extents=(4,)))
    true = np.array([[2.0, 2], [0, 0], [1, 1], [0, 0]])
    same(compile_program(spread).function(np.ones((3, 2)), np.array([0, 0, 2])), true)
    x = Var("x", Tensor((2,)))
    embed = prim("embed", x, start=(4,), step=(-3,), shape=(5,))
    same(
        compile_program(Lam((x,), plus(embed, embed))).function(np.array([1.0, 2.0])),
        np.array([0, 4.0, 0, 0, 2.0]),
    )


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


def test_no_name_can_become_code():
    params = tuple(Var(name, Real) for name in HOSTILE)
    total = params[0]
    for param in params[1:]:
        total = prim("add", total, prim("sin", param))
    body = Let(
        ((Var("del", Real), prim("exp", params[0])),), prim("divide", Var("del", Real), total)
    )
    lam = Lam(params, body, "import os")
    code = compile_program(lam, name=HOSTILE_NAME, doc=HOSTILE_DOC)
    values = [0.1 * i for i in range(len(HOSTILE))]
    true = np.exp(0.0) / (values[0] + sum(np.sin(values[1:])))
    assert abs(code.function(*values) - true) < 1e-12
    formatted(code.source)


def texts():
    for function, *args in of_long_lines():
        yield compile_program(lam_of(function, *args), doc="What it does.")
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
    assert 0 < compile_program(many_lets(20_000)).function(1.0) < 2
    assert compile_program(nested_choices(100)).function(99.5) == 99.0
    assert compile_program(nested_folds(100)).function(1.5) == 1.5


def test_closures_nested_deep():
    assert compile_program(nested_functions(500)).function(1.0) == 501.0
    x = Var("x", Real)
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


def nested_conds(count):
    def f(x, k=count):
        if not k:
            return x * x
        return cond(x > k, lambda: np.sin(f(x, k - 1)), lambda: x * k)

    return f


def test_branches_inside_branches_are_written_in_linear_size():
    sources = [compile_program(lam_of(dc.grad(nested_conds(n)), 0.5)).source for n in (20, 40, 80)]
    small, middle, large = map(len, sources)
    assert large - middle < 2.3 * (middle - small)
    assert sources[2].count("_ZERO") < 5 * 80
    f = nested_conds(12)
    for x in (0.5, 3.5, 11.5, 12.5):
        agrees(dc.value_and_grad(f), x)


def test_arrays_that_are_carried_are_not_written_into_where_the_whole_carry_is_kept():
    def both(c, x):
        return c[0] + x, c[1] + x + 0.37 * c[1] * x

    def kept(a, rows):
        return dc.scan(lambda c, x: (both(c, x), c), (a, a), rows)

    def given(a, rows):
        last = dc.fold(both, (a, a), rows)
        return last[1] * 2.0 + last[0] * 3.0, last

    for f in (kept, given):
        agrees(f, LONG, np.stack([LONG, LONG, LONG]))


def test_what_a_branch_in_a_branch_chooses_is_not_copied():
    f = lambda x: cond(x > 0, lambda: cond(x > 1, lambda: np.sin(x) / x, lambda: x * x), lambda: x)
    for x in (-1.0, 0.5, 2.0):
        code = agrees(f, x)
    assert len([line for line in code.source.split("else:")[0].splitlines() if "=" in line]) <= 4
    outer = lambda x: cond(
        x > 0, lambda: (np.exp(x) + x, x / 2.0), lambda: (x, np.cos(x) * 3.0 + x)
    )

    def chosen_before(x):
        a, b = outer(x)
        c, d = cond(b > 0, lambda: (a, np.sin(b) * a + b), lambda: (b, np.exp(b) * a + b))
        return a, b, c, d

    for x in (-1.0, 0.5, 2.0):
        agrees(chosen_before, x)


def test_the_pullback_in_a_source_is_called_as_that_of_the_api():
    pair, real = dc.Product(Real, Real), (Real, Real)
    for f, types, args, cotangent in (
        (lambda x: (x[0], 0.0), (pair,), ((3.0, 4.0),), (1.0, 5.0)),
        (lambda x, y: (x * y, y), real, (2.0, 3.0), (1.0, 5.0)),
        (lambda x, y: x * y, real, (2.0, 3.0), 2.0),
    ):
        whole = dc.vjp(dc.fun(f, *types))
        space = {}
        exec(whole.source(), space)
        value, back = whole(*args)
        found, pullback = space["vjp"](*args)
        same(found, plain(value))
        same(pullback(cotangent), plain(back(cotangent)))
    made = compile_program(lam_of(lambda x: dc.fun(lambda a, b: a * x + b, Real, Real), 2.0))
    assert made.function(2.0)(3.0, 1.0) == 7.0
