"""Ways to an arrow by a loop: folds, scans and maps, over a few rows or none."""

from __future__ import annotations

from combinators.morphisms import Curry, Id, Morphism, Primitive, Projection, prod
from combinators.objects import Fun, Object, Product, Real, Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import MAP, looping
from laws.strategies.making import Making

ROWS = (2, 1, 0, 3)
"""How often folds go round."""


def folded(make: Making, dom: Object, cod: Object) -> Morphism:
    """A fold over the rows of a vector of numbers, from either end."""
    kinds = Fun(Product(cod, Real), cod), cod, Tensor((make.choices.pick(ROWS),))
    binary = [name for name, arity in make.signature.operations.items() if arity == 2]
    if not (binary and isinstance(cod, Tensor) and cod.is_smooth and make.choices.below(2)):
        return make.applied(_fold(make), dom, kinds)
    step = _accumulating(make, dom, cod, sorted(binary))
    parts = prod(dom, step, *(make.arrow(dom, kind) for kind in kinds[1:]))
    return parts >> Primitive(_fold(make), kinds)


def _accumulating(make: Making, dom: Object, cod: Tensor, names: list[str]) -> Morphism:
    """A step that uses what it carries, the row and what it captures, and so minds the order."""
    context = dom if isinstance(dom, Product) else Product(dom)
    inside = context.snoc(Product(cod, Real))
    given = Projection(inside, context.width)
    carried, row = given >> Projection(given.cod, 0), given >> Projection(given.cod, 1)
    once, then = (Operation(named(make.choices.pick(names))) for _ in range(2))
    more = prod(inside, carried, make.arrow(inside, cod)) >> Primitive(once, (cod, cod))
    body = Curry(prod(inside, more, row) >> Primitive(then, (cod, Real)))
    return body if context is dom else prod(dom, Id(dom)) >> body


def scanned(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """The stack of what a scan gives at each row."""
    row, xs = Tensor(cod.shape[1:], cod.dtype), Tensor(cod.shape[:1])
    carried = make.choices.pick((Real, row))
    kinds = (Fun(Product(carried, Real), Product(carried, row)), carried, xs)
    loop = Primitive(looping(reverse=bool(make.choices.below(2))), kinds)
    return prod(dom, *(make.arrow(dom, kind) for kind in kinds)) >> loop >> Projection(loop.cod, 1)


def mapped(make: Making, dom: Object, cod: Tensor) -> Morphism:
    """A map."""
    row, xs = Tensor(cod.shape[1:], cod.dtype), Tensor(cod.shape[:1])
    return make.applied(MAP, dom, (Fun(Real, row), xs))


def _fold(make: Making) -> Operation:
    return looping(keeps=False, reverse=bool(make.choices.below(2)))
