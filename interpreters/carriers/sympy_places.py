"""Elements at places: ``take`` and ``put``, where an index may itself be an expression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import sympy
from sympy import S

from combinators.errors import DomainError
from combinators.operation import Operation, named
from interpreters.carriers.carrier import Compute, computation
from interpreters.carriers.numpy import NumPy
from interpreters.carriers.sympy_numbers import expressions

MOST_PLACES = 64
"""How many elements an open index may choose from, a case each."""


class Index(sympy.Dummy):  # type: ignore[misc]
    """The variable of a sum: an integer from 0 to ``last``."""

    last: int

    @staticmethod
    def below(extent: int) -> Index:
        """A variable that runs over ``range(extent)``."""
        index = Index("i", integer=True, nonnegative=True)
        index.last = extent - 1
        return index


def _array(x: Any) -> Any:
    return x if isinstance(x, np.ndarray) else np.array(x, dtype=object)


def _integers(indices: Sequence[Any]) -> list[Any] | None:
    """The indices as NumPy's integers; None where one is open."""
    arrays = [_array(index) for index in indices]
    if not all(x.is_Integer for array in arrays for x in array.flat):
        return None
    return [array.astype(np.int64)[()] for array in arrays]


def _least(index: Any) -> Any:
    """The least value of an index that is linear in the variables of sums; None if unknown."""
    symbols = sorted(index.free_symbols, key=str)
    if not all(isinstance(s, Index) for s in symbols) or not index.is_polynomial(*symbols):
        return None
    if symbols and sympy.Poly(index, *symbols).total_degree() > 1:
        return None
    corners = product(*([0, s.last] for s in symbols))
    return min(
        index.xreplace(dict(zip(symbols, map(S, corner), strict=True))) for corner in corners
    )


def is_from_zero(index: Any) -> bool:
    """Whether an index is known not to count from the end."""
    if index.is_nonnegative:
        return True
    least = _least(index)
    return least is not None and bool(least >= 0)


def element(values: Any, index: Any) -> Any:
    """``values[index]`` along the leading axis, at an open index.

    An arithmetic progression and the elements of a symbol are written as such; otherwise there is
    a case for each value.
    """
    columns = values.reshape(len(values), -1)
    chosen = np.empty(columns.shape[1], dtype=object)
    for at in range(len(chosen)):
        chosen[at] = _chosen(columns[:, at], index)
    return chosen.reshape(values.shape[1:])[()]


def _chosen(values: Any, index: Any) -> Any:
    if len(set(values)) == 1:
        return values[0]
    law = _progression(values) or _subscripts(values)
    if law is not None:
        return _wrapped(law, index, len(values))
    if len(values) > MOST_PLACES:
        raise DomainError(
            f"a formula would need {len(values)} cases for an element at {index}; index by a "
            "number, or take the formula of a smaller instance"
        )
    cases = [(value, _is_at(index, k, len(values))) for k, value in enumerate(values[:-1])]
    return sympy.Piecewise(*cases, (values[-1], True))


def _is_at(index: Any, place: int, extent: int) -> Any:
    here = sympy.Eq(index, place)
    return here if is_from_zero(index) else sympy.Or(here, sympy.Eq(index, place - extent))


Law = Callable[[Any], Any]


def _progression(values: Any) -> Law | None:
    if len(values) < 3 or not all(value.is_Integer for value in values):
        return None
    first, step = values[0], values[1] - values[0]
    if any(value != first + step * k for k, value in enumerate(values)):
        return None
    return lambda index: first + step * index


def _subscripts(values: Any) -> Law | None:
    first = values[0]
    if not isinstance(first, sympy.Indexed):
        return None
    base, (start, *rest) = first.base, first.indices
    if any(value != base[(start + k, *rest)] for k, value in enumerate(values)):
        return None
    return lambda index: base[(start + index, *rest)]


def _wrapped(law: Law, index: Any, extent: int) -> Any:
    if is_from_zero(index):
        return law(index)
    return sympy.Piecewise((law(index + extent), index < 0), (law(index), True))


def _take(axis: int) -> Compute:
    known = computation(Operation(named("take"), (("axis", axis),)), NumPy())

    def compute(x: Any, *indices: Any) -> Any:
        numbers = _integers(indices)
        if numbers is not None:
            return known(x, *numbers)
        places = np.broadcast_arrays(*map(_array, indices))
        shape = places[0].shape
        ahead = np.moveaxis(x, range(axis, axis + len(indices)), range(len(indices)))
        rows = np.empty((*shape, *ahead.shape[len(indices) :]), dtype=object)
        for at in np.ndindex(shape):
            rows[at] = _pick(ahead, [place[at] for place in places])
        return np.moveaxis(rows, range(len(shape)), range(axis, axis + len(shape)))[()]

    return compute


def _pick(values: Any, indices: Sequence[Any]) -> Any:
    for index in indices:
        values = values[int(index)] if index.is_Integer else element(values, index)
    return values


def _put(axis: int, extents: tuple[int, ...]) -> Compute:
    parameters = (("axis", axis), ("extents", extents))
    known = computation(Operation(named("put"), parameters), NumPy())

    def compute(x: Any, *indices: Any) -> Any:
        numbers = _integers(indices)
        if numbers is not None:
            return expressions(known(_array(x), *numbers))
        places = np.broadcast_arrays(*map(_array, indices))
        shape = places[0].shape
        rows = np.moveaxis(_array(x), range(axis, axis + len(shape)), range(len(shape)))
        whole = expressions(np.zeros((*extents, *rows.shape[len(shape) :]), dtype=int))
        for at in np.ndindex(shape):
            for target in np.ndindex(extents):
                here = _all_at([place[at] for place in places], target, extents)
                whole[target] = whole[target] + _present(rows[at], here)
        return np.moveaxis(whole, range(len(extents)), range(axis, axis + len(extents)))

    return compute


def _all_at(indices: Sequence[Any], target: Sequence[int], extents: Sequence[int]) -> Any:
    return sympy.And(*map(_is_at, indices, target, extents))


def _present(value: Any, here: Any) -> Any:
    """``value``, and 0 elsewhere."""
    present = np.frompyfunc(lambda v: sympy.Piecewise((v, here), (S.Zero, True)), 1, 1)
    return present(value) if isinstance(value, np.ndarray) else present(_array(value))


PLACES = {"take": _take, "put": _put}
