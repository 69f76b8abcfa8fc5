"""Random linear maps between vectors: identities, projections, sums and multiples."""

from __future__ import annotations

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Constant, Morphism, Primitive, Relabel, prod
from combinators.objects import Object, Record, Tensor, components
from combinators.operation import Operation, named
from laws.strategies.choices import Choices
from laws.strategies.making import paths
from laws.strategies.points import literal


def linear(choices: Choices, dom: Object, cod: Object, fuel: int) -> Morphism:
    """A linear map; where nothing leads to ``cod``, zero."""
    known = paths(dom, cod)
    product = components(cod)
    if known and (fuel <= 0 or not choices.below(2)):
        return choices.pick(known)
    if product is not None:
        made = prod(dom, *(linear(choices, dom, part, fuel - 1) for part in product.parts))
        return made >> Relabel(product, cod) if isinstance(cod, Record) else made
    assert isinstance(cod, Tensor)
    ways = (_zero, _multiple, _sum) if fuel > 0 else (_zero,)
    return choices.pick(ways)(choices, dom, cod, fuel)


def _zero(choices: Choices, dom: Object, cod: Tensor, fuel: int) -> Morphism:
    return Constant(dom, Literal(np.zeros(cod.shape, dtype=cod.dtype)))


def _multiple(choices: Choices, dom: Object, cod: Tensor, fuel: int) -> Morphism:
    of = linear(choices, dom, cod, fuel - 1)
    factor = Constant(dom, literal(choices, cod))
    return prod(dom, of, factor) >> Primitive(Operation(named("multiply")), (cod, cod))


def _sum(choices: Choices, dom: Object, cod: Tensor, fuel: int) -> Morphism:
    both = [linear(choices, dom, cod, fuel - 1) for _ in range(2)]
    return prod(dom, *both) >> Primitive(Operation(named("add")), (cod, cod))
