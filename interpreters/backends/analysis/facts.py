"""What is known of a value before its code is written; of a product, by components.

*Bounds* say between which integers its numbers lie: of ``i`` in ``range(10)``, ``i * 3 + 1`` lies
in 1 … 28, so that as an index of 30 elements it needs no test, as an exponent no case for negative
ones, and its square cannot leave 64 bits. *Doubt* says that a nan in it may be one that is not
meant, which ``lines`` explains. Of what a branch or a loop gives, either end is known.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from combinators.kit.recursion import Recursive
from combinators.literal import Literal
from combinators.objects import Object, Tensor, components
from combinators.terms import Lam

Bounds = tuple[int, int]
"""The least and the greatest."""
INT64 = (-(2**63), 2**63 - 1)
BIT = (0, 1)


@functools.lru_cache(maxsize=1 << 10)
def bounds_of_type(obj: Object) -> Bounds:
    """What every number of a type lies between; those of what holds no integers say nothing."""
    if not isinstance(obj, Tensor) or obj.is_smooth:
        return INT64
    if obj.dtype == "bool":
        return BIT
    limits = np.iinfo(obj.dtype)
    return int(limits.min), int(limits.max)


def joined(*bounds: Bounds) -> Bounds:
    """What any lies between."""
    return min([low for low, _ in bounds]), max([high for _, high in bounds])


def within(inner: Bounds, outer: Bounds) -> bool:
    """Whether all that lies between the first lies between the second."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def may_be_zero(bounds: Bounds) -> bool:
    """Whether 0 lies between them."""
    return bounds[0] <= 0 <= bounds[1]


def may_be_outside(bounds: Bounds, extent: int) -> bool:
    """Whether it may be no index of ``extent`` elements."""
    return bounds[0] < 0 or bounds[1] >= extent


def _ends(function: Callable[[int, int], int], a: Bounds, b: Bounds) -> Bounds:
    """Of what is monotonic in either argument: it is at its ends where they are."""
    ends = [function(x, y) for x in a for y in b]
    return min(ends), max(ends)


def _each(function: Callable[..., int], *args: Bounds) -> Bounds:
    """Of what grows with each argument."""
    return function(*[low for low, _ in args]), function(*[high for _, high in args])


def _remainder(a: Bounds, b: Bounds) -> Bounds:
    if b[0] < 0:
        return INT64
    most = max(b[1] - 1, 0)
    return 0, min(most, a[1]) if a[0] >= 0 else most


def _floor_divide(a: Bounds, b: Bounds) -> Bounds:
    if b[0] > 0:
        return _ends(operator.floordiv, a, b)
    return (min(a[0], 0), max(a[1], 0)) if b[0] >= 0 else (INT64[0], -INT64[0])


_PRODUCT = functools.partial(_ends, operator.mul)
_SUM = functools.partial(_each, operator.add)
UNWRAPPED: dict[str, Callable[..., Bounds]] = {
    "add": _SUM,
    "plus": _SUM,
    "subtract": functools.partial(_ends, operator.sub),
    "multiply": _PRODUCT,
    "scale": _PRODUCT,
    "square": lambda a: _PRODUCT(a, a),
    "negative": lambda a: (-a[1], -a[0]),
    "absolute": lambda a: (0, max(abs(a[0]), abs(a[1]))),
    "maximum": functools.partial(_each, max),
    "minimum": functools.partial(_each, min),
    "relu": lambda a: _each(max, a, (0, 0)),
    "clip": lambda a, low, high: _each(min, _each(max, a, low), high),
    "where": lambda _, a, b: joined(a, b),
    "concatenate": joined,
    "remainder": _remainder,
    "floor_divide": _floor_divide,
    "sign": lambda a: (-1, 1),
    **dict.fromkeys(("floor", "ceil", "trunc", "round", "max", "min"), lambda a: a),
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), lambda a, b: BIT),
    **dict.fromkeys(("equal", "not_equal", "logical_and", "logical_or"), lambda a, b: BIT),
    **dict.fromkeys(("logical_xor", "logical_not"), lambda *args: BIT),
    **dict.fromkeys(("take", "put", "embed"), lambda a, *indices: joined(a, (0, 0))),
}
"""What the result of a primitive of integers lies between, before it wraps."""


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """What is known of a value; of one whose components are not known, as of a tensor."""

    bounds: Bounds = INT64
    doubtful: bool = False
    """Whether it, or one of its components, or what it captures, is in doubt."""
    is_plain: bool = False
    """Whether it is a literal, finite and nowhere zero: it absorbs nothing, and is not absorbed."""
    parts: tuple[Fact, ...] = ()
    """The components of a product that are known."""
    function: Lam | None = None
    """A known λ, with what is known of what it captures."""
    captured: Mapping[str, Fact] | None = None


