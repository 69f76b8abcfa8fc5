"""How a sparse cotangent goes across a border: what of it is there, and the terms that are.

A zero goes across as nothing, a part to be put into an array as that part, and a cotangent of a
product whose components are all there as one term, so that its parts are not written out again at
every border (a type that shares its components may be exponentially large when written out).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Object, Tensor, Unit, Vector
from combinators.operation import Operation
from combinators.primitives.structural import VECTOR
from combinators.terms import Const
from combinators.type_folds import parts_of
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.scattering import scattered
from interpreters.tangents.cotangents import Cotangent, opened
from interpreters.tangents.scattered import Part, Scattered


@dataclass(frozen=True)
class Skeleton:
    """What of a cotangent goes across."""


@dataclass(frozen=True)
class Zero(Skeleton):
    """Nothing."""


@dataclass(frozen=True)
class Dense(Skeleton):
    """One term of type ``obj``."""

    obj: Object


@dataclass(frozen=True)
class Sparse(Skeleton):
    """Some components."""

    parts: tuple[tuple[int, Skeleton], ...]


class Slot(NamedTuple):
    """A part that is to be put into an array."""

    operation: Operation
    types: tuple[Object, ...]


@dataclass(frozen=True)
class Slots(Skeleton):
    """Parts of a tensor of type ``obj``, and the dense rest where there is one."""

    obj: Tensor
    slots: tuple[Slot, ...]
    rest: bool


ZERO = Zero()


def skeleton(cotangent: Cotangent, obj: Object, most: int) -> Skeleton:
    """The skeleton of a cotangent of type ``obj``; of more than ``most`` terms, one dense term."""
    found: Skeleton = recurse(_skeleton(cotangent, obj))
    return Dense(obj) if count(found) > most else found


def skeleton_of_context(cotangent: Cotangent, obj: Object) -> Skeleton:
    """The skeleton of what a block captures, whose components go apart."""
    if type(cotangent) is not dict:
        return recurse(_skeleton(cotangent, obj))
    types = parts_of(obj) or ()
    found = [(i, recurse(_skeleton(cotangent[i], types[i]))) for i in sorted(cotangent)]
    held = tuple((i, below) for i, below in found if below != ZERO)
    return Sparse(held) if held else ZERO


def _skeleton(cotangent: Cotangent, obj: Object) -> Recursive[Skeleton]:
    if cotangent is None or obj is Unit:
        return ZERO
    if type(cotangent) is Scattered:
        slots = tuple(_slot(part) for part in cotangent.parts)
        return Slots(cotangent.obj, slots, cotangent.rest is not None)
    if type(cotangent) is not dict:
        return Dense(obj)
    types = parts_of(obj) or ()
    found: list[tuple[int, Skeleton]] = []
    for index in sorted(cotangent):
        below: Skeleton = yield _skeleton(cotangent[index], types[index])
        if below != ZERO:
            found.append((index, below))
    if not found:
        return ZERO
    whole = sum(part is not Unit for part in types) == len(found)
    if whole and all(isinstance(below, Dense) for _, below in found):
        return Dense(obj)
    return Sparse(tuple(found))


def _slot(part: Part) -> Slot:
    return Slot(part.operation, tuple(arg.type for arg in part.args))


def count(skeleton: Skeleton) -> int:
    """How many terms go across."""
    todo, total = [skeleton], 0
    while todo:
        match todo.pop():
            case Dense():
                total += 1
            case Slots(_, slots, rest):
                total += sum(len(slot.types) for slot in slots) + rest
            case Sparse(parts):
                todo.extend(below for _, below in parts)
    return total


def union(a: Skeleton, b: Skeleton) -> Skeleton:
    """What holds either."""
    return recurse(_union(a, b))


def _union(a: Skeleton, b: Skeleton) -> Recursive[Skeleton]:
    match a, b:
        case (Zero(), other) | (other, Zero()):
            return other
        case (Dense(), _):
            return a
        case (_, Dense()):
            return b
        case Slots(obj, first, rest), Slots(_, second, more):
            return Slots(obj, tuple((Counter(first) | Counter(second)).elements()), rest or more)
        case Sparse(ours), Sparse(theirs):
            parts = dict(ours)
            for index, below in theirs:
                parts[index] = yield _union(parts.get(index, ZERO), below)
            return Sparse(tuple(sorted(parts.items(), key=lambda part: part[0])))
        case _:
            raise AssertionError("a tensor's cotangent has no components")


def leaves(skeleton: Skeleton, cotangent: Cotangent) -> list[Atom]:
    """The terms of a cotangent that the skeleton holds, in order; zeros where it has none."""
    found: list[Atom] = []
    recurse(_leaves(skeleton, cotangent, found))
    return found


def _leaves(skeleton: Skeleton, cotangent: Cotangent, found: list[Atom]) -> Recursive[None]:
    match skeleton:
        case Dense(obj):
            found.append(dense(cotangent, obj))
        case Slots(obj, slots, rest):
            found.extend(_slot_leaves(slots, cotangent))
            if rest:
                found.append(dense(_rest(cotangent), obj))
        case Sparse(parts):
            given = {} if cotangent is None else opened(cotangent)
            for index, below in parts:
                yield _leaves(below, given.get(index), found)


def _slot_leaves(slots: tuple[Slot, ...], cotangent: Cotangent) -> Iterator[Atom]:
    given: dict[Slot, list[Part]] = {}
    for part in cotangent.parts if type(cotangent) is Scattered else ():
        given.setdefault(_slot(part), []).append(part)
    for slot in slots:
        held = given.get(slot)
        yield from held.pop(0).args if held else map(_zero_number, slot.types)


def _zero_number(obj: Object) -> Atom:
    assert isinstance(obj, Tensor)
    return Atom(Const(Literal.filled(0, obj)))


def _rest(cotangent: Cotangent) -> Cotangent:
    return cotangent.rest if type(cotangent) is Scattered else cotangent


def rebuilt(skeleton: Skeleton, terms: Iterator[Atom]) -> Cotangent:
    """The cotangent that the terms of a skeleton make."""
    return recurse(_rebuilt(skeleton, terms))


def _rebuilt(skeleton: Skeleton, terms: Iterator[Atom]) -> Recursive[Cotangent]:
    match skeleton:
        case Dense():
            return next(terms)
        case Slots(obj, slots, rest):
            parts = [_part(slot, terms) for slot in slots]
            return Scattered(obj, parts, next(terms) if rest else None)
        case Sparse(parts):
            made: dict[int, Cotangent] = {}
            for index, below in parts:
                made[index] = yield _rebuilt(below, terms)
            return made
        case _:
            return None


def _part(slot: Slot, terms: Iterator[Atom]) -> Part:
    args = tuple([next(terms) for _ in slot.types])
    return Part(slot.operation, tuple([arg.type for arg in args]), args)


def dense(cotangent: Cotangent, obj: Object) -> Atom:
    """The cotangent as one term of type ``obj``."""
    return recurse(_dense(cotangent, obj))


def _dense(cotangent: Cotangent, obj: Object) -> Recursive[Atom]:
    if cotangent is None:
        return atoms.zeros(obj) if obj is not Unit else atoms.tuple_of(())
    if type(cotangent) is Scattered:
        return scattered(cotangent.parts, cotangent.obj, cotangent.rest)
    if type(cotangent) is not dict:
        atom: Atom = cotangent
        return atom
    parts: list[Atom] = []
    for index, part in enumerate(parts_of(obj) or ()):
        parts.append((yield _dense(cotangent.get(index), part)))
    if isinstance(obj, Vector):
        return atoms.primitive(Operation(VECTOR), *parts)
    return atoms.product_of(parts, obj)
