"""Bugs of array operations: all are right forwards."""

from fractions import Fraction

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Constant, Id, Primitive, prod
from combinators.objects import Real, Tensor
from combinators.operation import Operation, named
from tests.laws.bugs.arrays import ARRAYS, changed, indices, parts, product, put_at, turned
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.variants import Alone


def of(name, *types, **parameters):
    """A primitive as a program."""
    return Primitive(Operation(named(name), tuple(parameters.items())), types)


two, pair, square = Tensor((2,)), Tensor((1, 2)), Tensor((2, 2))


@seeded("T3")
class MultiplyPulls(Alone):
    """x * y is right forwards, and gives back x to x, and y to y."""

    program = of("multiply", Real, Real)
    operations = changed(
        "multiply", pull=lambda g, xs, *rest: ARRAYS["multiply"].pull(g, xs[::-1], *rest)
    )


@seeded("T3")
class Sign(Alone):
    """x - y gives its cotangent to y as it is."""

    program = of("subtract", Real, Real)
    operations = changed("subtract", pull=ARRAYS["add"].pull)


@seeded("T3")
class NotSummedBack(Alone):
    """what was broadcast is not summed back: a number gets the last element."""

    program = of("broadcast_to", Real, shape=(3,))
    operations = changed("broadcast_to", pull=lambda g, *rest, shape: [g[-1]])


@seeded("T3")
class LengthOne(Alone):
    """an axis of length 1 that was broadcast is not summed back."""

    program = of("broadcast_to", pair, shape=(3, 2))
    operations = changed("broadcast_to", pull=lambda g, *rest, shape: [g[-1:]])


@seeded("T3")
class WrongAxis(Alone):
    """the pullback of transpose permutes the axes as forwards, and not the other way round."""

    program = of("transpose", Tensor((2, 2, 2)), axes=(1, 2, 0))
    operations = changed("transpose", pull=lambda g, *rest, axes: [g.transpose(axes)])


@seeded("T3")
class ByColumns(Alone):
    """the pullback of reshape fills by columns."""

    program = of("reshape", square, shape=(4,))
    operations = changed("reshape", pull=lambda g, *rest, shape: [np.reshape(g, (2, 2), order="F")])


@seeded("T3")
class IndexOverwritten(Alone):
    """what is taken twice gets one of its two cotangents."""

    program = prod(two, Id(two), Constant(two, Literal(np.array([1, 1])))) >> of(
        "take", two, Tensor((2,), "int64"), axis=0
    )
    operations = changed("take", pull=lambda g, xs, y, types, axis: [overwritten(g, *xs), None])


def overwritten(g, x, at):
    made = np.full(np.shape(x), Fraction(0), dtype=object)
    made[at] = g
    return made


@seeded("T3")
class StepForgotten(Alone):
    """the pullback of a slice forgets its step."""

    program = of("slice", Tensor((4,)), start=(0,), step=(2,), extent=(2,))
    operations = changed(
        "slice",
        pull=lambda g, xs, y, types, start, step, extent: [
            put_at(g, types[0].shape, indices(start, (1,), extent))
        ],
    )


@seeded("T3")
class PartsSwapped(Alone):
    """the parts of a concatenation get each other's cotangents."""

    program = of("concatenate", two, two, axis=0)
    operations = changed("concatenate", pull=lambda *given, axis: parts(*given, axis=axis)[::-1])


@seeded("T3")
class NotTransposed(Alone):
    """the pullback of a matrix product does not transpose its factors."""

    program = of("matmul", square, square)
    operations = changed(
        "matmul", pull=lambda g, xs, *rest: [product(g, xs[1]), product(turned(xs[0]), g)]
    )


@seeded("T3")
class SumAxis(Alone):
    """the cotangent of a sum is spread along another axis."""

    program = of("sum", square, axis=(0,), keepdims=False)
    operations = changed(
        "sum",
        pull=lambda g, *rest, axis, keepdims: [np.broadcast_to(np.reshape(g, (2, 1)), (2, 2))],
    )


@seeded("T2a")
class Clipped(Alone):
    """cotangents are clipped on their way back through x + y."""

    program = of("add", Real, Real)
    operations = changed("add", pull=lambda g, *rest: ARRAYS["add"].pull(min(g, 1), *rest))


@seeded("T2a")
class Ulp(Alone):
    """the pullback of a negation adds a little."""

    program = of("negative", Real)
    operations = changed(
        "negative",
        pull=lambda g, *rest: ARRAYS["negative"].pull(g + Fraction(1, 2**52), *rest),
    )
