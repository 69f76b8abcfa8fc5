"""Random programs, asked of the scalar dual numbers of 003 and of the fast mode."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from papers.dual_numbers.scalars import gradient
from tests.papers.comparison.asking import by_the_fast_mode, flat
from tests.strategies.language import Program
from tests.strategies.meanings import HighPrecision, meaning


class DualNumbers(HighPrecision):
    """Python's own functions, lists and conditionals over numbers that bring their Delta terms."""

    largest, nearest = float("inf"), 0

    def number(self, value: float) -> Any:
        return Fraction(value)

    def _bounded(self, value: Any) -> Any:
        return value

    def choose(self, left: Any, right: Any, then: Any, other: Any) -> Any:
        return then() if left < right else other()

    def total(self, xs: Any) -> Any:
        return sum(xs, Fraction(0))


def by_dual_numbers(program: Program, point: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The value and the gradient, flat, where numbers are rational."""
    names, values = [name for name, _ in program.params], []

    def run(*args: Any) -> Any:
        given = [list(arg) if isinstance(arg, tuple) else arg for arg in args]
        y = meaning(program.body, dict(zip(names, given, strict=True)), DualNumbers())
        values.append(getattr(y, "primal", y))
        return y

    slopes = gradient(run, *(tuple(x) if isinstance(x, list) else x for x in point))
    return values[0], flat(slopes)


def agree(program: Program, point: Sequence[Any]) -> None:
    """The same value and the same gradient as the fast mode's, to the last digit."""
    _, _, y, expected = by_the_fast_mode(program, point)
    value, found = by_dual_numbers(program, point)
    assert value == y
    assert found == expected
