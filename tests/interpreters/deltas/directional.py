"""Delta terms evaluated forwards (eval₀ of 003): how a result moves where its inputs move so."""

from collections.abc import Mapping
from typing import Any

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Tensor
from interpreters.carriers.carrier import Carrier
from interpreters.deltas.terms import Add, Delta, Evaluator, Input, Push, Scale, Share, Stack, below
from interpreters.rules import pushforward_of
from interpreters.sparse_cotangents import plus, zeros


def directional(over: Carrier, delta: Delta, directions: Mapping[int, Any]) -> Any:
    """By the directions of the inputs; None is zero. A shared term is evaluated once."""
    evaluator, known = Evaluator(over), dict[int, Any]()

    def ev(d: Delta) -> Recursive[Any]:
        if isinstance(d, Share):
            if d.id not in known:
                known[d.id] = yield ev(d.below)
            return known[d.id]
        parts = []
        for part in below(d):
            parts.append((yield ev(part)))
        return directions.get(d.name) if isinstance(d, Input) else moved(evaluator, d, parts)

    return recurse(ev(delta))


def moved(evaluator: Evaluator, delta: Delta, below: list[Any]) -> Any:
    """How it moves, given how what is below moves."""
    over = evaluator.over
    match delta:
        case Add():
            return plus(below[0], below[1], over.add)
        case Scale(factor, _, obj) if below[0] is not None:
            return evaluator.scale(below[0], factor, obj)
        case Push(operation, dom, args, value, active):
            total = None
            for i, x in zip(active, below, strict=True):
                push = None if x is None else pushforward_of(operation, dom, i, over)
                if push is not None:
                    total = plus(total, push(x, *args, value), over.add)
            return total
        case Stack(obj, _) if any(row is not None for row in below):
            zero = zeros(over, Tensor(obj.shape[1:], obj.dtype))
            return over.stack([zero if row is None else row for row in below], obj)
    return None
