"""Forward mode: the category whose numbers are dual numbers (D of docs/laws.md).

An arrow ``f : a → b`` runs on ``a`` and its tangent together and gives ``b`` and its tangent,
``D[f](a, ȧ)``. A closure captures dual numbers, so that ``curry`` and ``eval`` are those of the
primal mode; a function is moved by what it captures, and by a tangent function ``k : A ⇒ T B``
that a caller gives it:

    ``D[ev]((h, b), (k, w)) = k(b) + D[h](b, w)``

The mode nests: as ``over=`` of another mode it stands for its dual numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from combinators.errors import NotDifferentiable, WrongMode
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Fun, Object, Product, Tensor
from combinators.type_folds import parts_of
from interpreters.carriers.carrier import Carrier, Numbered
from interpreters.carriers.duals import Dual, Duals
from interpreters.execution.dual_mode import DualMode
from interpreters.execution.machine import Arrow, Machine, Step, settled
from interpreters.execution.running import Closure, Code, enter, function_of
from interpreters.tangents.cotangents import plus
from interpreters.transposed import Transposed

Tangent = Any
"""Nested tuples of numbers; of a function a callable ``b ↦ ẏ``; None is zero at any level."""


class Perturbed(Closure):
    """A function value that also moves along tangent functions."""

    __slots__ = ("directions",)

    def __init__(
        self, code: Code, env: tuple[Any, ...], directions: tuple[Callable[[Any], Tangent], ...]
    ) -> None:
        """``code`` closed over ``env``; each direction takes an argument to a tangent."""
        super().__init__(code, env)
        self.directions = directions


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
        """Forward mode over the carrier ``over``, or over a mode that has numbers."""
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

    def _apply_perturbed(self, function: Fun, machine: Machine) -> Iterator[Step]:
        perturbed, x = machine.stack[-1]
        yield enter
        y = settled(machine.stack.pop(), function.cod)
        b = self._primal(x, function.dom)
        for direction in perturbed.directions:
            y = self._moved(y, direction(b), function.cod)
        machine.stack.append(y)

    def override(self, dom: Object, cod: Object) -> Step:
        """The function's own pushforward for what it captures, the rule's transpose for ``ẋ``.

        The rule is run once for every number in the result: ``jvp`` of a function with a rule of
        its own costs as many rules as the result has numbers, where ``vjp`` costs one.
        """
        if not self.control.runs:
            raise WrongMode(
                "a function with a derivative of its own has no forward mode as a program, since "
                "its rule is to be transposed; use grad or vjp, or jvp on numbers"
            )
        function_type = function_of(dom)
        argument = function_type.dom
        rule_type = Fun(Product(argument, cod), argument)
        transposed = Transposed(self.eval(rule_type), argument, cod, self.numbers)
        evaluate = self.eval(function_type)

        def apply(machine: Machine) -> Iterator[Step]:
            stack = machine.stack
            function, rule, x = stack.pop()
            still = self._still(self._primal(x, argument), argument)
            stack.append((function, still))
            yield evaluate.enter
            y = settled(stack.pop(), cod)
            tangent = self._tangent(x, argument)
            yield from transposed.steps(machine, rule, still, tangent)
            stack.append(self._moved(y, stack.pop(), cod))

        return apply

    def _moved(self, value: Any, tangent: Tangent, obj: Object) -> Any:
        """``value``, moving by ``tangent`` besides."""
        return recurse(self._move(value, tangent, obj))

    def _move(self, value: Any, tangent: Tangent, obj: Object) -> Recursive[Any]:
        if tangent is None:
            return value
        types = parts_of(obj)
        if types is not None:
            parts = []
            for part, moved, below in zip(value, tangent, types, strict=True):
                parts.append((yield self._move(part, moved, below)))
            return tuple(parts)
        if isinstance(obj, Fun):
            return self._perturbed(value, tangent)
        if not isinstance(obj, Tensor) or not obj.is_smooth:
            raise NotDifferentiable(
                f"{obj!r} has no tangents but None, and was given {tangent!r:.60}"
            )
        return Dual(value.primal, plus(value.tangent, tangent, self.numbers.over.add))

    def _perturbed(self, closure: Closure, tangent: Tangent) -> Closure:
        before = closure.directions if isinstance(closure, Perturbed) else ()
        code = closure.code
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
        return recurse(self._velocity(value, obj))

    def _velocity(self, value: Any, obj: Object) -> Recursive[Tangent]:
        types = parts_of(obj)
        if types is not None:
            parts = []
            for part, below in zip(value, types, strict=False):
                parts.append((yield self._velocity(part, below)))
            return tuple(parts)
        if isinstance(obj, Fun):
            still = not value.env and not isinstance(value, Perturbed)
            return None if still else FunctionTangent(self, value, obj)
        return value.tangent


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
