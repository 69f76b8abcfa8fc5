"""How far rounding may carry a float: seen by moving the problem a little and looking again.

Where both inputs and intermediate results move by ``√ε``, a result that moves by ``s`` has been
given a condition of ``s / √ε``, and ``n`` roundings may carry it by ``n ε`` times that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from combinators.errors import DiffcurryError
from combinators.kit.tree import distinct_nodes
from combinators.literal import Literal
from combinators.morphisms import Constant, Morphism
from laws.comparing.leaves import ROUNDINGS
from laws.comparing.nudge import Nudge
from laws.model import Leaf

if TYPE_CHECKING:
    from laws.asking.scene import Scene

SEEDS = (1, 2, 3, 4, 5)
"""How often the problem is moved."""
TORN = 2.0**16
"""Who moves by so many times more than what moved it is torn: a branch was changed, say."""


class IllConditioned(Exception):
    """Two floats that cannot be compared, since the least rounding carries them far apart."""


def precision(scene: Scene) -> float:
    """The coarsest relative rounding of the constants of a scene."""
    return max(
        (float(np.finfo(c.array.dtype).eps) for c in _literals(scene) if c.type.is_smooth),
        default=2.0**-52,
    )


def slack(scene: Scene, left: Iterable[Leaf]) -> dict[str, Any]:
    """By place, how far apart two sides may be; raises IllConditioned where that says nothing.

    There is a floor of some roundings of the largest constant.
    """
    epsilon = precision(scene)
    floor = ROUNDINGS * epsilon * _largest(scene)
    moved = [_moved(scene, epsilon**0.5, seed) for seed in SEEDS]
    found: dict[str, Any] = {}
    for place, leaf in left:
        x = np.asarray(leaf)
        if x.dtype.kind == "f":
            far = np.zeros(x.shape)
            for leaves in moved:
                far = np.maximum(far, _apart(x, leaves.get(place, leaf)))
            scale = np.abs(np.where(np.isfinite(x), x, 0)) + 1
            if np.any(far > TORN * epsilon**0.5 * scale):
                raise IllConditioned(f"at {place} the least rounding carries floats far apart")
            found[place] = floor + ROUNDINGS * epsilon**0.5 * far
    return found


def _moved(scene: Scene, amount: float, seed: int) -> dict[str, Any]:
    """What the left side gives where the scene is moved; nothing where that raises."""
    multiplies = "multiply" in getattr(scene.signature, "operations", ())
    try:
        nudged = scene.nudged(Nudge(amount, seed, primitives=multiplies))
        return dict(nudged.observed(scene.law.lhs))
    except DiffcurryError:
        return {}


def _apart(x: Any, leaf: Any) -> Any:
    """How far ``leaf`` is from x; infinitely where one of them is not finite and the other is."""
    y = np.asarray(leaf, dtype=float)
    if x.shape != y.shape:
        return np.full(x.shape, np.inf)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(all="ignore"):
        far = np.abs(x - y)
    return np.where(same, 0.0, np.where(np.isfinite(far), far, np.inf))


def magnitude(leaf: Any) -> float:
    """The largest finite number of a leaf; 0 where it holds none."""
    x = np.asarray(leaf)
    return float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) if x.dtype.kind == "f" else 0.0


def _largest(scene: Scene) -> float:
    """The largest finite constant, or 1."""
    largest = 1.0
    for literal in _literals(scene):
        if literal.type.is_smooth:
            finite = np.abs(literal.array[np.isfinite(literal.array)])
            largest = max(largest, float(finite.max(initial=0.0)))
    return largest


def _literals(scene: Scene) -> Iterator[Literal]:
    for arrow in (*scene.instance.arrows.values(), scene.point):
        for node in distinct_nodes(arrow, kind=Morphism):
            if isinstance(node, Constant):
                yield node.literal
