"""Dual numbers: scalars with a Delta term, five evaluators, and the wrapper (Figures 1 to 6).

    data Delta = Zero | Input DVarName | Add Delta Delta | Scale ℝ Delta | Share ID Delta

A number ``x`` becomes ``(x, d)``, where the Delta term ``d`` says how ``x`` moves with the inputs.
What a program does between its operations on numbers stays as it is: closures, branches, tuples.
Integers and booleans are discrete: they are no dual numbers, can be tested and be indices, and
their cotangent is None. Each evaluator saves a kind of work, and calls ``see`` with every term that
it visits, so that they can be counted.

>>> gradient(lambda x, y: x * y + np.sin(x), 0.0, 5.0)
(6.0, 0.0)
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import count
from numbers import Real
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from combinators.errors import MissingRule, TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from papers.dual_numbers.core_language import Form, form

Delta = Form
Input, Add, Scale, Share = (partial(form, kind) for kind in ("Input", "Add", "Scale", "Share"))
ZERO = form("Zero")
PARTIALS: dict[str, tuple[Any, ...]] = {
    "add": (None, None),
    "subtract": (None, lambda x, y: -1),
    "multiply": (lambda x, y: y, lambda x, y: x),
    "divide": (lambda x, y: 1 / y, lambda x, y: -x / (y * y)),
    "power": (lambda x, n: n * x ** (n - 1) if n else 0.0, lambda x, n: x**n * np.log(x)),
    "negative": (lambda x: -1,),
    "absolute": (np.sign,),
    "sin": (np.cos,),
    "cos": (lambda x: -np.sin(x),),
    "exp": (np.exp,),
    "log": (lambda x: 1 / x,),
}
"""What ``Scale`` scales by, None where by nothing: of numbers, and of terms (Fig. 15)."""


def moved(name: str, xs: Any, deltas: Any, value: Callable[[Any], Any]) -> Delta:
    """``Add (Scale p₁ d₁) …``, of the partial derivatives at ``xs``; a multiple of Zero is Zero."""
    both = zip(PARTIALS[name], deltas, strict=True)
    terms = [d if p is None or d is ZERO else Scale(value(p(*xs)), d) for p, d in both]
    return reduce(Add, terms)


def read(operation: Callable[[Any], Any]) -> Any:
    """What is discrete looks at the primal (2.7)."""
    return lambda x: operation(x.primal)


@dataclass(frozen=True, slots=True, eq=False)
class Number(NDArrayOperatorsMixin):
    """``(x, d)``; ``ids`` gives fresh identifiers, or is None to leave sharing out (Fig. 2)."""

    primal: Any
    delta: Delta = ZERO
    ids: Iterator[int] | None = None

    def __array_ufunc__(self, operation: Any, method: str, *args: Any) -> Any:
        """``D[op t…]`` (Fig. 3); ``D[r] = (r, Zero)``, and a comparison looks at the primals."""
        numbers = [x if isinstance(x, Number) else Number(x) for x in args]
        name, xs = operation.__name__, [x.primal for x in numbers]
        y = plain(operation(*xs))
        if isinstance(y, bool):
            return y
        if name not in PARTIALS:
            raise MissingRule(f"the dual numbers of 003 do not know {name}")
        delta = moved(name, xs, [x.delta for x in numbers], plain)
        ids = next((x.ids for x in numbers if x.ids is not None), None)
        return Number(y, delta if ids is None else Share(next(ids), delta), ids)

    __bool__, __int__, __round__ = read(bool), read(int), read(round)
    __floor__, __ceil__, __hash__ = read(math.floor), read(math.ceil), read(hash)


def plain(x: Any) -> Any:
    """A number of Python's."""
    return x.item() if isinstance(x, np.generic) else x


def each(real: Callable[[Any], Any], discrete: Callable[[Any], Any], x: Any) -> Any:
    """Of the numbers in nested tuples, in order; what is discrete has no dual (``T[Int] = ()``)."""
    if isinstance(x, tuple):
        return tuple(each(real, discrete, part) for part in x)
    return discrete(x) if isinstance(x, bool | int | np.bool_ | np.integer) else real(x)


def traced(f: Callable[..., Any], *inputs: Any, sharing: bool = True) -> Delta:
    """The Delta term of ``D[f]`` at numbers, by Fig. 3, or without sharing by Fig. 2."""
    names, ids = count(), count() if sharing else None
    y = f(*each(lambda x: Number(x, Input(next(names)), ids), lambda x: x, inputs))
    if not isinstance(y, Number | Real):
        raise TypeMismatch(f"the dual numbers of 003 give a gradient of a number, not of {y!r:.60}")
    return getattr(y, "delta", ZERO)


