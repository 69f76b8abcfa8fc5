"""The category that hosts a mode's arrows beside functions of its values, such as derivatives.

``R[f]`` of a mode that runs is a function of points and covectors and no arrow of the mode. The
host holds both: what is built of the mode's arrows is one of them, all else runs point by point.
So does what makes an arrow of a program by another way: staging, bulk operations, emitted Python,
formulas of SymPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from combinators.bulk import bulk
from combinators.errors import NotDifferentiable
from combinators.literal import Literal
from combinators.morphisms import Label, Morphism, interpret
from combinators.objects import Fun, Object, Product, Real, Tensor, components
from combinators.operation import Operation, named
from combinators.primitives.structural import PLUS, ZEROS
from combinators.terms import Lam
from combinators.translate import translate
from combinators.type_folds import columns_of
from combinators.value_folds import Layout, map_leaves
from diffcurry.leaves import SCALARS
from interpreters.backends.python import compile_program
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.numpy import NumPy
from interpreters.execution.machine import Arrow
from interpreters.execution.running import Running
from interpreters.modes.primal import Primal
from interpreters.staging.programs import value
from laws.free import FREE
from laws.model import name_of
from laws.writing import term_of


@dataclass(frozen=True, eq=False)
class Hosted:
    """``dom → cod``: a function of values; where there are, the mode's arrow and its program."""

    dom: Object
    cod: Object
    at: Callable[[Any], Any]
    arrow: Arrow | None = None
    program: Morphism | None = None


def _part(given: Any, which: str) -> Any:
    """Of hosted arrows what they are in the mode, or in the free category."""
    if isinstance(given, list | tuple):
        return [_part(one, which) for one in given]
    found = getattr(given, which) if isinstance(given, Hosted) else given
    if found is None:
        raise NotDifferentiable("only what a mode interprets is a body of its λs and branches")
    return found


def _both(name: str) -> Callable[..., Hosted]:
    """A combinator of the mode, and of the free category beside it."""

    def combinator(self: Host, *given: Any) -> Hosted:
        mine, free = ([_part(one, which) for one in given] for which in ("arrow", "program"))
        return self.own(getattr(self.mode, name)(*mine), getattr(FREE, name)(*free))

    return combinator


class Host:
    """The combinators of a mode, and of functions on its values."""

    def __init__(self, mode: Running, at: Callable[[Arrow, Any], Any]) -> None:
        """``at`` gives the value of one of the mode's arrows at a point."""
        self.mode, self._at = mode, at

    identity, relabel, proj, extend = map(_both, ("identity", "relabel", "proj", "extend"))
    eval, const, primitive, cond = map(_both, ("eval", "const", "primitive", "cond"))
    _composed, _paired = map(_both, ("compose", "prod"))

    def own(self, arrow: Arrow, program: Morphism) -> Hosted:
        """An arrow of the mode."""
        return Hosted(
            program.dom, program.cod, lambda point: self._at(arrow, point), arrow, program
        )

    def compose(self, arrows: Sequence[Hosted]) -> Hosted:
        """The mode's, or one function after another."""
        if all(arrow.arrow is not None for arrow in arrows):
            return self._composed(arrows)

        def at(point: Any) -> Any:
            for arrow in arrows:
                point = arrow.at(point)
            return point

        return Hosted(arrows[0].dom, arrows[-1].cod, at)

    def prod(self, dom: Object, arrows: Sequence[Hosted]) -> Hosted:
        """The mode's, or a tuple of what the functions give."""
        if all(arrow.arrow is not None for arrow in arrows):
            return self._paired(dom, arrows)
        cod = Product(*(arrow.cod for arrow in arrows))
        return Hosted(dom, cod, lambda point: tuple(arrow.at(point) for arrow in arrows))

    def curry(self, captured: Product, function: Fun, body: Hosted, label: Label) -> Hosted:
        """A closure; of the mode's own arrows alone. Variables without names are named by place."""
        arrow, program = _part(body, "arrow"), _part(body, "program")
        names = label.names or tuple(f"x{place}" for place in range(captured.width))
        return self.own(
            self.mode.curry(captured, function, arrow, Label(names, program)),
            FREE.curry(captured, function, program, label),
        )


