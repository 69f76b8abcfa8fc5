"""Category, cartesian and cartesian closed category, choice by a truth value, and loops.

E5 of the textbook, that currying and uncurrying undo each other, is E1 and E2 together. Of a
distributive category programs have what there is with ``Bool = 1 + 1``: ``cond(f, g) : Bool × A →
B``. General sums ``A + B`` are in ``coproducts``.

Loops go over the rows of an array. Their number is part of a type, so that the laws are stated at
arrays of 0, 1, 2 and 3 numbers: ``fold-one``, ``fold-cons`` and ``fold-join`` say what folds over
1, 2 and 3 rows are, each by the one before. A step sees what it captures: ``X × (C × Real) → C``.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Choice, Compose, Constant, Curry, Id, Morphism, Primitive
from combinators.objects import Bool, Fun, Object, Product, Real, Tensor, Unit
from combinators.operation import Operation, named
from combinators.primitives.loops import FOLD, FOLD_BACKWARDS, MAP, SCAN
from combinators.primitives.shapes import CONCATENATE, RESHAPE, SLICE
from laws.language import (
    Generator,
    Variable,
    arrows,
    associate,
    copy,
    curry,
    discard,
    ev,
    exponential,
    first,
    pair,
    parallel,
    second,
    swap,
    uncurry,
)
from laws.law import Structure, stating

CATEGORY = Structure("category", "Category", arrows=("identity", "compose"), methods=("run",))
TYPED = Structure("typed", "Typed category", (CATEGORY,), methods=("types",))
"""``model.types(arrow)`` gives ``(dom, cod)``, and composing what does not fit is refused."""
CARTESIAN = Structure("cartesian", "Cartesian category", (CATEGORY,), arrows=("prod", "proj"))
CONSTANTS = Structure("constants", "Constants", (CARTESIAN,), arrows=("const",))
CLOSED = Structure("closed", "Closed category", (CARTESIAN,), arrows=("curry", "eval"))
DISTRIBUTIVE = Structure(
    "distributive", "Choice", (CARTESIAN,), arrows=("cond", "const", "primitive")
)

A, B, C, E, X, Y = (Variable(name) for name in "ABCEXY")
f, g, k = Generator("f", A, B), Generator("g", A, C), Generator("k", X, A)
after_b, after_c = Generator("g", B, C), Generator("h", C, E)
unfit = Generator("k", Product(B, B), C)

law = stating(CATEGORY, "Mac Lane, Categories for the working mathematician, I.1")
typed = partial(law, structure=TYPED)

CATEGORIES = (
    law("C1", "the identity, and then f, is f")(Compose((Id(A), f)), f),
    law("C2", "f, and then the identity, is f")(Compose((f, Id(B))), f),
    law("C3", "composition is associative")(
        Compose((Compose((f, after_b)), after_c)), Compose((f, Compose((after_b, after_c))))
    ),
    typed(
        "C4a",
        "a composite starts where its first arrow starts, and ends where its last ends",
        of=(f, after_b),
    )(
        ("(dom (f;g), cod (f;g))", lambda at: at.model.types(at.arrow(f >> after_b))),
        ("(A, C)", lambda at: (at.obj(A), at.obj(C))),
    ),
    typed(
        "C4b",
        "arrows that do not fit are not composed: g starts from B × B, and f ends in B",
        of=(f, unfit),
        relation="raises",
    )(
        ("f;k", lambda at: at.model.category.compose([at.arrow(f), at.arrow(unfit)])),
        ("an error", lambda at: None),
    ),
)

h = Generator("h", X, Product(B, C))
to_e, to_y = Generator("h", B, E), Generator("u", C, Y)
other = Generator("g", X, C)
number = Literal(1.5)

LAMBEK = "Lambek and Scott 1986, Introduction to higher order categorical logic, I.3"
law = stating(CARTESIAN, LAMBEK)

PRODUCTS = (
    law("P1a", "the first component of a pair", rule="proj-tuple")(pair(f, g) >> first(B, C), f),
    law("P1b", "the second component of a pair", rule="proj-tuple")(pair(f, g) >> second(B, C), g),
    law("P2", "what goes into a product is the pair of its components", rule="tuple-of-parts")(
        pair(h >> first(B, C), h >> second(B, C)), h
    ),
    law("P3", "h, and then a pair, is the pair of both after h", implied_by="P1a P1b P2 C3")(
        k >> pair(f, g), pair(k >> f, k >> g)
    ),
    law("P4", "the projections, paired, change nothing: × keeps identities", implied_by="P2 C1")(
        pair(first(B, C), second(B, C)), Id(Product(B, C))
    ),
    law("P5a", "nothing is left of what is discarded")(f >> discard(B), discard(A)),
    law("P5b", "there is one arrow from the unit to itself")(discard(Unit), Id(Unit)),
    law("P6", "f × g works on each component alone", implied_by="P1a P1b P3 C3")(
        pair(k, other) >> parallel(f, to_y), pair(k >> f, other >> to_y)
    ),
    law("P7", "× keeps composition", implied_by="P1a P1b P3 C3")(
        parallel(f, other) >> parallel(to_e, to_y), parallel(f >> to_e, other >> to_y)
    ),
)

law = stating(CARTESIAN, "Fox 1976, Coalgebras and cartesian categories")
follows = partial(law, implied_by="P1a P1b P3")

COMONOID = (
    follows("copy-associative", "of three copies it is one which is copied again")(
        copy(A) >> parallel(copy(A), Id(A)) >> associate(A, A, A),
        copy(A) >> parallel(Id(A), copy(A)),
    ),
    follows("copy-swap", "both copies are alike")(copy(A) >> swap(A, A), copy(A)),
    follows("copy-discard", "a copy, and the other discarded, is what was copied")(
        copy(A) >> parallel(discard(A), Id(A)) >> second(Unit, A), Id(A)
    ),
    follows("copy-natural", "to work and copy is to copy and work twice", tame=True)(
        f >> copy(B), copy(A) >> parallel(f, f)
    ),
    law("swap-swap", "to swap twice changes nothing", implied_by="P1a P1b P3 P4")(
        swap(A, B) >> swap(B, A), Id(Product(A, B))
    ),
    follows("swap-natural", "to work on both and swap is to swap and work on both")(
        parallel(f, other) >> swap(B, C), swap(A, X) >> parallel(other, f)
    ),
    stating(CONSTANTS, LAMBEK)("P8", "a constant does not see what comes before it")(
        f >> Constant(B, number), Constant(A, number)
    ),
)

body, wide = Generator("f", Product(A, B), C), Generator("f", Product(A, B, C), E)
before, argument = Generator("g", X, A), Generator("k", A, B)
curried = Generator("h", A, Fun(B, C))
left, right = Generator("g", X, A), Generator("h", X, B)
before_1, after_1 = Generator("f", B, A), Generator("g", C, E)
before_2, after_2 = Generator("h", X, B), Generator("k", E, Y)

one, another, given = Generator("g", X, A), Generator("h", X, A), Generator("k", X, B)
shared = Curry(body)
_closures = pair(pair(one) >> shared, pair(another) >> shared)
_both = Fun(B, C), Fun(B, C)
_captured, _argument = first(Product(A, B), C), second(Product(A, B), C)
_flat = pair(_captured >> first(A, B), _captured >> second(A, B), _argument)

law = stating(CLOSED, LAMBEK)

FUNCTIONS = (
    law("E1", "β: what is curried, and then applied, is as it was")(uncurry(curry(body)), body),
    law("E2", "η: what is applied, and then curried, is as it was")(
        curry(uncurry(curried)), curried
    ),
    law("E3", "a function is the λ that applies it", implied_by="E2 P4")(
        curry(ev(B, C)), Id(Fun(B, C))
    ),
    law("E4", "a λ captures what was computed before it", tame=True, implied_by="E1 E2")(
        before >> curry(body), curry(parallel(before, Id(B)) >> body)
    ),
    law("E6", "what comes after the body goes into the λ", implied_by="E1 E2")(
        curry(body >> after_c), curry(body) >> exponential(Id(B), after_c)
    ),
    law("E7", "β: to call a λ is to bind its parameter", rule="beta", implied_by="E1 P3")(
        pair(curry(body), argument) >> ev(B, C), pair(Id(A), argument) >> body
    ),
    law("E8", "⇒ keeps composition, the other way round in the argument", implied_by="E1 E2")(
        exponential(before_1, after_1) >> exponential(before_2, after_2),
        exponential(before_2 >> before_1, after_1 >> after_2),
    ),
    law("E8-id", "⇒ keeps identities", implied_by="E2")(exponential(Id(B), Id(C)), Id(Fun(B, C))),
    law("E1-two", "β of a λ that captures two variables")(
        pair(_captured >> Curry(wide), _argument) >> ev(C, E), _flat >> wide
    ),
    law(
        "E1-apart",
        "closures of one λ keep apart what each of them captured",
        implied_by="P1a P1b P3 E1",
    )(
        pair(
            pair(_closures >> first(*_both), given) >> ev(B, C),
            pair(_closures >> second(*_both), given) >> ev(B, C),
        ),
        pair(pair(one, given) >> body, pair(another, given) >> body),
    ),
    law(
        "E4-two",
        "a λ captures two variables, each of which was computed before it",
        implied_by="E1-two E2",
    )(
        pair(left, right) >> Curry(wide),
        curry(pair(first(X, C) >> left, first(X, C) >> right, second(X, C)) >> wide),
    ),
)

yes, no, third = arrows("f g h", A, B)
test, afterwards = Generator("p", A, Bool), Generator("h", B, C)


def known(truth: bool, dom: Object) -> Constant:
    """``true`` or ``false``, from anywhere."""
    return Constant(dom, Literal(truth))


law = stating(
    DISTRIBUTIVE, "McCarthy 1963, A basis for a mathematical theory of computation: conditionals"
)
coproduct = stating(
    DISTRIBUTIVE, "Carboni, Lack and Walters 1993, Extensive and distributive categories"
)

CHOICES = (
    law("S5a", "if true, the first", rule="cond-known")(
        pair(known(True, A), Id(A)) >> Choice(yes, no), yes
    ),
    law("S5b", "if false, the second", rule="cond-known")(
        pair(known(False, A), Id(A)) >> Choice(yes, no), no
    ),
    law("S5c", "a choice between equals is none", rule="cond-same")(
        pair(test, Id(A)) >> Choice(yes, yes), yes
    ),
    law("S5d", "a choice by a negation is the choice between the others")(
        pair(test >> Primitive(Operation(named("logical_not")), (Bool,)), Id(A)) >> Choice(yes, no),
        pair(test, Id(A)) >> Choice(no, yes),
    ),
    coproduct("S2", "a choice between true and false is the test")(
        pair(test, Id(A)) >> Choice(known(True, A), known(False, A)), test
    ),
    coproduct("S3", "what comes after a choice goes into both branches", rule="cond-parts")(
        Choice(yes, no) >> afterwards, Choice(yes >> afterwards, no >> afterwards)
    ),
    coproduct("S4", "what comes before a choice goes into both branches")(
        parallel(Id(Bool), k) >> Choice(yes, no), Choice(k >> yes, k >> no)
    ),
    law("S5e", "a branch knows what the test has given", rule="cond-fusion")(
        pair(test, pair(test, Id(A))) >> Choice(Choice(yes, no), second(Bool, A) >> third),
        pair(test, Id(A)) >> Choice(yes, third),
    ),
)

LOOPS = Structure(
    "loops", "Loops over arrays", (CLOSED, DISTRIBUTIVE), features=("loops", "arrays")
)

step, z = Generator("f", Product(X, Product(C, Real)), C), Generator("z", X, C)
x, rest, ys = Generator("x", X, Real), *(Generator(name, X, Tensor((1,))) for name in ("xs", "ys"))
xs, rows = (Generator("xs", X, Tensor((n,))) for n in (2, 3))

law = stating(LOOPS, "Bird 1987, An introduction to the theory of lists")
fusion = stating(
    LOOPS, "Meijer, Fokkinga and Paterson 1991, Functional programming with bananas, lenses …"
)


def fold(step: Morphism, init: Morphism, over: Morphism, operation: Operation = FOLD) -> Morphism:
    """``fold(f, z, xs) : X → C`` of ``f : X × (C × row) → C``, ``z : X → C`` and ``xs : X → rows``.

    A scan alike, of ``f : X × (C × row) → C × Y``.
    """
    function = curry(step)
    types = function.cod, init.cod, over.cod
    return pair(function, init, over) >> Primitive(operation, types)


def each(body: Morphism, over: Morphism) -> Morphism:
    """``map(f, xs)`` of ``f : X × row → Y``."""
    return pair(curry(body), over) >> Primitive(MAP, (curry(body).cod, over.cod))


def after(body: Morphism, carry: Morphism, row: Morphism) -> Morphism:
    """``f(c, x)``, where the environment is that of ``c`` and ``x``."""
    return pair(Id(carry.dom), pair(carry, row)) >> body


def joined(*parts: Morphism) -> Morphism:
    """``xs ++ ys``."""
    types = tuple(part.cod for part in parts)
    return pair(*parts) >> Primitive(Operation(CONCATENATE, (("axis", 0),)), types)


def single(number: Morphism) -> Morphism:
    """``[x]``."""
    return number >> Primitive(Operation(RESHAPE, (("shape", (1,)),)), (Real,))


def within(obj: Object) -> tuple[Morphism, Morphism, Morphism]:
    """The environment, the carry and the row, in a step that carries ``obj``."""
    inner = Product(obj, Real)
    given = second(X, inner)
    return first(X, inner), given >> first(obj, Real), given >> second(obj, Real)


_backwards = Operation(SLICE, (("start", (2,)), ("step", (-1,)), ("extent", (3,))))
_env, _carried, _row = within(C)
_double = Product(C, Y)
_env_2, _carried_2, _row_2 = within(_double)
_first = pair(_env_2, pair(_carried_2 >> first(C, Y), _row_2)) >> step
"""The step f, beside another that does not matter to it."""
_k, _w, _h = Generator("k", _first.dom, Y), Generator("w", X, Y), Generator("h", C, Y)
_with_h = pair(Id(C), _h)

_m, _g = Generator("f", Product(X, Real), Real), Generator("g", Product(X, Real), Real)
_step = Generator("f", Product(X, Product(C, Real)), Product(C, Real))

LOOPING = (
    law("fold-empty", "a fold over no rows is where it starts", rule="loop-empty")(
        fold(step, z, Constant(X, Literal(np.zeros(0)))), z
    ),
    law("fold-one", "a fold over one row is a step")(fold(step, z, single(x)), after(step, z, x)),
    law("fold-cons", "a fold over x and then xs is that over xs, from f(z, x)")(
        fold(step, z, joined(single(x), rest)), fold(step, after(step, z, x), rest)
    ),
    law("fold-join", "a fold over xs and then ys is that over ys, from what that over xs gives")(
        fold(step, z, joined(xs, ys)), fold(step, fold(step, z, xs), ys)
    ),
    law(
        "fold-reverse",
        "a fold from the last row to the first is one over the rows in the other order",
    )(
        fold(step, z, rows, FOLD_BACKWARDS),
        fold(step, z, rows >> Primitive(_backwards, (rows.cod,))),
    ),
    law("fold-steady", "a carry that every step passes on is where it starts", rule="loop-steady")(
        fold(_carried, z, rows), z
    ),
    fusion("fold-fusion", "what can be computed from step to step is computed after the loop")(
        fold(_first >> _with_h, z >> _with_h, rows), fold(step, z, rows) >> _with_h
    ),
    fusion("fold-part", "a component of the carry that nothing needs goes", rule="loop-parts")(
        fold(pair(_first, _k), pair(z, _w), rows) >> first(C, Y), fold(step, z, rows)
    ),
    law("map-id", "a map of the identity changes nothing")(each(second(X, Real), rows), rows),
    law("map-map", "a map after a map is one map", rule="map-fusion")(
        each(_g, each(_m, rows)), each(pair(first(X, Real), _m) >> _g, rows)
    ),
    law("map-join", "a map over xs and then ys joins both maps")(
        each(_g, joined(xs, ys)), joined(each(_g, xs), each(_g, ys))
    ),
    law("scan-fold", "what a scan carries, a fold carries", rule="scan-fold")(
        fold(_step, z, rows, SCAN) >> first(C, rows.cod), fold(_step >> first(C, Real), z, rows)
    ),
    law("scan-map", "a scan whose steps pass on their carry is a map", rule="scan-map")(
        fold(pair(_carried, pair(_env, _row) >> _g), z, rows, SCAN) >> second(C, rows.cod),
        each(_g, rows),
    ),
)

LAWS = (*CATEGORIES, *PRODUCTS, *COMONOID, *FUNCTIONS, *CHOICES, *LOOPING)
