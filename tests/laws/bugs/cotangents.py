"""Tangents and cotangents of the naive interpreter.

None is zero; a product's is a tuple; a sum's is ``Injected``; a function's is that of its
environment, or a list of calls.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from combinators.objects import Mu, Object, Sum, Tensor, components
from combinators.type_folds import unfolded
from combinators.value_folds import Injected


class Cotangents:
    """Their sums, zeros, multiples and pairings."""

    def exact(self, array: Any) -> Any:
        """An array of rationals; of no axes, a rational."""
        made = np.empty(np.shape(array), dtype=object)
        made.flat[:] = [Fraction(float(x)) for x in np.ravel(array)]
        return made[()]

    def both(self, a: Any, b: Any) -> Any:
        """The sum of two."""
        if a is None or b is None:
            return b if a is None else a
        if isinstance(a, list):
            return self.together(a, b)
        if isinstance(a, Injected):
            return self.both_alternatives(a, b)
        if isinstance(a, tuple):
            return tuple(self.both(x, y) for x, y in zip(a, b, strict=True))
        return self.added(a, b)

    def both_alternatives(self, a: Injected, b: Injected) -> Injected:
        return Injected(a.tag, self.both(a.value, b.value))

    def together(self, calls: list[Any], more: list[Any]) -> list[Any]:
        return [*calls, *more]

    def added(self, a: Any, b: Any) -> Any:
        return a + b

    def total(self, cotangents: list[Any]) -> Any:
        """The sum that transposes copying."""
        found = None
        for g in cotangents:
            found = self.both(found, g)
        return found

    def accumulate(self, vectors: list[Any], obj: Object) -> Any:
        return self.dense(self.total(vectors), obj)

    def zeros(self, obj: Object) -> Any:
        product = components(obj)
        if product is not None:
            return tuple(map(self.zeros, product.parts))
        if isinstance(obj, Sum | Mu):
            return None
        assert isinstance(obj, Tensor)
        return self.exact(np.zeros(obj.shape)) if obj.is_smooth else ()

    def dense(self, cotangent: Any, obj: Object) -> Any:
        """With its zeros."""
        obj = unfolded(obj) if isinstance(obj, Mu) else obj
        if isinstance(obj, Sum):
            if cotangent is None:
                return None
            tag, inner = cotangent
            return Injected(tag, self.dense(inner, obj.parts[tag]))
        product = components(obj)
        if product is not None:
            pairs = zip(cotangent or (None,) * product.width, product.parts, strict=True)
            return tuple(self.dense(part, below) for part, below in pairs)
        if isinstance(obj, Tensor) and (cotangent is None or not obj.is_smooth):
            return self.zeros(obj)
        return cotangent

    def times(self, number: Any, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(self.times(number, part) for part in value)
        return number * value

    def paired(self, x: Any, y: Any) -> Any:
        if isinstance(x, tuple):
            return sum((self.paired(a, b) for a, b in zip(x, y, strict=True)), Fraction(0))
        return Fraction(0) + np.sum(x * y)
