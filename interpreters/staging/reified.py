"""``rep`` and ``dual``: the derivative of a function value, which knows its code (J of 001).

A closure's body is an arrow of the free category. Written by reverse or forward mode it is the code
of another closure, over the same captured values; so it means something in every mode that runs,
and its environment's cotangent is that of the function.
"""

from __future__ import annotations

from typing import Any

from combinators.errors import NotDifferentiable, UnknownCode
from combinators.morphisms import interpret
from combinators.objects import Fun, Object
from combinators.operation import Operation
from combinators.translate import translate
from combinators.type_folds import rep_function, represented
from interpreters.execution.machine import Arrow, Machine
from interpreters.execution.running import Closure, Running
from interpreters.staging.blocks import Written as Steps
from interpreters.staging.codes import WRITERS, Captured, Template


class Reified:
    """The step that takes a closure to one that brings its derivative along."""

    def __init__(self, mode: Running, operation: Operation) -> None:
        """``REP`` or ``DUAL``, in ``mode``."""
        self.mode, self.operation = mode, operation
        self._arrows: dict[Any, tuple[Template, Arrow]] = {}

    def __call__(self, machine: Machine) -> Steps:
        """Put the new closure in the place of the closure: over the same captured values."""
        closure = machine.stack.pop()
        template = _template(closure)
        arrow = self._arrow(template)
        machine.stack.append(_values(closure.env, template.parts))
        yield arrow.enter

    def _arrow(self, template: Template) -> Arrow:
        """The arrow that makes the new closure, by the bodies of the closures: they are kept."""
        key = _key(template)
        if key not in self._arrows:
            written = WRITERS[self.operation](template.code, template.parts)
            self._arrows[key] = template, interpret(translate(*written), self.mode)
        return self._arrows[key][1]


def _template(value: Any) -> Template:
    """A closure without the values that it captures; those that are closures likewise."""
    if not isinstance(value, Closure) or value.code.label.body is None:
        raise UnknownCode(
            "the derivative of a function whose code is not known is differentiated: in a "
            "gradient program a function that is an argument, chosen by a conditional or made by "
            "a loop is a rep-function, which tells its first derivative only; let the function be "
            "known where the gradient is taken"
        )
    types = value.code.captured.parts
    parts = tuple(map(_captured, value.env, types))
    return Template(value.code, parts)


def _captured(value: Any, obj: Object) -> Captured:
    if isinstance(obj, Fun):
        return _template(value)
    if represented(obj, rep_function) is not obj:
        raise NotDifferentiable(
            f"a captured {obj!r} holds functions inside a container, whose derivatives are not "
            "known here; capture the functions themselves"
        )
    return obj


def _values(env: Any, parts: tuple[Captured, ...]) -> tuple[Any, ...]:
    """The captured values; of a closure, those that it captures."""
    return tuple(
        _values(value.env, part.parts) if isinstance(part, Template) else value
        for value, part in zip(env, parts, strict=True)
    )


def _key(captured: Captured) -> Any:
    if isinstance(captured, Template):
        return id(captured.code.label.body), tuple(map(_key, captured.parts))
    return captured
