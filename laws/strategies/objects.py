"""Random objects: numbers first, then tensors, integers, products, records and functions."""

from __future__ import annotations

from functools import partial
from typing import Any

from hypothesis import strategies as st

from combinators.objects import Bool, Fun, Int, Object, Product, Real, Record, Tensor, Vector
from laws.language.variables import Kind
from laws.model import Signature
from laws.strategies.choices import Choices, Draw
from laws.strategies.registry import objects_of

DEPTH = 2
"""How deep products and functions stand in one another."""
WIDTH = 3
"""How many components a product has at most, but for a wide one."""
WIDTHS = (2, 1, 2, 0, WIDTH, WIDTH + 1)
"""How many components products have; the last is the least of a wide one, which has up to six."""
PLAINLY = 3
"""How much likelier a number is than a tensor of some shape."""


def objects(
    signature: Signature, kind: Kind = "any", depth: int = DEPTH
) -> st.SearchStrategy[Object]:
    """Objects of a ``kind`` that a model of the ``signature`` has; Real is the smallest.

    >>> from hypothesis import find
    >>> find(objects(Signature()), lambda obj: isinstance(obj, Fun))
    Real ⇒ Real
    """

    @st.composite
    def drawn(draw: Draw) -> Object:
        return any_object(Choices(draw), signature, kind, depth)

    return drawn()


def any_object(choices: Choices, signature: Signature, kind: Kind, depth: int) -> Object:
    """One of them."""
    options: list[Any] = _tensors(signature, kind)
    below = partial(any_object, choices, signature, kind, depth - 1)
    if depth > 0 and signature.products:
        options += [partial(_product, choices, below)] * 2
        options += [partial(_record, below)] if signature.records else []
    if depth > 0 and kind == "any" and signature.functions:
        options += [lambda: Fun(below(), below())] * 2
        options += [partial(_functions, choices, below)] if signature.vectors else []
    options += [partial(choices.draw, strategy) for strategy in objects_of(kind)]
    found = choices.pick(options)
    return found if isinstance(found, Object) else found()


def _tensors(signature: Signature, kind: Kind) -> list[Any]:
    plain = [Real] * PLAINLY if () in signature.shapes else []
    tensors: list[Any] = plain + [Tensor(shape) for shape in signature.shapes if shape]
    tensors += [obj for obj in signature.extra if kind != "vector" or _is_vector(obj)]
    return tensors + ([Int, Bool] if kind != "vector" and signature.integers else [])


def _is_vector(obj: Object) -> bool:
    return isinstance(obj, Tensor) and obj.is_smooth


def _product(choices: Choices, below: Any) -> Object:
    width = choices.pick(WIDTHS)
    more = choices.below(WIDTH) if width > WIDTH else 0
    return Product(*(below() for _ in range(width + more)))


def _record(below: Any) -> Object:
    return Record(x=below(), y=below())


def _functions(choices: Choices, below: Any) -> Object:
    return Vector(Fun(below(), below()), 1 + choices.below(WIDTH))
