"""Running the programs that primitives declare as their derivatives, over any carrier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.morphisms import interpret
from combinators.objects import Product, Unit
from combinators.operation import Operation
from combinators.rules import pullback_rule, pushforward_rule
from combinators.terms import Lam
from combinators.translate import translate
from interpreters.carriers.carrier import Carrier
from interpreters.machine import Machine
from interpreters.running import Running, arguments

Linear = Callable[..., Any]


def program(rule: Lam, over: Carrier) -> Linear:
    """What computes ``rule``, a first-order program, over a carrier."""
    steps = interpret(translate(rule.params, rule.body), Running(over)).steps

    def compute(*values: Any) -> Any:
        machine = Machine(values)
        machine.run(steps)
        return machine.stack.pop()

    return compute


def pullback_of(
    operation: Operation, dom: Any, active: tuple[int, ...], over: Carrier
) -> Linear | None:
    """``(g, xs, y)`` to the sparse cotangent of ``dom``; None where it is always zero."""
    types = arguments(dom)
    rule = pullback_rule(operation, types, active)
    if rule is None:
        return None
    compute = program(rule, over)
    assert isinstance(rule.body.type, Product)
    given = zip(active, rule.body.type.parts, strict=True)
    held = [(at, i) for at, (i, obj) in enumerate(given) if obj is not Unit]
    if not isinstance(dom, Product):
        return lambda g, x, y: compute(g, x, y)[0]
    if len(held) == len(types) == 2:
        return lambda g, xs, y: dict(enumerate(compute(g, *xs, y)))

    def several(g: Any, xs: Any, y: Any) -> Any:
        cotangents = compute(g, *xs, y)
        return {i: cotangents[at] for at, i in held}

    return several


def pushforward_of(operation: Operation, dom: Any, index: int, over: Carrier) -> Linear | None:
    """``(ẋᵢ, *xs, y)`` to ``ẏ``; None where it is always zero."""
    rule = pushforward_rule(operation, arguments(dom), index)
    return None if rule is None else program(rule, over)