CLEAR, IN_DOUBT, PLAIN = Fact(), Fact(doubtful=True), Fact(is_plain=True)


class LineFact(NamedTuple):
    """What is known where a primitive stands that has to do with integers, or a matrix product."""

    bounds: Bounds
    """What its result lies between, once wrapped."""
    operands: tuple[Bounds, ...]
    wraps: bool
    """Whether the result may leave its type before it is wrapped."""
    doubtful: bool
    """Whether an operand is in doubt."""

    def or_(self, other: LineFact) -> LineFact:
        """Of a primitive that stands in two places."""
        operands = tuple(map(joined, self.operands, other.operands))
        wraps, doubtful = self.wraps or other.wraps, self.doubtful or other.doubtful
        return LineFact(joined(self.bounds, other.bounds), operands, wraps, doubtful)


class ProgramFacts(NamedTuple):
    """A program that has been read."""

    of: dict[int, LineFact]
    """What is known of primitives, by the ids of their terms; of others, nothing is to be known."""
    direct: set[int]
    """The terms that are made of a few primitives of tensors only."""
    result: Fact


UNKNOWN = LineFact(INT64, (INT64,) * 8, wraps=True, doubtful=False)


def facts_of(parts: tuple[Fact, ...]) -> Fact:
    """Of a product of these components."""
    return Fact(INT64, any(part.doubtful for part in parts), parts=parts)


def given(obj: Object, *, doubtful: bool) -> Fact:
    """What is known of a value of which the type is known, and whether it is in doubt."""
    if isinstance(obj, Tensor) and not obj.is_smooth:
        return Fact(bounds_of_type(obj))
    return IN_DOUBT if doubtful else CLEAR


def constant(literal: Literal) -> Fact:
    """What is known of a number or an array that is written out."""
    array = literal.array
    if not literal.type.is_smooth:
        return Fact((int(array.min()), int(array.max())) if array.size else INT64)
    if not array.shape:
        number = array.item()
        return PLAIN if number and number - number == 0 else CLEAR
    one = array.flat[:1] if not any(array.strides) else array
    return PLAIN if one.size and np.isfinite(one).all() and one.all() else CLEAR


def component(whole: Fact, index: int, obj: Object) -> Fact:
    """What is known of a component."""
    return whole.parts[index] if whole.parts else given(obj, doubtful=whole.doubtful)


Join = Callable[[Fact, Fact, Object], Fact]


def merged(
    join: Join, a: Fact, b: Fact, obj: Object, made: dict[tuple[int, int], Fact]
) -> Recursive[Fact]:
    """What is known of a value from what is known of two, by components; ``a`` if that is all."""
    key = id(a), id(b)
    if key not in made:
        product = components(obj)
        if a.parts and b.parts and product is not None:
            parts: list[Fact] = []
            for x, y, part in zip(a.parts, b.parts, product.parts, strict=True):
                parts.append((yield merged(join, x, y, part, made)))
            same = all(x is y for x, y in zip(a.parts, parts, strict=True))
            made[key] = a if same else facts_of(tuple(parts))
        else:
            made[key] = join(a, b, obj)
    return made[key]


def either(a: Fact, b: Fact, obj: Object) -> Fact:
    """What is known of one of two."""
    if a is b:
        return a
    doubtful, is_plain = a.doubtful or b.doubtful, a.is_plain and b.is_plain
    return Fact(joined(a.bounds, b.bounds), doubtful, is_plain)


def total(a: Fact, b: Fact, obj: Object) -> Fact:
    """What is known of the sum of two cotangents."""
    return IN_DOUBT if a.doubtful or b.doubtful else CLEAR


def widened(a: Fact, b: Fact, obj: Object) -> Fact:
    """What a loop carries, assumed more widely; the same where a round gives no more."""
    is_known = a.parts or a.function is not None
    fits = within(b.bounds, a.bounds) and (b.is_plain or not a.is_plain) and not is_known
    if fits and b.doubtful <= a.doubtful:
        return a
    doubtful = a.doubtful or b.doubtful
    return given(obj, doubtful=doubtful) if is_known else Fact(joined(a.bounds, b.bounds), doubtful)


def widest(a: Fact, b: Fact, obj: Object) -> Fact:
    """The same where it grows again: what its type says."""
    return a if widened(a, b, obj) is a else given(obj, doubtful=a.doubtful or b.doubtful)


def is_lost(known: Fact, obj: Object) -> bool:
    """Whether doubt is in a value in which no nan can be looked for."""
    todo = [(known, obj)]
    while todo:
        known, obj = todo.pop()
        product = components(obj)
        if not known.doubtful:
            continue
        if known.parts and product is not None:
            todo += zip(known.parts, product.parts, strict=True)
        elif not isinstance(obj, Tensor):
            return True
    return False
