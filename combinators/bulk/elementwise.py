"""Which operations are elementwise, and what they make of labelled arrays."""

from __future__ import annotations

from combinators.bulk.affine import affine
from combinators.bulk.laying import forced, pointwise, raised
from combinators.bulk.rule import Site
from combinators.bulk.values import Array, Product, Rep, Tensors
from combinators.objects import Tensor
from combinators.operation import PRIMITIVES, Pointwise, Primitive
from combinators.primitives.checks import CHECKS
from combinators.primitives.signatures import pointwise as pointwise_type
from combinators.primitives.signatures import predicate

MOST = 6
"""A product of more factors than these is multiplied out."""

_OURS = frozenset(
    name
    for name, primitive in PRIMITIVES.items()
    if primitive.typing in (pointwise_type, predicate)
) | {"where", "convert", "stop_gradient", *CHECKS}


def is_elementwise(primitive: Primitive) -> bool:
    """Whether a primitive works element by element: ours by their types, others by their rule."""
    if primitive.name in _OURS:
        return True
    return primitive.typing is pointwise_type and isinstance(primitive.derivative, Pointwise)


def elementwise(site: Site) -> Rep | None:
    """``op`` of arrays; integers stay affine, and products wait for a sum."""
    if not all(isinstance(rep, Tensors) for rep in site.reps):
        return None
    out = site.operation.type(*[rep.type for rep in site.reps])
    assert isinstance(out, Tensor)
    name = site.operation.name
    found = affine(name, tuple(site.reps), out)
    if found is not None:
        return found
    if name == "multiply":
        sides = [_factor(site, rep, out) for rep in site.reps]
        product = Product(sides[0], sides[1], out, site.place)
        if len(product.factors) <= MOST:
            return product
    return pointwise(site.block, site.operation, site.reps, site.place)


def _factor(site: Site, rep: Tensors, out: Tensor) -> Array | Product:
    if isinstance(rep, Product) and rep.type is out:
        return rep
    return raised(site.block, forced(site.block, rep), out)
