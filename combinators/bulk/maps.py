"""``map (λx. t) xs`` is ``build1 k (λi. t[index xs [i]/x])``: its index is an axis."""

from __future__ import annotations

import math
from typing import Any

from combinators.bulk.affine import Index, Key, index_of, without
from combinators.bulk.block import Axis, Block
from combinators.bulk.borders import rows_of, tensorwise
from combinators.bulk.calls import bound, called
from combinators.bulk.fission import kept
from combinators.bulk.indexing import is_compound
from combinators.bulk.selection import selected
from combinators.bulk.values import Affine, Closure, Label, Rep, Tensors, axes_of, relabelled
from combinators.bulk.walk import Env, Walk
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor
from combinators.rows import length_of
from combinators.terms import Prim, Term, Var
from combinators.type_folds import is_first_order


def mapped(walk: Walk, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """The values of a map, whose axis is the first of its own.

    A map of an unknown function, or over or to functions, stays.
    """
    f: Rep = yield walk.value(term.args[0], env, block)
    xs: Rep = yield walk.value(term.args[1], env, block)
    if not (isinstance(f, Closure) and is_first_order(term.type) and is_first_order(xs.type)):
        walk.has_split = True
        alone: Rep = yield kept(walk, term, [f, xs], block)
        return alone
    if axes_of(f) or axes_of(xs):
        walk.say("build1-build1", term, f.lam.body)
    axis = _axis(walk, f, length_of(xs.type), block)
    at = Index(index_of(axis))
    row = rows_of(block, xs, lambda stack: selected(block, stack, {0: at}))
    if _is_used_again(walk, term.args[0], f):
        result: Rep = yield called(walk, f, row, block)
    else:
        result = yield walk.value(f.lam.body, bound(f, row, block), block)
    if walk.trace is not None:
        _tell(walk, f, result, axis)
    return _stacked(block, result, axis, term.type)


def _axis(walk: Walk, f: Closure, extent: int, block: Block) -> Axis:
    """The index of a build."""
    return block.rows(extent, walk.survey.widest(f.lam))


def _is_used_again(walk: Walk, function: Term, f: Closure) -> bool:
    """Whether the λ stands in other places too: then it is made bulk once, and called."""
    again = isinstance(function, Var) and walk.survey.uses[function.name] > 1
    return again or walk.survey.references[id(f.lam)] > 1


def _tell(walk: Walk, f: Closure, result: Rep, axis: Axis) -> None:
    """The end of a build whose body is its index, or does not use it."""
    if isinstance(result, Affine) and dict(result.slopes) == {axis: 1} and not result.offset:
        walk.say("build1-itself", f.lam, f.lam.body)
    elif axis not in axes_of(result):
        walk.say("build1-invariant", f.lam, f.lam.body)


def element(walk: Walk, term: Prim, key: Key, env: Env, block: Block) -> Recursive[Rep | None]:
    """A map that is indexed: only the row that is asked for, or what is asked for of each."""
    f: Rep = yield walk.value(term.args[0], env, block)
    xs = term.args[1]
    if not isinstance(f, Closure) or not is_first_order(xs.type):
        return None
    assert isinstance(term.type, Tensor)
    walk.say("index-build1", term, f.lam.body)
    axis = _axis(walk, f, length_of(xs.type), block)
    row: Rep = yield _row(walk, xs, key.get(0, Index(index_of(axis))), env, block)
    below = {number - 1: index for number, index in key.items() if number}
    result: Any
    if _is_used_again(walk, term.args[0], f):
        result = yield called(walk, f, row, block)
        result = selected(block, result, below) if below else result
    else:
        result = yield walk.value(f.lam.body, bound(f, row, block), block, below)
    return result if 0 in key else _stacked(block, result, axis, without(term.type, key))


def _row(walk: Walk, xs: Term, at: Index, env: Env, block: Block) -> Recursive[Rep]:
    """A row of what is mapped over; if that is compound, and few rows are asked for, no others."""
    count = math.prod(axis.extent for axis in axes_of(at.at))
    is_open = is_compound(xs) and not walk.survey.is_checked(xs)
    if is_open and isinstance(xs.type, Tensor) and count < xs.type.shape[0]:
        row: Rep = yield walk.value(xs, env, block, {0: at})
        return row
    stacks: Rep = yield walk.value(xs, env, block)
    return rows_of(block, stacks, lambda stack: selected(block, stack, {0: at}))


def _stacked(block: Block, rep: Rep, axis: Axis, obj: Object) -> Rep:
    """The end of a build: its axis is the first own axis."""

    def stacked(stack: Tensor, row: Tensors) -> Rep:
        moved: dict[Label, Label] = {own: own + 1 for own in range(len(row.type.shape))}
        return relabelled(row, {**moved, axis: 0}, stack)

    return tensorwise(block, stacked, obj, rep)
