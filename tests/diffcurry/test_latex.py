"""How notebooks show functions."""

import numpy as np

import diffcurry as dc
from combinators.objects import Product, Real, Record, Tensor, Unit
from diffcurry.formula import MOST_LINES, latex


def shown(function, *types, name="f"):
    return latex(dc.fun(function, *types).program().lam, name)


def test_a_formula_in_one_line():
    found = shown(lambda x, w_1: np.sin(x * w_1) / w_1, Real, Real)
    assert found == r"$\displaystyle f(x, w_{1}) = \frac{\sin{\left(w_{1} x \right)}}{w_{1}}$"


def test_names_of_functions():
    assert shown(lambda x: x, Real, name="my_loss").startswith(
        r"$\displaystyle \operatorname{my\_loss}(x) ="
    )
    assert shown(lambda x: x, Real, name="<lambda>").startswith(r"$\displaystyle f(x) =")


def test_a_program_without_a_name_is_f():
    found = dc.fun(lambda x: x, Real).program().latex()
    assert found == r"$\displaystyle f(x) = x$"


def test_containers():
    found = shown(lambda p: {"a_b": p[0], "c": (p[1]["z"], None)}, Product(Real, Record(z=Real)))
    assert found == (
        r"$\displaystyle f(p) = \left\{\text{a\_b}: p_{0}, "
        r"\text{c}: \left(p_{1 z}, \left(\right)\right)\right\}$"
    )
    assert shown(lambda x: (), Real) == r"$\displaystyle f(x) = \left(\right)$"


def test_conditionals_and_matrices():
    found = shown(lambda x, a: (dc.cond(x > 0, lambda: x, lambda: 1.0), a), Real, Tensor((1, 2)))
    assert r"\begin{cases} x & \text{for}\: x > 0" in found
    assert r"\left[\begin{matrix}a_{0 0} & a_{0 1}\end{matrix}\right]" in found


def chained(count):
    def function(x):
        for _ in range(count):
            x = np.sin(x) * x
        return x

    return function


def test_definitions_stand_below():
    found = shown(chained(20), Real)
    assert found.startswith(r"$\displaystyle \begin{aligned}f(x) &= ")
    assert r" \\ v_{1} &= x \sin" in found
    assert "vdots" not in found
    assert found.endswith(r"\end{aligned}$")


def test_what_is_huge_is_cut():
    found = shown(chained(400), Real)
    assert found.count(r"\\ v_") == MOST_LINES
    assert r"&\;\;\vdots" in found
    assert shown(lambda a: a, Tensor((40, 40))) == r"$\displaystyle f(a) = \ldots$"


def test_what_has_no_formula():
    assert shown(chained(600), Real) is None
    assert shown(lambda x: dc.fold(lambda c, i: c * x, 1.0, np.zeros(100)), Real) is None


def test_a_parameter_of_nothing():
    assert shown(lambda x, u: x, Real, Unit) == r"$\displaystyle f(x, u) = x$"
