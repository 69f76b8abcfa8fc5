"""Arrays as NumPy's: each primitive as an expression of names and numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from combinators.errors import MissingRule
from combinators.objects import Bool, Int, Real, Tensor
from combinators.terms import Prim
from interpreters.backends.analysis.lines import SCALES, hides_zeros
from interpreters.backends.text.layout import (
    COMPARISONS,
    SIGNS,
    Shape,
    Text,
    array_text,
    call,
    flat,
    tuple_of,
)
from interpreters.backends.text.leaves import tensor
from interpreters.carriers.opaque_values import OPAQUE
from interpreters.carriers.opaque_values import on_arrays as opaque_text
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
        case _ if not out and name in SIGNS and (name not in COMPARISONS or args[0] != args[1]):
            return f"{args[0]} {SIGNS[name]} {args[1]}"
        case "negative" if not out:
            return f"-{args[0]}"
    if name in UFUNCS:
        return call(f"np.{UFUNCS[name]}", *args, *([f"out={out}"] if out else []))
    text = ROWS[name].on_arrays(len(args))
    if not text:
        raise MissingRule(f"the Python backend has no expression for {name} of arrays")
    return text.format(*args)


def dtype_option(dtype: str) -> list[str]:
    """The keyword that NumPy needs, unless it takes floats anyway."""
    return [] if dtype == "float64" else [f'dtype="{dtype}"']


def shape_text(shape: Shape) -> str:
    """A shape as an argument."""
    return str(shape[0]) if len(shape) == 1 else str(shape)


def of_arrays(term: Prim, args: Sequence[str], given: Tensor, *, careful: bool) -> Text:
    """A primitive that is not elementwise, of arrays that are atoms; numbers are Python's own."""
    name, keywords, cod, x = term.operation.name, term.operation.keywords, tensor(term), args[0]
    axis = str(keywords.get("axis"))
    match name:
        case "broadcast_to":
            return f"np.broadcast_to({x}, {shape_text(cod.shape)})"
        case "reshape" if not cod.shape:
            return element(x, "", cod)
        case "exclusive_cumprod":
            return call("np.ones_like", x)
        case "recurrence":
            return call("_recurrence", *args, axis, "-1" if keywords["reverse"] else "1")
        case "concatenate":
            along = [f"axis={axis}"] if keywords["axis"] else []
            return call("np.concatenate", tuple_of(tuple(args)), *along)
    if name in OPAQUE:
        made = opaque_text(name, args, keywords)
        return f"{made}.item()" if cod in (Real, Int, Bool) else made
    text = array_text(term.operation, x, args, given, cod, '"{}"'.format)
    if name == "logsumexp":
        text = flat(call("_logsumexp", x, axis, str(keywords["keepdims"])))
    if name == "matmul" and careful and hides_zeros(term.operation):
        text = flat(call("_matmul_array", *args))
    if text is None:
        raise MissingRule(f"the Python backend has no code for the primitive {name}", term.place)
    return f"{text}.item()" if cod in (Real, Int, Bool) else text


def accumulated(x: str, y: str, axis: int, reverse: bool) -> Text:
    """Into ``y``, which is all ones, the products of what stands before each element of ``x``."""
    before, behind = (":0:-1", "-2::-1") if reverse else (":-1", "1:")
    along = [f"axis={axis}"] if axis else []
    source, target = (index_text(axis, [part]) for part in (before, behind))
    return call("np.multiply.accumulate", f"{x}[{source}]", *along, f"out={y}[{target}]")


def index_text(axis: int, indices: Sequence[str]) -> str:
    """``:, i, j``."""
    return ", ".join((*(":",) * axis, *indices))


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
