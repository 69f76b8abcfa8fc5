"""Forward mode as a model: values, how they move, and ``D`` from arrows to arrows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from combinators.errors import NotDifferentiable
from combinators.literal import Literal
from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Product, Tensor, components
from combinators.type_folds import tangent_of
from diffcurry.models.directions import Directions
from diffcurry.models.host import Hosted
from diffcurry.models.modes import QUIET
from interpreters.carriers.carrier import Carrier
from interpreters.execution.machine import Arrow
from interpreters.modes.pushforward import Pushforward
from interpreters.tangents.dense import dense
from laws.comparing.equality import leaves, point_of
from laws.comparing.probes import Probes
from laws.model import Leaf


@dataclass(frozen=True)
class Moving:
    """A value, and the arrow and point that give it and its tangents."""

    value: Any
    arrow: Arrow
    point: Any


class Deriving(Directions):
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


class ForwardModel(Deriving):
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
        return Moving(self.mode.push(arrow, point)[0], arrow, point)

    def value(self, outcome: Any) -> Any:
        """The value."""
        return outcome.value if isinstance(outcome, Moving) else outcome

    def observe(self, cod: Object, outcome: Any, probes: Probes) -> Iterator[Leaf]:
        """The value, and its tangent; functions of the domain stand still."""
        yield from super().observe(cod, outcome, probes)
        if isinstance(outcome, Moving):
            dom = outcome.arrow.dom
            vector = self._vector(probes.cotangent("pushforward", dom), dom)
            push = QUIET(self.mode.push)
            tangent = push(outcome.arrow, outcome.point, vector)[1]
            yield from self._told(tangent, cod, probes, "pushforward(…)")

    def _vector(self, vector: Any, obj: Object) -> Any:
        product = components(obj)
        if product is not None:
            return tuple(map(self._vector, vector, product.parts))
        return self.carrier.const(vector) if isinstance(vector, Literal) else None

    def _told(self, tangent: Any, obj: Object, probes: Probes, place: str) -> Iterator[Leaf]:
        """A tangent by its numbers; a function's by what it gives at an argument."""
        if isinstance(obj, Fun):
            argument = point_of(self, probes.argument(place, obj.dom))
            moved = tangent(argument) if tangent is not None else None
            yield from self._told(moved, obj.cod, probes, f"{place}()")
        elif components(obj) is not None:
            product = components(obj)
            assert product is not None
            parts = tangent or (None,) * product.width
            for index, part in enumerate(product.parts):
                yield from self._told(parts[index], part, probes, f"{place}[{index}]")
        else:
            yield from leaves(self, tangent_of(obj), self.dense(tangent, obj), probes, place)
