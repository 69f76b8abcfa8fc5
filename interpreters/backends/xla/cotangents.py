"""The algebra of cotangents: zeros and sums of values of any type, by components."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tangent, Tensor, Vector, components
from interpreters.backends.python.layout import call
from interpreters.backends.xla.elementwise import elementwise
from interpreters.backends.xla.frame import Frame
from interpreters.backends.xla.literals import number
from interpreters.backends.xla.places import added, joined
from interpreters.backends.xla.values import Bundle, Leaf, Pieces, Put, Spread, Value, is_broad

if TYPE_CHECKING:
    from interpreters.backends.xla.emitter import Emitter


def zeros(emitter: Emitter, obj: Object, at: Frame, made: dict[int, Value]) -> Recursive[Value]:
    """The zero of a type; equal parts are made once. That of ``Tangent`` is None."""
    if id(obj) in made:
        return made[id(obj)]
    product = components(obj)
    if product is not None:
        parts = []
        for part in product.parts:
            parts.append((yield zeros(emitter, part, at, made)))
        made[id(obj)] = Bundle(tuple(parts), obj)
    elif isinstance(obj, Tensor):
        zero = False if obj.dtype == "bool" else 0.0 if obj.is_smooth else 0
        inner = number(zero, obj.dtype)
        made[id(obj)] = Spread(inner, obj) if obj.shape else inner
    elif isinstance(obj, Vector):
        item: Value = yield zeros(emitter, obj.item, at, made)
        leaf: Leaf = yield emitter.leaf(item, at)
        made[id(obj)] = Leaf(at.assign(f"({at.named(leaf).text},) * {obj.length}", "zeros"), obj)
    else:
        made[id(obj)] = Leaf("None", Tangent)
    return made[id(obj)]


Made = dict[tuple[int, int], Value]


def plus(
    emitter: Emitter, x: Value, y: Value, obj: Object, at: Frame, made: Made
) -> Recursive[Value]:
    """The sum of two cotangents of one type; of parts that are shared, once."""
    if isinstance(obj, Tensor):
        return _sum(emitter, x, y, obj, at)
    product = components(obj)
    are_known = isinstance(x, Bundle) and isinstance(y, Bundle)
    if product is None or (is_broad(obj) and not are_known):
        a: Leaf = yield emitter.leaf(x, at)
        b: Leaf = yield emitter.leaf(y, at)
        return Leaf(at.assign(call("_plus", a.text, b.text), "total"), obj)
    key = id(x), id(y)
    if key not in made:
        parts = []
        for index, part in enumerate(product.parts):
            left, right = (emitter.component(z, index, part) for z in (x, y))
            parts.append((yield plus(emitter, left, right, part, at, made)))
        made[key] = Bundle(tuple(parts), obj)
    return made[key]


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
