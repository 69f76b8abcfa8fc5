"""Linear factoring: what makes symbolic backpropagation linear (3.1, 5.1).

    x* t + x* u                      →  x* (t + u)
    let x* := λa. d in C{x* u}       →  C{d[u/a]}        provided that x* ∉ C

Backpropagators are linear, so that the two calls of one are one call; called once, it is unfolded.
The rule is sound at the type R^⊥d alone ("type-sensitive", says Def. 5.1): an ordinary function has
``f t + f u ≠ f (t + u)``. Of ``x + x`` with ``x* = λa. z* (a · c)``:

    λb. x* b + x* b   →   λb. x* (b + b)   →   λb. z* ((b + b) · c)

They are rules of the calculus of 6.2. Where its numbers are nodes, it rewrites a term: functions
are unfolded by drawing the program's graph, and what a rule makes of numbers is drawn after it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.terms import Lam, Var
from combinators.type_folds import is_smooth
from papers.comparison.graphs import Drawing, Graph, graph_of, numbered
from papers.comparison.pairs import Outcome, Point
from papers.comparison.reformulated_calculus import UNFOLD, CalculusRule, normal_form
from papers.plain_functions import Numbers, evaluated, zero_of


def factored(lam: Lam) -> tuple[Lam, list[CalculusRule]]:
    """BMP20's gradient term in factored form, and the rules in the order in which they were used.

    Each backpropagator is unfolded once: the term is as long as the program.
    """
    graph, drawing, steps = graph_of(lam), Drawing(numbered("v")), list[CalculusRule]()
    covector = Var("ȳ", lam.body.type)
    value, slopes = normal_form(
        graph, graph.inputs, covector, drawing, lambda rule, _: steps.append(rule)
    )
    found = [
        slope or drawing.const(zero_of(x.type))
        for x, slope in zip(graph.inputs, slopes, strict=True)
        if is_smooth(x.type)
    ]
    made = Graph((*graph.inputs, covector), tuple(drawing.hyperedges), (value, *found))
    return made.term(), steps


def gradient(lam: Lam, point: Point, covector: Any, over: Numbers) -> Outcome:
    """By the term; its visits are backpropagators unfolded."""
    term, steps = factored(lam)
    value, *slopes = evaluated(term, over)(*point, covector)
    flat = np.concatenate([np.ravel(slope) for slope in slopes] or [np.zeros(0)])
    return Outcome(value, flat, steps.count(UNFOLD))
