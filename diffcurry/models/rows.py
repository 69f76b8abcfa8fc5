"""A pointwise primitive at arrays: two points become the rows of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.morphisms import Primitive, interpret
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from combinators.primitives.signatures import tensor
from interpreters.modes.dependent import Dependent
from interpreters.tangents.dense import dense, sparse

Point = tuple[Any, ...]


class Rows:
    """A primitive, asked at two points at once and at each of them alone."""

    types: tuple[Object, ...]
    """Those of the arguments at two points at once."""

    def __init__(self, operation: Operation, types: tuple[Object, ...], mode: Dependent) -> None:
        """``types`` are those of the arguments at one point."""
        self._operation, self._mode, self._alone = operation, mode, types
        self._rank = len(tensor(operation.type(*types)).shape)
        given = map(tensor, types)
        self.types = tuple(Tensor((2, *self._wide(obj.shape)), obj.dtype) for obj in given)

    def together(self, x: Any, z: Any) -> dict[str, Any]:
        """The value at both points in one, and what the arguments are afterwards."""
        both = self._both(x, z)
        return {"value": self._value(both, self.types), "afterwards": both}

    def apart(self, x: Any, z: Any) -> dict[str, Any]:
        """The same of each point alone, row by row; arguments are what they were."""
        before = self._both(x, z)
        values = [self._value(_point(at), self._alone) for at in (x, z)]
        return {"value": np.stack(values), "afterwards": before}

    def pulled_together(self, x: Any, z: Any) -> Point:
        """What the pullback at both points in one gives of ones."""
        return self._pulled(self._both(x, z), self.types)

    def pulled_apart(self, x: Any, z: Any) -> Point:
        """The same of each point alone, row by row."""
        return self._both(*(self._pulled(_point(at), self._alone) for at in (x, z)))

    def _both(self, x: Any, z: Any) -> Point:
        """Two points as one, each argument of two rows that broadcast as before."""
        pairs = zip(_point(x), _point(z), strict=True)
        return tuple(np.stack([self._widened(a), self._widened(b)]) for a, b in pairs)

    def _widened(self, array: Any) -> Any:
        return np.reshape(array, self._wide(np.shape(array)))

    def _wide(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (1,) * (self._rank - len(shape)) + shape

    def _value(self, point: Point, types: tuple[Object, ...]) -> Any:
        cod = self._operation.type(*types)
        return self._mode.over.operation(self._operation, types, cod)(*point)

    def _pulled(self, point: Point, types: tuple[Object, ...]) -> Point:
        primitive = Primitive(self._operation, types)
        arrow = interpret(primitive, self._mode)
        _, pullback = self._mode.rep(arrow, point if len(point) > 1 else point[0])
        ones = sparse(np.ones(tensor(primitive.cod).shape), primitive.cod)
        return _point(dense(self._mode.over, pullback(ones), primitive.dom))


def _point(value: Any) -> Point:
    """The arguments, of which one alone is no tuple."""
    return value if isinstance(value, tuple) else (value,)
