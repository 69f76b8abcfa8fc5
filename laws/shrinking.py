"""A broken scene made smaller: its arrows, part by part, and its objects.

Here types are known, which nobody who shrinks choices can see. Parts of arrows give way to
identities, projections and zeros, and of a product one component is kept, or all but one: what goes
out of the product is given zero for the components that are gone; of what goes into it they are
left out. Composition sees through tuples, and of ``⟨f, g⟩ >> π0`` it leaves f.

>>> from combinators.morphisms import Id, Projection, prod
>>> from combinators.objects import Product, Real
>>> pair = prod(Real, Id(Real), Id(Real))
>>> joined(pair, Projection(pair.cod, 1))
id
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import numpy as np

from combinators.errors import TypeMismatch
from combinators.kit.tree import distinct_nodes, size
from combinators.literal import Literal
from combinators.morphisms import (
    Choice,
    Compose,
    Constant,
    Curry,
    Extend,
    Id,
    Morphism,
    Primitive,
    Prod,
    Projection,
    Relabel,
    compose,
    prod,
)
from combinators.objects import Object, Product, Real, Record, Sum, Tensor, Unit, components
from combinators.primitives.structural import FIX
from laws.language import Variable
from laws.recursion import case, inject
from laws.scene import Instance, Recorded, Scene, simplest
from laws.strategies.making import paths

MOST = 1000
"""How many smaller scenes are looked at."""


def smaller(scene: Scene, breaks: Callable[[Scene], bool]) -> Scene:
    """A scene that is no larger and still ``breaks``; itself if it is minimal."""
    left = MOST
    while left:
        for candidate in islice(_candidates(scene), left):
            left -= 1
            if breaks(candidate):
                scene = candidate
                break
        else:
            break
    return scene


def _candidates(scene: Scene) -> Iterator[Scene]:
    given, law = scene.instance, scene.law
    # A model that casts its own examples, and laws of sums, say themselves what their objects are.
    if not (hasattr(scene.model, "cast") or any(g.sort == "sum" for g in law.generators)):
        for obj in dict.fromkeys(given.objects.values()):
            alike = [variable for variable, one in given.objects.items() if one is obj]
            for out, back in _narrower(obj):
                for variables in [alike] + [[one] for one in alike if len(alike) > 1]:
                    with suppress(TypeMismatch):
                        moved = _moved(scene, variables, out, back)
                        if _held(moved) <= _held(scene):
                            yield moved
    given_points = getattr(scene.model, "given_points", ())  # where the model puts them
    for generator, arrow in given.arrows.items():
        if generator.sort != "linear" and generator not in given_points:
            for less in _lesser(arrow):
                arrows = {**given.arrows, generator: less}
                yield replace(scene, instance=Instance(given.objects, arrows))
    yield from (replace(scene, point=less) for less in _lesser(scene.point))


def _held(scene: Scene) -> int:
    return size(scene.point) + sum(map(size, scene.instance.arrows.values()))


# --- objects


def _narrower(obj: Object) -> Iterator[tuple[Morphism, Morphism]]:
    """Arrows to a number, and out of a product to one with less components; and back."""
    kept = [Projection(obj, index) for index in range((components(obj) or Unit).width)]
    fewer = [kept[:i] + kept[i + 1 :] for i in range(len(kept))]
    for some in [*([one] for one in kept), *fewer]:
        out = some[0] if len(some) == 1 else prod(obj, *some)
        parts = [simplest(part, out.cod) for part in components(obj) or ()]
        for at, one in enumerate(some):
            parts[one.index] = Id(out.cod) if len(some) == 1 else Projection(out.cod, at)
        back = prod(out.cod, *parts)
        yield out, back >> Relabel(back.cod, obj) if isinstance(obj, Record) else back
    with suppress(TypeMismatch):
        if obj is not Real:
            yield simplest(Real, obj), simplest(obj, Real)


def _moved(scene: Scene, variables: list[Variable], out: Morphism, back: Morphism) -> Scene:
    """Everything with another object for ``variables``; probes, which were of the old one, anew."""
    old, law = scene.instance, scene.law

    def at(obj: Object, arrow: Morphism) -> Morphism:
        """What ``arrow`` does at an object of the law; ``TypeMismatch`` inside of others."""
        if obj in variables:
            return arrow
        if isinstance(obj, Product):
            parts = [at(part, arrow) for part in obj.parts]
            source = Product(*(part.dom for part in parts))
            if all(isinstance(part, Id) for part in parts):
                return Id(source)
            return prod(source, *(joined(Projection(source, i), p) for i, p in enumerate(parts)))
        if isinstance(obj, Sum):
            parts = [at(part, arrow) for part in obj.parts]
            target = type(obj).of(obj.names, Product(*(part.cod for part in parts)))
            return case(*(joined(part, inject(target, i)) for i, part in enumerate(parts)))
        if isinstance(obj, Variable) or old.obj(obj) is obj:
            return Id(old.obj(obj))
        raise TypeMismatch(f"nothing is known of {obj!r}")

    arrows = {
        g: joined(joined(at(g.dom, back), arrow), at(g.cod, out)) for g, arrow in old.arrows.items()
    }
    instance = Instance({**old.objects, **dict.fromkeys(variables, out.cod)}, arrows)
    point = joined(scene.point, at(law.sides[0].dom, out)) if law.sides else scene.point
    return Scene(law, scene.model, instance, point, Recorded({}, {}))


def joined(first: Morphism, second: Morphism) -> Morphism:
    """``first >> second``, with projections of tuples taken and constants moved to the front."""
    *before, last = first.arrows if isinstance(first, Compose) else (first,)
    match last, second:
        case _, Compose(steps):
            for step in steps:
                first = joined(first, step)
            return first
        case _, Constant(_, literal):
            return Constant(first.dom, literal)
        case Relabel(), Projection(_, index):
            return joined(compose(Id(first.dom), *before), Projection(last.dom, index))
        case Prod(_, parts), Projection(_, index):
            return compose(*before, parts[index])
        case Prod(source), Prod(_, arrows):
            return compose(*before, prod(source, *(joined(last, below) for below in arrows)))
        case Prod(source, parts), Extend(bound):
            return compose(*before, prod(source, *parts, joined(last, bound)))
        case _:
            return compose(first, second)


# --- arrows


Functions = frozenset[Object]


def _lesser(arrow: Morphism, itself: Functions = frozenset()) -> Iterator[Morphism]:
    """Arrows of the same type, each smaller by one part: the largest parts first.

    Where a function that calls itself is in scope nothing is replaced, no number either, so that it
    still ends.
    """
    if _sees(arrow, itself):
        if not isinstance(arrow, Constant):
            yield from _lesser_inside(arrow, itself)
        return
    yield from _simpler(arrow.dom, arrow.cod, size(arrow))
    for part in sorted(distinct_nodes(arrow, kind=Morphism), key=size):
        if part.cod is arrow.cod and part is not arrow:
            for way in _simpler(arrow.dom, part.dom, size(arrow) - size(part)):
                yield way >> part
    if isinstance(arrow, Compose):
        seen = joined(Id(arrow.dom), arrow)
        if size(seen) < size(arrow):
            yield seen
        yield from _shortened(arrow.arrows)
    yield from _lesser_inside(arrow, itself)


def _fixed(arrow: Morphism) -> Functions:
    """The type of the recursive function that an arrow makes of its step."""
    is_one = isinstance(arrow, Primitive) and arrow.operation == FIX
    return frozenset({arrow.cod} if is_one else ())


def _sees(arrow: Morphism, itself: Functions) -> bool:
    return not itself.isdisjoint(distinct_nodes(arrow.dom))


def _lesser_inside(arrow: Morphism, itself: Functions) -> Iterator[Morphism]:
    """With one of the arrows that it is made of lesser."""
    match arrow:
        case Compose(steps):
            sees = [_sees(step, itself) for step in steps]
            free = sees.index(False) if False in sees else 0
            if 0 < free < len(steps) - 1:
                for less in _lesser(compose(*steps[free:]), itself):
                    yield compose(*steps[:free], less)
            for at, step in enumerate(steps):
                after = steps[at + 1 : at + 2]
                for less in _lesser(step, itself.union(*map(_fixed, after))):
                    yield compose(*steps[:at], less, *steps[at + 1 :])
        case Prod(source, arrows):
            for at, part in enumerate(arrows):
                for less in _lesser(part, itself):
                    yield prod(source, *arrows[:at], less, *arrows[at + 1 :])
        case Extend(bound):
            yield from map(Extend, _lesser(bound, itself))
        case Curry(body):
            yield from map(Curry, _lesser(body, itself))
        case Choice(then, other):
            yield from (Choice(less, other) for less in _lesser(then, itself))
            yield from (Choice(then, less) for less in _lesser(other, itself))
        case Constant(source, literal):
            for plain in (np.zeros_like(literal.array), np.ones_like(literal.array)):
                if np.array_equal(literal.array, plain):
                    return
                yield Constant(source, Literal(plain))


def _simpler(dom: Object, cod: Object, than: int) -> Iterator[Morphism]:
    """The identity, projections, zero and one, so far as they are smaller."""
    yield from (path for path in paths(dom, cod) if size(path) < than)
    with suppress(TypeMismatch):
        zero = simplest(cod, dom)
        if size(zero) < than:
            yield zero
        if isinstance(cod, Tensor) and than > 1:
            yield Constant(dom, Literal.filled(1, cod))


def _shortened(steps: tuple[Morphism, ...]) -> Iterator[Morphism]:
    """Fewer steps: some in the middle gone, or done by one that is simple."""
    for length in range(len(steps), 0, -1):
        for at in range(len(steps) - length + 1):
            before, gone, after = steps[:at], steps[at : at + length], steps[at + length :]
            if gone[0].dom is gone[-1].cod and (before or after):
                yield compose(*before, *after)
            if 1 < length < len(steps):
                for simple in _simpler(gone[0].dom, gone[-1].cod, sum(map(size, gone))):
                    yield compose(*before, simple, *after)
