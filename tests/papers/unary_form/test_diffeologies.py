"""000, Definition 6.3: what is asked of plots of every type of Target, on random programs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from combinators.objects import Fun, Product, Real
from combinators.operation import Operation, named
from combinators.terms import Cond, Lam, Tuple, Var, const, packed
from combinators.type_folds import columns_of
from interpreters.carriers.duals import Duals
from interpreters.carriers.numpy import NumPy
from papers.unary_form.diffeologies import is_plot
from papers.unary_form.languages import ADD, COS, MAP2, fun, meaning, op, plus, times, types_of
from papers.unary_form.reverse import D
from tests.papers.unary_form.programs import ARRAYS, terms

U = (Var("u", Real), Var("w", Real))
WHOLE = packed(types_of(ARRAYS))


def plot(t, gamma=U):
    """A program with numbers for variables."""
    kinds = {NumPy: NumPy(), Duals: Duals(NumPy())}
    run = cache(lambda kind: meaning(gamma, t, kinds[kind]))
    return lambda over, u: run(type(over))(*u)


def constant(t):
    p = plot(t, ())
    return lambda over, u: p(over, ())


def moving(obj, scale=1.0):
    """A program ``U → τ``."""
    if isinstance(obj, Fun):
        return fun(columns_of(obj.dom), lambda *xs: plus(Tuple(xs), moving(obj.cod)), "y" * 9)
    if columns_of(obj) is not None:
        return Tuple(tuple(moving(part, scale + i) for i, part in enumerate(columns_of(obj))))
    number = op(ADD, op(COS, times(U[0], const(scale))), times(*U))
    if obj is Real:
        return number
    row = fun((Real, Real), lambda a, b: times(a, number))
    return op(MAP2, row, *[const(np.linspace(-1.0, 2.0, *obj.shape))] * 2)


def holds(p, obj, u, v=(1.0, 0.5)):
    return is_plot(p, obj, (u, v), lambda other: [plot(moving(other))])


points = st.tuples(*[st.sampled_from([-0.75, 0.3, 1.25])] * 2)


@given(terms(), points)
def test_a_program_sends_plots_to_plots(e, u):
    assert holds(constant(Lam(ARRAYS, e)), Fun(WHOLE, e.type), u)


@given(terms(depth=1), points)
def test_so_does_what_d_gives_whose_arguments_and_values_are_functions(e, u):
    Y = Var("Y", Fun(WHOLE, WHOLE))
    derived = Lam((*ARRAYS, Y), D(ARRAYS, Y, e))
    assert holds(constant(derived), derived.type, u)
    assert holds(plot(moving(Y.type)), Y.type, u)


@given(terms(depth=2), points)
def test_constants_are_plots_and_so_is_a_plot_after_a_smooth_function(e, u):
    f, p = plot(moving(Product(Real, Real))), plot(moving(WHOLE))
    for made in (constant(const(np.ones(4))), lambda over, u: p(over, f(over, u))[1]):
        assert holds(made, ARRAYS[1].type, u)


def magnitude(x):
    below = op(Operation(named("less")), x, const(0.0))
    return Cond(below, op(Operation(named("negative")), x), x)


@pytest.mark.parametrize("seam", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("u", [-1.0, 0.5, 2.0])
def test_plots_that_agree_where_they_meet_are_one(seam, u):
    """``x²`` below 1 and ``x |x|`` above 0, which agree between."""
    x = U[0]
    before = op(Operation(named("less")), x, const(seam))
    glued = Cond(before, times(x, x), times(x, magnitude(x)))
    assert holds(plot(glued), Real, (u, 0.0))


def test_what_is_not_smooth_is_no_plot_and_sends_some_plot_to_none():
    x = U[0]
    assert not holds(plot(magnitude(x)), Real, (0.0, 1.0))
    assert not holds(constant(Lam((x,), magnitude(x))), Fun(Real, Real), (1.0, -np.cos(1.0)))
    assert holds(plot(magnitude(x)), Real, (1.0, 1.0))
