"""``rep``: the rep-function of a function value, which knows its code (J of 001, section 3).

A closure's body is an arrow of the free category. Written by reverse mode it is the code of another
closure, over the same captured values; so it means something in every mode that runs, and its
environment's cotangent is that of the function.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from combinators.errors import NotDifferentiable
from combinators.kit.remembered import Remembered
from combinators.morphisms import Morphism, interpret
from combinators.objects import Fun, Object, Tangent, tangent_of
from combinators.represented import rep_function, represented
from combinators.terms import Lam
from combinators.tracing.scope import Scope, entered
from combinators.translate import translate
from interpreters.carriers.terms import TERMS
from interpreters.execution.machine import Arrow, Machine, Step
from interpreters.execution.running import Closure, Running
from interpreters.flat import parts_of
from interpreters.modes.dependent import Dependent
from interpreters.reverse import Reverse
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.blocks import Written, backwards, closed, forwards, twin
from interpreters.staging.programs import written
from interpreters.staging.skeletons import dense
from interpreters.tangents.cotangents import Environment, opened

_WRITTEN: Remembered[Morphism, tuple[tuple[Any, ...], Lam]] = Remembered()


class RepFunctions:
    """The step that takes a closure to one of its rep-function."""

    def __init__(self, mode: Running, function: Fun) -> None:
        """Closures of type ``function``, in ``mode``."""
        self.mode, self.function = mode, function
        self._arrows: Remembered[Morphism, Arrow] = Remembered()

    def __call__(self, machine: Machine) -> Written:
        """Put the closure of the rep-function in the place of the closure."""
        closure = machine.stack.pop()
        made = yield from self._closure(machine, closure)
        machine.stack.append(made)
        if isinstance(self.mode, Reverse) and self.mode.records_calls:
            machine.tape.append(partial(_environment, self.mode.pull_calls(made.code, made.env)))

    def _closure(self, machine: Machine, closure: Any) -> Written:
        """The environment stays, but for the functions in it."""
        if not isinstance(closure, Closure) or closure.code.label.body is None:
            raise NotDifferentiable(
                "the derivative of a function whose code is not known is differentiated: in a "
                "gradient program a function argument is a rep-function, which tells its first "
                "derivative only; let the function be known where the gradient is taken"
            )
        code = closure.code
        env = []
        for value, obj in zip(closure.env, code.captured.parts, strict=True):
            env.append((yield from self._value(machine, value, obj)))
        arrow = self._arrow(code.label.body, tuple(code.captured.parts), code.function)
        tape, machine.tape = machine.tape, []
        machine.stack.append(tuple(env))
        yield arrow.enter
        machine.tape = tape
        return machine.stack.pop()

    def _value(self, machine: Machine, value: Any, obj: Object) -> Written:
        if represented(obj, rep_function) is obj:
            return value
        if isinstance(obj, Fun):
            return (yield from self._closure(machine, value))
        parts = []
        for part, below in zip(value, parts_of(obj) or (), strict=True):
            parts.append((yield from self._value(machine, part, below)))
        return tuple(parts)

    def _arrow(self, body: Morphism, captured: tuple[Object, ...], function: Fun) -> Arrow:
        """The code of the rep-function: written once, translated once a mode."""

        def make() -> Arrow:
            context, lam = _WRITTEN.of(body, lambda: rep_code(body, captured, function))
            return interpret(translate(context, lam), self.mode)

        return self._arrows.of(body, make)


def _environment(pull: Step, machine: Machine) -> Written:
    """Backwards: calls of the rep-function are no calls of the function, but its environment's."""
    if machine.stack[-1] is not None:
        yield pull
        captured = machine.stack.pop()
        machine.stack.append(None if captured is None else [Environment(captured)])


def rep_code(
    body: Morphism, captured: tuple[Object, ...], function: Fun
) -> tuple[tuple[Any, ...], Lam]:
    """The captured variables, and ``λx. (y, λȳ. (Tangent, x̄))`` of the code ``body``."""
    mode = Dependent(TERMS)
    control = mode.control
    assert control is not None
    scope = Scope(None, "a rep-function")
    env = tuple(scope.parameter("w", represented(obj, rep_function)) for obj in captured)
    x = scope.parameter("x", represented(function.dom, rep_function))

    def write(machine: Machine) -> Written:
        values = [
            control.borders.value(control.plain_shape(mode, obj), Atom(var))
            for var, obj in zip((*env, x), (*captured, function.dom), strict=True)
        ]
        value, tape = yield from forwards(machine, interpret(body, mode), tuple(values))
        shape, own = control.borders.term(value, function.cod)
        y = yield from control.plain(mode, machine, shape, own, function.cod)
        inner = twin(scope, scope)
        with entered(inner):
            dy = inner.parameter("dy", tangent_of(y.type))
            given = control.returned(shape, own.type, Atom(dy))
            cotangent = yield from backwards(machine, tape, given)
            parts = {} if cotangent is None else dict(opened(cotangent))
            of_x = dense(parts.pop(len(env), None), tangent_of(x.type))
            whole = atoms.tuple_of(
                [dense(parts.get(i), tangent_of(var.type)) for i, var in enumerate(env)]
            )
            erased = atoms.packed(whole) if env else atoms.zeros(Tangent)
        block = closed(inner, erased, of_x)
        pullback = atoms.write_shared(Lam((dy,), block.body), block.captured, "pullback")
        return Lam((x,), closed(scope, atoms.tuple_of((y, pullback))).body)

    return env, written(scope, write)
