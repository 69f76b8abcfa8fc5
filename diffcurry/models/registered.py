"""What users registered for a carrier of theirs: pointwise primitives, to be drawn often."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from combinators.errors import DiffcurryError
from combinators.morphisms import Morphism, Primitive, prod
from combinators.objects import Object, Real
from combinators.operation import PRIMITIVES, Operation, named
from interpreters.carriers.carrier import values

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
    return (lambda dom, cod: _strategy(operations, dom, cod)) if operations else None


def _strategy(operations: Mapping[str, int], dom: Object, cod: Object) -> Any:
    from hypothesis import strategies as st

    from laws.strategies.making import paths

    numbers = paths(dom, Real)
    if cod is not Real or not numbers:
        return None

    def applied(name: str) -> Any:
        given = [st.sampled_from(numbers)] * operations[name]
        return st.tuples(*given).map(lambda parts: _applied(name, dom, parts))

    return st.sampled_from(sorted(operations)).flatmap(applied)


def _applied(name: str, dom: Object, parts: tuple[Morphism, ...]) -> Morphism:
    last = Primitive(Operation(named(name)), (Real,) * len(parts))
    return (parts[0] if len(parts) == 1 else prod(dom, *parts)) >> last
