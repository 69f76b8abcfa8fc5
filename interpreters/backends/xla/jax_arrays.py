"""Primitives of whole arrays: moved, reduced, joined, multiplied, taken apart by indices.

Arrays that are zero but in some places, as cotangents are, wait until they are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from combinators.errors import MissingRule
from combinators.objects import Tensor
from combinators.operation import Operation, named
from combinators.terms import Prim
from interpreters.backends.analysis.facts import Bounds, may_be_outside
from interpreters.backends.text.layout import ATOM, Bracketed, Text, array_text, call, slice_text
from interpreters.backends.text.leaves import Leaf, Origin, Placed, Spread, Value, are_apart, tensor
from interpreters.backends.text.term_writer import Writer
from interpreters.backends.xla.jax_numbers import (
    ABSORBING,
    FORMS,
    filled,
    kind,
    number,
    strong,
    written,
)
from interpreters.carriers.opaque_values import OPAQUE, on_jax

_EMBED = named("embed")


def arrays(writer: Writer, term: Prim, args: Sequence[Value], wish: str) -> Value:
    """A primitive of arrays that is not elementwise."""
    name, keywords, cod = term.operation.name, term.operation.keywords, tensor(term)
    operands = [writer.array(arg) for arg in args]
    if name == "embed":
        return operands[0]
    if name == "iota":
        return Leaf(f"jnp.arange({keywords['length']}, dtype={kind('int64')})", cod)
    if name == "matmul":
        form = ABSORBING if keywords.get("absorbing") else FORMS["matmul"]
        return written(writer, form, operands, cod)
    text = _text(writer, term, operands, cod)
    made = Origin(name, tuple(operands), keywords)
    return Leaf(text if isinstance(text, str) else writer.assign(text, wish), cod, origin=made)


def _text(writer: Writer, term: Prim, operands: Sequence[Leaf], cod: Tensor) -> Text:
    """One that is a string may stand inside another."""
    name, keywords, first = term.operation.name, term.operation.keywords, operands[0]
    texts = [x.text for x in operands]
    axis: Any = keywords.get("axis")
    given = tensor(first)
    match name:
        case "logsumexp":
            along = [] if len(axis) == len(given.shape) else [axis[0] if len(axis) == 1 else axis]
            options = [f"axis={one}" for one in along] + ["keepdims=True"] * keywords["keepdims"]
            return call("jax.nn.logsumexp", texts[0], *options)
        case "exclusive_cumprod" | "recurrence":
            if not cod.shape[axis]:
                return texts[0]
            return call(f"_{name}", *texts, str(axis), str(keywords["reverse"]))
        case "take":
            bounds = writer.line(term).operands[1 : len(operands)]
            function = "_take_inside" if _are_inside(bounds, given, axis) else "_take"
            along = [f"axis={axis}"] * (axis > 0)
            return call(function, *[strong(x).text for x in operands], *along)
        case "concatenate":
            listed = Bracketed("[", tuple(texts), "]", display=True)
            return call("jnp.concatenate", listed, *[f"axis={axis}"] * (axis > 0))
        case "reshape" if first.origin is not None and first.origin.name == "slice":
            # x[0], which the language writes as a window and a reshape, is written so again.
            _, (whole,), window = first.origin
            if cod.shape == tuple(n for n in window["extent"] if n != 1):
                index = slice_text(**window, shape=tensor(whole).shape, drop=True)
                return f"{_tight(whole)}[{index}]"
    if name in OPAQUE:
        return on_jax(name, [strong(x).text for x in operands], keywords)
    text = array_text(term.operation, _tight(first), texts, given, cod, kind)
    if text is None:
        raise writer.no_code(name, term)
    return text


def checked(writer: Writer, term: Prim, args: Sequence[Value], wish: str) -> Value:
    """There are no checks on XLA."""
    raise MissingRule(
        "a program on XLA cannot raise where it runs, and this one has a bound, most=, or the "
        "checks of fun(…, checked=True); leave them out here, or run it on the Python backend",
        term.place,
    )


def _are_inside(bounds: Sequence[Bounds], whole: Tensor, axis: int) -> bool:
    """Whether no index of elements of an array can lie outside."""
    return not any(map(may_be_outside, bounds, whole.shape[axis:]))


def _tight(x: Leaf) -> str:
    """An array of which a method is called: a number has an element type of its own first."""
    x = strong(x)
    return x.text if x.level == ATOM else f"({x.text})"


# What is zero but in some places.


def placed(writer: Writer, term: Prim, args: Sequence[Value]) -> Value:
    """What is put, or embedded, into zeros: it waits, or is padded."""
    x, cod, operation = strong(writer.array(args[0])), tensor(term), term.operation
    if operation.name == "embed":
        return _embedded(writer, operation, x, cod)
    inner, *indices = [writer.named(leaf) for leaf in (x, *map(writer.array, args[1:]))]
    if len(indices) == 1 and indices[0].literal is not None:
        return _row_put(writer, inner, int(indices[0].literal), operation.keywords["axis"], cod)
    bounds = writer.line(term).operands[1 : len(args)]
    return Placed(operation, inner, tuple(map(strong, indices)), bounds, cod)


def _embedded(writer: Writer, window: Operation, x: Leaf, cod: Tensor) -> Value:
    """Zeros that hold ``x`` in a window; it waits where it is apart along one axis."""
    start, step, shape = (window.keywords[key] for key in ("start", "step", "shape"))
    extent = tensor(x).shape
    if not tensor(x).size:
        return Spread(_zero(cod), cod)
    partial = sum(n != m for n, m in zip(extent, shape, strict=True))
    if partial == 1 and all(s == 1 or n == 1 for s, n in zip(step, extent, strict=True)):
        return Placed(window, writer.named(x), (), (), cod)
    turned = [a for a, stride in enumerate(step) if stride < 0]
    text = call("jnp.flip", x.text, str(tuple(turned))) if turned else x.text
    widths = []
    for first, stride, count, n in zip(start, step, extent, shape, strict=True):
        last = first + stride * (count - 1)
        low, high = min(first, last), max(first, last)
        widths.append((low, n - 1 - high, abs(stride) - 1 if count > 1 else 0))
    return Leaf(
        writer.assign(call("lax.pad", text, strong(_zero(cod)).text, str(tuple(widths))), "t"), cod
    )


def _row_put(writer: Writer, x: Leaf, index: int, axis: int, cod: Tensor) -> Value:
    """Zeros that hold ``x`` at an index that is known; one outside holds nothing."""
    if not 0 <= index < cod.shape[axis]:
        return Spread(_zero(cod), cod)
    shape = (*cod.shape[:axis], 1, *cod.shape[axis + 1 :])
    row = writer.assign(f"{x.text}.reshape({', '.join(map(str, shape))})", "row")
    start = tuple(index if a == axis else 0 for a in range(len(shape)))
    said = (("start", start), ("step", (1,) * len(shape)), ("shape", cod.shape))
    return Placed(Operation(_EMBED, said), Leaf(row, Tensor(shape, cod.dtype)), (), (), cod)


def _zero(obj: Tensor) -> Leaf:
    return number(0.0 if obj.is_smooth else False if obj.dtype == "bool" else 0, obj.dtype)


def total(writer: Writer, x: Value, y: Value, obj: Tensor, wish: str) -> Value:
    """The sum of two tensors, which may be zero but in some places."""
    match x, y:
        case (Placed(), Placed()) if are_apart(x, y) and _axis(x) == _axis(y):
            return x.beside(y)
    for put, other in ((y, x), (x, y)):
        if isinstance(put, Placed) and put.operation.name == "put":
            return _added(writer, writer.array(other), put, "total")
    return writer.elementwise("plus", (x, y), obj, wish)


def _axis(value: Placed) -> int:
    """The axis along which what is embedded is apart."""
    extents = zip(tensor(value.inner).shape, value.type.shape, strict=True)
    return next(axis for axis, (extent, n) in enumerate(extents) if extent != n)


def in_zeros(writer: Writer, value: Placed, wish: str) -> Leaf:
    """The array that waited."""
    if value.operation.name == "embed":
        return Leaf(writer.assign(_side_by_side(value), wish), value.type)
    zeros = writer.assign(filled(number(0, "int64"), value.type), "zeros")
    return _added(writer, Leaf(zeros, value.type), value, wish)


def _added(writer: Writer, x: Leaf, put: Placed, wish: str) -> Leaf:
    """``x``, with what is put added in its place."""
    axis = put.operation.keywords["axis"]
    function = "_add_inside" if _are_inside(put.bounds, put.type, axis) else "_add_at"
    operands = (writer.named(x), put.inner, *put.indices)
    along = [f"axis={axis}"] if axis else []
    text = call(function, *[leaf.text for leaf in operands], *along)
    return Leaf(writer.assign(text, wish), put.type)


def _side_by_side(value: Placed) -> Text:
    """Its pieces, and zeros before, between and behind them."""
    axis, obj = _axis(value), value.type
    placed = sorted(value.pieces, key=lambda piece: piece.box[axis].start)
    pieces = [(piece.box[axis].start, piece.inner) for piece in placed]
    if len(pieces) == 1:
        ((start, leaf),) = pieces
        rest = obj.shape[axis] - start - tensor(leaf).shape[axis]
        widths = tuple((start, rest, 0) if a == axis else (0, 0, 0) for a in range(len(obj.shape)))
        return call("lax.pad", leaf.text, strong(_zero(obj)).text, str(widths))
    parts: list[Text] = []
    here = 0
    ends: list[tuple[int, Leaf | None]] = [*pieces, (obj.shape[axis], None)]
    for start, piece in ends:
        if start > here:
            shape = (*obj.shape[:axis], start - here, *obj.shape[axis + 1 :])
            parts.append(call("jnp.zeros", str(shape), kind(obj.dtype)))
        if piece is not None:
            parts.append(piece.text)
            here = start + tensor(piece).shape[axis]
    along = [f"axis={axis}"] if axis else []
    return call("jnp.concatenate", Bracketed("[", tuple(parts), "]", display=True), *along)
