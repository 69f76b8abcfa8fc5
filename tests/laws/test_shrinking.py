"""Planted bugs: what is found is tiny."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import find

from combinators.errors import WrongAlternative
from combinators.literal import Literal
from combinators.morphisms import (
    Choice,
    Constant,
    Curry,
    Eval,
    Extend,
    Id,
    Primitive,
    Projection,
    Relabel,
    interpret,
    prod,
)
from combinators.objects import Fun, Product, Real, Record, Unit, components
from combinators.operation import Operation, named
from diffcurry.models.modes import PrimalModel
from interpreters.carriers.fractions import Fractions
from interpreters.modes.primal import Primal
from laws.checking import check, check_law
from laws.free import Free
from laws.language import Generator, Image, Variable
from laws.law import Law
from laws.model import Signature
from laws.scene import Instance, Recorded, Scene, nodes, simplest, size
from laws.shrinking import joined, smaller
from laws.strategies import arrows
from laws.structures.categories import CATEGORY
from laws.tally import features
from tests.laws.values import Values

A, B = Variable("A"), Variable("B")
f = Generator("f", A, B)
SAME = Law("same", "the way changes nothing", Image("way", f), f, CATEGORY, "here")


class Backwards(Values):
    def proj(self, dom, index, cod):
        parts = components(dom)
        same = parts and parts.parts[0] is parts.parts[-1]
        return lambda x: x[-1 - index] if same else x[index]


class Swapped(Values):
    def cond(self, dom, then, other):
        return super().cond(dom, other, then)


class Short(Values):
    def fold(self, f, init, xs, reverse, cod):
        return super().fold(f, init, xs[:-1], reverse, cod)


class Recursive(PrimalModel):
    signature = Signature(sums=True, recursion=True)


def test_a_recursive_program_that_is_made_smaller_still_ends():
    model, one = Recursive(Primal(Fractions())), Constant(Unit, Literal(1.0))
    drawn = arrows(model.signature, Product(Real), Real)
    arrow = find(drawn, lambda arrow: features([arrow]) >= {"recursion", "case"}, random=Random(1))
    given = Instance({A: Product(Real), B: Real}, {f: arrow})
    scene = Scene(SAME, model, given, prod(Unit, one), Recorded({}, {}))

    def recurses(scene):
        try:
            value = scene.at(scene.point >> scene.program(f))
        except WrongAlternative:
            return False
        assert isinstance(value, Fraction)
        return "recursion" in features(scene.instance.arrows.values())

    found = smaller(scene, recurses).instance.arrows[f]
    assert size(found) <= size(arrow)


@pytest.mark.parametrize(
    ("model", "law", "most"), [(Backwards, "P1a", 5), (Swapped, "S5a", 5), (Short, "fold-join", 12)]
)
def test_a_wrong_combinator_is_found_and_shown_small(model, law, most):
    (verdict,) = check(model(), only=[law], max_examples=200)
    assert verdict.outcome == "failed"
    assert verdict.counterexample.size <= most


def rewritten(**methods):
    """A way that interprets programs freely, but for some combinators."""
    return lambda arrow: interpret(interpret(arrow, type("Wrong", (Free,), methods)()), Values())


def by_primitive(change):
    def primitive(self, operation, dom, cod):
        types = dom.parts if isinstance(dom, Product) else (dom,)
        return change(operation, types) or Primitive(operation, types)

    return rewritten(primitive=primitive)


def renamed(old, new):
    def change(operation, types):
        return Primitive(Operation(named(new)), types) if operation.name == old else None

    return by_primitive(change)


def first_row(operation, types):
    if operation.name != "slice":
        return None
    window = operation.keywords
    window["step"] = tuple(map(abs, window["step"]))
    window["start"] = tuple(0 for _ in window["start"])
    return Primitive(Operation(operation.primitive, tuple(window.items())), types)


WAYS = {
    "multiply": (renamed("multiply", "add"), 5),
    "subtract": (renamed("subtract", "add"), 8),
    "window": (by_primitive(first_row), 5),
    "choice": (rewritten(cond=lambda self, dom, then, other: Choice(other, then)), 7),
}


class Wayward(Values):
    def __init__(self, way):
        self.ways = {"way": way}


@pytest.mark.parametrize("name", WAYS)
def test_a_wrong_translation_is_found_and_shown_small(name):
    way, most = WAYS[name]
    found = [check_law(SAME, Wayward(way), examples=300, start=start) for start in (1, 2)]
    verdict = min(found, key=lambda v: v.counterexample.size if v.counterexample else 99)
    assert verdict.outcome == "failed", verdict.reason
    assert verdict.counterexample.size <= most


NEGATIVE = Primitive(Operation(named("negative")), (Real,))
BOTH = Product(Real, Real)
ARROWS = {
    "a call": prod(
        Real,
        prod(Real, Id(Real)) >> Curry(Projection(BOTH, 0) >> NEGATIVE),
        Constant(Real, Literal(1.0)),
    )
    >> Eval(Fun(Real, Real)),
    "a choice": prod(Real, Constant(Real, Literal(True)), Id(Real)) >> Choice(Id(Real), NEGATIVE),
    "a sum": prod(Real, NEGATIVE, Id(Real)) >> Primitive(Operation(named("add")), (Real, Real)),
}


@pytest.mark.parametrize("name", ARROWS)
def test_what_a_part_alone_breaks_shrinks_to_that_part(name):
    given = Instance({A: Real, B: Real}, {f: ARROWS[name]})
    scene = Scene(SAME, Values(), given, simplest(Real), Recorded({}, {}))
    less = smaller(scene, lambda scene: NEGATIVE in nodes(scene.instance.arrows[f]))
    assert less.instance.arrows[f] is NEGATIVE


# --- tuples are seen through, and objects shrink

TIMES = Primitive(Operation(named("multiply")), (Real, Real))
THREE = Product(Real, Real, Real)
NAMED, NAMELESS = Record(x=Real), Product(Real)
FIRST, SECOND, THIRD = (Projection(THREE, i) for i in range(3))
CLOSURE = prod(THREE, FIRST) >> Curry(Projection(Product(Real, Real), 0))
WIDE = prod(THREE, FIRST, SECOND, THIRD, CLOSURE)
ONE = Constant(THREE, Literal(1.0))


@pytest.mark.parametrize(
    ("first", "second", "joint"),
    [
        (WIDE, Projection(WIDE.cod, 1), SECOND),
        (WIDE, prod(WIDE.cod, *[Projection(WIDE.cod, 2)] * 2), prod(THREE, THIRD, THIRD)),
        (WIDE, Projection(WIDE.cod, 0) >> NEGATIVE, FIRST >> NEGATIVE),
        (WIDE, Id(WIDE.cod), WIDE),
        (THIRD, Constant(Real, Literal(1.0)), ONE),
        (
            prod(THREE, FIRST),
            Extend(Constant(Product(Real), Literal(1.0))),
            prod(THREE, FIRST, ONE),
        ),
        (SECOND >> prod(Real, Id(Real), NEGATIVE), Projection(BOTH, 1), SECOND >> NEGATIVE),
        (FIRST, NEGATIVE, FIRST >> NEGATIVE),
        (prod(Real, Id(Real)) >> Relabel(NAMELESS, NAMED), Projection(NAMED, 0), Id(Real)),
    ],
)
def test_what_follows_a_tuple_takes_its_components(first, second, joint):
    assert joined(first, second) == joint


def shrunk(arrow, point, breaks):
    given = Instance({A: arrow.dom, B: Real}, {f: arrow})
    scene = Scene(SAME, Values(), given, point, Recorded({}, {}))
    return smaller(scene, breaks)


def test_unused_components_and_their_objects_go():
    square = WIDE >> prod(WIDE.cod, *[Projection(WIDE.cod, 1)] * 2) >> TIMES
    three, two, one = (Constant(Unit, Literal(x)) for x in (3.0, 2.0, 1.0))
    point = prod(Unit, three, two, one)

    def squares(scene):
        found = list(nodes(scene.instance.arrows[f]))
        constant = any(isinstance(node, Constant) for node in found)
        return TIMES in found and not constant and two in nodes(scene.point)

    less = shrunk(square, point, squares)
    assert less.instance.objects == {A: Real, B: Real}
    assert less.instance.arrows[f] == prod(Real, Id(Real), Id(Real)) >> TIMES
    assert less.point == two


def test_of_a_product_the_components_stay_that_matter():
    def uses(scene):
        steps = nodes(scene.instance.arrows[f])
        return len({node.index for node in steps if isinstance(node, Projection)}) == 2

    point = simplest(THREE)
    less = shrunk(prod(THREE, FIRST, THIRD) >> TIMES, point, uses)
    assert less.instance.objects[A] is BOTH
    assert less.point.cod is BOTH


def test_objects_of_a_model_that_casts_stay():
    class Cast(Values):
        cast = None

    given = Instance({A: THREE, B: Real}, {f: THIRD})
    scene = Scene(SAME, Cast(), given, simplest(THREE), Recorded({}, {}))
    assert smaller(scene, lambda _: True).instance.objects[A] is THREE
