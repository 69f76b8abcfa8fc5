"""The algebra of cotangents: zeros, sums, and the erased ``Tangent``.

The zero ``Tangent`` is ``None``; what is packed stands as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tangent, Tensor, Vector, components
from interpreters.backends.python import places, tensors
from interpreters.backends.python.code import Assign, Block
from interpreters.backends.python.frame import Frame, bundle, share
from interpreters.backends.python.layout import call
from interpreters.backends.python.values import (
    ATOM,
    MOST,
    Bundle,
    Leaf,
    Placed,
    Spread,
    Value,
    breadth,
    is_tainted,
)

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter


def zeros(emitter: Emitter, obj: Object, at: Frame, made: dict[int, Value]) -> Recursive[Value]:
    """The zero of a type; equal parts are made once."""
    if id(obj) not in made:
        product = components(obj)
        if product is not None:
            parts = []
            for part in product.parts:
                parts.append((yield zeros(emitter, part, at, made)))
            made[id(obj)] = bundle(tuple(parts), obj)
        elif isinstance(obj, Tensor):
            number = emitter.number_of(0.0 if obj.is_smooth else 0, obj)
            made[id(obj)] = Spread(number, obj) if obj.shape else number
        elif isinstance(obj, Vector):
            item: Value = yield zeros(emitter, obj.item, at, made)
            leaf: Leaf = yield emitter.leaf(item, at)
            share(leaf)
            text = f"({at.named(leaf).text},) * {obj.length}"
            made[id(obj)] = Leaf(at.assign(text, "zeros"), obj)
        else:
            made[id(obj)] = Leaf("None", Tangent)
    return made[id(obj)]


def unpacked(emitter: Emitter, x: Value, obj: Object, at: Frame, wish: str) -> Recursive[Value]:
    """What was packed, or the zero of its type."""
    packed: Leaf = yield emitter.leaf(x, at)
    zero: Value
    if packed.text == "None" or obj is Tangent:
        zero = yield zeros(emitter, obj, at, {})
        return zero if packed.text == "None" else packed
    name = at.assign(packed.text, wish)
    with at.block() as body:
        zero = yield zeros(emitter, obj, at, {})
        leaf: Leaf = yield emitter.leaf(zero, at)
        at.body.append(Assign((name,), leaf.text))
    at.body.append(Block("if ", f"{name} is None", "", body))
    given = emitter.opaque(obj, name)
    given.tainted = given.tainted or packed.tainted
    return given


def plus(
    emitter: Emitter, x: Value, y: Value, obj: Object, at: Frame, wish: str
) -> Recursive[Value]:
    """The sum of two cotangents of one type, by components."""
    result: Value = yield _plus(emitter, x, y, obj, at, wish, {})
    return result


def _plus(
    emitter: Emitter,
    x: Value,
    y: Value,
    obj: Object,
    at: Frame,
    wish: str,
    made: dict[tuple[int, int], Value],
) -> Recursive[Value]:
    product = components(obj)
    if product is not None and not product.width:
        return x
    if isinstance(obj, Tensor):
        return sum_of(emitter, x, y, obj, at, wish)
    if product is None or (breadth(obj) >= MOST and not _are_bundles(x, y)):
        a: Leaf = yield emitter.leaf(x, at)
        b: Leaf = yield emitter.leaf(y, at)
        share(a)
        share(b)
        name = at.assign(call("_plus", at.named(a).text, at.named(b).text), wish)
        return Leaf(name, obj, ATOM, tainted=is_tainted(x) or is_tainted(y))
    key = id(x), id(y)
    if key not in made:
        parts = []
        for index, part in enumerate(product.parts):
            left, right = (emitter.component(z, index, part) for z in (x, y))
            parts.append((yield _plus(emitter, left, right, part, at, wish, made)))
        made[key] = bundle(tuple(parts), obj)
    return made[key]


def _are_bundles(x: Value, y: Value) -> bool:
    return isinstance(x, Bundle) and isinstance(y, Bundle)


def sum_of(emitter: Emitter, x: Value, y: Value, obj: Tensor, at: Frame, wish: str) -> Value:
    """The sum of two tensors, one of which may be zero but in some places."""
    if isinstance(y, Placed):
        return places.added(emitter, x, y, at, wish)
    if isinstance(x, Placed):
        return places.added(emitter, y, x, at, wish)
    return tensors.elementwise(emitter, "plus", (x, y), obj, at, wish)
