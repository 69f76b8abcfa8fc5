"""Plain functions ``a → b``: what programs mean, and what a primitive computes and declares.

A loop is its rounds, written out, and ``fix`` ties a knot; so both are rep-functions as soon as
application is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

import combinators.tracing.injections  # noqa: F401 (the rounds of a loop may give sums)
from combinators.derivative_rules import pullback_rule
from combinators.errors import MissingRule, TypeMismatch, WrongAlternative
from combinators.literal import Literal
from combinators.morphisms import Label, Morphism, interpret
from combinators.objects import Fun, Object, Product, Tensor, components
from combinators.operation import Operation
from combinators.primitives.loops import LOOP, LoopType
from combinators.primitives.structural import FIX, RECOMPUTE, STRUCTURAL, VECTOR, ZEROS
from combinators.primitives.sums import INJECT, IS, PAYLOAD, ROLL, TAG, UNROLL, UNTAG
from combinators.terms import Lam
from combinators.tracing.functions import Draft
from combinators.tracing.scope import apart
from combinators.tracing.traced import LIBRARY
from combinators.translate import translate
from combinators.type_folds import parts_of, stack_of
from combinators.value_folds import Injected
from interpreters.carriers.carrier import Carrier

Function = Callable[[Any], Any]


@dataclass(frozen=True)
class PlainFunctions:
    """``Programs`` whose arrows are Python functions of one argument."""

    over: Carrier

    def identity(self, dom: Object) -> Function:
        return lambda x: x

    def compose(self, arrows: Sequence[Function]) -> Function:
        def composed(x: Any) -> Any:
            for f in arrows:
                x = f(x)
            return x

        return composed

    def prod(self, dom: Object, arrows: Sequence[Function]) -> Function:
        return lambda x: tuple([f(x) for f in arrows])

    def proj(self, dom: Object, index: int, cod: Object) -> Function:
        return lambda x: x[index]

    def extend(self, context: Product, arrow: Function) -> Function:
        return lambda x: (*x, arrow(x))

    def curry(self, captured: Product, function: Fun, body: Function, label: Label) -> Function:
        return lambda t: lambda s: body((*t, s))

    def eval(self, function: Fun) -> Function:
        return lambda pair: pair[0](pair[1])

    def const(self, dom: Object, value: Literal) -> Function:
        return lambda _: self.over.const(value)

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Function:
        if operation == FIX:
            return _knot
        wider = written_out(operation, dom)
        return value_of(operation, dom, cod, self.over) if wider is None else self.of(wider)

    def cond(self, dom: Object, then: Function, other: Function) -> Function:
        return lambda pair: (then if self.over.truth(pair[0]) else other)(pair[1])

    def of(self, arrow: Morphism) -> Function:
        return interpret(arrow, self)


def _knot(step: Function) -> Function:
    """``f x = step (f, x)``."""
    return lambda x: step((_knot(step), x))


def types_of(dom: Object) -> tuple[Object, ...]:
    """The types of a primitive's arguments."""
    return dom.parts if isinstance(dom, Product) else (dom,)


def _closed(lam: Lam) -> Morphism:
    return translate(lam.params, lam.body)


def written_out(operation: Operation, dom: Object) -> Morphism | None:
    """A primitive that applies functions as a program that does; None of any other."""
    if operation.primitive is not LOOP and operation != RECOMPUTE:
        return None
    return _closed(_rounds(operation, types_of(dom)))


@cache
def _rounds(operation: Operation, types: tuple[Object, ...]) -> Lam:
    if operation == RECOMPUTE:
        return _traced(lambda f, x: f(x), types)
    loop = LoopType.of(operation, types)

    def rounds(function: Any, *operands: Any) -> Any:
        carry, xs, kept = operands[0], operands[-1], []
        for i in loop.rounds:
            row = _row(xs, loop.xs, i)
            given = function(carry, row) if loop.carry else _applied(function, row, loop.row)
            carry, item = loop.halves(given, lambda whole, part: whole[part])
            kept.append(item)
        items = kept[::-1] if loop.reverse else kept
        stack = None if loop.item is None else _stack(items, loop.item, loop.length)
        return loop.joined(carry, stack, lambda *both: both)

    return _traced(rounds, types)


