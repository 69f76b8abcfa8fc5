"""Figures 9 to 11 of 003: rules that keep the meaning, a measure that falls, and Theorem 5.1."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import diffcurry as dc
from combinators.bulk import EQUATIONS, bulk, has_map
from combinators.kit.tree import distinct_nodes
from combinators.terms import Prim
from interpreters.carriers.numpy import NumPy
from papers.dual_numbers import bulk_rules
from papers.dual_numbers.bulk_rules import normal_form, steps
from papers.dual_numbers.core_language import Form, evaluate, form, lam, var
from papers.plain_functions import evaluated
from tests.papers.dual_numbers.core_terms import INPUTS, core_terms, house_function, points
from tests.papers.dual_numbers.measure import measure

NAMES = tuple(name for name, _ in INPUTS)
a, b, i, j = var("a", 3), var("b", 2, 3), var("i", of=int), var("j", of=int)
build1 = partial(form, "build1")
hidden, x = var("i′", of=int), var("x")


@given(core_terms((3,)), points())
def test_every_rule_keeps_the_type_and_the_meaning(t, at):
    for name, made in steps(t):
        assert made.type is t.type, name
        np.testing.assert_array_equal(evaluate(made, at), evaluate(t, at))


@given(core_terms((3,)))
def test_the_measure_falls_at_every_step(t):
    while made := list(steps(t)):
        for name, u in made:
            assert measure(u) < measure(t), name
        t = made[len(str(t)) % len(made)][1]


@given(core_terms((2, 3)), points())
def test_a_normal_form_is_one_of_theorem_5_1(t, at):
    made = normal_form(t)
    assert is_normal(made)
    np.testing.assert_array_equal(evaluate(made, at), evaluate(t, at))


@given(core_terms((3,), depth=3))
def test_what_theorem_5_1_calls_normal_has_no_step(t):
    assert is_normal(t) == (next(steps(t), None) is None)


def is_normal(t):
    if isinstance(t, tuple):
        return all(map(is_normal, t))
    match t:
        case Form("build1"):
            return False
        case Form("index", (Form(kind), ix)):
            if kind not in ("x", "c", "scatter", "[]") or not ix or (kind == "[]" and len(ix) > 1):
                return False
    return not isinstance(t, Form) or is_normal(t.args)


@given(core_terms((3,), depth=3), points())
def test_whatever_rule_comes_first_the_normal_forms_mean_the_same(t, at):
    for name, made in steps(t):
        np.testing.assert_array_equal(evaluate(normal_form(made), at), evaluate(t, at), name)


def test_normal_forms_are_not_unique_as_the_paper_says_they_are():
    """Two rules have ``build1 2 (λi. x + x)`` for their left side, and what they give is normal."""
    x = var("x")
    made = [normal_form(u) for _, u in steps(form("build1", 2, lam(var("i", of=int), x + x)))]
    assert [str(u) for u in made] == ["replicate 2 (x + x)", "(replicate 2 x) + (replicate 2 x)"]


@pytest.mark.parametrize(
    "t",
    [
        build1(2, lam(i, form("gather", (2,), a, lam((i,), (i,))))),
        build1(2, lam(i, form("scatter", (2,), a, lam((i,), (i,))))),
        build1(2, lam(i, form("gather", (2,), a, lam((i,), (i + hidden,))))),
        build1(2, lam(i, build1(3, lam(i, b[0, i] * a[i])))),
        build1(3, lam(hidden, build1(2, lam(i, form("let", a[i], lam(x, x * a[hidden])))))),
        build1(2, lam(i, form("let", i + 1, lam(i, a[i] * a[hidden])))),
        form("let", a, lam(var("i", 3), var("i", 3) * a))[i],
    ],
)
def test_no_rule_captures_a_variable_of_the_same_name(t):
    at = {"a": np.array([2.0, 3, 5]), "b": np.array([[1.0, 2, 3], [4, 5, 6]]), "i": 2, "i′": 1}
    for name, made in steps(t):
        np.testing.assert_array_equal(evaluate(made, at), evaluate(t, at), name)
    np.testing.assert_array_equal(evaluate(normal_form(t), at), evaluate(t, at))


@pytest.mark.parametrize(
    ("t", "name", "after"),
    [
        (form("gather", (2,), a, lam((i,), (i,)))[2], "index-gather", 5.0),
        (form("replicate", 2, x)[2], "index-replicate", 7.0),
    ],
)
def test_out_of_range_the_rules_of_figure_10_give_another_value(t, name, after):
    """The paper asks for a value there, and not for which."""
    at = {"a": np.array([2.0, 3, 5]), "x": 7.0}
    assert evaluate(t, at) == 0.0
    assert {name: evaluate(made, at) for name, made in steps(t)} == {name: after}


def test_a_variable_of_figure_11_is_not_the_one_that_is_built():
    """As printed, the rule would take ``i`` out of its scope; the paper does not say so."""
    i = var("i", of=int)
    made = [name for name, _ in steps(form("build1", 2, lam(i, i[()])))]
    assert made == ["index-nothing"]


def test_the_rules_are_those_that_the_fast_transform_names():
    """The last of Fig. 10, of a gather without variables, is part of another there."""
    written = Path(bulk_rules.__file__).read_text()
    names = set(re.findall(r'"((?:build1|index)-[\w-]+)"', written))
    named = {equation.name for equation in EQUATIONS if equation.figure.startswith("Fig.")}
    names |= {"build1-gather", "build1-scatter", "index-cond"}
    names |= {f"build1-index-{end}" for end in bulk_rules.ENDS.values()}
    assert names == named | {"index-gather-nothing"}


@given(core_terms((3,), depth=3), points())
def test_the_fast_transform_agrees_with_the_normal_form(t, at):
    """In meaning; and in form, in that nothing is left that is built element by element."""
    fast = bulk(lam_of(t))
    assert not has_map(fast)
    expected = evaluate(normal_form(t), at)
    np.testing.assert_array_equal(evaluated(fast, NumPy())(*at.values()), expected)


@pytest.mark.parametrize(
    ("t", "both"),
    [
        (build1(3, lam(i, a[i] * a[2 - i])), ["multiply"]),
        (build1(3, lam(i, b[1, i] + a[i])), ["add"]),
        (
            build1(2, lam(i, form("sumOuter", build1(3, lam(j, b[i, j] * b[i, j]))))),
            ["multiply", "sum"],
        ),
    ],
)
def test_the_fast_transform_and_the_normal_form_compute_with_the_same_operations(t, both):
    """Numbers are moved about by gathers in one, and by slices and takes in the other."""
    fast = [node.operation.name for node in distinct_nodes(bulk(lam_of(t))) if type(node) is Prim]
    literal = ["sum" if name == "sumOuter" else name for name in operations(normal_form(t))]
    for names in (fast, literal):
        assert sorted(name for name in names if name in ("add", "multiply", "sum")) == both


def operations(t):
    if isinstance(t, tuple):
        return [name for part in t for name in operations(part)]
    match t:
        case Form("gather" | "scatter" | "index", args):
            return operations(next(arg for arg in args if isinstance(arg, Form)))
        case Form(kind, args):
            return [args[0] if kind == "op" else kind, *operations(args)]
    return []


def lam_of(t):
    types = [dc.Tensor(shape) for _, shape in INPUTS]
    return dc.fun(house_function(t, NAMES), *types).program().lam
