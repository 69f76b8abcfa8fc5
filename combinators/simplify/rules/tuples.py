"""Tuples that are taken apart again, and that are made of their own parts."""

from __future__ import annotations

from typing import Any

from combinators.simplify.holes import i, s
from combinators.simplify.patterns import Facts, Rest, head, same
from combinators.simplify.rule import Rule
from combinators.terms import Proj, Term

proj, tuple_, vector = map(head, ("proj", "tuple", "vector"))


def _whole(x: tuple[Term, ...], out: Any, facts: Facts) -> Term | None:
    """What ``x`` are all the components of, in order."""
    first = facts.definition(x[0]) if x else None
    if not isinstance(first, Proj) or first.product.type is not out:
        return None
    for index, item in enumerate(x):
        part = facts.definition(item)
        if not isinstance(part, Proj) or part.index != index:
            return None
        if not same(part.product, first.product):
            return None
    return first.product


TUPLES = (
    Rule(
        "proj-tuple", "tuples", "000, Fig. 12", proj(tuple_(Rest("x")), index=i), lambda x, i: x[i]
    ),
    Rule(
        "proj-vector", "tuples", "000, Fig. 12", proj(vector(Rest("x")), index=i), lambda x, i: x[i]
    ),
    Rule("tuple-of-parts", "tuples", "surjective pairing", tuple_(Rest("x"), names=s), _whole),
)
