"""What is known of a value before its code is written; of a product, by components.

*Bounds* say between which integers its numbers lie: of ``i`` in ``range(10)``, ``i * 3 + 1`` lies
in 1 … 28, so that as an index of 30 elements it needs no test, as an exponent no case for negative
ones, and its square cannot leave 64 bits. *Doubt* says that a nan in it may be one that is not
meant, which ``lines`` explains. Of what a branch or a loop gives, either end is known.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

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


def bounds_of_literal(literal: Literal) -> Bounds:
    """What the numbers of an array of integers lie between."""
    array = literal.array
    if literal.type.is_smooth or not array.size:
        return INT64
    return int(array.min()), int(array.max())


def joined(a: Bounds, b: Bounds) -> Bounds:
    """What either lies between."""
    return (min(a[0], b[0])), (max(a[1], b[1]))


def within(inner: Bounds, outer: Bounds) -> bool:
    """Whether all that lies between the first lies between the second."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def may_be_zero(bounds: Bounds) -> bool:
    """Whether 0 lies between them."""
    return bounds[0] <= 0 <= bounds[1]


def may_be_outside(bounds: Bounds, extent: int) -> bool:
    """Whether it may be no index of ``extent`` elements."""
    return bounds[0] < 0 or bounds[1] >= extent


