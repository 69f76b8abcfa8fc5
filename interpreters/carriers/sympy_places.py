"""Numbers as expressions; and elements at places, where an index may itself be an expression."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import sympy
from sympy import S

from combinators.errors import DomainError, TooManyRounds
from combinators.operation import Operation, named
from interpreters.carriers.carrier import Compute, computation
from interpreters.carriers.numpy import NumPy, as_array
from interpreters.carriers.numpy_values import fits

_KNOWN = {
    math.pi: sympy.pi,
    2 * math.pi: 2 * sympy.pi,
    math.pi / 2: sympy.pi / 2,
    math.e: sympy.E,
    math.log(2.0): sympy.log(2),
    math.log(10.0): sympy.log(10),
    math.sqrt(2.0): sympy.sqrt(2),
    math.sqrt(math.pi): sympy.sqrt(sympy.pi),
    2.0 / math.sqrt(math.pi): 2 / sympy.sqrt(sympy.pi),
}
"""Floats that are written to stand for a number that no float is."""

_SHORT = 1024
"""The largest denominator of a float that is written as a fraction."""


def expression(value: Any) -> Any:
    """A number as an expression; a float that is no short binary fraction stays a float.

    >>> expression(2.0), expression(0.375), expression(0.1), expression(3.141592653589793)
    (2, 3/8, 0.100000000000000, pi)
    """
    if isinstance(value, sympy.Basic):
        return value
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, float):
        return sympy.sympify(plain)
    if plain in _KNOWN:
        return _KNOWN[plain]
    if not math.isfinite(plain):
        return sympy.nan if plain != plain else sympy.oo * int(math.copysign(1, plain))  # noqa: PLR0124
    numerator, denominator = plain.as_integer_ratio()
    if denominator <= _SHORT and abs(plain) < 2**53:
        return sympy.Rational(numerator, denominator)
    return sympy.Float(plain)


_expressions = np.frompyfunc(expression, 1, 1)


def expressions(values: Any) -> Any:
    """An array of expressions; of one number that expression."""
    if isinstance(values, sympy.Basic):
        return values
    with np.errstate(all="ignore"):  # NumPy would warn of each nan that it hands over
        return _expressions(np.asarray(values))


Law = Callable[[Any], Any]
"""From an index, which may be open, to the value there."""


def law_of(values: Sequence[Any]) -> Law | None:
    """The law of ``values``, whose numbers move evenly from one to the next; None: none is found.

    >>> a = sympy.IndexedBase("a")
    >>> law = law_of([sympy.sin(k) * a[9 - 2 * k] for k in range(4)])
    >>> law(sympy.Symbol("i"))
    sin(i)*a[9 - 2*i]
    """
    if len(set(values)) == 1:
        return lambda index: values[0]
    if len(values) < 3:
        return None
    place = sympy.Dummy("k", integer=True, nonnegative=True)
    last = len(values) - 1
    law = _between(values[last - 1], values[last], place - (last - 1))
    if law is None or any(law.xreplace({place: sympy.S(k)}) != x for k, x in enumerate(values)):
        return None
    return lambda index: law.xreplace({place: index})


def _between(x: Any, y: Any, steps: Any) -> Any:
    """What is ``x`` after no steps and ``y`` after one; None where they are not of one form."""
    if x == y:
        return x
    if x.is_Rational and y.is_Rational:
        return x + (y - x) * steps
    if not x.args or x.func != y.func or len(x.args) != len(y.args):
        return None
    args = [_between(*pair, steps) for pair in zip(x.args, y.args, strict=True)]
    return None if None in args else x.func(*args)


MOST_PLACES = 64
"""How many elements an open index may choose from, a case each."""


class Index(sympy.Dummy):  # type: ignore[misc]  # SymPy has no types
    """The variable of a sum: an integer from 0 to ``last``."""

    last: int

    @staticmethod
    def below(extent: int) -> Index:
        """A variable that runs over ``range(extent)``."""
        index = Index("i", integer=True, nonnegative=True)
        index.last = extent - 1
        return index


def _integers(indices: Sequence[Any]) -> list[Any] | None:
    """The indices as NumPy's integers; None where one is open."""
    arrays = [as_array(index) for index in indices]
    if not all(x.is_Integer for array in arrays for x in array.flat):
        return None
    return [array.astype(np.int64)[()] for array in arrays]


def _ends(index: Any) -> tuple[Any, Any] | None:
    """Between which values lies an index that is linear in the variables of sums; None: unknown."""
    symbols = sorted(index.free_symbols, key=str)
    if not all(isinstance(s, Index) for s in symbols) or not index.is_polynomial(*symbols):
        return None
    if symbols and sympy.Poly(index, *symbols).total_degree() > 1:
        return None
    corners = product(*([0, s.last] for s in symbols))
    values = [index.xreplace(dict(zip(symbols, map(S, corner), strict=True))) for corner in corners]
    return min(values), max(values)


