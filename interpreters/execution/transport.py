"""Taking values from one running category to another: numbers change, closures are recompiled.

A closure is code and an environment. The code's body is known as an arrow of the free category
(``Label.body``), so that it means something in every category; the environment is taken along.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.category import Label
from combinators.errors import TypeMismatch
from combinators.kit.memory import Remembered
from combinators.kit.recursion import Recursive, recurse
from combinators.morphisms import Morphism, interpret
from combinators.objects import Fun, Object
from combinators.type_folds import parts_of
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Closure, Code, Running


class Transport:
    """What takes values into the category ``into``; ``number`` takes the numbers."""

    def __init__(self, into: Running, number: Callable[[Any], Any]) -> None:
        """Bodies of closures are interpreted once, and kept."""
        self.into, self.number = into, number
        self._arrows: Remembered[Morphism, Arrow] = Remembered()

    def __call__(self, value: Any, obj: Object) -> Any:
        """``value`` of type ``obj``, in the other category."""
        return recurse(self._value(value, obj, {}))

    def _value(self, value: Any, obj: Object, taken: dict[int, Closure]) -> Recursive[Any]:
        types = parts_of(obj)
        if types is not None:
            parts = []
            for part, below in zip(value, types, strict=False):
                parts.append((yield self._value(part, below, taken)))
            return tuple(parts)
        if not isinstance(obj, Fun):
            return self.number(value)
        if id(value) not in taken:
            taken[id(value)] = yield self._closure(value, taken)
        return taken[id(value)]

    def _closure(self, closure: Closure, taken: dict[int, Closure]) -> Recursive[Closure]:
        code = closure.code
        env = yield self._value(closure.env, code.captured, taken)
        arrow = self._arrow(code.label)
        return Closure(Code(arrow, code.captured, code.function, code.label), env)

    def _arrow(self, label: Label) -> Arrow:
        body: Morphism | None = label.body
        if body is None:
            raise TypeMismatch(
                "a closure goes to another category by its body, and this one was built without; "
                "give curry a Label that holds it"
            )
        return self._arrows.of(body, lambda: interpret(body, self.into))
