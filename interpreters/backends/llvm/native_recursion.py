"""Functions that call themselves: where they end, as loops, else as functions of the module.

    f (x, y) = if x < 1 then y else f (x / 2, y + 1)

    loop:  go = not x < 1;  (x, y) = if go then (x / 2, y + 1) else (x, y);  while go
    y

Where a round is not first a test, what it ends with is carried beside the argument of the next.
"""

from __future__ import annotations

from typing import Self

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive, Step
from combinators.terms import App, Cond, Let, Term
from interpreters.backends.analysis.captures import calls_where_it_ends, ending, rounds_of
from interpreters.backends.llvm.graph import LoopNode, Node
from interpreters.backends.llvm.native_algebra import carrying, finished
from interpreters.backends.llvm.native_calls import CallLowering, Env, a_lam, owner_of
from interpreters.backends.llvm.native_forms import MOST, joined, known_form
from interpreters.backends.llvm.native_values import Closure, Value, inside, nodes_of, skeleton

MANY = 1 << 62
"""More rounds than any loop has."""


class RecursiveLowering(CallLowering):
    """What a walk over terms does at functions that call themselves."""

    def fixed(self, step: Value) -> Value:
        """A function that calls itself as a value: a λ that calls it."""
        lam = a_lam(step)
        return None if lam is None else Closure(self.book.again(lam.type), {"step": step})

    def recursion(self, step: Value, argument: Value) -> Recursive[Value]:
        """The result of a function that calls itself."""
        found: Value
        if not isinstance(step, Closure) or len(step.lam.params) != 2:
            return self._called_by_name(step, argument)
        itself, x = step.lam.params
        lam, known = step.lam, rounds_of(step.lam, self._captured)
        calls = calls_where_it_ends(itself.name, lam.body, self._captured)
        if not calls:
            return self._called_by_name(step, argument)
        graph, env, outside = self.graph, step.env, self.graph.block
        form = self.book.known(skeleton((argument, None)), id(lam))
        for number in range(2 * MOST):
            body, variable = graph.body()
            loop = LoopNode(MANY, False, body, variable, [], is_while=True)
            made, carry = carrying(graph, outside, loop, form)
            state, _ = _pair(carry)
            inner = {**env, x.name: state}
            found = yield self._round(lam.body, inner, calls, state if known else None)
            go, after = _pair(found)
            more = joined(form, skeleton(after))
            if more == form:
                break
            form = self.book.in_records(more, id(lam)) if number >= MOST else more
            graph.block = outside
        else:
            raise MissingRule("the native backend carries no function that captures the last one")
        assert isinstance(go, Node)
        body.outputs = [*(inside(graph, node, body) for node in nodes_of(graph, after, form)), go]
        graph.block = outside
        last, _ = finished(graph, made, (argument, None), form)
        state, result = _pair(last)
        if known:
            ends = Let(tuple(known.lines), known.end) if known.lines else known.end
            result = yield self.value(ends, {**env, x.name: state})
        return result

    def _called_by_name(self, step: Value, argument: Value) -> Value:
        """The results of a call of a function of the module."""
        lam = a_lam(step)
        if lam is None:
            return None
        x = lam.type.dom.parts[1]  # type: ignore[attr-defined]

        def written(walk: Self, step: Value, x: Value) -> Step[Value]:
            return walk.called(step, (walk.fixed(step), x))

        forms = skeleton(step), joined(skeleton(argument), known_form(x, self.book))
        result = known_form(lam.body.type, self.book)
        return self.call(("fix", *owner_of(step)), (step, argument), forms, result, written)

    def _round(self, term: Term, env: Env, calls: frozenset[int], state: Value) -> Recursive[Value]:
        """Whether it goes on, and with what; else ``state``, where that is given, or its end."""
        graph = self.graph
        found: Value
        if id(term) not in calls:
            if state is not None:
                return graph.fill(False, (), "bool"), (state, None)
            found = yield self.value(term, env)
            return graph.fill(False, (), "bool"), (None, found)
        match term:
            case Let():
                inner = dict(env)
                lines, last = ending(term)
                for var, bound in lines:
                    inner[var.name] = yield self.value(bound, inner)
                found = yield self._round(last, inner, calls, state)
                return found
            case Cond(test, then, other):
                asked: Value = yield self.value(test, env)
                assert isinstance(asked, Node)
                found = yield self.either(
                    asked,
                    lambda: self._round(then, env, calls, state),
                    lambda: self._round(other, env, calls, state),
                )
                return found
            case _:
                assert isinstance(term, App)
                found = yield self.value(term.argument, env)
                return graph.fill(True, (), "bool"), (found, None)


def _pair(value: Value) -> tuple[Value, Value]:
    assert isinstance(value, tuple)
    first, second = value
    return first, second
