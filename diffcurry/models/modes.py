"""A mode over a carrier as a model: values, sums of arrows, and forward mode's derivatives.

A function may be taken for a tangent of functions, and a tangent is applied to arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from combinators.errors import NotDifferentiable
from combinators.literal import Literal
from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Product, Real, Tensor, components
from combinators.operation import Operation, named
from combinators.primitives.structural import PLUS, ZEROS
from combinators.type_folds import tangent_of
from diffcurry.models.host import Host, Hosted
from diffcurry.models.ways import Way, ways_of
from diffcurry.tangents import read_tangent, show_tangent
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.numpy import NumPy
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running
from interpreters.modes.pushforward import Pushforward
from interpreters.sparse_cotangents import dense
from laws.equality import Leaf
from laws.model import Signature, own_signature
from laws.observation import Probes, leaves, point_of

QUIET = np.errstate(all="ignore")
"""Where infinities and nans are drawn, NumPy has nothing to warn of."""


class ModeModel:
    """A mode as a model: what arrows give, and sums of arrows."""

    def __init__(self, mode: Running) -> None:
        """Any of ``interpreters.modes``, over any carrier of numbers."""
        self.mode = mode
        self.category = Host(mode, lambda arrow, point: self.value(self.outcome(arrow, point)))

    @property
    def name(self) -> str:
        """``Pullback over Fractions``."""
        return f"{type(self.mode).__name__} over {type(self.carrier).__name__}"

    @property
    def carrier(self) -> Carrier:
        """The numbers of points and covectors."""
        return self.mode.over

    def __repr__(self) -> str:
        """Its name."""
        return f"<{self.name}>"

    @property
    def signature(self) -> Signature:
        """The carrier's own ``signature``, or the usual one; floats may be infinite, or nan."""
        own = own_signature(self.carrier)
        return own or Signature(special=isinstance(self.carrier, NumPy))

    def types(self, arrow: Hosted) -> tuple[Object, Object]:
        """The domain and the codomain."""
        return arrow.dom, arrow.cod

    @QUIET
    def run(self, arrow: Hosted, point: Any) -> Any:
        """What is to be seen of the mode's own arrows, and the value of others."""
        return arrow.at(point) if arrow.arrow is None else self.outcome(arrow.arrow, point)

    def outcome(self, arrow: Arrow, point: Any) -> Any:
        """What one of the mode's arrows gives."""
        return arrow.run(point)

    def value(self, outcome: Any) -> Any:
        """The value in an outcome."""
        return outcome

    def observe(self, cod: Object, outcome: Any, probes: Probes) -> Iterator[Leaf]:
        """The value; of a function, what it gives."""
        yield from leaves(self, cod, self.value(outcome), probes)

    def add(self, left: Hosted, right: Hosted, dom: Object, cod: Object) -> Hosted:
        """``f + g``: by the language's own ``plus``."""
        category = self.category
        both = category.prod(dom, [left, right])
        plus = category.primitive(Operation(PLUS), Product(cod, cod), cod)
        return category.compose([both, plus])

    def zero(self, dom: Object, cod: Object) -> Hosted:
        """``0``: by the language's own ``zeros``."""
        category = self.category
        zeros = category.primitive(Operation(ZEROS, (("of", cod),)), Product(), cod)
        return category.compose([category.prod(dom, []), zeros])

    def scale(self, number: Hosted, arrow: Hosted, dom: Object, cod: Object) -> Hosted:
        """``λ · f``, component by component."""

        def at(point: Any) -> Any:
            return self._scaled(number.at(point), arrow.at(point), cod)

        return Hosted(dom, cod, at)

    def _scaled(self, factor: Any, value: Any, obj: Object) -> Any:
        product = components(obj)
        if product is not None:
            pairs = zip(value, product.parts, strict=True)
            return tuple(self._scaled(factor, part, below) for part, below in pairs)
        return self._computed("multiply", (Real, obj), obj)(factor, value)

    def inner(self, left: Hosted, right: Hosted, dom: Object, obj: Object) -> Hosted:
        """``⟨f, g⟩``."""
        return Hosted(dom, Real, lambda point: self._inner(left.at(point), right.at(point), obj))

    def _inner(self, x: Any, y: Any, obj: Object) -> Any:
        total = self.carrier.const(Literal(0.0))
        product = components(obj)
        if product is not None:
            for a, b, part in zip(x, y, product.parts, strict=True):
                total = self.carrier.add(total, self._inner(a, b, part))
        elif isinstance(obj, Tensor) and obj.is_smooth:
            total = self._computed("multiply", (obj, obj), obj)(x, y)
            if obj.shape:
                axes = (("axis", tuple(range(len(obj.shape)))), ("keepdims", False))
                total = self._computed("sum", (obj,), Real, axes)(total)
        return total

    def _computed(
        self,
        name: str,
        types: tuple[Object, ...],
        cod: Object,
        parameters: tuple[tuple[str, Any], ...] = (),
    ) -> Callable[..., Any]:
        return self.carrier.operation(Operation(named(name), parameters), types, cod)


class PrimalModel(ModeModel):
    """The primal mode, which programs reach by other ways too."""

    @cached_property
    def ways(self) -> dict[str, Way]:
        """Emitted Python, and formulas of SymPy."""
        return ways_of(self.carrier)


Vector = Callable[[Any], Any]
"""A tangent of a function, from an argument to a tangent of the result; None is zero."""


