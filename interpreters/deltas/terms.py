"""Delta terms of dual arrays (Fig. 12 of 003): how an array moves with the inputs of a program.

The paper gives every linear operation of its language a constructor that does what the operation
does. Here one constructor, ``Push``, holds an operation and the arguments at which it stands still,
and means the derivative that the operation declares there; of a linear operation that is the
operation itself. So an operation that is declared later has its Delta term already.

Arrays are numbers of any carrier; over the Terms carrier they are variables of a program, and a
Delta term is the paper's symbolic Delta (7.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from combinators.objects import Tensor
from combinators.operation import Operation
from interpreters.tangents.cotangents import Cotangent


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """A linear map from the inputs to one value."""


@dataclass(frozen=True, slots=True, eq=False)
class Zero(Delta):
    """That of what does not move."""


@dataclass(frozen=True, slots=True, eq=False)
class Input(Delta):
    """That of the input ``name``."""

    name: int


@dataclass(frozen=True, slots=True, eq=False)
class Add(Delta):
    """The sum of two of one type."""

    left: Delta
    right: Delta


@dataclass(frozen=True, slots=True, eq=False)
class Scale(Delta):
    """Another, times an array of partial derivatives of the same type ``obj``."""

    factor: Any
    below: Delta
    obj: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Share(Delta):
    """A term that may stand in many places; the identifiers inside ``below`` are smaller."""

    id: int
    below: Delta


@dataclass(frozen=True, slots=True, eq=False)
class Push(Delta):
    """``operation`` moved by its arguments ``active``, at ``args`` and their ``value``.

    ``Index``, ``SumOuter``, ``Gather``, ``Scatter``, ``Replicate``, ``Transpose``, ``Reshape`` of
    the paper, and any operation whose partial derivatives are no array of its own shape.
    """

    operation: Operation
    dom: Any
    """The type of the argument, or the product of those of several."""
    args: tuple[Any, ...]
    value: Any
    active: tuple[int, ...]
    below: tuple[Delta, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Stack(Delta):
    """``LitArray``: rows made one array of type ``obj``."""

    obj: Tensor
    rows: tuple[Delta, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Row(Delta):
    """``Index`` at an index that is known, of an array of type ``obj``."""

    obj: Tensor
    index: int
    below: Delta


@dataclass(frozen=True, slots=True, eq=False)
class Part(Delta):
    """A component of what moves as a whole."""

    index: int
    below: Delta


@dataclass(frozen=True, slots=True, eq=False)
class Pull(Delta):
    """A linear map that is known by its transpose.

    ``transpose`` takes a cotangent to cotangents of other terms. What it pulls back to is read off
    ``below`` where terms are counted.
    """

    transpose: Callable[[Cotangent], Iterable[tuple[Cotangent, Delta]]]
    below: tuple[Delta, ...]


ZERO = Zero()


def below(delta: Delta) -> tuple[Delta, ...]:
    """The terms that a term is made of."""
    match delta:
        case Add(left, right):
            return left, right
        case Scale(_, one, _) | Share(_, one) | Row(_, _, one) | Part(_, one):
            return (one,)
        case Push(below=several) | Stack(_, several) | Pull(_, several):
            return several
    return ()


def size(*deltas: Delta) -> int:
    """How many constructors there are, one that is shared counted once; inputs, zeros are free."""
    todo, seen = list(deltas), set[int]()
    while todo:
        delta = todo.pop()
        if id(delta) not in seen and not isinstance(delta, Zero | Input):
            seen.add(id(delta))
            todo += below(delta)
    return len(seen)
