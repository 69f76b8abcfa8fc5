"""Sums of arrows, and derivatives of arrows: forward ``D[f] : A × A → B``, backward ``R[f]``.

Blute, Cockett and Seely write the vector first; with the point first the laws stand in Cockett et
al. 2019. ``axioms`` says them of any ``D``, so that they are asked too of the one which a reverse
derivative ``R[f] : A × B → A`` gives where it iterates.

In a differential λ-category there are derivatives of curry and eval besides: the tangent of a
function ``A ⇒ B`` is a function ``A ⇒ T B``. A model says how one is made of a function
(``along``), and what it gives of an argument (``at``).
"""

from __future__ import annotations

from collections.abc import Callable

from combinators.morphisms import Id, Morphism
from combinators.objects import Fun, Product, Unit
from laws.language import (
    Along,
    At,
    D,
    Generator,
    Plus,
    R,
    Variable,
    Zero,
    arrows,
    copy,
    curry,
    discard,
    ev,
    everywhere,
    first,
    into_first,
    into_second,
    pair,
    parallel,
    points,
    second,
)
from laws.law import Law, Structure, stating
from laws.structures.categories import CARTESIAN, CLOSED

ADDITIVE = Structure("additive", "Left-additive category", (CARTESIAN,), methods=("add", "zero"))
ACCUMULATING = Structure("accumulating", "Accumulators", (ADDITIVE,), methods=("accumulate",))
"""``model.accumulate(vectors, obj)``: a sum of vectors in the form in which cotangents are kept."""

X, A = Variable("X"), Variable("A")
V, W = Variable("V", "vector"), Variable("W", "vector")
f, g, h = arrows("f g h", A, V)
f_2, g_2 = arrows("h k", A, W)
x = Generator("x", X, A)
both, two = arrows("f g", A, Product(V, W))
summands = points("a b c", V)

Derive = Callable[[Morphism], Morphism]


def additive(of: Derive, left: Morphism, right: Morphism) -> tuple[Morphism, Morphism]:
    """The sides of ``of(f + g) = of(f) + of(g)``."""
    return of(Plus(left, right)), Plus(of(left), of(right))


law = stating(
    ADDITIVE,
    "Blute, Cockett and Seely 2009, Cartesian differential categories, section 1",
    tame=True,
)
quotient = stating(
    ACCUMULATING, "Krawiec et al. 2022, Provably correct … reverse-mode AD: Delta terms", tame=True
)

SUMS = (
    law("A1a", "sums in any order of adding")(Plus(Plus(f, g), h), Plus(f, Plus(g, h))),
    law("A1b", "sums in any order of summands")(Plus(f, g), Plus(g, f)),
    law("A1c", "zero adds nothing", rule="plus-zero")(Plus(f, Zero(A, V)), f),
    law("A2a", "x, and then a sum, is the sum of both after x")(*additive(lambda f: x >> f, f, g)),
    law("A2b", "x, and then zero, is zero")(x >> Zero(A, V), Zero(X, V)),
    law("A3a", "the first component of a sum is the sum of the first components")(
        *additive(lambda f: f >> first(V, W), both, two)
    ),
    law("A3b", "the second component of a sum is the sum of the second components")(
        *additive(lambda f: f >> second(V, W), both, two)
    ),
    law("A3c", "copies of a sum are the sum of the copies", implied_by="A3d P3")(
        *additive(lambda f: f >> copy(V), f, g)
    ),
    law("A3d", "a sum of pairs is a pair of sums", rule="plus-tuples")(
        Plus(pair(f, f_2), pair(g, g_2)), pair(Plus(f, g), Plus(f_2, g_2))
    ),
    law("A3e", "zero of a product is the pair of zeros")(
        Zero(A, Product(V, W)), pair(Zero(A, V), Zero(A, W))
    ),
    quotient("A4a", "what is accumulated is the sum", of=summands)(
        (
            "accumulate (a, b, c)",
            lambda at: at.model.accumulate([at.at(one) for one in summands], at.obj(V)),
        ),
        ("a + b + c", lambda at: at.at(Plus(Plus(*summands[:2]), summands[2]))),
    ),
    quotient("A4b", "of nothing, the sum is zero", of=summands[:1])(
        ("accumulate ()", lambda at: at.model.accumulate([], at.obj(V))),
        ("0", lambda at: at.at(Zero(Unit, V))),
    ),
)

DIFFERENTIAL = Structure("differential", "Differential category", (ADDITIVE,), methods=("D",))
DIFFERENTIAL_TWICE = Structure(
    "differential twice", "Derivatives of derivatives", (DIFFERENTIAL,), methods=("iterates",)
)
"""``model.iterates`` is True where a derivative is an arrow that has a derivative."""

A, B, C = (Variable(name, "vector") for name in "ABC")
f, h = arrows("f h", A, B)
k, g = Generator("k", A, C), Generator("g", B, C)
a, v, w, u = points("a v w u", A)

