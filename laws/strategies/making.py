"""The making of one random arrow, by its type: from small arrows, and ways to larger ones.

``fuel`` bounds how many ways are gone in the whole arrow. Without fuel every object is still
reached from every other, by constants, tuples and λs of such. Ways that any object has are here:
sharing, calls and conditionals; and so are linear maps between vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from combinators.errors import TypeMismatch
from combinators.kit.tree import distinct_nodes
from combinators.literal import Literal
from combinators.morphisms import (
    Choice,
    Constant,
    Curry,
    Eval,
    Extend,
    Id,
    Morphism,
    Primitive,
    Projection,
    Relabel,
    compose,
    prod,
)
from combinators.objects import (
    Bool,
    Fun,
    Mu,
    Object,
    Product,
    Real,
    Record,
    Sum,
    Tensor,
    Unit,
    Vector,
    components,
)
from combinators.operation import Operation, named
from combinators.primitives.structural import VECTOR
from combinators.type_folds import unfolded
from laws.model import Signature
from laws.recursion import inject, roll
from laws.strategies.choices import Choices
from laws.strategies.objects import any_object, as_element, literal, points_at

SMALL = 3
"""How often a small arrow is made where a larger one might be, for one of each of the ways."""
WIRED = 2
"""How often a small arrow is again one that depends on where it starts, for each such arrow.

An arrow that does not has no derivative, and laws of derivatives are asked in vain.
"""
POINT_FUEL = 2
CELLS = 2
"""How deep values of recursive types are, before their last alternatives."""


class Making:
    """What may be used, and how much fuel is left."""

    def __init__(
        self,
        choices: Choices,
        signature: Signature,
        ways: Callable[[Making, Object], Sequence[Way]],
        *,
        fuel: int,
        special: bool = False,
    ) -> None:
        """``ways`` gives the ways to make larger arrows into an object."""
        self.choices, self.signature, self.special = choices, signature, special
        self.fuel, self._ways = fuel, ways
        self._is_plain = False
        self._rolled: list[Mu] = []
        """The recursive types of which values are being made."""

    def arrow(self, dom: Object, cod: Object) -> Morphism:
        """Any arrow."""
        if self.fuel <= 0:
            return self.small(dom, cod)
        ways = self._ways(self, cod)
        way = self.choices.below(SMALL + len(ways)) - SMALL
        if way < 0:
            return self.small(dom, cod)
        self.fuel -= 1
        return ways[way](self, dom, cod)

    def point(self, cod: Object) -> Morphism:
        """A global element: constants, tuples and closed functions, whose bodies are any arrows."""
        self._is_plain, before = True, self._is_plain
        made = self.small(Unit, cod)
        self._is_plain = before
        return made

    def obj(self) -> Object:
        """An object, to go through on the way."""
        return any_object(self.choices, self.signature, "any", 1)

    def small(self, dom: Object, cod: Object) -> Morphism:
        """The identity, a projection, a constant, or a tuple or λ of arrows."""
        known = paths(dom, cod)
        wired = wires(dom, cod) if self.signature.arrays and not known else ()
        chosen = self.choices.below(len(known) + 1 + WIRED * len(known or wired))
        if chosen == len(known):
            return self._built(dom, cod)
        lead = known or wired
        return lead[chosen if chosen < len(known) else (chosen - 1) % len(lead)]

    def _built(self, dom: Object, cod: Object) -> Morphism:
        own = points_at(cod)
        if own is not None:
            point = as_element(self.choices.draw(own), cod)
            if isinstance(point, Literal):
                return Constant(dom, point)
            element: Morphism = point
            return element if dom is Unit else prod(dom) >> element
        part = self.small if self._is_plain else self.arrow
        match cod:
            case Tensor() if not self.signature.constants and not self._is_plain:
                return self.own(dom, cod) or reject()
            case Tensor():
                return Constant(dom, literal(self.choices, cod, special=self.special))
            case Product():
                return prod(dom, *(part(dom, below) for below in cod.parts))
            case Record(_, product):
                return part(dom, product) >> Relabel(product, cod)
            case Fun():
                return self.closure(dom, cod)
            case Vector(item, length):
                items = [part(dom, item) for _ in range(length)]
                alone = length == 1 and not isinstance(item, Product)
                given = items[0] if alone else prod(dom, *items)
                return given >> Primitive(Operation(VECTOR), (item,) * length)
            case Sum():
                index = self.choices.pick(self._alternatives(cod))
                return part(dom, cod.parts[index]) >> inject(cod, index)
            case Mu():
                self._rolled.append(cod)
                inside = self._built(dom, unfolded(cod))
                self._rolled.pop()
                return inside >> roll(cod)
            case _:
                raise TypeMismatch(
                    f"points of {cod!r} have no generator; "
                    "laws.strategies.register(object, strategy) gives them one"
                )

    def _alternatives(self, obj: Sum) -> list[int]:
        """Those that may be made here: in large values, those alone that hold no further ones."""
        every = list(range(len(obj.parts)))
        if len(self._rolled) <= CELLS:
            return every
        rolled = set(self._rolled)
        return [i for i in every if rolled.isdisjoint(distinct_nodes(obj.parts[i]))] or every

    def own(self, dom: Object, cod: Object) -> Morphism | None:
        """An arrow of the model's own, where it has one."""
        made = None if self.signature.own is None else self.signature.own(dom, cod)
        return None if made is None else self.choices.draw(made)

    def closure(self, dom: Object, cod: Fun) -> Morphism:
        """``curry`` of a body that sees what the closure captures."""
        context = dom if isinstance(dom, Product) else Product(dom)
        self._is_plain, before = False, self._is_plain
        body = Curry(self.arrow(context.snoc(cod.dom), cod.cod))
        self._is_plain = before
        return body if context is dom else prod(dom, Id(dom)) >> body

    def applied(self, operation: Operation, dom: Object, kinds: Sequence[Object]) -> Morphism:
        """A primitive of arguments of these types."""
        parts = [self.arrow(dom, kind) for kind in kinds]
        alone = len(parts) == 1 and not isinstance(kinds[0], Product)
        return (parts[0] if alone else prod(dom, *parts)) >> Primitive(operation, tuple(kinds))


