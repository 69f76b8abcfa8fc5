"""Random covectors, of the shape that ``laws.comparing.probes`` tells."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from combinators.objects import Fun, Object, Tensor, Vector, components
from laws.model import Signature
from laws.strategies.arrows import making
from laws.strategies.choices import Choices, Draw
from laws.strategies.points import literal

CALLS = (1, 0, 2, 3)
"""How many calls a covector of a function holds."""


def covectors(signature: Signature, obj: Object) -> st.SearchStrategy[Any]:
    """A covector at ``obj``; of a function, up to three calls.

    >>> from combinators.objects import Product, Real, Int
    >>> from hypothesis import find
    >>> find(covectors(Signature(), Product(Real, Int)), lambda w: True)
    (0, None)
    """

    @st.composite
    def drawn(draw: Draw) -> Any:
        return covector(Choices(draw), signature, obj)

    return drawn()


def covector(choices: Choices, signature: Signature, obj: Object) -> Any:
    """One covector."""
    product = components(obj)
    if product is not None:
        return tuple(covector(choices, signature, part) for part in product.parts)
    match obj:
        case Tensor():
            return literal(choices, obj) if obj.is_smooth else None
        case Vector(item, length):
            return tuple(covector(choices, signature, item) for _ in range(length))
        case Fun(dom, cod):
            return [
                (making(choices, signature).point(dom), covector(choices, signature, cod))
                for _ in range(choices.pick(CALLS))
            ]
        case _:
            return None
