"""The simply-typed form in programs (Fig. 3 of 004): a function's cotangent is its calls.

Within a block they are a list. Where they would cross a border, every call is written again,
forwards and backwards, and what goes across is the cotangent of what the function captured: the
pullback of ``curry`` is linear in the calls, so it may be taken for those of each block apart.
"""

from __future__ import annotations

from typing import Any

from interpreters.execution.machine import Machine, Step
from interpreters.execution.running import Closure, Code, Running
from interpreters.staging import known
from interpreters.staging.blocks import Written, backwards
from interpreters.staging.borders import Staging
from interpreters.tangents.cotangents import Cotangent, Environment, opened, own, plus


def recorded(control: Staging, mode: Running, closure: Closure, argument: Any) -> Step:
    """The step that applies a closure, and backwards records the call."""
    apply = known.call(control, mode, closure, argument)

    def call(machine: Machine) -> Written:
        tape = yield from _tape_of(machine, apply)
        value = machine.stack[-1]

        def transpose(machine: Machine) -> Written:
            cotangent = machine.stack.pop()
            if cotangent is None:
                machine.stack.append(None)
                return
            across = yield from settled(control, mode, machine, own(cotangent), value)
            pulled = yield from backwards(machine, tape, across)
            of_argument = None if pulled is None else opened(pulled).get(1)
            parts = {0: [(argument, cotangent)], 1: of_argument}
            machine.stack.append({i: g for i, g in parts.items() if g is not None})

        machine.tape.append(transpose)

    return call


def written_again(
    control: Staging, mode: Running, machine: Machine, code: Code, env: Any, calls: list[Any]
) -> Written:
    """The cotangent of the environment, from calls (``new_pb`` of Fig. 3)."""
    total: Cotangent = None
    for call in calls:
        if type(call) is Environment:
            total = plus(total, call.captured, mode.over.add)
            continue
        argument, cotangent = call
        tape = yield from _tape_of(machine, known.call(control, mode, Closure(code, env), argument))
        value = machine.stack.pop()
        across = yield from settled(control, mode, machine, own(cotangent), value)
        pulled = yield from backwards(machine, tape, across)
        part = None if pulled is None else opened(pulled).get(0)
        total = plus(total, part, mode.over.add)
    return total


def _tape_of(machine: Machine, step: Step) -> Written:
    """What a step leaves on a tape of its own; its value is on the stack."""
    before, machine.tape = machine.tape, []
    yield step
    tape, machine.tape = machine.tape, before
    return tape


def settled(
    control: Staging, mode: Running, machine: Machine, cotangent: Cotangent, value: Any
) -> Written:
    """A cotangent of ``value`` in which calls have become cotangents of what was captured."""
    if type(cotangent) is list:
        assert isinstance(value, Closure)
        cotangent = yield from written_again(
            control, mode, machine, value.code, value.env, cotangent
        )
    if type(cotangent) is not dict:
        return cotangent
    parts = value.env if isinstance(value, Closure) else value
    found = {}
    for index, part in cotangent.items():
        found[index] = yield from settled(control, mode, machine, part, parts[index])
    return {i: g for i, g in found.items() if g is not None} or None
