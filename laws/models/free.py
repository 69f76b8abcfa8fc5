"""The free category as a category: its arrows are the combinators themselves.

>>> from combinators.morphisms import Id, interpret
>>> from combinators.objects import Real
>>> interpret(Id(Real), FREE)
id
"""

from __future__ import annotations

from collections.abc import Sequence

from combinators import morphisms
from combinators.category import Label
from combinators.literal import Literal
from combinators.morphisms import Morphism
from combinators.objects import Fun, Object, Product
from combinators.operation import Operation


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
