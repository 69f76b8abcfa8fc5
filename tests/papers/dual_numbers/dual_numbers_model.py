"""The dual numbers of 003 as a model of the law kit: programs are plain functions of them."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Morphism
from combinators.objects import Mu, Object
from combinators.type_folds import parts_of, unfolded
from combinators.value_folds import Injected
from laws.observation import at_value, leaves, point_of
from papers.dual_numbers.scalars import ZERO, Add, Input, Number, Scale, reverse_pass
from papers.plain_functions import PlainFunctions
from tests.papers.asking import NUMBERS

NAMES, IDS = count(), count()
"""Of inputs, in all runs; and identifiers: what a function captured has those of another run."""


class DualNumbers:
    """The carrier."""

    def const(self, literal):
        number = literal.array.item()
        return Number(Fraction(number)) if isinstance(number, float) else number

    def operation(self, operation, types, cod):
        return getattr(np, operation.name)

    def truth(self, number):
        return bool(number)


class DualOutcome(NamedTuple):
    """What a function gives of dual numbers, and those that it was given."""

    dual: Any
    given: Any


class DualNumbersModel:
    """Functions, pairs, choice, sums, recursion, and numbers, which are exact."""

    name = "dual numbers"
    signature = replace(NUMBERS, sums=True, recursion=True, vectors=True)

    def __init__(self) -> None:
        self.category = PlainFunctions(DualNumbers())

    def run(self, arrow, point):
        given = each(lambda x: Number(primal(x), Input(next(NAMES)), IDS), point)
        return DualOutcome(arrow(given), given)

    def value(self, outcome):
        dual = outcome.dual if isinstance(outcome, DualOutcome) else outcome
        return each(primal, dual)

    def observe(self, cod, outcome, probes) -> Iterator[Any]:
        yield from leaves(self, cod, self.value(outcome), probes)
        if isinstance(outcome, DualOutcome):
            covector = at_value(self, probes.cotangent("pullback", cod), cod, self.value(outcome))
            moved = reduce(Add, self.scaled(covector, cod, outcome.dual), ZERO)
            yield from told(reverse_pass(Fraction(1), moved), outcome.given, "pullback")

    def scaled(self, covector: Any, obj: Object, dual: Any) -> Iterator[Any]:
        """The Delta terms of a result times what a covector says; a function's are its calls'."""
        match covector:
            case Literal():
                yield Scale(Fraction(covector.array.item()), dual.delta)
            case Injected(tag, probe):
                whole = unfolded(obj) if isinstance(obj, Mu) else obj
                yield from self.scaled(probe, whole.parts[tag], dual.value)
            case tuple():
                for probe, part, x in zip(covector, parts_of(obj), dual, strict=True):
                    yield from self.scaled(probe, part, x)
            case list():
                for argument, probe in covector:
                    x = point_of(self, argument) if isinstance(argument, Morphism) else argument
                    y = dual(each(lambda x: Number(primal(x)), x))
                    yield from self.scaled(probe, obj.cod, y)


def primal(x: Any) -> Any:
    return getattr(x, "primal", x)


def each(at: Any, value: Any) -> Any:
    """Of the numbers in a value; booleans and functions stay."""
    if isinstance(value, Injected):
        return Injected(value.tag, each(at, value.value))
    if isinstance(value, tuple):
        return tuple(each(at, part) for part in value)
    return at(value) if isinstance(value, Number | Fraction) else value


def told(found: dict[Any, Any], given: Any, place: str) -> Iterator[Any]:
    """What is pulled back to the inputs."""
    if isinstance(given, Injected):
        yield from told(found, given.value, f"{place}|{given.tag}")
    elif isinstance(given, tuple):
        for i, part in enumerate(given):
            yield from told(found, part, f"{place}[{i}]")
    elif isinstance(given, Number):
        yield place, found.get(given.delta.args[0], Fraction(0))
