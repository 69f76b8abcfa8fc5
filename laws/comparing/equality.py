"""What can be told of an outcome, and where two outcomes first differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Tensor, Vector, components
from laws.comparing.leaves import Level, equal
from laws.comparing.probes import Probes
from laws.model import Leaf
from laws.models.elements import element_of, needs_no_constants

__all__ = ["Difference", "Level", "compare", "equal", "leaves", "observed", "point_of", "value_in"]

ENVIRONMENT = "pullback(…)[0]"
"""Where a call's pullback gives the cotangent of the function that was called."""


class Difference(NamedTuple):
    """The first place where two outcomes differ."""

    place: str
    left: Any
    right: Any


def observed(model: Any, cod: Object, outcome: Any, probes: Probes) -> list[Leaf]:
    """All that can be told of an outcome, by the model's own ``observe`` or by structure."""
    own = getattr(model, "observe", None)
    if own is not None:
        return list(own(cod, outcome, probes))
    return list(leaves(model, cod, value_in(model, outcome), probes))


def leaves(
    model: Any, obj: Object, value: Any, probes: Probes, place: str = "value"
) -> Iterator[Leaf]:
    """A value by its components; a function by what it gives at arguments (extensionally)."""
    product = components(obj)
    if product is not None:
        for index, (part, below) in enumerate(zip(value, product.parts, strict=True)):
            yield from leaves(model, below, part, probes, f"{place}[{index}]")
    elif isinstance(obj, Vector):
        for index, part in enumerate(value):
            yield from leaves(model, obj.item, part, probes, f"{place}[{index}]")
    elif isinstance(obj, Fun):
        yield from _calls(model, obj, value, probes, place)
    elif isinstance(obj, Tensor):
        yield place, value


def _calls(model: Any, function: Fun, value: Any, probes: Probes, place: str) -> Iterator[Leaf]:
    """What a function gives, and what its call's pullback gives of the argument.

    Equal functions may have captured different things, and so their own cotangents say nothing.
    """
    argument = point_of(model, probes.argument(place, function.dom))
    outcome = model.run(model.category.eval(function), (value, argument))
    for rest, leaf in observed(model, function.cod, outcome, probes.within(f"{place}(…)")):
        if not rest.startswith(ENVIRONMENT):
            inside = rest.removeprefix("value")
            yield f"{place}(…)" + (inside if inside != rest else f".{rest}"), leaf


def point_of(model: Any, element: Any) -> Any:
    """A global element of the free category as a point: a value of the model."""
    if needs_no_constants(model):
        return element_of(model, element)
    return value_in(model, model.run(interpret(element, model.category), ()))


def value_in(model: Any, outcome: Any) -> Any:
    """The value in an outcome."""
    own = getattr(model, "value", None)
    return outcome if own is None else own(outcome)


def compare(
    left: list[Leaf],
    right: list[Leaf],
    slack: dict[str, Any] | None = None,
    epsilon: float = 0.0,
) -> tuple[Difference | None, Level]:
    """The first place where they differ, and the weakest level that was needed.

    ``slack`` is how far floats may be apart at a place, besides roundings of their own precision
    or of ``epsilon``, whichever is coarser.
    """
    level = Level.NORMAL
    for (place, a), (elsewhere, b) in zip(left, right, strict=False):
        if place != elsewhere:
            return Difference(place, f"something at {place}", f"something at {elsewhere}"), level
        same, how = equal(a, b, 0.0 if slack is None else slack.get(place, 0.0), epsilon)
        level = max(level, how)
        if not same:
            return Difference(place, a, b), level
    if len(left) != len(right):
        longer = left if len(left) > len(right) else right
        place, leaf = longer[min(len(left), len(right))]
        return Difference(
            place, *((leaf, "nothing") if longer is left else ("nothing", leaf))
        ), level
    return None, level
