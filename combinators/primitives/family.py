"""Declaring a primitive and the function that applies it, in one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.derivatives import CONSTANT, Derivative, Pointwise
from combinators.operation import Cost, Primitive, Promotion, Typing, declare, elementwise
from combinators.primitives.typing import common, common_float, pointwise, predicate
from combinators.tracing.emit import apply
from combinators.tracing.traced import library

Function = Callable[..., Any]


def function(primitive: Primitive, doc: str, *names: str) -> Function:
    """The function that applies ``primitive``; it answers to ``names`` in NumPy."""

    def applied(*args: Any) -> Any:
        return apply(primitive, *args)

    applied.__name__ = applied.__qualname__ = primitive.name
    applied.__doc__ = f"{doc}\n\n{primitive.kink}" if primitive.kink else doc
    return library(primitive.name, *names)(applied)


def smooth(
    name: str,
    doc: str,
    rule: Callable[..., Any],
    *names: str,
    promote: Promotion = common_float,
    cost: Cost = elementwise,
    infix: str = "",
    kink: str = "",
) -> Function:
    """A pointwise function whose derivative is ``rule(v, *xs, y)``."""
    return function(
        declare(
            name, pointwise, Pointwise(rule), promote=promote, cost=cost, infix=infix, kink=kink
        ),
        doc,
        *names,
    )


def stepwise(
    name: str,
    doc: str,
    *names: str,
    promote: Promotion = common_float,
    typing: Typing = pointwise,
    infix: str = "",
    kink: str = "its derivative is 0 everywhere",
) -> Function:
    """A pointwise function that is constant in pieces: its derivative is 0 everywhere."""
    return function(
        declare(name, typing, CONSTANT, promote=promote, infix=infix, kink=kink), doc, *names
    )


def comparison(name: str, infix: str) -> Function:
    """A comparison, elementwise, to booleans."""
    return stepwise(
        name, f"``x {infix} y``, elementwise.", promote=common, typing=predicate, infix=infix
    )


__all__ = ["Derivative", "comparison", "function", "smooth", "stepwise"]
