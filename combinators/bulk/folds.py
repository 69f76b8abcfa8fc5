"""``fold`` and ``scan`` inside of builds: one loop, which carries the values at all indices.

What a loop carries gets the batch axes that its step gives it: they are found by trying, since they
can only become more.
"""

from __future__ import annotations

from combinators.bulk.block import Block
from combinators.bulk.borders import (
    Layout,
    joined,
    layout_of,
    parts_of,
    prepared,
    prepared_function,
    term_of,
    type_of,
    virtual,
)
from combinators.bulk.fission import kept
from combinators.bulk.rowing import Columns
from combinators.bulk.values import Array, Closure, Group, Rep, axes_of, in_order
from combinators.bulk.walk import Env, Walk
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor, components
from combinators.primitives.loops import LoopTerm
from combinators.rows import length_of, stack_of
from combinators.terms import Lam, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import is_first_order


def looped(walk: Walk, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """What a loop gives."""
    reps: list[Rep] = []
    for arg in term.args:
        reps.append((yield walk.value(arg, env, block)))
    f, init, xs = reps
    is_known = isinstance(f, Closure) and all(map(is_first_order, (term.type, init.type, xs.type)))
    if not is_known or not any(map(axes_of, reps)):
        alone: Rep = yield kept(walk, term, reps, block)
        return alone
    assert isinstance(f, Closure)
    walk.say("build1-fold", term, term)
    columns = Columns(block, length_of(xs.type))
    row = prepared(block, columns.row_of(xs))
    loop = _Carrying(walk, term, f, columns, row)
    layout = layout_of(init)
    while True:
        step, wider, item = yield loop.step(layout, init.type, block)
        if wider == layout:
            break
        layout = wider
    start: Term = yield term_of(walk, init, block, layout)
    line = block.operate(term.operation, step, start, columns.operand(), place=term.place)
    return loop.value(block, line, layout, item)


class _Carrying:
    """A loop inside of builds."""

    def __init__(self, walk: Walk, term: Prim, f: Closure, columns: Columns, row: Rep) -> None:
        self.walk, self.term, self.f = walk, term, f
        self.columns, self.row = columns, row
        self.types = LoopTerm(term).types

    def step(
        self, layout: Layout, obj: Object, block: Block
    ) -> Recursive[tuple[Lam, Layout, Layout]]:
        """The loop's λ for a carry of this layout, the layout it gives, and that of a row."""
        inner = Block(names=self.walk.survey.names)
        carry = Var(inner.names.fresh("carry"), type_of(obj, layout))
        given = virtual(inner, carry, obj, layout)
        param, row = self.columns.parameter(inner, self.row)
        env = dict(prepared_function(block, self.f).captured)
        params = self.f.lam.params
        if len(params) == 1:
            env[params[0].name] = Group((given, row), params[0].type)
        else:
            env.update({params[0].name: given, params[1].name: row})
        result: Rep = yield self.walk.value(self.f.lam.body, env, inner)
        is_fold = self.types.item is None
        after, kept = (result, None) if is_fold else parts_of(inner, result)
        wider = joined(layout, layout_of(after))
        item = None if kept is None else layout_of(kept)
        outs: list[Term] = [(yield term_of(self.walk, after, inner, wider))]
        if kept is not None:
            outs.append((yield term_of(self.walk, kept, inner, item)))
        body = outs[0] if kept is None else Tuple(tuple(outs))
        lam = Lam((carry, param), inner.term(body), self.f.lam.name)
        return lam, wider, item

    def value(self, block: Block, line: Term, layout: Layout, item: Layout) -> Rep:
        """The carry, and the rows that are stacked: their first own axis comes first of all."""
        types = self.types
        last, rows = types.halves(line, lambda whole, i: block.bind(Proj(i, whole)))
        assert types.carry is not None
        carry = virtual(block, last, types.carry, layout)
        if types.item is None:
            return carry
        return Group((carry, _stacked(block, rows, types.item, item, types.length)), self.term.type)


def _stacked(block: Block, term: Var, obj: Object, layout: Layout, length: int) -> Rep:
    if layout is None:
        return virtual(block, term, stack_of(obj, length))
    if isinstance(layout, list):
        product = components(obj)
        assert product is not None
        parts = zip(product.parts, layout, strict=True)
        made = [
            _stacked(block, block.bind(Proj(index, term)), part, below, length)
            for index, (part, below) in enumerate(parts)
        ]
        return Group(tuple(made), stack_of(obj, length))
    assert isinstance(obj, Tensor)
    stacked = Tensor((length, *obj.shape), obj.dtype)
    labels = in_order((*layout, *range(len(obj.shape))))
    return Array(term, (0, *(a + 1 if isinstance(a, int) else a for a in labels)), stacked)
