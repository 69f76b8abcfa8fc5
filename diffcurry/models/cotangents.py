"""Cotangents at run time, and what can be told of them.

A list of calls is told by its pairing ``Σ ⟨k(b), ȳ⟩`` with tangents ``k`` of the function: two
lists are one, up to the quotient, where no ``k`` tells them apart (law H7).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Fun, Object, Tensor, Vector, components
from interpreters.tangents.cotangents import Cotangent, Environment
from interpreters.tangents.dense import dense
from laws.comparing.equality import leaves, point_of
from laws.comparing.probes import Probes
from laws.model import Leaf

if TYPE_CHECKING:
    from diffcurry.models.reverse import ReverseModel


def covector(model: ReverseModel, probe: Any, obj: Object) -> Cotangent:
    """A covector of the kit as a sparse cotangent."""
    types = _parts(obj)
    if types is not None:
        parts = {
            i: covector(model, x, t) for i, (x, t) in enumerate(zip(probe, types, strict=True))
        }
        return {i: part for i, part in parts.items() if part is not None} or None
    if isinstance(obj, Fun):
        return [(_argument(model, x), covector(model, g, obj.cod)) for x, g in probe]
    return model.carrier.const(probe) if isinstance(probe, Literal) else probe


def _parts(obj: Object) -> tuple[Object, ...] | None:
    """The components of a product or a vector."""
    product = components(obj)
    if product is not None:
        return product.parts
    return (obj.item,) * obj.length if isinstance(obj, Vector) else None


def _argument(model: ReverseModel, argument: Any) -> Any:
    from combinators.morphisms import Morphism

    return point_of(model, argument) if isinstance(argument, Morphism) else argument


def told(
    model: ReverseModel, cotangent: Cotangent, obj: Object, point: Any, probes: Probes, place: str
) -> Iterator[Leaf]:
    """A cotangent at ``point`` by its numbers; of a closure, those of what it captured."""
    types = _parts(obj)
    if types is not None:
        for i, part in enumerate(types):
            below = None if cotangent is None else cotangent.get(i)
            at = None if point is None else point[i]
            yield from told(model, below, part, at, probes, f"{place}[{i}]")
    elif isinstance(obj, Tensor) and obj.is_smooth:
        yield place, dense(model.carrier, cotangent, obj)
    elif isinstance(obj, Fun) and (point is None or model.mode.records_calls):
        yield from _paired(model, cotangent or [], obj, probes, place)
    elif isinstance(obj, Fun):
        if type(cotangent) is list:
            cotangent = model.mode.called(point, cotangent)
        captured = point.code.captured
        yield from told(model, cotangent, captured, point.env, probes, f"{place}.captured")


WEIGHTS = 2
"""By how many tangents a list of calls is told."""


def _paired(
    model: ReverseModel, calls: list[Any], obj: Fun, probes: Probes, place: str
) -> Iterator[Leaf]:
    """``Σ k(b) · ȳ`` for polynomials ``k``."""
    for degree in range(WEIGHTS):
        totals = dict(told(model, None, obj.cod, None, probes, f"{place}·k{degree}"))
        for call in calls:
            if type(call) is Environment:
                continue
            argument, cotangent = call
            weight = _weight(model, argument, obj.dom, probes) ** degree
            for at, leaf in told(model, cotangent, obj.cod, None, probes, f"{place}·k{degree}"):
                with np.errstate(all="ignore"):
                    totals[at] = totals[at] + np.where(leaf == 0, leaf, weight * leaf)[()]
        yield from totals.items()


def _weight(model: ReverseModel, argument: Any, obj: Object, probes: Probes) -> Any:
    """``1 + Σ (i + 1)/4 · xᵢ`` of the numbers of an argument."""
    total: Any = Fraction(1) if _is_exact(model) else 1.0
    index = 0
    for _, leaf in leaves(model, obj, argument, probes):
        for x in np.ravel(leaf):
            index += 1
            factor = Fraction(index, 4)
            number = x.item() if isinstance(x, np.generic) else x
            if getattr(number, "is_Boolean", False):
                number = int(bool(number))
            total = total + (factor if _is_exact(model) else float(factor)) * number
    return total


def _is_exact(model: ReverseModel) -> bool:
    return not isinstance(model.carrier.const(Literal(1.0)), float | np.generic)
