"""ADBench's bundle adjustment at its first size: 49 cameras, 7,776 points, 31,843 observations.

A camera is rotation (3), centre (3), focal length, principal point (2) and radial distortion (2).
A point is rotated about the camera by Rodrigues' formula, projected, distorted, and compared with
what was observed; a weight w scales that error and has the error 1 − w². As no rotation here is 0,
the formula's branch for it is left out.

Two derivatives are timed. ADBench's sparse Jacobian of the reprojection errors has one block of
2 × 15 for each observation: since observations share nothing once each has its own copy of camera
and point, these blocks are the dense Jacobian of the two sums of errors. The other is the gradient
of the sum of all squared errors in cameras, points and weights, through the indices; it is timed
as written with an array for each number of a row, and as a map of a small function of one
observation over all of them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from workload import MINUTES, SCALARS, Workload

CAMERAS, POINTS, OBSERVATIONS = 49, 7_776, 31_843
CAMERA = (
    *(-0.758453, -1.109613, -0.845551, 34.556073, 39.676747, 53.881673),
    *(419.194514, 5.864426, -8.518870, 0.087812, 0.002739),
)
POINT, WEIGHT, SEEN = (7.203245, 0.001144, 3.023326), 0.417022, (271.760969, 834.209256)
"""ADBench repeats one camera, one point and one observation."""
ROWS = "it maps no function over rows"
NUMBERS = np.arange(OBSERVATIONS)
WHICH_CAMERA, WHICH_POINT = NUMBERS % CAMERAS, NUMBERS % POINTS

Columns = list[Any]


def workloads() -> list[Workload]:
    """The Jacobian's blocks, and the gradient of the squares, by columns and by rows."""
    cameras, points, weights, seen = data()
    apart = cameras[WHICH_CAMERA], points[WHICH_POINT], weights, seen
    shared, every = (cameras, points, weights, seen), (0, 1, 2)
    jacobian = Workload("BA, Jacobian", sums, apart, blocks, every, "jacobian")
    slope = Workload("BA, gradient", squares, shared, gradient, every)
    by_rows = Workload("BA by rows, gradient", squares, shared, gradient, every, own=own_by_rows)
    return [
        jacobian._replace(refused={"casadi": SCALARS, "pytensor": MINUTES}),
        slope._replace(refused={"casadi": SCALARS}),
        by_rows._replace(refused=dict.fromkeys(("autograd", "torch", "casadi", "pytensor"), ROWS)),
    ]


def data() -> tuple[Any, ...]:
    """Cameras, points, weights, and what was observed."""
    repeated = ((CAMERA, CAMERAS), (POINT, POINTS), (SEEN, OBSERVATIONS))
    cameras, points, seen = (np.tile(np.array(one), (count, 1)) for one, count in repeated)
    return cameras, points, np.full(OBSERVATIONS, WEIGHT), seen


def errors(np_: Any, cameras: Any, points: Any, weights: Any, seen: Any) -> tuple[Any, Any]:
    """Across and down, a row of the arguments for each observation."""
    r0, r1, r2, c0, c1, c2, focal, x0, y0, k1, k2 = (cameras[:, i] for i in range(11))
    a0, a1, a2 = points[:, 0] - c0, points[:, 1] - c1, points[:, 2] - c2
    angle = np_.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
    cosine, sine = np_.cos(angle), np_.sin(angle)
    u0, u1, u2 = r0 / angle, r1 / angle, r2 / angle
    along = (u0 * a0 + u1 * a1 + u2 * a2) * (1 - cosine)
    y_0 = a0 * cosine + (u1 * a2 - u2 * a1) * sine + u0 * along
    y_1 = a1 * cosine + (u2 * a0 - u0 * a2) * sine + u1 * along
    y_2 = a2 * cosine + (u0 * a1 - u1 * a0) * sine + u2 * along
    p0, p1 = y_0 / y_2, y_1 / y_2
    radius = p0 * p0 + p1 * p1
    lens = (1 + k1 * radius + k2 * radius * radius) * focal
    across = weights * (p0 * lens + x0 - seen[:, 0])
    return across, weights * (p1 * lens + y0 - seen[:, 1])