def gradient(f: Callable[..., Any], *inputs: Any, cotangent: Any = 1.0) -> Any:
    """The gradient at ``inputs``, numbers or nested tuples of them: ``wrapper`` (Fig. 6)."""
    found, names = reverse_pass(cotangent, traced(f, *inputs)), count()
    return each(lambda _: found.get(next(names), 0.0), lambda _: None, inputs)


def eval0(delta: Delta, direction: Sequence[Any], see: Callable[[Delta], Any] = id) -> Any:
    """``∇f · ε``; ``eval0`` of every basis vector is the gradient (2.3, Eq. 2)."""

    def ev(d: Delta) -> Recursive[Any]:
        see(d)
        match d:
            case Form("Input", (i,)):
                return direction[i]
            case Form("Add", (d1, d2)):
                return (yield ev(d1)) + (yield ev(d2))
            case Form("Scale", (r, d1)):
                return r * (yield ev(d1))
            case Form("Share", (_, d1)):
                return (yield ev(d1))
        return 0 * direction[0]

    return recurse(ev(delta))


eval1 = eval0
"""One pass, at all basis vectors; but every node makes a vector (2.4)."""


def eval2(delta: Delta, tangent: Any, see: Callable[[Delta], Any] = id) -> Any:
    """Cayley-transformed: one vector goes through, and only ``Scale`` works on all of it.

    It scales what its own term adds; what was there before stands still.
    """

    def ev(d: Delta, tg: Any) -> Recursive[Any]:
        see(d)
        match d:
            case Form("Input", (i,)):
                tg[i] += 1
            case Form("Add", (d1, d2)):
                tg = yield ev(d2, (yield ev(d1, tg)))
            case Form("Scale", (r, d1)):
                tg = tg + r * (yield ev(d1, np.zeros_like(tg)))
            case Form("Share", (_, d1)):
                tg = yield ev(d1, tg)
        return tg

    return recurse(ev(delta, tangent))


def handed(c: Any, d: Delta) -> Sequence[tuple[Any, Delta]]:
    """What goes to the terms below: ``c · d`` is the sum of what goes to its inputs."""
    match d:
        case Form("Add", (d1, d2)):
            return (c, d2), (c, d1)
        case Form("Scale", (r, d1)):
            return ((c * r, d1),)
        case Form("Share", (_, d1)):
            return ((c, d1),)
        case Form("LitArray", (ds,)):
            return [(c[n], d) for n, d in reversed([*enumerate(ds)])]
    return ()


def arriving(
    c: Any, d: Delta, see: Callable[[Delta], Any], handed: Any, *at: str
) -> Iterator[tuple[Any, Delta]]:
    """What of ``c · d`` arrives at terms of these kinds: factors are pushed inwards (2.4)."""
    todo = [(c, d)]
    while todo:
        c, d = todo.pop()
        see(d)
        if d.kind in at:
            yield c, d
        else:
            todo += handed(c, d)


def eval3(c: Any, delta: Delta, tangent: Any, see: Callable[[Delta], Any] = id) -> Any:
    """Pushing factors inwards turns their order around: reverse mode. No vector work."""
    for r, d in arriving(c, delta, see, handed, "Input"):
        tangent[d.args[0]] += r
    return tangent


def reverse_pass(
    c: Any, delta: Delta, see: Callable[[Delta], Any] = id, handed: Any = handed
) -> dict[Any, Any]:
    """``reversePass₄`` (Fig. 5): the gradient, where an input that is missing has 0.

    What stands below a ``Share`` is put off; the highest identifier is taken out next. Arrays are
    ``handed`` on by other operations, too (Fig. 17).
    """
    grad, accum, dfrag = dict[Any, Any](), dict[int, Any](), dict[int, Delta]()
    highest = list[int]()  # the keys of ``accum``, negated, as a heap
    while True:
        for r, d in arriving(c, delta, see, handed, "Input", "Share"):
            (i, *below), found = d.args, grad if d.kind == "Input" else accum
            if below and i not in accum:
                heapq.heappush(highest, -i)
                dfrag[i] = below[0]
            found[i] = r + found[i] if i in found else r
        if not highest:
            return grad
        i = -heapq.heappop(highest)
        c, delta = accum.pop(i), dfrag.pop(i)
