"""Functions of the module, which call one another: what they are given, and what they give.

    total n = if n < 1 then 0.0 else a * n + total (n - 1)

    define i1 @recursive1(a, n, ptr result, ptr room):  gives up where the stack is at its limit

What it captures is given with every call. A function among its results is a pointer to a record of
what that captures, as the pullback of ``total`` is, which captures that of the call inside; such a
function is called by one of the module, which opens the record; so are tangents that hold tangents
added. What records hold and functions give is found in walks over the program.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Self, TypeAlias

from combinators.errors import MissingRule
from combinators.kit.recursion import Recursive, Step, recurse
from combinators.objects import Object
from combinators.primitives.structural import FIX
from combinators.terms import App, Lam, Prim, Term, Var
from interpreters.backends.analysis.captures import Occurrences
from interpreters.backends.llvm.graph import FunctionGraph, GraphBuilder, Node, prune
from interpreters.backends.llvm.native_arrays import summed
from interpreters.backends.llvm.native_forms import (
    MOST,
    Form,
    FunctionForm,
    PointerForm,
    ProductForm,
    Sorts,
    joined,
    kinds,
    known_form,
)
from interpreters.backends.llvm.native_values import (
    Alternatives,
    Chosen,
    Closure,
    Packed,
    Pointed,
    Value,
    inside,
    is_none,
    nodes_of,
    opened,
    skeleton,
    sum_of_tags,
    value_of,
)

Env: TypeAlias = dict[str, Value]
WALKS = 64
"""Walks over a program in which everything is found."""


@dataclass(eq=False)
class FunctionInstance:
    """A function of the module, at what it captures and is given."""

    name: str
    forms: tuple[Form, ...]
    """What it is given."""
    result: Form
    written: Callable[..., Step[Value]]
    """Its result, by a walk and what it is given."""
    function: FunctionGraph | None = None
    has_effects: bool = False
    """Whether there are checks in it."""
    walk: int = 0
    """The last walk that met a call of it."""
    grown: int = 0
    """How often its result was found to be more."""


@dataclass(eq=False)
class CallNode:
    """``par`` of a call: which function, and what is used of its results."""

    instance: FunctionInstance
    outs: dict[int, Node] = field(default_factory=dict)


class Book(Sorts):
    """What walk after walk over a program finds of functions and records, until nothing is new."""

    def __init__(self) -> None:
        super().__init__()
        self.walk = 0
        self.waiting: list[FunctionInstance] = []
        """The functions that are called in this walk, of which each is walked over too."""
        self._instances: dict[Hashable, dict[tuple[Form, ...], FunctionInstance]] = {}
        self._again: dict[Object, Lam] = {}
        self._names = itertools.count()

    def begin(self) -> None:
        """A walk."""
        self.walk, self.is_new = self.walk + 1, False
        if self.walk > WALKS:
            raise MissingRule("the native backend finds no type for what calls itself")

    def instance(
        self,
        owner: Hashable,
        forms: tuple[Form, ...],
        result: Form,
        written: Callable[..., Step[Value]],
    ) -> FunctionInstance:
        """The function of the module of an owner that takes these."""
        known = self._instances.setdefault(owner, {})
        if forms not in known and len(known) >= MOST:
            forms = tuple(self.in_records(x, (owner, "given"), i) for i, x in enumerate(forms))
        if forms not in known:
            name = f"recursive{next(self._names)}"
            known[forms] = FunctionInstance(name, forms, result, written)
        found = known[forms]
        if found.walk != self.walk:
            found.walk = self.walk
            self.waiting.append(found)
        return found

    def again(self, step: Object) -> Lam:
        """The λ that calls the fixed point of what it captures."""
        if step not in self._again:
            fixed = Prim(FIX, (Var("step", step),))
            x = Var("x", fixed.type.dom)  # type: ignore[attr-defined]
            self._again[step] = Lam((x,), App(fixed, x))
        return self._again[step]


class CallLowering(ABC):
    """What a walk over terms does at calls of functions of the module."""

    def __init__(self, graph: GraphBuilder, survey: Occurrences, book: Book) -> None:
        self.graph, self._survey, self.book = graph, survey, book
        self._captured = survey.captured

    @abstractmethod
    def value(self, term: Term, env: Env) -> Step[Value]:
        """The value of a term where its variables have these."""

    @abstractmethod
    def called(self, function: Value, argument: Value) -> Recursive[Value]:
        """The result of a function."""

    @abstractmethod
    def either(
        self, test: Node, then: Callable[[], Step[Value]], other: Callable[[], Step[Value]]
    ) -> Recursive[Value]:
        """The value of one of two."""

    def of_record(self, function: Pointed, argument: Value) -> Value:
        """The result of a function in a record: that of a function of the module."""
        lam = a_lam(function)
        if lam is None:
            return None
        params = tuple(known_form(param.type, self.book) for param in lam.params)
        known = params[0] if len(params) == 1 else ProductForm(params)

        def written(walk: Self, function: Pointed, x: Value) -> Step[Value]:
            inside = opened(walk.graph, function)
            return walk.either(
                is_none(walk.graph, function), lambda: None, lambda: walk.called(inside, x)
            )

        forms = skeleton(function), joined(skeleton(argument), known)
        result = known_form(lam.body.type, self.book)
        return self.call(("of", *owner_of(function)), (function, argument), forms, result, written)

    def call(
        self,
        owner: Hashable,
        given: tuple[Value, ...],
        forms: tuple[Form, ...],
        result: Form,
        written: Callable[..., Step[Value]],
    ) -> Value:
        """The results of a function of the module."""
        graph = self.graph
        instance = self.book.instance(owner, forms, result, written)
        nodes = nodes_of(graph, given, ProductForm(instance.forms))
        args = (x if x.op == "param" else inside(graph, x, graph.block, copied=True) for x in nodes)
        made = graph.fresh("call", tuple(args), CallNode(instance), (), "")
        if instance.has_effects:
            graph.block.effects.append(made)
        leaves = enumerate(kinds(instance.result))
        outs = [graph.fresh("out", (made,), i, leaf.shape, leaf.dtype) for i, leaf in leaves]
        return value_of(instance.result, iter(outs))

    def write(self, instance: FunctionInstance) -> None:
        """A function of the module, in a graph of its own."""
        graph = self.graph
        leaves = [leaf for form in instance.forms for leaf in kinds(form)]
        nodes = iter([graph.param(leaf.shape, leaf.dtype) for leaf in leaves])
        given = [value_of(form, nodes) for form in instance.forms]
        found: Value = recurse(_result(instance.written(self, *given)))
        few = instance.grown < MOST
        form = self.book.in_records(skeleton(found), instance, functions_only=few)
        result = joined(instance.result, form)
        if result != instance.result:
            instance.result, instance.grown = result, instance.grown + 1
            self.book.learn()
        instance.function = graph.function
        graph.function.block.outputs = nodes_of(graph, found, result)
        prune(graph.function)
        if graph.function.block.effects and not instance.has_effects:
            instance.has_effects = True
            self.book.learn()

    # ---- sums of tangents

    def plus(self, x: Value, y: Value) -> Recursive[Value]:
        """The sum of two values of one type."""
        if x is None or y is None:
            return y if x is None else x
        if isinstance(x, tuple) and isinstance(y, tuple):
            found: list[Value] = []
            for a, b in zip(x, y, strict=True):
                found.append((yield self.plus(a, b)))
            return tuple(found)
        if isinstance(x, Alternatives) and isinstance(y, Alternatives):
            parts: Value = yield self.plus(x.parts, y.parts)
            assert isinstance(parts, tuple)
            return Alternatives(sum_of_tags(self.graph, x.tag, y.tag), parts)
        if isinstance(x, Packed) and isinstance(y, Packed):
            sums: dict[Object, Value] = {}
            for obj in {**x.parts, **y.parts}:
                sums[obj] = yield self.plus(x.parts.get(obj), y.parts.get(obj))
            return Packed(sums)
        if isinstance(x, Pointed) or isinstance(y, Pointed):
            return self._sum_of_records(x, y)
        if not isinstance(x, Node) or not isinstance(y, Node):
            raise MissingRule("the native backend adds no functions")
        return summed(self.graph, x, y)

    def _sum_of_records(self, x: Value, y: Value) -> Value:
        """The sum of tangents in records, by a function of the module; one at 0 is zero."""
        form = joined(skeleton(x), skeleton(y))
        assert isinstance(form, PointerForm)
        if isinstance(form.sort.form, FunctionForm):
            raise MissingRule("the native backend adds no functions")

        def written(walk: Self, x: Pointed, y: Pointed) -> Step[Value]:
            graph = walk.graph
            return walk.either(
                is_none(graph, x),
                lambda: y,
                lambda: walk.either(
                    is_none(graph, y),
                    lambda: x,
                    lambda: walk.added(form, opened(graph, x), opened(graph, y)),
                ),
            )

        return self.call(("plus", form.sort.root), (x, y), (form, form), form, written)

    def added(self, form: Form, x: Value, y: Value) -> Recursive[Value]:
        """The sum of what is in two records, in a new one."""
        found: Value = yield self.plus(x, y)
        return value_of(form, iter(nodes_of(self.graph, found, form)))


def _result(step: Step[Value]) -> Recursive[Value]:
    found: Value = yield step
    return found


def a_lam(function: Value) -> Lam | None:
    """One of the λs that a function may be."""
    match function:
        case Closure(lam):
            return lam
        case Chosen(_, options):
            return options[0].lam
        case Pointed(_, sort) if isinstance(sort.form, FunctionForm):
            return sort.form.lams[0]
        case _:
            return None


def owner_of(function: Value) -> tuple[Hashable, ...]:
    """What is the same of a function whatever it captures."""
    match function:
        case Closure(lam):
            return (id(lam),)
        case Chosen(_, options):
            return tuple(id(option.lam) for option in options)
        case Pointed(_, sort):
            return (sort.root,)
        case _:
            return ()
