"""Reverse derivative category (Cockett et al. 2019): ``R[f] : A × B → A``, the point first.

A reverse derivative that iterates gives a derivative.
"""

from __future__ import annotations

from functools import partial

from combinators.morphisms import Id, Morphism
from combinators.objects import Product
from laws.language import (
    D,
    Generator,
    Plus,
    R,
    Variable,
    Zero,
    arrows,
    discard,
    first,
    into_first,
    into_second,
    pair,
    parallel,
    points,
    second,
)
from laws.law import Law, Structure
from laws.structures.additive import ADDITIVE
from laws.structures.differential import DIFFERENTIAL, Stated, axioms, second_axioms

REVERSE = Structure("reverse", "Reverse derivative category", (ADDITIVE,), methods=("R",))
TWICE = Structure(
    "reverse twice", "Reverse derivatives of reverse derivatives", (REVERSE,), methods=("iterates",)
)
"""``model.iterates`` is True where a derivative is an arrow that has a derivative."""

A, B, C = (Variable(name, "vector") for name in "ABC")
f, h = arrows("f h", A, B)
k, g = Generator("k", A, C), Generator("g", B, C)
(a,) = points("a", A)
v, w = points("v w", B)
linear, next_ = Generator("f", A, B, "linear"), Generator("g", B, C, "linear")
beside = Generator("g", A, C, "linear")

PAPER = "Cockett et al. 2019, Reverse derivative categories"


law = partial(Law, structure=REVERSE, source=PAPER, tame=True)


def dagger(arrow: Morphism) -> Morphism:
    """``f† = ι1;R[f] : B → A``: a linear map's transpose."""
    return into_second(arrow.dom, arrow.cod) >> R(arrow)


def forward(arrow: Morphism) -> Morphism:
    """``D[f] = (ι0 × 1);R[R[f]];π1 : A × A → B``, the derivative that the reverse one gives."""
    dom, cod = arrow.dom, arrow.cod
    start = parallel(into_first(dom, cod), Id(dom))
    return start >> R(R(arrow)) >> second(dom, cod)


_b_b = Product(B, B)
_b_c = Product(B, C)
_one, _other = first(A, _b_b), second(A, _b_b)
_start = pair(
    pair(pair(_one, _other >> first(B, B)), Zero(Product(A, _b_b), A)),
    pair(Zero(Product(A, _b_b), A), _other >> second(B, B)),
)
"""``⟨1×π0, 0×π1⟩;(ι0×1)``, from ``(a, (b, c))`` to ``(((a, b), 0), (0, c))``."""

REVERSED = (
    law("RD1a", "of a sum, the sum", R(Plus(f, h)), Plus(R(f), R(h))),
    law("RD1b", "of zero, zero", R(Zero(A, B)), Zero(Product(A, B), A)),
    law(
        "RD2a",
        "a reverse derivative is additive in the covector",
        pair(a, Plus(v, w)) >> R(f),
        Plus(pair(a, v) >> R(f), pair(a, w) >> R(f)),
    ),
    law(
        "RD2b",
        "of zero, a reverse derivative gives zero",
        pair(a, Zero(a.dom, B)) >> R(f),
        Zero(a.dom, A),
    ),
    law("RD3a", "the identity gives the covector back", R(Id(A)), second(A, A)),
    law(
        "RD3b",
        "π0 gives the covector to the first component",
        R(first(B, C)),
        second(Product(B, C), B) >> into_first(B, C),
    ),
    law(
        "RD3c",
        "π1 gives the covector to the second component",
        R(second(B, C)),
        second(Product(B, C), C) >> into_second(B, C),
    ),
    law(
        "RD4a",
        "a pair adds what its components give",
        R(pair(f, k)),
        Plus(
            parallel(Id(A), first(B, C)) >> R(f),
            parallel(Id(A), second(B, C)) >> R(k),
        ),
    ),
    law(
        "RD4b",
        "what is discarded gives zero",
        R(discard(A)),
        Zero(Product(A, discard(A).cod), A),
    ),
    law(
        "RD5",
        "the chain rule, from the end",
        R(f >> g),
        pair(first(A, C), pair(first(A, C) >> f, second(A, C)) >> R(g)) >> R(f),
    ),
    law(
        "RD9b",
        "the transpose of a composite",
        dagger(linear >> next_),
        dagger(next_) >> dagger(linear),
        implied_by=("RD5",),
    ),
    law(
        "RD9c",
        "the transpose of a pair adds",
        dagger(pair(linear, beside)),
        Plus(first(B, C) >> dagger(linear), second(B, C) >> dagger(beside)),
        implied_by=("RD4a",),
    ),
    law(
        "RD6",
        "a reverse derivative is linear in the covector",
        _start >> R(R(R(f))) >> second(Product(A, B), A),
        parallel(Id(A), second(B, B)) >> R(f),
        structure=TWICE,
    ),
    law("RD9a", "the transpose of the transpose", dagger(dagger(linear)), linear, structure=TWICE),
)

AGREEING = Structure("both derivatives", "Forward from reverse", (DIFFERENTIAL, TWICE))

RD = ("RD1a", "RD1b", "RD2a", "RD2b", "RD3a", "RD3b", "RD3c", "RD4a", "RD4b", "RD5")


def derived(stated: Stated) -> Law:
    """A law of ``D``, of the one that reverse derivatives give; the last of them is RD7."""
    name, words, lhs, rhs = stated
    is_axiom = name == "CD7"
    return Law(
        "RD7" if is_axiom else f"RD8-{name}",
        f"{words}, of the derivative that reverse derivatives give",
        lhs,
        rhs,
        TWICE,
        f"{PAPER}, RD.7" if is_axiom else f"{PAPER}: a reverse derivative gives a derivative",
        tame=True,
        implied_by=() if is_axiom else (*RD, "RD6"),
    )


LAWS = (
    *REVERSED,
    *map(derived, (*axioms(forward), *second_axioms(forward))),
    Law(
        "RD8",
        "forward mode is what reverse mode, twice, gives",
        forward(f),
        D(f),
        AGREEING,
        f"{PAPER}: a reverse derivative gives a derivative",
        tame=True,
    ),
)
