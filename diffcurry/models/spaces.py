"""A class with a tangent space of its own as a model: its rules, at points of it.

Points are the example that was declared, and others ``nearby``; tangents are those that arrive
there, so that they are in the space whatever numbers it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np

from combinators.errors import DomainError
from combinators.kit.text import brief
from combinators.literal import Literal
from combinators.morphisms import Constant, Morphism, Primitive, prod
from combinators.objects import Object, Product, Real, Tensor, Unit
from combinators.operation import Operation
from combinators.primitives.coordinates import COORDINATES, pointing
from combinators.spaces import Space, coordinates_of
from combinators.type_folds import tangent_of
from diffcurry.function import Function
from diffcurry.models.primitives import Domain, PrimitiveModel, regular, slope
from diffcurry.models.reverse import CarrierModel
from interpreters.carriers.numpy import NumPy
from interpreters.sparse_cotangents import point_in
from laws.law import Law
from laws.scene import Counterexample, Instance
from laws.structures import primitive as laws_of
from laws.structures import spaces as said

_brief = partial(brief, between=", ")
NUMBERS = (0.0, 1.0, -1.0, 0.5, 2.0, -0.25, 0.75, -1.5)
NEAR, OFF = 0.125, 1e-6


def numbers(choices: Any, obj: Tensor) -> Any:
    """An array of a few numbers, the simplest first."""
    chosen = [NUMBERS[choices.below(len(NUMBERS))] for _ in range(obj.size)]
    return np.array(chosen).reshape(obj.shape)


class Rules:
    """What is declared of a type, as functions of coordinates; of a tensor, what is so anyhow."""

    off = OFF

    def __init__(self, obj: Tensor | Space) -> None:
        self.obj, self.tangent = obj, tangent_of(obj)
        self.coordinates, self.numbers = coordinates_in(obj), coordinates_in(self.tangent)
        own = self.tangent.declared if isinstance(self.tangent, Space) else None
        self._run: dict[str, Any] = {"plus": Function(own.plus)} if own and own.plus else {}
        self.zero = np.broadcast_to(own.zero if own else 0.0, self.numbers.shape)[()]

    def __call__(self, word: str, x: Any, *more: Any) -> Any:
        """What the rule of that name gives; the second of ``move`` and ``leave`` is a tangent."""
        if isinstance(self.obj, Tensor):
            return more[0] if more else x
        declared = self.obj.declared
        if word not in self._run:
            self._run[word] = Function(getattr(declared, word))
        is_tangent = word in ("move", "leave")
        given = [self._tangent(v) if is_tangent else v for v in more]
        return _array(self._run[word](declared.shown(x) if more else x, *given))

    def _tangent(self, v: Any) -> Any:
        return self.tangent.declared.shown(v) if isinstance(self.tangent, Space) else v

    def plus(self, v: Any, w: Any) -> Any:
        """The sum of two tangents."""
        run = self._run.get("plus")
        return v + w if run is None else _array(run(self._tangent(v), self._tangent(w)))

    def slope(self, x: Any, u: Any) -> Any:
        """How ``nearby`` moves along u."""
        return slope("nearby", lambda x: self("nearby", x), [x], [u])[0]

    def drawn(self, choices: Any, index: int = 0, domain: Domain | None = None) -> Any:
        """The coordinates of the example, or of a value near to it; of a tensor, a regular one."""
        obj = self.coordinates
        if isinstance(self.obj, Tensor):
            return regular(index, choices, obj, domain) if obj.is_smooth else np.ones(obj.shape)
        start = np.asarray(self.obj.declared.at)
        start = start if start.shape == obj.shape else np.zeros(obj.shape)
        found = self("nearby", start + NEAR * numbers(choices, obj))
        if not np.all(np.isfinite(found)):
            raise DomainError(f"nearby= gives {found}")
        return found

    def element(self, array: Any, *, tangent: bool = False) -> Morphism:
        """A value, or a tangent, as a global element."""
        obj = self.tangent if tangent else self.obj
        if obj is Unit:
            return prod(Unit)
        held = coordinates_in(obj)
        part = Constant(Unit, Literal(array, held.dtype))
        return part >> Primitive(pointing(obj), (held,)) if isinstance(obj, Space) else part


def coordinates_in(obj: Object) -> Tensor:
    """Those of a type of the user's; a tensor as it is, and of none a number's."""
    found = obj.coordinates if isinstance(obj, Space) else obj
    return found if isinstance(found, Tensor) else Real


def _array(value: Any) -> Any:
    return np.asarray(value if isinstance(value, np.ndarray | float) else coordinates_of(value))[()]


class SpaceModel(CarrierModel):
    """One type of the user's, over NumPy's floats."""

    given_points = (said.x, said.g, said.h, said.v, said.w, said.z)
    """What is smaller need not lie in the type."""

    def __init__(self, obj: Space) -> None:
        super().__init__(NumPy())
        self.obj, self.arguments = obj, (obj,)
        self.subject = f"tangent_space of {obj!r}"

    @property
    def name(self) -> str:
        """``tangent space Quaternion``."""
        return f"tangent space {self.obj!r}"

    @property
    def structures(self) -> tuple[str, ...]:
        """Of tangents that are added in a way of their own only that they are a monoid."""
        return ("tangent monoid",) if adds_in_its_own_way(self.obj) else ("tangent space",)

    @cached_property
    def tangents(self) -> Rules:
        """The rules."""
        return Rules(self.obj)

    def cast(self, law: Law, choices: Any) -> Instance:
        """Points of the type, and tangents and cotangents there, by ``choices.below(count)``."""
        rules, coordinates = self.tangents, self.obj.coordinates
        point = rules.drawn(choices)

        def drawn(generator: Any) -> Any:
            if generator is said.x:
                return point
            ambient = numbers(choices, coordinates)
            return ambient if generator.cod is said.X else rules("arrive", point, ambient)

        objects: dict[Any, Object] = {said.X: coordinates, said.T: rules.numbers}
        each = {one: Constant(Unit, Literal(drawn(one), "float64")) for one in law.generators}
        return Instance(objects, each)

    def explained(self, found: Counterexample) -> str:
        """The law, what it was asked of, and both sides."""
        law, scene = found.scene.law, found.scene
        at = ", ".join(f"{one.name} = {_brief(scene.at(one))}" for one in law.generators)
        head = f"{self.subject}, whose tangents are {tangent_of(self.obj)!r}: law {law} fails"
        if found.difference is None:
            return f"{head}, {law.statement}: it raises {found.error!r}, at {at}"
        _, left, right = found.difference
        return (
            f"{head}, {law.statement}: the left side gives {_brief(left)}, the right "
            f"{_brief(right)}, at {at}; mend {_MEND[law.name]}"
        )


def adds_in_its_own_way(obj: Object) -> bool:
    """Whether the tangents of a type are added by a plus of the user's."""
    tangent = tangent_of(obj)
    return isinstance(tangent, Space) and tangent.declared.plus is not None


