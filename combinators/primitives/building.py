"""Arrays of one number; and arrays written one element at a time: ``build``, by a λ.

The last are the words of 003, Figs. 7 and 8. ``build1 k (λi. t)`` is ``map (λi. t) iota[k]``: with
``iota`` the two are interdefinable (003, footnote 9), so every interpreter of ``map`` has both.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.literal import Literal
from combinators.objects import Int, Tensor
from combinators.operation import CONSTANT, Operation, declare, free
from combinators.primitives.indexing import getitem, put_at, take_at
from combinators.primitives.loops import MAP
from combinators.primitives.reductions import sum
from combinators.primitives.shapes import Shape, as_shape, astype, broadcast_to, shape_of
from combinators.primitives.signatures import check_axes
from combinators.terms import Const
from combinators.tracing.emit import dtype_of, emit, emit_operation, operand, unpack
from combinators.tracing.faces import put_together, take_apart
from combinators.tracing.functions import function_operand
from combinators.tracing.parameters import check_takes, parameter_names
from combinators.tracing.traced import Traced, library


def _filled(x: Any, number: float, dtype: Any) -> Any:
    return emit(Const(Literal.filled(number, Tensor(shape_of(x), _kind(x, dtype)))))


def _kind(x: Any, dtype: Any) -> Any:
    return np.result_type(dtype_of(x)) if dtype is None else np.dtype(dtype)


@library("zeros_like")
def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros of the shape of ``x``, held as one number."""
    return _filled(x, 0.0, dtype)


