"""``Tangent`` at run time: the cotangent of what some function captured."""

from __future__ import annotations

from typing import Any, NamedTuple

from combinators.objects import Object


class Packed(NamedTuple):
    """A value of type ``obj``; the zero ``Tangent`` is None.

    As a value it holds a dense value; as the cotangent of a ``Tangent``, a sparse one.
    """

    obj: Object
    value: Any
