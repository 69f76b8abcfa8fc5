"""Values of products, sums and functions as nodes, and the skeletons that say how.

Two branches give ``(x, λy. y * a)`` and ``(z, λy. y + b)``: of a number and a choice of two λs. As
nodes that is x or z, which λ it is, a or 0, and 0 or b. Nothing is called through a pointer: where
such a value is applied, the program chooses among the λs that it can be, as it chooses elsewhere.
A value of a sum is which alternative it is, and one of each; where that is known, nothing asks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from combinators.errors import MissingRule
from combinators.objects import Object, Sum, Tensor, components
from combinators.terms import Lam
from interpreters.backends.llvm.graph import GraphBuilder, Node
from interpreters.backends.llvm.indices import Shape

ELEMENTS = frozenset({"float64", "float32", "int64", "int32", "bool"})


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


Value: TypeAlias = "Node | tuple[Value, ...] | Closure | Chosen | Alternatives | None"
"""None is the zero of a tangent whose type is not known, and what nobody looks at."""
NONE = -1
"""The tag of the tangent of a sum that is zero."""


@dataclass(frozen=True)
class ArrayForm:
    """A number or an array."""

    shape: Shape
    dtype: str


@dataclass(frozen=True)
class ProductForm:
    """The components of a product."""

    parts: tuple[Form, ...]


@dataclass(frozen=True)
class FunctionForm:
    """Closures of some λs, each with the names and skeletons of what it captures."""

    lams: tuple[Lam, ...]
    names: tuple[tuple[str, ...], ...]
    captured: tuple[tuple[Form, ...], ...]
    rows: Shape = ()


@dataclass(frozen=True)
class SumForm:
    """The alternatives of a sum."""

    parts: tuple[Form, ...]
    rows: Shape = ()
    """Of a stack of values, how many there are."""


Form: TypeAlias = "ArrayForm | ProductForm | FunctionForm | SumForm | None"


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
        case None:
            return None


def _functions(options: tuple[Closure, ...]) -> FunctionForm:
    return FunctionForm(
        tuple(option.lam for option in options),
        tuple(tuple(option.env) for option in options),
        tuple(tuple(map(skeleton, option.env.values())) for option in options),
        options[0].rows,
    )


def joined(a: Form, b: Form) -> Form:
    """What either is."""
    match a, b:
        case None, _:
            return b
        case _, None:
            return a
        case ProductForm(first), ProductForm(second) if len(first) == len(second):
            return ProductForm(tuple(joined(x, y) for x, y in zip(first, second, strict=True)))
        case SumForm(first, rows), SumForm(second, other) if (len(first), rows) == (
            len(second),
            other,
        ):
            return SumForm(tuple(joined(x, y) for x, y in zip(first, second, strict=True)), rows)
        case FunctionForm(), FunctionForm():
            return _either(a, b)
        case _ if a == b:
            return a
    raise MissingRule("the native backend has no tangent that is of one type or another")


def _either(a: FunctionForm, b: FunctionForm) -> FunctionForm:
    lams, names, captured = list(a.lams), list(a.names), list(a.captured)
    for lam, own, given in zip(b.lams, b.names, b.captured, strict=True):
        at = next((i for i, known in enumerate(lams) if known is lam), None)
        if at is None:
            lams.append(lam)
            names.append(own)
            captured.append(given)
        else:
            captured[at] = tuple(joined(x, y) for x, y in zip(captured[at], given, strict=True))
    return FunctionForm(tuple(lams), tuple(names), tuple(captured), a.rows)


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
        case FunctionForm():
            return _nodes_of_function(graph, value, form)


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
        case FunctionForm(lams, names, captured, rows):
            tag = next(nodes) if len(lams) > 1 else None
            options = []
            for lam, own, parts in zip(lams, names, captured, strict=True):
                env = {n: value_of(part, nodes) for n, part in zip(own, parts, strict=True)}
                options.append(Closure(lam, env, rows))
            return options[0] if tag is None else Chosen(tag, tuple(options))


def kinds(form: Form) -> list[ArrayForm]:
    """The numbers and arrays of a skeleton, in order."""
    match form:
        case None:
            return []
        case ArrayForm():
            return [form]
        case ProductForm(parts):
            return [leaf for part in parts for leaf in kinds(part)]
        case SumForm(parts, rows):
            inside = [leaf for part in parts for leaf in kinds(part)]
            return [ArrayForm(rows, "int64"), *inside]
        case FunctionForm(lams, _, captured, rows):
            tag = [ArrayForm(rows, "int64")] if len(lams) > 1 else []
            return tag + [leaf for parts in captured for part in parts for leaf in kinds(part)]


def has_functions(form: Form) -> bool:
    """Whether there are functions among the values of a skeleton."""
    match form:
        case FunctionForm():
            return True
        case ProductForm(parts) | SumForm(parts):
            return any(map(has_functions, parts))
        case _:
            return False


def row_of(form: Form) -> Form:
    """The skeleton of a row, where that of the stack is this."""
    return _mapped(form, lambda shape: shape[1:])


def stack_of(form: Form, length: int) -> Form:
    """The skeleton of as many rows."""
    return _mapped(form, lambda shape: (length, *shape))


def _mapped(form: Form, change: Callable[[Shape], Shape]) -> Form:
    match form:
        case None:
            return None
        case ArrayForm(shape, dtype):
            return ArrayForm(change(shape), dtype)
        case SumForm(parts, rows):
            return SumForm(tuple(_mapped(part, change) for part in parts), change(rows))
        case ProductForm(parts):
            return ProductForm(tuple(_mapped(part, change) for part in parts))
        case FunctionForm(lams, names, captured, rows):
            inside = tuple(tuple(_mapped(part, change) for part in parts) for parts in captured)
            return FunctionForm(lams, names, inside, change(rows))


def form_of(obj: Object) -> Form:
    """The skeleton of a type of numbers and arrays."""
    parts = components(obj)
    if parts is not None:
        return ProductForm(tuple(map(form_of, parts.parts)))
    if isinstance(obj, Sum):
        return SumForm(tuple(map(form_of, obj.parts)))
    if isinstance(obj, Tensor) and obj.dtype in ELEMENTS:
        return ArrayForm(obj.shape, obj.dtype)
    raise MissingRule(f"the native backend has no values of {obj!r}")


def known_form(obj: Object) -> Form:
    """The skeleton of a type of data; None of one in which there are functions."""
    try:
        return form_of(obj)
    except MissingRule:
        return None
