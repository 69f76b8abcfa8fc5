"""One instance of a law in one model: both sides run at one point and compared.

An instance is a choice of objects for the law's variables and of arrows for its generators. It is a
functor from the free category over these, so that a side has one meaning in a model: ``Meaning``
follows it combinator by combinator, in the model's own category.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError, TypeMismatch
from combinators.kit.tree import distinct_nodes, size
from combinators.literal import Literal
from combinators.morphisms import (
    Constant,
    Curry,
    Id,
    Label,
    Morphism,
    Primitive,
    Relabel,
    interpret,
    prod,
)
from combinators.objects import Fun, Mu, Object, Product, Record, Sum, Tensor, Unit, Vector
from combinators.operation import Operation
from combinators.primitives.structural import VECTOR
from combinators.type_folds import tangent_of, unfolded
from laws.equality import IllConditioned, Leaf, Level, Nudge, magnitude, precision, slack
from laws.free import FREE, one_combinator
from laws.language import Generator, Operator, TangentSpace, Variable
from laws.law import Computed, Law, Side
from laws.model import Signature, signature_of, ways_of
from laws.observation import (
    Difference,
    Probes,
    compare,
    covector_of,
    leaves,
    observed,
    point_of,
    value_in,
)
from laws.recursion import RECURSIVE, inject, roll


@dataclass(frozen=True)
class Instance:
    """Objects for variables and arrows for generators."""

    objects: Mapping[Variable, Object]
    arrows: Mapping[Generator, Morphism]

    def obj(self, obj: Object) -> Object:
        """An object of the law, with its variables replaced."""
        match obj:
            case Variable():
                return self.objects[obj]
            case TangentSpace(of):
                return tangent_of(self.obj(of))
            case Product():
                return Product(*map(self.obj, obj.parts))
            case Record(names, product):
                return Record.of(names, Product(*map(self.obj, product.parts)))
            case Fun(dom, cod):
                return Fun(self.obj(dom), self.obj(cod))
            case Vector(item, length):
                return Vector(self.obj(item), length)
            case Sum(names, product):
                return type(obj).of(names, Product(*map(self.obj, product.parts)))
            case Mu(name, body):
                return Mu(name, self.obj(body))
            case _:
                return obj

    def program(self, side: Morphism) -> Morphism:
        """A side as an arrow of the free category."""
        if isinstance(side, Generator):
            return self.arrows[side]
        program: Morphism = Meaning(FREE, self)(side)
        return program


class Meaning:
    """What the sides of a law mean in a model, at one instance."""

    def __init__(self, model: Any, instance: Instance) -> None:
        self.model, self.instance = model, instance
        self._known: dict[int, tuple[Morphism, Any]] = {}

    def __call__(self, side: Morphism) -> Any:
        """An arrow of the model; what stands twice in a law is one arrow."""
        if id(side) not in self._known:
            self._known[id(side)] = side, self._made(side)
        return self._known[id(side)][1]

    def _made(self, side: Morphism) -> Any:
        obj, category, model = self.instance.obj, self.model.category, self.model
        dom, cod = obj(side.dom), obj(side.cod)
        match side:
            case Generator():
                return interpret(self.instance.arrows[side], category)
            case Curry(body):
                return category.curry(dom, cod, self(body), Label())
            case Operator(method, arrows):
                name, _, way = method.partition(":")
                if name == "rec":
                    programs = map(self.instance.program, arrows)
                    return interpret(RECURSIVE[way](*programs), category)
                if way:
                    return ways_of(model)[way](self.instance.program(arrows[0]))
                return getattr(model, name)(*map(self, arrows), *map(obj, side.about))
            case _:
                return one_combinator(side, category, self, obj)


@dataclass(frozen=True, repr=False)
class Scene:
    """A law in a model at an instance, at a global element ``point`` of the sides' domain."""

    law: Law
    model: Any
    instance: Instance
    point: Morphism
    probes: Probes
    meaning: Meaning = field(init=False, repr=False)
    seen: list[int] = field(init=False, repr=False, default_factory=list)
    """How many numbers and arrays were compared, each time."""

    def __post_init__(self) -> None:
        """What the sides mean here."""
        object.__setattr__(self, "meaning", Meaning(self.model, self.instance))

    def __repr__(self) -> str:
        """Of which law, and where, as far as a line goes."""
        return f"<{self.law.name} at {self.instance!r:.200}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """So is it for hypothesis, which would print every field of a program."""
        printer.text(repr(self))

    def arrow(self, side: Morphism) -> Any:
        """A side as an arrow of the model."""
        return self.meaning(side)

    def program(self, side: Morphism) -> Morphism:
        """A side as an arrow of the free category."""
        return self.instance.program(side)

    def obj(self, obj: Object) -> Object:
        """An object of the law as it is here."""
        return self.instance.obj(obj)

    def at(self, element: Morphism) -> Any:
        """A global element, as a value of the model."""
        return value_in(self.model, self.model.run(self.arrow(element), ()))

    def outcome(self, side: Side) -> Any:
        """What a side gives."""
        if isinstance(side, Computed):
            return side.value(self)
        return self.model.run(self.arrow(side), point_of(self.model, self.point))

    def observed(self, side: Side) -> list[Leaf]:
        """What can be told of a side's outcome."""
        outcome = self.outcome(side)
        if isinstance(side, Computed):
            return _flat(outcome)
        cod = self.obj(side.cod)
        if self.law.is_of_values and hasattr(self.model, "value"):
            return list(leaves(self.model, cod, value_in(self.model, outcome), self.probes))
        return observed(self.model, cod, outcome, self.probes)

    def verdict(self) -> tuple[Difference | None, Level]:
        """Where the sides differ, if they do, and how that was told."""
        with np.errstate(all="ignore"):
            return _RELATIONS[self.law.relation](self)

    @property
    def signature(self) -> Signature:
        """Which programs the model is asked about."""
        return signature_of(self.model)

    @property
    def size(self) -> int:
        """How many combinators its arrows hold."""
        return sum(size(arrow) for arrow in self.instance.arrows.values())

    @cached_property
    def constants(self) -> list[Literal]:
        """The constants in its arrows and its point."""
        arrows = (*self.instance.arrows.values(), self.point)
        found = (node for arrow in arrows for node in nodes(arrow))
        return [node.literal for node in found if isinstance(node, Constant)]

    def settled(self) -> Scene:
        """The scene with its probes as they answered: it draws nothing any more."""
        known = Recorded(self.probes.answers("argument"), self.probes.answers("cotangent"))
        return Scene(self.law, self.model, self.instance, self.point, known)

    def nudged(self, nudge: Callable[[Morphism], Morphism]) -> Scene:
        """The same with every arrow and the point moved a little."""
        moved = {g: nudge(arrow) for g, arrow in self.instance.arrows.items()}
        instance = Instance(self.instance.objects, moved)
        return Scene(self.law, self.model, instance, nudge(self.point), self.probes)


