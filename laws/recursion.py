"""Arrows of sums, recursive types and recursion, as laws and random programs write them.

``case`` is lazy: it asks which alternative a value is, and opens that one.

>>> from combinators.objects import Real
>>> case(Id(Real), Id(Real)).dom
Real + Real

A recursive function that is drawn at random has to end. ``over_list`` goes down a list, ``counted``
a number, and what is drawn stands where the function itself is not in scope:

    over_list(base, more) = λl. case l of nil → base; cons (x, rest) → more (x, itself rest)
    counted(base, next, more) = λ(n, x). if n < 1/2 then base x
                                         else more (x, itself (n - 1, next x))
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import (
    Choice,
    Constant,
    Curry,
    Eval,
    Id,
    Morphism,
    Primitive,
    Projection,
    prod,
)
from combinators.objects import Fun, Mu, MuVar, Object, Product, Real, Sum, Tagged
from combinators.operation import Operation, named
from combinators.primitives.structural import FIX
from combinators.primitives.sums import INJECT, IS, PAYLOAD, ROLL, TAG, UNROLL, UNTAG
from combinators.tracing.classes import list_of
from combinators.type_folds import unfolded


def applied(arrow: Morphism, operation: Operation) -> Morphism:
    """A primitive of one argument, after an arrow."""
    obj = arrow.cod
    given = prod(arrow.dom, arrow) if isinstance(obj, Product) else arrow
    return given >> Primitive(operation, (obj,))


def inject(of: Sum, index: int) -> Morphism:
    """``inᵢ : Aᵢ → A₀ + A₁``; into tangents of a sum, ``tag``."""
    making = TAG if isinstance(of, Tagged) else INJECT
    return applied(Id(of.parts[index]), Operation(making, (("of", of), ("index", index))))


def payload(of: Sum, index: int) -> Morphism:
    """``A₀ + A₁ → Aᵢ``, where the value is that alternative; of tangents, ``untag``."""
    opening = UNTAG if isinstance(of, Tagged) else PAYLOAD
    return applied(Id(of), Operation(opening, (("index", index),)))


def is_alternative(of: Sum, index: int) -> Morphism:
    """``A₀ + A₁ → Bool``."""
    return applied(Id(of), Operation(IS, (("index", index),)))


def roll(mu: Mu) -> Morphism:
    """From what a recursive type unfolds to."""
    return applied(Id(unfolded(mu)), Operation(ROLL, (("of", mu),)))


def unroll(mu: Mu) -> Morphism:
    """To what a recursive type unfolds to."""
    return applied(Id(mu), Operation(UNROLL))


def case(*branches: Morphism) -> Morphism:
    """``[f, g] : A + B → C`` of ``f : A → C`` and ``g : B → C``."""
    of = Sum(*(branch.dom for branch in branches))
    return chosen(of, Id(of), [payload(of, i) >> branch for i, branch in enumerate(branches)])


def chosen(of: Sum, which: Morphism, branches: list[Morphism]) -> Morphism:
    """The branch of the alternative that ``which`` gives; all start where that does."""
    *_, made = branches
    for index in reversed(range(len(branches) - 1)):
        test = which >> is_alternative(of, index)
        made = prod(which.dom, test, Id(which.dom)) >> Choice(branches[index], made)
    return made


def tree_of(leaf: Object) -> Mu:
    """Binary trees with values at their leaves."""
    return Mu("Tree", Sum(leaf=leaf, node=Product(MuVar(), MuVar())))


def sum_inside(mu: Mu) -> Sum:
    """The sum that a recursive type unfolds to."""
    inside = unfolded(mu)
    assert isinstance(inside, Sum)
    return inside


def nil(item: Object, dom: Object) -> Morphism:
    """The empty list, from anywhere."""
    mu = list_of(item)
    return prod(dom) >> inject(sum_inside(mu), 0) >> roll(mu)


def cons(first: Morphism, rest: Morphism) -> Morphism:
    """A list that begins with what ``first`` gives."""
    mu = list_of(first.cod)
    return prod(first.dom, first, rest) >> inject(sum_inside(mu), 1) >> roll(mu)


def call(function: Morphism, argument: Morphism) -> Morphism:
    """``function(argument)``, of arrows from one object."""
    assert isinstance(function.cod, Fun)
    return prod(function.dom, function, argument) >> Eval(function.cod)


def fix(body: Morphism) -> Morphism:
    """The recursive function of a step ``Γ × ((A ⇒ B) × A) → B``, which captures Γ."""
    step = Curry(body)
    return step >> Primitive(FIX, (step.cod,))


def unrolled(body: Morphism) -> Morphism:
    """``λx. step (fix step, x)``: the recursive function, of which one call is written out."""
    inner = body.dom
    assert isinstance(inner, Product)
    context = inner.init
    assert context is not None
    itself = fix(body)
    assert isinstance(itself.cod, Fun)
    outer = context.snoc(itself.cod.dom)
    free = [Projection(outer, index) for index in range(context.width)]
    both = prod(outer, prod(outer, *free) >> itself, Projection(outer, context.width))
    return Curry(prod(outer, *free, both) >> body)


def _step(context: Product, function: Fun) -> tuple[Product, Morphism, Morphism, Morphism]:
    """The domain of a step's body, the function itself, its argument, and what is captured."""
    inner = context.snoc(Product(function, function.dom))
    given = Projection(inner, context.width)
    itself, argument = (given >> Projection(given.cod, index) for index in (0, 1))
    kept = prod(inner, *(Projection(inner, index) for index in range(context.width)))
    return inner, itself, argument, kept


