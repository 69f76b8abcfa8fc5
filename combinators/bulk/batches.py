"""Batched values: what a term stands for while builds are undone, arrays whose axes bear labels.

Inside ``build1 k (λi. …)`` a term stands for all its values at once. The index ``i`` is an
``Axis``, and an array has labels, one for each of its axes: an ``Axis``, or the number of an axis
that the term itself has, its *own*. What does not depend on ``i`` has no such axis, so that
``replicate k t`` is put off until something needs it; own axes may be put off too. A transpose, and
the end of a build, only change labels. So of

    build 5 (λi. build 3 (λj. transpose a [i] * u[j]))        a : Tensor[3, 5], u : Tensor[3]

``transpose a`` is ``a`` with the labels ``(1, 0)``, indexed at ``i`` it is ``a`` with ``(0, i)``,
and at ``j`` with ``(j, i)``; ``u[j]`` is ``u`` with ``(j,)``. The product aligns them,

    transpose a * reshape[1, 3] u                             labels (i, j)

and the ends of both builds call its axes ``(0, 1)``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import is_
from typing import Any

from combinators.bulk.block import Atom, Axis, Block, shape_of
from combinators.errors import Place
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Int, Object, Tensor
from combinators.operation import Operation, named
from combinators.terms import Const, Lam, Term, Var, const

Label = Axis | int
Labels = tuple[Label, ...]


def place_of(label: Label) -> tuple[int, int]:
    """Where a label stands among others: batch axes from the outermost build in, then own axes.

    The batch axes of many small rows come after these.
    """
    return (1, label) if isinstance(label, int) else (2 * label.last, label.serial)


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
class Whole:
    """What no tensor holds, such as a function; vectors of vectors of it, along any axes."""

    term: Term
    type: Object
    labels: tuple[Axis, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """A tuple or a record, by components."""

    parts: tuple[Rep, ...]
    type: Object


@dataclass(frozen=True, eq=False, slots=True)
class Closure:
    """A known function, and what it captures."""

    lam: Lam
    captured: Mapping[str, Rep]
    type: Object


@dataclass(frozen=True, eq=False, slots=True)
class Deferred:
    """A build behind a name that one place uses: it waits, since that may ask for a part of it."""

    term: Term
    captured: Mapping[str, Rep]
    type: Object


Tensors = Array | Affine | Product
Leaf = Tensors | Whole
Rep = Leaf | Group | Closure | Deferred


def leaves_of(rep: Rep) -> Iterator[Leaf]:
    """What a value is made of, through products and functions, each once."""
    todo, seen = [rep], set[int]()
    while todo:
        here = todo.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        match here:
            case Group(parts):
                todo += parts
            case Closure() | Deferred():
                todo += here.captured.values()
            case _:
                yield here


def map_leaves(rep: Rep, each: Callable[[Leaf], Rep]) -> Rep:
    """The value with ``each`` of its leaves; what does not change, and what is shared, stays so."""
    known: dict[int, Rep] = {}

    def mapped(here: Rep) -> Recursive[Rep]:
        if id(here) in known:
            return known[id(here)]
        if not isinstance(here, Group | Closure | Deferred):
            known[id(here)] = each(here)
        else:
            parts = here.parts if isinstance(here, Group) else tuple(here.captured.values())
            made: list[Rep] = []
            for part in parts:
                made.append((yield mapped(part)))
            if all(map(is_, made, parts)):
                known[id(here)] = here
            elif isinstance(here, Group):
                known[id(here)] = replace(here, parts=tuple(made))
            else:
                captured = dict(zip(here.captured, made, strict=True))
                known[id(here)] = replace(here, captured=captured)
        return known[id(here)]

    return recurse(mapped(rep))


def axes_of(rep: Rep) -> frozenset[Axis]:
    """The batch axes that a value depends on."""
    if not isinstance(rep, Group | Closure | Deferred):
        return frozenset(batch(rep.labels))
    return frozenset(axis for leaf in leaves_of(rep) for axis in batch(leaf.labels))


def relabelled(rep: Tensors, new: Mapping[Any, Label], obj: Tensor) -> Tensors:
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


def extent_of(label: Label, obj: Tensor) -> int:
    """The extent of an axis of an array whose values have type ``obj``."""
    return obj.shape[label] if isinstance(label, int) else label.extent


def own_labels(obj: Tensor) -> tuple[int, ...]:
    """The labels of all own axes."""
    return tuple(range(len(obj.shape)))


def array_of(block: Block, rep: Tensors) -> Array:
    """The numbers as an array: products are multiplied, indices written down."""
    match rep:
        case Array():
            return rep
        case Affine():
            return _tabulated(block, rep)
        case Product(left, right, _, place):
            return pointwise(block, "multiply", (left, right), place)


def in_order_of(block: Block, array: Array, order: Sequence[Label], *, full: bool) -> Atom:
    """The array with its axes in this ``order``; what it lacks is of extent 1, or all there."""
    present = [label for label in order if label in array.labels]
    x = block.transposed(array.term, [array.labels.index(label) for label in present])
    if len(present) == len(order):
        return x
    lead = order.index(present[0]) if present else len(order)
    shape = tuple(
        extent_of(label, array.type) if label in array.labels else 1 for label in order[lead:]
    )
    x = block.reshaped(x, shape)
    if not full:
        return x
    whole = tuple(extent_of(label, array.type) for label in order)
    alike = math.prod(whole) == math.prod(shape_of(x))
    return block.reshaped(x, whole) if alike else block.broadcast(x, whole)


def with_axes(block: Block, array: Array, labels: Labels) -> Array:
    """The array with these axes too, where it lacks them."""
    if set(labels) <= set(array.labels):
        return array
    order = in_order((*array.labels, *labels))
    return Array(in_order_of(block, array, order, full=True), order, array.type)


def squeezed(block: Block, array: Array, stale: Container[Label]) -> Array:
    """The array without these of its axes, which are of extent 1."""
    kept = tuple(label for label in array.labels if label not in stale)
    if kept == array.labels:
        return array
    shape = tuple(extent_of(label, array.type) for label in kept)
    return Array(block.reshaped(array.term, shape), kept, array.type)


def as_operand(block: Block, array: Array, out: Tensor) -> Array:
    """The array as an operand of what gives ``out``: its own axes are counted from the last."""
    if array.type.shape == out.shape:
        return array
    more = len(out.shape) - len(array.type.shape)
    stale = {a for a, n in enumerate(array.type.shape) if n == 1 and out.shape[a + more] != 1}
    kept = squeezed(block, array, stale)
    labels = tuple(a + more if isinstance(a, int) else a for a in kept.labels)
    return Array(kept.term, labels, Tensor(out.shape, array.type.dtype))


def pointwise(
    block: Block, operation: Operation | str, reps: Sequence[Tensors], place: Place | None = None
) -> Array:
    """An elementwise operation on arrays that may lack axes; what all lack, the result lacks.

    Outside of builds axes stay as they lie, where they all lie in one way.
    """
    if isinstance(operation, str):
        operation = Operation(named(operation))
    out = operation.type(*[rep.type for rep in reps])
    assert isinstance(out, Tensor)
    arrays = [as_operand(block, array_of(block, rep), out) for rep in reps]
    order = in_order(label for array in arrays for label in array.labels)
    lie = {array.labels for array in arrays if len(array.labels) == len(order)}
    order = order if len(lie) != 1 or batch(order) else lie.pop()
    args = [in_order_of(block, array, order, full=False) for array in arrays]
    return Array(block.operate(operation, *args, place=place), order, out)


def _tabulated(block: Block, rep: Affine) -> Array:
    """A table of indices; those of batch axes are written where their build stands."""
    if rep.made:
        return rep.made[0]
    axes = batch(rep.slopes)
    is_everywhere = len(axes) == len(rep.slopes)
    if axes and is_everywhere:
        block = max(axes, key=lambda axis: axis.serial).block
    columns = []
    for label in in_order(rep.slopes):
        term: Atom = block.apply("iota", length=extent_of(label, rep.type))
        if (slope := rep.slopes[label]) != 1:
            term = block.apply("multiply", term, const(slope, "int64"))
        columns.append(Array(term, (label,), rep.type))
    if rep.offset or not columns:
        columns.append(Array(const(rep.offset, "int64"), (), Int))
    made = reduce(lambda x, y: pointwise(block, "add", (x, y)), columns)
    table = Array(made.term, made.labels, rep.type)
    if is_everywhere:
        rep.made.append(table)
    return table


def plain(term: Atom) -> Array:
    """An array with its own axes in order."""
    assert isinstance(term.type, Tensor)
    return Array(term, own_labels(term.type), term.type)
