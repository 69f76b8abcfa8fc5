"""A build that one place of its own block uses stands there, whatever the height of the line.

A trace breaks high expressions into named parts, and behind a name an index does not see that what
it asks for has no other use.
"""

from __future__ import annotations

from collections import Counter

from combinators.block import rebuilt
from combinators.bulk.survey import Survey
from combinators.kit.tree import distinct_nodes
from combinators.terms import Lam, Let, Term, Var


def placed(lam: Lam, survey: Survey) -> Lam:
    """``lam`` without names for such builds; itself where there are none."""
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
    """The names of such builds, by the ``id`` of what is bound; none if a name is bound twice."""
    lets = [node for node in distinct_nodes(lam, kind=Term) if isinstance(node, Let)]
    lines = [line for let in lets for line in let.bindings]
    captured = {var.name for found in survey.captured.values() for var in found}
    if any(count > 1 for count in Counter(var.name for var, _ in lines).values()):
        return {}
    return {
        id(term): var.name
        for var, term in lines
        if survey.is_mapped(term) and survey.uses[var.name] == 1 and var.name not in captured
    }
