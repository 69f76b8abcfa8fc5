"""Tangents and cotangents as a user sees them: what is shown and read back is what it was.

A cotangent of a function is shown as the list of its calls or as what it captured, a tangent as a
function or not at all where it is zero. A model says

- ``shows``: whether its numbers are such as users are shown;
- ``show(cotangent, obj, value)`` and ``read(shown, obj, value)``, of a cotangent at a value;
- ``push(arrow, point, probe)``: the tangent that an arrow gives along a probe, and
  ``show_tangent(tangent, obj)``, ``read_tangent(shown, obj, value)``;
- ``told(cotangent, obj, point, probes)`` and ``told_tangent(tangent, obj, probes)``: the numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.morphisms import Curry
from combinators.objects import Product
from laws.language import Generator, Variable, points
from laws.law import Computed, Law, Structure
from laws.structures.closed import CLOSED
from laws.structures.function_tangents import FUNCTION_TANGENTS

SHOWN_COTANGENTS = Structure(
    "shown cotangents",
    "Cotangents as they are shown",
    (FUNCTION_TANGENTS,),
    methods=("shows", "show", "read"),
)
SHOWN_TANGENTS = Structure(
    "shown tangents",
    "Tangents as they are shown",
    (CLOSED,),
    methods=("shows", "push", "show_tangent", "read_tangent", "told_tangent"),
)

A, B, C, D = map(Variable, "ABCD")
captured = Product(A, B)
f = Generator("f", captured.snoc(C), D)
(x,) = points("x", captured)
made = Curry(f)

FORMS = "up to the equivalence of Vytiniotis et al., The differentiable curry, Fig. 4"


def _cotangent(scene: Any, *, shown: bool) -> dict[str, Any]:
    """By its numbers; ``shown`` says whether a user was in between."""
    model, obj = scene.model, scene.obj(made.cod)
    value = model.value(model.run(scene.arrow(made), scene.at(x)))
    cotangent = model.covector(scene.probes.cotangent("c", obj), obj)
    if shown:
        cotangent = model.read(model.show(cotangent, obj, value), obj, value)
    return dict(model.told(cotangent, obj, value, scene.probes))


def _tangent(scene: Any, *, shown: bool) -> dict[str, Any]:
    """``D[curry(f)](x, v)`` by its numbers."""
    model, obj, arrow, point = scene.model, scene.obj(made.cod), scene.arrow(made), scene.at(x)
    tangent = model.push(arrow, point, scene.probes.cotangent("v", scene.obj(captured)))
    if shown:
        value = model.value(model.run(arrow, point))
        tangent = model.read_tangent(model.show_tangent(tangent, obj), obj, value)
    return dict(model.told_tangent(tangent, obj, scene.probes))


def _law(
    name: str, of: str, text: str, told: Callable[..., dict[str, Any]], structure: Structure
) -> Law:
    return Law(
        name,
        f"{of} of a function is read as what was shown",
        Computed(f"read(show({text}))", lambda scene: told(scene, shown=True), (f, x)),
        Computed(text, lambda scene: told(scene, shown=False), (f, x)),
        structure,
        FORMS,
    )


LAWS = (
    _law("U1", "a cotangent", "c", _cotangent, SHOWN_COTANGENTS),
    _law("U2", "the tangent", "D[curry(f)](x, v)", _tangent, SHOWN_TANGENTS),
)
