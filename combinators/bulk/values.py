"""What a term stands for while builds are undone: arrays whose axes bear labels.

Inside ``build1 k (λi. …)`` a term stands for all its values at once. The index ``i`` is an
``Axis``, and an array has labels, one for each of its axes: an ``Axis``, or the number of an axis
that the term itself has, its *own*. What does not depend on ``i`` has no such axis, so that
``replicate k t`` is put off until something needs it; own axes may be put off too. A transpose, and
the end of a build, only change labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from combinators.bulk.block import Axis
from combinators.errors import Place
from combinators.objects import Object, Record, Tensor
from combinators.terms import Const, Lam, Term, Var

Label = Axis | int
Labels = tuple[Label, ...]


def place_of(label: Label) -> tuple[int, int]:
    """Where a label stands among others: batch axes from the outermost build in, then own axes."""
    return (1, label) if isinstance(label, int) else (0, label.serial)


def in_order(labels: Iterable[Label]) -> Labels:
    """Labels in the order in which they stand in a result, each once."""
    return tuple(sorted(set(labels), key=place_of))


def batch(labels: Iterable[Label]) -> tuple[Axis, ...]:
    """The batch axes among labels."""
    return tuple(label for label in labels if isinstance(label, Axis))


@dataclass(frozen=True, eq=False, slots=True)
class Array:
    """An atom, a label for each axis that it has, and the type of one of its values."""

    term: Var | Const
    labels: Labels
    type: Tensor


@dataclass(frozen=True, eq=False, slots=True)
class Affine:
    """Integers ``offset + Σ slope · label``; ``made`` are those that were written down already."""

    offset: int
    slopes: Mapping[Label, int]
    type: Tensor
    made: list[Array] = field(default_factory=list)

    @property
    def labels(self) -> Labels:
        """Those that it depends on."""
        return in_order(self.slopes)


@dataclass(frozen=True, eq=False, slots=True)
class Product:
    """A product that is not yet multiplied out, since a sum may contract it.

    Both sides have the own axes of the product, or lack them.
    """

    left: Array | Product
    right: Array | Product
    type: Tensor
    place: Place | None = None

    @property
    def factors(self) -> tuple[Array, ...]:
        """What is multiplied, from the left."""
        sides = (self.left, self.right)
        return tuple(f for s in sides for f in (s.factors if isinstance(s, Product) else (s,)))

    @property
    def labels(self) -> Labels:
        """Those of all factors."""
        return in_order(label for factor in self.factors for label in factor.labels)


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """A tuple or a record, by components."""

    parts: tuple[Rep, ...]
    type: Object

    @property
    def names(self) -> tuple[str, ...] | None:
        """Those of a record."""
        return self.type.names if isinstance(self.type, Record) else None


@dataclass(frozen=True, eq=False, slots=True)
class Closure:
    """A known function, and what it captures."""

    lam: Lam
    captured: Mapping[str, Rep]
    type: Object


@dataclass(frozen=True, eq=False, slots=True)
class Whole:
    """One value of any type, the same at every index."""

    term: Term
    type: Object


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """Values that no tensor holds, such as functions: vectors of vectors along these axes."""

    term: Term
    axes: tuple[Axis, ...]
    type: Object


Tensors = Array | Affine | Product
Rep = Array | Affine | Product | Group | Closure | Whole | Rows


def axes_of(rep: Rep) -> frozenset[Axis]:
    """The batch axes that a value depends on."""
    found: set[Axis] = set()
    todo, seen = [rep], {id(rep)}
    while todo:
        here = todo.pop()
        match here:
            case Array() | Affine() | Product():
                found.update(batch(here.labels))
            case Rows():
                found.update(here.axes)
            case Group(parts) | Closure(_, parts):
                below = parts if isinstance(parts, tuple) else parts.values()
                for part in below:
                    if id(part) not in seen:
                        seen.add(id(part))
                        todo.append(part)
            case _:
                pass
    return frozenset(found)


def relabelled(rep: Tensors, new: Mapping[Label, Label], obj: Tensor) -> Tensors:
    """The same numbers with other labels, and so of another type: nothing is moved."""

    def changed(labels: Iterable[Label]) -> Labels:
        return tuple(new.get(label, label) for label in labels)

    match rep:
        case Array(term, labels):
            return Array(term, changed(labels), obj)
        case Affine(offset, slopes):
            return Affine(offset, dict(zip(changed(slopes), slopes.values(), strict=True)), obj)
        case Product(left, right, _, place):
            sides = relabelled(left, new, obj), relabelled(right, new, obj)
            assert not isinstance(sides[0], Affine)
            assert not isinstance(sides[1], Affine)
            return Product(sides[0], sides[1], obj, place)
