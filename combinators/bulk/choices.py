"""``cond``: lazy where its test is the same at every index, and ``where`` of both branches else.

Both are computed then, as in 003, section 5.2, and everything is total. A branch that asks
something of its values, and raises, stays in a map of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from combinators.bulk import calls, fission, indexing
from combinators.bulk.block import Block
from combinators.bulk.borders import (
    joined,
    layout_of,
    tensorwise,
    type_of,
    virtual,
)
from combinators.bulk.laying import pointwise
from combinators.bulk.masking import Key, without
from combinators.bulk.selecting import selected
from combinators.bulk.values import Array, Rep, axes_of
from combinators.kit.recursion import Recursive
from combinators.objects import Tensor
from combinators.operation import Operation, named
from combinators.terms import Cond, Term
from combinators.type_folds import is_first_order

if TYPE_CHECKING:
    from combinators.bulk.evaluation import Env, Evaluation


def chosen(walk: Evaluation, term: Cond, key: Key, env: Env, block: Block) -> Recursive[Rep]:
    """A choice, whose branches are indexed."""
    test: Rep = yield walk.value(term.test, env, block)
    if axes_of(test):
        checked = walk.survey.is_checked(term.then) or walk.survey.is_checked(term.other)
        if checked or not is_first_order(term.type):
            alone: Any = yield fission.split(walk, term, env, block)
            return selected(block, alone, key) if key else alone
        assert isinstance(test, Array)
        walk.say("build1-cond", term, term)
        then: Rep = yield indexing.indexed(walk, term.then, key, env, block)
        other: Rep = yield indexing.indexed(walk, term.other, key, env, block)
        where = Operation(named("where"))
        return tensorwise(
            block, lambda _, x, y: pointwise(block, where, (test, x, y)), then.type, then, other
        )
    captured = {
        var.name: calls.prepared(block, env[var.name]) for var in walk.survey.captured[id(term)]
    }
    if not is_first_order(term.type) and any(axes_of(rep) for rep in captured.values()):
        split: Rep = yield fission.split(walk, term, env, block)
        return split
    obj = without(term.type, key) if isinstance(term.type, Tensor) and key else term.type
    inner = [Block(names=walk.survey.names), Block(names=walk.survey.names)]
    reps: list[Rep] = []
    for place, branch in zip(inner, (term.then, term.other), strict=True):
        reps.append((yield indexing.indexed(walk, branch, key, dict(captured), place)))
    layout = joined(layout_of(reps[0]), layout_of(reps[1]))
    closed: list[Term] = []
    for place, rep in zip(inner, reps, strict=True):
        result: Term = yield walk.over(rep, layout, place)
        closed.append(place.term(result))
    choice: Term = yield walk.written_out(test, block)
    line = block.bind(Cond(choice, closed[0], closed[1], term.place), "c")
    assert line.type is type_of(obj, layout)
    return virtual(block, line, obj, layout)
