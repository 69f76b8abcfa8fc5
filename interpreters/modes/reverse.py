"""What both pullback modes share: an arrow is a rep-function ``a → (b, T b → T a)``.

Running an arrow leaves its transpose on the machine's tape; the pullback runs the tape backwards.
The chain rule (``∘`` of Fig. 2) is the order of the tape, and ``prod``'s sum is the transpose of
copying. The two modes differ in ``eval`` alone: in what a function's cotangent is.

``Dependent`` is Figure 5: every rep-function pulls back to its argument and to what the closure
captured (Definition 5.1), so that nothing runs twice; the tangent space of a function value depends
on the value (Definition 5.2). ``Pullback`` is Figures 3 and 6: ``T(a ⇒ b) = [(a, T b)]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from combinators.derivative_rules import transpose_of
from combinators.errors import TooManyCalls
from combinators.kit.memory import uncollected
from combinators.objects import Fun, Object, Product
from combinators.operation import Operation
from combinators.primitives.structural import PACK, PLUS, STRUCTURAL, VECTOR, ZEROS
from combinators.primitives.sums import SUMS
from combinators.type_folds import holds_functions, is_smooth, tangent_of
from interpreters.carriers.carrier import Carrier
from interpreters.execution.direct import of_cotangents
from interpreters.execution.machine import (
    Arrow,
    Machine,
    Reversible,
    Step,
    Written,
    nothing,
    settled,
)
from interpreters.execution.running import Closure, Code, Running, arguments, enter
from interpreters.rules import Linear, pullback_of
from interpreters.sparse_cotangents import (
    Cotangent,
    Environment,
    dense,
    dense_leaves,
    gathered,
    nonzero,
    opened,
    own,
    plus,
    sparse,
)

MOST_CALLS = 300_000
"""So many calls are run again before the simply-typed form gives up: some seconds."""


class Reverse(Running):
    """Arrows are rep-functions (Fig. 2 of 004), as steps that record their transposes."""

    reverses = True

    def record(self, step: Reversible) -> Step:
        """Leave the transpose on the tape."""
        forward, backward = step

        def recorded(machine: Machine) -> Iterator[Step] | None:
            machine.tape.append(backward)
            return forward(machine)

        return recorded

    def leave(self, machine: Machine, step: Step) -> None:
        """Leave what undoes a step on the tape."""
        machine.tape.append(step)

    def rep(self, arrow: Arrow, argument: Any) -> tuple[Any, Callable[[Cotangent], Cotangent]]:
        """The value at ``argument``, and the pullback there; the pullback may be used again."""
        machine = Machine(argument)
        with uncollected():
            machine.run(arrow.steps)
        value, tape = settled(machine.stack.pop(), arrow.cod), machine.tape
        closed = not holds_functions(arrow.dom)

        def pullback(cotangent: Cotangent) -> Cotangent:
            back = Machine(own(cotangent))
            back.closed = closed
            with uncollected():
                back.run(reversed(tape))
            return dense_leaves(back.stack.pop(), self.over)

        return value, pullback

    def compose(self, arrows: Sequence[Arrow]) -> Arrow:
        """One after the other; a primitive does not pull back to arguments that are literals."""
        joined = list(arrows)
        for i in range(1, len(joined)):
            spare, literals = joined[i].spare, joined[i - 1].literals
            if spare is not None and literals:
                joined[i] = spare(literals)
        return super().compose(joined)

    def generator(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        """A primitive, which pulls back by the derivative that it declares."""

        def sparing(literals: frozenset[int]) -> Arrow:
            key = (operation, dom, literals)
            if key not in self._primitives:
                step = self._rep(operation, dom, cod, literals)
                self._primitives[key] = Arrow(dom, cod, (step,), spare=sparing)
            return self._primitives[key]

        return sparing(frozenset())

    def _rep(
        self, operation: Operation, dom: Object, cod: Object, literals: frozenset[int]
    ) -> Step:
        """The carrier's computation; its arguments and its value stay on the tape."""
        types, over = arguments(dom), self.over
        compute = self.computation(operation, dom, cod)
        if operation.primitive in STRUCTURAL:
            pull = self._transposed(operation, types, cod)
        else:
            active = tuple(i for i in range(len(types)) if i not in literals)
            pull = pullback_of(operation, dom, active, over)
        width = len(types) if isinstance(dom, Product) else None

        def step(machine: Machine) -> None:
            xs = machine.stack[-1] if width is None else machine.stack[-1][:width]
            y = machine.stack[-1] = compute(xs) if width is None else compute(*xs)
            machine.tape.append(partial(_pull, pull, over, xs, y) if pull else nothing)

        return step

    def _transposed(
        self, operation: Operation, types: tuple[Object, ...], cod: Object
    ) -> Linear | None:
        """The algebra of cotangents, transposed: on sparse cotangents, by components."""
        primitive = operation.primitive
        if primitive is PLUS:
            return lambda g, xs, y: {0: g, 1: own(g)}
        if primitive is VECTOR:
            return lambda g, xs, y: opened(g)
        if primitive in SUMS:
            transpose = transpose_of(operation, types[0])
            if transpose is None:
                return None
            back, wide = of_cotangents(transpose), isinstance(types[0], Product)
            return lambda g, x, y: nonzero([(0, back(g))]) if wide else back(g)
        obj = tangent_of(types[0] if primitive is PACK else cod)
        if primitive is ZEROS or not is_smooth(obj):
            return None
        pack, unpack = self.control.erasure(obj)
        if primitive is not PACK:
            return lambda g, t, y: pack(g)
        if isinstance(types[0], Product):
            return lambda g, x, y: {0: unpack(g)}
        return lambda g, x, y: unpack(g)

    def close(self, machine: Machine, code: Code, env: Any) -> None:
        """A closure, whose cotangent in either form becomes that of what it captures."""
        super().close(machine, code, env)
        machine.tape.append(partial(self._pull_closure, code, env))

    def _pull_closure(self, code: Code, env: Any, machine: Machine) -> Iterator[Step] | None:
        """An environment's cotangent is that of the captured values (Fig. 5: the identity)."""
        if type(machine.stack[-1]) is not list:
            return None
        if machine.closed and _is_still(code, env):
            machine.stack[-1] = None
            return None
        return self.control.called(code, env)(machine)

    def called(self, closure: Closure, calls: list[Any]) -> Cotangent:
        """What ``calls`` of a closure, ``(argument, cotangent)``, give for its environment (H5)."""
        machine = Machine(calls)
        machine.run((self.control.called(closure.code, closure.env),))
        return dense_leaves(machine.stack.pop(), self.over)

    def pull_calls(self, code: Code, env: Any, machine: Machine) -> Iterator[Step]:
        """Calls are run again, forwards and backwards, and summed (``new_pb`` of Fig. 3)."""
        total = None
        for call in machine.stack.pop():
            if type(call) is Environment:
                total = plus(total, call.captured, self.over.add)
                continue
            x, cotangent = call
            if cotangent is None:
                continue
            machine.again += 1
            if machine.again > MOST_CALLS:
                raise TooManyCalls(
                    'the pullback in mode="simple" runs the body of a function again for every '
                    f"call of it, and of λs inside λs every one again: after {MOST_CALLS:,} calls "
                    'it is not over; use mode="dependent", in which nothing runs twice'
                )
            _, tape = yield from machine.forwards(code.arrow.enter, [*env, x])
            pulled = yield from machine.backwards(tape, own(cotangent))
            if pulled is not None:
                pulled.pop(code.width, None)
            total = plus(total, pulled or None, self.over.add)
        machine.stack.append(total)

    def run_again(self, function: Fun) -> Step:
        """``eval``; its tape is dropped, and made again when it is pulled back."""
        evaluate = self.eval(function).enter

        def pull(pair: Any, machine: Machine) -> Written:
            cotangent = machine.stack.pop()
            if cotangent is not None:
                _, tape = yield from machine.forwards(evaluate, pair)
                cotangent = yield from machine.backwards(tape, cotangent)
            machine.stack.append(cotangent)

        def apply(machine: Machine) -> Written:
            pair = machine.stack.pop()
            value, _ = yield from machine.forwards(evaluate, pair)
            machine.stack.append(value)
            machine.tape.append(partial(pull, pair))

        return apply

    def override(self, dom: Object, cod: Object) -> Step:
        """The function forwards; backwards the rule for its argument, its own for its captures."""
        assert isinstance(dom, Product)
        function_type, rule_type, argument = dom.parts
        assert isinstance(function_type, Fun)
        assert isinstance(rule_type, Fun)
        evaluate, evaluate_rule = self.eval(function_type), self.eval(rule_type)

        def pull(rule: Any, x: Any, machine: Machine) -> Written:
            pulled, cotangent = machine.stack.pop(), machine.stack.pop()
            parts = {}
            if cotangent is not None:
                given = (rule, (x, dense(self.over, cotangent, cod)))
                ruled, _ = yield from machine.forwards(evaluate_rule.enter, given)
                ruled = sparse(settled(ruled, argument), argument)
                parts = {0: pulled and pulled.get(0), 2: ruled}
            machine.stack.append(nonzero(parts.items()))

        def apply(machine: Machine) -> Iterator[Step]:
            function, rule, x = machine.stack[-1]
            machine.tape.append(partial(pull, rule, x))
            machine.stack[-1] = (function, x)
            yield evaluate.enter
            machine.tape.append(save)

        return apply


