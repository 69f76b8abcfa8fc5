"""The evaluator of dual arrays: figures 5 and 17 of 003, over any carrier.

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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Int, Product, Tensor
from combinators.operation import Operation, named
from combinators.rows import row_of
from interpreters.carriers.carrier import Carrier, Compute
from interpreters.deltas.terms import Add, Delta, Input, Part, Pull, Push, Row, Scale, Share, Stack
from interpreters.rules import pullback_of
from interpreters.tangents.cotangents import Cotangent, own, plus
from interpreters.tangents.scattered import Part as Placed
from interpreters.tangents.scattered import Scattered, gathered

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
