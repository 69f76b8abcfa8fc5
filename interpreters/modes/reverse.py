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

from combinators.category import Label
from combinators.errors import TooManyCalls
from combinators.kit.memory import uncollected
from combinators.objects import Fun, Object, Product
from combinators.operation import Operation
from combinators.primitives.structural import PACK, PLUS, STRUCTURAL, VECTOR, ZEROS
from combinators.type_folds import is_smooth, tangent_of
from interpreters.carriers.carrier import Carrier
from interpreters.execution import steps
from interpreters.execution.machine import Arrow, Machine, Step, settled
from interpreters.execution.running import Closure, Code, Running, arguments, enter, function_of
from interpreters.rules import Linear, pullback_of
from interpreters.sparse_cotangents import (
    Cotangent,
    Environment,
    dense,
    dense_leaves,
    gathered,
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

    def record(self, step: steps.Reversible) -> Step:
        """Leave the transpose on the tape."""
        return steps.recorded(step)

    def leave(self, machine: Machine, step: Step) -> None:
        """Leave what undoes a step on the tape."""
        machine.tape.append(step)

    def rep(self, arrow: Arrow, argument: Any) -> tuple[Any, Callable[[Cotangent], Cotangent]]:
        """The value at ``argument``, and the pullback there; the pullback may be used again."""
        machine = Machine(argument)
        with uncollected():
            machine.run(arrow.steps)
        value, tape = settled(machine.stack.pop(), arrow.cod), machine.tape

        def pullback(cotangent: Cotangent) -> Cotangent:
            backwards = Machine(own(cotangent))
            with uncollected():
                backwards.run(reversed(tape))
            return dense_leaves(backwards.stack.pop(), self.over)

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
        types = arguments(dom)
        active = tuple(i for i in range(len(types)) if i not in literals)
        compute = self.computation(operation, dom, cod)
        over = self.over
        pull = (
            self._transposed(operation, types, cod)
            if operation.primitive in STRUCTURAL
            else pullback_of(operation, dom, active, over)
        )
        if not isinstance(dom, Product):

            def one(machine: Machine) -> None:
                x = machine.stack[-1]
                y = machine.stack[-1] = compute(x)
                machine.tape.append(partial(_pull, pull, over, x, y) if pull else steps.nothing)

            return one
        width = len(types)

        def several(machine: Machine) -> None:
            xs = machine.stack[-1][:width]
            y = machine.stack[-1] = compute(*xs)
            machine.tape.append(partial(_pull, pull, over, xs, y) if pull else steps.nothing)

        return several

    def _transposed(
        self, operation: Operation, types: tuple[Object, ...], cod: Object
    ) -> Linear | None:
        """The algebra of cotangents, transposed: on sparse cotangents, by components."""
        if operation.primitive is PLUS:
            return lambda g, xs, y: {0: g, 1: own(g)}
        if operation.primitive is VECTOR:
            return lambda g, xs, y: opened(g)
        if operation.primitive is ZEROS:
            return None
        packs = operation.primitive is PACK
        obj = tangent_of(types[0] if packs else cod)
        if not is_smooth(obj):
            return None
        pack, unpack = self.control.erasure(obj)
        if not packs:
            return lambda g, t, y: pack(g)
        if isinstance(types[0], Product):
            return lambda g, x, y: {0: unpack(g)}
        return lambda g, x, y: unpack(g)

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        """A closure, whose cotangent in either form becomes that of what it captures."""
        code = Code(body, captured, function, label)

        def close(machine: Machine) -> None:
            env = settled(machine.stack[-1], captured)
            machine.stack[-1] = Closure(code, env)
            machine.tape.append(partial(self._pull_closure, code, env))

        return Arrow(captured, function, (close,))

    def _pull_closure(self, code: Code, env: Any, machine: Machine) -> Iterator[Step] | None:
        """An environment's cotangent is that of the captured values (Fig. 5: the identity)."""
        if type(machine.stack[-1]) is not list:
            return None
        return self.control.called(self, code, env)(machine)

    def called(self, closure: Closure, calls: list[Any]) -> Cotangent:
        """What ``calls`` of a closure, ``(argument, cotangent)``, give for its environment (H5)."""
        machine = Machine(calls)
        machine.run((partial(self.pull_calls, closure.code, closure.env),))
        return dense_leaves(machine.stack.pop(), self.over)

    def pull_calls(self, code: Code, env: Any, machine: Machine) -> Iterator[Step]:
        """Calls are run again, forwards and backwards, and summed (``new_pb`` of Fig. 3)."""
        stack, tape, total = machine.stack, machine.tape, None
        for call in stack.pop():
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
            machine.tape = []
            stack.append([*env, x])
            yield code.arrow.enter
            stack.pop()
            again = machine.tape
            stack.append(own(cotangent))
            yield partial(_backwards, again)
            pulled = stack.pop()
            if pulled is not None:
                pulled.pop(code.width, None)
            total = plus(total, pulled or None, self.over.add)
        machine.tape = tape
        stack.append(total)

    def run_again(self, function: Fun) -> Step:
        """``eval``; its tape is dropped, and made again when it is pulled back."""
        evaluate = self.eval(function)

        def pull(pair: Any, machine: Machine) -> Iterator[Step]:
            stack, tape = machine.stack, machine.tape
            cotangent = stack.pop()
            if cotangent is None:
                stack.append(None)
                return
            machine.tape = []
            stack.append(pair)
            yield evaluate.enter
            stack.pop()
            again = machine.tape
            stack.append(cotangent)
            yield partial(_backwards, again)
            machine.tape = tape

        def apply(machine: Machine) -> Iterator[Step]:
            pair = machine.stack[-1]
            tape, machine.tape = machine.tape, []
            yield evaluate.enter
            machine.tape = tape
            machine.tape.append(partial(pull, pair))

        return apply

    def override(self, dom: Object, cod: Object) -> Step:
        """The function forwards; backwards the rule for its argument, its own for its captures."""
        evaluate = self.eval(function_of(dom))
        assert isinstance(dom, Product)
        rule_type, argument = dom.parts[1], dom.parts[2]
        assert isinstance(rule_type, Fun)
        rule_eval = self.eval(rule_type)

        def pull(rule: Any, x: Any, machine: Machine) -> Iterator[Step]:
            stack, tape = machine.stack, machine.tape
            pulled, cotangent = stack.pop(), stack.pop()
            if cotangent is None:
                stack.append(None)
                return
            machine.tape = []
            stack.append((rule, (x, dense(self.over, cotangent, cod))))
            yield rule_eval.enter
            machine.tape = tape
            parts = {
                0: pulled and pulled.get(0),
                2: sparse(settled(stack.pop(), argument), argument),
            }
            stack.append({i: g for i, g in parts.items() if g is not None} or None)

        def apply(machine: Machine) -> Iterator[Step]:
            function, rule, x = machine.stack[-1]
            machine.tape.append(partial(pull, rule, x))
            machine.stack[-1] = (function, x)
            yield evaluate.enter
            machine.tape.append(save)

        return apply


def _backwards(tape: list[Step], _: Machine) -> Iterator[Step]:
    return reversed(tape)


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
        return _enter_recorded, _keep


def _enter_recorded(machine: Machine) -> Iterator[Step]:
    closure, argument = machine.stack[-1]
    width = closure.code.width

    def pull(machine: Machine) -> None:
        pulled = machine.stack.pop()
        parts = {0: [(argument, machine.stack[-1])], 1: pulled and pulled.get(width)}
        machine.stack[-1] = {i: g for i, g in parts.items() if g is not None}

    machine.tape.append(pull)
    return enter(machine)


def _keep(machine: Machine) -> None:
    machine.tape.append(save)
