"""The algebra of cotangents on expressions: zeros, sums, and what ``pack`` forgets.

A ``Tangent`` is a formal sum of cotangents of several types, ``{type: value}``; what is missing is
zero. So the cotangents of two functions, of which an open test chooses one, stand beside each
other, each zero where the other is meant. An unknown function's own ``Tangent`` has the type
``Tangent``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Object, Tangent, Tensor
from combinators.operation import Operation
from combinators.primitives.structural import PACK, PLUS, UNPACK, ZEROS
from combinators.type_folds import parts_of
from interpreters.carriers.sympy import SymPy

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
