"""The algebra of cotangents: zeros and sums of values of any type, by components."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tangent, Tensor, Vector, components
from interpreters.backends.text.emitter import Emitter, F
from interpreters.backends.text.frame import L, V
from interpreters.backends.text.values import Bundle, Spread, is_broad

Made: TypeAlias = dict[tuple[int, int], V]
"""The sums that have been made, by the ids of what was added."""
AsOne: TypeAlias = Callable[[V, V, Object], Recursive[V | None]]
"""The sum of two values that is written as one; None where it is one by components."""


def zeros(emitter: Emitter[V, L, F], obj: Object, at: F, made: dict[int, V]) -> Recursive[V]:
    """The zero of a type; equal parts are made once. That of ``Tangent`` is None."""
    if id(obj) not in made:
        made[id(obj)] = yield _zero(emitter, obj, at, made)
    return made[id(obj)]


def _zero(
    emitter: Emitter[V, L, F], obj: Object, at: F, made: dict[int, V]
) -> Recursive[L | Spread[L] | Bundle[V]]:
    product = components(obj)
    if product is not None:
        parts: list[V] = []
        for part in product.parts:
            parts.append((yield zeros(emitter, part, at, made)))
        return emitter.bundle(tuple(parts), obj)
    if isinstance(obj, Tensor):
        number = emitter.number_of(0.0 if obj.is_smooth else 0, obj)
        return Spread(number, obj) if obj.shape else number
    if isinstance(obj, Vector):
        item: V = yield zeros(emitter, obj.item, at, made)
        leaf: L = yield emitter.leaf(item, at)
        text = f"({at.named(leaf).text},) * {obj.length}"
        return emitter.expression(at.assign(text, "zeros"), obj)
    return emitter.expression("None", Tangent)


def plus(
    emitter: Emitter[V, L, F], x: V, y: V, obj: Object, as_one: AsOne[V], made: Made[V]
) -> Recursive[V]:
    """The sum of two cotangents of one type; of parts that are shared, once."""
    whole: V | None = yield as_one(x, y, obj)
    if whole is not None:
        return whole
    key = id(x), id(y)
    if key not in made:
        made[key] = yield _by_components(emitter, x, y, obj, as_one, made)
    return made[key]


def _by_components(
    emitter: Emitter[V, L, F], x: V, y: V, obj: Object, as_one: AsOne[V], made: Made[V]
) -> Recursive[Bundle[V]]:
    product = components(obj)
    assert product is not None
    parts: list[V] = []
    for index, part in enumerate(product.parts):
        left, right = (emitter.component(z, index, part) for z in (x, y))
        parts.append((yield plus(emitter, left, right, part, as_one, made)))
    return emitter.bundle(tuple(parts), obj)


def are_added_apart(x: object, y: object, obj: Object) -> bool:
    """Whether the sum of two values of a type is written by components."""
    if components(obj) is None:
        return False
    return not is_broad(obj) or (isinstance(x, Bundle) and isinstance(y, Bundle))
