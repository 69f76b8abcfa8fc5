"""What an index of a line becomes: indices of its operands, and the line of what those give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from combinators.bulk.affine import arithmetic, number
from combinators.bulk.block import Block, shape_of
from combinators.bulk.elementwise import elementwise
from combinators.bulk.gathering import gathered
from combinators.bulk.laying import forced, raised
from combinators.bulk.masking import Index, Key
from combinators.bulk.moving import along, reshaped, transposed
from combinators.bulk.reducing import reduced, summed
from combinators.bulk.reshaping import linear
from combinators.bulk.rule import Pushed, Site
from combinators.bulk.selecting import selected
from combinators.bulk.values import Affine, Label, Rep, relabelled
from combinators.objects import Tensor
from combinators.terms import Prim


def _site(block: Block, term: Prim, reps: Sequence[Rep], **parameters: Any) -> Site:
    return Site(block, term.operation, reps, term.place).of(*reps, **parameters)


def _dtype(term: Prim) -> str:
    assert isinstance(term.type, Tensor)
    return term.type.dtype


def left_after(key: Key, rank: int) -> dict[int, int]:
    """Where the axes go that are not indexed."""
    return {axis: at for at, axis in enumerate(a for a in range(rank) if a not in key)}


def of_operand(key: Key, shape: tuple[int, ...], out: tuple[int, ...]) -> Key:
    """An index of what operands broadcast to, as one of an operand."""
    more = len(out) - len(shape)
    zero = Index(number(0), sure=True)
    return {
        axis - more: zero if shape[axis - more] == 1 and out[axis] != 1 else index
        for axis, index in key.items()
        if axis >= more
    }


def operation(block: Block, term: Prim, key: Key) -> Pushed | None:
    """Every operand is indexed."""
    out = shape_of(term)
    inner = [(arg, of_operand(key, shape_of(arg), out)) for arg in term.args]
    return Pushed(inner, lambda reps: _checked(elementwise(_site(block, term, reps))))


def _checked(rep: Rep | None) -> Rep:
    assert rep is not None
    return rep


def reduction(block: Block, term: Prim, key: Key) -> Pushed | None:
    """Of what the axes were that are left; with ``keepdims`` those of extent 1 are indexed by 0."""
    x, axes = term.args[0], term.operation.keywords["axis"]
    keeps = term.operation.keywords["keepdims"]
    shape = shape_of(x)
    kept = [a for a in range(len(shape)) if keeps or a not in axes]
    inner = {kept[axis]: index for axis, index in key.items() if kept[axis] not in axes}
    places = left_after(inner, len(shape))
    reduce = summed if term.operation.name == "sum" else reduced

    def combine(reps: Sequence[Rep]) -> Rep:
        done = reduce(_site(block, term, reps, axis=tuple(places[a] for a in axes)))
        ones = {
            left_after(inner, len(kept))[axis]: index
            for axis, index in key.items()
            if kept[axis] in axes
        }
        return selected(block, done, ones) if ones else done

    return Pushed([(x, inner)], combine)


def stack(block: Block, term: Prim, key: Key) -> Pushed | None:
    """Every part is indexed at the other axes."""
    axis = term.operation.keywords["axis"]
    inner = {a: index for a, index in key.items() if a != axis}
    if not inner:
        return None
    at = left_after(inner, len(shape_of(term)))[axis]

    def combine(reps: Sequence[Rep]) -> Rep:
        joined = along(_site(block, term, reps, axis=at))
        return selected(block, joined, {at: key[axis]}) if axis in key else joined

    return Pushed([(part, inner) for part in term.args], combine)


def replicate(block: Block, term: Prim, key: Key) -> Pushed | None:
    """The axes that are new, or of extent 1, are indexed no more."""
    x, out = term.args[0], shape_of(term)
    obj = Tensor((n for a, n in enumerate(out) if a not in key), _dtype(term))

    def combine(reps: Sequence[Any]) -> Rep:
        return raised(block, forced(block, reps[0]), obj)

    return Pushed([(x, of_operand(key, shape_of(x), out))], combine)


def tr(block: Block, term: Prim, key: Key) -> Pushed | None:
    """The axes that they were."""
    axes = term.operation.keywords["axes"]
    inner = {axes[axis]: index for axis, index in key.items()}
    places = left_after(inner, len(axes))
    order = tuple(places[a] for at, a in enumerate(axes) if at not in key)
    return Pushed(
        [(term.args[0], inner)], lambda reps: transposed(_site(block, term, reps, axes=order))
    )


def reshape(block: Block, term: Prim, key: Key) -> Pushed | None:
    """A linear index, taken apart again."""
    x = term.args[0]
    inner = linear(block, shape_of(x), shape_of(term), key)
    if inner is None:
        return None
    shape = tuple(n for a, n in enumerate(shape_of(term)) if a not in key)
    return Pushed([(x, inner)], lambda reps: reshaped(_site(block, term, reps, shape=shape)))


def gather(block: Block, term: Prim, key: Key) -> Pushed | None:
    """The tables are indexed, and what is taken from at its other axes."""
    x, *tables = term.args
    axis, rank = term.operation.keywords["axis"], len(shape_of(x))
    count = len(tables)
    rows = shape_of(term)[axis : len(shape_of(term)) - (rank - axis - count)]
    of_rows = {a - axis: i for a, i in key.items() if axis <= a < axis + len(rows)}
    of_x = {
        (a if a < axis else a - len(rows) + count): i
        for a, i in key.items()
        if not axis <= a < axis + len(rows)
    }
    inner = [(x, of_x), *((t, of_operand(of_rows, shape_of(t), rows)) for t in tables)]
    at = axis - sum(a < axis for a in of_x)
    return Pushed(inner, lambda reps: gathered(_site(block, term, reps, axis=at)))


def window(block: Block, term: Prim, key: Key) -> Pushed:
    """``start + step · i``, an index of the whole; what is left of the window is cut out of it."""
    x, known = term.args[0], term.operation.keywords
    start, step, extent = known["start"], known["step"], known["extent"]
    left = left_after(key, len(extent))
    inner: dict[int, Index] = {}
    moved: dict[Label, Label] = {}
    for axis, n in enumerate(shape_of(x)):
        if axis in key:
            stretched = arithmetic(block, "multiply", key[axis].at, number(step[axis]))
            at = arithmetic(block, "add", stretched, number(start[axis]))
        elif (start[axis], step[axis], extent[axis]) == (0, 1, n):
            moved[axis - len(inner)] = left[axis]
            continue
        elif extent[axis] == 1:
            at = number(start[axis])
        else:
            label = block.axis(extent[axis])
            moved[label] = left[axis]
            at = Affine(start[axis], {label: step[axis]}, Tensor((), "int64"))
        inner[axis] = Index(at, sure=True)
    obj = Tensor((n for axis, n in enumerate(extent) if axis not in key), _dtype(term))
    return Pushed([(x, inner)], lambda reps: relabelled(reps[0], moved, obj))
