"""The algebra of cotangents on expressions: zeros, sums, what ``pack`` forgets, open choices.

A ``Tangent`` is a formal sum of cotangents of several types, ``{type: value}``; what is missing is
zero. So the cotangents of two functions, of which an open test chooses one, stand beside each
other, each zero where the other is meant. An unknown function's own ``Tangent`` has the type
``Tangent``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from combinators.category import Label
from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Bool, Fun, Object, Product, Real, Tangent, Tensor
from combinators.operation import Operation
from combinators.primitives.structural import PACK, PLUS, UNPACK, ZEROS
from combinators.type_folds import parts_of
from interpreters.carriers.sympy import SymPy
from interpreters.execution.machine import Arrow, Machine, Step, settled
from interpreters.execution.running import Closure, Code, enter

Erased = dict[Object, Any]
_Known = dict[tuple[int, int], Any]


class Cotangents:
    """Zeros and sums of values without functions.

    A type may be a graph that is exponentially large as a tree: a zero is made once for each type,
    and a sum once for each two values.
    """

    def __init__(self, carrier: SymPy) -> None:
        """Numbers are those of ``carrier``."""
        self.carrier = carrier
        self._zeros: dict[Object, Any] = {Tangent: {}}

    def computation(self, operation: Operation, obj: Object) -> Callable[..., Any] | None:
        """What computes one of the algebra's operations; ``obj`` is what it packs, or gives."""
        primitive = operation.primitive
        if primitive is ZEROS:
            return lambda: self.zero(obj)
        if primitive is PLUS:
            return lambda x, y: self.plus(x, y, obj)
        if primitive is PACK:
            return lambda x: {obj: x}
        if primitive is UNPACK:
            return lambda erased: erased[obj] if obj in erased else self.zero(obj)
        return None

    def zero(self, obj: Object) -> Any:
        """The zero of type ``obj``."""
        return recurse(self._zero(obj))

    def _zero(self, obj: Object) -> Recursive[Any]:
        if obj not in self._zeros:
            types = parts_of(obj)
            if types is None:
                assert isinstance(obj, Tensor)
                self._zeros[obj] = self.carrier.const(Literal.filled(0, obj))
            else:
                parts = []
                for below in types:
                    parts.append((yield self._zero(below)))
                self._zeros[obj] = tuple(parts)
        return self._zeros[obj]

    def plus(self, x: Any, y: Any, obj: Object) -> Any:
        """``x + y`` of type ``obj``."""
        return recurse(self._plus(x, y, obj, {}))

    def _plus(self, x: Any, y: Any, obj: Object, known: _Known) -> Recursive[Any]:
        if isinstance(obj, Tensor):
            return self.carrier.add(x, y)
        key = (id(x), id(y))
        if key not in known:
            if obj is Tangent:
                known[key] = yield self._plus_erased(x, y, known)
            else:
                parts = []
                for a, b, below in zip(x, y, parts_of(obj) or (), strict=False):
                    parts.append((yield self._plus(a, b, below, known)))
                known[key] = tuple(parts)
        return known[key]

    def _plus_erased(self, x: Erased, y: Erased, known: _Known) -> Recursive[Erased]:
        total = {**x, **y}
        for obj in x.keys() & y.keys():
            both = Tensor(()) if obj is Tangent else obj
            total[obj] = yield self._plus(x[obj], y[obj], both, known)
        return total


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
