"""The reverse modes and the carriers as models: values and pullbacks, and what programs cost.

A list of calls is told by its pairing ``Σ ⟨k(b), ȳ⟩`` with tangents ``k`` of the function: two
lists are one, up to the quotient, where no ``k`` tells them apart (law H7).

The mode of a carrier is the dependently typed pullback, whose values are those of the primal mode.
Pointwise primitives that users registered for it are drawn often.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError
from combinators.literal import Literal
from combinators.morphisms import Morphism, interpret
from combinators.objects import Fun, Object, Product, Real, Sum, Tensor
from combinators.operation import PRIMITIVES, Operation, named
from combinators.spaces import Space
from combinators.type_folds import columns_of, parts_of, tangent_of, unfolded
from combinators.value_folds import map_leaves, opened_at
from diffcurry.models.host import Hosted, Way
from diffcurry.models.modes import QUIET, Seen, WithPushforward, derivable
from diffcurry.models.programs import gradients
from diffcurry.tangents import read, show
from interpreters.carriers.carrier import Carrier, values
from interpreters.carriers.counting import Counting
from interpreters.carriers.fractions import Fractions
from interpreters.cost.certificate import passed
from interpreters.cost.counted import lines
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Transport
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.reverse import Dependent, Reverse
from interpreters.sparse_cotangents import Cotangent, Environment, dense, nonzero, own, plus, sparse
from interpreters.staging.programs import pullback
from interpreters.staging.terms import TERMS
from laws.equality import Leaf
from laws.model import Signature, own_signature
from laws.observation import IF, Probes, at_value, leaves, point_of
from laws.structures import structures_of
from laws.writing import term_of

OF_FORWARD_MODE = frozenset(("differential", "closed differential"))
WEIGHTS = 2
"""By how many tangents a list of calls is told."""


class ReverseModel(WithPushforward):
    """A reverse mode; a value is seen with what its pullback gives of a covector."""

    mode: Reverse | Deltas

    @property
    def calls(self) -> Callable[[Cotangent], list[Any]] | None:
        """In the simply typed form: a function's cotangent as the list of its calls."""
        return (lambda cotangent: list(cotangent or [])) if self.mode.records_calls else None

    @property
    def captured(self) -> Callable[[Cotangent], Cotangent] | None:
        """In the dependently typed form: a function's cotangent is that of what it captured."""
        return None if self.mode.records_calls else lambda cotangent: cotangent

    environment = captured

    @property
    def structures(self) -> tuple[str, ...]:
        """Those whose methods it has; forward mode's own are asked of forward mode."""
        return tuple(name for name in structures_of(self) if name not in OF_FORWARD_MODE)

    def outcome(self, arrow: Arrow, point: Any) -> Any:
        """The value with its pullback."""
        value, pullback = self.mode.rep(arrow, point)
        return Seen(value, arrow, point, QUIET(pullback))

    def observe(self, cod: Object, outcome: Any, probes: Probes) -> Iterator[Leaf]:
        """The value, a function's calls, and what pullbacks give of a covector."""
        yield from super().observe(cod, outcome, probes)
        if isinstance(outcome, Seen) and outcome.pullback is not None:
            probe = at_value(self, probes.cotangent("pullback", cod), cod, outcome.value)
            given = self.covector(probe, cod)
            pulled = outcome.pullback(given)
            yield from self.told(pulled, outcome.arrow.dom, outcome.point, probes, "pullback(…)")

    def R(self, arrow: Hosted, dom: Object, cod: Object) -> Hosted:
        """``R[f](a, w)`` by the mode's own pullback."""

        def at(pair: Any) -> Any:
            point, covector = pair
            pulled = self.pull(arrow, point, sparse(covector, cod))
            return dense(self.carrier, pulled, tangent_of(dom))

        return Hosted(Product(dom, tangent_of(cod)), tangent_of(dom), at)

    @cached_property
    def ways(self) -> dict[str, Way]:
        """The value alone, by the primal mode."""
        return {"primal": self._primal}

    def _primal(self, program: Morphism) -> Hosted:
        arrow = interpret(program, Primal(self.carrier))
        into = Transport(self.points, lambda number, _: number)
        return Hosted(program.dom, program.cod, lambda x: into(arrow.run(x), program.cod))

    def pull(self, arrow: Hosted, point: Any, cotangent: Cotangent) -> Cotangent:
        """What the pullback of an arrow gives at a point."""
        return self.mode.rep(derivable(arrow.arrow), point)[1](cotangent)

    def covector(self, probe: Any, obj: Object) -> Cotangent:
        """A covector of the kit as a sparse cotangent of the mode."""
        obj, (probe,), tag = opened_at(obj, (probe,))
        if tag is not None:
            return nonzero([(tag, self.covector(probe, obj))])
        types = parts_of(obj)
        if probe is not None and types is not None:
            parts = enumerate(zip(probe, types, strict=True))
            return nonzero((i, self.covector(x, part)) for i, (x, part) in parts)
        if isinstance(obj, Fun):
            return [(self._argument(x), self.covector(g, obj.cod)) for x, g in probe]
        return self.carrier.const(probe) if isinstance(probe, Literal) else probe

    def _argument(self, argument: Any) -> Any:
        return point_of(self, argument) if isinstance(argument, Morphism) else argument

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

    def accumulate(self, vectors: Sequence[Any], obj: Object) -> Any:
        """A sum of vectors, as sparse cotangents are summed."""
        total = self.plus([sparse(x, obj) for x in vectors], obj)
        return dense(self.carrier, total, tangent_of(obj))

    def gradients(self, program: Morphism, point: Any, vector: Any) -> dict[str, Iterator[Any]]:
        """``R[f](a, w)`` by every algorithm, at types without functions."""
        return gradients(self.carrier, program, point, vector)

    @QUIET
    def show(self, cotangent: Cotangent, obj: Object, value: Any) -> Any:
        """The cotangent of ``value`` as a user gets it."""
        return show(cotangent, obj, None, value, self.mode)

    @QUIET
    def read(self, shown: Any, obj: Object, value: Any) -> Cotangent:
        """The user's cotangent of ``value`` as a sparse one of the mode."""
        return read(shown, obj, value, "the value", self.mode)

    def told(
        self,
        cotangent: Cotangent,
        obj: Object,
        point: Any,
        probes: Probes,
        place: str = "cotangent",
    ) -> Iterator[Leaf]:
        """A cotangent at ``point`` by its numbers; of a closure, those of what it captured."""
        obj = unfolded(obj)
        types = parts_of(obj)
        if isinstance(obj, Sum):
            for tag, inner in (cotangent or {}).items():
                at = point.value if point is not None and point.tag == tag else None
                yield from self.told(inner, obj.parts[tag], at, probes, f"{place}{IF}{tag}")
        elif types is not None:
            for i, part in enumerate(types):
                at = None if point is None else point[i]
                yield from self.told(self.part(cotangent, i), part, at, probes, f"{place}[{i}]")
        elif isinstance(obj, Space):
            vector = dense(self.carrier, cotangent, obj)
            yield from leaves(self, tangent_of(obj), vector, probes, place)
        elif isinstance(obj, Tensor) and obj.is_smooth:
            yield place, dense(self.carrier, cotangent, obj)
        elif isinstance(obj, Fun) and (point is None or self.mode.records_calls):
            yield from self._paired(cotangent or [], obj, probes, place)
        elif isinstance(obj, Fun):
            if type(cotangent) is list:
                cotangent = self.mode.called(point, cotangent)
            captured = point.code.captured
            yield from self.told(cotangent, captured, point.env, probes, f"{place}.captured")

    def _paired(self, calls: list[Any], obj: Fun, probes: Probes, place: str) -> Iterator[Leaf]:
        """``Σ k(b) · ȳ`` for polynomials ``k``."""
        for degree in range(WEIGHTS):
            at_degree = f"{place}·k{degree}"
            totals = dict(self.told(None, obj.cod, None, probes, at_degree))
            for call in calls:
                if type(call) is Environment:
                    continue
                argument, cotangent = call
                weight = self._weight(argument, obj.dom, probes) ** degree
                for at, leaf in self.told(cotangent, obj.cod, None, probes, at_degree):
                    with np.errstate(all="ignore"):
                        totals[at] = (
                            totals.get(at, leaf * 0) + np.where(leaf == 0, leaf, weight * leaf)[()]
                        )
            yield from totals.items()

    def _weight(self, argument: Any, obj: Object, probes: Probes) -> Any:
        """``1 + Σ (i + 1)/4 · xᵢ`` of the numbers of an argument."""
        is_exact = not isinstance(self.carrier.const(Literal(1.0)), float | np.generic)
        exactly: Callable[[Fraction], Any] = Fraction if is_exact else float
        told = (x for _, leaf in leaves(self, obj, argument, probes) for x in np.ravel(leaf))
        total = exactly(Fraction(1))
        for index, x in enumerate(told, 1):
            number = x.item() if isinstance(x, np.generic) else x
            if getattr(number, "is_Boolean", False):
                number = int(bool(number))
            total = total + exactly(Fraction(index, 4)) * number
        return total