def _is_still(code: Code, env: Any) -> bool:
    """Whether nothing that a closure captures, or a function among it, can have a cotangent."""
    todo, seen = [(code, env)], set[int]()
    while todo:
        code, env = todo.pop()
        for obj, value in zip(code.captured.parts, env, strict=True):
            if isinstance(value, Closure):
                if id(value) not in seen:
                    seen.add(id(value))
                    todo.append((value.code, value.env))
            elif is_smooth(obj):
                return False
    return True


def save(machine: Machine) -> None:
    """Backwards: keep a copy of the cotangent below the one that will be consumed."""
    machine.stack.append(own(machine.stack[-1]))


def _pull(pull: Linear, over: Carrier, xs: Any, y: Any, machine: Machine) -> None:
    cotangent = machine.stack[-1]
    if cotangent is not None:
        machine.stack[-1] = pull(gathered(cotangent, over), xs, y)


class Dependent(Reverse):
    """Rep-functions whose ``eval`` hands on the cotangent of the closure's environment."""

    def entering(self, function: Fun) -> tuple[Step, ...]:
        """``eval (f, x) = let (y, pb) = f x in (y, λg. ((), pb g))``; nothing runs twice."""
        return (_enter_split,)


def _enter_split(machine: Machine) -> Iterator[Step]:
    machine.tape.append(machine.stack[-1][0].code.split)
    return enter(machine)


