"""What a reversed loop gathers: sums that it carries, and parts that it keeps a row a round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from combinators.objects import Object, Tensor
from combinators.operation import Operation, named
from combinators.terms import Var
from combinators.tracing.scope import Scope
from combinators.type_folds import is_smooth
from interpreters.sparse_cotangents import Cotangent
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.cotangent_layouts import (
    CotangentLayout,
    Dense,
    Slot,
    Slots,
    Sparse,
    cotangent_of,
    dense,
    layout_of_context,
    leaves,
)


class Gathering(NamedTuple):
    """How the cotangents of what a loop's body captures come together."""

    held: CotangentLayout
    sums: tuple[Var, ...]
    """The variables that carry the sums, in the body of the reversed loop."""
    stacked: tuple[bool, ...]
    """Of each term of the layout: whether it is kept a row a round, or else summed."""
    row: Object | None
    """The type of the cotangent of the sequence's row, where it has one."""

    def start(self) -> list[Atom]:
        """The sums of nothing."""
        return [atoms.zeros(var.type) for var in self.sums]

    def finish(self, sums: Iterator[Atom], stacks: Iterator[Atom]) -> Cotangent:
        """The cotangent of what is captured, after the loop."""
        terms = [next(stacks if kept else sums) for kept in self.stacked]
        return cotangent_of(self.held, _aligned(self.held, iter(terms)))


class Gathered(NamedTuple):
    """What the body gives to be gathered."""

    gathering: Gathering
    sums: list[Atom]
    rows: list[Atom]


def gather(
    scope: Scope, captured: Cotangent, obj: Object, row: Cotangent, row_type: Object
) -> Gathered:
    """Gather the cotangent of what is captured, of type ``obj``, and of the sequence's row."""
    held = layout_of_context(captured, obj)
    stacked = tuple(_kinds(held))
    sums, variables, rows = [], [], []
    for leaf, kept in zip(leaves(held, captured), stacked, strict=True):
        if kept:
            rows.append(leaf)
        else:
            var = scope.parameter("total", leaf.type)
            variables.append(var)
            sums.append(atoms.plus(Atom(var), leaf))
    given = row is not None and is_smooth(row_type)
    if given:
        rows.append(dense(row, row_type))
    gathering = Gathering(held, tuple(variables), stacked, row_type if given else None)
    return Gathered(gathering, sums, rows)


def _kinds(held: CotangentLayout) -> Iterator[bool]:
    """Of each term: whether it is kept; parts at indices are, windows that stand still are not."""
    match held:
        case Dense():
            yield False
        case Slots(_, slots, rest):
            for slot in slots:
                yield from [_is_put(slot)] * len(slot.types)
            if rest:
                yield False
        case Sparse(parts):
            for _, below in parts:
                yield from _kinds(below)


def _is_put(slot: Slot) -> bool:
    return slot.operation.name == "put"


def _aligned(held: CotangentLayout, terms: Iterator[Atom]) -> Iterator[Atom]:
    """The stacks of parts as one part each: the rounds are one more axis of its indices."""
    match held:
        case Dense():
            yield next(terms)
        case Slots(_, slots, more):
            for slot in slots:
                given = [next(terms) for _ in slot.types]
                yield from _one_part(slot, given) if _is_put(slot) else given
            if more:
                yield next(terms)
        case Sparse(parts):
            for _, below in parts:
                yield from _aligned(below, terms)


def _one_part(slot: Slot, stacks: list[Atom]) -> Iterator[Atom]:
    values, *indices = stacks
    axis = slot.operation.keywords["axis"]
    shapes = [obj.shape for obj in slot.types if isinstance(obj, Tensor)]
    rank = max(map(len, shapes[1:]))
    order = (*range(1, axis + 1), 0, *range(axis + 1, len(shapes[0]) + 1))
    yield values if not axis else _transposed(values, order)
    for stack, shape in zip(indices, shapes[1:], strict=True):
        yield _reshaped(stack, (1,) * (rank - len(shape)))


def _transposed(x: Atom, axes: tuple[int, ...]) -> Atom:
    return atoms.primitive(Operation(named("transpose"), (("axes", axes),)), x)


def _reshaped(x: Atom, ones: tuple[int, ...]) -> Atom:
    if not ones:
        return x
    assert isinstance(x.type, Tensor)
    shape = (x.type.shape[0], *ones, *x.type.shape[1:])
    return atoms.primitive(Operation(named("reshape"), (("shape", shape),)), x)
