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
from combinators.objects import Fun, Object, Product, components
from combinators.type_folds import columns_of, tangent_of
from combinators.value_folds import map_leaves
from diffcurry.models.host import ArrowModel, Host, Hosted, Way, ways_of
from diffcurry.tangents import read_tangent, show_tangent
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.numpy import NumPy
from interpreters.execution.machine import Arrow
from interpreters.execution.running import DualMode, Running
from interpreters.modes.pushforward import Pushforward
from interpreters.sparse_cotangents import dense
from laws.equality import Leaf
from laws.model import Signature, own_signature
from laws.observation import Probes, at_value, leaves, point_of

QUIET = np.errstate(all="ignore")
"""Where infinities and nans are drawn, NumPy has nothing to warn of."""


@dataclass(frozen=True)
class Seen:
    """A value, with the arrow and the point that give it, and its pullback where there is one."""

    value: Any
    arrow: Arrow
    point: Any
    pullback: Callable[[Any], Any] | None = None


class ModeModel(ArrowModel):
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
    def points(self) -> Running:
        """The mode whose values points are: without tangents, and without Delta terms."""
        return self.mode.inner if isinstance(self.mode, DualMode) else self.mode

    @property
    def carrier(self) -> Carrier:
        """The numbers of points and covectors."""
        return self.points.over

    @property
    def signature(self) -> Signature:
        """The carrier's own ``signature``, or the usual one; floats may be infinite, or nan."""
        return own_signature(self.carrier) or Signature(
            special=self.shows, sums=True, recursion=True
        )

    @property
    def shows(self) -> bool:
        """Whether its numbers are NumPy's, as what users are shown."""
        return isinstance(self.carrier, NumPy)

    @QUIET
    def run(self, arrow: Hosted, point: Any) -> Any:
        """What is to be seen of the mode's own arrows, and the value of others."""
        return arrow.at(point) if arrow.arrow is None else self.outcome(arrow.arrow, point)

    def outcome(self, arrow: Arrow, point: Any) -> Any:
        """What one of the mode's arrows gives."""
        return arrow.run(point)

    def value(self, outcome: Any) -> Any:
        """The value in an outcome."""
        return outcome.value if isinstance(outcome, Seen) else outcome

    def observe(self, cod: Object, outcome: Any, probes: Probes) -> Iterator[Leaf]:
        """The value; of a function, what it gives."""
        yield from leaves(self, cod, self.value(outcome), probes)


class PrimalModel(ModeModel):
    """The primal mode, which programs reach by other ways too."""

    @cached_property
    def ways(self) -> dict[str, Way]:
        """Emitted Python, and formulas of SymPy."""
        return ways_of(self.carrier)


Vector = Callable[[Any], Any]
"""A tangent of a function, from an argument to a tangent of the result; None is zero."""


class WithPushforward(ModeModel):
    """A model with ``D``, by forward mode over its numbers."""

    @cached_property
    def forward(self) -> Pushforward:
        """Forward mode over the same numbers."""
        mode = self.mode
        return mode if isinstance(mode, Pushforward) else Pushforward(self.carrier)

    def D(self, arrow: Hosted, dom: Object, cod: Object) -> Hosted:
        """``D[f](a, v)``."""
        moved = interpret(derivable(arrow.program), self.forward)

        def at(pair: Any) -> Any:
            return self.dense(self.forward.push(moved, *pair)[1], cod)

        return Hosted(Product(dom, tangent_of(dom)), tangent_of(cod), at)

    def dense(self, tangent: Any, obj: Object) -> Any:
        """A tangent in tuples, with its zeros."""

        def leaf(part: Object, moved: Any) -> Any:
            return dense(self.carrier, moved, part)

        return map_leaves(leaf, tangent_of(obj), tangent, parts=columns_of)

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


def derivable(found: Any) -> Any:
    """The program of a hosted arrow, or its arrow of the mode, which has to be there."""
    if found is None:
        raise NotDifferentiable("the derivative of a derivative is for programs")
    return found


class ForwardModel(WithPushforward):
    """The pushforward; a value is seen with how it moves along a vector."""

    mode: Pushforward

    def outcome(self, arrow: Arrow, point: Any) -> Any:
        """The value; its tangents are asked for when it is looked at."""
        return Seen(self.mode.push(arrow, point)[0], arrow, point)

    def observe(self, cod: Object, outcome: Any, probes: Probes) -> Iterator[Leaf]:
        """The value, and its tangent; functions of the domain stand still."""
        yield from super().observe(cod, outcome, probes)
        if isinstance(outcome, Seen):
            probe = probes.cotangent("pushforward", outcome.arrow.dom)
            tangent = self._pushed(outcome.arrow, outcome.point, probe)
            yield from self.told_tangent(tangent, cod, probes, "pushforward(…)")

    def push(self, arrow: Hosted, point: Any, probe: Any) -> Any:
        """The tangent that an arrow of the mode gives along a probe; functions stand still."""
        return self._pushed(derivable(arrow.arrow), point, probe)

    @QUIET
    def _pushed(self, arrow: Arrow, point: Any, probe: Any) -> Any:
        def leaf(_: Object, moved: Any) -> Any:
            return self.carrier.const(moved) if isinstance(moved, Literal) else None

        given = at_value(self, probe, arrow.dom, point)
        vector = map_leaves(leaf, arrow.dom, given, parts=columns_of)
        return self.mode.push(arrow, point, vector)[1]

    def show_tangent(self, tangent: Any, obj: Object) -> Any:
        """A tangent as a user gets it."""
        return show_tangent(tangent, obj, None)

    def read_tangent(self, shown: Any, obj: Object, value: Any) -> Any:
        """The user's tangent of ``value`` as one of the mode."""
        return read_tangent(shown, obj, "the value", value)

    def told_tangent(
        self, tangent: Any, obj: Object, probes: Probes, place: str = "tangent"
    ) -> Iterator[Leaf]:
        """A tangent by its numbers; a function's by what it gives at an argument."""
        product = components(obj)
        if isinstance(obj, Fun):
            argument = point_of(self, probes.argument(place, obj.dom))
            moved = tangent(argument) if tangent is not None else None
            yield from self.told_tangent(moved, obj.cod, probes, f"{place}()")
        elif product is not None:
            parts = tangent or (None,) * product.width
            for index, part in enumerate(product.parts):
                yield from self.told_tangent(parts[index], part, probes, f"{place}[{index}]")
        else:
            yield from leaves(self, tangent_of(obj), self.dense(tangent, obj), probes, place)
