"""Primitives of whole arrays: moved, reduced, joined, multiplied, taken apart by indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor
from combinators.primitives.checks import CHECKS
from combinators.terms import Prim
from interpreters.backends.analysis.facts import UNKNOWN, LineFact, may_be_outside
from interpreters.backends.text.emitter import Spread, are_added_apart
from interpreters.backends.text.emitter import plus as summed
from interpreters.backends.text.layout import ATOM, Bracketed, Text, call, slice_text
from interpreters.backends.xla.elementwise import (
    ABSORBING,
    FORMS,
    elementwise,
    is_elementwise,
    written,
)
from interpreters.backends.xla.jax_values import (
    JaxFrame,
    JaxLeaf,
    Origin,
    Pieces,
    Put,
    Value,
    kind,
    strong,
    tensor,
)
from interpreters.backends.xla.placements import JaxEmitter, added, embedded, joined, row_put

Shape = tuple[int, ...]
_MOVES = frozenset({"broadcast_to", "reshape", "transpose", "slice"})
_WIDENED = frozenset({"sum", "prod", "cumsum"})
"""What JAX, as NumPy, computes of narrow integers in wider ones."""


def primitive(
    emitter: JaxEmitter, term: Prim, args: Sequence[Value], at: JaxFrame, wish: str
) -> Value:
    """A primitive of tensors."""
    name, parameters, cod = term.operation.name, term.operation.keywords, tensor(term)
    if is_elementwise(name) and name != "matmul":
        return elementwise(emitter, name, args, cod, at, emitter.line(term))
    if name in _MOVES and (moved := _waiting(emitter, args[0], name, cod, at)) is not None:
        return moved
    if name == "stop_gradient":
        return args[0]
    operands = [emitter.array(arg, at) for arg in args]
    if name == "put":
        inner, *indices = [at.named(x) for x in (strong(operands[0]), *operands[1:])]
        if len(indices) == 1 and indices[0].literal is not None:
            return row_put(inner, int(indices[0].literal), parameters["axis"], cod, at)
        places, axis = tuple(map(strong, indices)), parameters["axis"]
        return Put(inner, places, axis, cod, _are_inside(emitter.line(term), cod, axis))
    if name == "embed":
        return embedded(strong(operands[0]), cod, at, **parameters)
    if name == "matmul":
        form = ABSORBING if parameters.get("absorbing") else FORMS["matmul"]
        return written(form, operands, cod, at)
    if name in CHECKS:
        raise MissingRule(
            "a program on XLA cannot raise where it runs, and this one has the checks of "
            "fun(…, checked=True); leave them out here, or run it on the Python backend",
            term.place,
        )
    if name not in _WRITTEN:
        raise MissingRule(f"the XLA backend has no code for the primitive {name}", term.place)
    if name == "take" and _are_inside(emitter.line(term), tensor(operands[0]), parameters["axis"]):
        name = "take_inside"
    text = _WRITTEN[name](operands, cod, **parameters)
    made = Origin(name, tuple(operands), parameters)
    return JaxLeaf(text if isinstance(text, str) else at.assign(text, wish), cod, origin=made)


def _waiting(emitter: JaxEmitter, x: Value, name: str, cod: Tensor, at: JaxFrame) -> Value | None:
    """A repetition, or a move of a number that is repeated, which wait; None of anything else."""
    if isinstance(x, Spread) and (name == "broadcast_to" or not tensor(x.inner).shape):
        return Spread(x.inner, cod) if cod.shape else x.inner
    if name != "broadcast_to" and tensor(x).shape:
        return None
    leaf = emitter.array(x, at)
    return leaf if tensor(leaf).shape == cod.shape else Spread(at.named(leaf), cod)


def _tight(x: JaxLeaf) -> str:
    """An array of which a method is called: a number has an element type of its own first."""
    x = strong(x)
    return x.text if x.level == ATOM else f"({x.text})"


def _reduced(name: str) -> Callable[..., Text]:
    def text(args: Sequence[JaxLeaf], cod: Tensor, axis: Shape, keepdims: bool) -> Text:
        given = tensor(args[0])
        options = [] if len(axis) == len(given.shape) else [f"axis={_one(axis)}"]
        options += ["keepdims=True"] * keepdims
        if name in _WIDENED and _is_narrow(given):
            options.append(f"dtype={kind(given.dtype)}")
        if name == "logsumexp":
            return call("jax.nn.logsumexp", args[0].text, *options)
        return f"{_tight(args[0])}.{name}({', '.join(options)})"

    return text


def _one(axis: Shape) -> int | Shape:
    return axis[0] if len(axis) == 1 else axis


def _is_narrow(obj: Tensor) -> bool:
    return not obj.is_smooth and not obj.dtype.endswith("64")


def _cumsum(args: Sequence[JaxLeaf], cod: Tensor, axis: int) -> Text:
    narrow = f", dtype={kind(cod.dtype)}" if _is_narrow(cod) else ""
    return f"{_tight(args[0])}.cumsum(axis={axis}{narrow})"


def _running(name: str) -> Callable[..., Text]:
    def text(args: Sequence[JaxLeaf], cod: Tensor, axis: int, reverse: bool) -> Text:
        if not cod.shape[axis]:
            return args[0].text
        return call(f"_{name}", *(x.text for x in args), str(axis), str(reverse))

    return text


def _reshape(args: Sequence[JaxLeaf], cod: Tensor, shape: Shape) -> Text:
    """``x[0]``, which the language writes as a window and a reshape, is written so again."""
    made = args[0].origin
    if made is not None and made.name == "slice":
        extent = made.parameters["extent"]
        if shape == tuple(n for n in extent if n != 1):
            return _slice(made.operands, cod, **made.parameters, drop=True)
    return f"{_tight(args[0])}.reshape({', '.join(map(str, shape or ((),)))})"


def _transpose(args: Sequence[JaxLeaf], cod: Tensor, axes: Shape) -> Text:
    if axes == tuple(range(len(axes))):
        return args[0].text
    x = _tight(args[0])
    return f"{x}.T" if axes == tuple(reversed(range(len(axes)))) else f"{x}.transpose{axes}"


def _slice(args: Sequence[JaxLeaf], cod: Tensor, **window: Any) -> Text:
    return f"{_tight(args[0])}[{slice_text(**window, shape=tensor(args[0]).shape)}]"


def _are_inside(line: LineFact, whole: Tensor, axis: int) -> bool:
    """Whether no index of elements of an array can lie outside."""
    known = zip(line.operands[1:], whole.shape[axis:], strict=False)
    return line is not UNKNOWN and not any(may_be_outside(*each) for each in known)


def _taken(function: str) -> Callable[..., Text]:
    def text(args: Sequence[JaxLeaf], cod: Tensor, axis: int) -> Text:
        along = [f"axis={axis}"] if axis else []
        return call(function, *(strong(x).text for x in args), *along)

    return text


def _concatenate(args: Sequence[JaxLeaf], cod: Tensor, axis: int) -> Text:
    listed = Bracketed("[", tuple(x.text for x in args), "]", display=True)
    return call("jnp.concatenate", listed, *([f"axis={axis}"] if axis else []))


_WRITTEN: dict[str, Callable[..., Text]] = {
    **{name: _reduced(name) for name in ("sum", "prod", "max", "min", "argmax", "argmin")},
    "logsumexp": _reduced("logsumexp"),
    **{name: _running(name) for name in ("exclusive_cumprod", "recurrence")},
    "cumsum": _cumsum,
    "reshape": _reshape,
    "transpose": _transpose,
    "slice": _slice,
    "take": _taken("_take"),
    "take_inside": _taken("_take_inside"),
    "concatenate": _concatenate,
    "convert": lambda args, cod, dtype: f"{_tight(args[0])}.astype({kind(dtype)})",
    "iota": lambda args, cod, length: f"jnp.arange({length}, dtype={kind('int64')})",
}
"""From operands and parameters to text; one that is a string may stand inside another."""


def plus(emitter: JaxEmitter, x: Value, y: Value, obj: Object, at: JaxFrame) -> Recursive[Value]:
    """The sum of two cotangents of one type, by components."""

    def as_one(x: Value, y: Value, obj: Object) -> Recursive[Value | None]:
        if isinstance(obj, Tensor):
            return _sum(emitter, x, y, obj, at)
        if are_added_apart(x, y, obj):
            return None
        a: JaxLeaf = yield emitter.leaf(x, at)
        b: JaxLeaf = yield emitter.leaf(y, at)
        return JaxLeaf(at.assign(call("_plus", a.text, b.text), "total"), obj)

    result: Value = yield summed(emitter, x, y, obj, as_one, {})
    return result


def _sum(emitter: JaxEmitter, x: Value, y: Value, obj: Tensor, at: JaxFrame) -> Value:
    """The sum of two tensors, which may be zero but in some places."""
    if isinstance(x, Pieces) and isinstance(y, Pieces):
        both = joined(x, y)
        if both is not None:
            return both
    for put, other in ((y, x), (x, y)):
        if isinstance(put, Put):
            return added(emitter.array(other, at), put, at, "total")
    return elementwise(emitter, "plus", (x, y), obj, at)
