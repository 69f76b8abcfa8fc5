"""Arrays that are zero but in some places, as cotangents are: they wait until they are added."""

from __future__ import annotations

from typing import Any

from combinators.kit.recursion import Recursive
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from interpreters.backends.text.emitter import Bundle, Emitter, Spread
from interpreters.backends.text.layout import ATOM, Bracketed, Text, call, flat, tuple_of
from interpreters.backends.xla.jax_values import (
    LONG,
    JaxFrame,
    JaxLeaf,
    Pieces,
    Put,
    Value,
    filled,
    kind,
    number,
    strong,
    tensor,
)

Shape = tuple[int, ...]


def embedded(
    x: JaxLeaf, cod: Tensor, at: JaxFrame, start: Shape, step: Shape, shape: Shape
) -> JaxLeaf | Pieces | Spread[JaxLeaf]:
    """Zeros that hold ``x`` in a window."""
    extent = tensor(x).shape
    if not tensor(x).size:
        return Spread(number(_zero(cod), cod.dtype), cod)
    partial = [a for a, n in enumerate(shape) if extent[a] != n]
    if len(partial) == 1 and all(s == 1 or n == 1 for s, n in zip(step, extent, strict=True)):
        axis = partial[0]
        return Pieces(((start[axis], at.named(x)),), axis, cod)
    turned = [a for a, stride in enumerate(step) if stride < 0]
    text = call("jnp.flip", x.text, str(tuple(turned))) if turned else x.text
    widths = []
    for first, stride, count, n in zip(start, step, extent, shape, strict=True):
        last = first + stride * (count - 1)
        low, high = min(first, last), max(first, last)
        widths.append((low, n - 1 - high, abs(stride) - 1 if count > 1 else 0))
    return JaxLeaf(at.assign(call("lax.pad", text, _typed_zero(cod), str(tuple(widths))), "t"), cod)


def row_put(
    x: JaxLeaf, index: int, axis: int, cod: Tensor, at: JaxFrame
) -> Pieces | Spread[JaxLeaf]:
    """Zeros that hold ``x`` at an index that is known; one outside holds nothing."""
    if not 0 <= index < cod.shape[axis]:
        return Spread(number(_zero(cod), cod.dtype), cod)
    shape = (*cod.shape[:axis], 1, *cod.shape[axis + 1 :])
    row = at.assign(f"{x.text}.reshape({', '.join(map(str, shape))})", "row")
    return Pieces(((index, JaxLeaf(row, Tensor(shape, cod.dtype))),), axis, cod)


def _zero(obj: Tensor) -> float | int | bool:
    return 0.0 if obj.is_smooth else False if obj.dtype == "bool" else 0


def _typed_zero(obj: Tensor) -> str:
    return f"{kind(obj.dtype)}({_zero(obj)})"


def joined(x: Pieces, y: Pieces) -> Pieces | None:
    """The sum of two, where no places of one are those of the other."""
    if x.axis != y.axis or x.type is not y.type:
        return None
    pieces = sorted((*x.pieces, *y.pieces), key=lambda piece: piece[0])
    ends = [start + tensor(leaf).shape[x.axis] for start, leaf in pieces]
    if any(end > start for end, (start, _) in zip(ends, pieces[1:], strict=False)):
        return None
    return Pieces(tuple(pieces), x.axis, x.type)


def whole(value: Put | Pieces, at: JaxFrame, wish: str) -> JaxLeaf:
    """The array that waited."""
    if isinstance(value, Put):
        zeros = JaxLeaf(at.assign(filled(number(0, "int64"), value.type), "zeros"), value.type)
        return added(zeros, value, at, wish)
    return JaxLeaf(at.assign(_side_by_side(value), wish), value.type, ATOM)


def added(x: JaxLeaf, put: Put, at: JaxFrame, wish: str) -> JaxLeaf:
    """``x``, with what is put added in its place."""
    along = [f"axis={put.axis}"] if put.axis else []
    indices = [index.text for index in put.indices]
    function = "_add_inside" if put.is_inside else "_add_at"
    text = call(function, at.named(x).text, put.inner.text, *indices, *along)
    return JaxLeaf(at.assign(text, wish), put.type)


