"""What the values of a type hold: how many numbers, and whether functions.

A type may share its parts, and is never walked as a tree.

>>> from combinators.objects import Fun, Product, Real, Tensor
>>> numbers_in(Product(Real, Tensor((3, 4)))), holds_functions(Product(Real, Fun(Real, Real)))
(13, True)
"""

from __future__ import annotations

import math
from typing import NamedTuple

from combinators.kit.tree import Syntax, distinct_nodes
from combinators.objects import Fun, Object, Product, Record, Tangent, Tensor, Vector


class Contents(NamedTuple):
    """What is in a value of a type."""

    numbers: int = 0
    functions: bool = False


def contents(obj: Object) -> Contents:
    """What is in a value of type ``obj``; remembered by the type."""
    if not _is_known(obj):
        for node in distinct_nodes(obj, seen=_is_known):
            vars(node)["contents_"] = _contents(node)
    return _known(obj)


def numbers_in(obj: Object) -> int:
    """How many numbers a value of type ``obj`` holds; those that a function captured are not."""
    return contents(obj).numbers


def holds_functions(obj: Object) -> bool:
    """Whether a value of type ``obj`` holds functions, or may hide them as a ``Tangent``."""
    return contents(obj).functions


def _is_known(node: Syntax) -> bool:
    return "contents_" in vars(node)


def _contents(node: Syntax) -> Contents:
    match node:
        case Tensor():
            return Contents(math.prod(node.shape))
        case Product(Object() as init, Object() as last):
            first, second = _known(init), _known(last)
            return Contents(first.numbers + second.numbers, first.functions or second.functions)
        case Record(_, product):
            return _known(product)
        case Vector(item, length):
            each = _known(item)
            return Contents(length * each.numbers, bool(length) and each.functions)
        case _:
            return Contents(0, isinstance(node, Fun) or node is Tangent)


def _known(node: Syntax) -> Contents:
    found: Contents = vars(node)["contents_"]
    return found
