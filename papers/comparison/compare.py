"""The comparison itself (002, 5.4 and 6): one program in every system, side by side.

Each system tells the term that it makes, before anything is simplified; how many operations on
numbers the gradient takes, the value's among them; and how much was visited, each in its own way:
hyperedges marked, backpropagators called, backpropagators unfolded, Delta terms evaluated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError
from combinators.terms import Lam
from combinators.type_folds import is_smooth
from interpreters.carriers.counting import Counting
from interpreters.carriers.numpy import NumPy
from papers.comparison import graphs, linear_negation, monadic_translation
from papers.comparison.linear_factoring import UNFOLDING, factored
from papers.comparison.negation_on_terms import gradient_term
from papers.comparison.plain_functions import evaluated

Point = tuple[Any, ...]


@dataclass(frozen=True)
class Told:
    """What a system tells of a program: of one that it refuses, why."""

    term: str
    gradient: Any = None
    operations: int = 0
    visits: int = 0
    drawn: Lam | None = None
    """Where its term is one of the language: what a diagram is drawn of."""
    refused: str = ""


System = Callable[[Lam, Point, Counting], Told]


@dataclass(frozen=True)
class Comparison:
    """A program in every system."""

    lam: Lam
    rows: Mapping[str, Told]

    def term(self, system: str) -> str:
        """The term that a system makes, before anything is simplified."""
        return self.rows[system].term

    def diagrams(self, draw: Callable[[Lam], Any]) -> dict[str, Any]:
        """What ``draw`` makes of the program, and of the terms that are terms of the language."""
        drawn = {name: row.drawn for name, row in self.rows.items() if row.drawn is not None}
        return {name: draw(lam) for name, lam in {"program": self.lam, **drawn}.items()}

    def __str__(self) -> str:
        """A table."""
        lines = [f"{'system':<25}  {'operations':>10}  {'visits':>6}  gradient"]
        for name, row in self.rows.items():
            if row.refused:
                lines.append(f"{name:<25}  {'–':>10}  {'–':>6}  {row.refused}")
                continue
            numbers = " ".join(f"{float(x):.6g}" for x in np.ravel(row.gradient))
            lines.append(f"{name:<25}  {row.operations:>10}  {row.visits:>6}  {numbers}")
        return "\n".join(lines)


def compared(lam: Lam, point: Point, others: Mapping[str, System] | None = None) -> Comparison:
    """A program of numbers and arrays to a number, in the systems of 002 and in ``others``."""
    rows = {}
    for name, system in {**SYSTEMS, **(others or {})}.items():
        try:
            rows[name] = system(lam, point, Counting(NumPy()))
        except DiffcurryError as error:
            rows[name] = Told("", refused=str(error.args[0]))
    return Comparison(lam, rows)


def _backpropagation(lam: Lam, point: Point, over: Counting) -> Told:
    graph = graphs.graph_of(lam)
    *_, last = graphs.backprop(graph, point, (1.0,), over)
    slopes = [last.memory[node.name][1] for node in graph.inputs if is_smooth(node.obj)]
    return Told(str(graphs.bp(graph)), _flat(slopes), over.total, len(last.marked))


def _bmp20(lam: Lam, point: Point, over: Counting) -> Told:
    found = linear_negation.gradient(lam, point, np.float64(1.0), over)
    try:
        drawn = gradient_term(lam)
    except DiffcurryError as error:
        return Told(str(error.args[0]), found.cotangent, over.total, found.visits)
    return Told(str(drawn), found.cotangent, over.total, found.visits, drawn)


def _factored(lam: Lam, point: Point, over: Counting) -> Told:
    term, steps = factored(lam)
    slopes = evaluated(term, over)(*point, np.float64(1.0))[1]
    return Told(str(term), slopes, over.total, Counter(steps)[UNFOLDING], term)


def _krawiec(lam: Lam, point: Point, over: Counting) -> Told:
    found = monadic_translation.gradient(lam, point, np.float64(1.0), over)
    term = monadic_translation.symbolic(lam, point, NumPy())
    return Told(term, found.cotangent, over.total, found.visits)


def _flat(slopes: list[Any]) -> Any:
    return np.concatenate([np.ravel(x) for x in slopes]) if slopes else np.zeros(0)


SYSTEMS: dict[str, System] = {
    "backpropagation": _backpropagation,
    "BMP20": _bmp20,
    "BMP20, factored": _factored,
    "Krawiec and others": _krawiec,
}
