"""One value of two, by a test that is open: ``Piecewise``, leaf by leaf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from combinators.category import Label
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Bool, Fun, Object, Product, Real, Tangent, Tensor
from combinators.type_folds import parts_of
from interpreters.execution.machine import Arrow, Machine, Step, settled
from interpreters.execution.running import Closure, Code, enter
from interpreters.modes.formula.cotangents import Cotangents, Erased

_Known = dict[tuple[int, int], Any]


class Merging:
    """Merges the values of two branches; what both share is merged once, and not looked into."""

    def __init__(self, cotangents: Cotangents) -> None:
        """Numbers are those of the carrier of ``cotangents``."""
        self.carrier, self.zero = cotangents.carrier, cotangents.zero

    def __call__(self, test: Any, x: Any, y: Any, obj: Object) -> Any:
        """The value of type ``obj`` that is ``x`` where ``test`` holds, else ``y``."""
        return recurse(self._merged(test, x, y, obj, {}))

    def _merged(self, test: Any, x: Any, y: Any, obj: Object, known: _Known) -> Recursive[Any]:
        if x is y:
            return x
        key = (id(x), id(y))
        if key not in known:
            types = parts_of(obj)
            if types is not None:
                parts = []
                for a, b, below in zip(x, y, types, strict=False):
                    parts.append((yield self._merged(test, a, b, below, known)))
                known[key] = tuple(parts)
            elif isinstance(obj, Fun):
                known[key] = self._function(test, x, y, obj)
            elif isinstance(obj, Tensor):
                known[key] = self.carrier.choose(test, x, y, obj)
            else:
                assert obj is Tangent
                known[key] = yield self._erased(test, x, y, known)
        return known[key]

    def _erased(self, test: Any, x: Erased, y: Erased, known: _Known) -> Recursive[Erased]:
        """Cotangents of functions: type by type, what one branch lacks is zero."""
        merged: Erased = {}
        for obj in {**x, **y}:
            below = Real if obj is Tangent else obj
            first, second = (z[obj] if obj in z else self.zero(below) for z in (x, y))
            merged[obj] = yield self._merged(test, first, second, below, known)
        return merged

    def _function(self, test: Any, f: Closure, g: Closure, function: Fun) -> Closure:
        """The function that applies both, and merges what they give."""

        def apply(machine: Machine) -> Iterator[Step]:
            stack = machine.stack
            p, first, second, argument = stack.pop()
            stack.append((first, argument))
            yield enter
            x = settled(stack.pop(), function.cod)
            stack.append((second, argument))
            yield enter
            y = settled(stack.pop(), function.cod)
            stack.append(self(p, x, y, function.cod))

        captured = Product(Bool, function, function)
        arrow = Arrow(captured.snoc(function.dom), function.cod, (apply,))
        return Closure(Code(arrow, captured, function, Label()), (test, f, g))
