"""One instance of a law, asked again: the line that a failure's snippet ends with."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from combinators.errors import TypeMismatch
from combinators.literal import Literal
from combinators.morphisms import Constant, Curry, Id, Morphism, Primitive, Relabel, prod
from combinators.objects import Fun, Object, Product, Record, Tensor, Unit, Vector, components
from combinators.operation import Operation
from combinators.primitives.structural import VECTOR
from laws.asking.instance import Instance
from laws.asking.scene import Scene
from laws.asking.verdict import Counterexample, Verdict
from laws.comparing.equality import Level
from laws.comparing.probes import Probes
from laws.law import Law
from laws.model import model_of, name_of
from laws.structures import LAWS

Named = TypeVar("Named")


class Recorded(Probes):
    """Probes that are known; at places that are not, the simplest there are."""

    def __init__(self, arguments: Mapping[str, Any], cotangents: Mapping[str, Any]) -> None:
        """By place."""
        super().__init__(simplest, ones)
        self._given = {"argument": arguments, "cotangent": cotangents}

    def _once(self, what: str, place: str, obj: Object, ask: Any) -> Any:
        given = self._given[what]
        return given[place] if place in given else super()._once(what, place, obj, ask)


def answers(probes: Probes, what: str) -> dict[str, Any]:
    """What probes answered so far, by place: ``what`` is ``"argument"`` or ``"cotangent"``."""
    if isinstance(probes, Recorded):
        return dict(probes._given[what])
    return {place: found for (asked, place, _), found in probes._known.items() if asked == what}


def settled(scene: Scene) -> Scene:
    """The scene with its probes as they answered: it draws nothing any more."""
    known = Recorded(answers(scene.probes, "argument"), answers(scene.probes, "cotangent"))
    return Scene(scene.law, scene.model, scene.instance, scene.point, known)


def replay(
    model: Any,
    law: str | Law,
    *,
    objects: Mapping[str, Object] | None = None,
    arrows: Mapping[str, Morphism] | None = None,
    point: Morphism | None = None,
    arguments: Mapping[str, Morphism] | None = None,
    cotangents: Mapping[str, Any] | None = None,
) -> Verdict:
    """Ask whether a law holds at one instance: objects and arrows by name, at a point.

    ``arguments`` and ``cotangents`` are those with which outcomes are told apart, by place, as a
    failure prints them. What the law quantifies over and is not given raises ``TypeMismatch``.
    """
    asked = law_named(law) if isinstance(law, str) else law
    instance = Instance(
        _all({v: v.name for v in asked.variables}, objects or {}, asked),
        _all({g: g.name for g in asked.generators}, arrows or {}, asked),
    )
    probes = Recorded(arguments or {}, cotangents or {})
    return verdict_at(Scene(asked, model_of(model), instance, point or Id(Unit), probes))


def verdict_at(scene: Scene) -> Verdict:
    """What is found at one scene."""
    began = time.perf_counter()
    found, level = _found(scene)
    return Verdict(
        scene.law,
        name_of(scene.model),
        "passed" if found is None else "failed",
        1,
        time.perf_counter() - began,
        level,
        counterexample=found,
    )


def _found(scene: Scene) -> tuple[Counterexample | None, Level]:
    try:
        difference, level = scene.verdict()
    except Exception as error:  # noqa: BLE001 (whatever a model raises is what was found)
        return Counterexample(scene, None, error), Level.NORMAL
    return None if difference is None else Counterexample(scene, difference), level


def law_named(name: str) -> Law:
    """The law of that name."""
    for law in LAWS:
        if law.name == name:
            return law
    raise TypeMismatch(f"there is no law {name!r}; `diffcurry laws --list` lists them")


def _all(wanted: Mapping[Named, str], given: Mapping[str, Any], law: Law) -> dict[Named, Any]:
    """What is wanted, found among what is given by name."""
    missing = [name for name in wanted.values() if name not in given]
    if missing:
        raise TypeMismatch(f"law {law.name} is about {', '.join(missing)}, which is not given")
    return {thing: given[name] for thing, name in wanted.items()}


def simplest(obj: Object, dom: Object = Unit) -> Morphism:
    """A global element of zeros, and of functions that give zeros; or it, from anywhere."""
    match obj:
        case Tensor():
            return Constant(dom, Literal(np.zeros(obj.shape, dtype=obj.dtype)))
        case Product():
            return prod(dom, *(simplest(part, dom) for part in obj.parts))
        case Record(_, product):
            return simplest(product, dom) >> Relabel(product, obj)
        case Fun(argument, cod):
            body = Curry(simplest(cod, Product(dom, argument)))
            return prod(dom, Id(dom)) >> body
        case Vector(item, length):
            items = [simplest(item, dom)] * length
            return prod(dom, *items) >> Primitive(Operation(VECTOR), (item,) * length)
        case _:
            raise TypeMismatch(f"{obj!r} has no simplest element")


def ones(obj: Object) -> Any:
    """A covector of ones; of functions, no calls."""
    product = components(obj)
    parts: Iterable[Object] | None = product.parts if product is not None else None
    if isinstance(obj, Vector):
        parts = (obj.item,) * obj.length
    if parts is not None:
        return tuple(map(ones, parts))
    if isinstance(obj, Tensor) and obj.is_smooth:
        return Literal(np.ones(obj.shape, dtype=obj.dtype))
    return [] if isinstance(obj, Fun) else None
