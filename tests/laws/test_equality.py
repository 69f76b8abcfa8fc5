"""What is equal, how that is told, and how far floats may be apart."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from combinators.kit.quotient import Quotient
from combinators.literal import Literal
from combinators.morphisms import Constant, Id, Primitive, prod
from combinators.objects import Fun, Product, Real, Tensor, Unit
from combinators.operation import Operation, named
from interpreters.carriers.numpy import NumPy
from laws.equality import IllConditioned, Level, equal, precision
from laws.language import Generator, Image, Variable
from laws.law import Law
from laws.observation import Probes, compare, has_room, is_not_zero, leaves
from laws.scene import Instance, Scene
from laws.structures.categories import CATEGORY
from tests.laws.values import Values

x, y = sp.symbols("x y", real=True)


@pytest.mark.parametrize(
    ("a", "b", "same", "level"),
    [
        (Id(Real), Id(Real), True, Level.NORMAL),
        (Id(Real), Id(Unit), False, Level.NORMAL),
        (Fraction(1, 3), Fraction(2, 6), True, Level.EXACT),
        (np.array([1, 2]), np.array([1, 2]), True, Level.EXACT),
        (np.array([1, 2]), np.array([[1, 2]]), False, Level.EXACT),
        (True, False, False, Level.EXACT),
        (
            Quotient.of_calls([(1.0, 2.0)]),
            Quotient.of_calls([(1.0, 1.0), (1.0, 1.0)]),
            True,
            Level.QUOTIENT,
        ),
        (x + y, y + x, True, Level.EXACT),
        ((x + 1) ** 2, x**2 + 2 * x + 1, True, Level.EXPANDED),
        (sp.sin(x) ** 2 + sp.cos(x) ** 2, sp.Integer(1), True, Level.SAMPLED),
        (sp.sin(x), sp.cos(x), False, Level.SAMPLED),
        (sp.log(x), sp.log(x) + sp.Rational(1, 10**15), False, Level.SAMPLED),
        (np.float64(0.1) + 0.2, 0.3, True, Level.FLOAT),
        (0.3, 0.3 + 1e-12, False, Level.FLOAT),
        (float("nan"), np.float64("nan"), True, Level.FLOAT),
        (float("inf"), -float("inf"), False, Level.FLOAT),
        (np.float32(0.1) + np.float32(0.2), np.float32(0.3), True, Level.FLOAT),
        (np.zeros(0), np.zeros((0, 2)), False, Level.FLOAT),
    ],
)
def test_leaves(a, b, same, level):
    assert equal(a, b) == (same, level)


def test_outcomes_differ_where_they_have_other_places():
    assert compare([("value", 1)], [("value", 1)]) == (None, Level.EXACT)
    difference, _ = compare([("value[0]", 1)], [("value[0]", 1), ("value[1]", 2)])
    assert difference == ("value[1]", "nothing", 2)


class Floats(Values):
    carrier = NumPy()

    def __init__(self, way=lambda arrow: arrow):
        from combinators.morphisms import interpret

        self.ways = {"way": lambda arrow: interpret(way(arrow), self)}


A, B = Variable("A"), Variable("B")
f = Generator("f", A, B)
SAME = Law("same", "the way changes nothing", Image("way", f), f, CATEGORY, "here")
PAIR = Product(Real, Real)


def scene(left, right, point):
    """``left`` and ``right`` as the two sides, over floats."""
    instance = Instance({A: right.dom, B: right.cod}, {f: right})
    model = Floats(lambda arrow: left if arrow is right else arrow)
    return Scene(
        SAME, model, instance, prod(Unit, *(Constant(Unit, Literal(p)) for p in point)), NONE
    )


NONE = Probes(lambda obj: Id(obj), lambda obj: None)


def op(name, *parts):
    return prod(parts[0].dom, *parts) >> Primitive(Operation(named(name)), (Real, Real))


def pi(index):
    from combinators.morphisms import Projection

    return Projection(PAIR, index)


def const(number):
    return Constant(PAIR, Literal(number))


def test_cancellation_is_forgiven():
    """``(x + y) - x`` loses what is far smaller than x."""
    back = op("subtract", op("add", pi(0), pi(1)), pi(0))
    difference, level = scene(pi(1), back, (1e3, 0.1)).verdict()
    assert (difference, level) == (None, Level.FLOAT)


def test_a_small_error_that_is_none_of_roundings_is_not():
    product = op("multiply", pi(0), pi(1))
    wrong = op("multiply", product, const(1 + 1e-9))
    difference, _ = scene(wrong, product, (1.5, 2.0)).verdict()
    assert difference is not None


def test_where_a_branch_turns_on_a_rounding_nothing_is_compared():
    from combinators.morphisms import Choice
    from combinators.objects import Bool

    def sign_of(number):
        test = prod(PAIR, number, const(0.0)) >> Primitive(Operation(named("less")), (Real, Real))
        return prod(PAIR, test, Id(PAIR)) >> Choice(const(1.0), const(2.0))

    third = op("subtract", op("subtract", op("add", pi(0), pi(1)), pi(0)), pi(1))
    with pytest.raises(IllConditioned):
        scene(sign_of(const(0.5)), sign_of(third), (0.1, 0.25)).verdict()
    assert Bool


def test_single_precision_is_compared_by_its_own_roundings():
    single = Tensor((), "float32")
    arrow = Id(Product(single))
    instance = Instance({A: arrow.dom, B: arrow.cod}, {f: arrow})
    one = prod(Unit, Constant(Unit, Literal(np.float32(1.5))))
    assert (
        precision(Scene(SAME, Floats(), instance, one, NONE).constants) == np.finfo(np.float32).eps
    )


def test_functions_are_told_apart_by_applying_them():
    probes = Probes(lambda obj: Constant(Unit, Literal(2.0)), lambda obj: None)
    model = Values()
    found = dict(leaves(model, Fun(Real, Real), lambda number: number + 1, probes))
    assert found == {"value(…)": 3}
    assert probes.features() == {"function"}


def test_the_pullback_of_a_call_is_seen_but_not_what_was_captured():
    class Reverse(Values):
        def observe(self, cod, outcome, probes):
            yield from leaves(self, cod, outcome, probes)
            yield "pullback(…)[0].captured", 9
            yield "pullback(…)[1]", 4

    probes = Probes(lambda obj: Constant(Unit, Literal(2.0)), lambda obj: None)
    found = dict(leaves(Reverse(), Fun(Real, Real), lambda number: number, probes))
    assert found == {"value(…)": 2, "value(…).pullback(…)[1]": 4}


def test_covectors_that_can_be_nothing_but_zero_have_no_room():
    assert has_room(Product(Tensor((0,)), Real))
    assert not has_room(Product(Tensor((0,)), Tensor((), "int64")))
    assert is_not_zero((None, Literal(1.0)))
    assert not is_not_zero([(Id(Unit), Literal(0.0))])
