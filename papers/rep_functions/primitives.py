"""What a primitive declares, as a program: its pullback; and a loop as its rounds, written out.

::

    sin's   ḡ = g * cos x                                is   λ(g, x, y). (g * cos x)
    fold f c [x1, x2]                                    is   f (f (c, x1), x2)

A loop whose rounds are written out applies a function as any program does, and so is a rep-function
as soon as application is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import combinators.tracing.injections  # noqa: F401 (the rounds of a loop may give sums)
from combinators.derivative_rules import pullback_rule
from combinators.errors import MissingRule
from combinators.morphisms import Morphism
from combinators.objects import Object, Product, Tensor
from combinators.operation import Operation
from combinators.primitives.loops import LoopType
from combinators.primitives.structural import RECOMPUTE, VECTOR
from combinators.tracing.functions import Draft
from combinators.tracing.scope import apart
from combinators.tracing.traced import LIBRARY
from combinators.translate import translate
from interpreters.carriers.carrier import Carrier
from papers.plain_functions import evaluated, loop

Types = tuple[Object, ...]


def pullback_of(
    operation: Operation, types: Types, over: Carrier
) -> Callable[..., tuple[Any, ...]] | None:
    """``(g, *xs, y)`` to the cotangents of ``xs``, as a primitive declares it; None for zero."""
    if operation.primitive.derivative is None:
        raise MissingRule(f"{operation.name} is no word of λ∂, the language of 004")
    if operation.primitive is VECTOR:
        return lambda g, *_: g
    rule = pullback_rule(operation, types, tuple(range(len(types))))
    return None if rule is None else evaluated(rule, over)


class _TracedRows:
    """The rows of what stands in a program that is being written."""

    row = staticmethod(operator.getitem)

    @staticmethod
    def stack(rows: Sequence[Any], obj: Tensor) -> Any:
        """The tensor with these rows."""
        return LIBRARY["stack"](list(rows)) if rows else LIBRARY["zeros_of_type"](obj)


@cache
def written_out(operation: Operation, types: Types) -> Morphism:
    """A loop as a program without, each round a call; ``recompute`` as one."""

    def rounds(function: Any, *operands: Any) -> Any:
        if operation == RECOMPUTE:
            return function(*operands)
        of_loop = LoopType.of(operation, types)

        def called(x: Any) -> Any:
            return function(*x) if isinstance(of_loop.function.dom, Product) else function(x)

        return loop(of_loop, _TracedRows(), (called, *operands))  # type: ignore[arg-type]

    with apart():
        lam = Draft(rounds, types, (None,) * len(types)).finish().lam
    return translate(lam.params, lam.body)
