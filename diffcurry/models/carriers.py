"""A carrier as a model: its own laws, those of the modes over it, and what programs cost.

The mode is the dependently typed pullback, whose values are those of the primal mode; forward mode
over the carrier gives its ``D``. Pointwise primitives that users registered are drawn often.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any

from combinators.errors import DiffcurryError
from combinators.morphisms import Morphism, interpret
from combinators.objects import Object, Real, Tensor, components
from combinators.operation import PRIMITIVES, Operation, named
from diffcurry.models.host import Hosted
from diffcurry.models.reverse import EnvironmentModel, Rep
from interpreters.carriers.carrier import Carrier, values
from interpreters.carriers.counting import Counting
from interpreters.carriers.fractions import Fractions
from interpreters.cost.certificate import passed
from interpreters.cost.counted import lines
from interpreters.modes.reverse import Dependent
from interpreters.sparse_cotangents import dense, sparse
from interpreters.staging.programs import pullback
from interpreters.staging.terms import TERMS
from laws.model import Signature, own_signature
from laws.structures import structures_of
from laws.writing import term_of

Own = Callable[[Object, Object], Any]


def pointwise_of(carrier: type) -> dict[str, int]:
    """The pointwise primitives registered for a class of carriers, and how many numbers they take.

    Of our own carriers there are none: their primitives are asked one by one, as models themselves.
    """
    if carrier.__module__.partition(".")[0] == "interpreters":
        return {}
    registered = {primitive for primitive, of in values.funcs if of is carrier}
    taken = {
        name: _numbers_taken(Operation(primitive))
        for name, primitive in PRIMITIVES.items()
        if type(primitive) in registered
    }
    return {name: arity for name, arity in taken.items() if arity}


def _numbers_taken(operation: Operation) -> int:
    """One or two, where so many numbers give a number; else none."""
    for arity in (1, 2):
        try:
            if operation.type(*(Real,) * arity) is Real:
                return arity
        except (DiffcurryError, TypeError):
            continue
    return 0


def ending_in(operations: Mapping[str, int]) -> Own | None:
    """For ``Signature.own``: strategies of arrows whose last step is one of these operations."""

    def strategy(dom: Object, cod: Object) -> Any:
        return import_module("laws.strategies.making").ending_in(operations, dom, cod)

    return strategy if operations else None


POINTWISE = {"add": 2, "subtract": 2, "multiply": 2, "negative": 1}
MATRIX = Tensor((2, 2))
ARRAYS = (
    ("sum", {"axis": (0, 1), "keepdims": False}, Real),
    ("reshape", {"shape": (4,)}, Tensor((4,))),
    ("broadcast_to", {"shape": (2, 2)}, MATRIX),
)


class CarrierModel(EnvironmentModel):
    """A carrier, with the dependently typed pullback over it."""

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
        registered = pointwise_of(type(self.carrier))
        known = {
            name: arity
            for name, arity in {**POINTWISE, **registered}.items()
            if self._has(name, {}, (Real,) * arity, Real)
        }
        compares = self._has("less", {}, (Real, Real), Tensor((), "bool"))
        return Signature(
            operations=known,
            arrays=all(self._has(name, given, (MATRIX,), cod) for name, given, cod in ARRAYS),
            conditionals=compares,
            own=ending_in({name: known[name] for name in registered if name in known}),
        )

    def _has(
        self, name: str, parameters: dict[str, Any], types: tuple[Object, ...], cod: Object
    ) -> bool:
        operation = Operation(named(name), tuple(parameters.items()))
        try:
            self.carrier.operation(operation, types, cod)
        except (DiffcurryError, NotImplementedError):
            return False
        return True

    @cached_property
    def ways(self) -> dict[str, Callable[[Morphism], Hosted]]:
        """The same program over the rationals; of the rationals themselves there is none."""
        exact = isinstance(self.carrier, Fractions)
        return super().ways | ({} if exact else {"rational": self._rational})

    def _rational(self, program: Morphism) -> Hosted:
        exact, over = Dependent(Fractions()), self.carrier
        arrow = interpret(program, exact)

        def at(point: Any) -> Rep:
            given = _across(point, program.dom, over, exact.over)
            value, pullback = exact.rep(arrow, given)

            def pulled(cotangent: Any) -> Any:
                vector = dense(over, cotangent, program.cod)
                return pullback(sparse(_across(vector, program.cod, over, exact.over), program.cod))

            return Rep(value, pulled, program.dom, point)

        return Hosted(program.dom, program.cod, at)


def _across(value: Any, obj: Object, source: Carrier, target: Carrier) -> Any:
    """A value without functions, taken from one carrier to another."""
    product = components(obj)
    if product is not None:
        pairs = zip(value, product.parts, strict=True)
        return tuple(_across(part, below, source, target) for part, below in pairs)
    assert isinstance(obj, Tensor)
    return target.lift(source.lower(value), obj)


class CostModel(EnvironmentModel):
    """A mode over ``Counting``."""

    @property
    def carrier(self) -> Carrier:
        """The carrier that counts."""
        return self.mode.over

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
