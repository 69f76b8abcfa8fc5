"""A scene at smaller objects: of a product one component, or all but one.

What goes out of the product is given zero for the components that are gone; of what goes into it
they are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from combinators.errors import TypeMismatch
from combinators.morphisms import Id, Morphism, Projection, Relabel, prod
from combinators.objects import Object, Product, Record, components
from laws.asking.features import size
from laws.asking.instance import Instance
from laws.asking.replaying import Recorded, simplest
from laws.asking.scene import Scene
from laws.asking.seeing import joined
from laws.language.variables import Variable


def narrowed(scene: Scene) -> Iterator[Scene]:
    """The scenes with a component less, whose arrows are no larger.

    A model that casts its own examples, and laws of sums, say themselves what their objects are.
    """
    law = scene.law
    if hasattr(scene.model, "cast") or any(g.sort == "sum" for g in law.generators):
        return
    for variable, obj in scene.instance.objects.items():
        product = components(obj)
        if product is not None:
            for change in _changes(variable, obj, product):
                try:
                    less = change.scene(scene)
                except TypeMismatch:
                    continue
                if _held(less) <= _held(scene):
                    yield less


def _held(scene: Scene) -> int:
    return size(scene.point) + sum(map(size, scene.instance.arrows.values()))


def _changes(variable: Variable, obj: Object, product: Product) -> Iterator[_Change]:
    kept = tuple(Projection(obj, index) for index in range(product.width))
    for index, part in enumerate(product.parts):
        yield _Change(variable, kept[index], _back(obj, part, {index: Id(part)}))
    for index in range(product.width):
        rest = kept[:index] + kept[index + 1 :]
        out = prod(obj, *rest)
        given = {p.index: Projection(out.cod, at) for at, p in enumerate(rest)}
        yield _Change(variable, out, _back(obj, out.cod, given))


def _back(obj: Object, source: Object, given: Mapping[int, Morphism]) -> Morphism:
    """To a product or a record from some of its components, the others zero."""
    product = components(obj)
    assert product is not None
    parts = (given.get(i) or simplest(part, source) for i, part in enumerate(product.parts))
    made = prod(source, *parts)
    return made >> Relabel(product, obj) if isinstance(obj, Record) else made


@dataclass(frozen=True)
class _Change:
    """Another object for a variable, with arrows from the old to the new, and back."""

    variable: Variable
    out: Morphism
    back: Morphism

    def scene(self, scene: Scene) -> Scene:
        """Everything at the other object; probes, which were of the old one, are the simplest."""
        old = scene.instance
        arrows = {
            g: joined(
                joined(self._at(g.dom, old, self.back), arrow), self._at(g.cod, old, self.out)
            )
            for g, arrow in old.arrows.items()
        }
        new = Instance({**old.objects, self.variable: self.out.cod}, arrows)
        side = scene.law.lhs if isinstance(scene.law.lhs, Morphism) else scene.law.rhs
        moved = self._at(side.dom, old, self.out) if isinstance(side, Morphism) else None
        point = scene.point if moved is None else joined(scene.point, moved)
        return Scene(scene.law, scene.model, new, point, Recorded({}, {}))

    def _at(self, obj: Object, old: Instance, arrow: Morphism) -> Morphism:
        """What ``arrow`` does at an object of the law; ``TypeMismatch`` inside of others."""
        if obj is self.variable:
            return arrow
        if isinstance(obj, Product):
            parts = [self._at(part, old, arrow) for part in obj.parts]
            if all(isinstance(part, Id) for part in parts):
                return Id(old.obj(obj))
            source = Product(*(part.dom for part in parts))
            return prod(
                source, *(joined(Projection(source, i), part) for i, part in enumerate(parts))
            )
        if isinstance(obj, Variable) or old.obj(obj) is obj:
            return Id(old.obj(obj))
        raise TypeMismatch(f"nothing is known of {obj!r}")
