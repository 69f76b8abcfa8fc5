"""``rep`` and ``dual``: the derivative of a function value, which knows its code (J of 001).

A closure's body is an arrow of the free category. Written by reverse or forward mode it is the code
of another closure, over the same captured values; so it means something in every mode that runs,
and its environment's cotangent is that of the function.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from combinators.errors import NotDifferentiable, UnknownCode
from combinators.morphisms import interpret
from combinators.objects import Fun, Object
from combinators.operation import Operation
from combinators.translate import translate
from combinators.type_folds import rep_function, represented
from interpreters.execution.machine import Arrow, Machine
from interpreters.execution.running import DERIVATIVES, Closure, Running
from interpreters.staging.blocks import Written as Steps
from interpreters.staging.codes import WRITERS, Captured, Companion, Template


class Reified:
    """The step that takes a closure to one that brings its derivative along."""

    def __init__(self, mode: Running, operation: Operation) -> None:
        """``REP`` or ``DUAL``, in ``mode``."""
        self.mode, self.operation = mode, operation
        self._arrows: dict[Any, tuple[Template, Arrow]] = {}

    def __call__(self, machine: Machine) -> Steps:
        """Put the new closure in the place of the closure: over the same captured values."""
        function = machine.stack.pop()
        if not _is_known(function):
            machine.stack.append(self._companion(function))
            return
        template = self._template(function)
        arrow = self._arrow(template)
        machine.stack.append(self._values(function.env, template.parts))
        yield arrow.enter

    def _arrow(self, template: Template) -> Arrow:
        """The arrow that makes the new closure, by the bodies of the closures: they are kept."""
        key = _key(template)
        if key not in self._arrows:
            written = WRITERS[self.operation](template.code, template.parts)
            self._arrows[key] = template, interpret(translate(*written), self.mode)
        return self._arrows[key][1]

    def _companion(self, function: Any) -> Any:
        """The derivative that a function of unknown code brings along."""
        bring = getattr(function, "derivative", None)
        if bring is None:
            raise UnknownCode(
                "the derivative of a function whose code is not known is differentiated: in a "
                "gradient program a function that is an argument, chosen by a conditional or made "
                "by a loop is a rep-function, which tells its first derivative only; let the "
                "function be known where the gradient is taken"
            )
        return bring(self.operation)

    def _template(self, closure: Closure) -> Template:
        """A closure without the values that it captures; those that are closures likewise."""
        types = closure.code.captured.parts
        return Template(closure.code, tuple(map(self._captured, closure.env, types)))

    def _captured(self, value: Any, obj: Object) -> Captured:
        if isinstance(obj, Fun):
            return self._template(value) if _is_known(value) else Companion(obj, self.operation)
        if represented(obj, rep_function) is not obj:
            raise NotDifferentiable(
                f"a captured {obj!r} holds functions inside a container, whose derivatives are not "
                "known here; capture the functions themselves"
            )
        return obj

    def _values(self, env: Any, parts: tuple[Captured, ...]) -> tuple[Any, ...]:
        """The captured values; of a closure, those that it captures."""
        found = []
        for value, part in zip(env, parts, strict=True):
            if isinstance(part, Template):
                found.append(self._values(value.env, part.parts))
            else:
                found.append(self._companion(value) if isinstance(part, Companion) else value)
        return tuple(found)


def _is_known(function: Any) -> bool:
    """Whether a function value has code from which derivatives are written."""
    return isinstance(function, Closure) and function.code.label.body is not None


def _key(captured: Captured) -> Any:
    if isinstance(captured, Template):
        return id(captured.code.label.body), tuple(map(_key, captured.parts))
    return captured


for _operation in WRITERS:
    DERIVATIVES[_operation] = partial(Reified, operation=_operation)
