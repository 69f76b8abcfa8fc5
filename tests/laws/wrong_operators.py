"""Models that are each wrong in one operator: in a sum, a derivative, or what is observed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from combinators.kit.tree import distinct_nodes
from combinators.morphisms import Compose, Morphism, Prod, prod
from combinators.morphisms import Projection as Proj
from combinators.objects import Product, Real, Tensor, Unit, components
from diffcurry.models.host import Hosted
from diffcurry.models.modes import ForwardModel
from diffcurry.models.programs import Programs
from diffcurry.models.reverse import ReverseModel
from interpreters.carriers.fractions import Fractions
from tests.laws.wrong import is_twice, ones, scaled, shifted


class Wrong(Programs):
    """Programs over the rationals, with a category or with operators that are wrong."""

    def __init__(self, category: Any = None) -> None:
        super().__init__(Fractions())
        if category is not None:
            self.category = category


class WrongTypes(Wrong):
    def types(self, arrow):
        return arrow.dom, arrow.dom


class ManyUnits(Wrong):
    def run(self, arrow, point):
        if arrow.cod is Unit and isinstance(arrow, Compose | Prod):
            return (0,)
        return super().run(arrow, point)


class FirstSummand(Wrong):
    def add(self, left, right, dom, cod):
        return left


class Differences(Wrong):
    def add(self, left, right, dom, cod):
        return super().add(left, scaled(right, -1.0), dom, cod)


class FirstSummandSomewhere(Wrong):
    def add(self, left, right, dom, cod):
        return left if dom is Real else super().add(left, right, dom, cod)


class FirstSummandOfPairs(Wrong):
    def add(self, left, right, dom, cod):
        return left if isinstance(cod, Product) else super().add(left, right, dom, cod)


class Ones(Wrong):
    def zero(self, dom, cod):
        return ones(dom, cod)


class OnesSomewhere(Wrong):
    def zero(self, dom, cod):
        return ones(dom, cod) if dom is Real else super().zero(dom, cod)


class OnesOfPairs(Wrong):
    def zero(self, dom, cod):
        return ones(dom, cod) if isinstance(cod, Product) else super().zero(dom, cod)


@dataclass
class Derived(Wrong):
    """A derivative that is changed afterwards, of an arrow that may have been changed before."""

    which: str
    change: Callable[[Morphism, Morphism], Morphism]

    def __post_init__(self) -> None:
        super().__init__()

    def D(self, arrow, dom, cod):
        made = super().D(arrow, dom, cod)
        return self.change(arrow, made) if self.which == "D" else made

    def R(self, arrow, dom, cod):
        made = super().R(arrow, dom, cod)
        return self.change(arrow, made) if self.which == "R" else made


def twice(arrow: Morphism, derivative: Morphism) -> Morphism:
    return scaled(derivative, 2.0)


def and_one(arrow: Morphism, derivative: Morphism) -> Morphism:
    return shifted(derivative)


def by_size(arrow: Morphism, derivative: Morphism) -> Morphism:
    """More for larger programs."""
    return scaled(derivative, float(sum(1 for _ in distinct_nodes(arrow, kind=Morphism))))


def into_pairs(arrow: Morphism, derivative: Morphism) -> Morphism:
    """Zero where the arrow goes into a pair."""
    product = components(arrow.cod)
    return derivative if product is None or product.width != 2 else scaled(derivative, 0.0)


def crossed_vectors(arrow: Morphism, derivative: Morphism) -> Morphism:
    """Along ``(w, v)`` instead of ``(v, w)``."""
    dom = arrow.dom
    if not is_twice(dom):
        return derivative
    point, vector = Proj(derivative.dom, 0), Proj(derivative.dom, 1)
    return prod(derivative.dom, point, vector >> swapped(dom)) >> derivative


def crossed_results(arrow: Morphism, derivative: Morphism) -> Morphism:
    """``(w, v)`` instead of ``(v, w)``."""
    return derivative >> swapped(derivative.cod) if is_twice(derivative.cod) else derivative


def swapped(obj: Product) -> Morphism:
    return prod(obj, Proj(obj, 1), Proj(obj, 0))


def moved(value: Any, obj: Any) -> Any:
    """A value with one more in each of its numbers."""
    product = components(obj)
    if product is not None:
        return tuple(map(moved, value, product.parts))
    return value + 1 if isinstance(obj, Tensor) and obj.is_smooth else value


class OneMore(ForwardModel):
    """What tangents of functions give, and one."""

    def at(self, vector, argument, dom, function):
        made = super().at(vector, argument, dom, function)
        return Hosted(made.dom, made.cod, lambda point: moved(made.at(point), made.cod))


class Late(ForwardModel):
    """Functions taken for tangents give one more."""

    def along(self, arrow, dom, function):
        made = super().along(arrow, dom, function)

        def at(point):
            tangent = made.at(point)
            return lambda argument: moved(tangent(argument), function.cod)

        return Hosted(made.dom, made.cod, at)


class OtherValues(ReverseModel):
    @property
    def ways(self):
        def primal(program):
            made = self._primal(program)
            return Hosted(made.dom, made.cod, lambda point: moved(made.at(point), made.cod))

        return {"primal": primal}


class FirstVector(ReverseModel):
    def accumulate(self, vectors, obj):
        return super().accumulate(vectors[:1], obj)


class Remainder(ReverseModel):
    def accumulate(self, vectors, obj):
        return moved(super().accumulate(vectors, obj), obj)