class Pullback(Reverse):
    """Rep-functions whose ``eval`` records the argument and the cotangent of the result.

    ``T(a ⇒ b) = [(a, T b)]``. ``curry`` runs every recorded call again. A call whose result was
    forgotten is recorded as ``(x, 0)`` too (Fig. 4); it is not run again.
    """

    records_calls = True

    def entering(self, function: Fun) -> tuple[Step, ...]:
        """``eval (f, x) = let (y, pb) = f x in (y, λg. ([(x, g)], pb g))``."""
        return _enter_recorded, lambda machine: machine.tape.append(save)

    def unrolled(self, step: Fun) -> Arrow:
        """``eval`` of a step; it, and its fixed point, hand on the cotangent of what they captured.

        A recursive function is run again for each call from outside, and inside no call is: their
        number would be the power of 2 to the depth.
        """
        return Arrow(Product(step, step.dom), step.cod, (_enter_unrolled,))


class Unrolled(Closure):
    """A recursive function inside its own body."""


def _enter_unrolled(machine: Machine) -> Iterator[Step]:
    step, (itself, x) = machine.stack[-1]
    machine.stack[-1] = step, (Unrolled(itself.code, itself.env), x)
    return _enter_split(machine)


def _enter_recorded(machine: Machine) -> Iterator[Step]:
    closure, argument = machine.stack[-1]

    def pull(machine: Machine) -> None:
        pulled = machine.stack.pop()
        if type(closure) is Unrolled:
            machine.stack[-1] = pulled
            closure.code.split(machine)
            return
        of_argument = pulled and pulled.get(closure.code.width)
        machine.stack[-1] = nonzero(enumerate(([(argument, machine.stack[-1])], of_argument)))

    machine.tape.append(pull)
    return enter(machine)
