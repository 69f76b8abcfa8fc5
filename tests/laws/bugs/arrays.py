"""Array operations on the rationals, each with its value, its transpose and its pushforward."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

Value = Callable[..., Any]


class Known(NamedTuple):
    """``value(xs)``, ``pull(g, xs, y, types)``, a part an argument, and ``push(vs, xs, y)``."""

    value: Value
    pull: Value
    push: Value


def scalar(x: Any) -> Any:
    """An array of no axes is its number."""
    return x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x


def spread(x: Any, shape: tuple[int, ...]) -> Any:
    return scalar(np.broadcast_to(np.asarray(x, dtype=object), shape).copy())


def summed_to(g: Any, shape: tuple[int, ...]) -> Any:
    """The transpose of broadcasting."""
    g = np.asarray(g, dtype=object)
    lead = g.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(
        lead + i for i, n in enumerate(shape) if n == 1 and g.shape[lead + i] != 1
    )
    kept = add_up(g, axes)
    return scalar(np.asarray(kept, dtype=object).reshape(shape))


def add_up(x: Any, axes: tuple[int, ...], *, keepdims: bool = False) -> Any:
    x = np.asarray(x, dtype=object)
    made = np.sum(x, axis=axes, keepdims=keepdims, initial=Fraction(0)) if axes else x
    return scalar(np.asarray(made, dtype=object))


def absorbing(v: Any, slope: Any) -> Any:
    """A product in which a zero absorbs what is no finite number."""
    v, slope = np.asarray(v, dtype=object), np.asarray(slope, dtype=object)
    return scalar(np.asarray(np.where((v == 0) | (slope == 0), Fraction(0), v * slope), object))


def pointwise(value: Value, *slopes: Value) -> Known:
    """An operation element by element, with its partial derivatives as functions of ``xs``."""

    def pull(g: Any, xs: Any, y: Any, types: Any) -> list[Any]:
        return [
            summed_to(absorbing(g, spread(slope(*xs), np.shape(y))), t.shape)
            for slope, t in zip(slopes, types, strict=True)
        ]

    def push(vs: Any, xs: Any, y: Any) -> Any:
        moved = sum(absorbing(v, slope(*xs)) for v, slope in zip(vs, slopes, strict=True))
        return spread(moved, np.shape(y))

    return Known(lambda xs: scalar(np.asarray(value(*xs), dtype=object)), pull, push)


def linear(value: Value, transpose: Value) -> Known:
    """A linear map of one array: ``transpose(g, type, **p)``."""
    return Known(
        lambda xs, **p: scalar(value(np.asarray(xs[0]), **p)),
        lambda g, xs, y, types, **p: [scalar(transpose(np.asarray(g), types[0], **p))],
        lambda vs, xs, y, **p: scalar(value(np.asarray(vs[0]), **p)),
    )


def constant(value: Value) -> Known:
    """An operation with integers or booleans as results."""
    return Known(
        lambda xs: value(*xs),
        lambda g, xs, y, types: [None] * len(types),
        lambda vs, xs, y: None,
    )


def spread_over(g: Any, obj: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    """The transpose of a sum over ``axis``."""
    if not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, obj.shape).copy()


def concatenated(xs: Any, axis: int) -> Any:
    return np.concatenate([np.asarray(x, dtype=object) for x in xs], axis=axis)


def parts(g: Any, xs: Any, y: Any, types: Any, axis: int) -> list[Any]:
    """The transpose of joining."""
    ends = np.cumsum([t.shape[axis] for t in types])[:-1]
    return list(np.split(g, ends, axis=axis))


def product(x: Any, y: Any) -> Any:
    return np.asarray(x, dtype=object) @ np.asarray(y, dtype=object)


def turned(x: Any) -> Any:
    return np.swapaxes(x, -1, -2)


def indices(start: Any, step: Any, extent: Any) -> Any:
    """Where a window stands."""
    return np.ix_(*(b + s * np.arange(n) for b, s, n in zip(start, step, extent, strict=True)))


def put_at(g: Any, shape: tuple[int, ...], at: Any) -> Any:
    """The transpose of indexing: what is taken twice is added twice."""
    made = np.full(shape, Fraction(0), dtype=object)
    np.add.at(made, at, g)
    return made


def rows_at(x: Any, at: Any, axis: int) -> Any:
    """Rows; where an index lies outside, zeros, which stand behind the last row."""
    longer = [(0, int(a == axis)) for a in range(x.ndim)]
    return scalar(np.pad(x, longer, constant_values=Fraction(0))[_places(at, x.shape, axis)])


def rows_put(g: Any, shape: tuple[int, ...], at: Any, axis: int) -> Any:
    """The transpose: what stands behind the last row goes."""
    longer = (*shape[:axis], shape[axis] + 1, *shape[axis + 1 :])
    made = put_at(g, longer, _places(at, shape, axis))
    return made[(*(slice(None),) * axis, slice(shape[axis]))]


def _places(at: Any, shape: tuple[int, ...], axis: int) -> Any:
    n = shape[axis]
    return (*(slice(None),) * axis, np.where((at >= 0) & (at < n), at, n))


def matmul_back(g: Any, xs: Any, y: Any, types: Any) -> list[Any]:
    return [
        summed_to(product(g, turned(xs[1])), types[0].shape),
        summed_to(product(turned(xs[0]), g), types[1].shape),
    ]


ARRAYS: dict[str, Known] = {
    "add": pointwise(lambda x, y: x + y, lambda x, y: 1, lambda x, y: 1),
    "subtract": pointwise(lambda x, y: x - y, lambda x, y: 1, lambda x, y: -1),
    "multiply": pointwise(lambda x, y: x * y, lambda x, y: y, lambda x, y: x),
    "negative": pointwise(lambda x: -x, lambda x: -1),
    "logical_not": constant(np.logical_not),
    "less": constant(np.less),
    "sum": linear(lambda x, axis, keepdims: add_up(x, axis, keepdims=keepdims), spread_over),
    "broadcast_to": linear(
        lambda x, shape: spread(x, shape), lambda g, t, shape: summed_to(g, t.shape)
    ),
    "reshape": linear(lambda x, shape: x.reshape(shape), lambda g, t, shape: g.reshape(t.shape)),
    "transpose": linear(
        lambda x, axes: x.transpose(axes), lambda g, t, axes: g.transpose(np.argsort(axes))
    ),
    "slice": linear(
        lambda x, **window: x[indices(**window)],
        lambda g, t, **window: put_at(g, t.shape, indices(**window)),
    ),
    "take": Known(
        lambda xs, axis: rows_at(*xs, axis),
        lambda g, xs, y, types, axis: [rows_put(g, types[0].shape, xs[1], axis), None],
        lambda vs, xs, y, axis: rows_at(vs[0], xs[1], axis),
    ),
    "concatenate": Known(concatenated, parts, lambda vs, xs, y, axis: concatenated(vs, axis)),
    "matmul": Known(
        lambda xs: product(*xs),
        matmul_back,
        lambda vs, xs, y: product(vs[0], xs[1]) + product(xs[0], vs[1]),
    ),
}


def changed(name: str, **rules: Value) -> dict[str, Known]:
    """The operations, of which ``name`` has other rules."""
    return {**ARRAYS, name: ARRAYS[name]._replace(**rules)}