Stating = Callable[[str, str], Callable[..., Law]]


def axioms(D: Derive, law: Stating) -> tuple[Law, ...]:
    """CD1 to CD5, of any operator."""
    df, pick, other = D(f), first(B, C), second(B, C)
    return (
        law("CD1a", "the derivative of a sum is the sum")(*additive(D, f, h)),
        law("CD1b", "the derivative of zero is zero")(D(Zero(A, B)), Zero(Product(A, A), B)),
        law("CD2a", "a derivative is additive in the vector")(
            *additive(lambda v: pair(a, v) >> df, v, w)
        ),
        law("CD2b", "along zero a derivative is zero")(
            pair(a, Zero(a.dom, A)) >> df, Zero(a.dom, B)
        ),
        law("CD3a", "the identity moves as its argument")(D(Id(A)), second(A, A)),
        law("CD3b", "π0 moves by the first component")(D(pick), second(pick.dom, pick.dom) >> pick),
        law("CD3c", "π1 moves by the second component")(
            D(other), second(other.dom, other.dom) >> other
        ),
        law("CD4a", "a pair moves by its components")(D(pair(f, k)), pair(df, D(k))),
        law("CD4b", "what is discarded does not move")(D(discard(A)), discard(Product(A, A))),
        law("CD5", "the chain rule")(D(f >> g), pair(first(A, A) >> f, df) >> D(g)),
    )


def second_axioms(D: Derive, law: Stating) -> tuple[Law, ...]:
    """CD6 and CD7, which speak of second derivatives."""
    df = D(f)
    ddf = D(df)
    return (
        law("CD6", "a derivative is linear in the vector: along it, it is its own derivative")(
            pair(pair(a, v), pair(Zero(a.dom, A), w)) >> ddf, pair(a, w) >> df
        ),
        law("CD7", "second derivatives are symmetric")(
            pair(pair(a, v), pair(w, u)) >> ddf, pair(pair(a, w), pair(v, u)) >> ddf
        ),
    )


def tangent_map(arrow: Morphism) -> Morphism:
    """``T f = ⟨π0;f, D[f]⟩ : A × A → B × B``."""
    return pair(first(arrow.dom, arrow.dom) >> arrow, D(arrow))


def as_in_the_paper(structure: Structure) -> Stating:
    """Laws of ``D`` itself, by the names that they have there."""
    source = "Blute, Cockett and Seely 2009, Cartesian differential categories, CD."
    return lambda name, words: stating(structure, source + name[2], tame=True)(name, words)


law = stating(
    DIFFERENTIAL,
    "Cockett and Cruttwell 2014, Differential structure, tangent structure, and SDG",
    tame=True,
)

FORWARD = (
    *axioms(D, as_in_the_paper(DIFFERENTIAL)),
    law("T-compose", "T keeps composition", implied_by="CD5 P1a P1b P3")(
        tangent_map(f >> g), tangent_map(f) >> tangent_map(g)
    ),
    law("T-id", "T keeps identities", implied_by="CD3a P4")(tangent_map(Id(A)), Id(Product(A, A))),
    *second_axioms(D, as_in_the_paper(DIFFERENTIAL_TWICE)),
)

ELLIOTT = "Elliott 2018, The simple essence of automatic differentiation; Long 2022, 1.1.2"
linear = Generator("f", A, B, "linear")
one, other = first(A, A), second(A, A)

OF_ELLIOTT = (
    law("D-cross", "f × k moves by f beside k", source=ELLIOTT, implied_by="CD3b CD3c CD4a CD5")(
        D(parallel(f, k)), pair(parallel(one, one) >> D(f), parallel(other, other) >> D(k))
    ),
    law("D-linear", "what is linear is its derivative", source=ELLIOTT)(D(linear), other >> linear),
)
"""The cross rule and the linear rule, 1.4 and 1.6; they are asked last."""

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

BUCCIARELLI = (
    "Bucciarelli, Ehrhard and Manzonetto 2010, Categorical models for simply typed resource calculi"
)
law = stating(CLOSED_DIFFERENTIAL, BUCCIARELLI, tame=True)

FORWARD_OF_FUNCTIONS = (
    law("D-curry", "a λ moves by what it captures")(
        At(pair(a, v) >> moved, b), pair(pair(a, b), pair(v, Zero(v.dom, B))) >> D(body)
    ),
    law("D-ev", "a call moves by its function, at the argument, and by its argument")(
        pair(pair(function, b), pair(Along(direction), db)) >> D(ev(B, C)),
        Plus(
            pair(direction, b) >> ev(B, C),
            pair(b, db) >> D(pair(everywhere(function, B), Id(B)) >> ev(B, C)),
        ),
    ),
    law(
        "D-pointwise",
        "tangents of functions are added argument by argument",
        implied_by="D-curry CD2a",
    )(*additive(lambda v: At(pair(a, v) >> moved, b), u, v)),
    law("D-along", "a function, taken for a tangent, gives what it gives")(
        At(Along(direction), b), pair(direction, b) >> ev(B, C)
    ),
)

