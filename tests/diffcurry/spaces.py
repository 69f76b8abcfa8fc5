"""Types with tangent spaces of their own, as users write them, for the tests."""

from dataclasses import dataclass

import numpy as np

import diffcurry as dc
from diffcurry import Real, Tensor


@dataclass(frozen=True)
class Angle:
    turn: float


@dataclass(frozen=True)
class Quaternion:
    w: float
    x: float
    y: float
    z: float

    def __mul__(self, other):
        a, b = self, other
        return Quaternion(
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        )

    def conjugate(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def rotated(self, v):
        """The vector ``v`` turned, as a tuple."""
        turned = self * Quaternion(0.0, *v) * self.conjugate()
        return turned.x, turned.y, turned.z


@dataclass(frozen=True)
class Symmetric:
    matrix: np.ndarray


@dataclass(frozen=True)
class Covariance:
    matrix: np.ndarray


@dataclass(frozen=True)
class Mixture:
    weights: np.ndarray


@dataclass(frozen=True)
class Twist:
    rate: np.ndarray


def imaginary(q, g):
    """``Im(q* g) / 2``, of which ``q ω / 2`` is the transpose."""
    turned = q.conjugate() * Quaternion(g[0], g[1], g[2], g[3])
    return np.stack([turned.x, turned.y, turned.z]) * 0.5


def unit(a):
    n = a / np.sqrt(np.sum(a * a))
    return Quaternion(n[0], n[1], n[2], n[3])


def symmetric(u):
    return (u + u.T) * 0.5


def inverse(m):
    """Of a 2×2 matrix."""
    rows = [np.stack([m[1, 1], -m[0, 1]]), np.stack([-m[1, 0], m[0, 0]])]
    return np.stack(rows) / (m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0])


def centred(p, g):
    return g - np.sum(g) / 3.0


ONE = Quaternion(1.0, 0.0, 0.0, 0.0)
ROTATION = {"at": ONE, "arrive": imaginary, "nearby": unit}
ROTATION |= {"tangent": Tensor((3,)), "project": lambda q, u: 4.0 * imaginary(q, u)}


def rotations(**other):
    """The type of unit quaternions, whose tangents are rates of turning."""
    return dc.tangent_space(Quaternion, **ROTATION | other)


def twists(**other):
    """The same with tangents of a class."""
    return rotations(
        tangent=Twist,
        arrive=lambda q, g: Twist(imaginary(q, g)),
        project=lambda q, u: Twist(4.0 * imaginary(q, u)),
        **other,
    )


def declare_all():
    """Every type of these, as it is declared."""
    rotations()
    dc.tangent_space(Angle, tangent=Real, at=Angle(0.0), arrive=lambda a, g: g)
    dc.tangent_space(
        Symmetric,
        tangent=np.ndarray,
        at=Symmetric(np.eye(2)),
        arrive=lambda m, g: symmetric(g),
        nearby=lambda a: Symmetric(symmetric(a)),
    )
    dc.tangent_space(
        Covariance,
        tangent=np.ndarray,
        at=Covariance(np.eye(2)),
        arrive=lambda p, g: p.matrix @ symmetric(g) @ p.matrix,
        project=lambda p, u: inverse(p.matrix) @ symmetric(u) @ inverse(p.matrix),
        nearby=lambda a: Covariance(symmetric(a)),
    )
    dc.tangent_space(
        Mixture,
        tangent=Tensor((3,)),
        at=Mixture(np.array([0.25, 0.25, 0.5])),
        arrive=centred,
        nearby=lambda a: Mixture(a / np.sum(a)),
    )
