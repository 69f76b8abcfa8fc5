"""Planted bugs: what is found is tiny."""

import pytest

from combinators.literal import Literal
from combinators.morphisms import (
    Choice,
    Constant,
    Curry,
    Eval,
    Id,
    Primitive,
    Projection,
    interpret,
    prod,
)
from combinators.objects import Fun, Product, Real, components
from combinators.operation import Operation, named
from laws.asking.checking import check, check_law
from laws.asking.features import nodes
from laws.asking.instance import Instance
from laws.asking.replaying import Recorded, simplest
from laws.asking.scene import Scene
from laws.asking.shrinking import smaller
from laws.language.operators import Image
from laws.language.variables import Generator, Variable
from laws.law import Law
from laws.models.free import Free
from laws.structures.category import CATEGORY
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
