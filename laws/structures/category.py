"""Category: arrows that compose."""

from functools import partial

from combinators.morphisms import Compose, Id
from combinators.objects import Product
from laws.language import Generator, Variable
from laws.law import Computed, Law, Structure

CATEGORY = Structure("category", "Category", arrows=("identity", "compose"), methods=("run",))
TYPED = Structure("typed", "Typed category", (CATEGORY,), methods=("types",))
"""``model.types(arrow)`` gives ``(dom, cod)``, and composing what does not fit is refused."""

A, B, C, E = (Variable(name) for name in "ABCE")
f, g, h = Generator("f", A, B), Generator("g", B, C), Generator("h", C, E)
k = Generator("k", Product(B, B), C)

law = partial(
    Law, structure=CATEGORY, source="Mac Lane, Categories for the working mathematician, I.1"
)
typed = partial(law, structure=TYPED)

LAWS = (
    law("C1", "the identity, and then f, is f", Compose((Id(A), f)), f),
    law("C2", "f, and then the identity, is f", Compose((f, Id(B))), f),
    law(
        "C3",
        "composition is associative",
        Compose((Compose((f, g)), h)),
        Compose((f, Compose((g, h)))),
    ),
    typed(
        "C4a",
        "a composite starts where its first arrow starts, and ends where its last ends",
        Computed("(dom (f;g), cod (f;g))", lambda at: at.model.types(at.arrow(f >> g)), (f, g)),
        Computed("(A, C)", lambda at: (at.obj(A), at.obj(C)), (f, g)),
    ),
    typed(
        "C4b",
        "arrows that do not fit are not composed: g starts from B × B, and f ends in B",
        Computed(
            "f;k",
            lambda at: at.model.category.compose([at.arrow(f), at.arrow(k)]),
            (f, k),
        ),
        Computed("an error", lambda at: None),
        relation="raises",
    ),
)
