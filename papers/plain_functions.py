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
from functools import cache, partial
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
from combinators.type_folds import columns_of, is_smooth
from combinators.value_folds import Injected, map_leaves

Arrow = Callable[[Any], Any]
ADD = Operation(named("add"))


class Numbers(Protocol):
    """What a program asks of a carrier."""

    def const(self, literal: Literal) -> Any:
        """A literal of the program."""
        ...

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Any:
        """What computes ``operation`` on numbers of these types."""
        ...

    def truth(self, number: Any) -> bool:
        """The branch that a Bool chooses."""
        ...


@dataclass(frozen=True)
class PlainFunctions:
    """The category of Python functions, with the numbers of a carrier."""

    over: Numbers

    def identity(self, dom: Object) -> Arrow:
        """``id``."""
        return lambda x: x

    def compose(self, arrows: Sequence[Arrow]) -> Arrow:
        """First the first."""

        def composed(x: Any) -> Any:
            for arrow in arrows:
                x = arrow(x)
            return x

        return composed

    def prod(self, dom: Object, arrows: Sequence[Arrow]) -> Arrow:
        """``⟨f, g⟩``."""
        return lambda x: tuple([arrow(x) for arrow in arrows])

    def proj(self, dom: Object, index: int, cod: Object) -> Arrow:
        """``πᵢ``."""
        return operator.itemgetter(index)

    def extend(self, context: Product, arrow: Arrow) -> Arrow:
        """``⟨id, e⟩``, flat."""
        return lambda x: (*x, arrow(x))

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        """A closure of Python's."""
        return lambda context: lambda x: body((*context, x))

    def eval(self, function: Fun) -> Arrow:
        """A call of Python's."""
        return lambda pair: pair[0](pair[1])

    def const(self, dom: Object, value: Literal) -> Arrow:
        """A number of the carrier."""
        number = self.over.const(value)
        return lambda _: number

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        """One branch is run."""
        return lambda pair: (then if self.over.truth(pair[0]) else other)(pair[1])

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        """The carrier's, or what calls functions and makes sums."""
        compute = self.computation(operation, dom, cod)
        return lambda x: compute(*x) if isinstance(dom, Product) else compute(x)

    def computation(self, operation: Operation, dom: Object, cod: Object) -> Callable[..., Any]:
        """A function of the arguments."""
        kind = operation.primitive
        if kind in SUMS:
            return partial(of_sum, operation, self.over)
        if kind is LOOP or operation == RECOMPUTE:
            arrow: Arrow = interpret(written_out(operation, types_of(dom)), self)
            return lambda *given: arrow(given)
        if operation == FIX:
            return fix
        if kind is ZEROS:
            return lambda: map_leaves(lambda leaf: self.over.const(zero_of(leaf)), cod)
        if kind is PLUS:
            return lambda *both: map_leaves(partial(plus, self.over), cod, *both)
        if kind is VECTOR:
            return lambda *items: items
        if kind.derivative is None:
            raise MissingRule(f"the literal systems do not know {operation.name}")
        compute: Callable[..., Any] = self.over.operation(operation, types_of(dom), cod)
        return compute


def types_of(dom: Object) -> tuple[Object, ...]:
    """The types of the arguments that a primitive takes."""
    return dom.parts if isinstance(dom, Product) else (dom,)


def zero_of(leaf: Object) -> Literal:
    """Zeros of a type."""
    assert isinstance(leaf, Tensor)
    return Literal(np.zeros(leaf.shape, leaf.dtype))


def plus(over: Numbers, obj: Object, x: Any, y: Any) -> Any:
    """``x + y``."""
    return over.operation(ADD, (obj, obj), obj)(x, y)


def of_sum(operation: Operation, over: Numbers, x: Any) -> Any:
    """``inl``, ``inr``, which of them it is, and what it holds; ``roll`` and ``unroll``."""
    index = operation.keywords.get("index")
    if index is None:
        return x
    if operation.primitive in (INJECT, TAG):
        return Injected(index, x)
    if operation.primitive is IS:
        return over.const(Literal(x.tag == index))
    if x.tag != index:
        raise WrongAlternative(f"alternative {index} is asked of a value that is its {x.tag}")
    return x.value


def fix(step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``fix f = λx. f (fix f, x)``."""
    return lambda x: step((fix(step), x))


def written_out(operation: Operation, types: tuple[Object, ...]) -> Morphism:
    """A loop as an arrow without."""
    lam = rounds(operation, types)
    return translate(lam.params, lam.body)


@cache
def rounds(operation: Operation, types: tuple[Object, ...]) -> Lam:
    """A loop as a program without, each round a call; ``recompute`` as one.

    ::

        fold f c [x1, x2]   is   f (f (c, x1), x2)
    """

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
        return loop.joined(carry, stacked(loop.stack, rows), lambda *both: both)

    return traced(run, types)


def row_at(index: int, obj: Object, xs: Any) -> Any:
    """A row of an array, or of each part of a tuple or a record of them."""
    parts = columns_of(obj)
    if parts is None:
        return xs[index]
    columns = (emit(Proj(i, operand(xs))) for i in range(len(parts)))
    row = tuple(row_at(index, part, column) for part, column in zip(parts, columns, strict=True))
    names = getattr(obj, "names", None)
    return row if names is None else emit(Tuple(tuple(map(operand, row)), names))


def stacked(obj: Object | None, rows: list[Any]) -> Any:
    """The stack of ``rows``, leaf by leaf."""

    def put(leaf: Object, *items: Any) -> Any:
        if isinstance(leaf, Vector):
            return items
        return LIBRARY["stack"](list(items)) if items else LIBRARY["zeros_of_type"](leaf)

    return None if obj is None else map_leaves(put, obj, *rows, parts=columns_of)


def evaluated(lam: Lam, over: Numbers) -> Callable[..., Any]:
    """A closed λ as a Python function of its arguments.

    >>> import numpy as np
    >>> from combinators.objects import Real
    >>> from combinators.terms import Var
    >>> from interpreters.carriers.numpy import NumPy
    >>> x = Var("x", Real)
    >>> evaluated(Lam((x,), x), NumPy())(2.0)
    2.0
    """
    return meaning(lam, PlainFunctions(over))


def meaning(lam: Lam, category: PlainFunctions) -> Callable[..., Any]:
    """A closed λ as an arrow of any such category, of its arguments."""
    arrow: Arrow = interpret(translate(lam.params, lam.body), category)
    return lambda *args: arrow(args)


Partial = Callable[[Any, tuple[Any, ...], Any], Any]
"""``(a, x, f x) ↦ ∂ᵢf(x)·a``, forwards or, transposed, backwards."""


def partials(
    operation: Operation,
    types: Sequence[Object],
    cod: Object,
    over: Numbers,
    *,
    backwards: bool = True,
) -> list[tuple[int, Partial]]:
    """``∂ᵢf`` of every argument that moves ``f``.

    What a primitive declares as its derivative is run as a program over the carrier.
    """
    moving = [i for i, obj in enumerate(types) if is_smooth(obj)] if is_smooth(cod) else []

    def slope(run: Callable[..., Any]) -> Partial:
        return lambda a, xs, y: run(a, *xs, y)[0] if backwards else run(a, *xs, y)

    def rule(i: int) -> Lam | None:
        if backwards:
            return pullback_rule(operation, tuple(types), (i,))
        return pushforward_rule(operation, tuple(types), i)

    rules = [(i, rule(i)) for i in moving]
    return [(i, slope(evaluated(made, over))) for i, made in rules if made is not None]
