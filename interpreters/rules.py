"""Running the programs that primitives declare as their derivatives, over any carrier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.derivative_rules import pullback_rule, pushforward_rule
from combinators.kit.memory import Remembered
from combinators.morphisms import interpret
from combinators.objects import Object, Product, Tensor, Unit
from combinators.operation import Operation, Selection
from combinators.terms import Lam, Prim, Tuple, Var
from combinators.translate import translate
from interpreters.carriers.carrier import Carrier
from interpreters.execution.machine import Machine
from interpreters.execution.running import Running, arguments
from interpreters.sparse_cotangents import Part, Scattered

Linear = Callable[..., Any]


def program(rule: Lam, over: Carrier) -> Linear:
    """What computes ``rule``, a first-order program, over a carrier."""
    steps = interpret(translate(rule.params, rule.body), Running(over)).steps

    def compute(*values: Any) -> Any:
        machine = Machine(values)
        machine.run(steps)
        return machine.stack.pop()

    return compute


_Rules = dict[Any, Linear | None]
_RULES: Remembered[Carrier, _Rules] = Remembered()


def _rule(over: Carrier, key: Any, make: Callable[[], Linear | None]) -> Linear | None:
    """What is known for a carrier; of one without weak references nothing is kept."""
    try:
        known = _RULES.of(over, dict)
    except TypeError:
        return make()
    if key not in known:
        known[key] = make()
    return known[key]


def pushforward_of(operation: Operation, dom: Any, index: int, over: Carrier) -> Linear | None:
    """``(ẋᵢ, *xs, y)`` to ``ẏ``; None where it is always zero."""

    def make() -> Linear | None:
        rule = pushforward_rule(operation, arguments(dom), index)
        return None if rule is None else program(rule, over)

    return _rule(over, (operation, dom, index), make)


def pullback_of(
    operation: Operation, dom: Any, active: tuple[int, ...], over: Carrier
) -> Linear | None:
    """``(g, xs, y)`` to the sparse cotangent of ``dom``; None where it is always zero."""
    return _rule(over, (operation, dom, active), lambda: _pullback(operation, dom, active, over))


def _pullback(
    operation: Operation, dom: Any, active: tuple[int, ...], over: Carrier
) -> Linear | None:
    rule = pullback_rule(operation, arguments(dom), active)
    if rule is None:
        return None
    if isinstance(operation.primitive.derivative, Selection):
        put_off = _put_off(rule, dom)
        if put_off is not None:
            return put_off
    compute = program(rule, over)
    if not isinstance(dom, Product):
        return lambda g, x, y: compute(g, x, y)[0]
    assert isinstance(rule.body.type, Product)
    given = zip(active, rule.body.type.parts, strict=True)
    held = [(at, i) for at, (i, obj) in enumerate(given) if obj is not Unit]

    def several(g: Any, xs: Any, y: Any) -> Any:
        cotangents = compute(g, *xs, y)
        return {i: cotangents[at] for at, i in held}

    return several


def _put_off(rule: Lam, dom: Object) -> Linear | None:
    """The transpose of a selection, left undone; None if it is not a primitive of its arguments."""
    whole = rule.body.items[0] if isinstance(rule.body, Tuple) else None
    if not isinstance(whole, Prim) or not isinstance(whole.type, Tensor):
        return None
    obj, operation = whole.type, whole.operation
    places = [rule.params.index(arg) for arg in whole.args if isinstance(arg, Var)]
    if len(places) != len(whole.args) or operation.name not in ("embed", "put"):
        return None
    types = tuple(arg.type for arg in whole.args)
    is_alone = not isinstance(dom, Product)

    def put_off(g: Any, xs: Any, y: Any) -> Any:
        values = (g, xs, y) if is_alone else (g, *xs, y)
        part = Scattered(obj, [Part(operation, types, tuple([values[i] for i in places]))])
        return part if is_alone else {0: part}

    return put_off
