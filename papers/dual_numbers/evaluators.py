"""Delta terms and their five evaluators, each of which saves a kind of work (2.3 to 2.6, Fig. 5).

    data Delta = Zero | Input DVarName | Add Delta Delta | Scale ℝ Delta | Share ID Delta

Each calls ``see`` with every term that it visits, so that they can be counted.
"""

from __future__ import annotations

import heapq
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from combinators.kit.recursion import Recursive, recurse
from papers.dual_numbers.core_language import Form, form

Delta = Form
Input, Add, Scale, Share = (partial(form, kind) for kind in ("Input", "Add", "Scale", "Share"))
ZERO = form("Zero")
See = Callable[[Delta], object]


def unseen(_: Delta) -> None:
    """Nobody counts."""


def size(delta: Delta) -> int:
    """How many constructors there are, one that is shared counted once; inputs, zeros are free."""
    todo, seen = [delta], set[int]()
    while todo:
        d = todo.pop()
        if id(d) not in seen and d.kind not in ("Zero", "Input"):
            seen.add(id(d))
            todo += [part for part in d.args if isinstance(part, Form)]
    return len(seen)


class Space:
    """ℝⁿ. It counts the numbers of its vectors that are ``touched``."""

    def __init__(self, n: int) -> None:
        self.n, self.touched = n, 0

    def vector(self, numbers: Any) -> Any:
        """A new vector, every number of which is written."""
        self.touched += self.n
        return np.array(numbers)

    def zero(self) -> Any:
        """``(0, …, 0)``."""
        return self.vector(np.zeros(self.n))


def _linear(delta: Delta, zero: Any, at: Any, plus: Any, times: Any, see: See) -> Any:
    """The linear map that a Delta term is, by a sum and a product."""

    def ev(d: Delta) -> Recursive[Any]:
        see(d)
        match d:
            case Form("Input", (i,)):
                return at(i)
            case Form("Add", (d1, d2)):
                return plus((yield ev(d1)), (yield ev(d2)))
            case Form("Scale", (r, d1)):
                return times(r, (yield ev(d1)))
            case Form("Share", (_, d1)):
                return (yield ev(d1))
        return zero()

    return recurse(ev(delta))


def eval0(delta: Delta, direction: Sequence[float], see: See = unseen) -> Any:
    """``∇f · ε``; ``eval0`` of every basis vector is the gradient (Eq. 2)."""
    return _linear(delta, float, direction.__getitem__, operator.add, operator.mul, see)


def eval1(delta: Delta, space: Space, see: See = unseen) -> Any:
    """One pass, but every node makes a vector."""
    new, basis = space.vector, np.eye(space.n)
    plus, times = lambda u, v: new(u + v), lambda r, u: new(r * u)
    return _linear(delta, space.zero, lambda i: new(basis[i]), plus, times, see)


def _handed(d: Delta, c: float, tg: Any, space: Space, scaled: Any, see: See) -> Recursive[Any]:
    """``tg`` with ``c`` times what ``d`` moves along each input; ``scaled`` does ``Scale``."""
    see(d)
    match d:
        case Form("Input", (i,)):
            tg[i] += c
            space.touched += 1
        case Form("Add", (d1, d2)):
            tg = yield _handed(d1, c, tg, space, scaled, see)
            tg = yield _handed(d2, c, tg, space, scaled, see)
        case Form("Scale", (r, d1)):
            tg = yield scaled(r, d1, c, tg)
        case Form("Share", (_, d1)):
            tg = yield _handed(d1, c, tg, space, scaled, see)
    return tg


def eval2(delta: Delta, tangent: Any, space: Space, see: See = unseen) -> Any:
    """Cayley-transformed: one vector goes through, and only ``Scale`` works on all of it.

    It scales what its own term adds; what was there before stands still.
    """

    def scaled(r: float, d: Delta, _: float, tg: Any) -> Recursive[Any]:
        added = yield _handed(d, 1.0, space.zero(), space, scaled, see)
        return space.vector(tg + space.vector(r * added))

    return recurse(_handed(delta, 1.0, tangent, space, scaled, see))


def eval3(c: float, delta: Delta, tangent: Any, space: Space, see: See = unseen) -> Any:
    """Factors are pushed inwards, which turns their order around: reverse mode. No vector work."""

    def scaled(r: float, d: Delta, c: float, tg: Any) -> Recursive[Any]:
        return _handed(d, c * r, tg, space, scaled, see)

    return recurse(_handed(delta, c, tangent, space, scaled, see))


def same(c: Any) -> Any:
    """As it is."""
    return c


def nothing(c: Any, delta: Delta) -> Sequence[tuple[Any, Delta]]:
    """``eval c Zero = id``."""
    return ()


def reverse_pass(
    c: Any,
    delta: Delta,
    see: See = unseen,
    *,
    share: Callable[[Any], Any] = same,
    linear: Callable[[Any, Delta], Sequence[tuple[Any, Delta]]] = nothing,
) -> dict[Any, Any]:
    """``reversePass₄`` and ``backprop₄``: the gradient, where an input that is missing has 0.

    What stands below a ``Share`` is put off; the highest identifier is taken out next. Arrays have
    ``linear`` operations besides (Fig. 17), and programs ``share`` what goes two ways (Fig. 19).
    """
    grad, accum, dfrag = dict[Any, Any](), dict[int, Any](), dict[int, Delta]()
    todo, highest = [(c, delta)], list[int]()  # the keys of ``accum``, negated, as a heap

    def insert_with_plus(table: dict[Any, Any], key: Any, c: Any) -> None:
        table[key] = c + table[key] if key in table else c

    while todo or highest:
        if not todo:
            i = -heapq.heappop(highest)
            todo.append((accum.pop(i), dfrag.pop(i)))
        c, d = todo.pop()
        see(d)
        match d:
            case Form("Input", (v,)):
                insert_with_plus(grad, v, c)
            case Form("Share", (i, below)):
                if i not in dfrag:
                    heapq.heappush(highest, -i)
                dfrag[i] = below
                insert_with_plus(accum, i, c)
            case Form("Add", (d1, d2)):
                c = share(c)
                todo += ((c, d2), (c, d1))
            case Form("Scale", (r, below)):
                todo.append((c * r, below))
            case _:
                todo += linear(c, d)
    return grad
