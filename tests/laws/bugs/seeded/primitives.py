"""Bugs of primitives: of their values in a category, and of those that users declare."""

from typing import ClassVar

import numpy as np

import diffcurry as dc
from combinators.morphisms import Projection, prod
from combinators.objects import Real, Tensor
from combinators.operation import Operation, named
from diffcurry.models import model_of_primitive
from diffcurry.models.primitives import PrimitiveModel
from diffcurry.primitive import primitive
from laws.structures import structures_of
from tests.laws.bugs.arrays import ARRAYS
from tests.laws.bugs.bug import ours, seeded
from tests.laws.bugs.forms import Environments


class Unsimplified(Environments):
    """Nobody rewrites its programs, so that no rule of numbers is compared with its numbers."""

    @property
    def structures(self):
        return [name for name in structures_of(self) if name not in ("programs", "staged")]


@seeded("V1")
class AddsForMultiplies(Unsimplified):
    """a category adds where it should multiply, and derives it as a sum."""

    operations: ClassVar = {**ARRAYS, "multiply": ARRAYS["add"]}


@seeded("V2")
class TransposesByReshaping(Unsimplified):
    """a transpose has the right shape, and its elements in the order in which they were."""

    operations: ClassVar = {
        **ARRAYS,
        "transpose": ARRAYS["transpose"]._replace(
            value=lambda xs, axes: np.reshape(xs[0], [np.shape(xs[0])[axis] for axis in axes]),
            pull=lambda g, xs, y, types, axes: (np.reshape(g, np.shape(xs[0])),),
            push=lambda vs, xs, y, axes: np.reshape(vs[0], np.shape(y)),
        ),
    }


def declared(derivative, **options):
    """The model of a primitive whose value is the decorated function."""

    def decorate(function):
        def model():
            return model_of_primitive(primitive(derivative, check=False, **options)(function))

        model.__name__, model.__doc__ = function.__name__, function.__doc__
        return ours(model)

    return decorate


@seeded("T1")
@declared(lambda v, x, y: v, typing=lambda x: Tensor((1,)))
def wrong_shape(x):
    """a primitive is said to give a vector, and gives a number."""
    return x


@seeded("T2a")
@declared(lambda v, x, y: dc.scale(v, v))
def squared_tangent(x):
    """the derivative of a primitive is not linear."""
    return x


@seeded("T4")
@declared(lambda v, x, y: dc.scale(v, dc.sin(x)))
def wrong_sign(x):
    """the derivative of cos has the wrong sign."""
    return np.cos(x)


@seeded("T4")
@declared(lambda v, x, z, y: (dc.scale(v, z), 0.0))
def forgotten_term(x, z):
    """the product rule forgets a term."""
    return x * z


@seeded("T4")
@declared(lambda v, x, z, y: (dc.unscale(v, z), dc.scale(v, dc.unscale(y, z))))
def quotient(x, z):
    """the quotient rule has a wrong sign."""
    return x / z


@seeded("T6")
@declared(lambda v, x, y: v / (2.0 * y))
def root(x):
    """zero, pulled back through a root at 0, is nan."""
    return np.sqrt(np.abs(x))


@seeded("T5")
@ours
class OtherOverRationals(PrimitiveModel):
    """over the rationals, x - y has its operands in the other order."""

    def __init__(self):
        super().__init__(Operation(named("subtract")), (Real, Real))

    def _rational(self, program):
        dom = program.dom
        return super()._rational(prod(dom, Projection(dom, 1), Projection(dom, 0)) >> program)


@seeded("T7a")
@declared(lambda v, x, y: dc.scale(v, 0.0))
def centred(x):
    """a primitive of numbers takes the mean of an array away."""
    return x - np.mean(x)


@seeded("T7b")
@declared(lambda v, x, y: dc.scale(v, 2.0 * np.sum(x)))
def summed_slope(x):
    """the derivative of x² at an array is of the sum of its elements."""
    return x * x
