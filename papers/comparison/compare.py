"""The comparison itself (002, 5.4 and 6): one program in every system, side by side.

Each system tells the term that it makes, before anything is simplified; how many operations on
numbers the gradient takes, the value's among them; and how much was visited, each in its own way:
hyperedges marked, backpropagators called, backpropagators unfolded, Delta terms evaluated,
rules used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError, MissingRule
from combinators.terms import Lam
from interpreters.carriers.counting import Counting
from interpreters.carriers.numpy import NumPy
from papers.comparison import graphs, linear_negation, monadic_translation
from papers.comparison import reformulated_calculus as calculus
from papers.comparison.linear_factoring import factored
from papers.comparison.negation_on_terms import gradient_term
from papers.comparison.pairs import flat
from papers.plain_functions import evaluated

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
    draw: Callable[[Lam], Any]

    def term(self, system: str) -> str:
        """The term that a system makes, before anything is simplified."""
        return self.rows[system].term

    def diagrams(self) -> dict[str, Any]:
        """Pictures of the program, and of the terms that are terms of the language."""
        terms = {"program": self.lam} | {name: row.drawn for name, row in self.rows.items()}
        return {name: self.draw(lam) for name, lam in terms.items() if lam is not None}

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


def compared(
    lam: Lam, point: Point, others: Mapping[str, System], draw: Callable[[Lam], Any]
) -> Comparison:
    """A program of numbers and arrays to a number, in the systems of 002 and in ``others``."""
    rows = {}
    for name, system in {**SYSTEMS, **others}.items():
        try:
            rows[name] = system(lam, point, Counting(NumPy()))
        except DiffcurryError as error:
            rows[name] = Told("", refused=str(error.args[0]))
        except RecursionError:
            rows[name] = Told("", refused="a literal system goes over terms by recursion: too deep")
    return Comparison(lam, rows, draw)


def _backpropagation(lam: Lam, point: Point, over: Counting) -> Told:
    graph = graphs.graph_of(lam)
    *_, last = graphs.backprop(graph, point, (1.0,), over)
    slopes = flat(lam, point, [last.memory[node.name][1] for node in graph.inputs])
    return Told(str(made := graphs.bp(graph)), slopes, over.total, len(last.marked), made.term())


def _bmp20(lam: Lam, point: Point, over: Counting) -> Told:
    found = linear_negation.gradient(lam, point, np.float64(1.0), over)
    try:
        drawn = gradient_term(lam)
    except MissingRule as error:
        return Told(str(error.args[0]), found.cotangent, over.total, found.visits)
    return Told(str(drawn), found.cotangent, over.total, found.visits, drawn)


def _factored(lam: Lam, point: Point, over: Counting) -> Told:
    term, steps = factored(lam)
    _, *found = evaluated(term, over)(*point, np.float64(1.0))
    slopes = np.concatenate([np.ravel(x) for x in found])
    return Told(str(term), slopes, over.total, steps.count(calculus.UNFOLD), term)


def _krawiec(lam: Lam, point: Point, over: Counting) -> Told:
    found = monadic_translation.gradient(lam, point, np.float64(1.0), over)
    term = monadic_translation.symbolic(lam, point, NumPy())
    return Told(term, found.cotangent, over.total, found.visits)


def _reformulated(lam: Lam, point: Point, over: Counting) -> Told:
    graph, steps = graphs.graph_of(lam), Counter[str]()
    _, slopes = calculus.gradient(
        graph, point, np.float64(1.0), over, lambda rule, _: steps.update([rule.name])
    )
    found = flat(lam, point, [slopes.get(node.name) for node in graph.inputs])
    return Told(str(calculus.transformed(graph)), found, over.total, steps.total())


SYSTEMS: dict[str, System] = {
    "backpropagation": _backpropagation,
    "BMP20": _bmp20,
    "BMP20, factored": _factored,
    "Krawiec and others": _krawiec,
    "reformulated calculus": _reformulated,
}
