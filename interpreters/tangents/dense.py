"""Between sparse cotangents and the dense values that users and rules see."""

from __future__ import annotations

from typing import Any

from combinators.literal import Literal
from combinators.objects import Object, Tensor, components
from interpreters.carriers.carrier import Carrier
from interpreters.tangents.cotangents import Cotangent
from interpreters.tangents.scattered import gathered


def zeros(carrier: Carrier, obj: Tensor) -> Any:
    """A tensor of zeros."""
    return carrier.const(Literal.filled(0.0, obj))


def dense(carrier: Carrier, cotangent: Cotangent, obj: Object) -> Any:
    """The cotangent of a first-order value, with its zeros; ``()`` where the tangent is Unit."""
    product = components(obj)
    if product is not None:
        parts = cotangent or {}
        return tuple(dense(carrier, parts.get(i), part) for i, part in enumerate(product.parts))
    if isinstance(obj, Tensor):
        return zeros(carrier, obj) if cotangent is None else gathered(cotangent, carrier)
    return cotangent


def sparse(value: Any, obj: Object) -> Cotangent:
    """A dense cotangent as a sparse one: the inverse of ``dense``."""
    product = components(obj)
    if product is None:
        return value if not isinstance(obj, Tensor) or obj.is_smooth else None
    parts = {i: sparse(value[i], part) for i, part in enumerate(product.parts)}
    return {i: g for i, g in parts.items() if g is not None} or None
