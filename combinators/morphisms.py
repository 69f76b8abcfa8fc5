"""The free category: combinators as typed data, and ``interpret``, the map out of it.

>>> from combinators.objects import Real
>>> both = Product(Real, Real)
>>> prod(both, Projection(both, 1), Projection(both, 0)) >> Projection(both, 1) >> Id(Real)
⟨π1, π0⟩ >> π1
>>> Id(Real) >> Id(both)
Traceback (most recent call last):
    ...
combinators.errors.NotComposable: ...: cannot form f >> g: f ends in Real, g starts from Real × Real
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from combinators.category import Label, Programs
from combinators.errors import NotComposable, TypeMismatch
from combinators.kit.memory import uncollected
from combinators.kit.tree import Syntax, distinct_nodes, nodes_in
from combinators.literal import Literal
from combinators.objects import Bool, Fun, Object, Product, component, components
from combinators.operation import Operation

M = TypeVar("M")

_SHORT = 32
"""A product no wider is always looked into."""


class Morphism(Syntax):
    """An arrow ``dom → cod`` of the free category."""

    dom: Object
    cod: Object

    def _typed(self, dom: Object, cod: Object) -> None:
        known = self.__dict__
        known["dom"], known["cod"] = dom, cod

    def below(self) -> tuple[Morphism, ...]:
        """The arrows that it is made of, in order."""
        return tuple(nodes_in(self.arguments(), Morphism))

    def __rshift__(self, other: Morphism) -> Morphism:
        """``f >> g``: first f, then g."""
        return compose(self, other)


class Single(Morphism):
    """A combinator that is made of no others."""

    def below(self) -> tuple[Morphism, ...]:
        """None."""
        return ()


@dataclass(frozen=True, eq=False, repr=False)
class Id(Single):
    """``id : a → a``."""

    obj: Object

    def __post_init__(self) -> None:
        """Type it."""
        self._typed(self.obj, self.obj)


@dataclass(frozen=True, eq=False, repr=False)
class Compose(Morphism):
    """``f₁ >> f₂ >> …``, of two arrows or more, none of them a composite."""

    arrows: tuple[Morphism, ...]

    def __post_init__(self) -> None:
        """Every arrow starts where the one before it ends."""
        if len(self.arrows) < 2:
            raise TypeMismatch("a composite is of two arrows or more; of one it is that arrow")
        for f, g in zip(self.arrows, self.arrows[1:], strict=False):
            if f.cod is not g.dom:
                raise NotComposable(
                    f"cannot form f >> g: f ends in {f.cod!r}, g starts from {g.dom!r}"
                )
        self._typed(self.arrows[0].dom, self.arrows[-1].cod)

    def below(self) -> tuple[Morphism, ...]:
        """The arrows."""
        return self.arrows


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Prod(Morphism):
    """``⟨f₁, f₂, …⟩ : a → b₁ × b₂ × …``."""

    source: Object
    arrows: tuple[Morphism, ...]

    def __init__(self, source: Object, arrows: tuple[Morphism, ...]) -> None:
        """All arrows have one domain."""
        for arrow in arrows:
            if arrow.dom is not source:
                raise TypeMismatch(
                    f"cannot pair: an arrow starts from {arrow.dom!r}, not from {source!r}"
                )
        made = self.__dict__
        made["source"], made["arrows"] = source, arrows
        made["dom"], made["cod"] = source, Product(*[arrow.cod for arrow in arrows])

    def below(self) -> tuple[Morphism, ...]:
        """The arrows."""
        return self.arrows


@dataclass(frozen=True, eq=False, repr=False)
class Relabel(Single):
    """The identity between a record and its product, in either direction."""

    source: Object
    target: Object

    def __post_init__(self) -> None:
        """Both have the same components."""
        if components(self.source) is not components(self.target):
            raise TypeMismatch(f"{self.source!r} and {self.target!r} have other components")
        self._typed(self.source, self.target)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Projection(Single):
    """``πᵢ`` out of a product, a record, a vector or a context."""

    product: Object
    index: int
    obj: Object | None = None

    def __init__(self, product: Object, index: int, obj: Object | None = None) -> None:
        """``obj``, where the caller knows it, saves the walk along a long context."""
        known, of = obj, components(product)
        if known is None or of is None or of.width <= _SHORT or index < 0:
            known = component(product, index)
        elif index >= of.width:
            raise TypeMismatch(f"{product!r} has no component {index}")
        if obj is not None and obj is not known:
            raise TypeMismatch(f"component {index} of {product!r} is {known!r}, not {obj!r}")
        made = self.__dict__
        made["product"], made["index"], made["obj"] = product, index, known
        made["dom"], made["cod"] = product, known


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Extend(Morphism):
    """``⟨id, e⟩ : Γ → Γ·A``, flattened, of ``e : Γ → A``."""

    arrow: Morphism

    def __init__(self, arrow: Morphism) -> None:
        """Γ is a product."""
        dom = arrow.dom
        if not isinstance(dom, Product):
            raise TypeMismatch(f"only a context can be extended, not {dom!r}")
        made = self.__dict__
        made["arrow"], made["dom"], made["cod"] = arrow, dom, dom.snoc(arrow.cod)

    @property
    def context(self) -> Product:
        """The context with what is bound at its end."""
        assert isinstance(self.cod, Product)
        return self.cod

    def below(self) -> tuple[Morphism, ...]:
        """What is bound."""
        return (self.arrow,)


@dataclass(frozen=True, eq=False, repr=False)
class Curry(Morphism):
    """``curry b : Γ → (a ⇒ b)`` of ``b : Γ·a → b``: it splits off the last component."""

    body: Morphism
    names: tuple[str, ...] = field(default=(), compare=False)
    parameters: tuple[str, ...] = field(default=(), compare=False)
    called: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """The body starts from a context that is not empty."""
        context = self.body.dom
        if not isinstance(context, Product) or context.init is None or context.last is None:
            raise TypeMismatch(f"curry splits off a last component, and {context!r} has none")
        self._typed(context.init, Fun(context.last, self.body.cod))

    def below(self) -> tuple[Morphism, ...]:
        """The body."""
        return (self.body,)


@dataclass(frozen=True, eq=False, repr=False)
class Eval(Single):
    """``eval : (a ⇒ b) × a → b``."""

    function: Fun

    def __post_init__(self) -> None:
        """Type it."""
        self._typed(Product(self.function, self.function.dom), self.function.cod)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Constant(Single):
    """``const c : a → τ``."""

    source: Object
    literal: Literal

    def __init__(self, source: Object, literal: Literal) -> None:
        """Type it."""
        made = self.__dict__
        made["source"], made["literal"] = source, literal
        made["dom"], made["cod"] = source, literal.type


@dataclass(frozen=True, eq=False, repr=False)
class Primitive(Single):
    """A primitive operation, from its one argument or from the product of several.

    One argument that is itself a product stands in a product of one.
    """

    operation: Operation
    arguments_: tuple[Object, ...]

    def __post_init__(self) -> None:
        """By the primitive's own rule."""
        several = self.arguments_
        alone = len(several) == 1 and not isinstance(several[0], Product)
        dom = several[0] if alone else Product(*several)
        self._typed(dom, self.operation.type(*several))


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Morphism):
    """``cond(f, g) : Bool × Γ → τ``, lazily."""

    then: Morphism
    other: Morphism

    def __post_init__(self) -> None:
        """Both branches are parallel."""
        if self.then.dom is not self.other.dom or self.then.cod is not self.other.cod:
            raise TypeMismatch(
                f"the branches of a cond are parallel, but these go {self.then.dom!r} → "
                f"{self.then.cod!r} and {self.other.dom!r} → {self.other.cod!r}"
            )
        self._typed(Product(Bool, self.then.dom), self.then.cod)

    def below(self) -> tuple[Morphism, ...]:
        """The branches."""
        return self.then, self.other


