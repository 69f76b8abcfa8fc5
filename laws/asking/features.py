"""What the arrows of an example hold, how large they are, and of what a law needs to see enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from combinators.kit.tree import distinct_nodes
from combinators.morphisms import Choice, Constant, Curry, Morphism, Primitive, Prod
from combinators.objects import Object
from combinators.primitives.loops import LOOPS
from laws.asking.scene import Scene
from laws.comparing.probes import has_room
from laws.language.operators import R
from laws.language.variables import tangent
from laws.law import Computed, Law
from laws.model import Signature

FLOORS = {"closure": 0.05, "conditional": 0.03, "fold": 0.03, "non-zero cotangent": 0.3}
"""The share of examples below which a law is asked in vain."""
ENOUGH = 100
"""So many examples are needed to tell a small share."""
SOME = 30
"""So many examples with a covector are needed to tell how many of them are zero."""


def nodes(arrow: Morphism) -> Iterator[Morphism]:
    """The distinct combinators of an arrow."""
    return distinct_nodes(arrow, kind=Morphism)


def size(arrow: Morphism) -> int:
    """How many combinators an arrow holds."""
    return sum(1 for _ in nodes(arrow))


def features(arrows: Iterable[Morphism]) -> set[str]:
    """What stands in ``arrows``: a closure, a conditional, a fold."""
    return {found for arrow in arrows for node in nodes(arrow) if (found := _feature(node))}


def held(scene: Scene) -> set[str]:
    """What an example held, after it was looked at: in its arrows, and as covectors."""
    found = features([*scene.instance.arrows.values(), scene.point]) | scene.probes.features()
    asked = list(_covectors(scene))
    found |= {"cotangent"} if asked else set()
    return found | ({"non-zero cotangent"} if any(map(_is_not_zero, asked)) else set())


def wanted(law: Law, signature: Signature) -> set[str]:
    """What examples of a law have to hold, so far as its arrows and the model can."""
    if not any(generator.sort == "arrow" for generator in law.generators):
        return {"non-zero cotangent"}
    found = {"non-zero cotangent"}
    found |= {"closure"} if signature.functions else set()
    found |= {"conditional"} if signature.conditionals and signature.operations else set()
    return found | ({"fold"} if signature.loops else set())


def scarce(law: Law, signature: Signature, counts: Mapping[str, int], examples: int) -> str:
    """What too few of the examples held, with the numbers; nothing where there was enough.

    Covectors are wanted of the examples where they were asked for and had room not to be zero.
    """
    missing = []
    for name in sorted(wanted(law, signature)):
        is_covector = name == "non-zero cotangent"
        count, of = counts.get(name, 0), counts.get("cotangent", 0) if is_covector else examples
        if of >= (SOME if is_covector else ENOUGH) and count < FLOORS[name] * of:
            missing.append(f"{name} in {count} of {of} examples, and {FLOORS[name]:.0%} are needed")
    return "; ".join(missing)


def _covectors(scene: Scene) -> Iterator[Morphism]:
    """The elements of a scene that stand where a covector of some ``R[f]`` does, and have room."""
    return (element for element in _pulled(scene) if has_room(element.cod))


def _pulled(scene: Scene) -> Iterator[Morphism]:
    law, arrows = scene.law, scene.instance.arrows
    sides = [side for side in (law.lhs, law.rhs) if isinstance(side, Morphism)]
    reversed_ = [node for side in sides for node in nodes(side) if isinstance(node, R)]
    spaces = {tangent(reverse.arrow.cod) for reverse in reversed_} | set(_computed_spaces(law))
    for generator, arrow in arrows.items():
        if generator.sort == "point" and generator.cod in spaces:
            yield arrow
    doms = {side.dom for side in sides}
    if doms & {reverse.dom for reverse in reversed_} and isinstance(scene.point, Prod):
        yield scene.point.arrows[-1]
    elif doms & spaces:
        yield scene.point


def _computed_spaces(law: Law) -> Iterator[Object]:
    """Where covectors are, of what a law computes of a model that pulls back."""
    methods = {name for above in law.structure.lineage() for name in above.methods}
    if methods & {"R", "pull"} and any(isinstance(side, Computed) for side in (law.lhs, law.rhs)):
        yield from (tangent(g.cod) for g in law.generators if g.sort != "point")


def _is_not_zero(element: Morphism) -> bool:
    return any(isinstance(node, Constant) and node.literal.array.any() for node in nodes(element))


def _feature(node: Morphism) -> str:
    match node:
        case Curry():
            return "closure"
        case Choice():
            return "conditional"
        case Primitive(operation) if operation.primitive in LOOPS:
            return "fold"
        case _:
            return ""
