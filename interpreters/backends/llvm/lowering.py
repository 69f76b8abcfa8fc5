"""A closed λ as a graph: products are taken apart, λs are written where they are applied.

    λ(x : Real × Real). let f = λy. y * π0 x in f (π1 x)        %0 = param, %1 = param, %1 * %0

What has no code here raises ``MissingRule``, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive, Step, recurse
from combinators.objects import Tensor, Vector
from combinators.primitives.checks import CHECKS
from combinators.primitives.loops import LOOP, LoopTerm, LoopType
from combinators.primitives.structural import (
    FIX,
    OVERRIDE,
    PACK,
    PLUS,
    RECOMPUTE,
    UNPACK,
    VECTOR,
    ZEROS,
)
from combinators.primitives.sums import SUMS
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.backends.analysis.captures import Occurrences
from interpreters.backends.llvm.border_forms import is_ambiguous, pointed_to, to_be_shown
from interpreters.backends.llvm.graph import (
    ChoiceNode,
    FunctionGraph,
    GraphBuilder,
    LoopNode,
    Node,
    NodeBlock,
    prune,
)
from interpreters.backends.llvm.indices import Position, variable_
from interpreters.backends.llvm.native_algebra import (
    carrying,
    finished,
    of_sum,
    row_at,
    stacked,
    zeros,
)
from interpreters.backends.llvm.native_arrays import of_arrays
from interpreters.backends.llvm.native_calls import Book, Env
from interpreters.backends.llvm.native_checks import may_fail
from interpreters.backends.llvm.native_forms import (
    MOST,
    Form,
    Sort,
    form_of,
    joined,
    kinds,
    known_form,
    stack_of,
)
from interpreters.backends.llvm.native_recursion import RecursiveLowering
from interpreters.backends.llvm.native_values import (
    Chosen,
    Closure,
    Packed,
    Pointed,
    Value,
    inside,
    nodes_of,
    opened,
    skeleton,
    value_of,
)

_APPLIED = (OVERRIDE.primitive, RECOMPUTE.primitive)
"""What applies its first argument to its last."""
_AT_HAND = frozenset((Var, Const))
"""What most arguments are, whose values are there."""


class Lowered(NamedTuple):
    """A graph, and what its parameters and its result are."""

    function: FunctionGraph
    params: list[Form]
    result: Form
    has_records: bool
    """Whether it takes or gives recursive data."""


def lowered(lam: Lam, survey: Occurrences, captured: Mapping[str, Form] | None = None) -> Lowered:
    """The graph of a λ, whose parameters come behind what it captures."""
    book = Book()
    own = {param.name: form_of(param.type, book) for param in lam.params}
    forms = {**(captured or {}), **own}
    while book.is_new:
        book.begin()
        graph, env = GraphBuilder(), Env()
        for name, form in forms.items():
            nodes = [graph.param(leaf.shape, leaf.dtype) for leaf in kinds(form)]
            env[name] = value_of(form, iter(nodes))
        value: Value = recurse(_Lowering(graph, survey, book).body(lam, env))
        result = joined(skeleton(value), known_form(lam.body.type, book))
        result = result if captured else to_be_shown(result)
        graph.function.block.outputs = nodes_of(graph, value, result)
        while book.waiting:
            _Lowering(GraphBuilder(), survey, book).write(book.waiting.pop())
    prune(graph.function)
    sorts: dict[Sort, bool] = {}
    for form in (result, *forms.values()):
        pointed_to(form, sorts)
    if not all(sorts.values()):
        raise MissingRule("the native backend gives no functions that are in records")
    if is_ambiguous(result):
        raise MissingRule("the native backend gives no tangent that is of one type or another")
    return Lowered(graph.function, list(forms.values()), result, bool(sorts))


class _Lowering(RecursiveLowering):
    """One walk over a term."""

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
                return Closure(term, {v.name: env[v.name] for v in self._captured[id(term)]})
            case Let():
                return self._let(term, env)
            case Tuple(items):
                return self._several(items, env)
            case Proj():
                return self._projection(term, env)
            case App():
                return self._application(term, env)
            case Cond():
                return self._cond(term, env)
        assert isinstance(term, Prim)
        if term.operation.primitive is LOOP:
            return self._loop(term, env)
        if not _AT_HAND.issuperset(map(type, term.args)):
            return self._prim(term, env)
        return self._of(term, cast("list[Value]", [self.value(arg, env) for arg in term.args]))

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
        if isinstance(term.product.type, Vector):
            return row_at(self.graph, whole, Position(term.index))
        return whole[term.index] if isinstance(whole, tuple) else None

    # ---- calls and choices

    def _application(self, term: App, env: Env) -> Recursive[Value]:
        argument: Value
        if isinstance(term.function, Prim) and term.function.operation is FIX:
            step: Value = yield self.value(term.function.args[0], env)
            argument = yield self.value(term.argument, env)
            again: Value = yield self.recursion(step, argument)
            return again
        function: Value = yield self.value(term.function, env)
        argument = yield self.value(term.argument, env)
        result: Value = yield self.called(function, argument)
        return result

    def called(self, function: Value, argument: Value) -> Recursive[Value]:
        """The result of a function, written out where it is called."""
        if isinstance(function, Pointed):
            return self.of_record(function, argument)
        if isinstance(function, Chosen):
            result: Value = yield self._any_called(function.tag, 0, function.options, argument)
            return result
        if not isinstance(function, Closure):
            return None
        params = function.lam.params
        parts = (argument,) if len(params) == 1 else argument
        parts = parts if isinstance(parts, tuple) else (None,) * len(params)
        env = dict(function.env)
        for param, part in zip(params, parts, strict=True):
            env[param.name] = part
        result = yield self.value(function.lam.body, env)
        return result

    def _any_called(
        self, tag: Node, number: int, options: Sequence[Closure], argument: Value
    ) -> Recursive[Value]:
        """The first of the options where the tag is its number, else one of the rest."""
        first, *rest = options
        if not rest:
            result: Value = yield self.called(first, argument)
            return result
        graph = self.graph
        this = graph.fill(number, (), "int64")
        test = graph.pointwise("equal", (tag, this), (), "bool")
        result = yield self.either(
            test,
            lambda: self.called(first, argument),
            lambda: self._any_called(tag, number + 1, rest, argument),
        )
        return result

    def _cond(self, term: Cond, env: Env) -> Recursive[Value]:
        test: Value = yield self.value(term.test, env)
        if not isinstance(test, Node):
            return None
        result: Value = yield self.either(
            test, lambda: self.value(term.then, env), lambda: self.value(term.other, env)
        )
        return result

    def either(
        self, test: Node, then: Callable[[], Step[Value]], other: Callable[[], Step[Value]]
    ) -> Recursive[Value]:
        """Two blocks, of which one is run; what both give is not among their outputs."""
        if test.op == "fill":
            result: Value = yield (then if test.par else other)()
            return result
        graph, outside = self.graph, self.graph.block
        blocks, values = [], []
        for branch in (then, other):
            graph.block = NodeBlock(outside)
            values.append((yield branch()))
            blocks.append(graph.block)
            graph.block = outside
        form = joined(skeleton(values[0]), skeleton(values[1]))
        made = graph.fresh("choice", (test,), ChoiceNode((blocks[0], blocks[1])), (), "")
        found: list[Node] = []
        sides = []
        for block, value in zip(blocks, values, strict=True):
            graph.block = block
            sides.append(nodes_of(graph, value, form))
        graph.block = outside
        made.number = graph.fresh("", (), None, (), "").number
        if any(block.effects for block in blocks):
            outside.effects.append(made)
        for a, b in zip(*sides, strict=True):
            if a is b:
                found.append(a)
                continue
            found.append(graph.fresh("out", (made,), len(blocks[0].outputs), a.shape, a.dtype))
            for block, node in zip(blocks, (a, b), strict=True):
                block.outputs.append(inside(self.graph, node, block))
        return value_of(form, iter(found))

    # ---- loops

    def _loop(self, term: Prim, env: Env) -> Recursive[Value]:
        graph, outside = self.graph, self.graph.block
        parts = LoopTerm(term)
        types = parts.types
        function: Value = yield self.value(parts.function, env)
        init: Value = None if parts.init is None else (yield self.value(parts.init, env))
        rows: Value = yield self.value(parts.xs, env)
        if not types.length:
            kept = None if types.stack is None else zeros(self.graph, types.stack)
            return self._halves(types, init, kept)
        carried = self.book.known(skeleton(init), id(term))
        for number in range(2 * MOST):
            body, variable = graph.body()
            loop = LoopNode(types.length, types.reverse, body, variable, [])
            made, carry = carrying(graph, outside, loop, carried)
            row = row_at(graph, rows, variable_(variable))
            found: Value = yield self.called(function, row if types.carry is None else (carry, row))
            after, item = types.halves(found, _part)
            more = joined(carried, skeleton(after))
            if more == carried:
                break
            carried = self.book.in_records(more, id(term)) if number >= MOST else more
            graph.block = outside
        else:
            raise MissingRule("the native backend carries no function that captures the last one")
        kept_form = skeleton(item)
        new = nodes_of(graph, after, carried) + nodes_of(graph, item, kept_form)
        body.outputs = [inside(graph, x, body) for x in new]
        graph.block = outside
        whole = finished(graph, made, init, carried, stack_of(kept_form, types.length))
        return self._halves(types, *whole)

    def _halves(self, types: LoopType, carry: Value, kept: Value) -> Value:
        found: Value = types.joined(carry, kept, _pair)
        return found

    # ---- primitives

    def _prim(self, term: Prim, env: Env) -> Recursive[Value]:
        result: Value = yield self._of(term, (yield self._several(term.args, env)))
        return result

    def _of(self, term: Prim, args: Sequence[Value]) -> Step[Value]:
        """The value of a primitive of these."""
        primitive = term.operation.primitive
        if primitive is ZEROS:
            return zeros(self.graph, term.type)
        if primitive is PLUS:
            return self.plus(args[0], args[1])
        if primitive is VECTOR:
            return stacked(self.graph, args)
        if primitive in _APPLIED:
            return self.called(args[0], args[-1])
        if primitive is FIX.primitive:
            return self.fixed(args[0])
        if primitive is PACK:
            return Packed({term.args[0].type: args[0]})
        if primitive is UNPACK:
            packed = opened(self.graph, args[0]) if isinstance(args[0], Pointed) else args[0]
            part = packed.parts.get(term.type) if isinstance(packed, Packed) else None
            return zeros(self.graph, term.type) if part is None else part
        if primitive in SUMS:
            return of_sum(self.graph, term, args[0], self.book)
        given = zip(args, term.args, strict=True)
        nodes = [zeros(self.graph, x.type) if arg is None else arg for arg, x in given]
        if not isinstance(term.type, Tensor) or not all(isinstance(x, Node) for x in nodes):
            raise MissingRule(f"the native backend has no code for {primitive.name}")
        arrays = cast("list[Node]", nodes)
        if term.operation.name in CHECKS:
            self.graph.check(may_fail(self.graph, term.operation, arrays))
            return arrays[0]
        return of_arrays(self.graph, term.operation, arrays, term.type)


def _pair(a: Value, b: Value) -> Value:
    return a, b


def _part(whole: Value, index: int) -> Value:
    assert isinstance(whole, tuple)
    return whole[index]
