"""Builds, and loops inside of builds: an axis each, and one loop that carries all indices' values.

``map (λx. t) xs`` is ``build1 k (λi. t[index xs [i]/x])``, whose index is an axis from here on.
What a loop carries gets the batch axes that its step gives it: they are found by trying, since they
can only become more. Of

    map (λx. fold (λc r. sin c + r * x) 0 rows) xs                  rows : Tensor[7], xs : Tensor[5]

the carry has no axis at first, and the step gives one with ``i``; so it starts as five zeros:

    fold (λc r. sin c + r * xs) [0, 0, 0, 0, 0] rows                c : Tensor[5]
"""

from __future__ import annotations

import math

from combinators.bulk.affine import NO_KEY, Index, Key, index_of, narrowed, without
from combinators.bulk.batches import (
    Affine,
    Closure,
    Group,
    Rep,
    Tensors,
    axes_of,
    own_labels,
    relabelled,
)
from combinators.bulk.block import Block
from combinators.bulk.borders import (
    Columns,
    Layout,
    joined,
    layout_of,
    parts_of,
    prepared,
    tensorwise,
    term_of,
    type_of,
    virtual,
)
from combinators.bulk.calls import bound, called, kept
from combinators.bulk.indexing import is_compound
from combinators.bulk.selection import selected
from combinators.bulk.walk import Env, Walk, behind
from combinators.kit.recursion import Recursive
from combinators.objects import Product, Tensor
from combinators.primitives.loops import LoopTerm, LoopType
from combinators.terms import Lam, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import is_first_order, length_of, row_of


def mapped(walk: Walk, term: Prim, env: Env, block: Block, key: Key = NO_KEY) -> Recursive[Rep]:
    """The values of a map, whose axis is the first of its own, or what ``key`` asks of them.

    A map of an unknown function, or over or to functions, stays.
    """
    f: Rep = yield walk.value(term.args[0], env, block)
    xs = term.args[1]
    if not (isinstance(f, Closure) and is_first_order(term.type) and is_first_order(xs.type)):
        if key:
            return (yield from walk.read(term, key, env, block))
        walk.has_split = True
        stacks: Rep = yield walk.value(xs, env, block)
        return (yield from kept(walk, term, [f, stacks], block))
    axis = block.rows(length_of(xs.type), walk.survey.widest(f.lam))
    row: Rep = yield _row(walk, xs, key.get(0, Index(index_of(axis))), env, block)
    if key:
        walk.say("index-build1", term, f.lam.body)
    elif axes_of(f) | axes_of(row) > {axis}:
        walk.say("build1-build1", term, f.lam.body)
    below = {number - 1: index for number, index in key.items() if number}
    result: Rep
    if walk.survey.is_used_again(term.args[0], f.lam):
        result = yield called(walk, f, row, block)
        if below:
            assert isinstance(result, Tensors)
            result = selected(block, result, below)
    else:
        result = yield walk.value(f.lam.body, bound(f, row, block), block, below)
    if 0 not in key:
        if isinstance(result, Affine) and dict(result.slopes) == {axis: 1} and not result.offset:
            walk.say("build1-itself", f.lam, f.lam.body)
        elif walk.trace is not None and axis not in axes_of(result):
            walk.say("build1-invariant", f.lam, f.lam.body)

    def stacked(stack: Tensor, row: Tensors) -> Rep:
        """The end of a build: its axis is the first own axis."""
        own = {label: label + 1 for label in own_labels(row.type)}
        return relabelled(row, {**own, axis: 0}, narrowed(stack, key))

    return tensorwise(block, stacked, term.type, result)


def _row(walk: Walk, xs: Term, at: Index, env: Env, block: Block) -> Recursive[Rep]:
    """A row of what is mapped over; if that is compound, and few rows are asked for, no others."""
    count, (inside, _) = math.prod(axis.extent for axis in axes_of(at.at)), behind(xs, env)
    is_open = is_compound(walk, inside) and not walk.survey.is_checked(inside)
    if is_open and isinstance(xs.type, Tensor) and count < xs.type.shape[0]:
        return without((yield from walk.array(xs, env, block, {0: at})), {0: at})
    stacks: Rep = yield walk.value(xs, env, block)
    return _rows(block, stacks, at)


def _rows(block: Block, stacks: Rep, at: Index) -> Rep:
    def each(_: Tensor, stack: Tensors) -> Rep:
        return without(selected(block, stack, {0: at}), {0: at})

    return tensorwise(block, each, row_of(stacks.type), stacks)


def looped(walk: Walk, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """What a loop that carries gives; what it keeps has the loop's rows first of all axes."""
    reps: list[Rep] = []
    for arg in term.args:
        reps.append((yield walk.value(arg, env, block)))
    f, init, xs = reps
    is_plain = all(map(is_first_order, (term.type, init.type, xs.type)))
    if not isinstance(f, Closure) or not is_plain or not any(map(axes_of, reps)):
        return (yield from kept(walk, term, reps, block))
    walk.say("build1-fold", term, term)
    types = LoopTerm(term).types
    axis = block.axis(types.length)
    row = prepared(block, _rows(block, xs, Index(index_of(axis))))
    columns, f = Columns(block, axis, row), prepared(block, f)
    layout, wider = None, layout_of(init)
    while wider != layout:
        layout = wider
        step, wider, item = yield from _step(walk, types, f, columns, layout)
    start: Term = yield term_of(walk, init, block, layout)
    line = block.operate(term.operation, step, start, columns.operand, place=term.place)
    last, rows = types.halves(line, lambda whole, i: block.bind(Proj(i, whole)))
    carry = virtual(block, last, init.type, layout)
    if types.item is None:
        return carry
    return Group((carry, virtual(block, rows, types.item, item, types.length)), term.type)


def _step(
    walk: Walk, types: LoopType, f: Closure, columns: Columns, layout: Layout
) -> Recursive[tuple[Lam, Layout, Layout]]:
    """The loop's λ for a carry of this layout, the layout it gives, and that of what it keeps."""
    assert types.carry is not None
    inner = Block(names=walk.survey.names)
    carry = Var(inner.names.fresh("carry"), type_of(types.carry, layout))
    param, row = columns.row(inner)
    given = virtual(inner, carry, types.carry, layout), row
    both = Group(given, Product(types.carry, row.type))
    result: Rep = yield walk.value(f.lam.body, bound(f, both, inner), inner)
    after, item = (result, None) if types.item is None else parts_of(inner, result)
    wider = joined(layout, layout_of(after))
    body: Term = yield term_of(walk, after, inner, wider)
    over = () if item is None else layout_of(item)
    if item is not None:
        body = Tuple((body, (yield term_of(walk, item, inner, over))))
    return Lam((carry, param), inner.term(body), f.lam.name), wider, over
