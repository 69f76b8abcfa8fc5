"""A closed λ as a graph: products are taken apart, λs are written where they are applied.

    λ(x : Real × Real). let f = λy. y * π0 x in f (π1 x)        %0 = param, %1 = param, %1 * %0

A value is a node, a tuple of values, a λ with what it captured, or None, the zero of a tangent
whose type nobody knows. What has no code here raises ``MissingRule``, by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive, Step, recurse
from combinators.objects import Object, Tangent, Tensor, components
from combinators.primitives.loops import LOOP, LoopTerm
from combinators.primitives.structural import PACK, PLUS, UNPACK, VECTOR, ZEROS
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.llvm.arrays import of_arrays
from interpreters.backends.llvm.graph import Block, Choice, Function, Graph, Loop, Node, prune

ELEMENTS = frozenset({"float64", "float32", "int64", "int32", "bool"})


@dataclass(eq=False)
class Closure:
    """A λ, and the values of the variables around it."""

    lam: Lam
    env: Env


Value: TypeAlias = "Node | tuple[Value, ...] | Closure | None"
Env = dict[str, "Value"]


def lowered(lam: Lam) -> Function:
    """The graph of a closed λ whose parameters and results are arrays and numbers."""
    graph = Graph()
    given = [_filled(p.type, iter([graph.param(*_kind(t)) for t in tensors(p.type)])) for p in lam.params]
    env: Env = dict(zip((p.name for p in lam.params), given, strict=True))
    result = recurse(_Lowering(graph).body(lam, env))
    graph.function.block.outputs = leaves(result, "the result")
    prune(graph.function)
    return graph.function


def tensors(obj: Object) -> list[Tensor]:
    """The tensors that a type is a product of, in order."""
    found: list[Tensor] = []
    todo = [obj]
    while todo:
        here = todo.pop()
        parts = components(here)
        if parts is not None:
            todo += reversed(parts.parts)
        elif isinstance(here, Tensor) and here.dtype in ELEMENTS:
            found.append(here)
        else:
            raise MissingRule(f"the native backend has no values of {here!r}")
    return found


def leaves(value: Value, what: str) -> list[Node]:
    """The nodes of a value of products."""
    found: list[Node] = []
    todo = [value]
    while todo:
        here = todo.pop()
        if isinstance(here, tuple):
            todo += reversed(here)
        elif isinstance(here, Node):
            found.append(here)
        else:
            raise MissingRule(f"the native backend has no function or unknown tangent in {what}")
    return found


def _kind(obj: Tensor) -> tuple[tuple[int, ...], str]:
    return obj.shape, obj.dtype


def _filled(obj: Object, nodes: Iterator[Node]) -> Value:
    """The value of a type whose leaves are these."""
    parts = components(obj)
    return next(nodes) if parts is None else tuple(_filled(part, nodes) for part in parts.parts)


def _shaped(like: Value, nodes: Iterator[Node]) -> Value:
    """The value of this form whose leaves are these."""
    return tuple(_shaped(part, nodes) for part in like) if isinstance(like, tuple) else next(nodes)


class _Lowering:
    """One walk over a term."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def body(self, lam: Lam, env: Env) -> Recursive[Value]:
        """The value of the body of a λ."""
        result: Value = yield self.value(lam.body, env)
        return result

    def value(self, term: Term, env: Env) -> Step[Value]:
        """The value of a term where its variables have these."""
        match term:
            case Var(name):
                return env[name]
            case Const(literal):
                return self.graph.constant(literal.array)
            case Lam():
                return Closure(term, dict(env))
            case Let():
                return self._let(term, env)
            case Tuple(items):
                return self._several(items, env)
            case Proj():
                return self._projection(term, env)
            case App():
                return self._application(term, env)
            case Cond():
                return self._choice(term, env)
        assert isinstance(term, Prim)
        return self._loop(term, env) if term.operation.primitive is LOOP else self._prim(term, env)

    def _let(self, term: Let, env: Env) -> Recursive[Value]:
        inner = dict(env)
        for var, bound in term.bindings:
            inner[var.name] = yield self.value(bound, inner)
        result: Value = yield self.value(term.body, inner)
        return result

    def _several(self, terms: Sequence[Term], env: Env) -> Recursive[tuple[Value, ...]]:
        found: list[Value] = []
        for term in terms:
            found.append((yield self.value(term, env)))
        return tuple(found)

    def _projection(self, term: Proj, env: Env) -> Recursive[Value]:
        whole: Value = yield self.value(term.product, env)
        assert isinstance(whole, tuple)
        return whole[term.index]

    def _application(self, term: App, env: Env) -> Recursive[Value]:
        function: Value = yield self.value(term.function, env)
        argument: Value = yield self.value(term.argument, env)
        result: Value = yield self._called(function, argument)
        return result

    def _called(self, function: Value, argument: Value) -> Recursive[Value]:
        if not isinstance(function, Closure):
            raise MissingRule("the native backend calls no function that is chosen at run time")
        params = function.lam.params
        parts = (argument,) if len(params) == 1 else argument
        assert isinstance(parts, tuple)
        names = (param.name for param in params)
        env = function.env | dict(zip(names, parts, strict=True))
        result: Value = yield self.value(function.lam.body, env)
        return result

    def _choice(self, term: Cond, env: Env) -> Recursive[Value]:
        """Two blocks, of which one is run; what both give is not among their outputs."""
        graph, outside = self.graph, self.graph.block
        test: Value = yield self.value(term.test, env)
        assert isinstance(test, Node)
        blocks, values = [], []
        for branch in (term.then, term.other):
            graph.block = Block(outside)
            values.append((yield self.value(branch, env)))
            blocks.append(graph.block)
            graph.block = outside
        then, other = (leaves(value, "a choice") for value in values)
        made = graph.fresh("choice", (test,), Choice((blocks[0], blocks[1])), (), "")
        found: list[Node] = []
        for a, b in zip(then, other, strict=True):
            if a is b:
                found.append(a)
                continue
            found.append(graph.fresh("out", (made,), len(blocks[0].outputs), a.shape, a.dtype))
            for block, node in zip(blocks, (a, b), strict=True):
                block.outputs.append(self._in(node, block))
        return _shaped(values[0], iter(found))

    def _loop(self, term: Prim, env: Env) -> Recursive[Value]:
        graph, outside = self.graph, self.graph.block
        parts = LoopTerm(term)
        types = parts.types
        function: Value = yield self.value(parts.function, env)
        init: Value = () if parts.init is None else (yield self.value(parts.init, env))
        rows: Value = yield self.value(parts.xs, env)
        starts, stacks = leaves(init, "the carry of a loop"), leaves(rows, "the rows of a loop")
        if not types.length:
            return self._of_no_rounds(types, init, term)
        starts = [self._in(x, outside, copied=True) for x in starts]
        body, variable = graph.body()
        loop = Loop(types.length, types.reverse, body, variable, [])
        made = graph.fresh("loop", tuple(starts), loop, (), "")
        made.block = outside
        loop.carries = [
            graph.fresh("carry", (), (made, i), x.shape, x.dtype) for i, x in enumerate(starts)
        ]
        carry = _shaped(init, iter(loop.carries))
        row = _shaped(rows, iter([graph.row(x, variable) for x in stacks]))
        given: Value = yield self._called(function, row if types.carry is None else (carry, row))
        after, item = types.halves(given, lambda whole, i: whole[i])
        new = [] if after is None else leaves(after, "the carry of a loop")
        kept = [] if item is None else leaves(item, "what a loop keeps")
        body.outputs = [self._in(x, body) for x in (*new, *kept)]
        graph.block = outside
        self._renumber(made)
        finals = [graph.fresh("out", (made,), i, x.shape, x.dtype) for i, x in enumerate(starts)]
        stacked = [
            graph.fresh("out", (made,), len(starts) + i, (types.length, *x.shape), x.dtype)
            for i, x in enumerate(kept)
        ]
        return types.joined(
            _shaped(init, iter(finals)),
            None if item is None else _shaped(item, iter(stacked)),
            lambda a, b: (a, b),
        )

    def _renumber(self, loop: Node) -> None:
        """A loop stands behind all that its body made outside of itself."""
        loop.number = self.graph.fresh("", (), None, (), "").number

    def _of_no_rounds(self, types: Any, init: Value, term: Prim) -> Value:
        nothing = None if types.stack is None else self._zeros(types.stack)
        return types.joined(init, nothing, lambda a, b: (a, b))

    def _in(self, node: Node, block: Block, *, copied: bool = False) -> Node:
        """An array that is computed outside of a block, copied in it."""
        if node.shape and (copied or node.block is not block):
            made = self.graph.fresh("copy", (node,), None, node.shape, node.dtype)
            made.block = block
            return made
        return node

    # ---- primitives

    def _prim(self, term: Prim, env: Env) -> Recursive[Value]:
        args: tuple[Value, ...] = yield self._several(term.args, env)
        primitive = term.operation.primitive
        if primitive is ZEROS:
            return self._zeros(term.type)
        if primitive is PLUS:
            return self._sum(args[0], args[1])
        if primitive is VECTOR:
            return args
        if primitive is PACK:
            return args[0]
        if primitive is UNPACK:
            return self._zeros(term.type) if args[0] is None else args[0]
        nodes = [arg for arg in args if isinstance(arg, Node)]
        if len(nodes) != len(args) or not isinstance(term.type, Tensor):
            raise MissingRule(f"the native backend has no code for {primitive.name}")
        return of_arrays(self.graph, term.operation, nodes, term.type)

    def _zeros(self, obj: Object) -> Value:
        if obj is Tangent:
            return None
        return _filled(obj, iter([self.graph.fill(0, *_kind(t)) for t in tensors(obj)]))

    def _sum(self, x: Value, y: Value) -> Value:
        if x is None or y is None:
            return y if x is None else x
        if isinstance(x, tuple) and isinstance(y, tuple):
            return tuple(self._sum(a, b) for a, b in zip(x, y, strict=True))
        assert isinstance(x, Node)
        assert isinstance(y, Node)
        return self.graph.add(x, y)
