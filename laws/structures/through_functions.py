"""Derivatives through functions: of programs that are equal by β, η and lets, at any objects.

What is captured, given, returned or named on the way may be a function, or hold one; only where a
program starts and ends there is data. Three laws have a function on the way at every instance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.morphisms import Curry, Extend, Id, Morphism, Projection
from combinators.objects import Fun, Product
from laws.language import D, Generator, Kind, R, Variable, curry, ev, first, pair, second, uncurry
from laws.law import Law, Structure
from laws.structures.closed import CLOSED
from laws.structures.differential import DIFFERENTIAL
from laws.structures.pullback import CURRY, PULLBACK

CLOSED_PULLBACK = Structure("closed pullback", "Pullbacks of functions", (PULLBACK, CLOSED))
LET_PULLBACK = Structure(
    "let pullback", "Pullbacks of lets", (CLOSED_PULLBACK,), arrows=("extend",)
)
CLOSED_DERIVATIVE = Structure(
    "closed derivative", "Derivatives through functions", (DIFFERENTIAL, CLOSED)
)
LET_DERIVATIVE = Structure(
    "let derivative", "Derivatives of lets", (CLOSED_DERIVATIVE,), arrows=("extend",)
)

Stated = tuple[str, str, Morphism, Morphism]
"""The end of a name, the law in words, and its sides."""


def of_functions(kind: Kind) -> tuple[Stated, ...]:
    """Equal programs with functions on the way, from and to objects of a ``kind``."""
    A, B = Variable("A"), Variable("B")
    X, Y, Z = (Variable(name, kind) for name in "XYZ")
    start, body = Generator("g", X, A), Generator("f", Product(A, B), Y)
    bound = Generator("k", A, B)
    function, argument = Generator("h", X, Fun(B, Y)), Generator("k", X, B)
    given, made, last = Generator("k", X, Y), Generator("h", Y, Fun(B, Z)), Generator("g", X, B)
    several = Product(*(Variable(name, kind) for name in "UVWX"))
    many, with_ = Generator("f", several.snoc(B), Y), Generator("k", several, B)
    parts = (Projection(several, index) for index in range(several.width))
    called = pair(function, argument) >> ev(B, Y)
    inside = pair(second(X, Fun(B, Y)), first(X, Fun(B, Y)) >> argument) >> ev(B, Y)
    returned = pair(curry(second(X, Y) >> made), given) >> ev(Y, Fun(B, Z))
    return (
        (
            "β",
            "a λ is called or its parameter bound",
            start >> pair(curry(body), bound) >> ev(B, Y),
            start >> pair(Id(A), bound) >> body,
        ),
        (
            "η",
            "there is a λ around a function",
            pair(curry(uncurry(function)), argument) >> ev(B, Y),
            called,
        ),
        (
            "captured",
            "a function is called or captured by a λ that calls it",
            pair(function >> curry(ev(B, Y)), argument) >> ev(B, Y),
            called,
        ),
        (
            "given",
            "a function is called or given to a λ that calls it",
            pair(curry(inside), function) >> ev(Fun(B, Y), Y),
            called,
        ),
        (
            "returned",
            "a function is made at once or returned by a λ",
            pair(returned, last) >> ev(B, Z),
            pair(given >> made, last) >> ev(B, Z),
        ),
        (
            "several",
            "four variables are captured by a λ that is called or bound",
            pair(Curry(many), with_) >> ev(B, Y),
            pair(*parts, with_) >> many,
        ),
    )


def of_lets(kind: Kind) -> tuple[Stated, ...]:
    """A let that names a function, and what it means."""
    X, Y, Z = (Variable(name, kind) for name in "XYZ")
    B = Variable("B")
    context = Product(X, Z)
    function, argument = Generator("h", context, Fun(B, Y)), Generator("k", context, B)
    let = Extend(function)
    known, x, z = (Projection(let.cod, index) for index in (2, 0, 1))
    return (
        (
            "let",
            "a function is called or named and then called",
            let >> pair(known, pair(x, z) >> argument) >> ev(B, Y),
            pair(function, argument) >> ev(B, Y),
        ),
    )


def _laws(
    operator: Callable[[Morphism], Morphism], prefix: str, of: str, laws: dict[Structure, Any]
) -> tuple[Law, ...]:
    source = EQUAL if operator is R else FORWARD
    return tuple(
        Law(
            f"{prefix}-{name}",
            f"{of} do not see whether {statement}",
            operator(lhs),
            operator(rhs),
            structure,
            source,
            tame=True,
        )
        for structure, stated in laws.items()
        for name, statement, lhs, rhs in stated
    )


EQUAL = f"{CURRY}, section 4.1: equal programs have equal pullbacks"
FORWARD = (
    "Bucciarelli, Ehrhard and Manzonetto 2010, Categorical models for simply typed resource "
    "calculi: in a differential λ-category β and η hold of derivatives"
)

LAWS = (
    *_laws(
        R, "L6", "pullbacks", {CLOSED_PULLBACK: of_functions("data"), LET_PULLBACK: of_lets("data")}
    ),
    *_laws(
        D,
        "D",
        "derivatives",
        {CLOSED_DERIVATIVE: of_functions("vector"), LET_DERIVATIVE: of_lets("vector")},
    ),
)