def _side_by_side(value: Pieces) -> Text:
    """Its pieces, and zeros before, between and behind them."""
    axis, obj = value.axis, value.type
    if len(value.pieces) == 1:
        ((start, leaf),) = value.pieces
        rest = obj.shape[axis] - start - tensor(leaf).shape[axis]
        widths = tuple((start, rest, 0) if a == axis else (0, 0, 0) for a in range(len(obj.shape)))
        return call("lax.pad", leaf.text, _typed_zero(obj), str(widths))
    parts: list[Text] = []
    here = 0
    ends: tuple[tuple[int, JaxLeaf | None], ...] = (*value.pieces, (obj.shape[axis], None))
    for start, piece in ends:
        if start > here:
            shape = (*obj.shape[:axis], start - here, *obj.shape[axis + 1 :])
            parts.append(call("jnp.zeros", str(shape), kind(obj.dtype)))
        if piece is not None:
            parts.append(piece.text)
            here = start + tensor(piece).shape[axis]
    along = [f"axis={axis}"] if axis else []
    return call("jnp.concatenate", Bracketed("[", tuple(parts), "]", display=True), *along)


class JaxEmitter(Emitter[Value, JaxLeaf, JaxFrame]):
    """Gives each value as an expression; what it is asked to write is the writer's."""

    def expression(self, text: str, obj: Object) -> JaxLeaf:
        """An expression."""
        return JaxLeaf(text, obj)

    def component(self, whole: Value, index: int, obj: Object) -> Value:
        """A component of a product or a vector."""
        if isinstance(whole, Bundle):
            return whole.parts[index]
        assert isinstance(whole, JaxLeaf)
        return JaxLeaf(f"{whole.text}[{index}]", obj)

    def number_of(self, value: Any, obj: Tensor) -> JaxLeaf:
        """A number of the element type of ``obj``."""
        return number(bool(value) if obj.dtype == "bool" else value, obj.dtype)

    def constant(self, literal: Literal) -> JaxLeaf:
        """An array that stands at the top of the module."""
        return JaxLeaf(self.module.constant(literal), literal.type)

    def leaf(self, value: Value, at: JaxFrame, wish: str = "t") -> Recursive[JaxLeaf]:
        """The value as one expression, which has a type of its own wherever it stands."""
        if not isinstance(value, Bundle):
            return strong(self.array(value, at, wish))
        found = at.find(value)
        if found is not None:
            return found
        text: Text = yield self.text(value, at)
        short = flat(text)
        made = short if len(short) <= LONG else at.assign(text, wish)
        return at.remember(value, JaxLeaf(made, value.type))

    def text(self, value: Value, at: JaxFrame) -> Recursive[Text]:
        """The value as text that may break into lines: what is returned, or goes into a loop."""
        if not isinstance(value, Bundle) or at.find(value) is not None:
            leaf: JaxLeaf = yield self.leaf(value, at)
            return leaf.text
        texts: list[Text] = []
        for part in value.parts:
            leaf = yield self.leaf(part, at)
            texts.append(leaf.text)
        return tuple_of(tuple(texts))

    def array(self, value: Value, at: JaxFrame, wish: str = "t") -> JaxLeaf:
        """A tensor as an expression, or as a number."""
        if isinstance(value, JaxLeaf):
            return value
        assert not isinstance(value, Bundle)
        found = at.find(value)
        if found is not None:
            return found
        if isinstance(value, Put | Pieces):
            return at.remember(value, whole(value, at, wish))
        return at.remember(value, _repeated(value, at, wish))


def _repeated(value: Spread[JaxLeaf], at: JaxFrame, wish: str) -> JaxLeaf:
    """The array that a repetition stands for."""
    inner, obj = value.inner, value.type
    if inner.literal is not None:
        return JaxLeaf(at.assign(filled(inner, obj), wish), obj)
    return JaxLeaf(at.assign(f"jnp.broadcast_to({inner.text}, {obj.shape})", wish), obj, ATOM)
