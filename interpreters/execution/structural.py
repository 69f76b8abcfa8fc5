"""The algebra of cotangents in programs, by components: zeros, plus, pack, unpack, vector.

It works on the values of any mode, whose leaves are numbers of a carrier.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.errors import TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Object, Tangent, Tensor
from combinators.operation import Operation
from combinators.primitives.structural import PACK, PLUS, UNPACK, VECTOR
from combinators.type_folds import parts_of
from interpreters.carriers.carrier import Carrier
from interpreters.tangents.packed import Packed


def structural(over: Carrier, operation: Operation, obj: Object) -> Callable[..., Any]:
    """What computes ``operation``, with a result or (of ``pack``) an argument of type ``obj``."""
    if operation.primitive is PLUS:
        return lambda x, y: plus(over, x, y, obj)
    if operation.primitive is PACK:
        return lambda x: Packed(obj, x)
    if operation.primitive is UNPACK:
        return lambda packed: unpacked(over, packed, obj)
    if operation.primitive is VECTOR:
        return lambda *items: items
    zero = zeros(over, obj)
    return lambda *_: zero


def zeros(over: Carrier, obj: Object) -> Any:
    """The zero of ``obj``; a type that stands in many places has one zero."""
    return recurse(_zeros(over, obj, {}))


def _zeros(over: Carrier, obj: Object, known: dict[Object, Any]) -> Recursive[Any]:
    if obj not in known:
        types = parts_of(obj)
        if types is not None:
            parts = []
            for part in types:
                parts.append((yield _zeros(over, part, known)))
            known[obj] = tuple(parts)
        elif isinstance(obj, Tensor):
            known[obj] = over.const(Literal.filled(0, obj))
        elif obj is Tangent:
            known[obj] = None
        else:
            raise TypeMismatch(f"{obj!r} has no zero")
    return known[obj]


def plus(over: Carrier, x: Any, y: Any, obj: Object) -> Any:
    """The sum of two values of type ``obj``."""
    return recurse(_plus(over, x, y, obj, {}))


def _plus(
    over: Carrier, x: Any, y: Any, obj: Object, known: dict[tuple[int, int], Any]
) -> Recursive[Any]:
    types = parts_of(obj)
    if types is not None:
        key = id(x), id(y)
        if key not in known:
            parts = []
            for a, b, part in zip(x, y, types, strict=True):
                parts.append((yield _plus(over, a, b, part, known)))
            known[key] = tuple(parts)
        return known[key]
    if obj is not Tangent:
        return over.add(x, y)
    if x is None or y is None:
        return y if x is None else x
    same = _same(x, y)
    total = yield _plus(over, x.value, y.value, same, known)
    return Packed(same, total)


def _same(x: Packed, y: Packed) -> Object:
    if x.obj is not y.obj:
        raise TypeMismatch(
            f"cotangents of two functions, {x.obj!r} and {y.obj!r}, are added: the function values "
            "were taken for one another"
        )
    return x.obj


def unpacked(over: Carrier, packed: Packed | None, obj: Object) -> Any:
    """What was packed; the zero ``Tangent`` gives the zero of ``obj``."""
    if packed is None:
        return zeros(over, obj)
    if packed.obj is not obj:
        raise TypeMismatch(f"a tangent of {packed.obj!r} is unpacked as one of {obj!r}")
    return packed.value
