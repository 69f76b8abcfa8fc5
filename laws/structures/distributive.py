"""Choice by a truth value: what programs have of a distributive category, where ``Bool = 1 + 1``.

``cond(f, g) : Bool × A → B``. S1-S4 of a general sum ``A + B`` wait for an object that is one.
"""

from functools import partial

from combinators.literal import Literal
from combinators.morphisms import Choice, Constant, Id, Primitive
from combinators.objects import Bool, Object
from combinators.operation import Operation, named
from laws.language import Generator, Variable, arrows, pair, parallel, second
from laws.law import Law, Structure
from laws.structures.cartesian import CARTESIAN

DISTRIBUTIVE = Structure(
    "distributive", "Choice", (CARTESIAN,), arrows=("cond", "const", "primitive")
)

A, B, C, X = (Variable(name) for name in "ABCX")
f, g, other = arrows("f g h", A, B)
p, h, k = Generator("p", A, Bool), Generator("h", B, C), Generator("k", X, A)

law = partial(
    Law,
    structure=DISTRIBUTIVE,
    source="McCarthy 1963, A basis for a mathematical theory of computation: conditionals",
)
coproduct = partial(
    law, source="Carboni, Lack and Walters 1993, Extensive and distributive categories"
)


def known(truth: bool, dom: Object) -> Constant:
    """``true`` or ``false``, from anywhere."""
    return Constant(dom, Literal(truth))


LAWS = (
    law(
        "S5a",
        "if true, the first",
        pair(known(True, A), Id(A)) >> Choice(f, g),
        f,
        rule="cond-known",
    ),
    law(
        "S5b",
        "if false, the second",
        pair(known(False, A), Id(A)) >> Choice(f, g),
        g,
        rule="cond-known",
    ),
    law(
        "S5c",
        "a choice between equals is none",
        pair(p, Id(A)) >> Choice(f, f),
        f,
        rule="cond-same",
    ),
    law(
        "S5d",
        "a choice by a negation is the choice between the others",
        pair(p >> Primitive(Operation(named("logical_not")), (Bool,)), Id(A)) >> Choice(f, g),
        pair(p, Id(A)) >> Choice(g, f),
    ),
    coproduct(
        "S2",
        "a choice between true and false is the test",
        pair(p, Id(A)) >> Choice(known(True, A), known(False, A)),
        p,
    ),
    coproduct(
        "S3",
        "what comes after a choice goes into both branches",
        Choice(f, g) >> h,
        Choice(f >> h, g >> h),
        rule="cond-parts",
    ),
    coproduct(
        "S4",
        "what comes before a choice goes into both branches",
        parallel(Id(Bool), k) >> Choice(f, g),
        Choice(k >> f, k >> g),
    ),
    law(
        "S5e",
        "a branch knows what the test has given",
        pair(p, pair(p, Id(A))) >> Choice(Choice(f, g), second(Bool, A) >> other),
        pair(p, Id(A)) >> Choice(f, other),
        rule="cond-fusion",
    ),
)