class Directions(ModeModel):
    """What the laws of the closed differential ask of a model with forward mode."""

    def dense(self, tangent: Any, obj: Object) -> Any:
        """A tangent in tuples, with its zeros."""
        raise NotImplementedError

    def along(self, arrow: Hosted, dom: Object, function: Fun) -> Hosted:
        """A function of ``A ⇒ T B`` as a tangent of ``A ⇒ B``."""
        apply = self.category.eval(function)

        def at(point: Any) -> Vector:
            direction = arrow.at(point)
            return lambda argument: apply.at((direction, argument))

        return Hosted(dom, tangent_of(function), at)

    def at(self, vector: Hosted, argument: Hosted, dom: Object, function: Fun) -> Hosted:
        """What a tangent of ``A ⇒ B`` gives of an argument."""

        def at(point: Any) -> Any:
            tangent: Vector | None = vector.at(point)
            moved = None if tangent is None else tangent(argument.at(point))
            return self.dense(moved, function.cod)

        return Hosted(dom, tangent_of(function.cod), at)


@dataclass(frozen=True)
class MovingOutcome:
    """A value, and the arrow and point that give it and its tangents."""

    value: Any
    arrow: Arrow
    point: Any


class WithPushforward(Directions):
    """A model with ``D``, by forward mode over its numbers."""

    @property
    def forward(self) -> Pushforward:
        """Forward mode."""
        raise NotImplementedError

    def D(self, arrow: Hosted, dom: Object, cod: Object) -> Hosted:
        """``D[f](a, v)``."""
        if arrow.program is None:
            raise NotDifferentiable("the derivative of a derivative is for programs")
        forward = self.forward
        moved = interpret(arrow.program, forward)

        def at(pair: Any) -> Any:
            point, vector = pair
            return self.dense(forward.push(moved, point, vector)[1], cod)

        return Hosted(Product(dom, tangent_of(dom)), tangent_of(cod), at)

    def dense(self, tangent: Any, obj: Object) -> Any:
        """A tangent in tuples, with its zeros."""
        product = components(obj)
        if product is not None:
            parts = tangent or (None,) * product.width
            return tuple(self.dense(t, p) for t, p in zip(parts, product.parts, strict=True))
        if isinstance(obj, Tensor):
            return dense(self.carrier, tangent, obj) if obj.is_smooth else ()
        return tangent


class ForwardModel(WithPushforward):
    """The pushforward; a value is seen with how it moves along a vector."""

    mode: Pushforward

    @property
    def carrier(self) -> Carrier:
        """The numbers of points and vectors."""
        return self.mode.inner.over

    @property
    def forward(self) -> Pushforward:
        """Itself."""
        return self.mode

    def outcome(self, arrow: Arrow, point: Any) -> Any:
        """The value; its tangents are asked for when it is looked at."""
        return MovingOutcome(self.mode.push(arrow, point)[0], arrow, point)

    def value(self, outcome: Any) -> Any:
        """The value."""
        return outcome.value if isinstance(outcome, MovingOutcome) else outcome

    def observe(self, cod: Object, outcome: Any, probes: Probes) -> Iterator[Leaf]:
        """The value, and its tangent; functions of the domain stand still."""
        yield from super().observe(cod, outcome, probes)
        if isinstance(outcome, MovingOutcome):
            dom = outcome.arrow.dom
            probe = probes.cotangent("pushforward", dom)
            tangent = self._pushed(outcome.arrow, outcome.point, probe)
            yield from self.told_tangent(tangent, cod, probes, "pushforward(…)")

    @property
    def shows(self) -> bool:
        """Whether its numbers are NumPy's, as what users are shown."""
        return isinstance(self.carrier, NumPy)

    def push(self, arrow: Hosted, point: Any, probe: Any) -> Any:
        """The tangent that an arrow of the mode gives along a probe; functions stand still."""
        if arrow.arrow is None:
            raise NotDifferentiable("the derivative of a derivative is for programs")
        return self._pushed(arrow.arrow, point, probe)

    @QUIET
    def _pushed(self, arrow: Arrow, point: Any, probe: Any) -> Any:
        return self.mode.push(arrow, point, self._vector(probe, arrow.dom))[1]

    def show_tangent(self, tangent: Any, obj: Object) -> Any:
        """A tangent as a user gets it."""
        return show_tangent(tangent, obj, None)

    def read_tangent(self, shown: Any, obj: Object, value: Any) -> Any:
        """The user's tangent of ``value`` as one of the mode."""
        return read_tangent(shown, obj, "the value", value)

    def _vector(self, vector: Any, obj: Object) -> Any:
        product = components(obj)
        if product is not None:
            return tuple(map(self._vector, vector, product.parts))
        return self.carrier.const(vector) if isinstance(vector, Literal) else None

    def told_tangent(
        self, tangent: Any, obj: Object, probes: Probes, place: str = "tangent"
    ) -> Iterator[Leaf]:
        """A tangent by its numbers; a function's by what it gives at an argument."""
        if isinstance(obj, Fun):
            argument = point_of(self, probes.argument(place, obj.dom))
            moved = tangent(argument) if tangent is not None else None
            yield from self.told_tangent(moved, obj.cod, probes, f"{place}()")
        elif components(obj) is not None:
            product = components(obj)
            assert product is not None
            parts = tangent or (None,) * product.width
            for index, part in enumerate(product.parts):
                yield from self.told_tangent(parts[index], part, probes, f"{place}[{index}]")
        else:
            yield from leaves(self, tangent_of(obj), self.dense(tangent, obj), probes, place)
