"""The paper's measures and its Source language; the law and the theorem, with numbers."""

import re

import numpy as np
import pytest

import diffcurry as dc
from combinators.objects import Real, Tensor
from interpreters.cost import OutsideSource, certificate, measured, nesting

XS = np.ones(3)


def lam(function, *args):
    return dc.fun(function).program(*args).lam


def test_scalars_cost_as_in_figure_11():
    # x*y: (3,0,1,0) and two variables; sin x: (2,0,0,1) and one; +: (3,1,0,0)
    assert measured(lam(lambda x, y: x * y + np.sin(x), 1.0, 2.0)) == (5 + 3 + 3, 1, 1, 1, True)


def doubled_and_squared(x):
    v = x * 2.0
    return v * v


def test_lets_projections_and_constants_move_one_number():
    # (v, c) = (x * 2, v * v): the let 1, x 1, 2 1, * 3; v v * 5
    assert measured(lam(doubled_and_squared, 1.0)).moves == 1 + 5 + 5
    assert measured(lam(lambda p: p[0] * p[1], (1.0, 2.0))).moves == 3 + 2 * (1 + 1)


def test_an_operation_on_arrays_is_a_map2_and_a_fold_a_reduce():
    # map2: 3 * (Cost(x * y) + 2) and both arrays
    assert measured(lam(lambda a, b: a * b, XS, XS))[:4] == (3 * (5 + 2) + 2, 0, 3, 0)
    # map: 3 * Cost(sin x) and the array
    assert measured(lam(np.sin, XS))[:4] == (3 * 3 + 1, 0, 0, 3)
    # reduce: 3 * (Cost(x + y) + 2), the unit and the array
    reduced = measured(lam(lambda a: dc.fold(lambda c, x: c + x, 0.0, a), XS))
    assert reduced[:4] == (3 * (5 + 2) + 2, 3, 0, 0)
    assert measured(lam(np.sum, XS)) == reduced


@pytest.mark.parametrize(
    ("program", "deep"),
    [
        ((lambda x, y: x * y + np.sin(x), 1.0, 2.0), 0),
        ((lambda a, b: np.sum(a * b), XS, XS), 1),
        ((lambda a: np.prod(np.exp(a) * 2.0), XS), 1),
        ((lambda a, b: np.sum(dc.map(lambda r: np.sin(r[0]) * r[1], (a, b))), XS, XS), 1),
        ((lambda a: np.sum(dc.map(lambda x: np.sum(a * x), a)), XS), 2),
        ((lambda a: dc.fold(lambda c, x: x * c, 1.0, a), XS), 1),
    ],
)
def test_programs_of_source_and_how_deep_their_array_operations_nest(program, deep):
    function, *args = program
    assert nesting(lam(function, *args)) == deep


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ((lambda x: x / 2.0, 1.0), "divide is no operation"),
        ((np.log, 1.0), "log is no operation"),
        ((lambda a: a * 2.0, XS), "its result is Tensor[3]"),
        ((lambda a: np.sum(a * np.array([1.0, 2.0, 3.0])), XS), "an array that is a constant"),
        ((lambda x: dc.floor_divide(7, 2) * x, 1.0), "it holds Int, and Source has reals"),
        ((lambda a: np.sum(a), np.ones((2, 2))), "it holds Tensor[2, 2]"),
        ((lambda a: dc.fold(lambda c, x: c * x + x, 1.0, a), XS), "it folds with a function"),
        ((lambda a: dc.fold(lambda c, x: c + x, 1.0, a), XS), "it folds with a function"),
        ((lambda x: dc.cond(x > 0.0, lambda: x, lambda: -x), 1.0), "greater is no operation"),
        ((lambda x: dc.fun(lambda y: y * x, Real)(x), 1.0), "it holds a function"),
        ((lambda p: p["w"] * 2.0, {"w": 1.0}), "it holds {w: Real}"),
        ((lambda x, unused: x * x, 1.0, 3), "it holds Int"),
        ((lambda x, unused: x * x, 1.0, np.ones((2, 2))), "it holds Tensor[2, 2]"),
    ],
)
def test_programs_outside_source_say_why(program, why):
    function, *args = program
    with pytest.raises(OutsideSource, match=re.escape(why)):
        nesting(lam(function, *args))


