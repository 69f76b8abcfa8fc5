"""Delta terms of dual arrays (Fig. 12 of 003): how an array moves with the inputs of a program.

The paper gives every linear operation of its language a constructor that does what the operation
does. Here one constructor, ``Push``, holds an operation and the arguments at which it stands still,
and means the derivative that the operation declares there; of a linear operation that is the
operation itself. So an operation that is declared later has its Delta term already.

Arrays are numbers of any carrier; over the Terms carrier they are variables of a program, and a
Delta term is the paper's symbolic Delta (7.2).

The evaluator of dual arrays: figures 5 and 17 of 003, over any carrier.

A Delta term is a linear map; ``Evaluator.reverse_pass`` applies its transpose. Fragments below a
``Share`` are put off and taken out from the highest identifier to the lowest, so that each is
visited once, with the sum of the cotangents that reach it.

Over the Terms carrier this is the symbolic evaluator (Fig. 19): cotangents are variables of the
program that is being written. The paper wraps a cotangent that goes two ways in ``share``, and
makes the names it shares by into lets afterwards (``unshare`` and ``stackLets`` of Fig. 20). Here
every node of a program is named when it is written, and shared by that name from then on; so a
cotangent that goes two ways is a name that stands in two places, and there is nothing to convert.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from combinators.errors import WrongMode
from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Int, Product, Tensor
from combinators.operation import Operation, named
from combinators.rows import row_of
from interpreters.carriers.carrier import Carrier, Compute
from interpreters.rules import pullback_of, pushforward_of
from interpreters.sparse_cotangents import Cotangent, Scattered, gathered, own, plus, zeros
from interpreters.sparse_cotangents import Part as Placed


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


Arrived = tuple[Cotangent, Delta]
"""A cotangent, and the term that it has reached."""


@dataclass
class State:
    """``ES``: cotangents of the inputs, and of the fragments that wait for their turn."""

    grad: dict[int, Cotangent] = field(default_factory=dict)
    dfrag: dict[int, Delta] = field(default_factory=dict)
    accum: dict[int, Cotangent] = field(default_factory=dict)
    highest: list[int] = field(default_factory=list)
    """The keys of ``accum``, negated, as a heap."""


class Evaluator:
    """Transposes Delta terms over a carrier."""

    def __init__(self, over: Carrier) -> None:
        """Cotangents are numbers of ``over``, or sparse, as everywhere."""
        self.over = over
        self._scales: dict[Tensor, Compute] = {}

    def reverse_pass(self, arrived: Iterable[Arrived]) -> dict[int, Cotangent]:
        """The cotangent of each input, by name, given those of the results."""
        state = State()
        self.eval(arrived, state)
        self.backprop(state)
        return state.grad

    def backprop(self, state: State) -> None:
        """Take out the fragment of the highest identifier, until none is left."""
        while state.highest:
            i = -heapq.heappop(state.highest)
            self.eval([(state.accum.pop(i), state.dfrag.pop(i))], state)

    def eval(self, arrived: Iterable[Arrived], state: State) -> None:
        """One fragment, to the inputs and the shared terms that it reaches."""
        add = self.over.add
        todo = list(arrived)
        while todo:
            c, delta = todo.pop()
            match delta:
                case Input(v):
                    state.grad[v] = plus(state.grad.get(v), c, add)
                case Share(i, below):
                    if i not in state.dfrag:
                        state.dfrag[i] = below
                        heapq.heappush(state.highest, -i)
                    state.accum[i] = plus(state.accum.get(i), c, add)
                case Add(d1, d2):
                    todo += ((own(c), d2), (c, d1))
                case Scale(factor, below, obj):
                    todo.append((self.scale(gathered(c, self.over), factor, obj), below))
                case Push():
                    todo += self._push(gathered(c, self.over), delta)
                case Stack(_, rows):
                    c = gathered(c, self.over)
                    todo += ((self.over.row(c, i), row) for i, row in enumerate(rows))
                case Row(obj, i, below):
                    todo.append((self._one_hot(gathered(c, self.over), obj, i), below))
                case Part(i, below):
                    todo.append(({i: c}, below))
                case Pull(transpose):
                    todo += transpose(c)

    def scale(self, c: Any, factor: Any, obj: Tensor) -> Any:
        """``c · factor``, element by element: 0 where ``c`` is, whatever the factor."""
        if obj not in self._scales:
            scale = Operation(named("scale"))
            self._scales[obj] = self.over.operation(scale, (obj, obj), obj)
        return self._scales[obj](c, factor)

    def _push(self, c: Any, delta: Push) -> Iterator[Arrived]:
        """The pullback that the operation declares."""
        several = isinstance(delta.dom, Product)
        pull = pullback_of(delta.operation, delta.dom, delta.active, self.over)
        if pull is None:
            return
        pulled = pull(c, delta.args if several else delta.args[0], delta.value)
        for i, below in zip(delta.active, delta.below, strict=True):
            part = pulled.get(i) if several else pulled
            if part is not None:
                yield part, below

    def _one_hot(self, c: Any, obj: Tensor, index: int) -> Scattered:
        """Put off: many rows are put into one array at once, so that none costs as much as all."""
        put = Operation(named("put"), (("axis", 0), ("extents", obj.shape[:1])))
        place = self.over.const(Literal(np.int64(index)))
        return Scattered(obj, [Placed(put, (row_of(obj), Int), (c, place))])


Directions = Mapping[int, Any]
"""How the inputs move, by name; one that is missing does not."""


def directional(over: Carrier, delta: Delta, directions: Directions) -> Any:
    """How what ``delta`` belongs to moves; None is zero.

    A shared term is evaluated once. It raises ``WrongMode`` for a term that is known by its
    transpose alone.
    """
    return recurse(_eval(over, delta, directions, {}))


def _eval(
    over: Carrier, delta: Delta, directions: Directions, known: dict[int, Any]
) -> Recursive[Any]:
    match delta:
        case Input(name):
            return directions.get(name)
        case Add(d1, d2):
            left = yield _eval(over, d1, directions, known)
            right = yield _eval(over, d2, directions, known)
            return plus(left, right, over.add)
        case Scale(factor, below, obj):
            moved = yield _eval(over, below, directions, known)
            return None if moved is None else Evaluator(over).scale(moved, factor, obj)
        case Share(i, below):
            if i not in known:
                known[i] = yield _eval(over, below, directions, known)
            return known[i]
        case Push(operation, dom, args, value, active, several):
            total = None
            for i, below in zip(active, several, strict=True):
                moved = yield _eval(over, below, directions, known)
                push = None if moved is None else pushforward_of(operation, dom, i, over)
                if push is not None:
                    total = plus(total, push(moved, *args, value), over.add)
            return total
        case Stack(obj, rows):
            moved = []
            for row in rows:
                moved.append((yield _eval(over, row, directions, known)))
            if all(row is None for row in moved):
                return None
            zero = zeros(over, Tensor(obj.shape[1:], obj.dtype))
            return over.stack([zero if row is None else row for row in moved], obj)
        case Row(_, i, below):
            moved = yield _eval(over, below, directions, known)
            return None if moved is None else over.row(moved, i)
        case Part() | Pull():
            raise WrongMode("this Delta term is known by its transpose; evaluate it by a pullback")
    return None
