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
    R,
    Scaled,
    Variable,
    Zero,
    pair,
    points,
    tangent,
)
from laws.law import Structure, stating
from laws.observation import observed
from laws.structures.derivatives import additive

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


def _rows(what: str, *, together: bool) -> Callable[[Any], Any]:
    """What a pointwise primitive gives at x and z, together or apart."""
    return lambda at: at.model.rows(at.at(x), at.at(z), what, together=together)


def pulled(cotangent: Morphism) -> Morphism:
    """``R[p](x, …)``."""
    return pair(x, cotangent) >> R(p)


law = stating(
    PRIMITIVE, "combinators.operation: a derivative is declared once, for both modes", tame=True
)
transposed = stating(PRIMITIVE, "Cockett et al., Reverse derivative categories, RD2")
rowwise = stating(POINTWISE, "the definition of a pointwise function", of=(p, x, z), tame=True)

TYPING = law(
    "T1",
    "the value has the type that the typing rule says",
    of=(p, x),
    source="Wright and Felleisen, 1994: typing is sound",
)(("type of p(x)", _shown), ("typing rule", lambda at: at.model.said()))

LAWS = (
    TYPING,
    transposed("T2a", "the transpose is additive", tame=True)(*additive(pulled, u, w)),
    transposed("T2b", "the transpose is homogeneous", tame=True)(
        pulled(Scaled(number, u)), Scaled(number, pulled(u))
    ),
    law("T3", "pushforward and pullback are each other's transposes")(
        Inner(pair(x, v) >> D(p), w), Inner(v, pulled(w))
    ),
    law(
        "T4",
        "the pushforward is how the value changes, found in high precision",
        of=(p, x, v),
        source="the definition of a derivative",
        relation="≤",
    )(
        ("|D[p](x, v) − (p(x + hv) − p(x − hv))/2h|", _off),
        ("what rounding allows", lambda at: float(at.model.slope(at.at(x), at.at(v))[1])),
    ),
    law(
        "T5",
        "values and pullbacks over the rationals are the same numbers",
        of=(p, x),
        structure=OTHER_CARRIERS,
        source="a primitive is one function, whatever computes it",
    )(
        ("p(x) over the rationals", lambda at: _seen(at, Image("rational", p))),
        ("p(x)", lambda at: _seen(at, p)),
    ),
    transposed(
        "T6", "the transpose of zero is zero, at every point, infinities and nan among them"
    )(pulled(Zero(Unit, tangent(Y))), Zero(Unit, tangent(X))),
    rowwise("T7a", "of arrays the value is element by element, and they are left as they were")(
        ("p([x, z])", _rows("value", together=True)),
        ("[p(x), p(z)]", _rows("value", together=False)),
    ),
    rowwise("T7b", "of arrays the pullback is element by element")(
        ("R[p]([x, z], 1)", _rows("pullback", together=True)),
        ("[R[p](x, 1), R[p](z, 1)]", _rows("pullback", together=False)),
    ),
)