POINTWISE = {"add": (2,), "subtract": (2,), "multiply": (2,), "negative": (1,)}
MATRIX = Tensor((2, 2))
ARRAYS = (
    ("sum", {"axis": (0, 1), "keepdims": False}, Real),
    ("reshape", {"shape": (4,)}, Tensor((4,))),
    ("broadcast_to", {"shape": (2, 2)}, MATRIX),
)


class CarrierModel(ReverseModel):
    """A carrier, with the dependently typed pullback over it and forward mode's ``D``."""

    def __init__(self, carrier: Carrier) -> None:
        """Whatever has the methods of a carrier."""
        super().__init__(Dependent(carrier))

    @property
    def name(self) -> str:
        """The carrier's."""
        return type(self.carrier).__name__

    @property
    def algebra(self) -> Carrier:
        """The carrier, whose own laws are asked too."""
        return self.carrier

    @property
    def structures(self) -> tuple[str, ...]:
        """All whose methods it has: those of forward mode too."""
        return tuple(structures_of(self))

    @cached_property
    def signature(self) -> Signature:
        """The carrier's own ``signature``, or else the operations that it has.

        Those are the sums and products, and what was registered for the carrier's own class.
        """
        own = own_signature(self.carrier)
        if own is not None:
            return own
        registered = self._registered()
        known = {
            name: arity
            for name, arities in {**POINTWISE, **dict.fromkeys(registered, (2, 1))}.items()
            for arity in arities
            if self._has(name, {}, (Real,) * arity, Real)
        }
        ends = {name: known[name] for name in registered if name in known}

        def ending(dom: Object, cod: Object) -> Any:
            return import_module("laws.strategies.making").ending_in(ends, dom, cod)

        return Signature(
            operations=known,
            arrays=all(self._has(name, given, (MATRIX,), cod) for name, given, cod in ARRAYS),
            conditionals=self._has("less", {}, (Real, Real), Tensor((), "bool")),
            own=ending if ends else None,
        )

    def _registered(self) -> list[str]:
        """The primitives registered for the carrier's class.

        Of our own carriers there are none: their primitives are asked one by one, as models.
        """
        carrier = type(self.carrier)
        if carrier.__module__.partition(".")[0] == "interpreters":
            return []
        registered = {primitive for primitive, of in values.funcs if of is carrier}
        return [name for name, primitive in PRIMITIVES.items() if type(primitive) in registered]

    def _has(
        self, name: str, parameters: dict[str, Any], types: tuple[Object, ...], cod: Object
    ) -> bool:
        operation = Operation(named(name), tuple(parameters.items()))
        try:
            typed = operation.type(*types) is cod
            self.carrier.operation(operation, types, cod)
        except (DiffcurryError, NotImplementedError, TypeError):
            return False
        return typed

    @cached_property
    def ways(self) -> dict[str, Way]:
        """The same program over the rationals; of the rationals themselves there is none."""
        exact = isinstance(self.carrier, Fractions)
        return super().ways | ({} if exact else {"rational": self._rational})

    def _rational(self, program: Morphism) -> Hosted:
        exact, over = Dependent(Fractions()), self.carrier
        arrow = interpret(program, exact)

        def at(point: Any) -> Seen:
            value, pullback = exact.rep(arrow, _across(point, program.dom, over, exact.over))

            def pulled(cotangent: Any) -> Any:
                vector = _across(dense(over, cotangent, program.cod), program.cod, over, exact.over)
                return pullback(sparse(vector, program.cod))

            return Seen(value, arrow, point, pulled)

        return Hosted(program.dom, program.cod, at)