def dot(a, b):
    return np.sum(a * b)


def test_the_certificate_of_dot():
    found = certificate(
        lam(dot, XS, XS),
        lam(lambda a, b: (np.sum(a * b), (b, a)), XS, XS),
        lam(lambda a, b: (b, a), XS, XS),
    )
    law, theorem = found.bounds
    assert (law.left, law.right) == (6, 5 * 6 + 1 + 6)
    assert (theorem.left, theorem.right) == (2, 4 * 3 * (23 + 3 + 22 + 3 + 2) + 6)
    assert found.holds
    assert found.exact
    assert found.ratio == 1.0
    assert (
        "law K1: ops(f, ∇f) ≤ 5·ops(f) + size(ȳ) + size(Γ)\n  6 ≤ 37 = 5·6 + 1 + 6: holds"
        in str(found)
    )
    assert "<pre>" in found._repr_html_()
    assert "&lt;lambda" not in found._repr_html_()


def test_a_gradient_that_is_too_dear_does_not_hold():
    def wasteful(a, b):
        x = a
        for _ in range(20):
            x = np.sin(x)
        return np.sum(a * b), (b, x)

    found = certificate(lam(dot, XS, XS), lam(wasteful, XS, XS))
    assert not found.holds
    assert [bound.holds for bound in found.bounds] == [False, True]
    assert "does NOT hold" in str(found)


def test_a_program_that_divides_is_granted_more_and_is_outside_source():
    found = certificate(lam(lambda x: 1.0 / x, 1.0), lam(lambda x: (1.0 / x, -1.0 / x / x), 1.0))
    assert [bound.right for bound in found.bounds] == [6 + 1 + 1]
    (remark,) = found.remarks
    assert remark.endswith("does not speak of this program: divide is no operation of Source")


def test_conditionals_are_held_to_their_dearest_paths():
    def kinked(x):
        return dc.cond(x > 0.0, lambda: x * x, lambda: np.exp(x) + x)

    found = certificate(lam(kinked, 1.0), lam(lambda x: (kinked(x), 1.0 + x), 1.0))
    assert not found.exact
    assert "(at most, along the dearest path of each side)" in str(found)


def test_nothing_is_certified_about_unknown_functions():
    program = lam(lambda k, x: k(x) * x, np.sin, 1.0)
    found = certificate(program, program)
    assert (found.bounds, found.holds) == ((), False)
    assert "give them as arguments" in str(found)


def test_functions_that_are_made_inside_cannot_be_given():
    def tower(x):
        start = dc.fun(lambda y: y * x, Real)
        twice = dc.fold(lambda f, z: dc.fun(lambda y: f(f(y)) * z, Real), start, XS)
        return twice(x)

    report = dc.fun(tower).cost(Real)
    (remark,) = report.certificate.remarks
    assert report.gradient.unknown
    assert remark.startswith("no bound at types: it depends on functions that are made inside")
    assert dc.fun(tower).cost(1.0).certificate.bounds


def test_a_free_program_has_no_ratio():
    program = dc.fun(lambda a: a[0], Tensor((3,))).program().lam
    gradient = dc.fun(lambda a: (a[0], a), Tensor((3,))).program().lam
    found = certificate(program, gradient)
    assert np.isnan(found.ratio)
    assert ": – for one" in str(found)
    assert found.bounds[0].right == 4


def test_rounds_that_only_hand_numbers_on_count_what_they_pass():
    """The program adds three numbers; its gradient sums cotangents in every round."""
    v = Tensor((3,))
    idle = lambda v: np.sum(dc.fold(lambda c, _: v, v, np.arange(30)))
    found = dc.fun(idle, v).cost().certificate
    (bound, *_) = found.bounds
    assert "passed(f)" in bound.says
    assert bound.holds
    assert found.gradient.total > 5 * found.program.total
