"""Functions that call themselves where they end, as loops.

    f (x, y) = if x < 1 then y else f (x / 2, y + 1)

    loop:  go = not x < 1;  (x, y) = if go then (x / 2, y + 1) else (x, y);  while go
    y

Where a round is not first a test, what it ends with is carried beside the argument of the next. A
function that calls itself elsewhere needs a stack, and its derivatives functions in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive, Step
from combinators.primitives.structural import FIX
from combinators.terms import App, Cond, Lam, Let, Prim, Term
from interpreters.backends.analysis.captures import (
    Occurrences,
    calls_where_it_ends,
    ending,
    rounds_of,
)
from interpreters.backends.llvm.graph import GraphBuilder, LoopNode, Node
from interpreters.backends.llvm.native_algebra import carrying, finished, inside
from interpreters.backends.llvm.native_values import Closure, Value, joined, nodes_of, skeleton

Env: TypeAlias = dict[str, Value]
MANY = 1 << 62
"""More rounds than any loop has."""
MOST = 4
"""Rounds in which what a loop carries is found: one λ or another, each with what it captures."""


class RecursiveLowering(ABC):
    """What a walk over terms does at functions that call themselves."""

    def __init__(self, graph: GraphBuilder, survey: Occurrences) -> None:
        self.graph = graph
        self._captured = survey.captured
        self._recursive: dict[int, Lam] = {}

    @abstractmethod
    def value(self, term: Term, env: Env) -> Step[Value]:
        """The value of a term where its variables have these."""

    @abstractmethod
    def either(
        self, test: Node, then: Callable[[], Step[Value]], other: Callable[[], Step[Value]]
    ) -> Recursive[Value]:
        """The value of one of two."""

    def fixed(self, step: Value, term: Prim) -> Value:
        """A function that calls itself as a value: a λ that calls it."""
        if not isinstance(step, Closure) or len(step.lam.params) != 2:
            raise MissingRule("the native backend chooses no function that calls itself")
        lam, x = step.lam, step.lam.params[1]
        if id(lam) not in self._recursive:
            self._recursive[id(lam)] = Lam((x,), App(Prim(FIX, (lam,), term.place), x))
        return Closure(self._recursive[id(lam)], step.env)

    def recursion(self, step: Value, argument: Value) -> Recursive[Value]:
        """The result of a function that calls itself where it ends."""
        calls: frozenset[int] = frozenset()
        found: Value
        if isinstance(step, Closure) and len(step.lam.params) == 2:
            itself, x = step.lam.params
            lam, known = step.lam, rounds_of(step.lam, self._captured)
            calls = calls_where_it_ends(itself.name, lam.body, self._captured)
        if not isinstance(step, Closure) or not calls:
            raise MissingRule(
                "the native backend has no stack: a function calls itself elsewhere "
                "than where it ends"
            )
        graph, env, outside = self.graph, step.env, self.graph.block
        form = skeleton((argument, None))
        for _ in range(MOST):
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
            form, graph.block = more, outside
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