def _across(value: Any, obj: Object, source: Carrier, target: Carrier) -> Any:
    """A value without functions, taken from one carrier to another."""

    def number(leaf: Object, x: Any) -> Any:
        assert isinstance(leaf, Tensor)
        return target.lift(source.lower(x), leaf)

    return map_leaves(number, obj, value, parts=columns_of)


class CostModel(ReverseModel):
    """A mode over ``Counting``."""

    def operations(self, arrow: Hosted, point: Any, cotangent: Any = None) -> int:
        """How many operations a run takes; with a cotangent, the pullback's besides."""
        assert arrow.arrow is not None
        assert isinstance(self.carrier, Counting)
        self.carrier.reset()
        _, pull = self.mode.rep(arrow.arrow, point)
        if cotangent is not None:
            pull(sparse(cotangent, arrow.cod))
        return self.carrier.total

    def passed(self, program: Morphism) -> int:
        """The numbers that loops carry and capture, once a round."""
        return passed(term_of(program))

    def lines(self, program: Morphism) -> int:
        """The lines of the program, as a term."""
        return lines(term_of(program))

    def gradient_lines(self, program: Morphism) -> int:
        """The lines of the program of its value and pullback."""
        return lines(pullback(term_of(program), (0,), Dependent(TERMS)))
