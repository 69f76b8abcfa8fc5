"""Primitives: what the language takes for granted, each declared once.

A declaration says how a primitive is typed, what it derives to **in the language itself**, and what
it gives where it has no derivative. Its values belong to the carriers
(``interpreters/carriers``), which register them for the primitive's own class.

From the one declared derivative every mode takes what it needs: a pushforward for each argument,
and one pullback to all of them. A rule is a Python function on traced values; it is traced once for
each choice of argument types, and so becomes a program like any other.

In a rule, ``v`` stands for the tangent or the cotangent, in which it must be linear, and ``y`` for
the value of the primitive. Products with ``v`` are written ``scale(v, p)`` and ``unscale(v, p)``,
which are 0 wherever ``v`` is, whatever ``p`` is there: a zero cotangent contributes nothing.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np

from combinators.errors import Place, ShapeMismatch, TypeMismatch, place_of
from combinators.objects import Object, Tensor
from combinators.type_folds import fold_type, parts_inside, types_within

Rule = Callable[..., Any]


@dataclass(frozen=True)
class Pointwise:
    """``rule(v, *xs, y)`` gives, for each argument, ``∂y/∂xᵢ · v``, element by element.

    A diagonal matrix is its own transpose, so one rule serves both directions.
    """

    rule: Rule


@dataclass(frozen=True)
class Linear:
    """Linear in all smooth arguments together, as ``concatenate``, ``where`` and ``sum`` are.

    ``transpose(g, *types, **parameters)`` gives each argument's cotangent; arguments that are not
    smooth come as values, and get None.
    """

    transpose: Rule


@dataclass(frozen=True)
class Selection(Linear):
    """Linear, and only takes elements of its first argument: ``slice``, ``take``.

    Its transpose is one primitive that puts them in their places among zeros. Reverse modes put
    it off, and put many parts into one array at once.
    """


@dataclass(frozen=True)
class Pair:
    """Both directions, given apart; one has to be the other's transpose (law L3).

    ``pushforwards[i](v, *xs, y, **parameters)``; ``pullback(v, *xs, y, **parameters)`` gives a
    tuple.
    """

    pushforwards: Sequence[Rule]
    pullback: Rule


@dataclass(frozen=True)
class Constant:
    """Zero wherever it is asked: ``floor``, ``sign``, comparisons, ``stop_gradient``."""


CONSTANT = Constant()

Derivative = Pointwise | Linear | Pair | Constant

Typing = Callable[..., Object]
"""``(*argument types, **parameters) -> result type``; it raises where they do not fit."""

Promotion = Callable[[Sequence[Any]], Sequence[np.dtype[Any] | None]]
"""From the arguments' dtypes (or Python scalars, which are weak) to those the primitive takes."""

Cost = Callable[[Sequence[Tensor], Object], int]
"""Scalar arithmetic operations, from the types of the arguments and of the result."""


def elementwise(_: Sequence[Tensor], result: Object) -> int:
    """One operation an element of the result."""
    return result.size if isinstance(result, Tensor) else 0


def over_arguments(arguments: Sequence[Tensor], _: Object) -> int:
    """One operation an element of the first argument, as a reduction does."""
    return arguments[0].size


def free(_: Sequence[Tensor], __: Object) -> int:
    """Nothing: it moves numbers and computes none."""
    return 0


@dataclass(eq=False, repr=False)
class Primitive:
    """A primitive of the language. Each has a class of its own, on which carriers dispatch."""

    name: str
    typing: Typing
    derivative: Any
    """One of the forms above; None of what each mode interprets itself."""
    promote: Promotion | None = None
    cost: Cost = elementwise
    infix: str = ""
    kink: str = ""
    """What it gives, in words, where there is no derivative."""
    word: Callable[..., str] | None = None
    """What it is called with these parameters, where that is not its name."""
    logic: Callable[..., Any] | None = None
    """What it is of booleans alone, where that is logic, as ``+`` is or; or an error."""

    @cached_property
    def plain(self) -> Operation:
        """Itself, with no parameters."""
        return Operation(self)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        """By name: primitives are known to the program that reads a pickle."""
        return named, (self.name,)


PRIMITIVES: dict[str, Primitive] = {}
"""Every primitive, by name."""


