"""The primitives of arrays and numbers as nodes: a row each.

What moves elements is a view or an assembly; what is pointwise is a node of its name, or several
(``sigmoid`` is ``where(x ≥ 0, 1, e) / (1 + e)`` with ``e = exp(−|x|)``, as its values say).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from combinators.errors import MissingRule
from combinators.objects import Tensor
from combinators.operation import Operation
from interpreters.backends.llvm.bands import banded
from interpreters.backends.llvm.graph import GraphBuilder, Node
from interpreters.backends.llvm.indices import Shape
from interpreters.carriers.pointwise_values import ROWS as POINTWISE


def of_arrays(graph: GraphBuilder, operation: Operation, args: Sequence[Node], obj: Tensor) -> Node:
    """The node of a primitive of arrays; ``MissingRule`` where it has no code."""
    name = operation.name
    known = banded(graph, name, args, obj, operation.keywords)
    if known is not None:
        return known
    row = ROWS.get(name)
    if row is not None:
        return row(graph, args, obj, **operation.keywords)
    if name in POINTWISE or name in ("where", "convert"):
        return _pointwise(graph, name, args, obj)
    raise MissingRule(f"the native backend has no code for {name}")


def summed(graph: GraphBuilder, x: Node, y: Node) -> Node:
    """The sum of two arrays of one type."""
    return banded(graph, "add", (x, y), Tensor(x.shape, x.dtype), {}) or graph.add(x, y)


def _pointwise(graph: GraphBuilder, name: str, args: Sequence[Node], obj: Tensor) -> Node:
    """A node of its name; products that hide no zero are plain."""
    known = [x.par if x.op == "fill" else None for x in args]
    if name == "convert" and args[0].dtype == obj.dtype:
        return args[0]
    if name == "add" and all(x.shape == obj.shape for x in args):
        return graph.add(args[0], args[1]) if _assembled(args) else _plain(graph, name, args, obj)
    if name in ("scale", "unscale"):
        asked = known if name == "scale" else known[1:]
        if obj.dtype[0] != "f" or any(map(_is_finite_nonzero, asked)):
            name = "multiply" if name == "scale" else "divide"
    if name == "power" and known[1] is not None and obj.dtype[0] == "f":
        return _power(graph, args, known[1], obj)
    return _plain(graph, name, args, obj)


def _plain(graph: GraphBuilder, name: str, args: Sequence[Node], obj: Tensor) -> Node:
    return graph.pointwise(name, args, obj.shape, obj.dtype)


def _assembled(args: Sequence[Node]) -> bool:
    return any(x.op == "assembly" for x in args)


def _is_finite_nonzero(number: Any) -> bool:
    return number is not None and number != 0 and number - number == 0


def _power(graph: GraphBuilder, args: Sequence[Node], exponent: Any, obj: Tensor) -> Node:
    """A known power: the square root and the square are what NumPy takes for them."""
    x = args[0]
    if exponent == 0.5:
        return _plain(graph, "sqrt", [x], obj)
    if exponent == 2:
        return _plain(graph, "multiply", [x, x], obj)
    return _plain(graph, "power", args, obj)


# ---- what is several pointwise nodes


def _number(graph: GraphBuilder, value: Any, obj: Tensor) -> Node:
    return graph.fill(value, (), obj.dtype)


def _square(graph: GraphBuilder, args: Sequence[Node], obj: Tensor) -> Node:
    return _plain(graph, "multiply", [args[0], args[0]], obj)


def _reciprocal(graph: GraphBuilder, args: Sequence[Node], obj: Tensor) -> Node:
    return _plain(graph, "divide", [_number(graph, 1, obj), args[0]], obj)


def _relu(graph: GraphBuilder, args: Sequence[Node], obj: Tensor) -> Node:
    return _plain(graph, "maximum", [args[0], _number(graph, 0, obj)], obj)


def _clip(graph: GraphBuilder, args: Sequence[Node], obj: Tensor) -> Node:
    return _plain(graph, "minimum", [_plain(graph, "maximum", args[:2], obj), args[2]], obj)


def _sigmoid(graph: GraphBuilder, args: Sequence[Node], obj: Tensor) -> Node:
    (x,) = args
    one, bits = _number(graph, 1, obj), Tensor(obj.shape, "bool")
    small = _plain(graph, "exp", [_negative_size(graph, x, obj)], obj)
    is_positive = _plain(graph, "greater_equal", [x, _number(graph, 0, obj)], bits)
    above = _plain(graph, "where", [is_positive, one, small], obj)
    return _plain(graph, "divide", [above, _plain(graph, "add", [one, small], obj)], obj)


def _negative_size(graph: GraphBuilder, x: Node, obj: Tensor) -> Node:
    return _plain(graph, "negative", [_plain(graph, "absolute", [x], obj)], obj)


def _logaddexp(graph: GraphBuilder, args: Sequence[Node], obj: Tensor) -> Node:
    """``max(x, y) + log1p(exp(−|x − y|))``; of equal infinities, x."""
    x, y = args
    bits = Tensor(obj.shape, "bool")
    apart = _plain(graph, "subtract", [x, y], obj)
    small = _plain(graph, "exp", [_negative_size(graph, apart, obj)], obj)
    largest = _plain(graph, "maximum", [x, y], obj)
    found = _plain(graph, "add", [largest, _plain(graph, "log1p", [small], obj)], obj)
    are_equal = _plain(graph, "equal", [x, y], bits)
    ln2 = _plain(graph, "add", [x, _number(graph, 0.6931471805599453, obj)], obj)
    return _plain(graph, "where", [are_equal, ln2, found], obj)


def _softplus(graph: GraphBuilder, args: Sequence[Node], obj: Tensor) -> Node:
    return _logaddexp(graph, [args[0], _number(graph, 0, obj)], obj)


# ---- what moves elements


def _reshape(graph: GraphBuilder, args: Sequence[Node], obj: Tensor, shape: Shape) -> Node:
    return graph.reshape(args[0], obj.shape)


def _transpose(graph: GraphBuilder, args: Sequence[Node], obj: Tensor, axes: Shape) -> Node:
    return graph.transpose(args[0], axes)


def _broadcast_to(graph: GraphBuilder, args: Sequence[Node], obj: Tensor, shape: Shape) -> Node:
    return graph.broadcast(args[0], obj.shape)


def _slice(
    graph: GraphBuilder, args: Sequence[Node], obj: Tensor, start: Shape, step: Shape, extent: Shape
) -> Node:
    return graph.window(args[0], (start, step), obj.shape)


def _embed(
    graph: GraphBuilder, args: Sequence[Node], obj: Tensor, start: Shape, step: Shape, shape: Shape
) -> Node:
    return graph.assembly([(args[0], (start, step))], obj.shape, obj.dtype)


def _concatenate(graph: GraphBuilder, args: Sequence[Node], obj: Tensor, axis: int) -> Node:
    rank = len(obj.shape)
    starts = accumulate((x.shape[axis] for x in args), initial=0)
    windows = ((tuple(at if i == axis else 0 for i in range(rank)), (1,) * rank) for at in starts)
    return graph.assembly(list(zip(args, windows, strict=False)), obj.shape, obj.dtype)


def _take(graph: GraphBuilder, args: Sequence[Node], obj: Tensor, axis: int) -> Node:
    return graph.node("take", args, axis, obj.shape, obj.dtype) if obj.size else _none(graph, obj)


def _put(graph: GraphBuilder, args: Sequence[Node], obj: Tensor, axis: int, extents: Shape) -> Node:
    if not obj.size or not args[0].size:
        return _none(graph, obj)
    return graph.node("put", args, axis, obj.shape, obj.dtype)


def _none(graph: GraphBuilder, obj: Tensor) -> Node:
    return graph.fill(0, obj.shape, obj.dtype)


# ---- what runs over axes


def _reduction(kind: str) -> Callable[..., Node]:
    def row(
        graph: GraphBuilder, args: Sequence[Node], obj: Tensor, axis: Shape, keepdims: bool = False
    ) -> Node:
        return graph.reshape(graph.reduce(kind, args[0], tuple(axis)), obj.shape)

    return row


def _position(kind: str) -> Callable[..., Node]:
    def row(
        graph: GraphBuilder, args: Sequence[Node], obj: Tensor, axis: Shape, keepdims: bool = False
    ) -> Node:
        """The least of the positions of what equals the extreme, or is nan."""
        (x,), (along,) = args, axis
        count, bits = x.shape[along], Tensor(x.shape, "bool")
        shape = tuple(1 if i == along else n for i, n in enumerate(x.shape))
        extreme = graph.reshape(graph.reduce(kind, x, (along,)), shape)
        is_it = _plain(graph, "equal", [x, extreme], bits)
        is_nan = _plain(graph, "not_equal", [x, x], bits)
        of_axis = tuple(n if i == along else 1 for i, n in enumerate(x.shape))
        places = graph.reshape(graph.node("iota", (), None, (count,), "int64"), of_axis)
        found = [_plain(graph, "logical_or", [is_it, is_nan], bits), places]
        found.append(graph.fill(count, (), "int64"))
        where = _plain(graph, "where", found, Tensor(x.shape, "int64"))
        return graph.reshape(graph.reduce("min", where, (along,)), obj.shape)

    return row


def _logsumexp(
    graph: GraphBuilder, args: Sequence[Node], obj: Tensor, axis: Shape, keepdims: bool = False
) -> Node:
    """``log(sum(exp(x − m))) + m`` with the largest ``m``, where that is finite."""
    (x,) = args
    kept = Tensor(tuple(1 if i in axis else n for i, n in enumerate(x.shape)), x.dtype)
    whole, bits = Tensor(x.shape, x.dtype), Tensor(kept.shape, "bool")
    largest = graph.reshape(graph.reduce("max", x, tuple(axis)), kept.shape)
    size = _plain(graph, "absolute", [largest], kept)
    is_finite = _plain(graph, "less", [size, _number(graph, float("inf"), kept)], bits)
    base = _plain(graph, "where", [is_finite, largest, _number(graph, 0, kept)], kept)
    powers = _plain(graph, "exp", [_plain(graph, "subtract", [x, base], whole)], whole)
    total = graph.reshape(graph.reduce("sum", powers, tuple(axis)), kept.shape)
    found = _plain(graph, "add", [_plain(graph, "log", [total], kept), base], kept)
    return graph.reshape(found, obj.shape)


def _running(name: str) -> Callable[..., Node]:
    def row(
        graph: GraphBuilder, args: Sequence[Node], obj: Tensor, axis: int, reverse: bool = False
    ) -> Node:
        if not obj.size:
            return _none(graph, obj)
        return graph.node(name, args, (axis, reverse), obj.shape, obj.dtype)

    return row


def _matmul(
    graph: GraphBuilder, args: Sequence[Node], obj: Tensor, absorbing: bool = False
) -> Node:
    """A product of matrices; of a column and a row, one of elements."""
    x, y = args
    if not obj.size or not x.size:
        return _none(graph, obj)
    if len(x.shape) < 2 or len(y.shape) < 2:
        raise MissingRule("the native backend multiplies matrices, and this is a vector")
    if x.shape[-1] == 1:
        return _pointwise(graph, "scale" if absorbing else "multiply", args, obj)
    lead = obj.shape[:-2]
    x, y = (graph.broadcast(a, (*lead, *a.shape[-2:])) for a in (x, y))
    return graph.node("matmul", (x, y), absorbing, obj.shape, obj.dtype)


def _iota(graph: GraphBuilder, args: Sequence[Node], obj: Tensor, length: int) -> Node:
    return graph.node("iota", (), None, obj.shape, obj.dtype)


def _same(graph: GraphBuilder, args: Sequence[Node], obj: Tensor, **_: Any) -> Node:
    return args[0]


ROWS: dict[str, Callable[..., Node]] = {
    "square": _square,
    "reciprocal": _reciprocal,
    "relu": _relu,
    "clip": _clip,
    "sigmoid": _sigmoid,
    "softplus": _softplus,
    "logaddexp": _logaddexp,
    "reshape": _reshape,
    "transpose": _transpose,
    "broadcast_to": _broadcast_to,
    "slice": _slice,
    "embed": _embed,
    "concatenate": _concatenate,
    "take": _take,
    "put": _put,
    "logsumexp": _logsumexp,
    "matmul": _matmul,
    "iota": _iota,
    "stop_gradient": _same,
    "argmax": _position("max"),
    "argmin": _position("min"),
    **{kind: _reduction(kind) for kind in ("sum", "prod", "max", "min")},
    **{name: _running(name) for name in ("cumsum", "exclusive_cumprod", "recurrence")},
}