def sums(np_: Any, cameras: Any, points: Any, weights: Any, seen: Any) -> Any:
    """Of the errors across, and of those down: its Jacobian is the blocks of ADBench's."""
    across, down = errors(np_, cameras, points, weights, seen)
    return np_.stack([np_.sum(across), np_.sum(down)])


def squares(np_: Any, cameras: Any, points: Any, weights: Any, seen: Any) -> Any:
    """The sum of all squared errors, those of the weights with them."""
    across, down = errors(np_, cameras[WHICH_CAMERA], points[WHICH_POINT], weights, seen)
    slack = 1 - weights * weights
    return np_.sum(across * across) + np_.sum(down * down) + np_.sum(slack * slack)


def observed(np_: Any, camera: Any, point: Any, weight: Any, seen: Any) -> Any:
    """The errors of one observation, across and down."""
    rotation, moved = camera[:3], point - camera[3:6]
    angle = np_.sqrt(rotation @ rotation)
    axis, cosine, sine = rotation / angle, np_.cos(angle), np_.sin(angle)
    pairs = ((1, 2), (2, 0), (0, 1))
    crossed = np_.stack([axis[i] * moved[j] - axis[j] * moved[i] for i, j in pairs])
    turned = moved * cosine + crossed * sine + axis * (axis @ moved) * (1 - cosine)
    flat = turned[:2] / turned[2]
    radius = flat @ flat
    lens = (1 + camera[9] * radius + camera[10] * radius * radius) * camera[6]
    return weight * (flat * lens + camera[7:9] - seen)


def own_by_rows(system: str) -> Any:
    """The squares of a map over the observations."""
    match system:
        case "diffcurry":
            import diffcurry

            np_, mapped = np, diffcurry.map
        case "jax":
            import jax

            np_, mapped = jax.numpy, lambda f, *rows: jax.vmap(f)(*rows)
        case _:
            return None

    def written(cameras: Any, points: Any, weights: Any, seen: Any) -> Any:
        apart = cameras[WHICH_CAMERA], points[WHICH_POINT], weights, seen
        errors = mapped(partial(observed, np_), *apart)
        slack = 1 - weights * weights
        return np_.sum(errors * errors) + np_.sum(slack * slack)

    return written


def blocks(cameras: Any, points: Any, weights: Any, seen: Any) -> tuple[Any, ...]:
    """Both rows of all blocks."""
    shapes = [(2, *array.shape) for array in (cameras, points, weights)]
    found = to_cameras, to_points, to_weights = tuple(map(np.empty, shapes))
    given = _forward(cameras, points, weights, seen)
    ones, zeros = np.ones(OBSERVATIONS), np.zeros(OBSERVATIONS)
    for row, pulled in enumerate(((ones, zeros), (zeros, ones))):
        to_weights[row] = _pulled(given, *pulled, to_cameras[row], to_points[row])
    return found


def gradient(cameras: Any, points: Any, weights: Any, seen: Any) -> tuple[Any, ...]:
    """The pullback of the squares, added up where observations share a camera or a point."""
    own, points = cameras[WHICH_CAMERA], points[WHICH_POINT]
    given = _forward(own, points, weights, seen)
    across, down = given[:2]
    to_own, to_apart = np.empty_like(own), np.empty_like(points)
    to_weights = _pulled(given, 2 * across, 2 * down, to_own, to_apart)
    to_weights -= 4 * weights * (1 - weights * weights)
    return (
        _added(to_own, WHICH_CAMERA, CAMERAS),
        _added(to_apart, WHICH_POINT, POINTS),
        to_weights,
    )


def _added(rows: Any, at: Any, count: int) -> Any:
    found = np.empty((count, rows.shape[1]))
    for column in range(rows.shape[1]):
        found[:, column] = np.bincount(at, rows[:, column], count)
    return found


