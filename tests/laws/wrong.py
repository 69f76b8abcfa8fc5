"""Categories that are each wrong in one combinator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.errors import NotComposable
from combinators.literal import Literal
from combinators.morphisms import Compose, Constant, Morphism, Primitive, compose, prod
from combinators.morphisms import Projection as Proj
from combinators.objects import Product, Real, Tensor, components
from combinators.operation import Operation, named
from combinators.primitives.loops import FOLD, FOLD_BACKWARDS, MAP
from diffcurry.models.programs import Programs
from interpreters.carriers.fractions import Fractions
from laws.free import Free


def scaled(arrow: Morphism, factor: float) -> Morphism:
    """Every number of ``arrow`` times as much."""
    return PROGRAMS.scale(Constant(arrow.dom, Literal(factor)), arrow, arrow.dom, arrow.cod)


def shifted(arrow: Morphism) -> Morphism:
    """Every number of ``arrow`` and one more."""
    return PROGRAMS.add(arrow, ones(arrow.dom, arrow.cod), arrow.dom, arrow.cod)


def ones(dom: Any, cod: Any) -> Morphism:
    product = components(cod)
    if product is not None:
        return prod(dom, *(ones(dom, part) for part in product.parts))
    return Constant(dom, Literal(np.ones(cod.shape)))


def flipped(arrow: Morphism) -> Morphism:
    """The negative, of one number."""
    negative = Primitive(Operation(named("negative")), (Real,))
    return compose(arrow, negative) if arrow.cod is Real else arrow


PROGRAMS = Programs(Fractions())


class ScaledIdentity(Free):
    def identity(self, dom):
        made = super().identity(dom)
        return scaled(made, 2.0) if is_numbers(dom) else made


class Bracketed(Free):
    """As often as the first of all has steps."""

    def compose(self, arrows):
        made = super().compose(arrows)
        first = arrows[0]
        steps = len(first.arrows) if isinstance(first, Compose) else 1
        return scaled(made, steps) if is_numbers(made.cod) else made


class Untyped(Free):
    def compose(self, arrows):
        try:
            return super().compose(arrows)
        except NotComposable:
            return arrows[0]


class FlippedPairs(Free):
    """The last of several is of another sign where they start from a number."""

    def prod(self, dom, arrows):
        if dom is Real and len(arrows) > 1:
            arrows = [*arrows[:-1], flipped(arrows[-1])]
        return super().prod(dom, arrows)


class FlippedProjections(Free):
    def proj(self, dom, index, cod):
        made = super().proj(dom, index, cod)
        return flipped(made) if index else made


class SwappedProjections(Free):
    def proj(self, dom, index, cod):
        return super().proj(dom, 1 - index if is_twice(dom) else index, cod)


class SeenConstant(Free):
    def const(self, dom, value):
        if dom is not Real:
            return super().const(dom, value)
        return super().const(dom, Literal(value.array + np.ones((), value.array.dtype)))


class Forgetful(Free):
    """A λ takes zero for the first numbers that it captures."""

    def curry(self, captured, function, body, label):
        made = super().curry(captured, function, body, label)
        if not captured.width or not is_numbers(captured.parts[0]):
            return made
        first, *others = (Proj(captured, index) for index in range(captured.width))
        return prod(captured, scaled(first, 0.0), *others) >> made


class ScaledCalls(Free):
    def eval(self, function):
        made = super().eval(function)
        return scaled(made, 2.0) if function.cod is Real else made


class ScaledBranch(Free):
    def cond(self, dom, then, other):
        return super().cond(dom, flipped(then), other)


class SwappedBranches(Free):
    def cond(self, dom, then, other):
        if then.dom is Real:
            then, other = other, then
        return super().cond(dom, then, other)


class OneBranch(Free):
    def cond(self, dom, then, other):
        return super().cond(dom, then, then)


class Loops(Free):
    """A loop that is changed, one way or the other."""

    def __init__(self, change: Callable[[Operation, Morphism], Morphism]) -> None:
        self.change = change

    def primitive(self, operation, dom, cod):
        return self.change(operation, super().primitive(operation, dom, cod))


def from_the_right(operation: Operation, loop: Morphism) -> Morphism:
    return Primitive(FOLD_BACKWARDS, loop.dom.parts) if operation == FOLD else loop


def never_backwards(operation: Operation, loop: Morphism) -> Morphism:
    return Primitive(FOLD, loop.dom.parts) if operation == FOLD_BACKWARDS else loop


def one_more(operation: Operation, loop: Morphism) -> Morphism:
    return shifted(loop) if operation == FOLD and is_numbers(loop.cod) else loop


def shifted_map(operation: Operation, loop: Morphism) -> Morphism:
    return shifted(loop) if operation == MAP and loop.cod is Tensor((3,)) else loop


def is_numbers(obj: Any) -> bool:
    product = components(obj)
    if product is not None:
        return all(map(is_numbers, product.parts))
    return isinstance(obj, Tensor) and obj.is_smooth


def is_twice(obj: Any) -> bool:
    return isinstance(obj, Product) and obj.width == 2 and obj.parts[0] is obj.parts[1]
