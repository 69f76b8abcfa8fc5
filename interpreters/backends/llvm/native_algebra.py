"""What values are by components: zeros, sums, rows, alternatives; and what loops carry of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce

from combinators.errors import MissingRule
from combinators.objects import Mu, Object, Sum, Tagged, Tangent, Tensor, Vector, components
from combinators.primitives.sums import INJECT, IS, ROLL, TAG, UNROLL, UNTAG
from combinators.terms import Prim
from interpreters.backends.llvm.graph import GraphBuilder, LoopNode, Node, NodeBlock
from interpreters.backends.llvm.indices import Position
from interpreters.backends.llvm.native_forms import (
    Form,
    PointerForm,
    Sorts,
    joined,
    kinds,
    row_of,
    stack_of,
)
from interpreters.backends.llvm.native_values import (
    Alternatives,
    Pointed,
    Value,
    inside,
    is_alternative,
    nodes_of,
    opened,
    skeleton,
    value_of,
)


def zeros(graph: GraphBuilder, obj: Object) -> Value:
    """The zero of a type; of one that is known only with the value it belongs to, None."""
    if obj is Tangent or isinstance(obj, Tagged | Vector | Mu):
        return None
    parts = components(obj)
    if parts is not None:
        return tuple(zeros(graph, part) for part in parts.parts)
    if not isinstance(obj, Tensor):
        raise MissingRule(f"the native backend has no zero of {obj!r}")
    return graph.fill(0, obj.shape, obj.dtype)


def of_sum(graph: GraphBuilder, term: Prim, x: Value, sorts: Sorts) -> Value:
    """A value of a sum, or a part of one; what is of another alternative is nothing.

    A value of a recursive type is what that unfolds to, in a record.
    """
    primitive = term.operation.primitive
    if primitive is ROLL:
        form = PointerForm(sorts.of_type(term.type))
        return x if x is None else value_of(form, iter(nodes_of(graph, x, form)))
    if primitive is UNROLL:
        return opened(graph, x) if isinstance(x, Pointed) else x
    index = term.operation.keywords["index"]
    if primitive in (INJECT, TAG):
        assert isinstance(term.type, Sum)
        parts = tuple(x if i == index else None for i in range(len(term.type.parts)))
        return Alternatives(graph.fill(index, (), "int64"), parts)
    if primitive is IS:
        return is_alternative(graph, x, index)
    part = x.parts[index] if isinstance(x, Alternatives) else None
    return zeros(graph, term.type) if part is None and primitive is UNTAG else part


def stacked(graph: GraphBuilder, rows: Sequence[Value]) -> Value:
    """Rows that were given one by one, as one stack."""
    form = reduce(joined, map(skeleton, rows))
    columns = zip(*(nodes_of(graph, row, form) for row in rows), strict=True)
    return value_of(stack_of(form, len(rows)), iter(map(graph.stack, columns)))


def row_at(graph: GraphBuilder, stack: Value, where: Position) -> Value:
    """A row of a stack, whose nodes are rows of its."""
    form = skeleton(stack)
    rows = map(partial(graph.row, where=where), nodes_of(graph, stack, form))
    return value_of(row_of(form), rows)


# ---- loops


def carrying(
    graph: GraphBuilder, outside: NodeBlock, loop: LoopNode, carried: Form
) -> tuple[Node, Value]:
    """The node of a loop, and what it carries."""
    made = graph.fresh("loop", (), loop, (), "")
    made.block = outside
    loop.carries = [
        graph.fresh("carry", (), (made, i), leaf.shape, leaf.dtype)
        for i, leaf in enumerate(kinds(carried))
    ]
    return made, value_of(carried, iter(loop.carries))


def finished(
    graph: GraphBuilder, made: Node, init: Value, carried: Form, kept: Form = None
) -> tuple[Value, Value]:
    """What a loop gives, whose body is written: its carry, and what it keeps, stacked."""
    starts = nodes_of(graph, init, carried)
    made.args = tuple(inside(graph, x, made.block, copied=True) for x in starts)
    made.number = graph.fresh("", (), None, (), "").number
    if made.par.body.effects:
        made.block.effects.append(made)
    leaves = enumerate((*kinds(carried), *kinds(kept)))
    nodes = iter([graph.fresh("out", (made,), i, x.shape, x.dtype) for i, x in leaves])
    return value_of(carried, nodes), value_of(kept, nodes)
