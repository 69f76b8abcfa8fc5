"""Delta terms (Fig. 1 and 12 of 003): how a number or an array moves with the inputs of a program.

The paper gives every linear operation of its language a constructor that does what the operation
does. Here one constructor, ``Push``, holds an operation and the arguments at which it stands still,
and means the derivative that the operation declares there; of a linear operation that is the
operation itself. So an operation that is declared later has its Delta term already.

Arrays are numbers of any carrier; over the Terms carrier they are variables of a program, and a
Delta term is the paper's symbolic Delta (7.2).

A Delta term is a linear map; ``Evaluator.reverse_pass`` applies its transpose (Fig. 5 and 17), over
any carrier. Fragments below a ``Share`` are put off and taken out from the highest identifier to
the lowest, so that each is visited once, with the sum of the cotangents that reach it.

Over the Terms carrier this is the symbolic evaluator (Fig. 19): cotangents are variables of the
program that is being written. The paper wraps a cotangent that goes two ways in ``share``, and
makes the names it shares by into lets afterwards (``unshare`` and ``stackLets`` of Fig. 20). Here
every node of a program is named when it is written, and shared by that name from then on; so a
cotangent that goes two ways is a name that stands in two places, and there is nothing to convert.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from combinators.objects import Product, Real, Tensor
from combinators.operation import Operation, named
from interpreters.carriers.carrier import Carrier, Compute
from interpreters.rules import pullback_of
from interpreters.sparse_cotangents import Cotangent, gathered, own, plus


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
    obj: Tensor = field(default=Real, repr=False)


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
class Pull(Delta):
    """A linear map that is known by its transpose.

    ``transpose`` takes a cotangent to cotangents of other terms. What it pulls back to is read off
    ``below`` where terms are counted.
    """

    transpose: Callable[[Cotangent], Iterable[tuple[Cotangent, Delta]]]
    below: tuple[Delta, ...]


ZERO = Zero()


def component(index: int, delta: Delta) -> Delta:
    """A component of what moves as a whole."""
    return Pull(lambda c: [({index: c}, delta)], (delta,))


def below(delta: Delta) -> tuple[Delta, ...]:
    """The terms that a term is made of."""
    match delta:
        case Add(left, right):
            return left, right
        case Scale(_, one, _) | Share(_, one):
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


Arrived = tuple[Cotangent, Delta]
"""A cotangent, and the term that it has reached."""


class Evaluator:
    """Transposes Delta terms over a carrier; cotangents are its numbers, or sparse."""

    def __init__(self, over: Carrier) -> None:
        self.over = over
        self._scales: dict[Tensor, Compute] = {}

    def reverse_pass(self, arrived: Iterable[Arrived]) -> dict[int, Cotangent]:
        """The cotangent of each input, by name, given those of the results (Fig. 5 and 17).

        What stands below a ``Share`` is put off, and taken out from the highest identifier to the
        lowest, when all its cotangents have come.
        """
        grad: dict[int, Cotangent] = {}
        accum: dict[int, Arrived] = {}
        highest: list[int] = []  # the keys of ``accum``, negated, as a heap
        todo, add = list(arrived), self.over.add
        while todo or highest:
            c, delta = todo.pop() if todo else accum.pop(-heapq.heappop(highest))
            match delta:
                case Input(v):
                    grad[v] = plus(grad.get(v), c, add)
                case Share(i, below):
                    before = accum.get(i)
                    if before is None:
                        heapq.heappush(highest, -i)
                    accum[i] = c if before is None else plus(before[0], c, add), below
                case Add(d1, d2):
                    todo += ((own(c), d2), (c, d1))
                case Scale(factor, below, obj):
                    todo.append((self.scale(c, factor, obj), below))
                case _:
                    todo += self._inside(c, delta)
        return grad

    def scale(self, c: Cotangent, factor: Any, obj: Tensor) -> Any:
        """``c · factor``, element by element: 0 where ``c`` is, whatever the factor."""
        if obj not in self._scales:
            scale = Operation(named("scale"))
            self._scales[obj] = self.over.operation(scale, (obj, obj), obj)
        return self._scales[obj](gathered(c, self.over), factor)

    def _inside(self, c: Cotangent, delta: Delta) -> Iterable[Arrived]:
        match delta:
            case Push():
                return self._pulled(gathered(c, self.over), delta)
            case Stack(_, rows):
                whole = gathered(c, self.over)
                return [(self.over.row(whole, i), row) for i, row in enumerate(rows)]
            case Pull(transpose):
                return transpose(c)
            case _:
                return ()

    def _pulled(self, c: Any, delta: Push) -> Iterator[Arrived]:
        """By the pullback that the operation declares."""
        several = isinstance(delta.dom, Product)
        pull = pullback_of(delta.operation, delta.dom, delta.active, self.over)
        if pull is None:
            return
        pulled = pull(c, delta.args if several else delta.args[0], delta.value)
        for i, below in zip(delta.active, delta.below, strict=True):
            part = pulled.get(i) if several else pulled
            if part is not None:
                yield part, below
