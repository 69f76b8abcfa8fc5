"""What a tangent space of the user's owes: a commutative monoid, and rules that fit together.

The model is of one declared class. ``tangents`` are its rules, as functions of coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from laws.language import Generator, Variable, points
from laws.law import Structure, stating

MONOID = Structure("tangent monoid", "Declared tangents", methods=("cast", "tangents"))
SPACE = Structure("tangent space", "Declared tangent spaces", (MONOID,))

X, T = Variable("X", "vector"), Variable("T", "vector")
(x,) = points("x", X)
g, h = points("g h", X)
v, w, z = points("v w z", T)

Rule = Callable[..., Any]


def _of(rule: str, *given: Generator) -> Callable[[Any], Any]:
    """What a rule gives of points."""
    return lambda scene: scene.model.tangents(rule, *map(scene.at, given))


def _plus(left: Generator, right: Generator) -> Callable[[Any], Any]:
    return lambda scene: _sum(scene, scene.at(left), scene.at(right))


def _sum(scene: Any, left: Any, right: Any) -> Any:
    return scene.model.tangents.plus(left, right)


def _off(scene: Any) -> float:
    """How far from the motion of the coordinates it is when they are led back to the type."""
    moved = _of("move", x, v)(scene)
    return float(np.max(np.abs(scene.model.tangents.slope(scene.at(x), moved) - moved), initial=0))


monoid = stating(
    MONOID, "The differentiable curry, Figure 6: cotangents are a commutative monoid", tame=True
)
space = stating(
    SPACE, "The differentiable curry, section 6.2: tangent spaces are the user's", tame=True
)

LAWS = (
    monoid("TS1", "tangents of the user's are added in either order", of=(v, w))(
        ("v + w", _plus(v, w)), ("w + v", _plus(w, v))
    ),
    monoid("TS2", "three are added from either end", of=(v, w, z))(
        ("(v + w) + z", lambda at: _sum(at, _plus(v, w)(at), at.at(z))),
        ("v + (w + z)", lambda at: _sum(at, at.at(v), _plus(w, z)(at))),
    ),
    monoid("TS3", "its zero adds nothing", of=(v,))(
        ("v + 0", lambda at: _sum(at, at.at(v), at.model.tangents.zero)), ("v", lambda at: at.at(v))
    ),
    space(
        "TS4", "cotangents of coordinates arrive together as they do apart", of=(x, g, h), tame=True
    )(
        ("arrive(x, g + h)", lambda at: at.model.tangents("arrive", at.at(x), at.at(g) + at.at(h))),
        (
            "arrive(x, g) + arrive(x, h)",
            lambda at: _sum(at, _of("arrive", x, g)(at), _of("arrive", x, h)(at)),
        ),
    ),
    space(
        "TS5",
        "how a cotangent arrives is the transpose of how coordinates move",
        of=(x, v, g),
        tame=True,
    )(
        ("⟨move(x, v), g⟩", lambda at: np.sum(_of("move", x, v)(at) * at.at(g))),
        ("⟨v, arrive(x, g)⟩", lambda at: np.sum(at.at(v) * _of("arrive", x, g)(at))),
    ),
    space("TS6", "how the coordinates move says the tangent", of=(x, v))(
        (
            "project(x, move(x, v))",
            lambda at: at.model.tangents("project", at.at(x), _of("move", x, v)(at)),
        ),
        ("v", lambda at: at.at(v)),
    ),
    space(
        "TS7", "how a cotangent leaves is the transpose of the projection", of=(x, v, g), tame=True
    )(
        ("⟨leave(x, v), g⟩", lambda at: np.sum(_of("leave", x, v)(at) * at.at(g))),
        ("⟨v, project(x, g)⟩", lambda at: np.sum(at.at(v) * _of("project", x, g)(at))),
    ),
    space(
        "TS8",
        "coordinates move along the type, and not out of it",
        of=(x, v),
        tame=True,
        relation="≤",
    )(
        ("|d/dh nearby(x + h move(x, v)) − move(x, v)|", _off),
        ("what rounding allows", lambda at: at.model.tangents.off),
    ),
)
