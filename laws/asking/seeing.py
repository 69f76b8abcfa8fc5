"""Composition that sees through tuples: of ``⟨f, g⟩ >> π₁`` it leaves f.

>>> from combinators.morphisms import Id, Projection, prod
>>> from combinators.objects import Product, Real
>>> pair = prod(Real, Id(Real), Id(Real))
>>> joined(pair, Projection(pair.cod, 1))
id
"""

from __future__ import annotations

from combinators.morphisms import (
    Compose,
    Constant,
    Extend,
    Id,
    Morphism,
    Prod,
    Projection,
    Relabel,
    compose,
    prod,
)


def joined(first: Morphism, second: Morphism) -> Morphism:
    """``first >> second``, with projections of tuples taken and constants moved to the front."""
    if isinstance(second, Constant):
        return Constant(first.dom, second.literal)
    if isinstance(second, Compose):
        for step in second.arrows:
            first = joined(first, step)
        return first
    *before, last = first.arrows if isinstance(first, Compose) else (first,)
    if isinstance(last, Relabel) and isinstance(second, Projection):
        return joined(compose(Id(first.dom), *before), Projection(last.dom, second.index))
    if isinstance(last, Prod):
        return compose(*before, _through(last, second))
    return compose(first, second)


def _through(parts: Prod, arrow: Morphism) -> Morphism:
    """``⟨f, g, …⟩ >> h``."""
    match arrow:
        case Id():
            return parts
        case Projection(_, index):
            return parts.arrows[index]
        case Prod(_, arrows):
            return prod(parts.dom, *(joined(parts, below) for below in arrows))
        case Extend(bound):
            return prod(parts.dom, *parts.arrows, joined(parts, bound))
        case _:
            return compose(parts, arrow)
