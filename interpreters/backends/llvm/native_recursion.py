"""Functions that call themselves: where they end, as loops, else as functions of the module.

    f (x, y) = if x < 1 then y else f (x / 2, y + 1)

    loop:  go = not x < 1;  (x, y) = if go then (x / 2, y + 1) else (x, y);  while go
    y

Where a round is not first a test, what it ends with is carried beside the argument of the next.

    total n = if n < 1 then 0.0 else a * n + total (n - 1)

    define i1 @recursive1(a, n, ptr result, ptr limit):  gives up where the stack is at its limit

What it captures is given with every call. A function among its results would have to be in memory,
and so the reverse derivatives of such functions are Python's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self, TypeAlias

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
from interpreters.backends.llvm.graph import FunctionGraph, GraphBuilder, LoopNode, Node, prune
from interpreters.backends.llvm.native_algebra import carrying, finished, inside
from interpreters.backends.llvm.native_values import (
    Closure,
    Form,
    Value,
    has_functions,
    joined,
    kinds,
    known_form,
    nodes_of,
    skeleton,
    value_of,
)

Env: TypeAlias = dict[str, Value]
MANY = 1 << 62
"""More rounds than any loop has."""
MOST = 4
"""Rounds in which what a loop carries is found: one λ or another, each with what it captures."""


@dataclass(eq=False)
class FunctionInstance:
    """A function of the module, at what it captures and is given."""

    name: str
    result: Form
    function: FunctionGraph | None = None


@dataclass(eq=False)
class CallNode:
    """``par`` of a call: which function, and what is used of its results."""

    instance: FunctionInstance
    outs: dict[int, Node] = field(default_factory=dict)


class RecursiveLowering(ABC):
    """What a walk over terms does at functions that call themselves."""

    def __init__(self, graph: GraphBuilder, survey: Occurrences) -> None:
        self.graph, self._survey = graph, survey
        self._captured = survey.captured
        self._recursive: dict[int, Lam] = {}
        self._instances: dict[tuple[int, Form, Form], FunctionInstance] = {}

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
        """The result of a function that calls itself."""
        found: Value
        if not isinstance(step, Closure) or len(step.lam.params) != 2:
            raise MissingRule("the native backend chooses no function that calls itself")
        itself, x = step.lam.params
        lam, known = step.lam, rounds_of(step.lam, self._captured)
        calls = calls_where_it_ends(itself.name, lam.body, self._captured)
        if not calls:
            found = yield self._called_by_name(step, argument)
            return found
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

    def _called_by_name(self, step: Closure, argument: Value) -> Recursive[Value]:
        """The results of a call of a function of the module."""
        graph, env = self.graph, tuple(step.env.values())
        given = joined(skeleton(argument), known_form(step.lam.params[1].type))
        key = id(step.lam), skeleton(env), given
        if key not in self._instances:
            yield self._write(step, key)
        instance = self._instances[key]
        nodes = [*nodes_of(graph, env, key[1]), *nodes_of(graph, argument, given)]
        args = (x if x.op == "param" else inside(graph, x, graph.block, copied=True) for x in nodes)
        made = graph.fresh("call", tuple(args), CallNode(instance), (), "")
        leaves = enumerate(kinds(instance.result))
        outs = [graph.fresh("out", (made,), i, leaf.shape, leaf.dtype) for i, leaf in leaves]
        return value_of(instance.result, iter(outs))

    def _write(self, step: Closure, key: tuple[int, Form, Form]) -> Recursive[None]:
        """The function of the module, whose result is found as what loops carry is."""
        lam, before = step.lam, dict(self._instances)
        itself, x = lam.params
        result = known_form(lam.body.type)
        for _ in range(MOST):
            instance = FunctionInstance(f"recursive{len(before)}", result)
            self._instances = {**before, key: instance}
            inner = self._inside(GraphBuilder())
            nodes = [inner.graph.param(a.shape, a.dtype) for a in (*kinds(key[1]), *kinds(key[2]))]
            leaves = iter(nodes)
            values = value_of(key[1], leaves)
            assert isinstance(values, tuple)
            env: Env = dict(zip(step.env, values, strict=True))
            again = self.fixed(Closure(lam, env), Prim(FIX, (lam,)))
            env = {**env, itself.name: again, x.name: value_of(key[2], leaves)}
            found: Value = yield inner.value(lam.body, env)
            self._instances = inner._instances
            more = joined(result, skeleton(found))
            if has_functions(more):
                raise MissingRule(
                    "the native backend has no memory for functions that functions "
                    "give which call themselves"
                )
            if more == result:
                break
            result = more
        else:
            raise MissingRule("the native backend finds no type for what calls itself")
        instance.function = inner.graph.function
        instance.function.block.outputs = nodes_of(inner.graph, found, result)
        prune(instance.function)

    def _inside(self, graph: GraphBuilder) -> Self:
        """The walk over a function of the module."""
        made = type(self)(graph, self._survey)
        made._recursive, made._instances = self._recursive, self._instances
        return made

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
