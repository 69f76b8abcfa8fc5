"""A broken scene made smaller: its arrows, part by part, and then its objects.

Hypothesis shrinks what was drawn; this shrinks what was made of it. Parts of arrows give way to
identities and constants, and of a product one component is kept, or all but one: what goes out of
the product is given zero for the components that are gone; of what goes into it they are left out.
Composition sees through tuples, and of ``⟨f, g⟩ >> π0`` it leaves f.

>>> from combinators.morphisms import Id, Projection, prod
>>> from combinators.objects import Product, Real
>>> pair = prod(Real, Id(Real), Id(Real))
>>> joined(pair, Projection(pair.cod, 1))
id
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from combinators.errors import TypeMismatch
from combinators.morphisms import (
    Choice,
    Compose,
    Constant,
    Curry,
    Eval,
    Extend,
    Id,
    Morphism,
    Prod,
    Projection,
    Relabel,
    compose,
    prod,
)
from combinators.objects import Object, Product, Record, components
from laws.language import Variable
from laws.scene import Instance, Recorded, Scene, simplest, size
from laws.strategies.making import paths


def joined(first: Morphism, second: Morphism) -> Morphism:
    """``first >> second``, with projections of tuples taken and constants moved to the front."""
    if isinstance(second, Constant):
        return Constant(first.dom, second.literal)
    if isinstance(second, Compose):
        for step in second.arrows:
            first = joined(first, step)
        return first
    *before, last = first.arrows if isinstance(first, Compose) else (first,)
    if isinstance(last, Relabel) and isinstance(second, Projection):
        return joined(compose(Id(first.dom), *before), Projection(last.dom, second.index))
    if isinstance(last, Prod):
        return compose(*before, _through(last, second))
    return compose(first, second)


def _through(parts: Prod, arrow: Morphism) -> Morphism:
    """``⟨f, g, …⟩ >> h``."""
    match arrow:
        case Id():
            return parts
        case Projection(_, index):
            return parts.arrows[index]
        case Prod(_, arrows):
            return prod(parts.dom, *(joined(parts, below) for below in arrows))
        case Extend(bound):
            return prod(parts.dom, *parts.arrows, joined(parts, bound))
        case _:
            return compose(parts, arrow)


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


Breaks = Callable[[Scene], bool]
MOST = 400
"""How many smaller scenes are looked at."""


def smaller(scene: Scene, breaks: Breaks) -> Scene:
    """A scene whose arrows are no larger and which still ``breaks``; itself if it is minimal."""
    scene = scene.settled()
    tries = iter(range(MOST))
    while (less := _next(scene, breaks, tries)) is not None:
        scene = less
    return scene


def _next(scene: Scene, breaks: Breaks, tries: Iterator[int]) -> Scene | None:
    """The first smaller scene that breaks."""
    for candidate, _ in zip(_candidates(scene), tries, strict=False):
        if breaks(candidate):
            return candidate
    return None


def _candidates(scene: Scene) -> Iterator[Scene]:
    for generator, arrow in scene.instance.arrows.items():
        if generator.sort != "linear":
            for less in _lesser(arrow):
                arrows = {**scene.instance.arrows, generator: less}
                yield _anew(scene, Instance(scene.instance.objects, arrows), scene.point)
    for less in _lesser(scene.point):
        yield _anew(scene, scene.instance, less)
    yield from narrowed(scene)


def _anew(scene: Scene, instance: Instance, point: Morphism) -> Scene:
    return Scene(scene.law, scene.model, instance, point, scene.probes)


def _lesser(arrow: Morphism) -> Iterator[Morphism]:
    """Arrows of the same type, each smaller by one part: the largest parts first."""
    for simple in _simple(arrow.dom, arrow.cod):
        if size(simple) < size(arrow):
            yield simple
    match arrow:
        case Compose(steps):
            seen = joined(Id(arrow.dom), arrow)
            if size(seen) < size(arrow):
                yield seen
            yield from _shortened(steps)
            yield from _reduced(steps)
            for at, step in enumerate(steps):
                for less in _lesser(step):
                    yield compose(*steps[:at], less, *steps[at + 1 :])
        case Prod(source, arrows):
            for at, part in enumerate(arrows):
                for less in _lesser(part):
                    yield prod(source, *arrows[:at], less, *arrows[at + 1 :])
        case Extend(bound):
            yield from map(Extend, _lesser(bound))
        case Curry(body):
            yield from map(Curry, _lesser(body))
        case Choice(then, other):
            yield from (Choice(less, other) for less in _lesser(then))
            yield from (Choice(then, less) for less in _lesser(other))


def _shortened(steps: tuple[Morphism, ...]) -> Iterator[Morphism]:
    """Fewer steps: some in the middle gone, or done by one that is simple."""
    for length in range(len(steps), 0, -1):
        for at in range(len(steps) - length + 1):
            before, after = steps[:at], steps[at + length :]
            dom, cod = steps[at].dom, steps[at + length - 1].cod
            if dom is cod and (before or after):
                yield compose(*before, *after)
            if length > 1 and length < len(steps):
                for simple in _simple(dom, cod):
                    if size(simple) < sum(map(size, steps[at : at + length])):
                        yield compose(*before, simple, *after)


def _reduced(steps: tuple[Morphism, ...]) -> Iterator[Morphism]:
    """Called λs are inlined, choices made, tuples with what is done to them one component."""
    for at, (step, then) in enumerate(pairwise(steps)):
        before, after = steps[:at], steps[at + 2 :]
        match step, then:
            case Prod(source, (function, argument)), Eval():
                inlined = _called(source, function, argument)
                if inlined is not None:
                    yield compose(*before, inlined, *after)
            case Prod(_, (_, given)), Choice(first, second):
                yield compose(*before, given, first, *after)
                yield compose(*before, given, second, *after)
        if isinstance(step, Prod):
            for end in range(at + 1, len(steps)):
                for part in step.arrows:
                    if part.cod is steps[end].cod:
                        yield compose(*before, part, *steps[end + 1 :])


def _called(source: Object, function: Morphism, argument: Morphism) -> Morphism | None:
    """The body of a λ that is called, where it stands."""
    match function:
        case Curry(body) if isinstance(source, Product):
            captured = tuple(Projection(source, i) for i in range(source.width))
        case Compose((Prod(_, captured), Curry(body))):
            pass
        case _:
            return None
    return prod(source, *captured, argument) >> body


def _simple(dom: Object, cod: Object) -> Iterator[Morphism]:
    """The identity, the projections, and zero."""
    yield from paths(dom, cod)
    with suppress(TypeMismatch):
        yield simplest(cod, dom)
