"""Checks: machine code looks whether one may fail, and then gives up.

    within[axis=0, extent=5] i        is any i < 0 or ≥ 5?     Python runs the program, and raises
    exact[of=multiply] (m, n)         is |m · n| ≥ 2⁶² as a float64?

The Python program raises what is to be raised, where it is; a look that is too careful costs time
and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from combinators.operation import Operation
from interpreters.backends.llvm.graph import GraphBuilder, Node


def may_fail(graph: GraphBuilder, operation: Operation, args: Sequence[Node]) -> Node:
    """Whether a check may fail."""
    known, name = operation.keywords, operation.name
    if name in ("whole", "exact"):
        bits = 62 if known["dtype"] == "int64" else 30
        size = _size(graph, known.get("of", "absolute"), [_as(graph, x, "float64") for x in args])
        return _any(graph, _not(graph, _compared(graph, "less", size, 2.0**bits)))
    x = _as(graph, args[0], "int64")
    if name == "nonzero":
        return _any(graph, _compared(graph, "equal", x, 0))
    below = _compared(graph, "less", x, 0)
    if name == "nonnegative":
        return _any(graph, below)
    above = _compared(graph, "greater_equal", x, known["extent" if name == "within" else "most"])
    if name == "limited":
        return _any(graph, above)
    return _any(graph, graph.pointwise("logical_or", (below, above), x.shape, "bool"))


def _size(graph: GraphBuilder, of: str, args: Sequence[Node]) -> Node:
    """How large the results of an operation on integers are at most, as floats."""
    sizes = [graph.pointwise("absolute", (x,), x.shape, "float64") for x in args]
    match of:
        case "negative" | "absolute":
            return sizes[0]
        case "sum" | "cumsum":
            return _over_all(graph, "sum", sizes[0])
        case "prod":
            return graph.reduce("prod", sizes[0], tuple(range(len(sizes[0].shape))))
        case "matmul":
            count = args[0].shape[-1] if args[0].shape else 1
            largest = [_over_all(graph, "max", x) for x in sizes]
            return _times(graph, [*largest, graph.fill(count, (), "float64")])
        case "square":
            return _times(graph, [args[0], args[0]])
        case _:
            shape = np.broadcast_shapes(*(x.shape for x in args))
            found = graph.pointwise(of, args, shape, "float64")
            return graph.pointwise("absolute", (found,), shape, "float64")


def _times(graph: GraphBuilder, args: Sequence[Node]) -> Node:
    found, *rest = args
    for x in rest:
        found = graph.pointwise("multiply", (found, x), found.shape, "float64")
    return found


def _over_all(graph: GraphBuilder, kind: str, x: Node) -> Node:
    return graph.reduce(kind, x, tuple(range(len(x.shape))))


def _as(graph: GraphBuilder, x: Node, dtype: str) -> Node:
    return x if x.dtype == dtype else graph.pointwise("convert", (x,), x.shape, dtype)


def _compared(graph: GraphBuilder, name: str, x: Node, number: float) -> Node:
    return graph.pointwise(name, (x, graph.fill(number, (), x.dtype)), x.shape, "bool")


def _not(graph: GraphBuilder, x: Node) -> Node:
    return graph.pointwise("logical_not", (x,), x.shape, "bool")


def _any(graph: GraphBuilder, x: Node) -> Node:
    return _over_all(graph, "max", x)
