"""Ways to an arrow by a case, or by a recursive function that ends: down a list, or a number.

What is drawn of a recursive function sees what it captures, where it is, and what it gave further
down, but not itself: it could call itself for ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from combinators.literal import Literal
from combinators.morphisms import (
    Constant,
    Extend,
    Id,
    Morphism,
    Primitive,
    Projection,
    compose,
    prod,
)
from combinators.objects import Mu, Object, Product, Real, Sum, Tensor
from combinators.operation import Operation, named
from combinators.tracing.classes import list_of
from combinators.type_folds import unfolded
from laws.recursion import call, chosen, counted, fix, over_list, payload, unroll
from laws.strategies.making import Making

COUNTS = (2, 1, 0, 3)
"""How often a recursive function calls itself."""


def cased(make: Making, dom: Object, cod: Object) -> Morphism:
    """A case: of something that there is, where there is a sum, or of something made for it."""
    before, context = _context(dom)
    given = _to_sum(make, context)
    assert isinstance(given.cod, Sum)
    known = context.snoc(given.cod)
    which = Projection(known, context.width)
    branches = []
    for index, part in enumerate(given.cod.parts):
        opened = Extend(which >> payload(given.cod, index))
        branches.append(opened >> make.arrow(known.snoc(part), cod))
    return compose(*before, Extend(given), chosen(given.cod, which, branches))


def _to_sum(make: Making, context: Product) -> Morphism:
    here = [part for part in context.parts if isinstance(unfolded(part), Sum)]
    obj = make.choices.pick([*here, Sum(make.obj(), make.obj())])
    given = make.arrow(context, obj)
    return given >> unroll(obj) if isinstance(obj, Mu) else given


def down_a_list(make: Making, dom: Object, cod: Object) -> Morphism:
    """A recursive function, of a list."""
    before, context = _context(dom)
    item = make.choices.pick((Real, Real, make.obj()))
    longer = context.snoc(item).snoc(cod)
    step = over_list(make.arrow(context, cod), _using(make, longer, cod))
    cells = make.arrow(context, list_of(item))
    return compose(*before, call(fix(step), cells))


def counted_down(make: Making, dom: Object, cod: Object) -> Morphism:
    """A recursive function that calls itself a few times."""
    before, context = _context(dom)
    state = make.choices.pick((Real, Real, make.obj()))
    inside = context.snoc(state)
    step = fix(
        counted(
            make.arrow(inside, cod),
            make.arrow(inside, state),
            _using(make, inside.snoc(cod), cod),
        )
    )
    rounds = Constant(context, Literal(float(make.choices.pick(COUNTS))))
    argument = prod(context, rounds, make.arrow(context, state))
    return compose(*before, call(step, argument))


def _context(dom: Object) -> tuple[Sequence[Morphism], Product]:
    """What makes a context of ``dom``, and that context."""
    if isinstance(dom, Product):
        return (), dom
    return (prod(dom, Id(dom)),), Product(dom)


def _using(make: Making, context: Product, cod: Object) -> Morphism:
    """Often the last of the context and something else, in one operation."""
    binary = sorted(name for name, arity in make.signature.operations.items() if arity == 2)
    if not (binary and isinstance(cod, Tensor) and cod.is_smooth and make.choices.below(2)):
        return make.arrow(context, cod)
    operation = Operation(named(make.choices.pick(binary)))
    last = Projection(context, context.width - 1)
    return prod(context, last, make.arrow(context, cod)) >> Primitive(operation, (cod, cod))
