"""The free category: its arrows are the combinators, and a model's own arrows among them.

>>> from combinators.morphisms import Id, interpret
>>> from combinators.objects import Real
>>> interpret(Id(Real), FREE)
id
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from combinators import morphisms
from combinators.errors import TypeMismatch
from combinators.literal import Literal
from combinators.morphisms import Label, Morphism, Primitive, Projection
from combinators.objects import Fun, Object, Product
from combinators.operation import CONSTANT, PRIMITIVES, Operation, declare


class Free:
    """``interpret(f, Free())`` is f."""

    @property
    def category(self) -> Free:
        """Itself: it is its own model, as far as building arrows goes."""
        return self

    def identity(self, dom: Object) -> Morphism:
        """``id``."""
        return morphisms.Id(dom)

    def relabel(self, dom: Object, cod: Object) -> Morphism:
        """Between a record and its product."""
        return morphisms.Relabel(dom, cod)

    def compose(self, arrows: Sequence[Morphism]) -> Morphism:
        """``f >> g >> …``."""
        return morphisms.compose(*arrows)

    def prod(self, dom: Object, arrows: Sequence[Morphism]) -> Morphism:
        """``⟨f, g, …⟩``."""
        return morphisms.prod(dom, *arrows)

    def proj(self, dom: Object, index: int, cod: Object) -> Morphism:
        """``πᵢ``."""
        return morphisms.Projection(dom, index, cod)

    def extend(self, context: Product, arrow: Morphism) -> Morphism:
        """``⟨id, e⟩``."""
        return morphisms.Extend(arrow)

    def curry(self, captured: Product, function: Fun, body: Morphism, label: Label) -> Morphism:
        """``curry b``."""
        return morphisms.Curry(body, label.names, label.parameters, label.called)

    def eval(self, function: Fun) -> Morphism:
        """``eval``."""
        return morphisms.Eval(function)

    def const(self, dom: Object, value: Literal) -> Morphism:
        """``const c``."""
        return morphisms.Constant(dom, value)

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Morphism:
        """A primitive; its argument types are the components of ``dom``."""
        types = dom.parts if isinstance(dom, Product) else (dom,)
        return morphisms.Primitive(operation, types)

    def cond(self, dom: Object, then: Morphism, other: Morphism) -> Morphism:
        """``cond(f, g)``."""
        return morphisms.Choice(then, other)


FREE = Free()


def one_combinator(
    arrow: Morphism,
    category: Any,
    of: Callable[[Morphism], Any],
    obj: Callable[[Object], Object] = lambda obj: obj,
) -> Any:
    """An arrow in ``category``, given what its parts are there and what its objects are.

    It says again what ``interpret`` does, for laws that compare the two.
    """
    dom = obj(arrow.dom)
    match arrow:
        case morphisms.Id():
            return category.identity(dom)
        case morphisms.Relabel(_, target):
            relabel = getattr(category, "relabel", None)
            return category.identity(dom) if relabel is None else relabel(dom, obj(target))
        case morphisms.Compose(arrows):
            return category.compose([of(part) for part in arrows])
        case morphisms.Prod(_, arrows):
            return category.prod(dom, [of(part) for part in arrows])
        case morphisms.Projection(_, index):
            return category.proj(dom, index, obj(arrow.cod))
        case morphisms.Extend(bound):
            return category.extend(dom, of(bound))
        case morphisms.Curry(body, names, parameters, called):
            label = Label(names, body, parameters, called)
            return category.curry(dom, obj(arrow.cod), of(body), label)
        case morphisms.Eval(function):
            return category.eval(obj(function))
        case morphisms.Constant(_, literal):
            return category.const(dom, literal)
        case morphisms.Primitive(operation):
            meant, cod = instantiated(operation, obj), obj(arrow.cod)
            if not isinstance(dom, Product) or isinstance(arrow.dom, Product):
                return category.primitive(meant, dom, cod)
            alone = category.prod(dom, [category.identity(dom)])  # a variable that is a product
            return category.compose([alone, category.primitive(meant, Product(dom), cod)])
        case morphisms.Choice(then, other):
            return category.cond(dom, of(then), of(other))
        case _:
            raise TypeMismatch(f"{type(arrow).__name__} is no combinator")


def instantiated(operation: Operation, obj: Callable[[Object], Object]) -> Operation:
    """The operation at other objects: those that its parameters are."""
    said = tuple((k, obj(v) if isinstance(v, Object) else v) for k, v in operation.parameters)
    return operation if said == operation.parameters else Operation(operation.primitive, said)


def own(name: str, dom: Object, cod: Object, **parameters: Any) -> Morphism:
    """The arrow ``name[…] : dom → cod``; the primitive is declared by being asked for.

    A model's category gives its meaning: ``primitive(operation, dom, cod)`` finds the parameters,
    which have to be hashable, in ``operation.keywords``.

    >>> from combinators.objects import Real
    >>> own("matrix", Product(Real, Real), Real, rows=((1, 2),))
    matrix[rows=((1, 2),), cod=Real]
    """
    if name not in PRIMITIVES:
        declare(name, lambda *_, cod, **__: cod, CONSTANT)
    operation = Operation(PRIMITIVES[name], (*parameters.items(), ("cod", cod)))
    if not isinstance(dom, Product):
        return Primitive(operation, (dom,))
    if dom.width != 1 or isinstance(dom.parts[0], Product):
        return Primitive(operation, dom.parts)
    return Projection(dom, 0) >> Primitive(operation, dom.parts)
