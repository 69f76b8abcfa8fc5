"""Cartesian differential category: the laws of ``D[f] : A × A → B``, the point first.

Blute, Cockett and Seely write the vector first; with the point first the laws stand in Cockett et
al. 2019. ``axioms`` says them of any ``D``, so that they are asked too of the one which reverse
derivatives give.

In a differential λ-category there are derivatives of curry and eval besides: the tangent of a
function ``A ⇒ B`` is a function ``A ⇒ T B``. A model says how one is made of a function
(``along``), and what it gives of an argument (``at``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from combinators.morphisms import Id, Morphism
from combinators.objects import Fun, Product
from laws.language import (
    Along,
    At,
    D,
    Generator,
    Plus,
    Variable,
    Zero,
    arrows,
    curry,
    discard,
    ev,
    everywhere,
    first,
    pair,
    points,
    second,
)
from laws.law import Law, Structure
from laws.structures.additive import ADDITIVE
from laws.structures.closed import CLOSED

DIFFERENTIAL = Structure("differential", "Differential category", (ADDITIVE,), methods=("D",))
TWICE = Structure(
    "differential twice", "Derivatives of derivatives", (DIFFERENTIAL,), methods=("iterates",)
)
"""``model.iterates`` is True where a derivative is an arrow that has a derivative."""

A, B, C = (Variable(name, "vector") for name in "ABC")
f, h = arrows("f h", A, B)
k, g = Generator("k", A, C), Generator("g", B, C)
a, v, w, u = points("a v w u", A)

SOURCE = "Blute, Cockett and Seely 2009, Cartesian differential categories"
TANGENT = "Cockett and Cruttwell 2014, Differential structure, tangent structure, and SDG"

Derive = Callable[[Morphism], Morphism]
Stated = tuple[str, str, Morphism, Morphism]
"""A name, the law in words, and its sides."""


def axioms(derive: Derive) -> tuple[Stated, ...]:
    """CD1 to CD5, of any operator."""
    df = derive(f)
    point, vector = first(A, A), second(A, A)
    return (
        ("CD1a", "the derivative of a sum is the sum", derive(Plus(f, h)), Plus(df, derive(h))),
        ("CD1b", "the derivative of zero is zero", derive(Zero(A, B)), Zero(Product(A, A), B)),
        (
            "CD2a",
            "a derivative is additive in the vector",
            pair(a, Plus(v, w)) >> df,
            Plus(pair(a, v) >> df, pair(a, w) >> df),
        ),
        (
            "CD2b",
            "along zero a derivative is zero",
            pair(a, Zero(a.dom, A)) >> df,
            Zero(a.dom, B),
        ),
        ("CD3a", "the identity moves as its argument", derive(Id(A)), vector),
        ("CD3b", "π0 moves by the first component", *projected(derive, first(B, C), 0)),
        ("CD3c", "π1 moves by the second component", *projected(derive, second(B, C), 1)),
        (
            "CD4a",
            "a pair moves by its components",
            derive(pair(f, k)),
            pair(df, derive(k)),
        ),
        ("CD4b", "what is discarded does not move", derive(discard(A)), discard(Product(A, A))),
        (
            "CD5",
            "the chain rule",
            derive(f >> g),
            pair(point >> f, df) >> derive(g),
        ),
    )


def projected(derive: Derive, projection: Morphism, index: int) -> tuple[Morphism, Morphism]:
    """``D[πᵢ] = π1;πᵢ``."""
    whole = projection.dom
    return derive(projection), second(whole, whole) >> projection


def second_axioms(derive: Derive) -> tuple[Stated, ...]:
    """CD6 and CD7, which speak of second derivatives."""
    df = derive(f)
    ddf = derive(df)
    return (
        (
            "CD6",
            "a derivative is linear in the vector: along it, it is its own derivative",
            pair(pair(a, v), pair(Zero(a.dom, A), w)) >> ddf,
            pair(a, w) >> df,
        ),
        (
            "CD7",
            "second derivatives are symmetric",
            pair(pair(a, v), pair(w, u)) >> ddf,
            pair(pair(a, w), pair(v, u)) >> ddf,
        ),
    )


def tangent_map(arrow: Morphism) -> Morphism:
    """``T f = ⟨π0;f, D[f]⟩ : A × A → B × B``."""
    return pair(first(arrow.dom, arrow.dom) >> arrow, D(arrow))


def laws_of_vectors(stated: tuple[Stated, ...], structure: Structure) -> tuple[Law, ...]:
    """Laws of ``D`` itself, by the names that they have in the paper."""
    return tuple(
        Law(name, words, lhs, rhs, structure, f"{SOURCE}, CD.{name[2]}", tame=True)
        for name, words, lhs, rhs in stated
    )


functor = partial(Law, structure=DIFFERENTIAL, source=TANGENT, tame=True)

FIRST_ORDER = (
    *laws_of_vectors(axioms(D), DIFFERENTIAL),
    functor(
        "T-compose",
        "T keeps composition",
        tangent_map(f >> g),
        tangent_map(f) >> tangent_map(g),
        implied_by=("CD5", "P1a", "P1b", "P3"),
    ),
    functor(
        "T-id",
        "T keeps identities",
        tangent_map(Id(A)),
        Id(Product(A, A)),
        implied_by=("CD3a", "P4"),
    ),
    *laws_of_vectors(second_axioms(D), TWICE),
)

CLOSED_DIFFERENTIAL = Structure(
    "closed differential",
    "Closed differential category",
    (CLOSED, DIFFERENTIAL),
    methods=("along", "at"),
)

body = Generator("f", Product(A, B), C)
b, db = points("b w", B)
function, direction = points("h k", Fun(B, C))
moved = D(curry(body))

of_functions = partial(
    Law,
    structure=CLOSED_DIFFERENTIAL,
    source="Bucciarelli, Ehrhard and Manzonetto 2010, Categorical models for simply typed "
    "resource calculi",
    tame=True,
)

CLOSED_LAWS = (
    of_functions(
        "D-curry",
        "a λ moves by what it captures",
        At(pair(a, v) >> moved, b),
        pair(pair(a, b), pair(v, Zero(v.dom, B))) >> D(body),
    ),
    of_functions(
        "D-ev",
        "a call moves by its function, at the argument, and by its argument",
        pair(pair(function, b), pair(Along(direction), db)) >> D(ev(B, C)),
        Plus(
            pair(direction, b) >> ev(B, C),
            pair(b, db) >> D(pair(everywhere(function, B), Id(B)) >> ev(B, C)),
        ),
    ),
    of_functions(
        "D-pointwise",
        "tangents of functions are added argument by argument",
        At(pair(a, Plus(u, v)) >> moved, b),
        Plus(At(pair(a, u) >> moved, b), At(pair(a, v) >> moved, b)),
        implied_by=("D-curry", "CD2a"),
    ),
    of_functions(
        "D-along",
        "a function, taken for a tangent, gives what it gives",
        At(Along(direction), b),
        pair(direction, b) >> ev(B, C),
    ),
)

LAWS = (*FIRST_ORDER, *CLOSED_LAWS)
