"""Dual arrays: the category whose numbers are an array and a Delta term (003, sections 2 and 6).

A program runs forwards alone, and what it gives is its value with a Delta term; the evaluator turns
the term into the pullback. So closures, branches, loops, records and function values are those of
the primal mode (``D[s t] = D[s] D[t]``). The paper differentiates programs between first-order
types; here a function among the arguments has the cotangent of what it captures, whose arrays are
inputs as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Fun, Object, Product, Tensor
from combinators.spaces import Space
from combinators.type_folds import cotangent_of, is_smooth, parts_of
from combinators.value_folds import Injected
from interpreters.carriers.carrier import Carrier, Numbered
from interpreters.deltas.numbers import DualArray, DualArrays, arrived, terms
from interpreters.deltas.terms import ZERO, Add, Arrived, Delta, Input, Pull, component
from interpreters.execution.machine import Arrow, Machine, Step, Written, settled
from interpreters.execution.running import Closure, DualMode, Transport, function_of
from interpreters.sparse_cotangents import (
    Cotangent,
    Environment,
    Packed,
    dense,
    dense_leaves,
    nonzero,
    own,
    sparse,
)


class Deltas(DualMode):
    """Arrows run on dual arrays.

    >>> import numpy as np
    >>> from combinators.objects import Real
    >>> from combinators.operation import Operation, named
    >>> from interpreters.carriers.numpy import NumPy
    >>> mode = Deltas(over=NumPy())
    >>> times = mode.primitive(Operation(named("multiply")), Product(Real, Real), Real)
    >>> value, pullback = mode.rep(times, (np.float64(3), np.float64(4)))
    >>> value, pullback(np.float64(1))
    (np.float64(12.0), {0: np.float64(4.0), 1: np.float64(3.0)})
    """

    def __init__(self, over: Carrier | Numbered) -> None:
        self.numbers = DualArrays(over)
        super().__init__(self.numbers, DualArray)
        self._inputs = Transport(self, self._input)

    def _input(self, value: Any, obj: Object) -> DualArray:
        """Every array becomes an input of its own."""
        if isinstance(obj, Tensor | Space) and is_smooth(obj):
            return self.numbers.input(value, obj)
        return DualArray(value)

    def rep(self, arrow: Arrow, argument: Any) -> tuple[Any, Callable[[Cotangent], Cotangent]]:
        """The value at ``argument``, and the pullback there, which may be used again (Fig. 6).

        Values are those of the mode ``inner``: numbers of the carrier, and closures over them.
        """
        named = self._inputs(argument, arrow.dom)
        with uncollected():
            y = arrow.run(named)

        def pullback(cotangent: Cotangent) -> Cotangent:
            with uncollected():
                found = self.numbers.evaluator.reverse_pass(arrived(y, own(cotangent), self._call))
            return dense_leaves(reconstructed(found, named), self.numbers.over)

        return self._primal(y, arrow.cod), pullback

    def called(self, closure: Closure, calls: list[Any]) -> Cotangent:
        """What ``calls`` of a closure, ``(argument, cotangent)``, give for its environment (H5)."""
        named = self._inputs(closure, closure.code.function)
        found = self.numbers.evaluator.reverse_pass(arrived(named, list(calls), self._call))
        return dense_leaves(reconstructed(found, named), self.numbers.over)

    def _call(self, closure: Closure, call: Any) -> tuple[Any, Cotangent]:
        """A call among a function's cotangents, run again; or its environment's cotangent."""
        if type(call) is Environment:
            return closure, call.captured
        argument, cotangent = call
        function = closure.code.function
        x = self._still(argument, function.dom)
        return self.eval(function).run((closure, x)), cotangent

    def override(self, dom: Object, cod: Object) -> Step:
        """The function's own Delta term for what it captures, the rule for its argument."""
        function_type = function_of(dom)
        argument = function_type.dom
        rule_type = Fun(Product(argument, cotangent_of(cod)), cotangent_of(argument))
        evaluate, pull = self.eval(function_type), self.inner.eval(rule_type)

        def apply(machine: Machine) -> Written:
            function, rule, x = machine.stack.pop()
            primal, given = self._primal(x, argument), self._primal(rule, rule_type)
            still = self._still(primal, argument)
            y, _ = yield from machine.forwards(evaluate.enter, (function, still))

            def transpose(c: Cotangent) -> Iterator[Arrived]:
                pulled = pull.run((given, (primal, dense(self.numbers.over, c, cod))))
                return arrived(x, sparse(pulled, argument), self._call)

            ruled = self.numbers.share(Pull(transpose, tuple(terms(x))))
            machine.stack.append(recurse(self._moved(settled(y, cod), ruled, cod)))

        return apply

    def _moved(self, value: Any, delta: Delta, obj: Object) -> Recursive[Any]:
        """``value``, moving by ``delta`` besides."""
        types = parts_of(obj)
        if types is not None:
            parts = []
            for i, (item, below) in enumerate(zip(value, types, strict=True)):
                parts.append((yield self._moved(item, component(i, delta), below)))
            return tuple(parts)
        if not isinstance(obj, Tensor | Space) or not is_smooth(obj):
            return value
        both = delta if value.delta is ZERO else Add(value.delta, delta)
        return DualArray(value.primal, self.numbers.share(both), obj)


def reconstructed(found: dict[int, Cotangent], value: Any) -> Cotangent:
    """The cotangent of a value whose arrays are inputs, given those of the inputs."""
    return recurse(_reconstructed(found, value, set()))


def _reconstructed(found: dict[int, Cotangent], value: Any, seen: set[int]) -> Recursive[Cotangent]:
    if isinstance(value, DualArray):
        delta = value.delta
        return found.get(delta.name) if isinstance(delta, Input) else None
    if isinstance(value, Packed):
        below = yield _reconstructed(found, value.value, seen)
        return None if below is None else Packed(value.obj, below)
    if isinstance(value, Injected):
        return nonzero([(value.tag, (yield _reconstructed(found, value.value, seen)))])
    if isinstance(value, Closure):
        if id(value) in seen:
            return None
        seen.add(id(value))
        value = value.env
    parts = []
    for part in value or ():
        parts.append((yield _reconstructed(found, part, seen)))
    return nonzero(enumerate(parts))
