"""Where an index goes down (Fig. 10): only what is asked for of a line is computed.

A *key* gives some of the own axes of a term an index. A line hands it to its operands, each of
which gets what of it concerns its own axes, and what is made of those has the parameters of what is
left:

    index (sum[axis=1] (exp a)) [i]         a : Tensor[3, 4, 5], the key {0: i}
    ⇝  sum[axis=0] (exp (index a [i]))      the operand's key {0: i}; of the axes left, 1 is now 0

An index that may lie outside is masked, once, where it is first met, since ``op`` of what reads 0
need not be 0. A part of what is built is built alone: a window is a gather at affine indices, and a
gather is a build of indices (003, section 3.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from combinators.bulk.affine import (
    Index,
    Key,
    arithmetic,
    left_after,
    linear,
    masked,
    number,
    validity,
)
from combinators.bulk.batches import Affine, Label, Rep, Tensors, axes_of, relabelled
from combinators.bulk.block import Block, Shape, shape_of
from combinators.bulk.clauses import as_builds, clause_of, gathered, is_elementwise
from combinators.bulk.equations import Site
from combinators.bulk.selection import selected
from combinators.bulk.walk import Env, Walk
from combinators.kit.recursion import Recursive
from combinators.objects import Int, Tensor
from combinators.primitives.indexing import TAKE
from combinators.primitives.loops import is_map
from combinators.terms import App, Cond, Const, Let, Prim, Term


class Pushed(NamedTuple):
    """The keys of the operands, the line's parameters then, and what is indexed after it."""

    keys: list[Key]
    parameters: dict[str, Any]
    left: Key


DEARER = 4
"""An element that is asked for alone, and may lie outside, costs so much more than one of many."""
Push = Callable[[Block, Prim, Key], Pushed | None]
"""What the index of a line becomes; None where it is in normal form."""


def _of_operand(key: Key, shape: Shape, out: Shape) -> Key:
    """An index of what operands broadcast to, as one of an operand."""
    more = len(out) - len(shape)
    zero = Index(number(0), sure=True)
    return {
        axis - more: zero if shape[axis - more] == 1 and out[axis] != 1 else index
        for axis, index in key.items()
        if axis >= more
    }


def _operation(block: Block, term: Prim, key: Key) -> Pushed:
    """Every operand is indexed."""
    return Pushed([_of_operand(key, shape_of(arg), shape_of(term)) for arg in term.args], {}, {})


def _reduction(block: Block, term: Prim, key: Key) -> Pushed:
    """Of what the axes were that are left; with ``keepdims`` those of extent 1 are indexed by 0."""
    known, rank = term.operation.keywords, len(shape_of(term.args[0]))
    axes = known["axis"]
    kept = [a for a in range(rank) if known["keepdims"] or a not in axes]
    inner = {kept[axis]: index for axis, index in key.items() if kept[axis] not in axes}
    places, outer = left_after(inner, rank), left_after(inner, len(kept))
    ones = {outer[axis]: index for axis, index in key.items() if kept[axis] in axes}
    return Pushed([inner], {"axis": tuple(places[a] for a in axes)}, ones)


def _stack(block: Block, term: Prim, key: Key) -> Pushed | None:
    """Every part is indexed at the other axes."""
    axis = term.operation.keywords["axis"]
    inner = {a: index for a, index in key.items() if a != axis}
    if not inner:
        return None
    at = left_after(inner, len(shape_of(term)))[axis]
    return Pushed([inner] * len(term.args), {"axis": at}, {at: key[axis]} if axis in key else {})


def _replicate(block: Block, term: Prim, key: Key) -> Pushed:
    """The axes that are new, or of extent 1, are indexed no more."""
    inner = _of_operand(key, shape_of(term.args[0]), shape_of(term))
    return Pushed([inner], {"shape": _shape_after(term, key)}, {})


def _tr(block: Block, term: Prim, key: Key) -> Pushed:
    """The axes that they were."""
    axes = term.operation.keywords["axes"]
    inner = {axes[axis]: index for axis, index in key.items()}
    places = left_after(inner, len(axes))
    return Pushed(
        [inner], {"axes": tuple(places[a] for n, a in enumerate(axes) if n not in key)}, {}
    )


