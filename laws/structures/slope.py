"""L5: derivatives are those of the values, seen by differences.

The other laws say how derivatives hang together: ``D = 0`` and ``R = 0`` keep nearly all of them.
This is the one that looks at values. It is coarse, and is asked where a function does not bend: an
example at a kink or a jump is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Constant, Morphism
from combinators.objects import Unit
from laws.equality import IllConditioned
from laws.language import D, Generator, Inner, Plus, R, Scaled, Variable, pair, points
from laws.law import Computed, Law, Structure
from laws.observation import leaves, value_in
from laws.scene import Scene
from laws.structures.additive import ADDITIVE

SLOPE = Structure(
    "slope", "Slopes of values", (ADDITIVE,), arrows=("const",), methods=("D", "scale")
)
COSLOPE = Structure(
    "coslope",
    "Slopes of values, backwards",
    (ADDITIVE,),
    arrows=("const",),
    methods=("R", "scale", "inner"),
)

A, B = Variable("A", "vector"), Variable("B", "vector")
f = Generator("f", A, B)
x, v = points("x v", A)
(w,) = points("w", B)
SOURCE = "the definition of a derivative"

STEPS = {True: 2.0**-13, False: 2.0**-40}
"""How far to go for a difference, in floats and in exact numbers."""
BENDS = {True: 2.0**-7, False: 2.0**-20}
"""By how much the slopes to both sides may differ, for their size; and how near derivatives are."""


def _numbers(scene: Scene, side: Morphism) -> list[Any]:
    """The numbers that a side gives at the one point of Unit."""
    value = value_in(scene.model, scene.model.run(scene.arrow(side), ()))
    obj = scene.obj(side.cod)
    told = [np.asarray(leaf) for _, leaf in leaves(scene.model, obj, value, scene.probes)]
    return [_divisible(number) for leaf in told for number in leaf.ravel().tolist()]


def _divisible(number: Any) -> Any:
    """A number that is divided by a fraction: decimals are no kin to those."""
    return Fraction(number) if isinstance(number, Decimal) else number


def _along(step: float) -> Morphism:
    """``f(x + t v)``."""
    return Plus(x, Scaled(Constant(Unit, Literal(step)), v)) >> f


def _slopes(scene: Scene) -> Iterator[tuple[float, bool]]:
    """The slope of each number of ``f`` along ``v``, and whether numbers are floats."""
    here = _numbers(scene, x >> f)
    floating = any(isinstance(number, float) for number in here)
    step: Any = STEPS[floating] if floating else Fraction(STEPS[floating])
    there, back = (_numbers(scene, _along(sign * float(step))) for sign in (1, -1))
    for y, ahead, behind in zip(here, there, back, strict=True):
        up, down = float((ahead - y) / step), float((y - behind) / step)
        if not abs(up - down) <= BENDS[floating] * (1 + abs(up)):
            raise IllConditioned("the value bends or jumps here")
        yield (up + down) / 2, floating


def _forward(scene: Scene) -> tuple[float, float]:
    """How far ``D[f](x, v)`` is from the slope, and how far it may be."""
    slopes, found = list(_slopes(scene)), _numbers(scene, pair(x, v) >> D(f))
    return _apart(
        [(float(d), slope, floating) for d, (slope, floating) in zip(found, slopes, strict=True)]
    )


def _backward(scene: Scene) -> tuple[float, float]:
    """The same of ``⟨v, R[f](x, w)⟩``, and of the slope along ``w``."""
    slopes, weights = list(_slopes(scene)), _numbers(scene, w)
    (pulled,) = _numbers(scene, Inner(v, pair(x, w) >> R(f)))
    along = sum(slope * float(g) for (slope, _), g in zip(slopes, weights, strict=True))
    size = sum(abs(slope * float(g)) for (slope, _), g in zip(slopes, weights, strict=True))
    floating = any(floats for _, floats in slopes)
    return abs(float(pulled) - along), BENDS[floating] * (1 + size)


def _apart(compared: list[tuple[float, float, bool]]) -> tuple[float, float]:
    far = [(abs(d - slope), BENDS[floats] * (1 + abs(slope))) for d, slope, floats in compared]
    return max(far, key=lambda pair_: pair_[0] / pair_[1], default=(0.0, 1.0))


LAWS = (
    Law(
        "L5a",
        "a derivative is the slope of the value, as near as differences tell",
        Computed(
            "|D[f](x, v) - (f(x + hv) - f(x - hv))/2h|", lambda at: _forward(at)[0], (f, x, v)
        ),
        Computed("ε", lambda at: _forward(at)[1]),
        SLOPE,
        SOURCE,
        relation="≤",
        tame=True,
    ),
    Law(
        "L5b",
        "a pullback tells the slope of the value, as near as differences tell",
        Computed(
            "|⟨v, R[f](x, w)⟩ - ⟨(f(x + hv) - f(x - hv))/2h, w⟩|",
            lambda at: _backward(at)[0],
            (f, x, v, w),
        ),
        Computed("ε", lambda at: _backward(at)[1]),
        COSLOPE,
        SOURCE,
        relation="≤",
        tame=True,
        implied_by=("L5a", "L3"),
    ),
)
