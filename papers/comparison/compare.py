"""The comparison itself (002, 5.4 and 6): one program in every system, side by side.

Each system tells the term that it makes, before anything is simplified; how many operations on
numbers the gradient takes, the value's among them; and how much was visited, each in its own way:
hyperedges marked, backpropagators called, backpropagators unfolded, Delta terms evaluated, linear
functions applied, rules used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError
from combinators.kit.recursion import recurse
from combinators.terms import Lam
from interpreters.carriers.counting import Counting
from interpreters.carriers.numpy import NumPy
from papers.comparison import Outcome, Point, chad, graphs, linear_negation
from papers.comparison import monadic_translation as monad


@dataclass(frozen=True)
class Told:
    """What a system tells of a program: of one that it refuses, why."""

    made: Any
    """The term that it makes, before anything is simplified."""
    gradient: Any = None
    operations: int = 0
    visits: int = 0
    refused: str = ""


System = tuple[Callable[[Lam, Point, Any, Counting], Outcome], Callable[[Lam, Point], Any]]
"""Its gradient, and the term that it makes."""


@dataclass(frozen=True)
class Comparison:
    """A program in every system."""

    lam: Lam
    rows: Mapping[str, Told]
    draw: Callable[[Lam], Any]

    def term(self, system: str) -> str:
        """The term that a system makes, before anything is simplified."""
        return str(self.rows[system].made)

    def diagrams(self) -> dict[str, Any]:
        """Pictures of the program, and of the terms that are terms of the language."""
        terms = {"program": self.lam} | {name: row.made for name, row in self.rows.items()}
        return {name: self.draw(lam) for name, lam in terms.items() if isinstance(lam, Lam)}

    def __str__(self) -> str:
        """A table."""
        lines = [f"{'system':<25}  {'operations':>10}  {'visits':>6}  gradient"]
        for name, row in self.rows.items():
            counts = ("–", "–") if row.refused else (row.operations, row.visits)
            numbers = () if row.refused else np.ravel(row.gradient)
            found = row.refused or " ".join(f"{float(x):.6g}" for x in numbers)
            lines.append(f"{name:<25}  {counts[0]:>10}  {counts[1]:>6}  {found}")
        return "\n".join(lines)


def compared(
    lam: Lam, point: Point, others: Mapping[str, System], draw: Callable[[Lam], Any]
) -> Comparison:
    """A program of numbers and arrays to a number, in the systems of 002 and in ``others``."""
    rows = {}
    for name, (gradient, term) in {**SYSTEMS, **others}.items():
        over = Counting(NumPy())
        try:
            found = gradient(lam, point, np.float64(1.0), over)
            rows[name] = Told(term(lam, point), found.cotangent, over.total, found.visits)
        except DiffcurryError as error:
            rows[name] = Told("", refused=str(error.args[0]))
        except RecursionError:
            rows[name] = Told("", refused="a literal system goes over terms by recursion: too deep")
    return Comparison(lam, rows, draw)


SYSTEMS: dict[str, System] = {
    "backpropagation": (graphs.gradient, lambda f, _: graphs.bp(graphs.graph_of(f)).term()),
    "BMP20": (linear_negation.gradient, lambda f, _: linear_negation.transformed(f)),
    "BMP20, factored": (
        linear_negation.factored_gradient,
        lambda f, _: linear_negation.factored(f)[0],
    ),
    "Krawiec and others": (
        monad.gradient,
        lambda f, x: recurse(monad.written(monad.delta_of(f, x, NumPy())[1])),
    ),
    "CHAD": (chad.gradient, lambda f, _: chad.chad(f)),
    "reformulated calculus": (
        linear_negation.reformulated,
        lambda f, _: linear_negation.transformed(f),
    ),
}