def _reshape(block: Block, term: Prim, key: Key) -> Pushed | None:
    """A linear index, taken apart again."""
    inner = linear(block, shape_of(term.args[0]), shape_of(term), key)
    return None if inner is None else Pushed([inner], {"shape": _shape_after(term, key)}, {})


def _shape_after(term: Prim, key: Key) -> Shape:
    return tuple(n for axis, n in enumerate(shape_of(term)) if axis not in key)


def _gather(block: Block, term: Prim, key: Key) -> Pushed:
    """The tables are indexed, and what is taken from at its other axes."""
    x, *tables = term.args
    axis, rank, count = term.operation.keywords["axis"], len(shape_of(x)), len(tables)
    rows = shape_of(term)[axis : len(shape_of(term)) - (rank - axis - count)]
    of_rows = {a - axis: i for a, i in key.items() if axis <= a < axis + len(rows)}
    of_x = {
        (a if a < axis else a - len(rows) + count): i
        for a, i in key.items()
        if not axis <= a < axis + len(rows)
    }
    of_tables = [_of_operand(of_rows, shape_of(table), rows) for table in tables]
    return Pushed([of_x, *of_tables], {"axis": axis - sum(a < axis for a in of_x)}, {})


_REDUCTIONS = ("sum", "max", "min", "prod", "logsumexp", "argmax", "argmin")
PUSHES: dict[str, tuple[str, Push]] = {
    **dict.fromkeys(_REDUCTIONS, ("index-sumOuter", _reduction)),
    "concatenate": ("index-stack", _stack),
    "broadcast_to": ("index-replicate", _replicate),
    "transpose": ("index-tr", _tr),
    "reshape": ("index-reshape", _reshape),
    "take": ("index-gather", _gather),
}
"""By the names of primitives: the equation, and how it is carried out."""


def is_compound(walk: Walk, term: Term) -> bool:
    """Whether an index goes down into a term; a variable, which may have other uses, is none."""
    if isinstance(term, App):
        has_elements = isinstance(term.type, Tensor) and term.type.size > 0
        return has_elements and walk.survey.is_built(term) and walk.survey.is_only_call(term)
    if not isinstance(term, Prim):
        return isinstance(term, Let | Cond)
    primitive = term.operation.primitive
    is_moved = primitive.name == "slice" or primitive.name in PUSHES
    return is_map(term) or is_moved or is_elementwise(primitive)


def is_part(walk: Walk, term: Prim) -> bool:
    """Whether a window or a gather asks for less than is built right there, and nothing raises."""
    x = term.args[0]
    assert isinstance(term.type, Tensor)
    assert isinstance(x.type, Tensor)
    return walk.survey.is_built(x) and term.type.size < x.type.size and is_compound(walk, x)


def indexed_line(walk: Walk, term: Prim, key: Key, env: Env, block: Block) -> Recursive[Rep]:
    """An operation, of which only ``key`` is asked."""
    found: Rep
    if _is_index(term):
        found = yield _together(walk, term, key, env, block)
        return found
    name = term.operation.name
    if name == "slice":
        walk.say("index-slice", term, term)
        found = yield window(walk, term, key, env, block)
        return found
    equation, push = PUSHES.get(name, ("index-op", _operation))
    clause = clause_of(term.operation.primitive)
    is_pushed = name in PUSHES or is_elementwise(term.operation.primitive)
    made = push(block, term, key) if is_pushed else None
    if made is None or clause is None:
        found = yield walk.read(term, key, env, block)
        return found
    walk.say(equation, term, term)
    reps: list[Any] = []
    for arg, inner in zip(term.args, made.keys, strict=True):
        reps.append((yield walk.value(arg, env, block, inner)))
    done: Any = clause.carry(
        Site(block, term.operation, reps, term.place).of(*reps, **made.parameters)
    )
    return selected(block, done, made.left) if made.left else done


def window(walk: Walk, term: Prim, key: Key, env: Env, block: Block) -> Recursive[Rep]:
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
            at = Affine(start[axis], {label: step[axis]}, Int)
        inner[axis] = Index(at, sure=True)
    found: Any = yield walk.value(x, env, block, inner)
    return relabelled(found, moved, Tensor(_shape_after(term, key), found.type.dtype))


