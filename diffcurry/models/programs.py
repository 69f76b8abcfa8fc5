"""The model in which derivatives are programs: arrows of the free category, derived as terms.

``D[f]`` and ``R[f]`` are arrows of the free category again, written by the staged modes
(``interpreters.staging.programs``), simplified, and translated back. So both iterate, and the laws
of second and third derivatives are asked here, of programs that hold closures, choices and loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from combinators.errors import NotDifferentiable, WrongMode
from combinators.literal import Literal
from combinators.morphisms import (
    Constant,
    Morphism,
    Primitive,
    Projection,
    Relabel,
    interpret,
    prod,
)
from combinators.objects import Object, Product, Real, Tensor, components
from combinators.operation import Operation, named
from combinators.primitives.structural import PLUS, ZEROS
from combinators.simplify import simplify
from combinators.terms import App, Lam, Proj, Var
from combinators.translate import translate
from combinators.type_folds import moves, tangent_of
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.terms import TERMS
from interpreters.modes.delta import Deltas
from interpreters.modes.dependent import Dependent
from interpreters.modes.primal import Primal
from interpreters.reverse import Reverse
from interpreters.staging.programs import pullback, pushforward
from laws.models.free import FREE
from laws.models.written import term_of

Form = Callable[[Any], Reverse | Deltas]
"""A reverse mode: ``Dependent``, ``Pullback`` or ``Deltas``."""


class Programs:
    """The free category over a carrier; derivatives by terms, in the reverse mode ``form``.

    >>> from combinators.morphisms import Id
    >>> from interpreters.carriers.fractions import Fractions
    >>> programs = Programs(Fractions())
    >>> times = Primitive(Operation(named("multiply")), (Real, Real))
    >>> square = prod(Real, Id(Real), Id(Real)) >> times
    >>> programs.run(programs.R(square, Real, Real), (3, 1)) == 6
    True
    """

    category = FREE
    iterates = True
    """Derivatives are arrows that have derivatives."""

    def __init__(self, carrier: Carrier, form: Form = Dependent) -> None:
        """``carrier`` computes what programs give."""
        self.form, self._primal = form, Primal(carrier)
        self.name = f"Programs by {form.__name__} over {type(carrier).__name__}"

    def __repr__(self) -> str:
        """Its name."""
        return f"<{self.name}>"

    def types(self, arrow: Morphism) -> tuple[Object, Object]:
        """The domain and the codomain."""
        return arrow.dom, arrow.cod

    def run(self, arrow: Morphism, point: Any) -> Any:
        """What ``arrow`` computes at ``point``."""
        return interpret(arrow, self._primal).run(point)

    def D(self, arrow: Morphism, dom: Object, cod: Object) -> Morphism:
        """``D[f] : A × T A → T B``: the second component of the pushforward's program."""
        if not moves(cod):
            return self.zero(Product(dom, tangent_of(dom)), tangent_of(cod))
        both = pushforward(term_of(arrow))
        moved = Lam(both.params, Proj(1, both.body))
        return program(moved)

    def R(self, arrow: Morphism, dom: Object, cod: Object) -> Morphism:
        """``R[f] : A × T B → T A``: what the pullback's program gives of a covector."""
        both = self._pullback(term_of(arrow))
        x, dy = Var("x", both.dom), Var("w", tangent_of(cod))
        pulled = App(Proj(1, App(both, x)), dy)
        return program(Lam((x, dy), Proj(0, pulled)))

    def _pullback(self, lam: Lam) -> Lam:
        try:
            return pullback(lam, (0,), self.form(TERMS))
        except WrongMode as error:
            raise NotDifferentiable(*error.args) from error

    def add(self, left: Morphism, right: Morphism, dom: Object, cod: Object) -> Morphism:
        """``f + g``: by the language's own ``plus``."""
        return prod(dom, left, right) >> Primitive(Operation(PLUS), (cod, cod))

    def zero(self, dom: Object, cod: Object) -> Morphism:
        """``0``: by the language's own ``zeros``."""
        return prod(dom) >> Primitive(Operation(ZEROS, (("of", cod),)), ())

    def scale(self, number: Morphism, arrow: Morphism, dom: Object, cod: Object) -> Morphism:
        """``λ · f``, component by component."""
        product = components(cod)
        if product is None:
            return prod(dom, number, arrow) >> Primitive(Operation(named("multiply")), (Real, cod))
        parts = (arrow >> Projection(cod, index) for index in range(product.width))
        scaled = (self.scale(number, part, dom, part.cod) for part in parts)
        made = prod(dom, *scaled)
        return made if product is cod else made >> Relabel(product, cod)

    def inner(self, left: Morphism, right: Morphism, dom: Object, obj: Object) -> Morphism:
        """``⟨f, g⟩``: the sum of the products of all components."""
        total: Morphism = Constant(dom, Literal(0.0))
        for product in _products(left, right, obj):
            total = self.add(total, product, dom, Real)
        return total


def program(lam: Lam) -> Morphism:
    """A closed λ as an arrow from the product of its parameters, simplified."""
    small = simplify(lam)
    return translate(small.params, small.body)


def _products(left: Morphism, right: Morphism, obj: Object) -> Iterator[Morphism]:
    product = components(obj)
    if product is not None:
        for index, part in enumerate(product.parts):
            pick = Projection(obj, index)
            yield from _products(left >> pick, right >> pick, part)
    elif isinstance(obj, Tensor) and obj.is_smooth:
        times = Primitive(Operation(named("multiply")), (obj, obj))
        axes = (("axis", tuple(range(len(obj.shape)))), ("keepdims", False))
        total = Primitive(Operation(named("sum"), axes), (obj,))
        yield prod(left.dom, left, right) >> times >> total
