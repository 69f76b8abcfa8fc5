"""The reverse modes as models: values and pullbacks, and ``R`` from arrows to arrows.

A list of calls is told by its pairing ``Σ ⟨k(b), ȳ⟩`` with tangents ``k`` of the function: two
lists are one, up to the quotient, where no ``k`` tells them apart (law H7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from combinators.errors import NotDifferentiable
from combinators.literal import Literal
from combinators.morphisms import Morphism, interpret
from combinators.objects import Fun, Object, Product, Tensor, Vector, components
from combinators.type_folds import tangent_of
from diffcurry.models.host import Hosted
from diffcurry.models.modes import QUIET, WithPushforward
from diffcurry.models.programs import gradients
from diffcurry.tangents import read, show
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.numpy import NumPy
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running, Transport
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Reverse
from interpreters.sparse_cotangents import Cotangent, Environment, dense, own, plus, sparse
from laws.equality import Leaf
from laws.observation import Probes, leaves, point_of
from laws.structures import structures_of


def covector(model: ReverseModel, probe: Any, obj: Object) -> Cotangent:
    """A covector of the kit as a sparse cotangent."""
    types = _parts(obj)
    if types is not None:
        parts = {
            i: covector(model, x, t) for i, (x, t) in enumerate(zip(probe, types, strict=True))
        }
        return {i: part for i, part in parts.items() if part is not None} or None
    if isinstance(obj, Fun):
        return [(_argument(model, x), covector(model, g, obj.cod)) for x, g in probe]
    return model.carrier.const(probe) if isinstance(probe, Literal) else probe


def _parts(obj: Object) -> tuple[Object, ...] | None:
    """The components of a product or a vector."""
    product = components(obj)
    if product is not None:
        return product.parts
    return (obj.item,) * obj.length if isinstance(obj, Vector) else None


def _argument(model: ReverseModel, argument: Any) -> Any:
    return point_of(model, argument) if isinstance(argument, Morphism) else argument


def told(
    model: ReverseModel, cotangent: Cotangent, obj: Object, point: Any, probes: Probes, place: str
) -> Iterator[Leaf]:
    """A cotangent at ``point`` by its numbers; of a closure, those of what it captured."""
    types = _parts(obj)
    if types is not None:
        for i, part in enumerate(types):
            below = None if cotangent is None else cotangent.get(i)
            at = None if point is None else point[i]
            yield from told(model, below, part, at, probes, f"{place}[{i}]")
    elif isinstance(obj, Tensor) and obj.is_smooth:
        yield place, dense(model.carrier, cotangent, obj)
    elif isinstance(obj, Fun) and (point is None or model.mode.records_calls):
        yield from _paired(model, cotangent or [], obj, probes, place)
    elif isinstance(obj, Fun):
        if type(cotangent) is list:
            cotangent = model.mode.called(point, cotangent)
        captured = point.code.captured
        yield from told(model, cotangent, captured, point.env, probes, f"{place}.captured")


WEIGHTS = 2
"""By how many tangents a list of calls is told."""


def _paired(
    model: ReverseModel, calls: list[Any], obj: Fun, probes: Probes, place: str
) -> Iterator[Leaf]:
    """``Σ k(b) · ȳ`` for polynomials ``k``."""
    for degree in range(WEIGHTS):
        totals = dict(told(model, None, obj.cod, None, probes, f"{place}·k{degree}"))
        for call in calls:
            if type(call) is Environment:
                continue
            argument, cotangent = call
            weight = _weight(model, argument, obj.dom, probes) ** degree
            for at, leaf in told(model, cotangent, obj.cod, None, probes, f"{place}·k{degree}"):
                with np.errstate(all="ignore"):
                    totals[at] = totals[at] + np.where(leaf == 0, leaf, weight * leaf)[()]
        yield from totals.items()


def _weight(model: ReverseModel, argument: Any, obj: Object, probes: Probes) -> Any:
    """``1 + Σ (i + 1)/4 · xᵢ`` of the numbers of an argument."""
    total: Any = Fraction(1) if _is_exact(model) else 1.0
    index = 0
    for _, leaf in leaves(model, obj, argument, probes):
        for x in np.ravel(leaf):
            index += 1
            factor = Fraction(index, 4)
            number = x.item() if isinstance(x, np.generic) else x
            if getattr(number, "is_Boolean", False):
                number = int(bool(number))
            total = total + (factor if _is_exact(model) else float(factor)) * number
    return total


def _is_exact(model: ReverseModel) -> bool:
    return not isinstance(model.carrier.const(Literal(1.0)), float | np.generic)


OF_FORWARD_MODE = frozenset(("differential", "closed differential"))


@dataclass(frozen=True)
class Rep:
    """What an arrow of a reverse mode gives: a value, and the pullback there."""

    value: Any
    pullback: Callable[[Any], Any]
    dom: Object
    point: Any


class ReverseModel(WithPushforward):
    """A reverse mode; a value is seen with what its pullback gives of a covector."""

    mode: Reverse | Deltas

    @property
    def points(self) -> Running:
        """The mode whose values points are."""
        return self.mode

    @cached_property
    def forward(self) -> Pushforward:
        """Forward mode over the same numbers."""
        return Pushforward(self.carrier)

    def outcome(self, arrow: Arrow, point: Any) -> Any:
        """The value with its pullback."""
        value, pullback = self.mode.rep(arrow, point)
        return Rep(value, QUIET(pullback), arrow.dom, point)

    def value(self, outcome: Any) -> Any:
        """The value."""
        return outcome.value if isinstance(outcome, Rep) else outcome

    def observe(self, cod: Object, outcome: Any, probes: Probes) -> Iterator[Leaf]:
        """The value, a function's calls, and what pullbacks give of a covector."""
        yield from super().observe(cod, outcome, probes)
        if isinstance(outcome, Rep):
            given = self.covector(probes.cotangent("pullback", cod), cod)
            pulled = outcome.pullback(given)
            yield from self.told(pulled, outcome.dom, outcome.point, probes, "pullback(…)")

    def R(self, arrow: Hosted, dom: Object, cod: Object) -> Hosted:
        """``R[f](a, w)`` by the mode's own pullback."""

        def at(pair: Any) -> Any:
            point, covector = pair
            return self._dense(self.pull(arrow, point, sparse(covector, cod)), dom)

        return Hosted(Product(dom, tangent_of(cod)), tangent_of(dom), at)

    def _dense(self, cotangent: Any, obj: Object) -> Any:
        product = components(obj)
        if product is not None:
            given = cotangent or {}
            return tuple(self._dense(given.get(i), p) for i, p in enumerate(product.parts))
        if isinstance(obj, Tensor):
            return dense(self.carrier, cotangent, obj) if obj.is_smooth else ()
        return cotangent

    @property
    def structures(self) -> tuple[str, ...]:
        """Those whose methods it has; forward mode's own are asked of forward mode."""
        return tuple(name for name in structures_of(self) if name not in OF_FORWARD_MODE)

    @cached_property
    def ways(self) -> dict[str, Callable[[Morphism], Hosted]]:
        """The value alone, by the primal mode."""
        return {"primal": self._primal}

    def _primal(self, program: Morphism) -> Hosted:
        arrow = interpret(program, Primal(self.carrier))
        into = Transport(self.points, lambda number: number)
        return Hosted(program.dom, program.cod, lambda x: into(arrow.run(x), program.cod))

    def accumulate(self, vectors: Sequence[Any], obj: Object) -> Any:
        """A sum of vectors, as sparse cotangents are summed."""
        return self._dense(self.plus([sparse(x, obj) for x in vectors], obj), obj)

    def pull(self, arrow: Hosted, point: Any, cotangent: Cotangent) -> Cotangent:
        """What the pullback of an arrow gives at a point."""
        if arrow.arrow is None:
            raise NotDifferentiable("the derivative of a derivative is for programs")
        return self.mode.rep(arrow.arrow, point)[1](cotangent)

    def covector(self, probe: Any, obj: Object) -> Cotangent:
        """A covector of the kit as a sparse cotangent of the mode."""
        return covector(self, probe, obj)

    def sparse(self, vector: Any, obj: Object) -> Cotangent:
        """A vector as a sparse cotangent."""
        return sparse(vector, obj)

    def part(self, cotangent: Cotangent, index: int) -> Cotangent:
        """A component of a product's cotangent."""
        return None if cotangent is None else cotangent.get(index)

    def plus(self, cotangents: Sequence[Cotangent], obj: Object) -> Cotangent:
        """Their sum."""
        total = None
        for cotangent in cotangents:
            total = plus(total, own(cotangent), self.carrier.add)
        return total

    def gradients(self, program: Morphism, point: Any, vector: Any) -> dict[str, Iterator[Any]]:
        """``R[f](a, w)`` by every algorithm, at types without functions."""
        return gradients(self.carrier, program, point, vector)

    def told(
        self,
        cotangent: Cotangent,
        obj: Object,
        point: Any,
        probes: Probes,
        place: str = "cotangent",
    ) -> Iterator[Leaf]:
        """The numbers in a cotangent at a point, zeros among them."""
        return told(self, cotangent, obj, point, probes, place)

    @property
    def shows(self) -> bool:
        """Whether its numbers are NumPy's, as what users are shown."""
        return isinstance(self.carrier, NumPy)

    @QUIET
    def show(self, cotangent: Cotangent, obj: Object, value: Any) -> Any:
        """The cotangent of ``value`` as a user gets it."""
        return show(cotangent, obj, None, value, self.mode)

    @QUIET
    def read(self, shown: Any, obj: Object, value: Any) -> Cotangent:
        """The user's cotangent of ``value`` as a sparse one of the mode."""
        return read(shown, obj, value, "the value", self.mode)


class CallsModel(ReverseModel):
    """The simply typed form: a function's cotangent is the list of its calls."""

    def calls(self, cotangent: Cotangent) -> list[Any]:
        """The calls."""
        return list(cotangent or [])


class EnvironmentModel(ReverseModel):
    """The dependently typed form: a function's cotangent is its environment's."""

    def captured(self, cotangent: Cotangent) -> Cotangent:
        """The cotangent of what a function captured."""
        return cotangent

    def environment(self, cotangent: Cotangent) -> Cotangent:
        """A function's cotangent, of that of what it captured."""
        return cotangent


class DeltaModel(EnvironmentModel):
    """Dual arrays, whose points and values are those of the carrier alone."""

    mode: Deltas

    @property
    def points(self) -> Running:
        """Values without Delta terms."""
        return self.mode.inner

    @property
    def carrier(self) -> Carrier:
        """The numbers of points and covectors."""
        return self.mode.inner.over
