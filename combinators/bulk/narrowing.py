"""A part of what is built is built alone.

A window is a gather at affine indices, and a gather is a build of indices (003, section 3.3). So of
a build that stands in front of it, and that nothing else uses, no more is computed than is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.bulk import indexing
from combinators.bulk.block import Block
from combinators.bulk.figure10 import pushes
from combinators.bulk.pushing import window
from combinators.bulk.values import Rep
from combinators.kit.recursion import Recursive
from combinators.objects import Tensor
from combinators.terms import Cond, Let, Prim, Term

if TYPE_CHECKING:
    from combinators.bulk.evaluation import Env, Evaluation


def is_compound(term: Term) -> bool:
    """Whether an index goes down into a term; a variable, which may have other uses, is none."""
    return isinstance(term, Let | Cond) or (isinstance(term, Prim) and pushes(term))


def is_part(walk: Evaluation, term: Prim) -> bool:
    """Whether a window or a gather asks for less than is built right there, and nothing raises."""
    x = term.args[0]
    assert isinstance(term.type, Tensor)
    assert isinstance(x.type, Tensor)
    is_built = walk.survey.is_mapped(x) and not walk.survey.is_checked(x)
    return is_built and term.type.size < x.type.size and is_compound(x)


def cut(walk: Evaluation, term: Prim, env: Env, block: Block) -> Recursive[Rep]:
    """A window, which is an index of each of its elements."""
    walk.say("gather-build1", term, term.args[0])
    found: Rep = yield indexing.pushed(walk, window(block, term, {}), env, block)
    return found
