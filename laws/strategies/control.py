"""Ways to an arrow that any object has: sharing, calls and conditionals."""

from __future__ import annotations

from combinators.morphisms import Choice, Eval, Extend, Id, Morphism, compose, prod
from combinators.objects import Bool, Fun, Object, Product, Real
from combinators.operation import Operation, named
from laws.strategies.making import Making


def given(make: Making, dom: Object, cod: Object) -> Morphism:
    """An arrow of the model's own, from an object or from what leads to one."""
    between = make.obj()
    own = make.own(between, cod)
    return make.small(dom, cod) if own is None else make.arrow(dom, between) >> own


LETS = (1, 1, 1, 5, 1, 1)
"""How many things are named one after the other: now and then a large environment."""


def shared(make: Making, dom: Object, cod: Object) -> Morphism:
    """``let``: something is named, and may be used many times; now and then five things are."""
    context = dom if isinstance(dom, Product) else Product(dom)
    steps: list[Morphism] = [] if context is dom else [prod(dom, Id(dom))]
    for _ in range(make.choices.pick(LETS)):
        known = make.obj()
        steps.append(Extend(make.arrow(context, known)))
        context = context.snoc(known)
    return compose(*steps, make.arrow(context, cod))


def called(make: Making, dom: Object, cod: Object) -> Morphism:
    """A call of a function."""
    argument = make.obj()
    function = Fun(argument, cod)
    return prod(dom, make.arrow(dom, function), make.arrow(dom, argument)) >> Eval(function)


def chosen(make: Making, dom: Object, cod: Object) -> Morphism:
    """A conditional."""
    test = compared(make, dom, Bool)
    return prod(dom, test, Id(dom)) >> Choice(make.arrow(dom, cod), make.arrow(dom, cod))


def compared(make: Making, dom: Object, cod: Object) -> Morphism:
    """``x < y``."""
    return make.applied(Operation(named("less")), dom, (Real, Real))
