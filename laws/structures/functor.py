"""Interpreting keeps the structure, and so does whatever else makes an arrow of a program.

``F`` is the map from programs to a model. It is the only one that keeps the structure (F3), so that
each other way to make an arrow of a program has to agree with it (F4 to F8).

What is written one element at a time means the same when it is in bulk: a model has a way ``bulk``
from programs to arrows, the bulk-operation transform, interpreted.
"""

from __future__ import annotations

from combinators.literal import Literal
from combinators.morphisms import Choice, Compose, Constant, Id, Morphism, Primitive
from combinators.objects import Fun, Product, Real, Tensor
from combinators.primitives.loops import FOLD, MAP
from laws.language import (
    Generator,
    Image,
    Variable,
    arrows,
    curry,
    ev,
    everywhere,
    first,
    pair,
    points,
)
from laws.law import Law, Structure
from laws.structures.cartesian import CARTESIAN, CATEGORY
from laws.structures.closed import CLOSED

FUNCTOR = Structure("functor", "Functor", (CATEGORY,))
CARTESIAN_FUNCTOR = Structure("cartesian functor", "Cartesian functor", (FUNCTOR, CARTESIAN))
CLOSED_FUNCTOR = Structure("closed functor", "Closed functor", (CARTESIAN_FUNCTOR, CLOSED))
PROGRAMS = Structure(
    "programs",
    "Programs",
    (CLOSED_FUNCTOR,),
    arrows=("extend", "const", "primitive", "cond"),
)
COMPILED = Structure("compiled", "Compiled", (CATEGORY,), methods=("ways:python",))
SYMBOLIC = Structure("symbolic", "Symbolic", (CATEGORY,), methods=("ways:sympy",))
STAGED = Structure("staged", "Staged", (PROGRAMS,), methods=("ways:staged",))

A, B, C = (Variable(name) for name in "ABC")
f, g = Generator("f", A, B), Generator("g", B, C)
k = Generator("k", A, C)
p = Generator("p", Product(A, B), C)
then, other = arrows("f g", A, B)
S, T = Variable("S", "data"), Variable("T", "data")
first_order = Generator("f", S, T)
known = Generator("f", Product(S, A), B)
(s,) = points("s", S)
V, W = Variable("V", "vector"), Variable("W", "vector")
of_vectors = Generator("f", V, W)

LAMBEK = "Lambek and Scott, I.11: the free cartesian closed category"
TAGLESS = "Carette, Kiselyov and Shan, Finally tagless, partially evaluated"
PARTIAL = "Huot and Shaikhha, section 5.1; Jones, Gomard and Sestoft, 1.2"
CHURCH = "Barendregt, The lambda calculus, 2.1 and 3.1"


def image(arrow: Morphism) -> Image:
    """``F f``: a program interpreted as a whole."""
    return Image("interpreted", arrow)