def unwrapped(name: str, args: Sequence[Bounds]) -> Bounds:
    """What the result of an elementwise primitive lies between, before it wraps."""
    a, b = args[-2 if name == "where" else 0], args[-1]
    match name:
        case "add" | "plus":
            return a[0] + b[0], a[1] + b[1]
        case "subtract":
            return a[0] - b[1], a[1] - b[0]
        case "multiply" | "square" | "scale":
            ends = [x * y for x in a for y in b]
            return min(ends), max(ends)
        case "negative":
            return -a[1], -a[0]
        case "absolute":
            return (0, max(abs(a[0]), abs(a[1])))
        case "maximum":
            return max(a[0], b[0]), max(a[1], b[1])
        case "minimum":
            return min(a[0], b[0]), min(a[1], b[1])
        case "relu":
            return max(a[0], 0), max(a[1], 0)
        case "clip":
            low, high = args[1], args[2]
            return min(max(a[0], low[0]), high[0]), min(max(a[1], low[1]), high[1])
        case "where":
            return joined(a, b)
        case "remainder" if b[0] >= 0:
            most = max(b[1] - 1, 0)
            return 0, min(most, a[1]) if a[0] >= 0 else most
        case "sign":
            return -1, 1
        case "floor" | "ceil" | "trunc" | "round":
            return a
        case "floor_divide" if b[0] > 0:
            ends = [x // y for x in a for y in b]
            return min(ends), max(ends)
        case "floor_divide":
            return (min(a[0], 0), max(a[1], 0)) if b[0] >= 0 else (INT64[0], -INT64[0])
        case "less" | "less_equal" | "greater" | "greater_equal" | "equal" | "not_equal":
            return BIT
        case "logical_and" | "logical_or" | "logical_xor" | "logical_not":
            return BIT
        case _:
            return INT64


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """What is known of a value of any type."""

    bounds: Bounds = INT64
    doubtful: bool = False
    is_plain: bool = False
    """Whether it is a literal, finite and nowhere zero: it absorbs nothing, and is not absorbed."""


@dataclass(frozen=True, slots=True, eq=False)
class ProductFact:
    """What is known of the components of a product."""

    parts: tuple[Known, ...]
    doubtful: bool
    """Whether one of them is in doubt."""
    has_code: bool
    """Whether one of them is a known λ."""


@dataclass(frozen=True, slots=True, eq=False)
class LamFact:
    """A λ, and what is known of what it captures."""

    function: Lam
    captured: Mapping[str, Known]
    doubtful: bool
    """Whether something that it captures is in doubt."""


Known: TypeAlias = Fact | ProductFact | LamFact
Made: TypeAlias = dict[tuple[int, int], Known]

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
        operands = tuple([joined(x, y) for x, y in zip(self.operands, other.operands, strict=True)])
        wraps, doubtful = self.wraps or other.wraps, self.doubtful or other.doubtful
        return LineFact(joined(self.bounds, other.bounds), operands, wraps, doubtful)


class ProgramFacts(NamedTuple):
    """A program that has been read."""

    of: dict[int, LineFact]
    """What is known of primitives, by the ids of their terms; of others, nothing is to be known."""
    direct: set[int]
    """The terms that are made of a few primitives of tensors only."""
    result: Known


UNKNOWN = LineFact(INT64, (INT64,) * 8, wraps=True, doubtful=False)


def facts_of(parts: tuple[Known, ...]) -> ProductFact:
    """Of a product of these components."""
    doubtful = has_code = False
    for part in parts:
        doubtful = doubtful or part.doubtful
        has_code = has_code or isinstance(part, LamFact)
        has_code = has_code or (isinstance(part, ProductFact) and part.has_code)
    return ProductFact(parts, doubtful, has_code)


def given(obj: Object, *, doubtful: bool) -> Fact:
    """What is known of a value of which the type is known, and whether it is in doubt."""
    if isinstance(obj, Tensor) and not obj.is_smooth:
        return Fact(bounds_of_type(obj))
    return IN_DOUBT if doubtful else CLEAR


def constant(literal: Literal) -> Fact:
    """What is known of a number or an array that is written out."""
    if not literal.type.is_smooth:
        return Fact(bounds_of_literal(literal))
    array = literal.array
    if not array.shape:
        number = array.item()
        return PLAIN if number and number - number == 0 else CLEAR
    one = array.flat[:1] if not any(array.strides) else array
    return PLAIN if one.size and np.isfinite(one).all() and one.all() else CLEAR


def component(whole: Known, index: int, obj: Object) -> Known:
    """What is known of a component."""
    if isinstance(whole, ProductFact):
        return whole.parts[index]
    return given(obj, doubtful=whole.doubtful)


def as_one(known: Known) -> Fact:
    """What is known of a value that becomes one object."""
    if isinstance(known, Fact):
        return known
    return IN_DOUBT if known.doubtful else CLEAR


def closed(known: Known, made: dict[int, Known], codes: list[LamFact]) -> Recursive[Known]:
    """The same once every λ in it is an object; the λs are added to ``codes``."""
    if isinstance(known, LamFact):
        codes.append(known)
        return CLEAR
    if not isinstance(known, ProductFact) or not known.has_code:
        return known
    if id(known) not in made:
        parts: list[Known] = []
        for part in known.parts:
            parts.append((yield closed(part, made, codes)))
        made[id(known)] = facts_of(tuple(parts))
    return made[id(known)]


def either(a: Known, b: Known, made: Made) -> Recursive[Known]:
    """What is known of one of two; λs are objects in it."""
    if a is b:
        return a
    key = id(a), id(b)
    if key in made:
        return made[key]
    if isinstance(a, ProductFact) and isinstance(b, ProductFact):
        parts: list[Known] = []
        for x, y in zip(a.parts, b.parts, strict=True):
            parts.append((yield either(x, y, made)))
        made[key] = facts_of(tuple(parts))
    else:
        x, y = as_one(a), as_one(b)
        is_plain = x.is_plain and y.is_plain
        made[key] = Fact(joined(x.bounds, y.bounds), x.doubtful or y.doubtful, is_plain)
    return made[key]


def total(a: Known, b: Known, made: Made) -> Recursive[Known]:
    """What is known of the sum of two cotangents."""
    key = id(a), id(b)
    if key not in made and isinstance(a, ProductFact) and isinstance(b, ProductFact):
        parts: list[Known] = []
        for x, y in zip(a.parts, b.parts, strict=True):
            parts.append((yield total(x, y, made)))
        made[key] = facts_of(tuple(parts))
    elif key not in made:
        made[key] = IN_DOUBT if a.doubtful or b.doubtful else CLEAR
    return made[key]


def widened(before: Known, after: Known, obj: Object, made: Made, *, far: bool) -> Recursive[Known]:
    """What a loop carries, assumed more widely; the same where a round gives no more.

    First it is what is known of either; if that grows again, ``far``, it is what its type says.
    """
    key = id(before), id(after)
    if key in made:
        return made[key]
    found = before
    if isinstance(before, ProductFact) and isinstance(after, ProductFact):
        product = components(obj)
        assert product is not None
        parts: list[Known] = []
        for x, y, part in zip(before.parts, after.parts, product.parts, strict=True):
            parts.append((yield widened(x, y, part, made, far=far)))
        if any(x is not y for x, y in zip(before.parts, parts, strict=True)):
            found = facts_of(tuple(parts))
    else:
        a, b = as_one(before), as_one(after)
        fits = within(b.bounds, a.bounds) and (b.is_plain or not a.is_plain)
        if not fits or b.doubtful > a.doubtful or not isinstance(before, Fact):
            doubtful = a.doubtful or b.doubtful
            found = given(obj, doubtful=doubtful)
            if not far and isinstance(before, Fact):
                found = Fact(joined(a.bounds, b.bounds), doubtful)
    made[key] = found
    return found


def is_lost(known: Known, obj: Object) -> bool:
    """Whether doubt is in a value in which no nan can be looked for."""
    todo = [(known, obj)]
    while todo:
        known, obj = todo.pop()
        product = components(obj)
        if not known.doubtful:
            continue
        if isinstance(known, ProductFact) and product is not None:
            todo += zip(known.parts, product.parts, strict=True)
        elif not isinstance(obj, Tensor):
            return True
    return False