def _applied(function: Any, row: Any, obj: Object) -> Any:
    return function(*row) if isinstance(obj, Product) else function(row)


def _traced(f: Callable[..., Any], types: tuple[Object, ...]) -> Lam:
    with apart():
        return Draft(f, types, (None,) * len(types)).finish().lam


def _row(xs: Any, obj: Object, index: int) -> Any:
    product = components(obj)
    if product is None:
        return xs[index]
    return tuple([_row(xs[i], part, index) for i, part in enumerate(product.parts)])


def _stack(items: list[Any], item: Object, length: int) -> Any:
    product = components(item)
    if product is not None:
        parts = enumerate(product.parts)
        return tuple([_stack([x[i] for x in items], part, length) for i, part in parts])
    if not items:
        return LIBRARY["zeros_of_type"](stack_of(item, length))
    return LIBRARY["stack"](items) if isinstance(item, Tensor) else LIBRARY["vector"](items)


# ---- primitives ----------------------------------------------------------------------------------


def value_of(operation: Operation, dom: Object, cod: Object, over: Carrier) -> Function:
    """What a primitive computes, from its argument or the tuple of its arguments."""
    types, index = types_of(dom), operation.keywords.get("index", 0)
    of_sums = {INJECT: Injected, TAG: Injected, PAYLOAD: _opened, UNTAG: _opened}
    if operation.primitive in of_sums:
        return _at(dom, partial(of_sums[operation.primitive], index))
    if operation.primitive is IS:
        answers = [over.const(Literal(is_it)) for is_it in (False, True)]
        return _at(dom, lambda s: answers[s.tag == index])
    if operation.primitive in (ROLL, UNROLL):
        return _at(dom, lambda x: x)
    if operation.primitive is ZEROS:
        return lambda _: zero_of(cod, over)
    if operation.primitive is VECTOR:
        return _same if isinstance(dom, Product) else lambda item: (item,)
    if operation.primitive.derivative is None or operation.primitive in STRUCTURAL:
        raise MissingRule(f"{operation.name} is no word of λ∂, the language of 004")
    compute = over.operation(operation, types, cod)
    return compute if dom is not Product(*types) else lambda xs: compute(*xs)


def _at(dom: Object, f: Function) -> Function:
    """``f`` of an argument, which stands in a product of one where it is itself a product."""
    return (lambda xs: f(*xs)) if isinstance(dom, Product) else f


def _opened(index: int, s: Any) -> Any:
    if s.tag != index:
        raise WrongAlternative(f"alternative {index} is asked of a value that is its {s.tag}")
    return s.value


def pullback_of(
    operation: Operation, dom: Object, over: Carrier
) -> Callable[[Any, Any, Any], Any] | None:
    """``(g, x, y)`` to the cotangent of ``x``, as a primitive declares it; None for zero."""
    types = types_of(dom)
    index = operation.keywords.get("index", 0)
    match operation.primitive:
        case primitive if primitive in (INJECT, TAG):
            back: Function = partial(_opened, index)
        case primitive if primitive in (PAYLOAD, UNTAG):
            back = partial(Injected, index)
        case primitive if primitive in (ROLL, UNROLL):
            back = _same
        case primitive if primitive is VECTOR:
            return lambda g, xs, y: g if isinstance(dom, Product) else g[0]
        case _:
            rule = pullback_rule(operation, types, tuple(range(len(types))))
            if rule is None:
                return None
            pull = PlainFunctions(over).of(_closed(rule))
            if isinstance(dom, Product):
                return lambda g, xs, y: pull((g, *xs, y))
            return lambda g, x, y: pull((g, x, y))[0]
    if isinstance(dom, Product):
        return lambda g, xs, y: (back(g),)
    return lambda g, x, y: back(g)


def _same(x: Any) -> Any:
    return x


# ---- tangents ------------------------------------------------------------------------------------


def zero_of(obj: Object, over: Carrier) -> Any:
    """The zero of a type without functions; integers and booleans have ``()``."""
    parts = parts_of(obj)
    if parts is not None:
        return tuple([zero_of(part, over) for part in parts])
    if not isinstance(obj, Tensor):
        raise TypeMismatch(f"{obj!r} has no zero that its type alone tells")
    return over.const(Literal(np.zeros(obj.shape, obj.dtype)))
