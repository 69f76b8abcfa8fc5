"""A primitive as a model: what stands for the arrow and the points of its laws.

Points are numbers of both signs and several sizes, or those between the ends of a ``domain``, none
of them alike, so that kinks and ties are met by no chance. A point at which the value raises, or is
not finite, lies outside, and another is drawn. A vector moves one argument. What is pointwise is
asked at arrays too: two points become the rows of one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from combinators.errors import DiffcurryError, DomainError
from combinators.literal import Literal
from combinators.morphisms import Constant, Morphism, Primitive, interpret, prod
from combinators.objects import Object, Product, Real, Tensor, Unit, components
from combinators.operation import Operation
from combinators.primitives.signatures import pointwise, tensor
from combinators.type_folds import tangent_of
from diffcurry.models.host import Hosted
from diffcurry.models.reverse import CarrierModel
from diffcurry.models.slopes import slope
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.modes.reverse import Dependent
from interpreters.rules import pullback_of
from interpreters.sparse_cotangents import dense, sparse
from laws.language import Generator
from laws.law import Law
from laws.scene import Instance
from laws.structures import primitive as said

Point = tuple[Any, ...]


class PrimitiveRows:
    """A primitive, asked at two points at once and at each of them alone."""

    types: tuple[Object, ...]
    """Those of the arguments at two points at once."""

    def __init__(self, operation: Operation, types: tuple[Object, ...], mode: Dependent) -> None:
        """``types`` are those of the arguments at one point."""
        self._operation, self._mode, self._alone = operation, mode, types
        self._rank = len(tensor(operation.type(*types)).shape)
        given = map(tensor, types)
        self.types = tuple(Tensor((2, *self._wide(obj.shape)), obj.dtype) for obj in given)

    def together(self, x: Any, z: Any) -> dict[str, Any]:
        """The value at both points in one, and what the arguments are afterwards."""
        both = self._both(x, z)
        return {"value": self._value(both, self.types), "afterwards": both}

    def apart(self, x: Any, z: Any) -> dict[str, Any]:
        """The same of each point alone, row by row; arguments are what they were."""
        before = self._both(x, z)
        values = [self._value(_point(at), self._alone) for at in (x, z)]
        return {"value": np.stack(values), "afterwards": before}

    def pulled_together(self, x: Any, z: Any) -> Point:
        """What the pullback at both points in one gives of ones."""
        return self._pulled(self._both(x, z), self.types)

    def pulled_apart(self, x: Any, z: Any) -> Point:
        """The same of each point alone, row by row."""
        return self._both(*(self._pulled(_point(at), self._alone) for at in (x, z)))

    def _both(self, x: Any, z: Any) -> Point:
        """Two points as one, each argument of two rows that broadcast as before."""
        pairs = zip(_point(x), _point(z), strict=True)
        return tuple(np.stack([self._widened(a), self._widened(b)]) for a, b in pairs)

    def _widened(self, array: Any) -> Any:
        return np.reshape(array, self._wide(np.shape(array)))

    def _wide(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (1,) * (self._rank - len(shape)) + shape

    def _value(self, point: Point, types: tuple[Object, ...]) -> Any:
        cod = self._operation.type(*types)
        return self._mode.over.operation(self._operation, types, cod)(*point)

    def _pulled(self, point: Point, types: tuple[Object, ...]) -> Point:
        primitive = Primitive(self._operation, types)
        arrow = interpret(primitive, self._mode)
        _, pullback = self._mode.rep(arrow, point if len(point) > 1 else point[0])
        ones = sparse(np.ones(tensor(primitive.cod).shape), primitive.cod)
        return _point(dense(self._mode.over, pullback(ones), primitive.dom))


def _point(value: Any) -> Point:
    """The arguments, of which one alone is no tuple."""
    return value if isinstance(value, tuple) else (value,)


GRID = np.array([19, 11, 27, 7, 15, 23, 29, 3, 31, 1]) / 32
"""Places between the ends of a domain, the simplest first; no kink is likely to be there."""
GOLDEN, ROOT = 0.6180339887, 0.7320508076
VECTORS = (1.0, 0.0, -1.0, 2.0, 0.5, -2.0)
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e300, 1e-300)
LEAST, MOST = 0.3, 4.0
"""The sizes of numbers, where no domain is said."""
TRIES = 30
"""So many points are drawn, until one lies in the domain."""
Domain = tuple[float, float]


class ChoiceSource(Protocol):
    """Where numbers come from: hypothesis, or a fixed list."""

    def below(self, count: int) -> int:
        """A number from 0 to ``count - 1``."""
        ...


class PrimitiveModel(CarrierModel):
    """One primitive at some types, over NumPy's floats."""

    def __init__(
        self,
        operation: Operation,
        types: tuple[Object, ...],
        domain: Domain | None = None,
        given: dict[int, Any] | None = None,
        made_of: Any = None,
    ) -> None:
        """``given`` are the values of arguments that are not drawn, by index."""
        super().__init__(NumPy())
        self.operation, self.arguments, self._types = operation, types, types
        self.domain, self.given, self.made_of = domain, given, made_of
        self.arrow = Primitive(operation, types)
        self._refused: dict[Morphism, str] = {}

    @property
    def name(self) -> str:
        """``primitive sin : Real``."""
        return f"primitive {self.operation!r} : {', '.join(map(repr, self.arguments))}"

    @cached_property
    def structures(self) -> tuple[str, ...]:
        """Those of primitives; over the rationals where they have it, and at arrays."""
        exact = ("primitive on carriers",) if self.ways else ("primitive",)
        return (*exact, "pointwise primitive") if self.rows else exact

    @cached_property
    def rows(self) -> PrimitiveRows | None:
        """The primitive at arrays, where its typing is ``pointwise`` and its user pinned none."""
        pinned = getattr(self.made_of, "pinned", False)
        if pinned or self.operation.primitive.typing is not pointwise:
            return None
        return PrimitiveRows(self.operation, self.arguments, Dependent(self.carrier))

    @cached_property
    def ways(self) -> dict[str, Callable[[Morphism], Hosted]]:
        """The primitive over the rationals, where they have it and its derivative."""
        over, arrow = Fractions(), self.arrow
        try:
            over.operation(self.operation, self.arguments, arrow.cod)
            pullback_of(self.operation, arrow.dom, tuple(range(len(self.arguments))), over)
        except DiffcurryError:
            return {}
        return {"rational": self._rational}

    def shown(self, value: Any) -> Any:
        """The shape and the element type of a value."""
        return np.shape(value), np.asarray(value).dtype.name

    def said(self) -> Any:
        """Those of the result's type."""
        cod = self.arrow.cod
        assert isinstance(cod, Tensor)
        return cod.shape, cod.dtype

    def slope(self, x: Any, v: Any) -> tuple[Any, float]:
        """How the value changes along ``v``, and how far off that may be."""
        alone = not isinstance(self.arrow.dom, Product)
        xs, vs = ((x,), (v,)) if alone else (x, v)
        compute = self.carrier.operation(self.operation, self.arguments, self.arrow.cod)
        return slope(self.operation.name, compute, xs, vs)

    def cast(self, law: Law, choices: ChoiceSource) -> Instance:
        """The primitive, and points and vectors for it."""
        dom, cod = self.arrow.dom, self.arrow.cod

        def arrow(generator: Generator) -> Morphism:
            if generator is said.p:
                return self.arrow
            if generator in (said.x, said.z):
                return self._point(law, choices, apart=generator is said.z)
            if generator is said.v:
                moved = choices.below(len(self.arguments))
                return self._element(
                    tangent_of(dom), lambda i, obj: _vector(choices, obj, zero=i != moved)
                )
            obj = Real if generator is said.number else tangent_of(cod)
            return self._element(obj, lambda i, part: _vector(choices, part))

        return Instance({said.X: dom, said.Y: cod}, {g: arrow(g) for g in law.generators})

    def _point(self, law: Law, choices: ChoiceSource, *, apart: bool) -> Morphism:
        """A point, of the domain where a law is about regular ones; ``apart`` from the others."""
        place = self._regular if law.tame else self._special
        shift = len(self.arguments) if apart else 0

        def drawn(index: int, obj: Tensor) -> Any:
            return self._given(index, obj, choices, place, shift)

        why = ""
        for _ in range(TRIES if law.tame else 1):
            point = self._element(self.arrow.dom, drawn)
            why = self._refusal(point) if law.tame else ""
            if not why:
                return point
        raise DomainError(
            f"{self.operation.name}: no point was found at which it has a value: {why}; say where "
            "its arguments lie, by domain=(low, high)"
        )

    def _refusal(self, point: Morphism) -> str:
        """Why a point lies outside the domain; nothing where it does not."""
        if point not in self._refused:
            self._refused[point] = self.refusal(point)
        return self._refused[point]

    def refusal(self, point: Morphism) -> str:
        """What the value is, or raises, at a point outside the domain; nothing at any other."""
        alone = interpret(point >> self.arrow, Primal(self.carrier))
        try:
            with np.errstate(all="ignore"):
                value = np.asarray(alone.run(()))
        except Exception as error:  # noqa: BLE001 (whatever the user's function raises)
            return f"at {point!r} it raises {error!r}"
        finite = value.dtype.kind not in "fc" or bool(np.isfinite(value).all())
        return "" if finite else f"at {point!r} it is {value}"

    def probe(self, obj: Object) -> Any:
        """A covector that is not drawn: of ones."""
        product = components(obj)
        if product is not None:
            return tuple(map(self.probe, product.parts))
        return Literal.filled(1.0, obj) if isinstance(obj, Tensor) and obj.is_smooth else None

    def moved(self, vector: Any) -> int:
        """Which argument a vector moves."""
        parts = vector if isinstance(self.arrow.dom, Product) else (vector,)
        return next((i for i, part in enumerate(parts) if np.any(np.asarray(part, float))), 0)

    def _element(self, obj: Object, draw: Callable[[int, Tensor], Any]) -> Morphism:
        """A global element, of tensors that are drawn."""

        def of(index: int, part: Object) -> Morphism:
            if not isinstance(part, Tensor):
                return prod(Unit)
            return Constant(Unit, Literal(draw(index, part), part.dtype))

        product = components(obj)
        if product is None:
            return of(0, obj)
        return prod(Unit, *(of(index, part) for index, part in enumerate(product.parts)))

    def _given(
        self,
        index: int,
        obj: Tensor,
        choices: ChoiceSource,
        place: Callable[[int, ChoiceSource, Tensor], Any],
        shift: int,
    ) -> Any:
        if self.given and index in self.given:
            return self.given[index]
        if not obj.is_smooth:
            return np.ones(obj.shape, dtype=obj.dtype)
        return place(index + shift, choices, obj)

    def _regular(self, index: int, choices: ChoiceSource, obj: Tensor) -> Any:
        start = GRID[choices.below(len(GRID))]
        at = (start + GOLDEN * np.arange(obj.size) + ROOT * index) % 1.0
        sign = choices.below(3) if obj.size > 1 and self.domain is None else 0
        return np.round(_placed(at, self.domain, sign) * 2**12).reshape(obj.shape) / 2**12

    def _special(self, index: int, choices: ChoiceSource, obj: Tensor) -> Any:
        start = choices.below(len(SPECIAL))
        chosen_ones = [SPECIAL[(start + i) % len(SPECIAL)] for i in range(obj.size)]
        return np.array(chosen_ones).reshape(obj.shape)


def _placed(at: Any, domain: Domain | None, sign: int) -> Any:
    """From between 0 and 1 into the domain; without one, of both signs, or of one alone."""
    if domain is not None:
        low, high = domain
        return low + (high - low) * at
    about = 2 * at - 1
    sizes = LEAST * (MOST / LEAST) ** np.abs(about)
    return (np.sign(about), 1.0, -1.0)[sign] * sizes


def _vector(choices: ChoiceSource, obj: Tensor, *, zero: bool = False) -> Any:
    if zero or not obj.is_smooth:
        return np.zeros(obj.shape)
    first = choices.below(len(VECTORS))
    return np.array([VECTORS[(first + i) % len(VECTORS)] for i in range(obj.size)]).reshape(
        obj.shape
    )
