"""Forward mode: the category whose numbers are dual numbers (D of docs/laws.md).

An arrow ``f : a → b`` runs on ``a`` and its tangent together and gives ``b`` and its tangent,
``D[f](a, ȧ)``. A closure captures dual numbers, so that ``curry`` and ``eval`` are those of the
primal mode; a function is moved by what it captures, and by a tangent function ``k : A ⇒ T B``
that a caller gives it:

    ``D[ev]((h, b), (k, w)) = k(b) + D[h](b, w)``

The mode nests: as ``over=`` of another mode it stands for its dual numbers.

A function with a derivative of its own is pushed forward by the transpose of its rule: what the
pullback of ``e ↦ rule(x, e)``, which is linear, gives for ``ẋ``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from combinators.errors import NotDifferentiable, WrongMode
from combinators.objects import Fun, Object, Product, Tensor
from combinators.primitives.structural import REP
from combinators.spaces import Space
from combinators.type_folds import is_smooth, rep_function, represented, tangent_of
from combinators.value_folds import Layout, map_leaves
from interpreters.carriers.carrier import Carrier, Numbered
from interpreters.carriers.duals import Dual, Duals
from interpreters.execution.machine import Arrow, Machine, Step, Written, settled
from interpreters.execution.running import Closure, DualMode, enter
from interpreters.sparse_cotangents import plus, zeros

Tangent = Any
"""Nested tuples of numbers; of a function a callable ``b ↦ ẏ``; None is zero at any level."""


@dataclass(slots=True, eq=False)
class Perturbed(Closure):
    """A function value that also moves along tangent functions, from an argument to a tangent."""

    directions: tuple[Callable[[Any], Tangent], ...]  # type: ignore[misc]  # it has some


class Pushforward(DualMode):
    """Arrows push tangents forward.

    >>> import numpy as np
    >>> from combinators.objects import Real
    >>> from combinators.operation import Operation, named
    >>> from interpreters.carriers.numpy import NumPy
    >>> mode = Pushforward(over=NumPy())
    >>> times = mode.primitive(Operation(named("multiply")), Product(Real, Real), Real)
    >>> mode.push(times, (np.float64(3), np.float64(4)), (np.float64(1), None))
    (np.float64(12.0), np.float64(4.0))
    """

    def __init__(self, over: Carrier | Numbered) -> None:
        self.numbers = Duals(over)
        super().__init__(self.numbers, Dual)

    def push(self, arrow: Arrow, primals: Any, tangents: Tangent = None) -> tuple[Any, Tangent]:
        """``(f(x), D[f](x, ẋ))``, the tangent None where it is known to be zero.

        Values are those of the mode ``inner``: numbers of the carrier, and closures over them. A
        function's tangent is a callable from such an argument to a tangent, or a dict from the
        index of a captured variable to its tangent; that of a resulting function is callable.
        """
        y = arrow.run(self._moved(self._still(primals, arrow.dom), tangents, arrow.dom))
        return self._primal(y, arrow.cod), self._tangent(y, arrow.cod)

    def entering(self, function: Fun) -> tuple[Step, ...]:
        """Go to the closure's code; a perturbed function adds what its directions give."""

        def apply(machine: Machine) -> Iterator[Step]:
            if isinstance(machine.stack[-1][0], Perturbed):
                return self._apply_perturbed(function, machine)
            return enter(machine)

        return (apply,)

    def _apply_perturbed(self, function: Fun, machine: Machine) -> Written:
        perturbed, x = pair = machine.stack.pop()
        y, _ = yield from machine.forwards(enter, pair)
        y, b = settled(y, function.cod), self._primal(x, function.dom)
        for direction in perturbed.directions:
            y = self._moved(y, direction(b), function.cod)
        machine.stack.append(y)

    def override(self, dom: Object, cod: Object) -> Step:
        """The function's own pushforward for what it captures, the rule's transpose for ``ẋ``.

        The rule is linear in the cotangent, and so its own pullback takes ``ẋ`` to ``ẏ``.
        """
        assert isinstance(dom, Product)
        function_type, rule_type, argument = dom.parts
        rep_type = represented(rule_type, rep_function)
        for leaf in (*Layout(argument).leaves, *Layout(cod).leaves):
            if not isinstance(leaf, Tensor | Space):
                raise WrongMode(
                    f"with_derivative from or to {leaf!r} has no forward mode: its rule cannot be "
                    "transposed; use a pullback, or let the function capture what is a function"
                )
        assert isinstance(function_type, Fun)
        assert isinstance(rep_type, Fun)
        assert isinstance(rep_type.cod, Product)
        pullback_type = rep_type.cod.parts[1]
        assert isinstance(pullback_type, Fun)
        reify, at = self.derivative(REP), [self.eval(function_type), self.eval(rep_type)]
        evaluate, evaluate_rep, pull = (each.enter for each in (*at, self.eval(pullback_type)))

        def apply(machine: Machine) -> Written:
            function, rule, x = machine.stack.pop()
            still = self._still(self._primal(x, argument), argument)
            y, _ = yield from machine.forwards(evaluate, (function, still))
            rep, _ = yield from machine.forwards(reify, rule)
            zero = map_leaves(self._dense, cod), map_leaves(self._dense, argument, x)
            given, _ = yield from machine.forwards(evaluate_rep, (rep, (still, zero[0])))
            pulled, _ = yield from machine.forwards(pull, (given[1], zero[1]))
            pushed = map_leaves(_smooth, cod, pulled[1][1])
            machine.stack.append(self._moved(settled(y, cod), pushed, cod))

        return apply

    def _dense(self, leaf: Any, x: Dual | None = None) -> Any:
        """The tangent of a number, as a number that does not move; of none, zero."""
        if not is_smooth(leaf):
            return ()
        tangent = x and x.tangent
        return Dual(zeros(self.numbers.over, tangent_of(leaf)) if tangent is None else tangent)

    def _moved(self, value: Any, tangent: Tangent, obj: Object) -> Any:
        """``value``, moving by ``tangent`` besides."""
        return value if tangent is None else map_leaves(self._leaf_moved, obj, value, tangent)

    def _leaf_moved(self, obj: Object, value: Any, tangent: Tangent) -> Any:
        if tangent is None:
            return value
        if isinstance(obj, Fun):
            return self._perturbed(value, tangent)
        if not is_smooth(obj):
            raise NotDifferentiable(
                f"{obj!r} has no tangents but None, and was given {tangent!r:.60}"
            )
        if value is None:  # inside of a tangent of a sum that is zero
            return Dual(zeros(self.numbers.over, obj), tangent)
        return Dual(value.primal, plus(value.tangent, tangent, self.numbers.over.add))

    def _perturbed(self, closure: Closure, tangent: Tangent) -> Closure:
        code, before = closure.code, closure.directions
        if callable(tangent):
            return Perturbed(code, closure.env, (*before, tangent))
        if not isinstance(tangent, dict):
            raise NotDifferentiable(
                f"the tangent of a function {code.function!r} is a function of its argument, or a "
                f"dict from the index of a captured variable to its tangent, not {tangent!r:.60}"
            )
        env = list(closure.env)
        for index, moved in tangent.items():
            env[index] = self._moved(env[index], moved, code.captured.parts[index])
        return Perturbed(code, tuple(env), before) if before else Closure(code, tuple(env))

    def _tangent(self, value: Any, obj: Object) -> Tangent:
        """How ``value`` moves."""
        return map_leaves(self._velocity, obj, value)

    def _velocity(self, obj: Object, value: Any) -> Tangent:
        if not isinstance(obj, Fun):
            return None if value is None else value.tangent
        still = not value.env and not value.directions
        return None if still else FunctionTangent(self, value, obj)


@dataclass(frozen=True, slots=True, eq=False)
class FunctionTangent:
    """How a function moves: ``b ↦ D[f]((a, b), (ȧ, 0))`` of a closure ``f`` that captures ``a``."""

    mode: Pushforward
    closure: Closure
    function: Fun

    def __call__(self, argument: Any) -> Tangent:
        """The tangent of the function's result at ``argument``, a value of ``mode.inner``."""
        x = self.mode._still(argument, self.function.dom)
        y = self.mode.eval(self.function).run((self.closure, x))
        return self.mode._tangent(y, self.function.cod)


def _smooth(leaf: Any, tangent: Any) -> Tangent:
    return tangent.primal if is_smooth(leaf) else None
