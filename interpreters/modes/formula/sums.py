"""Long folds as sums: ``fold (λ c,i. c + g(i))`` is ``c₀ + Σᵢ g(i)``."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from combinators.errors import DomainError
from combinators.kit.text import Names
from combinators.objects import Object, Product, Tensor, components
from combinators.rows import length_of
from interpreters.carriers.sympy_places import Index, element
from interpreters.carriers.sympy_shared import Shared
from interpreters.execution.machine import Arrow, Machine, Step, settled


class Sums:
    """Runs the body of a fold once, at an open index."""

    def __init__(self, carrier: Shared, names: Names) -> None:
        """``names`` are those that are taken already; indices take others."""
        self.carrier, self.names = carrier, names

    def fold(self, dom: Object, evaluate: Arrow) -> Step:
        """The step that sums; it raises where the body is no sum."""
        assert isinstance(dom, Product)
        _, carried, xs = dom.parts
        extent = length_of(xs)

        def step(machine: Machine) -> None:
            function, init, rows = machine.stack.pop()
            index = Index.below(extent)
            taken: set[Any] = set()
            carry = _open(carried, taken)
            with self.carrier.unnamed():
                row = _row(rows, xs, index)
                result = settled(evaluate.run((function, (carry, row))), carried)
            summed = _Summed(taken, index, sympy.Symbol(self.names.fresh("i"), integer=True))
            machine.stack.append(summed.whole(init, carry, result))

        return step


class _Summed:
    """``c₀ + Σ (r - c)``, leaf by leaf."""

    def __init__(self, taken: set[Any], index: Index, shown: Any) -> None:
        self.taken, self.index, self.shown = taken, index, shown
        self.each = np.frompyfunc(self._leaf, 3, 1)

    def whole(self, init: Any, carry: Any, result: Any) -> Any:
        if isinstance(carry, tuple):
            return tuple(map(self.whole, init, carry, result))
        if isinstance(carry, np.ndarray):
            return self.each(init, carry, result)
        return self._leaf(init, carry, result)

    def _leaf(self, init: Any, carry: Any, result: Any) -> Any:
        term = result - carry
        if term.free_symbols & self.taken:
            raise no_sum(self.index.last + 1)
        shown = term.xreplace({self.index: self.shown})
        return init + sympy.Sum(shown, (self.shown, 0, self.index.last))


def no_sum(extent: int) -> DomainError:
    """A loop that is too long to be written out, and is no sum."""
    return DomainError(
        f"a loop of {extent} rounds is no formula: only a fold that adds to what it carries is "
        "one, as a sum; take the formula of a shorter loop, or of the loop's body"
    )


def _open(obj: Object, taken: set[Any]) -> Any:
    """What the fold carries, as variables of their own."""
    product = components(obj)
    if product is not None:
        return tuple(_open(part, taken) for part in product.parts)
    if not isinstance(obj, Tensor) or obj.dtype == "bool":
        raise DomainError(f"a long fold that carries {obj!r} is no sum, and so no formula")
    array = np.empty(obj.shape, dtype=object)
    for at in np.ndindex(obj.shape):
        array[at] = sympy.Dummy("c", real=True)
    taken.update(array.flat)
    return array[()]


def _row(rows: Any, obj: Object, index: Index) -> Any:
    product = components(obj)
    if product is not None:
        return tuple(_row(part, o, index) for part, o in zip(rows, product.parts, strict=False))
    if not isinstance(obj, Tensor):
        raise DomainError(f"a long fold over {obj!r} is no formula: its rows are functions")
    return element(rows, index)
