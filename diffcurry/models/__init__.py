"""Our own interpreters, carriers and primitives as models of the laws."""

from __future__ import annotations

from typing import Any

from combinators.operation import Operation, Primitive
from combinators.spaces import Space
from diffcurry.models.modes import ForwardModel, ModeModel, PrimalModel
from diffcurry.models.primitives import PrimitiveModel
from diffcurry.models.reverse import CarrierModel, CostModel, ReverseModel
from diffcurry.models.spaces import SpaceModel, primitive_model
from interpreters.carriers.counting import Counting
from interpreters.execution.running import Running
from interpreters.modes.delta import Deltas
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Reverse
from laws.claims import adapts

__all__ = ["ModeModel", "model_of_mode"]


@adapts(lambda thing: isinstance(thing, Running))
def model_of_mode(mode: Any) -> ModeModel:
    """The model of a mode: what it derives, and in which form."""
    if isinstance(mode, Pushforward):
        return ForwardModel(mode)
    if isinstance(mode, Dependent) and isinstance(mode.over, Counting):
        return CostModel(mode)
    if isinstance(mode, Reverse | Deltas):
        return ReverseModel(mode)
    return PrimalModel(mode)


@adapts(lambda thing: isinstance(thing, Space))
def model_of_space(obj: Any) -> SpaceModel:
    """The model of a type of the user's, at the example with which it was declared."""
    return SpaceModel(obj)


METHODS = ("const", "operation", "add", "truth", "row", "stack", "lift", "lower")


@adapts(
    lambda thing: (
        not isinstance(thing, type)
        and all(callable(getattr(thing, name, None)) for name in METHODS)
    )
)
def model_of_carrier(carrier: Any) -> CarrierModel:
    """The model of a carrier: its own laws, and those of the pullback over it."""
    return CarrierModel(carrier)


@adapts(lambda thing: isinstance(getattr(thing, "declared", None), Primitive))
def model_of_primitive(primitive: Any) -> PrimitiveModel:
    """The model of a declared primitive, at the types at which it was checked."""
    operation = Operation(primitive.declared)
    return primitive_model(operation, primitive.types, primitive.domain, made_of=primitive)
