"""Values of products, functions and unknown tangents as nodes, and the skeletons that say how.

Two branches give ``(x, λy. y * a)`` and ``(z, λy. y + b)``: of a number and a choice of two λs. As
nodes that is x or z, which λ it is, a or 0, and 0 or b. Nothing is called through a pointer: where
such a value is applied, the program chooses among the λs that it can be, as it chooses elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from combinators.errors import MissingRule
from combinators.objects import Object, Tensor, components
from combinators.terms import Lam
from interpreters.backends.llvm.graph import GraphBuilder, Node
from interpreters.backends.llvm.indices import Shape

ELEMENTS = frozenset({"float64", "float32", "int64", "int32", "bool"})


@dataclass(frozen=True, eq=False)
class Closure:
    """A λ, and the values of the variables that it captures."""

    lam: Lam
    env: dict[str, Value]


@dataclass(frozen=True, eq=False)
class Chosen:
    """One of several closures: the one of which ``tag`` is the number."""

    tag: Node
    options: tuple[Closure, ...]


Value: TypeAlias = "Node | tuple[Value, ...] | Closure | Chosen | None"
"""None is the zero of a tangent whose type is not known."""


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


Form: TypeAlias = "ArrayForm | ProductForm | FunctionForm | None"


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
        case None:
            return None


def _functions(options: tuple[Closure, ...]) -> FunctionForm:
    return FunctionForm(
        tuple(option.lam for option in options),
        tuple(tuple(option.env) for option in options),
        tuple(tuple(map(skeleton, option.env.values())) for option in options),
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
    return FunctionForm(tuple(lams), tuple(names), tuple(captured))


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
        case FunctionForm():
            return _nodes_of_function(graph, value, form)


def _nodes_of_function(graph: GraphBuilder, value: Value, form: FunctionForm) -> list[Node]:
    options = value.options if isinstance(value, Chosen) else (value,)
    places: list[int] = []
    for option in options:
        if not isinstance(option, Closure):
            raise MissingRule("the native backend has no function that is the zero of a tangent")
        places.append(next(i for i, lam in enumerate(form.lams) if lam is option.lam))
    found: list[Node] = []
    if len(form.lams) > 1:
        tag = graph.fill(places[0], (), "int64")
        if isinstance(value, Chosen):
            tag = value.tag
            for old, new in reversed(list(enumerate(places))):
                if old != new:
                    tag = _renamed(graph, value.tag, tag, old, new)
        found.append(tag)
    for place, captured in enumerate(form.captured):
        own = next((o for o, at in zip(options, places, strict=True) if at == place), None)
        env = list(own.env.values()) if isinstance(own, Closure) else [None] * len(captured)
        for part, inner in zip(env, captured, strict=True):
            found += nodes_of(graph, part, inner)
    return found


def _renamed(graph: GraphBuilder, given: Node, tag: Node, old: int, new: int) -> Node:
    """``new`` where the given tag is ``old``, else ``tag``."""
    numbers = [graph.fill(number, (), "int64") for number in (old, new)]
    is_old = graph.pointwise("equal", (given, numbers[0]), (), "bool")
    return graph.pointwise("where", (is_old, numbers[1], tag), (), "int64")


def value_of(form: Form, nodes: Iterator[Node]) -> Value:
    """The value of a skeleton whose nodes are these: the inverse of ``nodes_of``."""
    match form:
        case None:
            return None
        case ArrayForm():
            return next(nodes)
        case ProductForm(parts):
            return tuple([value_of(part, nodes) for part in parts])
        case FunctionForm(lams, names, captured):
            tag = next(nodes) if len(lams) > 1 else None
            options = tuple(
                Closure(lam, {n: value_of(part, nodes) for n, part in zip(own, parts, strict=True)})
                for lam, own, parts in zip(lams, names, captured, strict=True)
            )
            return options[0] if tag is None else Chosen(tag, options)


def kinds(form: Form) -> list[ArrayForm]:
    """The numbers and arrays of a skeleton, in order."""
    match form:
        case None:
            return []
        case ArrayForm():
            return [form]
        case ProductForm(parts):
            return [leaf for part in parts for leaf in kinds(part)]
        case FunctionForm(lams, _, captured):
            tag = [ArrayForm((), "int64")] if len(lams) > 1 else []
            return tag + [leaf for parts in captured for part in parts for leaf in kinds(part)]


def row_of(form: Form) -> Form:
    """The skeleton of a row, where that of the stack is this."""
    return _mapped(form, lambda leaf: ArrayForm(leaf.shape[1:], leaf.dtype))


def stack_of(form: Form, length: int) -> Form:
    """The skeleton of as many rows."""
    return _mapped(form, lambda leaf: ArrayForm((length, *leaf.shape), leaf.dtype))


def _mapped(form: Form, change: Callable[[ArrayForm], ArrayForm]) -> Form:
    match form:
        case None:
            return None
        case ArrayForm():
            return change(form)
        case ProductForm(parts):
            return ProductForm(tuple(_mapped(part, change) for part in parts))
        case FunctionForm(lams, names, captured):
            if len(lams) > 1:
                raise MissingRule("the native backend keeps no rows of functions of several codes")
            inside = tuple(tuple(_mapped(part, change) for part in parts) for parts in captured)
            return FunctionForm(lams, names, inside)


def form_of(obj: Object) -> Form:
    """The skeleton of a type of numbers and arrays."""
    parts = components(obj)
    if parts is not None:
        return ProductForm(tuple(map(form_of, parts.parts)))
    if isinstance(obj, Tensor) and obj.dtype in ELEMENTS:
        return ArrayForm(obj.shape, obj.dtype)
    raise MissingRule(f"the native backend has no values of {obj!r}")
