"""ADBench's hand tracking, the simple variant: 22 bones, 544 vertices, 26 parameters.

Angles turn the bones, bones carry those that hang on them, each vertex is moved by a weighted mean
of the bones' transforms (linear blend skinning), and a rotation and a translation move the whole;
100 vertices are compared with points that were measured. Timed is the gradient of the sum of
squared distances. The skeleton and the sizes are ADBench's; bones, vertices, weights and points
are drawn at random in place of its scanned model. The angle that is 0 in the simple variant, and
the scale that is 1, are left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from workload import AXES, MINUTES, Workload

BONES, VERTICES, MEASURED, PARAMETERS = 22, 544, 100, 26
LEVELS = ([1, 5, 9, 13, 17, 21], [2, 6, 10, 14, 18], [3, 7, 11, 15, 19], [4, 8, 12, 16, 20])
"""The bones that hang on the wrist, on the first five of these, and so on; the wrist is 0."""
PLACES = np.argsort(np.concatenate(([0], *LEVELS)))
FLEXES = {
    finger + i: 6 + 4 * n + (0, 2, 3)[i] for n, finger in enumerate(LEVELS[1]) for i in range(3)
}
SPREADS = {finger: 7 + 4 * n for n, finger in enumerate(LEVELS[1])}
"""By bone: the parameter that is its angle; a bone without turns by 0."""
ANGLES = np.array([[at.get(i, PARAMETERS) for i in range(BONES)] for at in (FLEXES, SPREADS)])


class Hand(NamedTuple):
    """What is known of a hand, and what was measured."""

    bones: Any
    """Each bone's place on its parent, as transforms."""
    inverses: Any
    """From the model's coordinates to each bone's at rest."""
    vertices: Any
    """Homogeneous."""
    weights: Any
    """Of each vertex by each bone."""
    at: Any
    """The vertices that were measured."""
    points: Any


def workloads() -> list[Workload]:
    """The gradient in the parameters."""
    random = np.random.default_rng(11)
    parameters = 0.6 * random.standard_normal(PARAMETERS)
    refused = {"casadi": AXES, "pytensor": MINUTES}
    return [Workload("hand tracking", loss, (parameters, *data(random)), by_hand, refused=refused)]


def data(random: np.random.Generator) -> Hand:
    """A model with rigid bones, of which one to four hold a vertex."""
    bones = np.tile(np.eye(4), (BONES, 1, 1))
    bones[:, :3, :3] = np.linalg.qr(random.standard_normal((BONES, 3, 3)))[0]
    bones[:, :3, 3] = 0.1 * random.standard_normal((BONES, 3))
    vertices = np.ones((VERTICES, 4))
    vertices[:, :3] = 0.1 * random.standard_normal((VERTICES, 3))
    weights = random.random((VERTICES, BONES))
    held = random.integers(0, 4, (VERTICES, 1))
    weights[weights < np.sort(weights, axis=1)[:, ::-1][np.arange(VERTICES)[:, None], held]] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    resting = np.concatenate(_levels(np, bones))[PLACES]
    at = random.integers(0, VERTICES, MEASURED)
    points = random.standard_normal((MEASURED, 3))
    return Hand(bones, np.linalg.inv(resting), vertices, weights, at, points)


def _levels(np_: Any, relative: Any) -> list[Any]:
    """From each bone's coordinates to the model's, level by level."""
    found = [relative[:1]]
    for level in LEVELS:
        found.append(found[-1][:5] @ relative[np.array(level)])
    return found


def turned(np_: Any, parameters: Any) -> Any:
    """The rotations of the bones: about z, after about x."""
    angles = np_.concatenate([parameters, np_.zeros((1,))])
    flex, spread = angles[ANGLES[0]], angles[ANGLES[1]]
    cx, sx, cz, sz = np_.cos(flex), np_.sin(flex), np_.cos(spread), np_.sin(spread)
    zero = np_.zeros((BONES,))
    entries = (cz, -sz * cx, sz * sx, sz, cz * cx, -cz * sx, zero, sx, cx)
    return np_.reshape(np_.stack(entries, 1), (BONES, 3, 3))


def about(np_: Any, axis: Any) -> Any:
    """The rotation about an axis, by its length."""
    angle = np_.sqrt(np_.sum(axis * axis))
    unit = axis / angle
    x, y, z = unit[0], unit[1], unit[2]
    c, s = np_.cos(angle), np_.sin(angle)
    entries = (
        *(x * x * (1 - c) + c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s),
        *(y * x * (1 - c) + z * s, y * y * (1 - c) + c, y * z * (1 - c) - x * s),
        *(z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z * (1 - c) + c),
    )
    return np_.reshape(np_.stack(entries, 0), (3, 3))


