"""Formulas: the primal mode on symbols, where a test may be open.

An open conditional runs both branches and becomes ``Piecewise``; a long fold
``fold (λ c,i. c + g(i))`` is ``c₀ + Σᵢ g(i)``.

A ``Tangent`` is a formal sum of cotangents of several types, ``{type: value}``; what is missing is
zero. So the cotangents of two functions, of which an open test chooses one, stand beside each
other, each zero where the other is meant. An unknown function's own ``Tangent`` has the type
``Tangent``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import sympy

from combinators.errors import DomainError, TypeMismatch
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.literal import Literal
from combinators.morphisms import Label
from combinators.objects import Bool, Fun, Object, Product, Real, Tagged, Tangent, Tensor
from combinators.operation import Operation
from combinators.primitives.loops import LOOP, LoopType, loop_of
from combinators.primitives.structural import PACK, PLUS, STRUCTURAL, UNPACK, ZEROS
from combinators.terms import Lam, Prim, Term
from combinators.type_folds import columns_of
from combinators.value_folds import Layout, map_leaves
from interpreters.carriers.sympy_places import Index, element
from interpreters.carriers.sympy_shared import Shared, effort, too_long
from interpreters.cost.walk import tallied
from interpreters.execution.direct import Direct, second
from interpreters.execution.machine import Arrow, Machine, Reversible, Step, Written, settled
from interpreters.execution.running import Closure, Code, Running, enter

ROUNDS = 64
"""The longest fold or scan that is written out."""
Erased = dict[Object, Any]


class Formula(Running):
    """Arrows run on expressions; an open conditional runs both branches.

    A fold or scan of more than ``ROUNDS`` rounds is a ``Sum``, if it is one at all.
    """

    def __init__(self, over: Shared | None = None, taken: Iterable[str] = ()) -> None:
        """Over expressions that share; the indices of sums avoid the names that are ``taken``."""
        self.carrier = over or Shared()
        super().__init__(self.carrier)
        self.control = Open(self, self.carrier, Names(taken))


class Open(Direct):
    """The control of a mode on expressions, whose tests may be open."""

    def __init__(self, mode: Running, carrier: Shared, names: Names) -> None:
        super().__init__(mode)
        self.carrier, self.names = carrier, names
        self._open = 0
        """In how many branches of open tests this is."""

    def choice(self, then: Arrow, other: Arrow) -> Step:
        """Enter the branch that the test chooses; where it is open, both."""

        def choose(machine: Machine) -> Any:
            test, context = machine.stack.pop()
            if test in (sympy.true, sympy.false):
                machine.stack.append(context)
                return iter(then.steps if test else other.steps)
            return both(test, tuple(context), machine)

        def both(test: Any, context: Any, machine: Machine) -> Written:
            self._open += 1
            x, _ = yield from machine.forwards(then.enter, context)
            y, _ = yield from machine.forwards(other.enter, context)
            self._open -= 1
            machine.stack.append(self._merged(test, then.cod, x, y))

        return self.mode.record(Reversible(choose, second))  # type: ignore[no-any-return]

    def fix(self, step: Fun) -> Arrow:
        """``fix``, whose calls end by tests that are known."""

        def check(_: Machine) -> None:
            if self._open > ROUNDS:
                raise DomainError(
                    "a recursive function whose end depends on a symbol is no formula: "
                    f"{self._open} calls deep it has not ended; let it end by a number that is "
                    "known, or take the formula of what one call does"
                )

        arrow = super().fix(step)
        return Arrow(arrow.dom, arrow.cod, (check, arrow))

    def loop(self, operation: Operation, dom: Object) -> Step:
        """A loop; a long one is a sum."""
        assert isinstance(dom, Product)
        loop = LoopType.of(operation, dom.parts)
        if loop.carry is None or loop.length <= ROUNDS:
            return super().loop(operation, dom)
        if loop.item is not None:
            raise _no_sum(loop.length)
        return self._summed(loop, Layout(loop.carry))

    def _summed(self, loop: LoopType, layout: Layout) -> Step:
        """The body of a fold, run once at an open index; it raises where the body is no sum."""
        evaluate = self.mode.eval(loop.function).enter

        def summed(machine: Machine) -> Written:
            function, init, rows = machine.stack.pop()
            index = Index.below(loop.length)
            carries = [_open(leaf) for leaf in layout.leaves]
            taken = {symbol for carry in carries for symbol in np.ravel(carry)}
            with self.carrier.unnamed():
                row = map_leaves(partial(_row, index), loop.xs, rows, parts=columns_of)
                argument = layout.nested(carries), row
                result, _ = yield from machine.forwards(evaluate, (function, argument))
            shown = sympy.Symbol(self.names.fresh("i"), integer=True)

            def total(start: Any, carry: Any, result: Any) -> Any:
                term = result - carry
                if term.free_symbols & taken:
                    raise _no_sum(loop.length)
                return start + sympy.Sum(term.xreplace({index: shown}), (shown, 0, index.last))

            results = layout.flat(settled(result, loop.function.cod))
            sums = map(np.frompyfunc(total, 3, 1), layout.flat(init), carries, results)
            machine.stack.append(layout.nested(sums))

        return summed

    def structural(self, operation: Operation, obj: Object) -> Callable[..., Any]:
        """The algebra of cotangents; ``obj`` is what it packs, or gives."""
        primitive = operation.primitive
        if primitive is ZEROS:
            zero = self._zero(obj)
            return lambda: zero
        if primitive is PLUS:
            return lambda x, y: map_leaves(self._sum, obj, x, y)
        if primitive is PACK:
            return lambda x: {obj: x}
        if primitive is UNPACK:
            return lambda erased: erased[obj] if erased and obj in erased else self._zero(obj)
        return super().structural(operation, obj)

    def _zero(self, obj: Object) -> Any:
        def leaf(part: Any) -> Any:
            if isinstance(part, Tagged):
                return None
            return {} if part is Tangent else self.carrier.const(Literal.filled(0, part))

        return map_leaves(leaf, obj)

    def _sum(self, leaf: Object, x: Any, y: Any) -> Any:
        if x is None or y is None:
            return y if x is None else x
        if leaf is not Tangent:
            return self.carrier.add(x, y)
        both: Erased = {o: map_leaves(self._sum, _held(o), x[o], y[o]) for o in x.keys() & y.keys()}
        return {**x, **y, **both}

    def _merged(self, test: Any, obj: Object, x: Any, y: Any) -> Any:
        """The value of type ``obj`` that is ``x`` where ``test`` holds, else ``y``."""
        try:
            return map_leaves(partial(self._leaf, test), obj, settled(x, obj), settled(y, obj))
        except TypeMismatch as error:
            raise DomainError(
                f"which alternative a value is depends on the symbol test {test}, and no formula "
                f"shows that; let the test be known: {error.args[0]}"
            ) from None

    def _leaf(self, test: Any, leaf: Object, x: Any, y: Any) -> Any:
        if x is y:
            return x
        x, y = (self._zero(leaf) if each is None else each for each in (x, y))
        if isinstance(leaf, Fun):
            return self._function(test, x, y, leaf)
        if isinstance(leaf, Tensor):
            return self.carrier.choose(test, x, y, leaf)
        merged: Erased = {}
        for obj in {**x, **y}:
            held = _held(obj)
            first, other = (z[obj] if obj in z else self._zero(held) for z in (x, y))
            merged[obj] = self._merged(test, held, first, other)
        return merged

    def _function(self, test: Any, f: Closure, g: Closure, function: Fun) -> Closure:
        """The function that applies both, and merges what they give."""

        def apply(machine: Machine) -> Written:
            p, first, other, argument = machine.stack.pop()
            x, _ = yield from machine.forwards(enter, (first, argument))
            y, _ = yield from machine.forwards(enter, (other, argument))
            machine.stack.append(self._merged(p, function.cod, x, y))

        captured = Product(Bool, function, function)
        arrow = Arrow(captured.snoc(function.dom), function.cod, (apply,))
        return Closure(Code(arrow, captured, function, Label()), (test, f, g))


def _held(obj: Object) -> Object:
    """What the part ``obj`` of a ``Tangent`` is: of an unknown function's own, a number."""
    return Real if obj is Tangent else obj


