"""The text of emitted JAX, which needs no JAX: names, layout, words, and what is refused."""

import io
import tokenize

import numpy as np
import pytest

import diffcurry as dc
from combinators.errors import MissingRule
from combinators.objects import Fun, Real, Tensor
from combinators.primitives.loops import FOLD
from combinators.terms import App, Cond, Lam, Prim, Var, const
from diffcurry import fun
from interpreters.backends.xla import compile_program
from tests.interpreters.backends.programs import of_long_lines
from tests.interpreters.backends.terms import (
    DEEP,
    first_leaf,
    many_lets,
    nested_choices,
    nested_folds,
    plus,
    prim,
    zero,
)
from tests.interpreters.backends.texts import HOSTILE, HOSTILE_DOC, HOSTILE_NAME, formatted

FORBIDDEN = ("grad", "vjp", "jvp", "linearize", "custom_")


def emitted(function, *args):
    made = fun(function).program(*args)
    return compile_program(made.lam, name=made.lam.name or "f").source


def networks():
    def network(weights, xs):
        hidden = np.tanh(xs @ weights["w"] + weights["b"])
        return np.mean(dc.logsumexp(hidden, 1) ** 2) + np.prod(weights["b"])

    def recurrent(w, xs):
        return np.sum(dc.fold(lambda c, x: np.tanh(c * w + x), np.zeros(3), xs) ** 2)

    def chosen(w, xs):
        total = dc.map(lambda x: dc.cond(x[0] > 0, lambda: np.sum(w * x), lambda: w[0] ** 3), xs)
        return np.sum(total) + dc.stop_gradient(w[0]) * w[1]

    weights = {"w": np.ones((3, 3)), "b": np.ones(3)}
    yield network, weights, np.ones((4, 3))
    yield recurrent, np.ones(3), np.ones((4, 3))
    yield chosen, np.ones(3), np.ones((4, 3))


@pytest.mark.parametrize("number", range(3))
def test_a_derivative_is_no_derivative_of_jax(number):
    f, *args = list(networks())[number]
    for g in (dc.grad(f), dc.value_and_grad(f), dc.vjp(f), dc.jacfwd(f)):
        try:
            source = g.source("jax", *args)
        except MissingRule:
            assert type(g).__name__ == "Pulled"  # it gives a function
            continue
        assert not [word for word in FORBIDDEN if word in source], source
        compile(source, "emitted", "exec")
        imported = [line for line in source.splitlines() if "import" in line]
        known = ("jax", "jax.numpy as jnp", "numpy as np")
        assert set(imported) <= {*(f"import {name}" for name in known), "from jax import lax"}


def test_no_name_can_become_code():
    params = tuple(Var(name, Real) for name in (*HOSTILE, "jax", "jnp", "lax"))
    total = params[0]
    for param in params[1:]:
        total = prim("add", total, prim("scale", prim("sin", param), param))
    step = Lam((Var("jax", Real), Var("del", Real)), prim("add", Var("jax", Real), params[1]))
    body = Prim(FOLD, (step, total, const(np.ones(3))))
    lam = Lam(params, body, "import os")
    code = compile_program(lam, name=HOSTILE_NAME, doc=HOSTILE_DOC)
    tokens = tokenize.generate_tokens(io.StringIO(code.source).readline)
    named = {token.string for token in tokens if token.type == tokenize.NAME}
    assert not {"os", "SystemExit", "raise", "__import__", "print"} & named
    assert code.name == "x____raise_SystemExi"
    formatted(code.source)


def sources():
    def branches(x, a):
        deep = dc.cond(
            x > 1, lambda: np.sum(np.sin(a) * a), lambda: dc.cond(x > 2, lambda: x, lambda: x * x)
        )
        return dc.fold(lambda c, r: dc.cond(r > deep, lambda: c * r, lambda: c + np.exp(r)), 0.5, a)

    for function, *args in of_long_lines():
        yield emitted(function, *args)
    yield emitted(branches, 0.3, np.ones(3))
    yield emitted(lambda x: np.array([1.0, np.inf, -0.5, np.nan]) * x, 2.0)
    yield emitted(lambda x: fun(lambda f: f(f(x)), Fun(Real, Real))(fun(np.sin, Real)), 2.0)
    for f, *args in networks():
        yield dc.grad(f).source("jax", *args)
        yield emitted(f, *args)


def test_the_text_is_formatted_and_deterministic():
    first, second = (list(sources()) for _ in range(2))
    assert first == second
    formatted(*first)


