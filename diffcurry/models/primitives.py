"""A primitive as a model: what stands for the arrow and the points of its laws.

Points are numbers of both signs and several sizes, or those between the ends of a ``domain``, none
of them alike, so that kinks and ties are met by no chance. A point at which the value raises, or is
not finite, lies outside, and another is drawn. A vector moves one argument. What is pointwise is
asked at arrays too: two points become the rows of one.

How the value changes along a vector is computed as precisely as it lets itself be: where it takes
mpmath's numbers, by differences in 60 digits; where it takes NumPy's long doubles, or else doubles,
by central differences, extrapolated once (Richardson 1911).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError, DomainError
from combinators.literal import Literal
from combinators.morphisms import Constant, Morphism, Primitive, interpret, prod
from combinators.objects import Object, Product, Real, Tensor, Unit
from combinators.operation import Operation
from combinators.primitives.signatures import pointwise, tensor
from combinators.type_folds import columns_of, tangent_of
from diffcurry.models.host import Way
from diffcurry.models.reverse import CarrierModel
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

    def __call__(self, x: Any, z: Any, what: str, *, together: bool) -> dict[str, Any]:
        """The ``"value"``, or what the ``"pullback"`` gives of ones, and the arguments afterwards.

        Row by row; of each point alone arguments are what they were.
        """
        find, both = {"value": self._value, "pullback": self._pulled}[what], self._both(x, z)
        if together:
            return {what: _point(find(both, self.types)), "afterwards": both}
        found = (find(_point(at), self._alone) for at in (x, z))
        return {what: self._both(*found), "afterwards": both}

    def _both(self, x: Any, z: Any) -> Point:
        """Two points as one, each argument of two rows that broadcast as before."""
        pairs = zip(_point(x), _point(z), strict=True)
        return tuple(
            np.stack([np.reshape(part, self._wide(np.shape(part))) for part in pair])
            for pair in pairs
        )

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


class PrimitiveModel(CarrierModel):
    """One primitive at some types, over NumPy's floats."""

    given_points = (said.x, said.z)
    """Smaller points might lie outside the domain, or at a kink: counterexamples keep their own."""

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

    @property
    def subject(self) -> str:
        """Whose laws they are."""
        return self.operation.name

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
    def ways(self) -> dict[str, Way]:
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
        cod = tensor(self.arrow.cod)
        return cod.shape, cod.dtype

    def slope(self, x: Any, v: Any) -> tuple[Any, float]:
        """How the value changes along ``v``, and how far off that may be."""
        xs, vs = (x, v) if isinstance(self.arrow.dom, Product) else ((x,), (v,))
        compute = self.carrier.operation(self.operation, self.arguments, self.arrow.cod)
        return slope(self.operation.name, compute, xs, vs)

    def moved(self, vector: Any) -> int:
        """Which argument a vector moves."""
        parts = vector if isinstance(self.arrow.dom, Product) else (vector,)
        return next((i for i, part in enumerate(parts) if np.any(np.asarray(part, float))), 0)

    def cast(self, law: Law, choices: Any) -> Instance:
        """The primitive, and points and vectors for it, by ``choices.below(count)``."""
        dom, cod = self.arrow.dom, self.arrow.cod

        def vector(obj: Object, moved: int | None = None) -> Morphism:
            return _element(obj, lambda i, part: _vector(choices, part, moved in (None, i)))

        def arrow(generator: Generator) -> Morphism:
            if generator is said.p:
                return self.arrow
            if generator in (said.x, said.z):
                return self._point(law, choices, apart=generator is said.z)
            if generator is said.v:
                return vector(tangent_of(dom), choices.below(len(self.arguments)))
            return vector(Real if generator is said.number else tangent_of(cod))

        return Instance({said.X: dom, said.Y: cod}, {g: arrow(g) for g in law.generators})

    def _point(self, law: Law, choices: Any, *, apart: bool) -> Morphism:
        """A point, of the domain where a law is about regular ones; ``apart`` from the others."""
        shift = len(self.arguments) if apart else 0

        def drawn(index: int, obj: Tensor) -> Any:
            if self.given and index in self.given:
                return self.given[index]
            if not obj.is_smooth:
                return np.ones(obj.shape, dtype=obj.dtype)
            if law.tame:
                return regular(index + shift, choices, obj, self.domain)
            return _listed(SPECIAL, choices, obj)

        why = ""
        for _ in range(TRIES if law.tame else 1):
            point = _element(self.arrow.dom, drawn)
            if law.tame and point not in self._refused:
                self._refused[point] = self.refusal(point)
            why = self._refused[point] if law.tame else ""
            if not why:
                return point
        raise DomainError(
            f"{self.operation.name}: no point was found at which it has a value: {why}; say where "
            "its arguments lie, by domain=(low, high)"
        )

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


def _element(obj: Object, draw: Callable[[int, Tensor], Any]) -> Morphism:
    """A global element, of tensors that are drawn."""
    types = columns_of(obj)
    parts = [
        Constant(Unit, Literal(draw(index, part), part.dtype))
        if isinstance(part, Tensor)
        else prod(Unit)
        for index, part in enumerate((obj,) if types is None else types)
    ]
    return parts[0] if types is None else prod(Unit, *parts)


