"""The bulk-operation transform (003, section 5): arrays written one element at a time, in bulk.

``bulk`` gives a program of the same type and the same meaning in which no ``map`` or ``build`` is
left that has a bulk form:

    λ(a : Tensor[2, 3], b). build (2, 4) (λi j. sum (build 3 (λp. a[i, p] * b[p, j])))
    λ(a : Tensor[2, 3], b). a @ b

``evaluation`` walks over the program once, and gives each term its value at all indices of the
builds around it (``batches``); ``equations`` are what its clauses realise, in the paper's notation.
"""

from __future__ import annotations

from collections import Counter

from combinators.block import rebuilt
from combinators.bulk.equations import EQUATIONS, Equation, Site, batched
from combinators.bulk.evaluation import Evaluation, rewritten
from combinators.bulk.walk import Survey, has_map
from combinators.kit.memory import uncollected
from combinators.kit.tree import distinct_nodes
from combinators.primitives.loops import is_map
from combinators.simplify import simplify
from combinators.simplify.rule import Trace
from combinators.terms import Lam, Let, Prim, Term, Var

PASSES = 3
"""A scan that carries nothing becomes a map when it is simplified, and so in bulk the next time."""


def bulk(lam: Lam, *, trace: Trace | None = None) -> Lam:
    """The closed λ ``lam`` with bulk operations for its maps; itself where it has none.

    ``trace`` is called whenever an equation is used. Nothing is refused: what has no bulk form
    stays in a map of its own. Raises ``UnboundVariable`` for a λ that captures.
    """
    with uncollected():
        for _ in range(PASSES):
            if not has_map(lam):
                break
            walk = Evaluation(lam, trace)
            whole = _unnamed(lam, walk.survey)
            if whole is not lam:
                walk = Evaluation(whole, trace)
            lam = simplify(rewritten(whole, walk))
            if walk.has_split:
                break
        return lam


def _unnamed(lam: Lam, survey: Survey) -> Lam:
    """``lam`` without names for builds that one place of their own block uses; itself without such.

    A trace breaks high expressions into named parts, and behind a name an index does not see that
    what it asks for has no other use.
    """
    names = _used_once(lam, survey)
    if not names:
        return lam
    unnamed = set(names.values())
    made: dict[int, Term] = {}
    stands_for: dict[str, Term] = {}

    def new(term: Term) -> Term:
        return stands_for.get(term.name, term) if isinstance(term, Var) else made[id(term)]

    for node in distinct_nodes(lam, kind=Term):
        match node:
            case Let(bindings, body):
                left = tuple((var, new(term)) for var, term in bindings if var.name not in unnamed)
                found = Let(left, new(body)) if left else new(body)
            case Lam(params, body, name):
                found = node if new(body) is body else Lam(params, new(body), name)
            case _:
                found = rebuilt(node, node.below(), tuple(map(new, node.below())))
        made[id(node)] = found
        if id(node) in names:
            stands_for[names[id(node)]] = found
    whole = made[id(lam)]
    assert isinstance(whole, Lam)
    return whole


def _used_once(lam: Lam, survey: Survey) -> dict[int, str]:
    """The names of such builds, by the ``id`` of what is bound; none if a name is bound twice.

    The body of another build is of the same block, if nothing else refers to its λ.
    """
    nodes = list(distinct_nodes(lam, kind=Term))
    lines = [line for node in nodes if isinstance(node, Let) for line in node.bindings]
    params = [param for node in nodes if isinstance(node, Lam) for param in node.params]
    bodies = {id(node.args[0]) for node in nodes if isinstance(node, Prim) and is_map(node)}
    own = {body for body in bodies if survey.references[body] == 1}
    named, bound = Counter(var.name for var, _ in lines), Counter(param.name for param in params)
    if any(count > 1 for count in named.values()):
        return {}
    inside, outside = set[str](), set[str]()
    for scope, found in survey.captured.items():
        (inside if scope in own else outside).update(var.name for var in found)

    def may_move(name: str, term: Term) -> bool:
        if name not in inside or name in outside:
            return name not in outside
        return not any(bound[free] + named[free] > 1 for free in survey.mentioned(term))

    once = ((var, term) for var, term in lines if survey.uses[var.name] == 1)
    return {
        id(term): var.name
        for var, term in once
        if survey.is_mapped(term) and may_move(var.name, term)
    }


__all__ = ["EQUATIONS", "Equation", "Site", "batched", "bulk", "has_map"]
