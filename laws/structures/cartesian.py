"""Cartesian category: products, and a terminal object."""

from functools import partial

from combinators.literal import Literal
from combinators.morphisms import Constant, Id
from combinators.objects import Product, Unit
from laws.language import (
    Generator,
    Variable,
    associate,
    copy,
    discard,
    first,
    pair,
    parallel,
    second,
    swap,
)
from laws.law import Law, Structure
from laws.structures.category import CATEGORY

CARTESIAN = Structure("cartesian", "Cartesian category", (CATEGORY,), arrows=("prod", "proj"))
CONSTANTS = Structure("constants", "Constants", (CARTESIAN,), arrows=("const",))

A, B, C, E, X, Y = (Variable(name) for name in "ABCEXY")
f, g = Generator("f", A, B), Generator("g", A, C)
h = Generator("h", X, Product(B, C))
k = Generator("k", X, A)
to_e, to_y = Generator("h", B, E), Generator("u", C, Y)
other = Generator("g", X, C)
number = Literal(1.5)

law = partial(
    Law,
    structure=CARTESIAN,
    source="Lambek and Scott 1986, Introduction to higher order categorical logic, I.3",
)
comonoid = partial(law, source="Fox 1976, Coalgebras and cartesian categories")

PRODUCTS = (
    law(
        "P1a",
        "the first component of a pair",
        pair(f, g) >> first(B, C),
        f,
        rule="proj-tuple",
    ),
    law(
        "P1b",
        "the second component of a pair",
        pair(f, g) >> second(B, C),
        g,
        rule="proj-tuple",
    ),
    law(
        "P2",
        "what goes into a product is the pair of its components",
        pair(h >> first(B, C), h >> second(B, C)),
        h,
        rule="tuple-of-parts",
    ),
    law(
        "P3",
        "h, and then a pair, is the pair of both after h",
        k >> pair(f, g),
        pair(k >> f, k >> g),
        implied_by=("P1a", "P1b", "P2", "C3"),
    ),
    law(
        "P4",
        "the projections, paired, change nothing: × keeps identities",
        pair(first(B, C), second(B, C)),
        Id(Product(B, C)),
        implied_by=("P2", "C1"),
    ),
    law("P5a", "nothing is left of what is discarded", f >> discard(B), discard(A)),
    law("P5b", "there is one arrow from the unit to itself", discard(Unit), Id(Unit)),
    law(
        "P6",
        "f × g works on each component alone",
        pair(k, other) >> parallel(f, to_y),
        pair(k >> f, other >> to_y),
        implied_by=("P1a", "P1b", "P3", "C3"),
    ),
    law(
        "P7",
        "× keeps composition",
        parallel(f, other) >> parallel(to_e, to_y),
        parallel(f >> to_e, other >> to_y),
        implied_by=("P1a", "P1b", "P3", "C3"),
    ),
)

COMONOID = (
    comonoid(
        "copy-associative",
        "of three copies it is one which is copied again",
        copy(A) >> parallel(copy(A), Id(A)) >> associate(A, A, A),
        copy(A) >> parallel(Id(A), copy(A)),
        implied_by=("P1a", "P1b", "P3"),
    ),
    comonoid(
        "copy-swap",
        "both copies are alike",
        copy(A) >> swap(A, A),
        copy(A),
        implied_by=("P1a", "P1b", "P3"),
    ),
    comonoid(
        "copy-discard",
        "a copy, and the other discarded, is what was copied",
        copy(A) >> parallel(discard(A), Id(A)) >> second(Unit, A),
        Id(A),
        implied_by=("P1a", "P1b", "P3"),
    ),
    comonoid(
        "copy-natural",
        "to work and copy is to copy and work twice",
        f >> copy(B),
        copy(A) >> parallel(f, f),
        tame=True,
        implied_by=("P1a", "P1b", "P3"),
    ),
    comonoid(
        "swap-swap",
        "to swap twice changes nothing",
        swap(A, B) >> swap(B, A),
        Id(Product(A, B)),
        implied_by=("P1a", "P1b", "P3", "P4"),
    ),
    comonoid(
        "swap-natural",
        "to work on both and swap is to swap and work on both",
        parallel(f, other) >> swap(B, C),
        swap(A, X) >> parallel(other, f),
        implied_by=("P1a", "P1b", "P3"),
    ),
)

LAWS = (
    *PRODUCTS,
    *COMONOID,
    law(
        "P8",
        "a constant does not see what comes before it",
        f >> Constant(B, number),
        Constant(A, number),
        structure=CONSTANTS,
    ),
)