def regular(index: int, choices: Any, obj: Tensor, domain: Domain | None) -> Any:
    """Numbers of a domain; without one, of both signs, or of one alone."""
    at = (GRID[choices.below(len(GRID))] + GOLDEN * np.arange(obj.size) + ROOT * index) % 1.0
    if domain is not None:
        low, high = domain
        placed = low + (high - low) * at
    else:
        about = 2 * at - 1
        sign = (np.sign(about), 1.0, -1.0)[choices.below(3) if obj.size > 1 else 0]
        placed = sign * LEAST * (MOST / LEAST) ** np.abs(about)
    return np.round(placed * 2**12).reshape(obj.shape) / 2**12


def _vector(choices: Any, obj: Tensor, moves: bool) -> Any:
    return _listed(VECTORS, choices, obj) if moves and obj.is_smooth else np.zeros(obj.shape)


def _listed(numbers: Sequence[float], choices: Any, obj: Tensor) -> Any:
    """An array of those numbers in turn, from one on."""
    start = choices.below(len(numbers))
    chosen = [numbers[(start + i) % len(numbers)] for i in range(obj.size)]
    return np.array(chosen).reshape(obj.shape)


DIGITS, STEP = 60, 1e-20
WIDE, WIDE_STEP = 1e-8, 2.0**-11
PLAIN, PLAIN_STEP = 1e-6, 2.0**-9
NARROW, NARROW_STEP = 1e-3, 2.0**-5
"""Of functions that give narrower floats than they take."""
EXACT = 1e-11

_SAME = "sin cos tan exp expm1 log log1p log10 sqrt cbrt sinh cosh tanh erf"
_MPMATH = {
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: name for name in _SAME.split()},
}
"""The names in mpmath of the language's own primitives."""

Moved = Callable[[Any], list[Any]]
"""The arguments, after a step of so much."""


def slope(
    name: str, compute: Callable[..., Any], xs: Sequence[Any], vs: Sequence[Any]
) -> tuple[Any, float]:
    """The derivative along ``vs`` at ``xs``, and how far off it may be."""

    def moved(number: Callable[[Any], Any]) -> Moved:
        """Steps of those arguments that move, as such numbers."""
        pairs = [
            (number(x), number(v)) if moves else (x, None)
            for x, v, moves in zip(xs, vs, moving, strict=True)
        ]
        return lambda step: [x if v is None else x + step * v for x, v in pairs]

    pairs = zip(xs, vs, strict=True)
    moving = [np.asarray(x).dtype.kind == "f" and np.shape(v) == np.shape(x) for x, v in pairs]

    with np.errstate(all="ignore"):
        found, off = (
            _in_digits(name, compute, moved)
            or _in_floats(compute, moved, np.longdouble, WIDE_STEP, WIDE)
            or _in_floats(compute, moved, np.float64, PLAIN_STEP, PLAIN)
            or _in_floats(compute, moved, np.float64, NARROW_STEP, NARROW, any_result=True)
            or (np.nan, 0.0)
        )
        size = np.max(np.abs(np.asarray(found, float)), initial=1.0)
    return found, off * float(size)


def _in_digits(
    name: str, compute: Callable[..., Any], moved: Callable[..., Moved]
) -> tuple[Any, float] | None:
    """By mpmath, where it is installed: its own function where the name is known."""
    try:
        mpmath = import_module("mpmath")
    except ImportError:
        return None
    own = getattr(mpmath, _MPMATH.get(name, ""), None)
    precise = compute if own is None else np.frompyfunc(own, 1, 1)
    try:
        with mpmath.workdps(DIGITS):
            step = mpmath.mpf(STEP)
            to = moved(np.frompyfunc(lambda number: mpmath.mpf(float(number)), 1, 1))
            there, back = (np.asarray(precise(*to(sign * step))) for sign in (1, -1))
            difference = (there - back) / (2 * step)
    except Exception:  # noqa: BLE001 (whatever a function of floats raises at other numbers)
        return None
    told = there.dtype == object and all(isinstance(x, mpmath.mpf) for x in np.ravel(there))
    return (np.asarray(difference).astype(float), EXACT) if told else None


def _in_floats(
    compute: Callable[..., Any],
    moved: Callable[..., Moved],
    dtype: Any,
    step: float,
    off: float,
    *,
    any_result: bool = False,
) -> tuple[Any, float] | None:
    to = moved(lambda number: np.asarray(number, dtype)[()])

    def value(step: float) -> Any:
        y = compute(*to(dtype(step)))
        if np.asarray(y).dtype != dtype and not any_result:
            raise TypeError(f"it gives {np.asarray(y).dtype}")
        return y

    def difference(step: float) -> Any:
        return (value(step) - value(-step)) / dtype(2 * step)

    try:
        coarse, fine = difference(step), difference(step / 2)
    except Exception:  # noqa: BLE001 (whatever a function of floats raises at wider ones)
        return None
    return np.asarray((4 * fine - coarse) / 3).astype(float), off
