"""What a carrier provides, and the one table of the values of primitives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from multipledispatch import Dispatcher

from combinators.errors import MissingRule, WrongMode
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation, Primitive, named

Number = Any
Compute = Callable[..., Number]


class Carrier(Protocol):
    """An algebra of numbers: what a literal is, and what a primitive does.

    A number stands for a tensor of any shape, integers and booleans among them; a comparison gives
    what ``truth`` takes. Nothing has to be inherited: docs/write-an-interpreter.md writes one.
    """

    def const(self, literal: Literal) -> Number:
        """A literal of the program."""
        ...

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """What computes ``operation`` on numbers of these types; looked up once, run often."""
        ...

    def add(self, x: Number, y: Number) -> Number:
        """The sum of two numbers of one type, as cotangents are added."""
        ...

    def truth(self, number: Number) -> bool:
        """The branch that a Bool chooses."""
        ...

    def row(self, stack: Number, index: int) -> Number:
        """The row ``index`` of a tensor's leading axis."""
        ...

    def stack(self, rows: Sequence[Number], obj: Tensor) -> Number:
        """The tensor of type ``obj`` with these rows."""
        ...

    def lift(self, value: Any, obj: Tensor) -> Number:
        """A user's number or array as a number of the carrier."""
        ...

    def lower(self, number: Number) -> Any:
        """A number of the carrier as the user gets it."""
        ...


class Numbered(Protocol):
    """A mode whose values are numbers too, as the dual numbers of the pushforward are."""

    @property
    def numbers(self) -> Carrier:
        """The carrier of its numbers."""
        ...


_METHODS = ("const", "operation", "add", "truth", "row", "stack", "lift", "lower")


def carrier_of(over: Carrier | Numbered) -> Carrier:
    """``over`` itself, or the numbers of a mode that has them: what may stand after ``over=``.

    It raises ``WrongMode`` for anything else: a pullback's arrows are no numbers.
    """
    numbers: Any = getattr(over, "numbers", over)
    if isinstance(over, type):
        raise WrongMode(f"{over.__name__} is a class; write {over.__name__}(), an instance of it")
    missing = [name for name in _METHODS if not callable(getattr(numbers, name, None))]
    if missing:
        given = type(over).__name__
        raise WrongMode(
            f"a mode computes over a carrier, and {given} is none: it has no {', '.join(missing)}; "
            f"write {given} outside, as in {given}(over=Pushforward(over=NumPy()))"
            if callable(getattr(over, "compose", None))
            else f"a mode computes over a carrier, and {over!r:.60} is none: it has no "
            f"{', '.join(missing)}; write over=NumPy(), or give it these methods"
        )
    carrier: Carrier = numbers
    return carrier


values = Dispatcher("values")
"""(class of the primitive, class of the carrier) to what makes its computation."""


def computes(primitive: str | Primitive, carrier: type) -> Callable[[Any], Any]:
    """Register what computes ``primitive`` in ``carrier``: a function of the parameters.

    The function is called once an operation, with the operation's parameters, and returns what
    computes it on numbers. Later registrations replace earlier ones; subclasses inherit.
    """
    declared = named(primitive) if isinstance(primitive, str) else primitive

    def register(make: Any) -> Any:
        values.add((type(declared), carrier), lambda _, __: make)
        return make

    return register


def computation(operation: Operation, carrier: Any) -> Compute:
    """What computes ``operation`` in ``carrier``."""
    try:
        make = values(operation.primitive, carrier)
    except NotImplementedError:
        raise MissingRule(
            f"the carrier {type(carrier).__name__} has no value for {operation.name}; register one "
            f"with computes({operation.name!r}, {type(carrier).__name__})"
        ) from None
    compute: Compute = make(**operation.keywords)
    return compute
