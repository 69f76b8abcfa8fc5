"""What a primitive owes: a sound type, a linear transpose, and the derivative of its value.

The model is of one primitive. It says what stands for the law's arrow and points (``cast``), and

- ``shown(value)``: what types a value of the result shows, ``said()`` what the rule says;
- ``slope(x, v)``: how the value changes along ``v``, with how far off that may be;
- ``rows``, of a pointwise primitive: what it gives at two points at once, and at each alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.morphisms import Morphism
from combinators.objects import Real, Unit
from laws.language import (
    D,
    Generator,
    Image,
    Inner,
    Plus,
    R,
    Scaled,
    Variable,
    Zero,
    pair,
    points,
    tangent,
)
from laws.law import Computed, Law, Structure
from laws.observation import observed

PRIMITIVE = Structure(
    "primitive",
    "Primitive",
    methods=("run", "cast", "shown", "said", "slope", "D", "R", "add", "scale", "inner", "zero"),
)
OTHER_CARRIERS = Structure(
    "primitive on carriers", "Primitive on carriers", (PRIMITIVE,), methods=("ways:rational",)
)
POINTWISE = Structure("pointwise primitive", "Pointwise primitive", (PRIMITIVE,), methods=("rows",))

X, Y = Variable("X", "data"), Variable("Y", "data")
p = Generator("p", X, Y)
x, z = points("x z", X)
(v,) = points("v", tangent(X))
u, w = points("u w", tangent(Y))
(number,) = points("λ", Real)

pushed = D(p)
DECLARED = "combinators.operation: a derivative is declared once, for both modes"
ELEMENTWISE = "the definition of a pointwise function"
COCKETT = "Cockett et al., Reverse derivative categories, RD2"


def _shown(scene: Any) -> Any:
    model = scene.model
    return model.shown(model.value(model.run(scene.arrow(p), scene.at(x))))


def _seen(scene: Any, side: Morphism) -> Any:
    """The value at x, and the pullback there."""
    outcome = scene.model.run(scene.arrow(side), scene.at(x))
    return dict(observed(scene.model, scene.obj(Y), outcome, scene.probes))


def _off(scene: Any) -> Any:
    """How far the pushforward is from the slope of the value."""
    model = scene.model
    found = model.run(scene.arrow(D(p)), (scene.at(x), scene.at(v)))
    slope, _ = model.slope(scene.at(x), scene.at(v))
    with np.errstate(all="ignore"):
        off = np.abs(np.asarray(found, float) - np.asarray(slope, float))
    return float(np.max(np.where(np.isnan(off), np.inf, off), initial=0.0))


def _may_be_off(scene: Any) -> Any:
    return float(scene.model.slope(scene.at(x), scene.at(v))[1])


def _rows(way: str) -> Callable[[Any], Any]:
    """What a pointwise primitive gives at x and z, together or apart."""
    return lambda scene: getattr(scene.model.rows, way)(scene.at(x), scene.at(z))


def pulled(cotangent: Any) -> Any:
    """``R[p](x, …)``."""
    return pair(x, cotangent) >> R(p)


TYPING = Law(
    "T1",
    "the value has the type that the typing rule says",
    Computed("type of p(x)", _shown, (p, x)),
    Computed("typing rule", lambda scene: scene.model.said(), (p, x)),
    PRIMITIVE,
    "Wright and Felleisen, 1994: typing is sound",
    tame=True,
)
LAWS = (
    TYPING,
    Law(
        "T2a",
        "the transpose is additive",
        pulled(Plus(u, w)),
        Plus(pulled(u), pulled(w)),
        PRIMITIVE,
        COCKETT,
        tame=True,
    ),
    Law(
        "T2b",
        "the transpose is homogeneous",
        pulled(Scaled(number, u)),
        Scaled(number, pulled(u)),
        PRIMITIVE,
        COCKETT,
        tame=True,
    ),
    Law(
        "T3",
        "pushforward and pullback are each other's transposes",
        Inner(pair(x, v) >> D(p), w),
        Inner(v, pulled(w)),
        PRIMITIVE,
        DECLARED,
        tame=True,
    ),
    Law(
        "T4",
        "the pushforward is how the value changes, found in high precision",
        Computed("|D[p](x, v) − (p(x + hv) − p(x − hv))/2h|", _off, (p, x, v)),
        Computed("what rounding allows", _may_be_off, (p, x, v)),
        PRIMITIVE,
        "the definition of a derivative",
        relation="≤",
        tame=True,
    ),
    Law(
        "T5",
        "values and pullbacks over the rationals are the same numbers",
        Computed(
            "p(x) over the rationals", lambda scene: _seen(scene, Image("rational", p)), (p, x)
        ),
        Computed("p(x)", lambda scene: _seen(scene, p), (p, x)),
        OTHER_CARRIERS,
        "a primitive is one function, whatever computes it",
        tame=True,
    ),
    Law(
        "T6",
        "the transpose of zero is zero, at every point, infinities and nan among them",
        pulled(Zero(Unit, tangent(Y))),
        Zero(Unit, tangent(X)),
        PRIMITIVE,
        COCKETT,
    ),
    Law(
        "T7a",
        "of arrays the value is element by element, and they are left as they were",
        Computed("p([x, z])", _rows("together"), (p, x, z)),
        Computed("[p(x), p(z)]", _rows("apart"), (p, x, z)),
        POINTWISE,
        ELEMENTWISE,
        tame=True,
    ),
    Law(
        "T7b",
        "of arrays the pullback is element by element",
        Computed("R[p]([x, z], 1)", _rows("pulled_together"), (p, x, z)),
        Computed("[R[p](x, 1), R[p](z, 1)]", _rows("pulled_apart"), (p, x, z)),
        POINTWISE,
        ELEMENTWISE,
        tame=True,
    ),
)
