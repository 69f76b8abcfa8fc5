"""Programs as plain functions: the meaning that every system here starts from.

    ⟦e⟧ : Γ → τ,    ⟦λx. e⟧ = curry ⟦e⟧,    ⟦f x⟧ = eval ∘ ⟨⟦f⟧, ⟦x⟧⟩

An arrow is a Python function of values; what a number is, a carrier says. Over numbers this is
evaluation. Over nodes it draws a graph (Fig. 1), over pairs it differentiates (Def. 5.3): what is
not a number means what it means, which is why "going from first order to higher order is for free"
(app. A).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial, reduce
from typing import Any, Protocol

import numpy as np

import combinators.tracing.injections  # noqa: F401 (the rounds of a loop may give sums)
from combinators.derivative_rules import pullback_rule, pushforward_rule
from combinators.errors import MissingRule, WrongAlternative
from combinators.literal import Literal
from combinators.morphisms import Label, Morphism, interpret
from combinators.objects import Fun, Object, Product, Tensor, Vector
from combinators.operation import Operation, named
from combinators.primitives.loops import LOOP, LoopType
from combinators.primitives.structural import FIX, PLUS, RECOMPUTE, VECTOR, ZEROS
from combinators.primitives.sums import INJECT, IS, SUMS, TAG
from combinators.terms import Lam, Proj, Tuple
from combinators.tracing.emit import emit, operand
from combinators.tracing.functions import traced
from combinators.tracing.traced import LIBRARY
from combinators.translate import translate
from combinators.type_folds import columns_of
from combinators.value_folds import Injected, map_leaves

Arrow = Callable[[Any], Any]
Partial = Callable[[Any, tuple[Any, ...], Any], Any]
"""``(a, x, f x) ↦ ∂ᵢf(x)·a``, forwards or, transposed, backwards."""
ADD = Operation(named("add"))


class Numbers(Protocol):
    """What a program asks of a carrier: literals, operations at their types, and what is true."""

    def const(self, literal: Literal) -> Any: ...
    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Any: ...
    def add(self, x: Any, y: Any) -> Any: ...
    def truth(self, number: Any) -> bool: ...


@dataclass(frozen=True)
class PlainFunctions:
    """The category of Python functions, with the numbers of a carrier."""

    over: Numbers

    def identity(self, dom: Object) -> Arrow:
        return lambda x: x

    def compose(self, arrows: Sequence[Arrow]) -> Arrow:
        return lambda x: reduce(lambda y, arrow: arrow(y), arrows, x)

    def prod(self, dom: Object, arrows: Sequence[Arrow]) -> Arrow:
        return lambda x: tuple([arrow(x) for arrow in arrows])

    def proj(self, dom: Object, index: int, cod: Object) -> Arrow:
        return operator.itemgetter(index)

    def extend(self, context: Product, arrow: Arrow) -> Arrow:
        return lambda x: (*x, arrow(x))

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        return lambda context: lambda x: body((*context, x))

    def eval(self, function: Fun) -> Arrow:
        return lambda pair: pair[0](pair[1])

    def const(self, dom: Object, value: Literal) -> Arrow:
        number = self.over.const(value)
        return lambda _: number

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        return lambda pair: (then if self.over.truth(pair[0]) else other)(pair[1])

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        compute = self.computation(operation, dom, cod)
        return lambda x: compute(*x) if isinstance(dom, Product) else compute(x)

    def computation(self, operation: Operation, dom: Object, cod: Object) -> Callable[..., Any]:
        """The carrier's, or what calls functions and makes sums: a function of the arguments."""
        kind, index, types = operation.primitive, operation.keywords.get("index"), types_of(dom)
        if kind in (INJECT, TAG):
            return lambda x: Injected(operation.keywords["index"], x)
        if kind is IS:
            return lambda x: self.over.const(Literal(x.tag == index))
        if kind in SUMS and index is not None:
            return partial(payload, index)
        if kind in SUMS or kind is VECTOR:
            return lambda *items: items if kind is VECTOR else items[0]
        if kind is LOOP or operation == RECOMPUTE:
            return meaning(rounds(operation, types), self)
        if operation == FIX:
            return fix
        if kind is ZEROS:
            return lambda: map_leaves(lambda leaf: self.over.const(zero_of(leaf)), cod)
        if kind is PLUS:
            return lambda *both: map_leaves(partial(plus, self.over), cod, *both)
        if kind.derivative is None:
            raise MissingRule(f"the literal systems do not know {operation.name}")
        compute: Callable[..., Any] = self.over.operation(operation, types, cod)
        return compute


