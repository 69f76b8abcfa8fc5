"""Interpreting keeps the structure, and whatever else gives a value or a derivative agrees with it.

``F`` is the map from programs to a model. It is the only one that keeps the structure (F3), so that
each other way to make an arrow of a program has to agree with it (F4 to F8). What is written one
element at a time means the same in bulk: ``bulk`` is the way through the bulk-operation transform.

Algorithms agree too: a model's ``gradients(program, point, covector)`` are ``R[f](a, w)`` by each
algorithm that it knows, by name. Derivatives of derivatives are arrows where a model ``iterates``.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from combinators.literal import Literal
from combinators.morphisms import Choice, Compose, Constant, Id, Morphism, Primitive
from combinators.objects import Fun, Object, Product, Real, Tensor, Unit
from combinators.operation import Operation, named
from combinators.primitives.loops import FOLD, MAP
from laws.language import (
    D,
    Generator,
    Image,
    Inner,
    Plus,
    R,
    Variable,
    Zero,
    arrows,
    curry,
    ev,
    everywhere,
    first,
    pair,
    points,
    second,
)
from laws.law import Structure, stating
from laws.structures.categories import CARTESIAN, CATEGORY, CLOSED
from laws.structures.derivatives import DIFFERENTIAL_TWICE, REVERSE, REVERSE_TWICE

FUNCTOR = Structure("functor", "Functor", (CATEGORY,))
CARTESIAN_FUNCTOR = Structure("cartesian functor", "Cartesian functor", (FUNCTOR, CARTESIAN))
CLOSED_FUNCTOR = Structure("closed functor", "Closed functor", (CARTESIAN_FUNCTOR, CLOSED))
PROGRAMS = Structure(
    "programs", "Programs", (CLOSED_FUNCTOR,), arrows=("extend", "const", "primitive", "cond")
)
COMPILED = Structure("compiled", "Compiled", (CATEGORY,), methods=("ways:python",))
SYMBOLIC = Structure("symbolic", "Symbolic", (CATEGORY,), methods=("ways:sympy",))
STAGED = Structure("staged", "Staged", (PROGRAMS,), methods=("ways:staged",))
BULK = Structure("bulk", "Bulk operations", (CATEGORY,), methods=("ways:bulk",))

A, B, C = (Variable(name) for name in "ABC")
S, T = Variable("S", "data"), Variable("T", "data")
V, W = Variable("V", "vector"), Variable("W", "vector")
f, g, k = Generator("f", A, B), Generator("g", B, C), Generator("k", A, C)
p, other = Generator("p", Product(A, B), C), Generator("g", A, B)
first_order, of_vectors = Generator("f", S, T), Generator("f", V, W)
known = Generator("f", Product(S, A), B)
(s,) = points("s", S)
specialised = pair(everywhere(s, A), Id(A)) >> known

law = stating(FUNCTOR, "Lambek and Scott, I.11: the free cartesian closed category")
of_products, of_functions = (
    partial(law, structure=above) for above in (CARTESIAN_FUNCTOR, CLOSED_FUNCTOR)
)
tagless = stating(PROGRAMS, "Carette, Kiselyov and Shan, Finally tagless, partially evaluated")
simplified = stating(PROGRAMS, "Huot and Shaikhha, section 5.1; Jones, Gomard and Sestoft, 1.2")
renamed = stating(PROGRAMS, "Barendregt, The lambda calculus, 2.1 and 3.1")
symbolic = stating(SYMBOLIC, "naturality of evaluation, Lambek and Scott, I.11", tame=True)
compiled = stating(
    COMPILED, "Huot and Shaikhha, section 5.2: code generation preserves the meaning"
)
staged = stating(STAGED, "Smeding et al., appendix C.3: terms are the initial algebra")
bulk = stating(
    BULK,
    "Smeding et al., section 5: the bulk-operation transformation keeps the meaning",
    tame=True,
)
image = partial(Image, "interpreted")
"""``F f``: a program interpreted as a whole."""


def by(way: str, program: Morphism) -> tuple[Morphism, Morphism]:
    """The sides of ``way(f) = f``."""
    return Image(way, program), program


WAYS = (
    law("F1a", "the image of the identity is the identity")(image(Id(A)), Id(A)),
    law("F1b", "the image of a composite is the composite of the images", implied_by="C1 C2 C3")(
        image(f >> g), Compose((image(f), image(g)))
    ),
    of_products("F2a", "the image of a pair is the pair of the images")(
        image(pair(f, k)), pair(image(f), image(k))
    ),
    of_products("F2b", "the image of a projection is the projection")(
        image(first(A, B)), first(A, B)
    ),
    of_functions("F2c", "the image of a curried arrow is the image, curried")(
        image(curry(p)), curry(image(p))
    ),
    of_functions("F2d", "the image of evaluation is evaluation")(image(ev(A, B)), ev(A, B)),
    law("F2e", "the image of a choice is the choice of the images", structure=PROGRAMS)(
        image(Choice(f, other)), Choice(image(f), image(other))
    ),
    tagless("F3", "to interpret a program is to write it with the category's own methods")(
        image(f), Image("tagless", f)
    ),
    symbolic("F4", "numbers put for the symbols of a formula give the value")(
        *by("sympy", of_vectors)
    ),
    simplified("F5a", "a simplified program means the same")(*by("simplified", f)),
    simplified(
        "F5b",
        "a program specialised to a known argument means that program at it: pe(f, s)(a) = f(s, a)",
        implied_by="F5a",
    )(*by("simplified", specialised)),
    compiled("F6", "emitted code computes what the interpreter does")(*by("python", first_order)),
    renamed("F7α", "names of variables do not matter")(Image("renamed", f), Image("written", f)),
    renamed("F7β", "naming what is used is applying a function to it: (λx. e) a = let x = a in e")(
        *by("applied", f)
    ),
    renamed("F7η", "a function is what it does to its argument: λx. f x = f", implied_by="E2 E3")(
        *by("expanded", f)
    ),
    staged("F8", "what a program writes when it is staged, interpreted, is the program")(
        *by("staged", f)
    ),
)

ROWS = Literal([0.5, -1.0, 2.0])
element = Generator("f", Product(Product(V, Real), Real), Real)
step = Generator("g", Product(Product(V, Real), Product(Real, Real)), Real)


def mapped(body: Morphism) -> Morphism:
    """``λa. map (λx. body (a, x)) [x₁, x₂, x₃]``."""
    assert isinstance(body.dom, Product)
    rows = Constant(body.dom.parts[0], ROWS)
    return pair(curry(body), rows) >> Primitive(MAP, (Fun(Real, body.cod), ROWS.type))


def folded(step: Morphism) -> Morphism:
    """``λa. fold (λ(c, x). step (a, (c, x))) 1 [x₁, x₂, x₃]``."""
    assert isinstance(step.dom, Product)
    context = step.dom.parts[0]
    start, rows = Constant(context, Literal(1.0)), Constant(context, ROWS)
    kinds = (Fun(Product(Real, Real), Real), Real, Tensor(ROWS.type.shape))
    return pair(curry(step), start, rows) >> Primitive(FOLD, kinds)


IN_BULK = (
    bulk("G2a", "maps of maps in bulk mean the same")(*by("bulk", mapped(mapped(element)))),
    bulk("G2b", "a map of folds in bulk means the same")(*by("bulk", mapped(folded(step)))),
)

ALGORITHMS = Structure("algorithms", "Algorithms", (REVERSE,), methods=("gradients",))
NESTING = Structure(
    "nesting", "Nested derivatives", (DIFFERENTIAL_TWICE, REVERSE_TWICE), methods=("inner",)
)

h = Inner(Generator("p", V, W), Generator("q", V, W))
"""``⟨p, q⟩``, which has second derivatives where p and q have first ones."""
of_number, of_other = arrows("f g", Real, Real)
a, v, u = points("a v u", V)
(w,) = points("w", W)
x, y = points("x y", Real)


def real(number: float, dom: Object = Unit) -> Constant:
    """A constant."""
    return Constant(dom, Literal(number))


ADD, MULTIPLY = (Primitive(Operation(named(name)), (Real, Real)) for name in ("add", "multiply"))
ONE = real(1.0)
SEPARATE = Plus(first(Real, Real) >> of_number, second(Real, Real) >> of_other)


def slope(arrow: Morphism, at: Morphism) -> Morphism:
    """``D(λx. f(x))(at)`` of a function of a number."""
    return pair(at, real(1.0, at.dom)) >> D(arrow)


def inner_slope(arrow: Morphism, at: Morphism) -> Morphism:
    """``λx. D(λy. f(x, y))(at)``."""
    return pair(pair(Id(Real), at), pair(real(0.0, Real), real(1.0, Real))) >> D(arrow)


def times(arrow: Morphism) -> Morphism:
    """``λx. x · f(x)``."""
    return pair(Id(Real), arrow) >> MULTIPLY


def along(arrow: Morphism) -> Morphism:
    """``λa. D[f](a, v)``."""
    return pair(Id(V), everywhere(v, V)) >> D(arrow)


def gradient(arrow: Morphism) -> Morphism:
    """``λa. R[f](a, 1)``."""
    return pair(Id(V), real(1.0, V)) >> R(arrow)


def _hessian(vector: Morphism, along: Morphism) -> Morphism:
    """``D[D[h]]((a, v), (u, 0))``."""
    return pair(pair(a, vector), pair(along, Zero(Unit, V))) >> D(D(h))


def _gradients(scene: Any, *, alike: bool) -> Any:
    """``R[f](a, w)`` by each algorithm; or ``alike``, by the first of them."""
    found = scene.model.gradients(scene.program(of_vectors), scene.at(a), scene.at(w))
    told = {name: list(leaves) for name, leaves in found.items()}
    return dict.fromkeys(told, next(iter(told.values()))) if alike else told


FORWARD_OVER_REVERSE = pair(a, v) >> D(gradient(h))
algorithms = stating(
    ALGORITHMS, "Vytiniotis et al., sections 4 and 5; Huot and Shaikhha, Theorem 4.1", tame=True
)
confused = stating(
    NESTING,
    "Siskind and Pearlmutter 2005, Perturbation confusion and referential transparency",
    tame=True,
)
symmetric = stating(NESTING, "Blute, Cockett and Seely 2009, CD.7; Schwarz", tame=True)
pearlmutter = stating(
    NESTING, "Pearlmutter 1994, Fast exact multiplication by the Hessian", tame=True
)

AGREEMENT = (
    algorithms(
        "G1",
        "every algorithm gives one gradient, at types without functions",
        of=(of_vectors, a, w),
    )(
        ("R[f](a, w) by each algorithm", partial(_gradients, alike=False)),
        ("R[f](a, w)", partial(_gradients, alike=True)),
    ),
    confused("G4a", "D(λx. x · D(λy. x + y)(1))(1) = 1")(
        slope(times(inner_slope(ADD, real(1.0, Real))), ONE), ONE
    ),
    confused("G4b", "D(λx. x · D(λy. x · y)(1))(4) = 8")(
        slope(times(inner_slope(MULTIPLY, real(1.0, Real))), real(4.0)), real(8.0)
    ),
    confused(
        "G4c", "D(λx. D(λy. x · y)(x))(3) = 1: the inner derivative is taken at the outer variable"
    )(slope(inner_slope(MULTIPLY, Id(Real)), real(3.0)), ONE),
    confused(
        "G4d", "D(λx. x · D(λy. f(x) + g(y))(y))(x) = D(g)(y): what does not move has no derivative"
    )(slope(times(inner_slope(SEPARATE, everywhere(y, Real))), x), slope(of_other, y)),
    symmetric("G5", "second derivatives, of h = ⟨p, q⟩, are symmetric", implied_by="CD7")(
        _hessian(v, u), _hessian(u, v)
    ),
    pearlmutter("G6a", "forward over reverse is reverse over forward, of h = ⟨p, q⟩")(
        FORWARD_OVER_REVERSE, pair(a, ONE) >> R(along(h))
    ),
    pearlmutter("G6b", "forward over reverse is reverse over reverse, of h = ⟨p, q⟩")(
        FORWARD_OVER_REVERSE, pair(a, ONE) >> R(Inner(gradient(h), everywhere(v, V)))
    ),
)

LAWS = (*WAYS, *IN_BULK, *AGREEMENT)
