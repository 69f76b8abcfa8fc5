"""What is known of the λs of a program before it is written."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from combinators.free import Captured, captured
from combinators.terms import Cond, Const, Lam, Term, Var


class Lambdas(NamedTuple):
    """The λs of a program, by the ids of their nodes."""

    captured: Captured
    """What each λ and branch captures."""
    times: Counter[int]
    """In how many places each λ stands."""


def surveyed(root: Lam) -> tuple[Lambdas, list[Term]]:
    """The λs of the closed λ ``root``, and all terms in it but variables and literals."""
    times: Counter[int] = Counter()
    captures = False
    nodes: list[Term] = []
    todo: list[Term] = [root]
    while todo:
        node = todo.pop()
        nodes.append(node)
        for part in node.below():
            kind = type(part)
            if kind is Var or kind is Const:
                continue
            captures = captures or kind is Lam or kind is Cond
            if kind is Lam:
                times[id(part)] += 1
                if times[id(part)] > 1:
                    continue
            todo.append(part)
    # Only λs and branches capture.
    return Lambdas(captured(root)[1] if captures else {id(root): ()}, times), nodes
