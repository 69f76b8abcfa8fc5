"""The sums of cotangents on XLA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor
from interpreters.backends.text.cotangents import are_added_apart
from interpreters.backends.text.cotangents import plus as summed
from interpreters.backends.text.layout import call
from interpreters.backends.xla.elementwise import elementwise
from interpreters.backends.xla.frame import Frame
from interpreters.backends.xla.places import added, joined
from interpreters.backends.xla.values import Leaf, Pieces, Put, Value

if TYPE_CHECKING:
    from interpreters.backends.xla.emitter import Emitter


def plus(emitter: Emitter, x: Value, y: Value, obj: Object, at: Frame) -> Recursive[Value]:
    """The sum of two cotangents of one type, by components."""

    def as_one(x: Value, y: Value, obj: Object) -> Recursive[Value | None]:
        if isinstance(obj, Tensor):
            return _sum(emitter, x, y, obj, at)
        if are_added_apart(x, y, obj):
            return None
        a: Leaf = yield emitter.leaf(x, at)
        b: Leaf = yield emitter.leaf(y, at)
        return Leaf(at.assign(call("_plus", a.text, b.text), "total"), obj)

    result: Value = yield summed(emitter, x, y, obj, as_one, {})
    return result


def _sum(emitter: Emitter, x: Value, y: Value, obj: Tensor, at: Frame) -> Value:
    """The sum of two tensors, which may be zero but in some places."""
    if isinstance(x, Pieces) and isinstance(y, Pieces):
        both = joined(x, y)
        if both is not None:
            return both
    for put, other in ((y, x), (x, y)):
        if isinstance(put, Put):
            return added(emitter.array(other, at), put, at, "total")
    return elementwise(emitter, "plus", (x, y), obj, at)