def declare(
    name: str, typing: Typing, derivative: Any, *, public: bool = True, **said: Any
) -> Primitive:
    """Declare the primitive ``name``, of which ``said`` are the fields; again, it is replaced.

    One that is not ``public`` is known to the programs it stands in alone, and not by its name.
    """
    kind = type(f"Primitive_{name}", (Primitive,), {})
    primitive: Primitive = kind(name, typing, derivative, **said)
    if public:
        PRIMITIVES[name] = primitive
    return primitive


def named(name: str) -> Primitive:
    """The primitive called ``name``."""
    if name not in PRIMITIVES:
        raise TypeMismatch(f"there is no primitive named {name!r} here; import what declares it")
    return PRIMITIVES[name]


_TYPED = 1 << 8
"""At so many argument types an operation remembers its result's type."""


VIEWS = frozenset(("broadcast_to", "reshape", "transpose", "slice", "stop_gradient"))
"""What NumPy makes without memory of its own."""


_MOSTLY_ZEROS = frozenset(("zeros", "embed", "put"))
"""What may be promised four times the memory that there is."""


@cache
def _bytes_here() -> int:
    """The memory here; a terabyte where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 1 << 40


def is_beyond_memory(obj: Object, times: int = 1) -> bool:
    """Whether a tensor in ``obj`` is larger than so many ``times`` the memory here."""

    def at(part: Object, below: list[int]) -> int:
        size = part.size * np.dtype(part.dtype).itemsize if isinstance(part, Tensor) else 0
        return max(below, default=size)

    return fold_type(obj, at, parts_inside, key="largest") > times * _bytes_here()


def check_size(name: str, obj: Object, place: Place | None = None) -> None:
    """Raise where a tensor is larger than the memory here: before anything is allocated."""
    times = 4 if name in _MOSTLY_ZEROS else 1
    if is_beyond_memory(obj, times):
        tensors = (part for part in types_within(obj) if isinstance(part, Tensor))
        raise _too_large(name, next(t for t in tensors if is_beyond_memory(t, times)), place)


def _too_large(name: str, obj: Any, place: Place | None) -> ShapeMismatch:
    size = math.prod(obj.shape)
    return ShapeMismatch(
        f"{name} would make an array of shape {obj.shape}: {size} elements, "
        f"{size * np.dtype(obj.dtype).itemsize} bytes, which is more than this machine holds; "
        "fold over its rows instead",
        place,
    )


@contextmanager
def allocating(name: str) -> Iterator[None]:
    """Say in the language's words what NumPy does not allocate."""
    try:
        yield
    except MemoryError as error:
        if not hasattr(error, "shape"):
            raise
        raise _too_large(name, error, place_of(error)) from None


@dataclass(frozen=True, slots=True)
class Operation:
    """A primitive with its static parameters, such as the axis of a sum."""

    primitive: Primitive
    parameters: tuple[tuple[str, Any], ...] = ()
    name: str = field(init=False, repr=False, compare=False)
    """What it is called: the primitive's name, or its word for these parameters."""
    _hash: int = field(init=False, repr=False, compare=False)
    _types: dict[tuple[Object, ...], Object] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        """Name and hash once: types and rules are looked up by operation."""
        primitive = self.primitive
        word = primitive.name if primitive.word is None else primitive.word(**self.keywords)
        object.__setattr__(self, "name", word)
        object.__setattr__(self, "_hash", hash((primitive, self.parameters)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the hash, which another process has not."""
        return Operation, (self.primitive, self.parameters)

    @property
    def keywords(self) -> dict[str, Any]:
        """The parameters, as keywords."""
        return dict(self.parameters)

    def type(self, *arguments: Object) -> Object:
        """The type of the result, by the primitive's own rule."""
        known = self._types
        found = known.get(arguments)
        if found is None:
            try:
                found = self.primitive.typing(*arguments, **self.keywords)
            except (ShapeMismatch, TypeMismatch) as error:
                error.during(self.name)
                raise
            if len(known) == _TYPED:
                known.clear()
            known[arguments] = found
        return found

    def __repr__(self) -> str:
        """``sum[axis=(0,)]``; a parameter that is False goes without saying."""
        said = [f"{name}={value!r}" for name, value in self.parameters if value is not False]
        return f"{self.name}[{', '.join(said)}]" if said else self.name
