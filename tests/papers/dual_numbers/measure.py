"""A measure that falls at every step of the rules of Figures 9 to 11, so that they end.

The paper says that they do, without a proof. A node is heavier by a factor ``BASE`` for each
``build1`` around it, since that is pushed past it, and what computes also for each component of an
index that is yet to be pushed past it. The nodes that a rule adds weigh less than what it takes
away. A stack takes the first component of what comes to it; a gather takes as many as it has
variables, and its array gets as many as it is indexed by; so does a reshape, which becomes one.

The index of a stack is left behind, one ``build1`` earlier than the stack: that is why
``build1 k (λi. cond b u v) ⇝ build1 k (λi. index [u, v] [cond b 0 1])``, whose right side holds its
left side where ``u`` and ``v`` are 0 and 1, does not go on for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from papers.dual_numbers.core_language import Form

BASE = 10**12
"""More than any rule adds, at ranks, widths and depths below ten."""


def measure(t: Form) -> int:
    """It falls at every step, and is never negative."""
    return weight(t, 0, 0, {})


def weight(t: Any, builds: int, pending: int, bound: Mapping[str, int]) -> int:
    """Of a node and all below it, with so many ``build1``s and components yet to come past."""
    moving = BASE**builds
    computing = BASE ** (builds + pending)

    def at(part: Any, pending: int, more: int = 0) -> int:
        if isinstance(part, Form) and part.kind == "λ":
            inside = {x.args[0]: of_variable(builds) for x in part.args[0]}
            return weight(part.args[1], builds + more, pending, {**bound, **inside})
        return weight(part, builds + more, pending, bound)

    match t:
        case tuple():
            return sum(at(part, pending) for part in t)
        case Form("x", (name,)):
            return bound.get(name, 1) * moving
        case Form("c"):
            return moving
        case Form("let", (u, f)):
            return (1 + pending) * moving + at(u, 0) + at(f, pending)
        case Form("build1", (_, f)):
            return 10**3 * moving + at(f, pending, 1)
        case Form("index", (u, ix)):
            earlier = -1 if u.kind == "[]" and builds else 0
            comps = at(ix[:1], 0, earlier) + at(ix[1:], 0)
            return 2 * moving + at(u, pending + len(ix)) + comps
        case Form("op", (_, *ts)):
            return computing + at(tuple(ts), pending)
        case Form("cond", (b, u, v)):
            return 10 * computing + at(b, 0) + at((u, v), pending)
        case Form("[]", (ts,)):
            left = max(pending - 1, 0)
            return (len(ts) + 1) * BASE ** (builds + left) + at(ts, left)
        case Form("sumOuter", (u,)):
            return computing + at(u, pending)
        case Form("reshape", (sh, u)):
            return computing + at(u, max(pending + len(u.shape) - len(sh), 0))
        case Form("replicate", (_, u)):
            return moving + at(u, pending)
        case Form("tr", (_, u)):
            return 10**4 * of_variable(builds) * (1 + pending) * moving + at(u, pending)
        case Form("gather", (_, u, Form(_, (xs, ix)) as f)):
            own = 10 * (1 + len(xs)) * (1 + pending) * moving
            return own + at(u, max(pending + len(ix) - len(xs), 0)) + at(f, 0)
        case Form("scatter", (_, u, f)):
            return moving + at(u, 0) + at(f, 0)
    raise TypeError(t)


def of_variable(builds: int) -> int:
    """Of one that is bound below so many ``build1``s: each makes an index of it."""
    return 10 * 4**builds
