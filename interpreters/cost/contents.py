"""What the values of a type hold: how many numbers, and which functions.

>>> from combinators.objects import Fun, Product, Real, Tensor
>>> numbers_in(Product(Real, Tensor((3, 4)))), holds_functions(Product(Real, Fun(Real, Real)))
(13, True)

Shapes are static, so that functions are all that a count has to know of a value. What is ``Known``
is interned: two values that hold the same functions are one, and a call is counted once. None
stands for a value of which nothing is known, as numbers are and the functions that a user gives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from combinators.objects import Fun, Object, Tangent, Tensor, Vector, components
from combinators.terms import Lam
from combinators.type_folds import fold_type, parts_inside


class Contents(NamedTuple):
    """What is in a value of a type."""

    numbers: int = 0
    functions: bool = False


def contents(obj: Object) -> Contents:
    """What is in a value of type ``obj``; remembered by the type."""
    return fold_type(obj, _contents, parts_inside, "contents_")


def numbers_in(obj: Object) -> int:
    """How many numbers a value of type ``obj`` holds; those that a function captured are not."""
    return contents(obj).numbers


def holds_functions(obj: Object) -> bool:
    """Whether a value of type ``obj`` holds functions, or may hide them as a ``Tangent``."""
    return contents(obj).functions


def _contents(obj: Object, below: list[Contents]) -> Contents:
    match obj:
        case Tensor():
            return Contents(math.prod(obj.shape))
        case Vector(_, length):
            return Contents(length * below[0].numbers, bool(length) and below[0].functions)
        case _:
            is_function = isinstance(obj, Fun) or obj is Tangent
            numbers, functions = sum(c.numbers for c in below), any(c.functions for c in below)
            return Contents(numbers, functions or is_function)


@dataclass(frozen=True, eq=False)
class Closure:
    """A λ, and what is known of the variables that it captures."""

    lam: Lam
    env: tuple[Known, ...]


@dataclass(frozen=True, eq=False)
class Parts:
    """The components of a product, a record or a vector."""

    items: tuple[Known, ...]


@dataclass(frozen=True, eq=False)
class Either:
    """What a conditional left open."""

    first: Known
    second: Known


Known = Closure | Parts | Either | None


class Values:
    """The values met so far, each once."""

    def __init__(self) -> None:
        """None yet."""
        self._made: dict[tuple[Any, ...], Any] = {}

    def _intern(self, kind: Any, *arguments: Any) -> Any:
        key = (kind, *(tuple(map(id, a)) if type(a) is tuple else id(a) for a in arguments))
        if key not in self._made:
            self._made[key] = kind(*arguments)
        return self._made[key]

    def closure(self, lam: Lam, env: tuple[Known, ...]) -> Known:
        """The λ in this environment."""
        made: Closure = self._intern(Closure, lam, env)
        return made

    def parts(self, items: tuple[Known, ...]) -> Known:
        """The product of these; nothing where nothing is known of any."""
        if all(item is None for item in items):
            return None
        made: Parts = self._intern(Parts, items)
        return made

    def either(self, first: Known, second: Known) -> Known:
        """One of the two."""
        if first is second:
            return first
        if isinstance(first, Parts) and isinstance(second, Parts):
            return self.parts(tuple(map(self.either, first.items, second.items)))
        made: Either = self._intern(Either, first, second)
        return made

    def component(self, known: Known, index: int) -> Known:
        """The component ``index``."""
        match known:
            case Parts(items):
                return items[index]
            case Either(first, second):
                return self.either(self.component(first, index), self.component(second, index))
            case _:
                return None

    def row(self, known: Known, stack: Object, index: int) -> Known:
        """The row ``index`` of a value that stacks rows."""
        if known is None or isinstance(stack, Vector):
            return self.component(known, index)
        columns = components(stack) or ()
        return self.parts(
            tuple(
                self.row(self.component(known, i), column, index)
                for i, column in enumerate(columns)
            )
        )

    def stack(self, rows: tuple[Known, ...], stack: Object) -> Known:
        """The value that stacks ``rows``."""
        if isinstance(stack, Vector) or all(row is None for row in rows):
            return self.parts(rows)
        columns = components(stack) or ()
        return self.parts(
            tuple(
                self.stack(tuple(self.component(row, i) for row in rows), column)
                for i, column in enumerate(columns)
            )
        )
