"""The model in which derivatives are programs: arrows of the free category, derived as terms.

``D[f]`` and ``R[f]`` are arrows of the free category again, written by the staged modes
(``interpreters.staging.programs``), simplified, and translated back. So both iterate, and the laws
of second and third derivatives are asked here, of programs that hold closures, choices and loops.
Beside it stand our algorithms: one gradient by every mode, and by the programs that they write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np

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
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback, Reverse
from interpreters.sparse_cotangents import dense, sparse
from interpreters.staging.programs import pullback, pushforward
from interpreters.staging.terms import TERMS
from laws.free import FREE
from laws.writing import term_of

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


def gradients(
    carrier: Carrier, program: Morphism, point: Any, covector: Any
) -> dict[str, Iterator[Any]]:
    """``R[f](a, w)`` of an arrow between vectors, its numbers in order."""
    modes: tuple[Reverse | Deltas, ...] = (Dependent(carrier), Pullback(carrier), Deltas(carrier))
    found = {
        type(mode).__name__: _elements(
            carrier, _pulled(carrier, mode, program, point, covector), program.dom
        )
        for mode in modes
    }
    found["Pushforward"] = _by_forward(carrier, program, point, covector)
    forms: dict[str, Form] = {"program": Dependent, "delta program": Deltas}
    for name, form in forms.items():
        pulled = _by_program(carrier, form, program, point, covector)
        found[name] = _elements(carrier, pulled, program.dom)
    return found


def _pulled(
    carrier: Carrier, mode: Reverse | Deltas, program: Morphism, point: Any, covector: Any
) -> Any:
    pulled = mode.rep(interpret(program, mode), point)[1](sparse(covector, program.cod))
    return dense(carrier, pulled, program.dom)


def _by_program(carrier: Carrier, form: Form, program: Morphism, point: Any, covector: Any) -> Any:

    gradient = Programs(carrier, form).R(program, program.dom, program.cod)
    return interpret(gradient, Primal(carrier)).run((point, covector))


def _by_forward(carrier: Carrier, program: Morphism, point: Any, covector: Any) -> Iterator[Any]:
    """A number of the gradient for each basis vector."""
    mode = Pushforward(carrier)
    arrow = interpret(program, mode)
    weights = list(_elements(carrier, covector, program.cod))
    for vector in _basis(carrier, program.dom):
        tangent = _filled(carrier, mode.push(arrow, point, vector)[1], program.cod)
        moved = list(_elements(carrier, tangent, program.cod))
        products = (x * y for x, y in zip(moved, weights, strict=True))
        yield reduce(carrier.add, products, carrier.const(Literal(0.0)))


def _filled(carrier: Carrier, tangent: Any, obj: Object) -> Any:
    product = components(obj)
    if product is None:
        return dense(carrier, tangent, obj)
    parts = tangent or (None,) * product.width
    return tuple(_filled(carrier, t, part) for t, part in zip(parts, product.parts, strict=True))


def _elements(carrier: Carrier, value: Any, obj: Object) -> Iterator[Any]:
    product = components(obj)
    if product is not None:
        for part, below in zip(value, product.parts, strict=True):
            yield from _elements(carrier, part, below)
    else:
        yield from np.asarray(value).flat


def _basis(carrier: Carrier, obj: Object) -> Iterator[Any]:
    """The unit vectors."""
    product = components(obj)
    if product is not None:
        for at, part in enumerate(product.parts):
            for unit in _basis(carrier, part):
                yield tuple(unit if i == at else None for i in range(product.width))
    elif isinstance(obj, Tensor):
        for index in np.ndindex(obj.shape):
            one = np.zeros(obj.shape, dtype=obj.dtype)
            one[index] = 1
            yield carrier.const(Literal(one))