def within(index: Any, extent: int) -> Any:
    """The proposition that an index lies in ``range(extent)``, as far as it is open."""
    if isinstance(index, sympy.Mod) and index.args[1].is_Integer and 0 < index.args[1] <= extent:
        return sympy.true
    low, high = _ends(index) or (None, None)
    before = index.is_nonnegative or (low is not None and low >= 0)
    behind = (extent - 1 - index).is_nonnegative or (high is not None and high < extent)
    return sympy.And(before or sympy.Ge(index, 0), behind or sympy.Lt(index, extent))


def element(values: Any, index: Any, outside: Any = S.Zero) -> Any:
    """``values[index]`` along the leading axis, at an open index.

    Values that are one expression in the index are written as such; otherwise there is a case for
    each value, and one for what is ``outside``.
    """
    columns = values.reshape(len(values), -1)
    chosen = np.empty(columns.shape[1], dtype=object)
    for at in range(len(chosen)):
        chosen[at] = _chosen(columns[:, at], index, outside)
    return chosen.reshape(values.shape[1:])[()]


def _chosen(values: Any, index: Any, outside: Any) -> Any:
    inside = within(index, len(values))
    law = law_of(values)
    if law is not None:
        return sympy.Piecewise((law(index), inside), (outside, True))
    if len(values) > MOST_PLACES:
        raise DomainError(
            f"a formula would need {len(values)} cases for an element at an open index: no law was "
            "found that gives them all; index by a number, or take that of a smaller instance"
        )
    cases = [(value, sympy.Eq(index, k)) for k, value in enumerate(values)]
    rest = cases.pop()[0] if inside == sympy.true else outside
    return sympy.Piecewise(*cases, (rest, True))


def taken(axis: int, dtype: str) -> Compute:
    """``take``, of elements that are propositions or numbers."""
    known = computation(Operation(named("take"), (("axis", axis),)), NumPy())
    outside = sympy.false if dtype == "bool" else S.Zero

    def compute(x: Any, *indices: Any) -> Any:
        count = len(indices)
        numbers = _integers(indices)
        if numbers is not None and all(map(fits, numbers, x.shape[axis : axis + count])):
            return known(x, *numbers)
        places = np.broadcast_arrays(*map(as_array, indices))
        shape = places[0].shape
        ahead = np.moveaxis(x, range(axis, axis + count), range(count))
        rows = np.empty((*shape, *ahead.shape[count:]), dtype=object)
        for at in np.ndindex(shape):
            rows[at] = _pick(ahead, [place[at] for place in places], outside)
        return np.moveaxis(rows, range(len(shape)), range(axis, axis + len(shape)))[()]

    return compute


def _pick(values: Any, indices: Sequence[Any], outside: Any) -> Any:
    for index in indices:
        if not index.is_Integer:
            values = element(values, index, outside)
        elif 0 <= index < len(values):
            values = values[int(index)]
        else:
            values = np.full(values.shape[1:], outside, dtype=object)[()]
    return values


def put(axis: int, extents: tuple[int, ...]) -> Compute:
    """``put``, where a number may come to each place."""
    parameters = (("axis", axis), ("extents", extents))
    known = computation(Operation(named("put"), parameters), NumPy())

    def compute(x: Any, *indices: Any) -> Any:
        numbers = _integers(indices)
        if numbers is not None:
            return expressions(known(as_array(x), *numbers))
        places = np.broadcast_arrays(*map(as_array, indices))
        shape = places[0].shape
        rows = np.moveaxis(as_array(x), range(axis, axis + len(shape)), range(len(shape)))
        whole = expressions(np.zeros((*extents, *rows.shape[len(shape) :]), dtype=int))
        for at in np.ndindex(shape):
            for target in np.ndindex(extents):
                here = sympy.And(*(sympy.Eq(p[at], k) for p, k in zip(places, target, strict=True)))
                whole[target] = whole[target] + _present(rows[at], here)
        return np.moveaxis(whole, range(len(extents)), range(axis, axis + len(extents)))

    return compute


def asked(operation: Operation) -> Compute:
    """A check of numbers; what is open is not asked."""
    known = computation(operation, NumPy())

    def compute(x: Any, *others: Any) -> Any:
        numbers = _integers([x, *others])
        try:
            if numbers is not None:
                known(*numbers)
        except TooManyRounds as error:
            said = "in a formula a test of symbols ends nothing; let it end by a known number, or: "
            raise TooManyRounds(f"{said}{error.args[0]}", error.place) from None
        return x

    return compute


def _present(value: Any, here: Any) -> Any:
    """``value``, and 0 elsewhere."""
    present = np.frompyfunc(lambda v: sympy.Piecewise((v, here), (S.Zero, True)), 1, 1)
    return present(as_array(value))
