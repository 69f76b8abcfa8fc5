"""Delta terms as the linear maps that they are: ``eval₀`` of 003 (section 2.3), on arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combinators.errors import WrongMode
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Tensor
from interpreters.carriers.carrier import Carrier
from interpreters.deltas.evaluator import Evaluator
from interpreters.deltas.terms import (
    Add,
    Delta,
    Input,
    Part,
    Pull,
    Push,
    Row,
    Scale,
    Share,
    Stack,
)
from interpreters.rules import pushforward_of
from interpreters.tangents.cotangents import plus
from interpreters.tangents.dense import zeros

Directions = Mapping[int, Any]
"""How the inputs move, by name; one that is missing does not."""


def directional(over: Carrier, delta: Delta, directions: Directions) -> Any:
    """How what ``delta`` belongs to moves; None is zero.

    A shared term is evaluated once. It raises ``WrongMode`` for a term that is known by its
    transpose alone.
    """
    return recurse(_eval(over, delta, directions, {}))


def _eval(
    over: Carrier, delta: Delta, directions: Directions, known: dict[int, Any]
) -> Recursive[Any]:
    match delta:
        case Input(name):
            return directions.get(name)
        case Add(d1, d2):
            left = yield _eval(over, d1, directions, known)
            right = yield _eval(over, d2, directions, known)
            return plus(left, right, over.add)
        case Scale(factor, below, obj):
            moved = yield _eval(over, below, directions, known)
            return None if moved is None else Evaluator(over).scale(moved, factor, obj)
        case Share(i, below):
            if i not in known:
                known[i] = yield _eval(over, below, directions, known)
            return known[i]
        case Push(operation, dom, args, value, active, several):
            total = None
            for i, below in zip(active, several, strict=True):
                moved = yield _eval(over, below, directions, known)
                push = None if moved is None else pushforward_of(operation, dom, i, over)
                if push is not None:
                    total = plus(total, push(moved, *args, value), over.add)
            return total
        case Stack(obj, rows):
            moved = []
            for row in rows:
                moved.append((yield _eval(over, row, directions, known)))
            if all(row is None for row in moved):
                return None
            zero = zeros(over, Tensor(obj.shape[1:], obj.dtype))
            return over.stack([zero if row is None else row for row in moved], obj)
        case Row(_, i, below):
            moved = yield _eval(over, below, directions, known)
            return None if moved is None else over.row(moved, i)
        case Part() | Pull():
            raise WrongMode("this Delta term is known by its transpose; evaluate it by a pullback")
    return None
