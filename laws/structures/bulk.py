"""Bulk operations: what is written one element at a time means the same when it is in bulk.

A model has a way ``bulk`` from programs to arrows: the bulk-operation transform, interpreted.
"""

from __future__ import annotations

from combinators.literal import Literal
from combinators.morphisms import Constant, Morphism, Primitive
from combinators.objects import Fun, Product, Real, Tensor
from combinators.primitives.loops import FOLD, MAP
from laws.language import Generator, Image, Variable, curry, pair
from laws.law import Law, Structure
from laws.structures.category import CATEGORY

BULK = Structure("bulk", "Bulk operations", (CATEGORY,), methods=("ways:bulk",))

ROWS = Literal([0.5, -1.0, 2.0])
V = Variable("V", "vector")
f = Generator("f", Product(Product(V, Real), Real), Real)
g = Generator("g", Product(Product(V, Real), Product(Real, Real)), Real)

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


LAWS = (
    _means_the_same("G2a", "maps of maps in bulk mean the same", mapped(mapped(f))),
    _means_the_same("G2b", "a map of folds in bulk means the same", mapped(folded(g))),
)