Types = tuple[Object, ...]


def types_of(dom: Object) -> Types:
    """The types of the arguments that a primitive takes."""
    return dom.parts if isinstance(dom, Product) else (dom,)


def zero_of(leaf: Object) -> Literal:
    """Zeros of a type."""
    assert isinstance(leaf, Tensor)
    return Literal(np.zeros(leaf.shape, leaf.dtype))


def plus(over: Numbers, obj: Object, x: Any, y: Any) -> Any:
    """``x + y``."""
    return over.operation(ADD, (obj, obj), obj)(x, y)


def payload(index: int, x: Injected) -> Any:
    """What a value of a sum holds, if it is this alternative."""
    if x.tag != index:
        raise WrongAlternative(f"alternative {index} is asked of a value that is its {x.tag}")
    return x.value


def fix(step: Arrow) -> Arrow:
    """``fix f = λx. f (fix f, x)``."""
    return lambda x: step((fix(step), x))


@cache
def rounds(operation: Operation, types: Types) -> Lam:
    """A loop as a program without: ``fold f c [x1, x2]`` as ``f (f (c, x1), x2)``."""

    def run(function: Any, *operands: Any) -> Any:
        if operation == RECOMPUTE:
            return function(*operands)
        loop, (*start, xs) = LoopType.of(operation, types), operands
        carry, kept = (start[0] if start else None), []
        for index in loop.rounds:
            row = row_at(index, loop.xs, xs)
            x = (carry, row) if start else row
            made = function(*x) if isinstance(loop.function.dom, Product) else function(x)
            carry, item = loop.halves(made, operator.getitem)
            kept.append(item)
        rows = kept[::-1] if loop.reverse else kept
        stack = loop.stack and map_leaves(stacked, loop.stack, *rows, parts=columns_of)
        return loop.joined(carry, stack, lambda *both: both)

    return traced(run, types)


def row_at(index: int, obj: Object, xs: Any) -> Any:
    """A row of an array, or of each part of a tuple or a record of them."""
    parts = columns_of(obj)
    if parts is None:
        return xs[index]
    columns = [emit(Proj(i, operand(xs))) for i in range(len(parts))]
    row = tuple(map(row_at, [index] * len(parts), parts, columns))
    names = getattr(obj, "names", None)
    return row if names is None else emit(Tuple(tuple(map(operand, row)), names))


def stacked(leaf: Object, *rows: Any) -> Any:
    """The stack of ``rows``, which are numbers and arrays, or anything else."""
    if isinstance(leaf, Vector):
        return rows
    return LIBRARY["stack"](list(rows)) if rows else LIBRARY["zeros_of_type"](leaf)


def evaluated(lam: Lam, over: Numbers) -> Callable[..., Any]:
    """A closed λ as a Python function of its arguments."""
    return meaning(lam, PlainFunctions(over))


def meaning(lam: Lam, category: PlainFunctions) -> Callable[..., Any]:
    """A closed λ as an arrow of any such category, of its arguments."""
    arrow: Arrow = interpret(arrow_of(lam), category)
    return lambda *args: arrow(args)


@lru_cache(maxsize=1 << 10)
def arrow_of(lam: Lam) -> Morphism:
    """``J⟦λx. e⟧``."""
    return translate(lam.params, lam.body)


def partials(
    f: Operation, types: Sequence[Object], cod: Object, over: Numbers, *, backwards: bool = True
) -> list[tuple[int, Partial]]:
    """``∂ᵢf`` of every argument that moves ``f``: what a primitive declares, as a program run."""

    def slope(made: Lam) -> Partial:
        run = evaluated(made, over)
        return lambda a, xs, y: run(a, *xs, y)[0] if backwards else run(a, *xs, y)

    of, places = tuple(types), range(len(types))
    rules = (
        pullback_rule(f, of, (i,)) if backwards else pushforward_rule(f, of, i) for i in places
    )
    return [(i, slope(made)) for i, made in enumerate(rules) if made is not None]
