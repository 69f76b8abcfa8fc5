"""Cartesian closed category: functions as values; and choice by a truth value.

E5 of the textbook, that currying and uncurrying undo each other, is E1 and E2 together. Of a
distributive category programs have what there is with ``Bool = 1 + 1``: ``cond(f, g) : Bool × A →
B``. S1-S4 of a general sum ``A + B`` wait for an object that is one.
"""

from __future__ import annotations

from functools import partial

from combinators.literal import Literal
from combinators.morphisms import Choice, Constant, Curry, Id, Primitive
from combinators.objects import Bool, Fun, Object, Product
from combinators.operation import Operation, named
from laws.language import (
    Generator,
    Variable,
    arrows,
    curry,
    ev,
    exponential,
    first,
    pair,
    parallel,
    second,
    uncurry,
)
from laws.law import Law, Structure
from laws.structures.cartesian import CARTESIAN

CLOSED = Structure("closed", "Closed category", (CARTESIAN,), arrows=("curry", "eval"))

A, B, C, E, X, Y = (Variable(name) for name in "ABCEXY")
f = Generator("f", Product(A, B), C)
g = Generator("g", X, A)
k = Generator("k", A, B)
h = Generator("h", A, Fun(B, C))
after = Generator("h", C, E)
wide = Generator("f", Product(A, B, C), E)
left, right = Generator("g", X, A), Generator("h", X, B)
before_1, after_1 = Generator("f", B, A), Generator("g", C, E)
before_2, after_2 = Generator("h", X, B), Generator("k", E, Y)

law = partial(
    Law,
    structure=CLOSED,
    source="Lambek and Scott 1986, Introduction to higher order categorical logic, I.3",
)

one, other, argument = Generator("g", X, A), Generator("h", X, A), Generator("k", X, B)
shared = Curry(f)
_closures = pair(pair(one) >> shared, pair(other) >> shared)
_first, _second = first(Fun(B, C), Fun(B, C)), second(Fun(B, C), Fun(B, C))

_captured, _argument = first(Product(A, B), C), second(Product(A, B), C)
_flat = pair(_captured >> first(A, B), _captured >> second(A, B), _argument)

FUNCTIONS = (
    law("E1", "β: what is curried, and then applied, is as it was", uncurry(curry(f)), f),
    law("E2", "η: what is applied, and then curried, is as it was", curry(uncurry(h)), h),
    law(
        "E3",
        "a function is the λ that applies it",
        curry(ev(B, C)),
        Id(Fun(B, C)),
        implied_by=("E2", "P4"),
    ),
    law(
        "E4",
        "a λ captures what was computed before it",
        g >> curry(f),
        curry(parallel(g, Id(B)) >> f),
        tame=True,
        implied_by=("E1", "E2"),
    ),
    law(
        "E6",
        "what comes after the body goes into the λ",
        curry(f >> after),
        curry(f) >> exponential(Id(B), after),
        implied_by=("E1", "E2"),
    ),
    law(
        "E7",
        "β: to call a λ is to bind its parameter",
        pair(curry(f), k) >> ev(B, C),
        pair(Id(A), k) >> f,
        rule="beta",
        implied_by=("E1", "P3"),
    ),
    law(
        "E8",
        "⇒ keeps composition, the other way round in the argument",
        exponential(before_1, after_1) >> exponential(before_2, after_2),
        exponential(before_2 >> before_1, after_1 >> after_2),
        implied_by=("E1", "E2"),
    ),
    law(
        "E8-id",
        "⇒ keeps identities",
        exponential(Id(B), Id(C)),
        Id(Fun(B, C)),
        implied_by=("E2",),
    ),
    law(
        "E1-two",
        "β of a λ that captures two variables",
        pair(_captured >> Curry(wide), _argument) >> ev(C, E),
        _flat >> wide,
    ),
    law(
        "E1-apart",
        "closures of one λ keep apart what each of them captured",
        pair(
            pair(_closures >> _first, argument) >> ev(B, C),
            pair(_closures >> _second, argument) >> ev(B, C),
        ),
        pair(pair(one, argument) >> f, pair(other, argument) >> f),
        implied_by=("P1a", "P1b", "P3", "E1"),
    ),
    law(
        "E4-two",
        "a λ captures two variables, each of which was computed before it",
        pair(left, right) >> Curry(wide),
        curry(pair(first(X, C) >> left, first(X, C) >> right, second(X, C)) >> wide),
        implied_by=("E1-two", "E2"),
    ),
)

DISTRIBUTIVE = Structure(
    "distributive", "Choice", (CARTESIAN,), arrows=("cond", "const", "primitive")
)

yes, no, third = arrows("f g h", A, B)
test, afterwards, before = Generator("p", A, Bool), Generator("h", B, C), Generator("k", X, A)

choice = partial(
    Law,
    structure=DISTRIBUTIVE,
    source="McCarthy 1963, A basis for a mathematical theory of computation: conditionals",
)
coproduct = partial(
    choice, source="Carboni, Lack and Walters 1993, Extensive and distributive categories"
)


def known(truth: bool, dom: Object) -> Constant:
    """``true`` or ``false``, from anywhere."""
    return Constant(dom, Literal(truth))


CHOICES = (
    choice(
        "S5a",
        "if true, the first",
        pair(known(True, A), Id(A)) >> Choice(yes, no),
        yes,
        rule="cond-known",
    ),
    choice(
        "S5b",
        "if false, the second",
        pair(known(False, A), Id(A)) >> Choice(yes, no),
        no,
        rule="cond-known",
    ),
    choice(
        "S5c",
        "a choice between equals is none",
        pair(test, Id(A)) >> Choice(yes, yes),
        yes,
        rule="cond-same",
    ),
    choice(
        "S5d",
        "a choice by a negation is the choice between the others",
        pair(test >> Primitive(Operation(named("logical_not")), (Bool,)), Id(A)) >> Choice(yes, no),
        pair(test, Id(A)) >> Choice(no, yes),
    ),
    coproduct(
        "S2",
        "a choice between true and false is the test",
        pair(test, Id(A)) >> Choice(known(True, A), known(False, A)),
        test,
    ),
    coproduct(
        "S3",
        "what comes after a choice goes into both branches",
        Choice(yes, no) >> afterwards,
        Choice(yes >> afterwards, no >> afterwards),
        rule="cond-parts",
    ),
    coproduct(
        "S4",
        "what comes before a choice goes into both branches",
        parallel(Id(Bool), before) >> Choice(yes, no),
        Choice(before >> yes, before >> no),
    ),
    choice(
        "S5e",
        "a branch knows what the test has given",
        pair(test, pair(test, Id(A))) >> Choice(Choice(yes, no), second(Bool, A) >> third),
        pair(test, Id(A)) >> Choice(yes, third),
        rule="cond-fusion",
    ),
)

LAWS = (*FUNCTIONS, *CHOICES)
