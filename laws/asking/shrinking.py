"""A broken scene made smaller still: parts of its arrows give way to identities and constants.

Hypothesis shrinks what was drawn; this shrinks what was made of it, and then the objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise

from combinators.errors import TypeMismatch
from combinators.morphisms import (
    Choice,
    Compose,
    Curry,
    Eval,
    Extend,
    Id,
    Morphism,
    Prod,
    Projection,
    compose,
    prod,
)
from combinators.objects import Object, Product
from laws.asking.features import size
from laws.asking.instance import Instance
from laws.asking.narrowing import narrowed
from laws.asking.replaying import settled, simplest
from laws.asking.scene import Scene
from laws.asking.seeing import joined
from laws.strategies.making import paths

Breaks = Callable[[Scene], bool]
MOST = 400
"""How many smaller scenes are looked at."""


def smaller(scene: Scene, breaks: Breaks) -> Scene:
    """A scene whose arrows are no larger and which still ``breaks``; itself if it is minimal."""
    scene = settled(scene)
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