def over_list(base: Morphism, more: Morphism) -> Morphism:
    """The step that goes down a list of A, of ``base : Γ → C`` and ``more : Γ·A·C → C``."""
    context, longer = base.dom, more.dom
    assert isinstance(context, Product)
    assert isinstance(longer, Product)
    mu = list_of(longer.parts[context.width])
    function, cells = Fun(mu, base.cod), sum_inside(mu)
    inner, itself, argument, kept = _step(context, function)
    scope = Product(function, cells, context)
    again, cell, captured = (Projection(scope, index) for index in (0, 1, 2))
    opened = cell >> payload(cells, 1)
    head, rest = (opened >> Projection(opened.cod, index) for index in (0, 1))
    given = call(again, rest)
    free = [captured >> Projection(context, index) for index in range(context.width)]
    body = chosen(cells, cell, [captured >> base, prod(scope, *free, head, given) >> more])
    return prod(inner, itself, argument >> unroll(mu), kept) >> body


def counted(base: Morphism, following: Morphism, more: Morphism) -> Morphism:
    """The step that counts down, of ``base : Γ·A → C``, ``next : Γ·A → A``, ``more : Γ·A·C → C``.

    Its argument is the number and a value of A.
    """
    inside = base.dom
    assert isinstance(inside, Product)
    context, state = inside.init, inside.last
    assert context is not None
    assert state is not None
    function = Fun(Product(Real, state), base.cod)
    inner, itself, argument, _ = _step(context, function)
    number, value = (argument >> Projection(function.dom, index) for index in (0, 1))
    free = [Projection(inner, index) for index in range(context.width)]
    scope = Product(function, Real, inside)
    again, count, known = (Projection(scope, index) for index in (0, 1, 2))
    less = prod(scope, count, _number(scope, 0.5)) >> Primitive(_LESS, (Real, Real))
    lower = prod(scope, count, _number(scope, -1.0)) >> Primitive(_ADD, (Real, Real))
    given = call(again, prod(scope, lower, known >> following))
    parts = [known >> Projection(inside, index) for index in range(inside.width)]
    further = prod(scope, *parts, given) >> more
    body = prod(scope, less, Id(scope)) >> Choice(known >> base, further)
    return prod(inner, itself, number, prod(inner, *free, value)) >> body


_LESS, _ADD = Operation(named("less")), Operation(named("add"))


def _number(dom: Object, number: float) -> Constant:
    return Constant(dom, Literal(np.float64(number)))


RECURSIVE: dict[str, Callable[..., Morphism]] = {
    "rec": lambda base, more: fix(over_list(base, more)),
    "unrolled": lambda base, more: unrolled(over_list(base, more)),
    "count": lambda base, following, more: fix(counted(base, following, more)),
}
"""Recursive functions by what they are made of, as laws call them."""