def loss(np_: Any, parameters: Any, *hand: Any) -> Any:
    """The sum of squared distances."""
    bones, inverses, vertices, weights, at, points = hand
    relative = np_.concatenate([bones[:, :, :3] @ turned(np_, parameters), bones[:, :, 3:]], 2)
    transforms = np_.concatenate(_levels(np_, relative))[PLACES] @ inverses
    blended = weights @ np_.reshape(transforms[:, :3], (BONES, 12))
    posed = np_.sum(np_.reshape(blended, (VERTICES, 3, 4)) * vertices[:, None, :], axis=2)
    moved = posed @ np_.swapaxes(about(np_, parameters[:3]), 0, 1) + parameters[3:6]
    apart = points - moved[at]
    return np_.sum(apart * apart)


def by_hand(parameters: Any, *hand: Any) -> Any:
    """The pullback, level by level."""
    bones, inverses, vertices, weights, at, points = hand
    angles = np.append(parameters, 0.0)[ANGLES]
    (cx, cz), (sx, sz) = np.cos(angles), np.sin(angles)
    rotations = np.zeros((BONES, 3, 3))
    rotations[:, 0, 0], rotations[:, 0, 1], rotations[:, 0, 2] = cz, -sz * cx, sz * sx
    rotations[:, 1, 0], rotations[:, 1, 1], rotations[:, 1, 2] = sz, cz * cx, -cz * sx
    rotations[:, 2, 1], rotations[:, 2, 2] = sx, cx
    relative = bones.copy()
    np.matmul(bones[:, :, :3], rotations, out=relative[:, :, :3])
    levels = _levels(np, relative)
    transforms = np.concatenate(levels)[PLACES] @ inverses
    blended = (weights @ transforms[:, :3].reshape(BONES, 12)).reshape(VERTICES, 3, 4)
    posed = np.einsum("vij,vj->vi", blended, vertices)
    axis = parameters[:3]
    whole = about(np, axis)
    apart = points - (posed @ whole.T + parameters[3:6])[at]

    found = np.zeros(PARAMETERS + 1)
    to_moved = np.zeros((VERTICES, 3))
    np.add.at(to_moved, at, -2 * apart)
    found[3:6] = to_moved.sum(axis=0)
    found[:3] = _to_axis(axis, to_moved.T @ posed)
    to_blended = (to_moved @ whole)[:, :, None] * vertices[:, None, :]
    to_transforms = np.zeros((BONES, 4, 4))
    to_transforms[:, :3] = (weights.T @ to_blended.reshape(VERTICES, 12)).reshape(BONES, 3, 4)
    to_absolute = to_transforms @ inverses.transpose(0, 2, 1)
    to_relative = np.empty((BONES, 4, 4))
    pulled = to_absolute[LEVELS[-1]]
    for depth in range(len(LEVELS) - 1, -1, -1):
        level, above = np.array(LEVELS[depth]), levels[depth][:5]
        to_relative[level] = above.transpose(0, 2, 1) @ pulled
        back = pulled @ relative[level].transpose(0, 2, 1)
        if depth:
            pulled = to_absolute[LEVELS[depth - 1]]
            pulled[:5] += back
    to_relative[0] = to_absolute[0] + back.sum(axis=0)
    g = bones[:, :, :3].transpose(0, 2, 1) @ to_relative[:, :, :3]
    to_cx = g[:, 2, 2] - sz * g[:, 0, 1] + cz * g[:, 1, 1]
    to_sx = g[:, 2, 1] + sz * g[:, 0, 2] - cz * g[:, 1, 2]
    to_cz = g[:, 0, 0] + cx * g[:, 1, 1] - sx * g[:, 1, 2]
    to_sz = g[:, 1, 0] - cx * g[:, 0, 1] + sx * g[:, 0, 2]
    found[ANGLES[0]] += cx * to_sx - sx * to_cx
    found[ANGLES[1]] += cz * to_sz - sz * to_cz
    return found[:PARAMETERS]


def _to_axis(axis: Any, g: Any) -> Any:
    """The cotangent of an axis, given that of the rotation about it."""
    angle = np.sqrt(axis @ axis)
    unit, c, s = axis / angle, np.cos(angle), np.sin(angle)
    skew = np.array((g[2, 1] - g[1, 2], g[0, 2] - g[2, 0], g[1, 0] - g[0, 1]))
    to_unit = (1 - c) * ((g + g.T) @ unit) + s * skew
    to_angle = c * (unit @ skew) - s * (np.trace(g) - unit @ g @ unit)
    return (to_unit - unit * (unit @ to_unit)) / angle + to_angle * unit
