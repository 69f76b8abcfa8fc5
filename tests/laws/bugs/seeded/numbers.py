"""Bugs of carriers: our own pullback over numbers that are wrong."""

import numpy as np

from combinators.literal import Literal
from combinators.objects import Bool
from diffcurry.models.reverse import CarrierModel
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from tests.laws.bugs.bug import ours, seeded
from tests.laws.bugs.variants import reals


class Algebra(CarrierModel):
    """It claims the laws of carriers, and no more."""

    signature = reals(integers=True, shapes=((), (3,), (2, 2)))

    @property
    def structures(self):
        return ("carrier", "rational") if self.ways else ("carrier",)


def over(carrier):
    """The model of a carrier."""

    def model():
        return Algebra(carrier())

    model.__name__, model.__doc__ = carrier.__name__, carrier.__doc__
    return ours(model)


@seeded("N1")
@over
class ShownWhole(Fractions):
    """numbers are shown without what comes after the point."""

    def lower(self, number):
        return np.trunc(np.asarray(super().lower(number), dtype=float))


@seeded("N2")
@over
class WholeLiterals(Fractions):
    """literals are rounded to whole numbers."""

    def const(self, literal):
        if not literal.type.is_smooth:
            return super().const(literal)
        return super().const(Literal(np.trunc(literal.array)))


@seeded("N3a")
@over
class NotCommutative(Fractions):
    """x + y is x + 2 * y."""

    def add(self, x, y):
        return super().add(x, super().add(y, y))


@seeded("N3b")
@over
class Doubling(Fractions):
    """a sum is counted twice."""

    def add(self, x, y):
        return 2 * super().add(x, y)


@seeded("N3c")
@over
class Larger(Fractions):
    """a sum is the larger of both."""

    def add(self, x, y):
        return np.maximum(x, y)


@seeded("N4b")
@over
class FirstStacked(Fractions):
    """more than two arrays, stacked, are so many of the first."""

    def stack(self, rows, obj):
        many = len(rows) > 2 and len(obj.shape) > 1
        return super().stack([rows[0]] * len(rows) if many else rows, obj)


@seeded("N4a")
@over
class RowsBackwards(Fractions):
    """rows are counted from the end, and stacked from the beginning."""

    def row(self, stack, index):
        return super().row(stack, -1 - index)


@seeded("N6")
@over
class Untrue(Fractions):
    """true is what is not true."""

    def truth(self, number):
        return not super().truth(number)


@seeded("N7")
@over
class Distance(NumPy):
    """x - y is how far x is from y."""

    def operation(self, operation, types, cod):
        compute = super().operation(operation, types, cod)
        return (lambda *xs: np.abs(compute(*xs))) if operation.name == "subtract" else compute


@seeded("N5")
@over
class Integers(NumPy):
    """truth values are kept as integers."""

    def const(self, literal):
        made = super().const(literal)
        return np.int64(made) if literal.type is Bool else made
