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

from combinators.terms import Lam
from combinators.type_folds import is_smooth
from papers.comparison.graphs import Drawing, Graph, GraphNode, graph_of, numbered
from papers.comparison.reformulated_calculus import CalculusRule, gradient
from papers.plain_functions import zero_of


def factored(lam: Lam) -> tuple[Lam, list[CalculusRule]]:
    """BMP20's gradient term in factored form, and the rules in the order in which they were used.

    Each backpropagator is unfolded once: the term is as long as the program.
    """
    graph, drawing = graph_of(lam), Drawing(numbered("v"))
    (y,) = graph.outputs
    covector, steps = GraphNode("ȳ", y.obj), list[CalculusRule]()
    value, slopes = gradient(
        graph, graph.inputs, covector, drawing, lambda rule, _: steps.append(rule)
    )
    moving = [x for x in graph.inputs if is_smooth(x.obj)]
    found = [slopes.get(x.name) or drawing.const(zero_of(x.obj)) for x in moving]
    made = Graph((*graph.inputs, covector), tuple(drawing.hyperedges), (value, *found))
    return made.term(), steps
