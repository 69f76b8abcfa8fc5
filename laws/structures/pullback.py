"""Pullbacks: they are linear, the transposes of derivatives, and the same for equal programs.

Equal programs are those of β, η and lets too, and their pushforwards are the same as well. What is
captured, given, returned or named on the way may be a function, or hold one; only where a program
starts and ends there is data. L5, the comparison with differences of the value, stands in
``numbers``.
"""

from __future__ import annotations

from collections.abc import Callable

from combinators.morphisms import Choice, Compose, Curry, Extend, Id, Projection
from combinators.objects import Bool, Fun, Product, Real
from laws.language import (
    D,
    Generator,
    Image,
    Inner,
    Kind,
    Operator,
    R,
    Scaled,
    Variable,
    Zero,
    curry,
    ev,
    first,
    pair,
    points,
    second,
    tangent,
    uncurry,
)
from laws.law import Law, Structure, stating
from laws.observation import value_in
from laws.structures.categories import CLOSED, DISTRIBUTIVE, known
from laws.structures.derivatives import BUCCIARELLI, DIFFERENTIAL, REVERSE, Stating, additive

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
p, other = Generator("p", A, Bool), Generator("g", A, B)
(start,) = points("x", X)
anything = Generator("f", X, Y)
whole = start >> anything

PAPER = "Vytiniotis et al. 2019, The differentiable curry"
EQUAL = f"{PAPER}, section 4.1: equal programs have equal pullbacks"

law = stating(PULLBACK, f"{PAPER}, section 3: a pullback is linear", tame=True)
transpose = stating(
    TRANSPOSE, "Cockett et al. 2019, Reverse derivative categories: D[f] is R[f]†", tame=True
)
equal = stating(PULLBACK, EQUAL, tame=True)
chosen = stating(CHOICE_PULLBACK, EQUAL, tame=True)

PULLBACKS = (
    law("L1a", "the pullback of a sum is the sum of the pullbacks")(
        *additive(lambda u: pair(a, u) >> R(f), u, v)
    ),
    law("L1b", "the pullback of zero is zero")(
        pair(a, Zero(a.dom, tangent(B))) >> R(f), Zero(a.dom, tangent(A))
    ),
    law("L2", "the pullback of a multiple is the multiple of the pullback")(
        pair(a, Scaled(number, u)) >> R(f), Scaled(number, pair(a, u) >> R(f))
    ),
    transpose("L3", "the pullback is the transpose of the derivative")(
        Inner(pair(x, dx) >> D(smooth), w), Inner(dx, pair(x, w) >> R(smooth))
    ),
    stating(PRESERVING, f"{PAPER}, section 4.1")(
        "L4", "differentiation leaves values as they are", of=(start, anything)
    )(
        ("π0 (J f x)", lambda at: value_in(at.model, at.outcome(whole))),
        ("f x", lambda at: value_in(at.model, at.outcome(Image("primal", whole)))),
    ),
    equal("L6-C", "pullbacks do not see how programs are bracketed")(
        R(Compose((Compose((f, g)), last))), R(Compose((f, Compose((g, last)))))
    ),
    equal("L6-long", "pullbacks do not see how many arrows stand in one composite")(
        R(Compose(steps)), R(Compose((Compose(steps[:3]), Compose(steps[3:]))))
    ),
    equal("L6-wide", "pullbacks do not see how many arrows stand in one tuple")(
        R(pair(*parts) >> pair(pair(*places[:3]), pair(*places[3:]))),
        R(pair(pair(*parts[:3]), pair(*parts[3:]))),
    ),
    equal("L6-P", "pullbacks do not see what is made and not used")(
        R(pair(f, k) >> first(B, C)), R(f)
    ),
    chosen("L6-S", "pullbacks do not see a choice between equals")(
        R(pair(p, Id(A)) >> Choice(f, f)), R(f)
    ),
    chosen("L6-true", "nothing is pulled back through a branch that is not taken")(
        R(pair(known(True, A), Id(A)) >> Choice(f, other)), R(f)
    ),
)

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


def of_functions(law: Stating, kind: Kind) -> tuple[Law, ...]:
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
        law("β", "a λ is called or its parameter bound")(
            start >> pair(curry(body), bound) >> ev(B, Y), start >> pair(Id(A), bound) >> body
        ),
        law("η", "there is a λ around a function")(
            pair(curry(uncurry(function)), argument) >> ev(B, Y), called
        ),
        law("captured", "a function is called or captured by a λ that calls it")(
            pair(function >> curry(ev(B, Y)), argument) >> ev(B, Y), called
        ),
        law("given", "a function is called or given to a λ that calls it")(
            pair(curry(inside), function) >> ev(Fun(B, Y), Y), called
        ),
        law("returned", "a function is made at once or returned by a λ")(
            pair(returned, last) >> ev(B, Z), pair(given >> made, last) >> ev(B, Z)
        ),
        law("several", "four variables are captured by a λ that is called or bound")(
            pair(Curry(many), with_) >> ev(B, Y), pair(*parts, with_) >> many
        ),
    )


def of_lets(law: Stating, kind: Kind) -> tuple[Law, ...]:
    """A let that names a function, and what it means."""
    X, Y, Z = (Variable(name, kind) for name in "XYZ")
    B = Variable("B")
    context = Product(X, Z)
    function, argument = Generator("h", context, Fun(B, Y)), Generator("k", context, B)
    let = Extend(function)
    known, x, z = (Projection(let.cod, index) for index in (2, 0, 1))
    return (
        law("let", "a function is called or named and then called")(
            let >> pair(known, pair(x, z) >> argument) >> ev(B, Y),
            pair(function, argument) >> ev(B, Y),
        ),
    )


def pulled(structure: Structure) -> Stating:
    """That two programs have one pullback."""
    return _derived(R, "L6", "pullbacks", stating(structure, EQUAL, tame=True))


def pushed(structure: Structure) -> Stating:
    """That two programs have one derivative."""
    source = f"{BUCCIARELLI}: in a differential λ-category β and η hold of derivatives"
    return _derived(D, "D", "derivatives", stating(structure, source, tame=True))


def _derived(
    of: Callable[..., Operator], prefix: str, subject: str, law: Callable[..., Callable[..., Law]]
) -> Stating:
    def stated(name: str, words: str) -> Callable[..., Law]:
        equation = law(f"{prefix}-{name}", f"{subject} do not see whether {words}")
        return lambda lhs, rhs: equation(of(lhs), of(rhs))

    return stated


LAWS = (
    *PULLBACKS,
    *of_functions(pulled(CLOSED_PULLBACK), "data"),
    *of_lets(pulled(LET_PULLBACK), "data"),
    *of_functions(pushed(CLOSED_DERIVATIVE), "vector"),
    *of_lets(pushed(LET_DERIVATIVE), "vector"),
)