def _flat(value: Any, place: str = "value") -> list[Leaf]:
    """A computed value: tuples, lists and dicts by their parts."""
    match value:
        case dict():
            return [leaf for key in value for leaf in _flat(value[key], f"{place}[{key!r}]")]
        case tuple() | list():
            return [leaf for i, part in enumerate(value) for leaf in _flat(part, f"{place}[{i}]")]
        case _:
            return [(place, value)]


def _equal(scene: Scene) -> tuple[Difference | None, Level]:
    left, right = (scene.observed(side) for side in (scene.law.lhs, scene.law.rhs))
    scene.seen.append(len(left))
    difference, level = compare(left, right)
    if difference is None or level is not Level.FLOAT:
        return difference, level
    return compare(left, right, _slack(scene, left), precision(scene.constants))


COARSE = 2.0**-20
"""How far apart, for their size, two floats may be that were made by the same operations."""


def _slack(scene: Scene, left: list[Leaf]) -> dict[str, Any]:
    """How far apart floats may be.

    Where the sides are combinators alone they compute the same numbers, and differ at most in the
    order of a sum: there a difference is none of rounding's, however the problem is conditioned.
    """

    def moved(nudge: Nudge) -> dict[str, Any]:
        return dict(scene.nudged(nudge).observed(scene.law.lhs))

    multiplies = "multiply" in getattr(scene.signature, "operations", ())
    try:
        return slack(left, scene.constants, moved, primitives=multiplies)
    except IllConditioned:
        if not scene.law.is_of_combinators:
            raise
    largest = max((magnitude(leaf) for _, leaf in left), default=0.0)
    return {place: COARSE * max(1.0, largest) for place, _ in left}


