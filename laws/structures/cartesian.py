"""Category, and cartesian category: arrows that compose, products, and a terminal object."""

from __future__ import annotations

from functools import partial

from combinators.literal import Literal
from combinators.morphisms import Compose, Constant, Id
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
from laws.law import Computed, Law, Structure

CATEGORY = Structure("category", "Category", arrows=("identity", "compose"), methods=("run",))
TYPED = Structure("typed", "Typed category", (CATEGORY,), methods=("types",))
"""``model.types(arrow)`` gives ``(dom, cod)``, and composing what does not fit is refused."""

A, B, C, E, X, Y = (Variable(name) for name in "ABCEXY")
f, then, last = Generator("f", A, B), Generator("g", B, C), Generator("h", C, E)
unfit = Generator("k", Product(B, B), C)

of_categories = partial(
    Law, structure=CATEGORY, source="Mac Lane, Categories for the working mathematician, I.1"
)
typed = partial(of_categories, structure=TYPED)

CATEGORIES = (
    of_categories("C1", "the identity, and then f, is f", Compose((Id(A), f)), f),
    of_categories("C2", "f, and then the identity, is f", Compose((f, Id(B))), f),
    of_categories(
        "C3",
        "composition is associative",
        Compose((Compose((f, then)), last)),
        Compose((f, Compose((then, last)))),
    ),
    typed(
        "C4a",
        "a composite starts where its first arrow starts, and ends where its last ends",
        Computed(
            "(dom (f;g), cod (f;g))", lambda at: at.model.types(at.arrow(f >> then)), (f, then)
        ),
        Computed("(A, C)", lambda at: (at.obj(A), at.obj(C)), (f, then)),
    ),
    typed(
        "C4b",
        "arrows that do not fit are not composed: g starts from B × B, and f ends in B",
        Computed(
            "f;k",
            lambda at: at.model.category.compose([at.arrow(f), at.arrow(unfit)]),
            (f, unfit),
        ),
        Computed("an error", lambda at: None),
        relation="raises",
    ),
)

CARTESIAN = Structure("cartesian", "Cartesian category", (CATEGORY,), arrows=("prod", "proj"))
CONSTANTS = Structure("constants", "Constants", (CARTESIAN,), arrows=("const",))

g = Generator("g", A, C)
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
    *CATEGORIES,
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