def _forward(cameras: Any, points: Any, weights: Any, seen: Any) -> Columns:
    """The errors, and all that the pullback needs."""
    r0, r1, r2, c0, c1, c2, focal, x0, y0, k1, k2 = np.ascontiguousarray(cameras.T)
    a0, a1, a2 = points[:, 0] - c0, points[:, 1] - c1, points[:, 2] - c2
    angle = np.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
    cosine, sine, inverse = np.cos(angle), np.sin(angle), 1 / angle
    u0, u1, u2 = r0 * inverse, r1 * inverse, r2 * inverse
    cross = (u1 * a2 - u2 * a1, u2 * a0 - u0 * a2, u0 * a1 - u1 * a0)
    dot = u0 * a0 + u1 * a1 + u2 * a2
    along = dot * (1 - cosine)
    y_0 = a0 * cosine + cross[0] * sine + u0 * along
    y_1 = a1 * cosine + cross[1] * sine + u1 * along
    depth = 1 / (a2 * cosine + cross[2] * sine + u2 * along)
    p0, p1 = y_0 * depth, y_1 * depth
    radius = p0 * p0 + p1 * p1
    lens = 1 + radius * (k1 + k2 * radius)
    off = (p0 * lens * focal + x0 - seen[:, 0], p1 * lens * focal + y0 - seen[:, 1])
    errors = [weights * off[0], weights * off[1]]
    rotation = [a0, a1, a2, u0, u1, u2, cosine, sine, inverse, cross, dot, along, depth]
    return [*errors, *off, weights, p0, p1, radius, lens, focal, k1, k2, rotation]


def _pulled(given: Columns, g0: Any, g1: Any, to_cameras: Any, to_points: Any) -> Any:
    """The cotangent of the weights; those of cameras and points are written."""
    _, _, off0, off1, weights, p0, p1, radius, lens, focal, k1, k2, rotation = given
    a0, a1, a2, u0, u1, u2, cosine, sine, inverse, cross, dot, along, depth = rotation
    to_weights = g0 * off0 + g1 * off1
    e0, e1 = g0 * weights, g1 * weights
    both = e0 * p0 + e1 * p1
    to_lens = both * focal
    to_k1 = to_lens * radius
    to_radius = 2 * to_lens * (k1 + 2 * k2 * radius)
    scaled = lens * focal
    t0, t1 = (e0 * scaled + p0 * to_radius) * depth, (e1 * scaled + p1 * to_radius) * depth
    t2 = -(t0 * p0 + t1 * p1)
    to_along = t0 * u0 + t1 * u1 + t2 * u2
    to_dot = to_along * (1 - cosine)
    to_cosine = t0 * a0 + t1 * a1 + t2 * a2 - to_along * dot
    to_sine = t0 * cross[0] + t1 * cross[1] + t2 * cross[2]
    v0, v1, v2 = t0 * sine, t1 * sine, t2 * sine
    n0 = t0 * cosine + v1 * u2 - v2 * u1 + to_dot * u0
    n1 = t1 * cosine + v2 * u0 - v0 * u2 + to_dot * u1
    n2 = t2 * cosine + v0 * u1 - v1 * u0 + to_dot * u2
    m0 = a1 * v2 - a2 * v1 + t0 * along + to_dot * a0
    m1 = a2 * v0 - a0 * v2 + t1 * along + to_dot * a1
    m2 = a0 * v1 - a1 * v0 + t2 * along + to_dot * a2
    to_angle = to_sine * cosine - to_cosine * sine - (m0 * u0 + m1 * u1 + m2 * u2) * inverse
    turned = (m * inverse + to_angle * u for m, u in ((m0, u0), (m1, u1), (m2, u2)))
    moved = (-n0, -n1, -n2, both * lens, e0, e1, to_k1, to_k1 * radius)
    for column, cotangent in enumerate((*turned, *moved)):
        to_cameras[:, column] = cotangent
    for column, cotangent in enumerate((n0, n1, n2)):
        to_points[:, column] = cotangent
    return to_weights
