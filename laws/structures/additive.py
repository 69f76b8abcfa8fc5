"""Left-additive category: parallel arrows into vectors have sums."""

from functools import partial

from combinators.objects import Product
from laws.language import Generator, Plus, Variable, Zero, arrows, copy, first, pair, points, second
from laws.law import Computed, Law, Structure
from laws.structures.cartesian import CARTESIAN

ADDITIVE = Structure("additive", "Left-additive category", (CARTESIAN,), methods=("add", "zero"))
ACCUMULATING = Structure("accumulating", "Accumulators", (ADDITIVE,), methods=("accumulate",))
"""``model.accumulate(vectors, obj)``: a sum of vectors in the form in which cotangents are kept."""

X, A = Variable("X"), Variable("A")
V, W = Variable("V", "vector"), Variable("W", "vector")
f, g, h = arrows("f g h", A, V)
f_2, g_2 = arrows("h k", A, W)
x = Generator("x", X, A)
both, two = arrows("f g", A, Product(V, W))
a, b, c = points("a b c", V)

law = partial(
    Law,
    structure=ADDITIVE,
    source="Blute, Cockett and Seely 2009, Cartesian differential categories, section 1",
    tame=True,
)
quotient = partial(
    law,
    structure=ACCUMULATING,
    source="Krawiec et al. 2022, Provably correct … reverse-mode AD: Delta terms",
)

LAWS = (
    law("A1a", "sums in any order of adding", Plus(Plus(f, g), h), Plus(f, Plus(g, h))),
    law("A1b", "sums in any order of summands", Plus(f, g), Plus(g, f)),
    law("A1c", "zero adds nothing", Plus(f, Zero(A, V)), f, rule="plus-zero"),
    law(
        "A2a",
        "x, and then a sum, is the sum of both after x",
        x >> Plus(f, g),
        Plus(x >> f, x >> g),
    ),
    law("A2b", "x, and then zero, is zero", x >> Zero(A, V), Zero(X, V)),
    law(
        "A3a",
        "the first component of a sum is the sum of the first components",
        Plus(both, two) >> first(V, W),
        Plus(both >> first(V, W), two >> first(V, W)),
    ),
    law(
        "A3b",
        "the second component of a sum is the sum of the second components",
        Plus(both, two) >> second(V, W),
        Plus(both >> second(V, W), two >> second(V, W)),
    ),
    law(
        "A3c",
        "copies of a sum are the sum of the copies",
        Plus(f, g) >> copy(V),
        Plus(f >> copy(V), g >> copy(V)),
        implied_by=("A3d", "P3"),
    ),
    law(
        "A3d",
        "a sum of pairs is a pair of sums",
        Plus(pair(f, f_2), pair(g, g_2)),
        pair(Plus(f, g), Plus(f_2, g_2)),
        rule="plus-tuples",
    ),
    law(
        "A3e",
        "zero of a product is the pair of zeros",
        Zero(A, Product(V, W)),
        pair(Zero(A, V), Zero(A, W)),
    ),
    quotient(
        "A4a",
        "what is accumulated is the sum",
        Computed(
            "accumulate (a, b, c)",
            lambda at: at.model.accumulate([at.at(a), at.at(b), at.at(c)], at.obj(V)),
            (a, b, c),
        ),
        Computed("a + b + c", lambda at: at.at(Plus(Plus(a, b), c)), (a, b, c)),
    ),
    quotient(
        "A4b",
        "of nothing, the sum is zero",
        Computed("accumulate ()", lambda at: at.model.accumulate([], at.obj(V)), (a,)),
        Computed("0", lambda at: at.at(Zero(a.dom, V)), (a,)),
    ),
)