def primitive_model(
    operation: Operation, types: tuple[Object, ...], *said: Any, **more: Any
) -> PrimitiveModel:
    """The model of a primitive, which may be on types of the user's."""
    has_spaces = any(isinstance(obj, Space) for obj in (*types, operation.type(*types)))
    return (OnSpaces if has_spaces else PrimitiveModel)(operation, types, *said, **more)


class OnSpaces(PrimitiveModel):
    """A primitive on types of the user's: its points lie in them, its vectors in their tangents."""

    given_points = tuple(getattr(laws_of, name) for name in ("x", "z", "v", "u", "w", "number"))

    @cached_property
    def rules(self) -> list[Rules]:
        """Those of its arguments, and of its result."""
        every: tuple[Any, ...] = (*self.arguments, self.arrow.cod)
        return list(map(Rules, every))

    def computed(self, *arrays: Any) -> Any:
        """The value, from coordinates to coordinates."""
        compute = self.carrier.operation(self.operation, self.arguments, self.arrow.cod)
        pairs = zip(self.arguments, arrays, strict=True)
        held = (point_in(NumPy(), x, o) if isinstance(o, Space) else x for o, x in pairs)
        return np.asarray(compute(*held))[()]

    def cast(self, law: Law, choices: Any) -> Instance:
        """The primitive, points at which it has a value, and vectors there."""
        *given, result = self.rules
        xs = [rule.drawn(choices, i, self.domain) for i, rule in enumerate(given)]
        moved = choices.below(len(xs))

        def vector(rule: Rules, word: str, x: Any, *, moves: bool = True) -> Morphism:
            found = rule(word, x, numbers(choices, rule.coordinates))
            return rule.element(found if moves else 0.0 * found, tangent=True)

        def arrow(generator: Any) -> Any:
            if generator is laws_of.p:
                return self.arrow
            if generator is laws_of.x:
                parts = [rule.element(x) for rule, x in zip(given, xs, strict=True)]
            elif generator is laws_of.v:
                each = enumerate(zip(given, xs, strict=True))
                parts = [vector(rule, "project", x, moves=i == moved) for i, (rule, x) in each]
            elif generator is laws_of.number:
                return Constant(Unit, Literal(float(numbers(choices, Real))))
            else:
                parts = [vector(result, "arrive", self.computed(*xs))]
            return parts[0] if len(parts) == 1 else prod(Unit, *parts)

        objects = {laws_of.X: self.arrow.dom, laws_of.Y: self.arrow.cod}
        return Instance(objects, {one: arrow(one) for one in law.generators})

    def shown(self, value: Any) -> Any:
        """The shape and the element type of a value, or of its coordinates."""
        return super().shown(getattr(value, "array", value))

    def said(self) -> Any:
        """Those of the result's type."""
        cod = self.rules[-1].coordinates
        return cod.shape, cod.dtype

    def slope(self, x: Any, v: Any) -> tuple[Any, float]:
        """How the value changes along ``v``, as a tangent; points stay in the type."""
        xs, vs = (x, v) if isinstance(self.arrow.dom, Product) else ((x,), (v,))
        *given, result = self.rules
        along = [rule("move", *pair) for rule, *pair in zip(given, xs, vs, strict=True)]

        def on_the_type(*arrays: Any) -> Any:
            return self.computed(
                *(rule("nearby", a) for rule, a in zip(given, arrays, strict=True))
            )

        found, off = slope(self.operation.name, on_the_type, xs, along)
        return result("project", self.computed(*xs), found), max(off, OFF)

    def scale(self, number: Any, arrow: Any, dom: Object, cod: Object) -> Any:
        """A multiple; of tangents of a class, that of their coordinates."""
        if not isinstance(cod, Space):
            return super().scale(number, arrow, dom, cod)
        inner = self.applied(COORDINATES.plain, cod.coordinates, dom, arrow)
        return self.applied(pointing(cod), cod, dom, super().scale(number, inner, dom, inner.cod))

    def _products(self, left: Any, right: Any, dom: Object, obj: Object) -> Iterator[Any]:
        if isinstance(obj, Space):
            obj = obj.coordinates
            left, right = (self.applied(COORDINATES.plain, obj, dom, one) for one in (left, right))
        yield from super()._products(left, right, dom, obj)


_MEND = {
    "TS1": "plus=",
    "TS2": "plus=",
    "TS3": "zero= or plus=",
    "TS4": "arrive=, which is linear in g",
    "TS5": "move= or arrive=",
    "TS6": "project=, which is arrive= unless it is said, or arrive=",
    "TS7": "leave= or project=",
    "TS8": "arrive= or nearby=",
}
