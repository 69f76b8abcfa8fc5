"""First-order types: of numbers, arrays, and containers of them."""

from __future__ import annotations

from combinators.objects import Erased, Fun, Object, Vector, components


def is_first_order(obj: Object) -> bool:
    """Whether a type is of tensors, products and records only; a type may be shared, and large.

    >>> from combinators.objects import Product, Real
    >>> is_first_order(Product(Real, Real)), is_first_order(Product(Real, Fun(Real, Real)))
    (True, False)
    """
    todo, seen = [obj], {obj}
    while todo:
        here = todo.pop()
        if isinstance(here, Fun | Vector | Erased):
            return False
        new = set(components(here) or ()) - seen
        seen |= new
        todo += new
    return True