def taken(walk: Walk, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """``index`` where no index has an axis of its own, and a gather else.

    A gather at the same index everywhere is ``replicate sh (index t ix)``.
    """
    x, *indices = term.args
    reps: list[Any] = []
    for index in indices:
        reps.append((yield walk.value(index, env, block)))
    tensors = all(isinstance(rep, Tensors) for rep in reps)
    scalars = tensors and not any(isinstance(label, int) for rep in reps for label in rep.labels)
    found: Any
    result: Rep
    if not tensors or not _is_pushed(walk, term, reps, env, scalars=scalars):
        if scalars and not any(axes_of(rep) for rep in reps):
            walk.indexed.append(x)
        found = yield walk.value(x, env, block)
        lines = len(block.lines)
        if not isinstance(found, Tensors):
            result = yield walk.applied(term, [found, *reps], block)
            return result
        result = gathered(Site(block, term.operation, [found, *reps], term.place))
        if walk.trace is not None and any(map(axes_of, (found, *reps))):
            _tell(walk, term, block, lines, scalars=scalars)
        return result
    if not scalars:
        walk.say("gather-build1", term, x)
    assert isinstance(term.type, Tensor)
    key, moved = as_builds(block, term.operation.keywords["axis"], reps, term.type)
    found = yield _read(walk, x, key, {}, env, block)
    return relabelled(found, moved, term.type)


def _read(walk: Walk, x: Term, key: Key, known: Key, env: Env, block: Block) -> Recursive[Rep]:
    """``x`` at both keys; what the first reads outside is 0, by a mask."""
    assert isinstance(x.type, Tensor)
    valid = validity(block, key, x.type)
    sure = {axis: Index(index.at, sure=True) for axis, index in key.items()}
    found: Any = yield walk.value(x, env, block, {**(key if valid is None else sure), **known})
    return found if valid is None else masked(block, found, valid)


def _together(walk: Walk, term: Prim, key: Key, env: Env, block: Block) -> Recursive[Rep]:
    """An index of an index is one index; what the inner one reads outside is masked."""
    walk.say("index-index", term, term)
    x, *indices = term.args
    axis, count = term.operation.keywords["axis"], len(indices)
    inner: dict[int, Index] = {}
    for n, index in enumerate(indices):
        inner[axis + n] = Index((yield walk.value(index, env, block)))
    outer = {at if at < axis else at + count: index for at, index in key.items()}
    found: Rep = yield _read(walk, x, inner, outer, env, block)
    return found


def _is_index(term: Prim) -> bool:
    """Whether it is an index at scalars."""
    is_take = term.operation.primitive is TAKE
    return is_take and all(getattr(index.type, "shape", None) == () for index in term.args[1:])


def _is_pushed(walk: Walk, term: Prim, indices: list[Any], env: Env, *, scalars: bool) -> bool:
    """Whether an index goes down: what all indices of a build share is computed once instead."""
    x = term.args[0]
    everywhere = not any(axes_of(index) for index in indices)
    if not scalars:
        return everywhere and is_part(walk, term)
    shared = not everywhere and not walk.axes_in(x, env)
    return is_compound(walk, x) and (not shared or _is_few(walk, term, indices))


def _is_few(walk: Walk, term: Prim, indices: list[Any]) -> bool:
    """Whether the builds around an index ask for fewer elements than are built right there."""
    x, axis = term.args[0], term.operation.keywords["axis"]
    axes = {axis for index in indices for axis in axes_of(index)}
    whole = math.prod(shape_of(x)[axis : axis + len(indices)])
    return walk.survey.is_built(x) and 0 < DEARER * math.prod(a.extent for a in axes) <= whole


def _tell(walk: Walk, term: Prim, block: Block, lines: int, *, scalars: bool) -> None:
    """Which equation of Figure 11 it was; a gather at affine indices has no table."""
    new = [line for _, line in block.lines[lines:]]
    x = term.args[0]
    head = "constant" if isinstance(x, Const) else getattr(x, "operation", None)
    name = {"concatenate": "stack", "put": "scatter"}.get(getattr(head, "name", ""), "variable")
    equation = f"build1-index-{'constant' if isinstance(x, Const) else name}"
    if not any(isinstance(line, Prim) and line.operation.name == "take" for line in new):
        equation = "gather-affine"
    elif not scalars:
        equation = "build1-gather"
    walk.say(equation, term, new[-1] if new else term)
