"""Tangents of functions: functions taken for tangents, and tangents applied to arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.objects import Fun, Object
from combinators.type_folds import tangent_of
from diffcurry.models.host import Hosted
from diffcurry.models.modes import ModeModel

Vector = Callable[[Any], Any]
"""A tangent of a function, from an argument to a tangent of the result; None is zero."""


class Directions(ModeModel):
    """What the laws of the closed differential ask of a model with forward mode."""

    def dense(self, tangent: Any, obj: Object) -> Any:
        """A tangent in tuples, with its zeros."""
        raise NotImplementedError

    def along(self, arrow: Hosted, dom: Object, function: Fun) -> Hosted:
        """A function of ``A ⇒ T B`` as a tangent of ``A ⇒ B``."""
        apply = self.category.eval(function)

        def at(point: Any) -> Vector:
            direction = arrow.at(point)
            return lambda argument: apply.at((direction, argument))

        return Hosted(dom, tangent_of(function), at)

    def at(self, vector: Hosted, argument: Hosted, dom: Object, function: Fun) -> Hosted:
        """What a tangent of ``A ⇒ B`` gives of an argument."""

        def at(point: Any) -> Any:
            tangent: Vector | None = vector.at(point)
            moved = None if tangent is None else tangent(argument.at(point))
            return self.dense(moved, function.cod)

        return Hosted(dom, tangent_of(function.cod), at)
