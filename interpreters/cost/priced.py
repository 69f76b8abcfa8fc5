"""Source programs whose derivatives are operations with a price, as Theorem 5.4 reads them.

The paper takes the derivative ``∂op`` of an operation for an operation, of the price of ``op``
(000, section 5.2), and does not ask what formula computes it::

    tanh x    its gradient as we write it     let y = tanh x in 1 - y * y    3 operations
              as the theorem prices it        ∂tanh x                        1 operation
"""

from __future__ import annotations

from functools import cache
from typing import Any

from combinators.kit.tree import remade
from combinators.operation import CONSTANT, Pointwise, Primitive, declare
from combinators.primitives.arithmetic import scale
from combinators.primitives.signatures import pointwise
from combinators.terms import Lam, Prim, Term
from combinators.tracing.emit import apply
from interpreters.cost.source import TRANSCENDENTAL


def priced(lam: Lam) -> Lam:
    """``lam``, a program of Source, with a priced derivative for each transcendental operation.

    The λ is for deriving and counting: carriers have no values of the priced operations.
    """
    made: Lam = remade(lam, _priced)
    return made


def _priced(node: Any) -> Term:
    if not isinstance(node, Prim) or node.operation.name not in TRANSCENDENTAL:
        return node  # type: ignore[no-any-return]  # a node of a term is a term, or an object
    return Prim(_twin(node.operation.primitive).plain, node.args, node.place)


@cache
def _twin(primitive: Primitive) -> Primitive:
    """An operation of the same price, whose derivative is an operation of that price."""
    slope = declare(f"∂{primitive.name}", pointwise, CONSTANT, public=False)

    def rule(v: Any, x: Any, y: Any) -> Any:
        return scale(v, apply(slope, x))

    return declare(primitive.name, pointwise, Pointwise(rule), public=False)
