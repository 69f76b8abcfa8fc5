"""Values of products, sums and functions as nodes, and the skeletons that say how.

Two branches give ``(x, λy. y * a)`` and ``(z, λy. y + b)``: of a number and a choice of two λs. As
nodes that is x or z, which λ it is, a or 0, and 0 or b. Nothing is called through a pointer: where
such a value is applied, the program chooses among the λs that it can be, as it chooses elsewhere.
A value of a sum is which alternative it is, and one of each; where that is known, nothing asks it.
A value whose skeleton would have no end is a pointer to a record (``records``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from combinators.objects import Object
from combinators.terms import Lam
from interpreters.backends.llvm.graph import GraphBuilder, Node, NodeBlock
from interpreters.backends.llvm.indices import Shape
from interpreters.backends.llvm.native_forms import (
    NONE,
    ArrayForm,
    Form,
    FunctionForm,
    PackedForm,
    PointerForm,
    ProductForm,
    Sort,
    SumForm,
    room_of,
)


@dataclass(frozen=True, eq=False)
class Closure:
    """A λ, and the values of the variables that it captures."""

    lam: Lam
    env: dict[str, Value]
    rows: Shape = ()
    """Of a stack of closures of one λ, how many there are."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """One of several closures: the one of which ``tag`` is the number."""

    tag: Node
    options: tuple[Closure, ...]


@dataclass(frozen=True, eq=False)
class Alternatives:
    """A value of a sum: the part of which ``tag`` is the number; a tangent that is zero is none."""

    tag: Node
    parts: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Pointed:
    """A value in a record, which is at ``where``; at 0 there is none."""

    where: Node
    sort: Sort


@dataclass(frozen=True, eq=False)
class Packed:
    """A tangent of any type: one of each type that it may be of, all but one zero."""

    parts: dict[Object, Value]


Value: TypeAlias = (
    "Node | tuple[Value, ...] | Closure | Chosen | Alternatives | Packed | Pointed | None"
)
"""None is the zero of a tangent whose type is not known, and what nobody looks at."""


def skeleton(value: Value) -> Form:
    """What a value is made of."""
    match value:
        case Node():
            return ArrayForm(value.shape, value.dtype)
        case tuple():
            return ProductForm(tuple(map(skeleton, value)))
        case Closure():
            return _functions((value,))
        case Chosen():
            return _functions(value.options)
        case Alternatives(tag, parts):
            return SumForm(tuple(map(skeleton, parts)), tag.shape)
        case Packed(parts):
            return PackedForm(tuple(parts), tuple(map(skeleton, parts.values())))
        case Pointed(where, sort):
            return PointerForm(sort, where.shape)
        case None:
            return None


def _functions(options: tuple[Closure, ...]) -> FunctionForm:
    return FunctionForm(
        tuple(option.lam for option in options),
        tuple(tuple(option.env) for option in options),
        tuple(tuple(map(skeleton, option.env.values())) for option in options),
        options[0].rows,
    )


def nodes_of(graph: GraphBuilder, value: Value, form: Form) -> list[Node]:
    """The nodes of a value as one of this skeleton; what is not of it is zero."""
    match form:
        case None:
            return []
        case ArrayForm(shape, dtype):
            return [value if isinstance(value, Node) else graph.fill(0, shape, dtype)]
        case ProductForm(parts):
            given = value if isinstance(value, tuple) else (None,) * len(parts)
            return [
                node
                for part, inner in zip(given, parts, strict=True)
                for node in nodes_of(graph, part, inner)
            ]
        case SumForm(parts, rows):
            if not isinstance(value, Alternatives):
                value = Alternatives(graph.fill(NONE, rows, "int64"), (None,) * len(parts))
            inside = (nodes_of(graph, x, f) for x, f in zip(value.parts, parts, strict=True))
            return [value.tag, *(node for nodes in inside for node in nodes)]
        case PackedForm(types, parts):
            known = value.parts if isinstance(value, Packed) else {}
            each = zip(types, parts, strict=True)
            return [node for obj, part in each for node in nodes_of(graph, known.get(obj), part)]
        case PointerForm(sort, rows):
            if isinstance(value, Pointed):
                return [value.where]
            return [graph.fill(0, rows, "int64") if value is None else _record(graph, value, sort)]
        case FunctionForm():
            return _nodes_of_function(graph, value, form) if form.lams else []


def _record(graph: GraphBuilder, value: Value, sort: Sort) -> Node:
    """A pointer to a new record of a value; what is never changed may be made once for all."""
    sort.grow(skeleton(value))
    leaves = nodes_of(graph, value, sort.form)
    args = [inside(graph, x, graph.block, copied=True) for x in leaves]
    return graph.node("record", args, None, (), "int64")


def opened(graph: GraphBuilder, value: Pointed) -> Value:
    """What is in a record; in none, what is zero."""
    form, nodes, offset = value.sort.form, list[Node](), 0
    for none in nodes_of(graph, None, form):
        par = (offset, none.par)
        nodes.append(graph.node("field", (value.where,), par, none.shape, none.dtype))
        offset += room_of(none)
    return value_of(form, iter(nodes))


def is_none(graph: GraphBuilder, value: Pointed) -> Node:
    """Whether there is no record."""
    return graph.pointwise("equal", (value.where, graph.fill(0, (), "int64")), (), "bool")


def inside(graph: GraphBuilder, node: Node, block: NodeBlock, *, copied: bool = False) -> Node:
    """An array that is computed outside of a block, copied in it."""
    if node.shape and (copied or node.block is not block):
        made = graph.fresh("copy", (node,), None, node.shape, node.dtype)
        made.block = block
        return made
    return node


def _nodes_of_function(graph: GraphBuilder, value: Value, form: FunctionForm) -> list[Node]:
    options = value.options if isinstance(value, Chosen) else (value,)
    places = [
        next(i for i, lam in enumerate(form.lams) if lam is option.lam)
        for option in options
        if isinstance(option, Closure)
    ]
    found: list[Node] = []
    if len(form.lams) > 1:
        tag = graph.fill(places[0] if places else 0, form.rows, "int64")
        if isinstance(value, Chosen):
            tag = value.tag
            for old, new in reversed(list(enumerate(places))):
                if old != new:
                    tag = _renamed(graph, value.tag, tag, old, graph.fill(new, (), "int64"))
        found.append(tag)
    for place, captured in enumerate(form.captured):
        own = next((o for o, at in zip(options, places, strict=False) if at == place), None)
        env = list(own.env.values()) if isinstance(own, Closure) else [None] * len(captured)
        for part, inner in zip(env, captured, strict=True):
            found += nodes_of(graph, part, inner)
    return found


def _renamed(graph: GraphBuilder, given: Node, tag: Node, old: int, new: Node) -> Node:
    """``new`` where the given tag is ``old``, else ``tag``."""
    number = graph.fill(old, (), "int64")
    is_old = graph.pointwise("equal", (given, number), given.shape, "bool")
    return graph.pointwise("where", (is_old, new, tag), given.shape, "int64")


def is_alternative(graph: GraphBuilder, value: Value, index: int) -> Node:
    """Whether a value of a sum is the alternative of this number."""
    if not isinstance(value, Alternatives):
        return graph.fill(False, (), "bool")
    if value.tag.op == "fill":
        return graph.fill(value.tag.par == index, (), "bool")
    number = graph.fill(index, (), "int64")
    return graph.pointwise("equal", (value.tag, number), (), "bool")


def sum_of_tags(graph: GraphBuilder, x: Node, y: Node) -> Node:
    """The tag of the sum of two tangents: that of one, where the other is zero."""
    if x is y or (y.op == "fill" and y.par == NONE):
        return x
    return y if x.op == "fill" and x.par == NONE else _renamed(graph, x, x, NONE, y)


def value_of(form: Form, nodes: Iterator[Node]) -> Value:
    """The value of a skeleton whose nodes are these: the inverse of ``nodes_of``."""
    match form:
        case None:
            return None
        case ArrayForm():
            return next(nodes)
        case ProductForm(parts):
            return tuple([value_of(part, nodes) for part in parts])
        case SumForm(parts):
            return Alternatives(next(nodes), tuple([value_of(part, nodes) for part in parts]))
        case PackedForm(types, parts):
            each = zip(types, parts, strict=True)
            return Packed({obj: value_of(part, nodes) for obj, part in each})
        case PointerForm(sort):
            return Pointed(next(nodes), sort)
        case FunctionForm(lams, names, captured, rows):
            tag = next(nodes) if len(lams) > 1 else None
            options = []
            for lam, own, parts in zip(lams, names, captured, strict=True):
                env = {n: value_of(part, nodes) for n, part in zip(own, parts, strict=True)}
                options.append(Closure(lam, env, rows))
            return options[0] if tag is None else Chosen(tag, tuple(options))