@library("ones_like")
def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones of the shape of ``x``, held as one number."""
    return _filled(x, 1.0, dtype)


@library("full_like")
def full_like(x: Any, fill_value: Any, dtype: Any = None) -> Any:
    """``fill_value``, which may be traced, in the shape and element type of ``x``."""
    return broadcast_to(astype(fill_value, _kind(x, dtype)), shape_of(x))


@library("shape", word=False)
def shape(x: Any) -> tuple[int, ...]:
    """The shape: known while tracing."""
    return shape_of(x)


@library("ndim", word=False)
def ndim(x: Any) -> int:
    """The number of axes: known while tracing."""
    return len(shape_of(x))


@library("size", word=False)
def size(x: Any) -> int:
    """The number of elements: known while tracing."""
    return math.prod(shape_of(x))


IOTA = declare("iota", lambda length: Tensor((length,), "int64"), CONSTANT, cost=free)


def _extents(shape: int | Sequence[int]) -> Shape:
    """A shape of extents that are integers, and not negative."""
    extents = as_shape(shape)
    if any(extent < 0 for extent in extents):
        raise ShapeMismatch(f"a shape has no negative extents, and this is {extents}")
    check_axes(extents)
    return extents


@library("index")
def index(x: Any, *at: Any) -> Any:
    """``x[i, j, …]`` (003, Fig. 7): also of an array of NumPy's, which takes no traced index.

    Static indices wrap and raise as in NumPy. Traced ones outside ``[0, n)`` read 0.
    """
    return getitem(x, at)


@library("lookup")
def lookup(x: Any, *at: Any) -> Any:
    """``x[i, j, …]`` as a computed index has it, even of literals: one outside ``[0, n)`` reads 0.

    ``index`` is NumPy's, by which a literal index counts from the end where it is negative.
    """
    return take_at(x, at, 0) if at else x


@library("iota")
def iota(n: int) -> Any:
    """The indices ``0, 1, …, n-1``: a Tensor of shape ``(n,)`` and int64."""
    (length,) = _extents((n,))
    return emit_operation(Operation(IOTA, (("length", length),)), ())


@library("build")
def build(shape: int | Sequence[int], f: Callable[..., Any]) -> Any:
    """The array whose element at ``i, j, …`` is ``f(i, j, …)`` (003, Fig. 7).

    ``f`` takes one Int for each extent of ``shape``, and gives a number, an array, whose axes
    follow those of ``shape``, or a container of them; at the shape ``()`` it is ``f()``.
    """
    extents = _extents(shape)
    if not callable(f):
        raise TypeMismatch(f"build takes a function of indices, and this is {f!r:.60}")
    if not isinstance(f, Traced):
        check_takes(f, (Int,) * len(extents))
    return _built(extents, f, parameter_names(f, len(extents)), ())


def _built(extents: Shape, f: Callable[..., Any], names: Sequence[str], at: tuple[Any, ...]) -> Any:
    if not extents:
        return f(*at)

    def row(index: Any) -> Any:
        return _built(extents[1:], f, names[1:], (*at, index))

    parameter = inspect.Parameter(names[0], inspect.Parameter.POSITIONAL_ONLY)
    row.__signature__ = inspect.Signature([parameter])  # type: ignore[attr-defined]  # inspect asks
    term, face = function_operand(row, (Int,), (None,))
    return unpack(face, emit_operation(MAP, (term, operand(iota(extents[0])))))


@library("replicate")
def replicate(k: int, x: Any) -> Any:
    """``x``, ``k`` times along a new leading axis (003, Fig. 7).

    Of a container it repeats what is in it, as ``build(k, lambda i: x)`` does; a list that is given
    itself is an array, as for NumPy.
    """
    (count,) = _extents((k,))
    face, leaves = (None, [x]) if isinstance(x, list) else take_apart(x)
    repeated = (broadcast_to(leaf, (count, *shape_of(leaf))) for leaf in leaves)
    return put_together(face, repeated)


@library("gather")
def gather(shape: int | Sequence[int], x: Any, f: Callable[..., Any]) -> Any:
    """``build(shape, λis. x[f(is)])``: elements of ``x``, taken at once (003, section 3.3).

    ``f`` gives an index, or a tuple of them, into the leading axes of ``x``: computed ones, even
    where they are literals, so that those outside ``[0, n)`` read 0. Where it takes fewer indices
    than ``shape`` has extents, the others are those of ``x``'s remaining axes.
    """
    extents = _extents(shape)
    count = _arity(f, len(extents))
    tables = _tables(extents[:count], f, shape_of(x))
    rest = shape_of(x)[len(tables) :]
    if extents[count:] != rest:
        raise ShapeMismatch(
            f"a gather of shape {extents} by {count} indices leaves {extents[count:]} for what "
            f"it takes, and that has the shape {rest}"
        )
    return take_at(x, tables, 0) if tables else broadcast_to(x, extents)


@library("scatter")
def scatter(shape: int | Sequence[int], x: Any, f: Callable[..., Any]) -> Any:
    """Zeros of this ``shape``, to which ``x[is]`` is added at ``f(is)`` (003, section 3.3).

    ``f`` takes indices of leading axes of ``x``, and gives an index, or a tuple of them, into
    the leading axes of the result; what it sends outside ``[0, n)`` is left out, by a literal as
    by any other index. Booleans are counted.
    """
    extents, given = _extents(shape), shape_of(x)
    if np.result_type(dtype_of(x)) == np.bool_:
        x = astype(x, np.int64)
    count = _arity(f, len(given))
    tables = _tables(given[:count], f, extents)
    if extents[len(tables) :] != given[count:]:
        raise ShapeMismatch(
            f"a scatter of shape {extents} leaves {extents[len(tables) :]} for what it puts at "
            f"{len(tables)} indices, and that has the shape {given[count:]}"
        )
    return put_at(x, tables, 0, extents[: len(tables)]) if tables else sum(x, tuple(range(count)))


def _arity(f: Callable[..., Any], most: int) -> int:
    """How many indices ``f`` takes; of a function that takes any number, all of them."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return most
    several = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    required = [p for p in parameters if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
    count = most if several else len(required)
    if count > most:
        raise ShapeMismatch(f"the function takes {count} indices, and there are {most} axes")
    return count


def _tables(extents: Shape, f: Callable[..., Any], target: Shape) -> tuple[Any, ...]:
    """The indices that ``f`` gives, an array of this shape for each axis that it speaks of."""

    def entries(*at: Any) -> tuple[Any, ...]:
        given = f(*at)
        indices = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        if len(indices) > len(target):
            raise ShapeMismatch(f"{len(indices)} indices are too many for the shape {target}")
        if any(map(shape_of, indices)):
            raise TypeMismatch(f"an index is one integer an axis, and this is {given!r:.60}")
        for entry in indices:
            if np.result_type(dtype_of(entry)).kind in "bfc":
                raise TypeMismatch(
                    f"gather and scatter: indices are integers, and this is {entry!r:.60}"
                )
        return indices

    made: tuple[Any, ...] = build(extents, entries)
    return made