def _no_sum(extent: int) -> DomainError:
    """A loop that is too long to be written out, and is no sum."""
    return DomainError(
        f"a loop of {extent} rounds is no formula: only a fold that adds to what it carries is "
        "one, as a sum; take the formula of a shorter loop, or of the loop's body"
    )


def _open(leaf: Object) -> Any:
    """What the fold carries, as variables of their own."""
    if not isinstance(leaf, Tensor) or leaf.dtype == "bool":
        raise DomainError(f"a long fold that carries {leaf!r} is no sum, and so no formula")
    array = np.empty(leaf.shape, dtype=object)
    for at in np.ndindex(leaf.shape):
        array[at] = sympy.Dummy("c", real=True)
    return array[()]


def _row(index: Index, leaf: Object, rows: Any) -> Any:
    if not isinstance(leaf, Tensor):
        raise DomainError(f"a long fold over {leaf!r} is no formula: its rows are functions")
    return element(rows, index)


def check_effort(lam: Lam, most: int) -> None:
    """Raise ``DomainError`` where ``lam``, a closed λ, is known to take more than ``most``.

    A long fold may be a sum, and a conditional may be settled: then only the run can count.
    """
    for loop in filter(None, map(loop_of, distinct_nodes(lam))):
        types = loop.types
        if types.carry is not None and types.item is None and types.length > ROUNDS:
            return
    tally = tallied(lam, _effort)
    if tally.exact and tally.total > most:
        raise too_long(most)


def _effort(term: Term) -> Mapping[str, int]:
    """What the carrier counts."""
    if not isinstance(term, Prim) or term.operation.primitive in {LOOP} | STRUCTURAL:
        return {}
    return {"": effort(term.operation, [arg.type for arg in term.args], term.type)}
