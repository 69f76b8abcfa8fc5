"""The bulk-operation transform (003, section 5): arrays written one element at a time, in bulk.

``bulk`` gives a program of the same type and the same meaning in which no ``map`` or ``build`` is
left that has a bulk form:

    λ(a : Tensor[2, 3], b). build (2, 4) (λi j. sum (build 3 (λp. a[i, p] * b[p, j])))
    λ(a : Tensor[2, 3], b). a @ b

``evaluation`` walks over the program once, and gives each term its value at all indices of the
builds around it (``batches``); ``equations`` are what its clauses realise, in the paper's notation.
"""

from __future__ import annotations

from collections.abc import Callable

from combinators.bulk.equations import EQUATIONS, Equation, Site, batched
from combinators.bulk.evaluation import Evaluation, rewritten
from combinators.bulk.trees import in_trees
from combinators.kit.memory import uncollected
from combinators.primitives.loops import LOOP, is_associative, is_map, is_parallel
from combinators.simplify import simplify
from combinators.simplify.rule import Trace
from combinators.terms import Const, Lam, Prim, Term, Var

PASSES = 3
"""A scan that carries nothing becomes a map when it is simplified, and so in bulk the next time."""


def bulk(lam: Lam, *, trace: Trace | None = None, trees: bool = False) -> Lam:
    """The closed λ ``lam`` with bulk operations for its maps; itself where it has none.

    With ``trees`` an associative loop becomes a tree of maps before: to be run, not to be derived.
    ``trace`` is called whenever an equation is used. Nothing is refused: what has no bulk form
    stays in a map of its own. Raises ``UnboundVariable`` for a λ that captures.
    """
    if not has_map(lam, is_parallel if trees else is_map):
        return lam
    with uncollected():
        if trees and has_map(lam, is_associative):
            lam = in_trees(lam)
        for _ in range(PASSES):
            walk = Evaluation(lam, trace)
            lam = simplify(rewritten(lam, walk))
            if walk.has_split or not has_map(lam):
                break
        return lam


def has_map(term: Term, is_one: Callable[[object], bool] = is_map) -> bool:
    """Whether there is a ``map`` anywhere below ``term``: a look at every node, once."""
    todo: list[Term] = [term]
    seen: set[int] = set()
    while todo:
        for part in todo.pop().below():
            kind = type(part)
            if kind is Var or kind is Const or id(part) in seen:
                continue
            if kind is Prim and part.operation.primitive is LOOP and is_one(part):
                return True
            seen.add(id(part))
            todo.append(part)
    return False


__all__ = ["EQUATIONS", "Equation", "Site", "batched", "bulk", "has_map"]