WAYS = (
    Law("F1a", "the image of the identity is the identity", image(Id(A)), Id(A), FUNCTOR, LAMBEK),
    Law(
        "F1b",
        "the image of a composite is the composite of the images",
        image(f >> g),
        Compose((image(f), image(g))),
        FUNCTOR,
        LAMBEK,
        implied_by=("C1", "C2", "C3"),
    ),
    Law(
        "F2a",
        "the image of a pair is the pair of the images",
        image(pair(f, k)),
        pair(image(f), image(k)),
        CARTESIAN_FUNCTOR,
        LAMBEK,
    ),
    Law(
        "F2b",
        "the image of a projection is the projection",
        image(first(A, B)),
        first(A, B),
        CARTESIAN_FUNCTOR,
        LAMBEK,
    ),
    Law(
        "F2c",
        "the image of a curried arrow is the image, curried",
        image(curry(p)),
        curry(image(p)),
        CLOSED_FUNCTOR,
        LAMBEK,
    ),
    Law(
        "F2d",
        "the image of evaluation is evaluation",
        image(ev(A, B)),
        ev(A, B),
        CLOSED_FUNCTOR,
        LAMBEK,
    ),
    Law(
        "F2e",
        "the image of a choice is the choice of the images",
        image(Choice(then, other)),
        Choice(image(then), image(other)),
        PROGRAMS,
        LAMBEK,
    ),
    Law(
        "F3",
        "to interpret a program is to write it with the category's own methods",
        Image("interpreted", f),
        Image("tagless", f),
        PROGRAMS,
        TAGLESS,
    ),
    Law(
        "F4",
        "numbers put for the symbols of a formula give the value",
        Image("sympy", of_vectors),
        of_vectors,
        SYMBOLIC,
        "naturality of evaluation, Lambek and Scott, I.11",
        tame=True,
    ),
    Law(
        "F5a",
        "a simplified program means the same",
        Image("simplified", f),
        f,
        PROGRAMS,
        PARTIAL,
    ),
    Law(
        "F5b",
        "a program specialised to a known argument means that program at it: pe(f, s)(a) = f(s, a)",
        Image("simplified", pair(everywhere(s, A), Id(A)) >> known),
        pair(everywhere(s, A), Id(A)) >> known,
        PROGRAMS,
        PARTIAL,
        implied_by=("F5a",),
    ),
    Law(
        "F6",
        "emitted code computes what the interpreter does",
        Image("python", first_order),
        first_order,
        COMPILED,
        "Huot and Shaikhha, section 5.2: code generation preserves the meaning",
    ),
    Law(
        "F7α",
        "names of variables do not matter",
        Image("renamed", f),
        Image("written", f),
        PROGRAMS,
        CHURCH,
    ),
    Law(
        "F7β",
        "naming what is used is applying a function to it: (λx. e) a = let x = a in e",
        Image("applied", f),
        f,
        PROGRAMS,
        CHURCH,
    ),
    Law(
        "F7η",
        "a function is what it does to its argument: λx. f x = f",
        Image("expanded", f),
        f,
        PROGRAMS,
        CHURCH,
        implied_by=("E2", "E3"),
    ),
    Law(
        "F8",
        "what a program writes when it is staged, interpreted, is the program",
        Image("staged", f),
        f,
        STAGED,
        "Smeding et al., appendix C.3: terms are the initial algebra",
    ),
)


BULK = Structure("bulk", "Bulk operations", (CATEGORY,), methods=("ways:bulk",))

ROWS = Literal([0.5, -1.0, 2.0])
element = Generator("f", Product(Product(V, Real), Real), Real)
step = Generator("g", Product(Product(V, Real), Product(Real, Real)), Real)

SMEDING = "Smeding et al., section 5: the bulk-operation transformation keeps the meaning"


def mapped(body: Morphism) -> Morphism:
    """``λa. map (λx. body (a, x)) [x₁, x₂, x₃]``."""
    assert isinstance(body.dom, Product)
    context, row = body.dom.parts
    assert row is Real
    rows = Constant(context, ROWS)
    return pair(curry(body), rows) >> Primitive(MAP, (Fun(Real, body.cod), ROWS.type))


def folded(step: Morphism) -> Morphism:
    """``λa. fold (λ(c, x). step (a, (c, x))) 1 [x₁, x₂, x₃]``."""
    assert isinstance(step.dom, Product)
    context = step.dom.parts[0]
    start, rows = Constant(context, Literal(1.0)), Constant(context, ROWS)
    kinds = (Fun(Product(Real, Real), Real), Real, Tensor(ROWS.type.shape))
    return pair(curry(step), start, rows) >> Primitive(FOLD, kinds)


def _means_the_same(name: str, statement: str, program: Morphism) -> Law:
    return Law(name, statement, Image("bulk", program), program, BULK, SMEDING, tame=True)


IN_BULK = (
    _means_the_same("G2a", "maps of maps in bulk mean the same", mapped(mapped(element))),
    _means_the_same("G2b", "a map of folds in bulk means the same", mapped(folded(step))),
)

LAWS = (*WAYS, *IN_BULK)
