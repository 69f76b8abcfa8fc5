"""Arrays as NumPy's: each primitive as an expression of names and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from combinators.errors import MissingRule
from combinators.objects import Bool, Int, Real, Tensor
from combinators.operation import Operation
from interpreters.backends.analysis.lines import SCALES, hides_zeros
from interpreters.backends.text.layout import (
    COMPARISONS,
    Shape,
    Text,
    call,
    flat,
    slice_text,
    tuple_of,
)
from interpreters.carriers.pointwise_values import ROWS

UFUNCS = {
    **{name: row.numpy.__name__ for name, row in ROWS.items() if isinstance(row.numpy, np.ufunc)},
    "plus": "add",
    "scale": "multiply",
    "unscale": "divide",
    "power": "power",
    "round": "round",
    "relu": "maximum",
    "softplus": "logaddexp",
    "reciprocal": "divide",
}
"""The ufunc of each elementwise primitive that has one."""

_INFIX = {
    "add": "+",
    "plus": "+",
    "subtract": "-",
    "multiply": "*",
    "scale": "*",
    "divide": "/",
    "unscale": "/",
    "floor_divide": "//",
    "remainder": "%",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
    "logical_and": "&",
    "logical_or": "|",
    "logical_xor": "^",
}
_OTHERS = frozenset(("plus", "where"))


def is_elementwise(name: str) -> bool:
    """Whether a primitive is written element by element."""
    return name in ROWS or name in _OTHERS


def elementwise_text(
    name: str, args: Sequence[str], dtype: str, out: str, *, careful: bool
) -> Text:
    """An elementwise primitive; into the array ``out``, where there is one."""
    zero, one = ("0.0", "1.0") if dtype == "float64" else ("0", "1")
    if careful and name in SCALES:
        return call(f"_{name}_array", *args)
    match name:
        case "total_power":
            return call("_total_power", *args)
        case "clip":
            return call("np.minimum", call("np.maximum", args[0], args[1]), args[2])
        case "where":
            return call("np.where", *args)
        case "relu" | "softplus":
            args = (*args, zero)
        case "reciprocal":
            args = (one, *args)
        case _ if not out and name in _INFIX and (name not in COMPARISONS or args[0] != args[1]):
            return f"{args[0]} {_INFIX[name]} {args[1]}"
        case "negative" if not out:
            return f"-{args[0]}"
    if name not in UFUNCS:
        return _of_row(name, args)
    target = (f"out={out}",) if out else ()
    return call(f"np.{UFUNCS[name]}", *args, *target)


def _of_row(name: str, args: Sequence[str]) -> Text:
    """What is written as its row of values says."""
    text = ROWS[name].on_arrays(len(args))
    if not text:
        raise MissingRule(f"the Python backend has no expression for {name} of arrays")
    return text.format(*args)


def _axes(axis: Shape, rank: int) -> list[str]:
    if len(axis) == rank:
        return []
    return [f"axis={axis[0] if len(axis) == 1 else axis}"]


def _reduction(name: str, x: str, given: Tensor, axis: Shape, keepdims: bool) -> Text:
    options = _axes(axis, len(given.shape))
    if keepdims:
        options.append("keepdims=True")
    if name in ("sum", "prod") and given.dtype not in ("float64", "int64", "uint64"):
        options.append(f'dtype="{given.dtype}"')
    return call(f"{x}.{name}", *options)


def dtype_option(dtype: str) -> list[str]:
    """The keyword that NumPy needs, unless it takes floats anyway."""
    return [] if dtype == "float64" else [f'dtype="{dtype}"']


def shape_text(shape: Shape) -> str:
    """A shape as an argument."""
    return str(shape[0]) if len(shape) == 1 else str(shape)


def _new(
    operation: Operation, args: Sequence[str], types: Sequence[Tensor], *, careful: bool
) -> Text:
    """A primitive that makes a new array, or a NumPy scalar."""
    parameters = operation.keywords
    match operation.name:
        case "sum" | "prod" | "max" | "min" | "argmax" | "argmin":
            return _reduction(operation.name, args[0], types[0], **parameters)
        case "cumsum":
            axis = f"axis={parameters['axis']}"
            narrow = types[0].dtype not in ("float64", "int64", "uint64")
            return call(
                f"{args[0]}.cumsum", axis, *([f'dtype="{types[0].dtype}"'] if narrow else [])
            )
        case "exclusive_cumprod":
            return call("np.ones_like", args[0])
        case "recurrence":
            step = "-1" if parameters["reverse"] else "1"
            return call("_recurrence", *args, str(parameters["axis"]), step)
        case "logsumexp":
            axis, keepdims = parameters["axis"], parameters["keepdims"]
            return call("_logsumexp", args[0], str(axis), str(keepdims))
        case "concatenate":
            axis = parameters["axis"]
            return call("np.concatenate", tuple_of(tuple(args)), *([f"axis={axis}"] * (axis > 0)))
        case "convert":
            return f'{args[0]}.astype("{parameters["dtype"]}")'
        case "matmul" if careful and hides_zeros(operation):
            return call("_matmul_array", *args)
        case "matmul":
            return f"{args[0]} @ {args[1]}"
        case name:
            raise MissingRule(f"the Python backend has no code for the primitive {name}")


def new_array(
    operation: Operation,
    args: Sequence[str],
    types: Sequence[Tensor],
    cod: Tensor,
    *,
    careful: bool,
) -> Text:
    """A primitive that computes; a number comes out as Python's own where it has one."""
    text = _new(operation, args, types, careful=careful)
    if cod.shape or cod not in (Real, Int, Bool):
        return text
    return f"{flat(text)}.item()"


