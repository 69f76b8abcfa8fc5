"""The algebra of cotangents in Python: sums, and the erased ``Tangent``.

The zero ``Tangent`` is ``None``; what is packed stands as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tangent, Tensor, components
from interpreters.backends.python import places, tensors
from interpreters.backends.python.frame import Frame, share
from interpreters.backends.python.values import Leaf, Placed, Value, is_tainted
from interpreters.backends.text.emitter import are_added_apart, zeros
from interpreters.backends.text.emitter import plus as summed
from interpreters.backends.text.layout import ATOM, Assign, Block, call

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter


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

    def as_one(x: Value, y: Value, obj: Object) -> Recursive[Value | None]:
        product = components(obj)
        if product is not None and not product.width:
            return x
        if isinstance(obj, Tensor):
            return sum_of(emitter, x, y, obj, at, wish)
        if are_added_apart(x, y, obj):
            return None
        a: Leaf = yield emitter.leaf(x, at)
        b: Leaf = yield emitter.leaf(y, at)
        share(a)
        share(b)
        name = at.assign(call("_plus", at.named(a).text, at.named(b).text), wish)
        return Leaf(name, obj, ATOM, tainted=is_tainted(x) or is_tainted(y))

    result: Value = yield summed(emitter, x, y, obj, as_one, {})
    return result


def sum_of(emitter: Emitter, x: Value, y: Value, obj: Tensor, at: Frame, wish: str) -> Value:
    """The sum of two tensors, one of which may be zero but in some places."""
    if isinstance(y, Placed):
        return places.added(emitter, x, y, at, wish)
    if isinstance(x, Placed):
        return places.added(emitter, y, x, at, wish)
    return tensors.elementwise(emitter, "plus", (x, y), obj, at, wish)