def compose(*arrows: Morphism) -> Morphism:
    """First the first, then the next; associative and unital on the nose."""
    if not arrows:
        raise TypeMismatch("compose takes an arrow or more; of none, write Id(obj)")
    if len(arrows) == 1:
        return arrows[0]
    flat: list[Morphism] = []
    before: Morphism | None = None
    for arrow in arrows:
        if before is not None and before.cod is not arrow.dom:
            raise NotComposable(
                f"cannot form f >> g: f ends in {before.cod!r}, g starts from {arrow.dom!r}"
            )
        before = arrow
        if isinstance(arrow, Compose):
            flat += arrow.arrows
        elif not isinstance(arrow, Id):
            flat.append(arrow)
    if len(flat) > 1:
        return _composite(tuple(flat))
    return flat[0] if flat else arrows[0]


def _composite(arrows: tuple[Morphism, ...]) -> Compose:
    """Arrows of which it is known that they compose."""
    made: Compose = object.__new__(Compose)
    made.__dict__["arrows"] = arrows
    made._typed(arrows[0].dom, arrows[-1].cod)
    return made


def prod(dom: Object, *arrows: Morphism) -> Morphism:
    """``⟨f, g, …⟩`` of arrows from ``dom``."""
    return Prod(dom, arrows)


def interpret(program: Morphism, category: Programs[M]) -> M:
    """The structure-preserving map from the free category to ``category``.

    It visits every distinct arrow once, with a stack of its own. Between a record and its product
    stands the category's identity, or its ``relabel(source, target)``, where it has one.
    """
    if not isinstance(program, Morphism):
        raise TypeMismatch(f"interpret takes an arrow of the free category, not {program!r:.60}")
    meaning: dict[int, M] = {}
    with uncollected():
        for node in distinct_nodes(program, kind=Morphism):
            # By class: a match would ask for most, and there are as many arrows as operations.
            interpreted = _INTERPRETED.get(type(node))
            if interpreted is None:
                raise TypeMismatch(f"{type(node).__name__} is no combinator")
            meaning[id(node)] = interpreted(node, category, meaning)
    return meaning[id(program)]


def _relabel(node: Relabel, category: Programs[M], _: dict[int, M]) -> M:
    relabel: Callable[[Object, Object], M] | None = getattr(category, "relabel", None)
    if relabel is None:
        return category.identity(node.source)
    return relabel(node.source, node.target)


def _curry(node: Any, category: Programs[M], of: dict[int, M]) -> M:
    label = Label(node.names, node.body, node.parameters, node.called)
    return category.curry(node.dom, node.cod, of[id(node.body)], label)


_INTERPRETED: dict[type, Callable[..., Any]] = {
    Id: lambda node, category, _: category.identity(node.obj),
    Relabel: _relabel,
    Compose: lambda node, category, of: category.compose([of[id(f)] for f in node.arrows]),
    Prod: lambda node, category, of: category.prod(node.source, [of[id(f)] for f in node.arrows]),
    Projection: lambda node, category, _: category.proj(node.product, node.index, node.cod),
    Extend: lambda node, category, of: category.extend(node.dom, of[id(node.arrow)]),
    Curry: _curry,
    Eval: lambda node, category, _: category.eval(node.function),
    Constant: lambda node, category, _: category.const(node.source, node.literal),
    Primitive: lambda node, category, _: category.primitive(node.operation, node.dom, node.cod),
    Choice: lambda node, category, of: category.cond(
        node.dom, of[id(node.then)], of[id(node.other)]
    ),
}
"""What each combinator is in a category, given what those below it are there."""