def accumulated(x: str, y: str, axis: int, reverse: bool) -> Text:
    """Into ``y``, which is all ones, the products of what stands before each element of ``x``."""
    before, behind = (":0:-1", "-2::-1") if reverse else (":-1", "1:")
    along = [f"axis={axis}"] if axis else []
    source, target = (index_text(axis, [part]) for part in (before, behind))
    return call("np.multiply.accumulate", f"{x}[{source}]", *along, f"out={y}[{target}]")


def index_text(axis: int, indices: Sequence[str]) -> str:
    """``:, i, j``."""
    return ", ".join((*(":",) * axis, *indices))


def view(operation: Operation, args: Sequence[str], types: Sequence[Tensor], cod: Tensor) -> str:
    """A primitive that only looks at an array, or at a part of it."""
    parameters, x = operation.keywords, args[0]
    match operation.name:
        case "stop_gradient":
            return x
        case "reshape" if not cod.shape:
            return element(x, "", cod)
        case "reshape":
            return f"{x}.reshape({', '.join(map(str, cod.shape))})"
        case "transpose":
            axes = parameters["axes"]
            if axes == tuple(range(len(axes))):
                return x
            if axes == tuple(reversed(range(len(axes)))):
                return f"{x}.T"
            return f"{x}.transpose({', '.join(map(str, axes))})"
        case "slice":
            return f"{x}[{slice_text(**parameters, shape=types[0].shape)}]"
        case _:
            return f"np.broadcast_to({x}, {shape_text(cod.shape)})"


def element(x: str, index: str, cod: Tensor) -> str:
    """One number of an array."""
    if cod in (Real, Int, Bool):
        return f"{x}.item({index})"
    return f"{x}[{index}]" if index else f"{x}.reshape(())[()]"


def filled(number: str, literal: float | None, obj: Tensor) -> Text:
    """A new array of one number."""
    shape = shape_text(obj.shape)
    options = dtype_option(obj.dtype)
    if literal is not None and literal in (0, 1) and math.copysign(1, literal) > 0:
        return call(f"np.{'ones' if literal else 'zeros'}", shape, *options)
    return call("np.full", shape, number, *options)
