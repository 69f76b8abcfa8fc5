"""Differential λ-category: derivatives of curry and eval.

The tangent of a function ``A ⇒ B`` is a function ``A ⇒ T B``. A model says how one is made of a
function (``along``), and what it gives of an argument (``at``).
"""

from __future__ import annotations

from functools import partial

from combinators.morphisms import Id
from combinators.objects import Fun, Product
from laws.language import (
    Along,
    At,
    D,
    Generator,
    Plus,
    Variable,
    Zero,
    curry,
    ev,
    everywhere,
    pair,
    points,
)
from laws.law import Law, Structure
from laws.structures.closed import CLOSED
from laws.structures.differential import DIFFERENTIAL

CLOSED_DIFFERENTIAL = Structure(
    "closed differential",
    "Closed differential category",
    (CLOSED, DIFFERENTIAL),
    methods=("along", "at"),
)

A, B, C = (Variable(name, "vector") for name in "ABC")
f = Generator("f", Product(A, B), C)
a, u, v = points("a u v", A)
b, w = points("b w", B)
h, k = points("h k", Fun(B, C))
moved = D(curry(f))

law = partial(
    Law,
    structure=CLOSED_DIFFERENTIAL,
    source="Bucciarelli, Ehrhard and Manzonetto 2010, Categorical models for simply typed "
    "resource calculi",
    tame=True,
)

LAWS = (
    law(
        "D-curry",
        "a λ moves by what it captures",
        At(pair(a, v) >> moved, b),
        pair(pair(a, b), pair(v, Zero(v.dom, B))) >> D(f),
    ),
    law(
        "D-ev",
        "a call moves by its function, at the argument, and by its argument",
        pair(pair(h, b), pair(Along(k), w)) >> D(ev(B, C)),
        Plus(
            pair(k, b) >> ev(B, C),
            pair(b, w) >> D(pair(everywhere(h, B), Id(B)) >> ev(B, C)),
        ),
    ),
    law(
        "D-pointwise",
        "tangents of functions are added argument by argument",
        At(pair(a, Plus(u, v)) >> moved, b),
        Plus(At(pair(a, u) >> moved, b), At(pair(a, v) >> moved, b)),
        implied_by=("D-curry", "CD2a"),
    ),
    law(
        "D-along",
        "a function, taken for a tangent, gives what it gives",
        At(Along(k), b),
        pair(k, b) >> ev(B, C),
    ),
)
