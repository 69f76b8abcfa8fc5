"""One instance of a law in one model: both sides run at one point and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError
from combinators.morphisms import Morphism
from combinators.objects import Object
from laws.asking.instance import Instance, Meaning
from laws.comparing.condition import IllConditioned, magnitude, precision, slack
from laws.comparing.equality import (
    Difference,
    Level,
    compare,
    leaves,
    observed,
    point_of,
    value_in,
)
from laws.comparing.probes import Probes
from laws.law import Computed, Law, Side
from laws.model import Leaf, Signature, signature_of


@dataclass(frozen=True)
class Scene:
    """A law in a model at an instance, at a global element ``point`` of the sides' domain."""

    law: Law
    model: Any
    instance: Instance
    point: Morphism
    probes: Probes
    meaning: Meaning = field(init=False, repr=False)
    seen: list[int] = field(init=False, repr=False, default_factory=list)
    """How many numbers and arrays were compared, each time."""

    def __post_init__(self) -> None:
        """What the sides mean here."""
        object.__setattr__(self, "meaning", Meaning(self.model, self.instance))

    def arrow(self, side: Morphism) -> Any:
        """A side as an arrow of the model."""
        return self.meaning(side)

    def program(self, side: Morphism) -> Morphism:
        """A side as an arrow of the free category."""
        return self.meaning.program(side)

    def obj(self, obj: Object) -> Object:
        """An object of the law as it is here."""
        return self.instance.obj(obj)

    def at(self, element: Morphism) -> Any:
        """A global element, as a value of the model."""
        return value_in(self.model, self.model.run(self.arrow(element), ()))

    def outcome(self, side: Side) -> Any:
        """What a side gives."""
        if isinstance(side, Computed):
            return side.value(self)
        return self.model.run(self.arrow(side), point_of(self.model, self.point))

    def observed(self, side: Side) -> list[Leaf]:
        """What can be told of a side's outcome."""
        outcome = self.outcome(side)
        if isinstance(side, Computed):
            return _flat(outcome)
        cod = self.obj(side.cod)
        if self.law.is_of_values and hasattr(self.model, "value"):
            return list(leaves(self.model, cod, value_in(self.model, outcome), self.probes))
        return observed(self.model, cod, outcome, self.probes)

    def verdict(self) -> tuple[Difference | None, Level]:
        """Where the sides differ, if they do, and how that was told."""
        with np.errstate(all="ignore"):
            return _RELATIONS[self.law.relation](self)

    @property
    def signature(self) -> Signature:
        """Which programs the model is asked about."""
        return signature_of(self.model)

    def nudged(self, nudge: Callable[[Morphism], Morphism]) -> Scene:
        """The same with every arrow and the point moved a little."""
        moved = {g: nudge(arrow) for g, arrow in self.instance.arrows.items()}
        instance = Instance(self.instance.objects, moved)
        return Scene(self.law, self.model, instance, nudge(self.point), self.probes)


def _flat(value: Any, place: str = "value") -> list[Leaf]:
    """A computed value: tuples, lists and dicts by their parts."""
    match value:
        case dict():
            return [leaf for key in value for leaf in _flat(value[key], f"{place}[{key!r}]")]
        case tuple() | list():
            return [leaf for i, part in enumerate(value) for leaf in _flat(part, f"{place}[{i}]")]
        case _:
            return [(place, value)]


def _equal(scene: Scene) -> tuple[Difference | None, Level]:
    left, right = (scene.observed(side) for side in (scene.law.lhs, scene.law.rhs))
    scene.seen.append(len(left))
    difference, level = compare(left, right)
    if difference is None or level is not Level.FLOAT:
        return difference, level
    return compare(left, right, _slack(scene, left), precision(scene))


COARSE = 2.0**-20
"""How far apart, for their size, two floats may be that were made by the same operations."""


def _slack(scene: Scene, left: list[Leaf]) -> dict[str, Any]:
    """How far apart floats may be.

    Where the sides are combinators alone they compute the same numbers, and differ at most in the
    order of a sum: there a difference is none of rounding's, however the problem is conditioned.
    """
    try:
        return slack(scene, left)
    except IllConditioned:
        if not scene.law.is_of_combinators:
            raise
    largest = max((magnitude(leaf) for _, leaf in left), default=0.0)
    return {place: COARSE * max(1.0, largest) for place, _ in left}


def _at_most(scene: Scene) -> tuple[Difference | None, Level]:
    left, right = (scene.outcome(side) for side in (scene.law.lhs, scene.law.rhs))
    holds = left <= right
    level = Level.FLOAT if isinstance(left, float) else Level.EXACT
    return (None if holds else Difference("value", left, right)), level


def _raises(scene: Scene) -> tuple[Difference | None, Level]:
    try:
        outcome = scene.outcome(scene.law.lhs)
    except DiffcurryError:
        return None, Level.NORMAL
    return Difference("value", outcome, "an error"), Level.NORMAL


_RELATIONS: dict[str, Callable[[Scene], tuple[Difference | None, Level]]] = {
    "=": _equal,
    "≤": _at_most,
    "raises": _raises,
}
