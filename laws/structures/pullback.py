"""Pullbacks: they are linear, the transposes of derivatives, and the same for equal programs.

L5, the comparison with differences of the value, stands in ``slope``.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from combinators.morphisms import Choice, Compose, Id, Morphism, Projection
from combinators.objects import Bool, Product, Real
from laws.language import D as Derivative
from laws.language import (
    Generator,
    Image,
    Inner,
    Plus,
    R,
    Scaled,
    Variable,
    Zero,
    first,
    pair,
    points,
    tangent,
)
from laws.law import Computed, Law, Structure
from laws.observation import value_in
from laws.scene import Scene
from laws.structures.closed import DISTRIBUTIVE, known
from laws.structures.reverse import REVERSE

PULLBACK = Structure("pullback", "Pullbacks", (REVERSE,), methods=("R", "scale"))
TRANSPOSE = Structure("transpose", "Transposes", (PULLBACK,), methods=("D", "inner"))
CHOICE_PULLBACK = Structure("choice pullback", "Pullbacks of choices", (PULLBACK, DISTRIBUTIVE))
PRESERVING = Structure("primal", "The primal value", (PULLBACK,), methods=("ways:primal",))

A, B, C, E = (Variable(name, "data") for name in "ABCE")
V, W = Variable("V", "vector"), Variable("W", "vector")
X, Y = Variable("X"), Variable("Y", "data")
f, k, g = Generator("f", A, B), Generator("k", A, C), Generator("g", B, C)
last = Generator("h", C, E)
steps = tuple(Generator(name, A, A) for name in "fghkpq")
parts = tuple(Generator(name, A, B) for name in "fghkpq")
places = tuple(Projection(Product(*(B,) * len(parts)), index) for index in range(len(parts)))
(a,) = points("a", A)
u, v = points("u v", tangent(B))
(number,) = points("n", Real)
smooth = Generator("f", V, W)
x, dx = points("x v", V)
(w,) = points("w", W)
p, then, other = Generator("p", A, Bool), Generator("f", A, B), Generator("g", A, B)
(start,) = points("x", X)
anything = Generator("f", X, Y)
whole = start >> anything

CURRY = "Vytiniotis et al. 2019, The differentiable curry"

pulled = partial(
    Law, structure=PULLBACK, source=f"{CURRY}, section 3: a pullback is linear", tame=True
)
equal = partial(Law, source=f"{CURRY}, section 4.1: equal programs have equal pullbacks", tame=True)


def value_of(text: str, side: Morphism) -> Computed:
    """What a side gives, without its pullback."""

    def value(at: Scene) -> Any:
        return value_in(at.model, at.outcome(side))

    return Computed(text, value, (start, anything))


LAWS = (
    pulled(
        "L1a",
        "the pullback of a sum is the sum of the pullbacks",
        pair(a, Plus(u, v)) >> R(f),
        Plus(pair(a, u) >> R(f), pair(a, v) >> R(f)),
    ),
    pulled(
        "L1b",
        "the pullback of zero is zero",
        pair(a, Zero(a.dom, tangent(B))) >> R(f),
        Zero(a.dom, tangent(A)),
    ),
    pulled(
        "L2",
        "the pullback of a multiple is the multiple of the pullback",
        pair(a, Scaled(number, u)) >> R(f),
        Scaled(number, pair(a, u) >> R(f)),
    ),
    Law(
        "L3",
        "the pullback is the transpose of the derivative",
        Inner(pair(x, dx) >> Derivative(smooth), w),
        Inner(dx, pair(x, w) >> R(smooth)),
        TRANSPOSE,
        "Cockett et al. 2019, Reverse derivative categories: D[f] is R[f]†",
        tame=True,
    ),
    Law(
        "L4",
        "differentiation leaves values as they are",
        value_of("π0 (J f x)", whole),
        value_of("f x", Image("primal", whole)),
        PRESERVING,
        f"{CURRY}, section 4.1",
    ),
    equal(
        "L6-C",
        "pullbacks do not see how programs are bracketed",
        R(Compose((Compose((f, g)), last))),
        R(Compose((f, Compose((g, last))))),
        structure=PULLBACK,
    ),
    equal(
        "L6-long",
        "pullbacks do not see how many arrows stand in one composite",
        R(Compose(steps)),
        R(Compose((Compose(steps[:3]), Compose(steps[3:])))),
        structure=PULLBACK,
    ),
    equal(
        "L6-wide",
        "pullbacks do not see how many arrows stand in one tuple",
        R(pair(*parts) >> pair(pair(*places[:3]), pair(*places[3:]))),
        R(pair(pair(*parts[:3]), pair(*parts[3:]))),
        structure=PULLBACK,
    ),
    equal(
        "L6-P",
        "pullbacks do not see what is made and not used",
        R(pair(f, k) >> first(B, C)),
        R(f),
        structure=PULLBACK,
    ),
    equal(
        "L6-S",
        "pullbacks do not see a choice between equals",
        R(pair(p, Id(A)) >> Choice(then, then)),
        R(then),
        structure=CHOICE_PULLBACK,
    ),
    equal(
        "L6-true",
        "nothing is pulled back through a branch that is not taken",
        R(pair(known(True, A), Id(A)) >> Choice(then, other)),
        R(then),
        structure=CHOICE_PULLBACK,
    ),
)
