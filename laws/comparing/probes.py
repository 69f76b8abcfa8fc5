"""Probes: the arguments and cotangents with which outcomes are told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.literal import Literal
from combinators.morphisms import Morphism
from combinators.objects import Fun, Object, Tensor, Vector, components

Asked = Callable[[Object], Any]


class Probes:
    """What to try at a place in an outcome; at one place always the same.

    Both sides of an equation are observed with the same probes.
    """

    def __init__(self, argument: Callable[[Object], Morphism], cotangent: Asked) -> None:
        """``argument`` gives global elements ``1 → A``, ``cotangent`` covectors.

        A covector is a ``Literal`` at a tensor of floats, a tuple at a product, None where there
        is no tangent, and at ``A ⇒ B`` a list of calls: pairs of a global element of A and a
        covector of B.
        """
        self._argument, self._cotangent = argument, cotangent
        self._known: dict[tuple[str, str, Object], Any] = {}

    def argument(self, place: str, obj: Object) -> Morphism:
        """A global element of ``obj``, to apply a function to."""
        found: Morphism = self._once("argument", place, obj, self._argument)
        return found

    def cotangent(self, place: str, obj: Object) -> Any:
        """A covector at ``obj``."""
        return self._once("cotangent", place, obj, self._cotangent)

    def within(self, place: str) -> Probes:
        """The same probes for what stands inside ``place``, whose own places begin anew."""
        return _Within(self, place)

    def features(self) -> set[str]:
        """What was asked for: a function's argument; a covector, and one that is not zero.

        Covectors count where the object has others than zero.
        """
        found = {"function"} if any(what == "argument" for what, _, _ in self._known) else set()
        for (what, _, obj), given in self._known.items():
            if what == "cotangent" and has_room(obj):
                found |= (
                    {"cotangent", "non-zero cotangent"} if is_not_zero(given) else {"cotangent"}
                )
        return found

    def _once(self, what: str, place: str, obj: Object, ask: Asked) -> Any:
        key = (what, place, obj)
        if key not in self._known:
            self._known[key] = ask(obj)
        return self._known[key]


class _Within(Probes):
    """Probes of a place inside another."""

    def __init__(self, whole: Probes, inside: str) -> None:
        self._whole, self._inside = whole, inside

    def argument(self, place: str, obj: Object) -> Morphism:
        return self._whole.argument(f"{self._inside} {place}", obj)

    def cotangent(self, place: str, obj: Object) -> Any:
        return self._whole.cotangent(f"{self._inside} {place}", obj)

    def features(self) -> set[str]:
        return self._whole.features()


def has_room(obj: Object) -> bool:
    """Whether an object has a covector that is not zero."""
    match obj:
        case Tensor():
            return obj.is_smooth and obj.size > 0
        case Vector(item, length):
            return length > 0 and has_room(item)
        case Fun(_, cod):
            return has_room(cod)
        case _:
            return any(map(has_room, components(obj) or ()))


def is_not_zero(covector: Any) -> bool:
    """Whether a covector of the kit holds a number that is not zero."""
    match covector:
        case None:
            return False
        case Literal():
            return bool(covector.array.any())
        case tuple():
            return any(map(is_not_zero, covector))
        case list():
            return any(is_not_zero(cotangent) for _, cotangent in covector)
        case _:
            return True