def _at_most(scene: Scene) -> tuple[Difference | None, Level]:
    left, right = (scene.outcome(side) for side in (scene.law.lhs, scene.law.rhs))
    level = Level.FLOAT if isinstance(left, float) else Level.EXACT
    return (None if left <= right else Difference("value", left, right)), level


def _raises(scene: Scene) -> tuple[Difference | None, Level]:
    with suppress(DiffcurryError):
        return Difference("value", scene.outcome(scene.law.lhs), "an error"), Level.NORMAL
    return None, Level.NORMAL


_RELATIONS = {"=": _equal, "≤": _at_most, "raises": _raises}


@dataclass(frozen=True, repr=False)
class Counterexample:
    """The smallest scene in which a law fails, and how."""

    scene: Scene
    difference: Difference | None
    error: BaseException | None = None
    """What was raised instead of an outcome."""

    def __repr__(self) -> str:
        """One line: its arrows, and what differs."""
        arrows = self.scene.instance.arrows.items()
        drawn = "; ".join(f"{generator.name} = {arrow!r}" for generator, arrow in arrows)
        return f"<{drawn}: {self.difference or self.error!r}>"

    @property
    def size(self) -> int:
        """How many combinators its arrows hold."""
        return self.scene.size


def found_at(
    scene: Scene, outside: tuple[type[Exception], ...] = ()
) -> tuple[Counterexample | None, Level]:
    """What breaks the law in a scene, if anything does, and how that was told.

    What is raised is what breaks it, unless that is of a class in ``outside``.
    """
    try:
        difference, level = scene.verdict()
    except outside:
        raise
    except Exception as error:  # noqa: BLE001 (whatever a model raises is what was found)
        return Counterexample(scene, None, error), Level.NORMAL
    return None if difference is None else Counterexample(scene, difference), level


def nodes(arrow: Morphism) -> Iterator[Morphism]:
    """The distinct combinators of an arrow."""
    return distinct_nodes(arrow, kind=Morphism)


class Recorded(Probes):
    """Probes that are known; at places that are not, the simplest there are."""

    def __init__(self, arguments: Mapping[str, Any], cotangents: Mapping[str, Any]) -> None:
        super().__init__(simplest, ones)
        self._given = {"argument": arguments, "cotangent": cotangents}

    def _once(self, what: str, place: str, obj: Object, ask: Any) -> Any:
        given = self._given[what]
        return super()._once(
            what, place, obj, lambda of: given[place] if place in given else ask(of)
        )

    def answers(self, what: str) -> dict[str, Any]:
        """Those that were given, and those that were asked for."""
        return {**self._given[what], **super().answers(what)}


def simplest(obj: Object, dom: Object = Unit, inside: frozenset[Object] = frozenset()) -> Morphism:
    """A global element of zeros, and of functions that give zeros; or it, from anywhere.

    Of a sum it is the first alternative that holds no recursive type that it stands ``inside``.
    """
    match obj:
        case Tensor():
            return Constant(dom, Literal(np.zeros(obj.shape, dtype=obj.dtype)))
        case Product():
            return prod(dom, *(simplest(part, dom, inside) for part in obj.parts))
        case Record(_, product):
            return simplest(product, dom, inside) >> Relabel(product, obj)
        case Fun(argument, cod):
            body = Curry(simplest(cod, Product(dom, argument)))
            return prod(dom, Id(dom)) >> body
        case Vector(item, length):
            items = [simplest(item, dom)] * length
            return prod(dom, *items) >> Primitive(Operation(VECTOR), (item,) * length)
        case Mu():
            return simplest(unfolded(obj), dom, inside | {obj}) >> roll(obj)
        case Sum():
            ends = [inside.isdisjoint(distinct_nodes(part)) for part in obj.parts]
            index = ends.index(True) if True in ends else 0
            return simplest(obj.parts[index], dom, inside) >> inject(obj, index)
        case _:
            raise TypeMismatch(f"{obj!r} has no simplest element")


def ones(obj: Object) -> Any:
    """A covector of ones; of functions, no calls."""

    def leaf(part: Object) -> Any:
        if isinstance(part, Tensor) and part.is_smooth:
            return Literal(np.ones(part.shape, dtype=part.dtype))
        return [] if isinstance(part, Fun) else None

    return covector_of(obj, leaf)
