"""Forward mode: the category whose numbers are dual numbers (D of docs/laws.md).

An arrow ``f : a → b`` runs on ``a`` and its tangent together and gives ``b`` and its tangent,
``D[f](a, ȧ)``. A closure captures dual numbers, so that ``curry`` and ``eval`` are those of the
primal mode; a function is moved by what it captures, and by a tangent function ``k : A ⇒ T B``
that a caller gives it:

    ``D[ev]((h, b), (k, w)) = k(b) + D[h](b, w)``

The mode nests: as ``over=`` of another mode it stands for its dual numbers.

A function with a derivative of its own is pushed forward by the transpose of its rule, which nobody
tells but the rule itself: it is evaluated at every basis cotangent, ``⟨e, ẏ⟩ = ⟨ẋ, rule(x, e)⟩``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from combinators.errors import NotDifferentiable, WrongMode
from combinators.kit.recursion import Recursive, recurse
from combinators.literal import Literal
from combinators.objects import Fun, Object, Product, Tensor
from combinators.operation import Operation, named
from combinators.terms import Lam
from combinators.tracing.functions import Draft
from combinators.tracing.scope import apart
from combinators.tracing.traced import LIBRARY
from combinators.type_folds import Layout, parts_of
from interpreters.carriers.carrier import Carrier, Numbered
from interpreters.carriers.duals import Dual, Duals
from interpreters.execution.machine import Arrow, Machine, Step, settled
from interpreters.execution.running import Closure, Code, DualMode, enter, function_of
from interpreters.rules import program
from interpreters.sparse_cotangents import plus


class Transposed:
    """The pushforward ``ẋ ↦ ẏ`` that a rule ``(x, ȳ) ↦ x̄`` is the transpose of."""

    def __init__(self, evaluate: Arrow, argument: Object, result: Object, duals: Duals) -> None:
        """``evaluate`` applies rules; ``argument`` and ``result`` are the types of x and y."""
        self.evaluate, self.argument = evaluate, argument
        self.duals, self.over = duals, duals.over
        self._argument, self._result = Layout(argument, parts_of), Layout(result, parts_of)
        self.argument_leaves, self.result_leaves = map(_tensors, (self._argument, self._result))

    def steps(self, machine: Machine, rule: Any, x: Any, tangent: Any) -> Iterator[Step]:
        """Push ``ẏ``, given the dual value ``x``, which stands still, and ``ẋ`` over the base."""
        tangents = enumerate(self._argument.flat(tangent))
        moving = [(at, leaf) for at, leaf in tangents if leaf is not None]
        if not moving:
            machine.stack.append(None)
            return
        zero = [self._number(Literal.filled(0.0, leaf)) for leaf in self.result_leaves]
        pushed: list[Any] = []
        for at, leaf in enumerate(self.result_leaves):
            numbers: list[Any] = []
            for unit in _units(leaf):
                cotangent = [*zero[:at], self._number(unit), *zero[at + 1 :]]
                machine.stack.append((rule, (x, self._result.nested(cotangent))))
                yield self.evaluate.enter
                pulled = settled(machine.stack.pop(), self.argument)
                numbers.append(self._inner(moving, self._argument.flat(pulled), leaf))
            pushed.append(self._tensor(numbers, leaf))
        machine.stack.append(self._result.nested(pushed))

    def _number(self, literal: Literal) -> Any:
        return self.duals.const(literal)

    def _inner(self, moving: list[tuple[int, Any]], pulled: list[Any], result: Tensor) -> Any:
        """``⟨ẋ, x̄⟩``, a number of the base carrier."""
        total = None
        for at, tangent in moving:
            product = program(_inner(self.argument_leaves[at], result.dtype), self.over)
            total = plus(total, product(tangent, pulled[at].primal), self.over.add)
        return total

    def _tensor(self, numbers: list[Any], obj: Tensor) -> Any:
        """The tensor of these numbers, in order; None where it cannot move."""
        if not numbers:
            return None
        if not obj.shape:
            return numbers[0]
        flat = Tensor((len(numbers),), obj.dtype)
        reshape = Operation(named("reshape"), (("shape", obj.shape),))
        return self.over.operation(reshape, (flat,), obj)(self.over.stack(numbers, flat))


@cache
def _inner(obj: Tensor, dtype: str) -> Lam:
    """``λ(ẋ, x̄). ⟨ẋ, x̄⟩`` of two tensors, as a number of element type ``dtype``."""

    def inner(tangent: Any, cotangent: Any) -> Any:
        total = LIBRARY["sum"](LIBRARY["scale"](tangent, cotangent))
        return total if obj.dtype == dtype else LIBRARY["astype"](total, dtype)

    with apart():
        return Draft(inner, (obj, obj), (None, None)).finish().lam


def _units(obj: Tensor) -> Iterator[Literal]:
    """The basis of a tensor type; integers and booleans have none."""
    for index in np.ndindex(obj.shape) if obj.is_smooth else ():
        unit = np.zeros(obj.shape, dtype=obj.dtype)
        unit[index] = 1
        yield Literal(unit)


def _tensors(layout: Layout) -> list[Tensor]:
    """The leaves, which have to be tensors."""
    found: list[Tensor] = []
    for leaf in layout.leaves:
        if not isinstance(leaf, Tensor):
            raise WrongMode(
                f"with_derivative from or to {leaf!r} has no forward mode: its rule cannot be "
                "transposed; use a pullback, or let the function capture what is a function"
            )
        found.append(leaf)
    return found


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