def test_it_says_whether_numbers_have_64_bits():
    narrow = dc.fun(lambda x: np.sum(x * x) * 0.1, Tensor((3,), "float32"))
    assert "x64" not in narrow.source("jax")
    assert "x64" not in dc.grad(narrow).source("jax")
    assert 'jax.config.update("jax_enable_x64", True)' in dc.fun(np.sin, Real).source("jax")
    mixed = dc.fun(lambda x: np.sin(x.astype(float)).astype(np.float32), Tensor((3,), "float32"))
    assert "x64" in mixed.source("jax")


def test_names_are_the_users():
    def distance(left, right):
        gap = left - right
        return np.sqrt(np.sum(gap * gap))

    source = dc.fun(distance).source("jax", np.ones(3), np.ones(3))
    assert "def distance(left, right):" in source
    assert "def d_distance(left, right):" in dc.grad(distance).source("jax", np.ones(3), np.ones(3))


def test_what_several_primitives_are_is_recognised():
    x = np.ones((3, 4))
    assert "_softmax(" in dc.grad(lambda x: np.sum(dc.logsumexp(x, 1))).source("jax", x)
    assert "_others(" in dc.grad(lambda x: np.prod(x)).source("jax", x)


def test_cotangents_of_known_factors_are_plain_products():
    source = dc.grad(lambda x: np.sum(0.5 * x + x / 3.0)).source("jax", np.ones(3))
    assert "scale" not in source


def test_what_is_not_of_first_order_is_named():
    f, x, p = Var("f", Fun(Real, Real)), Var("x", Real), Var("p", Tensor((), bool))
    with pytest.raises(MissingRule, match="a parameter or the result holds Real ⇒ Real"):
        compile_program(Lam((f, x), App(f, x)))
    identity = Lam((x,), x)
    with pytest.raises(MissingRule, match="a conditional holds Real ⇒ Real"):
        compile_program(Lam((p, x), App(Cond(p, identity, Lam((x,), prim("sin", x))), x)))
    step = Lam((f, x), f)
    with pytest.raises(MissingRule, match="a fold holds Real ⇒ Real"):
        compile_program(Lam((x,), App(Prim(FOLD, (step, identity, const(np.ones(2)))), x)))


def test_what_has_no_code_says_so():
    @dc.primitive(derivative=lambda v, x, y: v)
    def unheard_of_by_xla(x):
        return x + 1.0

    with pytest.raises(MissingRule, match="unheard_of_by_xla"):
        emitted(lambda x: unheard_of_by_xla(x), 1.0)


def test_programs_that_raise_are_not_of_xla():
    checked = dc.fun(lambda a, i: a[i] // 3, checked=True)
    with pytest.raises(MissingRule, match="cannot raise where it runs"):
        checked.source("jax", np.arange(3), 1)


def test_indices_are_written_as_numpy_has_them():
    source = emitted(lambda a, i: (a[0], a[:, 1], a[2, 2], a[::-1], a[i]), np.ones((3, 3)), 1)
    assert "return a[0], a[:, 1], a[2, 2], a[::-1], " in source
    assert "_take(a, i)" in source


def test_builds_are_bulk_operations():
    def product(a, b):
        def element(i, j):
            return np.sum(dc.build(3, lambda k: a[i, k] * b[k, j]))

        return dc.build((4, 5), element)

    source = dc.fun(product).source("jax", np.ones((4, 3)), np.ones((3, 5)))
    assert "a @ b" in source
    assert "vmap" not in source
    assert "jnp.arange(5, dtype=jnp.int64)" in dc.fun(lambda: dc.iota(5)).source("jax")


def test_a_checkpointed_loop_runs_again_where_xla_cannot_merge_it():
    fold = lambda x, xs: dc.fold(lambda c, r: np.sin(c * r), x, xs, checkpoint=3)
    source = dc.grad(fold).source("jax", 0.5, np.ones(12))
    forwards, backwards = source.split("def step3(dc, row)")
    assert forwards.count("lax.scan(") == 2
    assert backwards.count("lax.scan(") == 3  # in rounds of a loop of its own


def test_depth():
    assert compile_program(many_lets(20_000)).source.count("\n") > 20_000
    for lam in (nested_choices(100), nested_folds(100)):
        source = compile_program(lam).source
        compile(source, "emitted", "exec")
        assert max(len(line) - len(line.lstrip()) for line in source.splitlines()) <= 24


def test_a_type_that_is_a_dag():
    lam = Lam((), first_leaf(plus(zero(DEEP), zero(DEEP))))
    assert len(compile_program(lam).source) < 1000