REVERSE = Structure("reverse", "Reverse derivative category", (ADDITIVE,), methods=("R",))
REVERSE_TWICE = Structure(
    "reverse twice", "Reverse derivatives of reverse derivatives", (REVERSE,), methods=("iterates",)
)
AGREEING = Structure("both derivatives", "Forward from reverse", (DIFFERENTIAL, REVERSE_TWICE))

dy, dz = points("v w", B)
after, beside = Generator("g", B, C, "linear"), Generator("g", A, C, "linear")


def dagger(arrow: Morphism) -> Morphism:
    """``f† = ι1;R[f] : B → A``: a linear map's transpose."""
    return into_second(arrow.dom, arrow.cod) >> R(arrow)


def forward(arrow: Morphism) -> Morphism:
    """``D[f] = (ι0 × 1);R[R[f]];π1 : A × A → B``, the derivative that the reverse one gives."""
    dom, cod = arrow.dom, arrow.cod
    start = parallel(into_first(dom, cod), Id(dom))
    return start >> R(R(arrow)) >> second(dom, cod)


_all, _one, _rest = Product(A, Product(B, B)), first(A, Product(B, B)), second(A, Product(B, B))
_start = pair(
    pair(pair(_one, _rest >> first(B, B)), Zero(_all, A)),
    pair(Zero(_all, A), _rest >> second(B, B)),
)
"""``⟨1×π0, 0×π1⟩;(ι0×1)``, from ``(a, (b, c))`` to ``(((a, b), 0), (0, c))``."""

PAPER = "Cockett et al. 2019, Reverse derivative categories"
GIVEN = f"{PAPER}: a reverse derivative gives a derivative"
law = stating(REVERSE, PAPER, tame=True)
twice = stating(REVERSE_TWICE, PAPER, tame=True)

BACKWARD = (
    law("RD1a", "of a sum, the sum")(*additive(R, f, h)),
    law("RD1b", "of zero, zero")(R(Zero(A, B)), Zero(Product(A, B), A)),
    law("RD2a", "a reverse derivative is additive in the covector")(
        *additive(lambda dy: pair(a, dy) >> R(f), dy, dz)
    ),
    law("RD2b", "of zero, a reverse derivative gives zero")(
        pair(a, Zero(a.dom, B)) >> R(f), Zero(a.dom, A)
    ),
    law("RD3a", "the identity gives the covector back")(R(Id(A)), second(A, A)),
    law("RD3b", "π0 gives the covector to the first component")(
        R(first(B, C)), second(Product(B, C), B) >> into_first(B, C)
    ),
    law("RD3c", "π1 gives the covector to the second component")(
        R(second(B, C)), second(Product(B, C), C) >> into_second(B, C)
    ),
    law("RD4a", "a pair adds what its components give")(
        R(pair(f, k)),
        Plus(parallel(Id(A), first(B, C)) >> R(f), parallel(Id(A), second(B, C)) >> R(k)),
    ),
    law("RD4b", "what is discarded gives zero")(R(discard(A)), Zero(Product(A, discard(A).cod), A)),
    law("RD5", "the chain rule, from the end")(
        R(f >> g), pair(first(A, C), pair(first(A, C) >> f, second(A, C)) >> R(g)) >> R(f)
    ),
    law("RD9b", "the transpose of a composite", implied_by="RD5")(
        dagger(linear >> after), dagger(after) >> dagger(linear)
    ),
    law("RD9c", "the transpose of a pair adds", implied_by="RD4a")(
        dagger(pair(linear, beside)),
        Plus(first(B, C) >> dagger(linear), second(B, C) >> dagger(beside)),
    ),
    twice("RD6", "a reverse derivative is linear in the covector")(
        _start >> R(R(R(f))) >> second(Product(A, B), A), parallel(Id(A), second(B, B)) >> R(f)
    ),
    twice("RD9a", "the transpose of the transpose")(dagger(dagger(linear)), linear),
)


def derived(name: str, words: str) -> Callable[..., Law]:
    """A law of ``D``, of the one that reverse derivatives give; the last of them is RD7."""
    words = f"{words}, of the derivative that reverse derivatives give"
    if name == "CD7":
        return twice("RD7", words, source=f"{PAPER}, RD.7")
    reverse = "RD1a RD1b RD2a RD2b RD3a RD3b RD3c RD4a RD4b RD5 RD6"
    return twice(f"RD8-{name}", words, source=GIVEN, implied_by=reverse)


LAWS = (
    *SUMS,
    *FORWARD,
    *FORWARD_OF_FUNCTIONS,
    *BACKWARD,
    *axioms(forward, derived),
    *second_axioms(forward, derived),
    stating(AGREEING, GIVEN, tame=True)("RD8", "forward mode is what reverse mode, twice, gives")(
        forward(f), D(f)
    ),
)