class ArrowModel:
    """A model whose arrows are added and scaled by combinators and the language's primitives."""

    category: Any

    def __repr__(self) -> str:
        """Its name."""
        return f"<{name_of(self)}>"

    def types(self, arrow: Any) -> tuple[Object, Object]:
        """The domain and the codomain."""
        return arrow.dom, arrow.cod

    def applied(self, operation: Operation, cod: Object, dom: Object, *arrows: Any) -> Any:
        """A primitive of what arrows give."""
        category = self.category
        given = arrows[0] if len(arrows) == 1 else category.prod(dom, list(arrows))
        return category.compose([given, category.primitive(operation, given.cod, cod)])

    def add(self, left: Any, right: Any, dom: Object, cod: Object) -> Any:
        """``f + g``: by the language's own ``plus``."""
        return self.applied(Operation(PLUS), cod, dom, left, right)

    def zero(self, dom: Object, cod: Object) -> Any:
        """``0``: by the language's own ``zeros``."""
        return self.applied(Operation(ZEROS, (("of", cod),)), cod, dom)

    def scale(self, number: Any, arrow: Any, dom: Object, cod: Object) -> Any:
        """``λ · f``, component by component."""
        product = components(cod)
        if product is None:
            factor = self._converted(number, cod, dom)
            return self.applied(Operation(named("multiply")), cod, dom, factor, arrow)
        parts = [self.scale(number, part, dom, part.cod) for part in self._components(arrow)]
        made = self.category.prod(dom, parts)
        if product is cod:
            return made
        return self.category.compose([made, self.category.relabel(product, cod)])

    def inner(self, left: Any, right: Any, dom: Object, obj: Object) -> Any:
        """``⟨f, g⟩``: the sum of the products of all components."""
        total = self.category.const(dom, Literal(0.0))
        for product in self._products(left, right, dom, obj):
            total = self.add(total, product, dom, Real)
        return total

    def _products(self, left: Any, right: Any, dom: Object, obj: Object) -> Iterator[Any]:
        if components(obj) is not None:
            pairs = zip(self._components(left), self._components(right), strict=True)
            for one, other in pairs:
                yield from self._products(one, other, dom, one.cod)
        elif isinstance(obj, Tensor) and obj.is_smooth:
            product = self.applied(Operation(named("multiply")), obj, dom, left, right)
            if obj.shape:
                axes = (("axis", tuple(range(len(obj.shape)))), ("keepdims", False))
                total = Tensor((), obj.dtype)
                product = self.applied(Operation(named("sum"), axes), total, dom, product)
            yield self._converted(product, Real, dom)

    def _converted(self, number: Any, obj: Object, dom: Object) -> Any:
        """A number of the kind of a tensor."""
        if not isinstance(obj, Tensor) or number.cod.dtype == obj.dtype:
            return number
        convert = Operation(named("convert"), (("dtype", obj.dtype),))
        return self.applied(convert, Tensor((), obj.dtype), dom, number)

    def _components(self, arrow: Any) -> list[Any]:
        category = self.category
        parts = enumerate(columns_of(arrow.cod) or ())
        return [category.compose([arrow, category.proj(arrow.cod, i, p)]) for i, p in parts]


Way = Callable[[Morphism], Hosted]


def ways_of(carrier: Carrier) -> dict[str, Way]:
    """The ways that give values of this carrier, by name."""
    ways = {
        "sympy": formula_over(carrier),
        "staged": rewritten_over(carrier, value),
        "bulk": rewritten_over(carrier, bulk),
    }
    return {**ways, "python": python} if isinstance(carrier, NumPy) else ways


def rewritten_over(carrier: Carrier, rewrite: Callable[[Lam], Lam]) -> Way:
    """What ``rewrite`` makes of the program, interpreted."""
    mode = Primal(carrier)

    def way(program: Morphism) -> Hosted:
        lam = rewrite(term_of(program))
        arrow = interpret(translate(lam.params, lam.body), mode)
        return Hosted(program.dom, program.cod, lambda point: mode.value(arrow, (point,)))

    return way


def python(program: Morphism) -> Hosted:
    """The program as Python that stands alone; of first-order programs."""
    function = compile_program(term_of(program)).function

    def across(value: Any, obj: Object, way: int) -> Any:
        """A value as emitted code takes it, or back: scalars are Python's there."""

        def number(leaf: Object, x: Any) -> Any:
            return SCALARS[leaf][way](x) if leaf in SCALARS else x

        return map_leaves(number, obj, value, parts=columns_of)

    def at(point: Any) -> Any:
        with np.errstate(all="ignore"):
            return across(function(across(point, program.dom, 0)), program.cod, 1)

    return Hosted(program.dom, program.cod, at)


def formula_over(carrier: Carrier) -> Way:
    """The program as a formula, at a point by putting its numbers for the symbols."""

    def way(program: Morphism) -> Hosted:
        import sympy

        from diffcurry.formula import formula
        from interpreters.modes.symbols import Symbols, expressions_in

        lam = term_of(program)
        (param,) = lam.params
        symbol = Symbols([param.name]).of(param.name, param.type)
        symbols = list(expressions_in(symbol, "of an argument"))
        found = list(_expressions(formula(lam, definitions=False)))
        dom, cod = Layout(program.dom), Layout(program.cod)

        def at(point: Any) -> Any:
            told = [x for leaf in dom.flat(point) for x in np.ravel(carrier.lower(leaf))]
            numbers = (sympy.Rational(x.item() if isinstance(x, np.generic) else x) for x in told)
            given = dict(zip(symbols, numbers, strict=True))
            values = iter([_number(expression.xreplace(given)) for expression in found])
            return cod.nested(_lifted(carrier, leaf, values) for leaf in cod.leaves)

        return Hosted(program.dom, program.cod, at)

    return way


def _expressions(shown: Any) -> Iterator[Any]:
    """The numbers of a formula, in order: of arrays and tuples their elements."""
    if isinstance(shown, tuple | dict):
        for part in shown.values() if isinstance(shown, dict) else shown:
            yield from _expressions(part)
    elif hasattr(shown, "shape"):
        yield from shown.flat() if callable(getattr(shown, "flat", None)) else shown
    else:
        yield shown


def _number(expression: Any) -> Any:
    """An expression without symbols as a number of Python."""
    value = expression.doit()
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else float(value)


def _lifted(carrier: Carrier, leaf: Object, numbers: Iterator[Any]) -> Any:
    """The next numbers as a tensor of the carrier."""
    assert isinstance(leaf, Tensor)
    array = np.empty(leaf.shape, dtype=object)
    for index in np.ndindex(leaf.shape):
        array[index] = next(numbers)
    return carrier.lift(array, leaf)