Way = Callable[[Making, Object, Any], Morphism]


@lru_cache(maxsize=1 << 12)
def paths(dom: Object, cod: Object) -> tuple[Morphism, ...]:
    """The identity, and the projections, and theirs, that lead to ``cod``."""
    return (*([Id(dom)] if dom is cod else []), *_projections(dom, cod, 2))


@lru_cache(maxsize=1 << 12)
def wires(dom: Object, cod: Object) -> tuple[Morphism, ...]:
    """Arrows into a tensor to which no path leads: the sum of another, repeated."""
    if not isinstance(cod, Tensor) or not cod.is_smooth or not cod.size:
        return ()
    return tuple(step >> _spread(source, cod) for step, source in _tensors(dom, cod.dtype, 2))


def _spread(source: Tensor, cod: Tensor) -> Morphism:
    axes = (("axis", tuple(range(len(source.shape)))), ("keepdims", False))
    total = Primitive(Operation(named("sum"), axes), (source,)) if source.shape else Id(source)
    number = Tensor((), cod.dtype)
    if not cod.shape:
        return total
    return total >> Primitive(Operation(named("broadcast_to"), (("shape", cod.shape),)), (number,))


def _tensors(dom: Object, dtype: str, depth: int) -> Iterator[tuple[Morphism, Tensor]]:
    """The tensors in ``dom`` that hold numbers, with the projections to them."""
    if isinstance(dom, Tensor) and dom.dtype == dtype and dom.size:
        yield Id(dom), dom
    for index, part in enumerate((components(dom) or ()) if depth else ()):
        for rest, tensor in _tensors(part, dtype, depth - 1):
            yield Projection(dom, index) >> rest, tensor


def _projections(dom: Object, cod: Object, depth: int) -> Iterator[Morphism]:
    for index, part in enumerate(components(dom) or ()):
        step = Projection(dom, index)
        if part is cod:
            yield step
        if depth > 1:
            for rest in _projections(part, cod, depth - 1):
                yield step >> rest


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


def choice(make: Making, dom: Object, cod: Object) -> Morphism:
    """A conditional."""
    test = compared(make, dom, Bool)
    return prod(dom, test, Id(dom)) >> Choice(make.arrow(dom, cod), make.arrow(dom, cod))


def compared(make: Making, dom: Object, cod: Object) -> Morphism:
    """``x < y``."""
    return make.applied(Operation(named("less")), dom, (Real, Real))


def linear(choices: Choices, dom: Object, cod: Object, fuel: int) -> Morphism:
    """A linear map; where nothing leads to ``cod``, zero."""
    known = paths(dom, cod)
    product = components(cod)
    if known and (fuel <= 0 or not choices.below(2)):
        return choices.pick(known)
    if product is not None:
        made = prod(dom, *(linear(choices, dom, part, fuel - 1) for part in product.parts))
        return made >> Relabel(product, cod) if isinstance(cod, Record) else made
    assert isinstance(cod, Tensor)
    name = choices.pick(("zero", "multiply", "add") if fuel > 0 else ("zero",))
    if name == "zero":
        return Constant(dom, Literal(np.zeros(cod.shape, dtype=cod.dtype)))
    of = linear(choices, dom, cod, fuel - 1)
    again = name == "add"
    other = linear(choices, dom, cod, fuel - 1) if again else Constant(dom, literal(choices, cod))
    return prod(dom, of, other) >> Primitive(Operation(named(name)), (cod, cod))


def ending_in(
    operations: Mapping[str, int], dom: Object, cod: Object
) -> st.SearchStrategy[Morphism] | None:
    """Arrows whose last step is one of some operations on numbers; None where there is none."""
    numbers = paths(dom, Real)
    if cod is not Real or not numbers:
        return None

    def applied(name: str) -> st.SearchStrategy[Morphism]:
        kinds = (Real,) * operations[name]
        given = st.tuples(*(st.sampled_from(numbers) for _ in kinds))
        last = Primitive(Operation(named(name)), kinds)
        return given.map(lambda parts: (prod(dom, *parts) if len(parts) > 1 else parts[0]) >> last)

    return st.sampled_from(sorted(operations)).flatmap(applied)
