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
from combinators.morphisms import Morphism, interpret
from combinators.objects import Object, Product, Tensor
from combinators.simplify import simplify
from combinators.terms import App, Lam, Proj, Var
from combinators.translate import translate
from combinators.type_folds import columns_of, moves, tangent_of
from combinators.value_folds import Layout, zip_leaves
from diffcurry.models.host import ArrowModel
from interpreters.carriers.carrier import Carrier
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback, Reverse
from interpreters.sparse_cotangents import dense, sparse
from interpreters.staging.programs import pullback, pushforward
from interpreters.staging.terms import TERMS
from laws.free import FREE
from laws.model import Signature
from laws.writing import term_of

Form = Callable[[Any], Reverse | Deltas]
"""A reverse mode: ``Dependent``, ``Pullback`` or ``Deltas``."""


class Programs(ArrowModel):
    """The free category over a carrier; derivatives by terms, in the reverse mode ``form``.

    >>> from combinators.morphisms import Id, Primitive, prod
    >>> from combinators.objects import Real
    >>> from combinators.operation import Operation, named
    >>> from interpreters.carriers.fractions import Fractions
    >>> programs = Programs(Fractions())
    >>> times = Primitive(Operation(named("multiply")), (Real, Real))
    >>> square = prod(Real, Id(Real), Id(Real)) >> times
    >>> programs.run(programs.R(square, Real, Real), (3, 1)) == 6
    True
    """

    category = FREE
    signature = Signature(sums=True, recursion=True)
    iterates = True
    """Derivatives are arrows that have derivatives."""

    def __init__(self, carrier: Carrier, form: Form = Dependent) -> None:
        """``carrier`` computes what programs give."""
        self.form, self._primal = form, Primal(carrier)
        self.name = f"Programs by {form.__name__} over {type(carrier).__name__}"

    def run(self, arrow: Morphism, point: Any) -> Any:
        """What ``arrow`` computes at ``point``."""
        return interpret(arrow, self._primal).run(point)

    def D(self, arrow: Morphism, dom: Object, cod: Object) -> Morphism:
        """``D[f] : A × T A → T B``: the second component of the pushforward's program."""
        if not moves(cod):
            zero: Morphism = self.zero(Product(dom, tangent_of(dom)), tangent_of(cod))
            return zero
        both = pushforward(term_of(arrow))
        return program(Lam(both.params, Proj(1, both.body)))

    def R(self, arrow: Morphism, dom: Object, cod: Object) -> Morphism:
        """``R[f] : A × T B → T A``: what the pullback's program gives of a covector."""
        try:
            both = pullback(term_of(arrow), (0,), self.form(TERMS))
        except WrongMode as error:
            raise NotDifferentiable(*error.args) from error
        x, dy = Var("x", both.dom), Var("w", tangent_of(cod))
        return program(Lam((x, dy), Proj(0, App(Proj(1, App(both, x)), dy))))


def program(lam: Lam) -> Morphism:
    """A closed λ as an arrow from the product of its parameters, simplified."""
    small = simplify(lam)
    return translate(small.params, small.body)


def gradients(
    carrier: Carrier, program: Morphism, point: Any, covector: Any
) -> dict[str, Iterator[Any]]:
    """``R[f](a, w)`` of an arrow between vectors by every algorithm, its numbers in order."""

    def by_mode(mode: Reverse | Deltas) -> Iterator[Any]:
        pulled = mode.rep(interpret(program, mode), point)[1](sparse(covector, program.cod))
        return _elements(dense(carrier, pulled, program.dom), program.dom)

    def by_program(form: Form) -> Iterator[Any]:
        gradient = Programs(carrier, form).R(program, program.dom, program.cod)
        return _elements(interpret(gradient, Primal(carrier)).run((point, covector)), program.dom)

    modes: tuple[Reverse | Deltas, ...] = (Dependent(carrier), Pullback(carrier), Deltas(carrier))
    return {
        **{type(mode).__name__: by_mode(mode) for mode in modes},
        "Pushforward": _by_forward(carrier, program, point, covector),
        "program": by_program(Dependent),
        "delta program": by_program(Deltas),
    }


def _by_forward(carrier: Carrier, program: Morphism, point: Any, covector: Any) -> Iterator[Any]:
    """A number of the gradient for each unit vector."""
    mode, zero = Pushforward(carrier), carrier.const(Literal(0.0))
    arrow = interpret(program, mode)
    weights = list(_elements(covector, program.cod))
    for vector in _units(carrier, Layout(program.dom)):
        tangent = mode.push(arrow, point, vector)[1]
        told = zip_leaves(program.cod, tangent, parts=columns_of)
        moved = [x for leaf, part in told for x in np.ravel(dense(carrier, part, leaf))]
        yield reduce(carrier.add, (x * y for x, y in zip(moved, weights, strict=True)), zero)


def _elements(value: Any, obj: Object) -> Iterator[Any]:
    return (x for leaf in Layout(obj).flat(value) for x in np.asarray(leaf).flat)


def _units(carrier: Carrier, layout: Layout) -> Iterator[Any]:
    for place, leaf in enumerate(layout.leaves):
        assert isinstance(leaf, Tensor)
        for index in np.ndindex(leaf.shape):
            one = np.zeros(leaf.shape, dtype=leaf.dtype)
            one[index] = 1
            leaves = [None] * len(layout.leaves)
            leaves[place] = carrier.const(Literal(one))
            yield layout.nested(leaves)
