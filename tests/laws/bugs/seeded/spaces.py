"""Bugs of the tangent spaces that users declare, each of unit quaternions."""

import numpy as np

from diffcurry import Tensor
from diffcurry.models.spaces import SpaceModel
from tests.diffcurry.spaces import ONE, Quaternion, Twist, imaginary, rotations, twists
from tests.laws.bugs.bug import ours, seeded


def declared(declare=rotations, **wrong):
    """The model of what is declared so, and not asked for its laws then."""

    def decorate(function):
        def model():
            return SpaceModel(declare(check=False, **wrong))

        model.__name__, model.__doc__ = function.__name__, function.__doc__
        return ours(model)

    return decorate


def largest(a, b):
    return Twist(np.maximum(a.rate, b.rate))


def from_the_left(q, v):
    turned = Quaternion(0.0, v[0], v[1], v[2]) * q
    return np.stack([turned.w, turned.x, turned.y, turned.z]) * 0.5


@seeded("TS1")
@declared(twists, plus=lambda a, b: Twist(a.rate - b.rate))
def takes_away():
    """two tangents are added by taking one from the other."""


@seeded("TS2")
@declared(twists, plus=lambda a, b: Twist(0.5 * (a.rate + b.rate)))
def averages():
    """two tangents are added to their mean."""


@seeded("TS3")
@declared(twists, plus=largest, zero=0.0)
def zero_of_another_sum():
    """tangents are joined by the larger, and zero is the number 0, a unit that is none."""


@seeded("TS4")
@declared(arrive=lambda q, g: imaginary(q, g) * g[0])
def arrives_twice():
    """how a cotangent arrives is multiplied by the cotangent."""


@seeded("TS5")
@declared(move=from_the_left)
def turns_from_the_left():
    """cotangents arrive as rates on the right, and the coordinates move by rates on the left."""


@seeded("TS6")
@declared(project=imaginary)
def arrives_for_projects():
    """a motion becomes a tangent as a cotangent arrives, four times too small."""


@seeded("TS7")
@declared(leave=lambda q, w: from_the_left(q, w) * 4.0)
def leaves_from_the_left():
    """a cotangent leaves by the transpose of another projection."""


@seeded("TS8")
@declared(tangent=Tensor((4,)), at=ONE, arrive=lambda q, g: g, project=lambda q, u: u)
def ambient():
    """the tangents of a unit quaternion are four numbers, by which it leaves the sphere."""
