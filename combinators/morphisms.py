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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from combinators.category import Label, Programs
from combinators.errors import NotComposable, TypeMismatch
from combinators.kit.collector import uncollected
from combinators.kit.tree import Syntax, distinct_nodes
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
        object.__setattr__(self, "dom", dom)
        object.__setattr__(self, "cod", cod)

    def __rshift__(self, other: Morphism) -> Morphism:
        """``f >> g``: first f, then g."""
        return compose(self, other)

    def __repr__(self) -> str:
        """In one line, as on paper."""
        from combinators.printing import morphism_line

        return morphism_line(self)

    def __str__(self) -> str:
        """A line a step."""
        from combinators.printing import morphism_text

        return morphism_text(self)


@dataclass(frozen=True, eq=False, repr=False)
class Id(Morphism):
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


@dataclass(frozen=True, eq=False, repr=False)
class Prod(Morphism):
    """``⟨f₁, f₂, …⟩ : a → b₁ × b₂ × …``."""

    source: Object
    arrows: tuple[Morphism, ...]

    def __post_init__(self) -> None:
        """All arrows have one domain."""
        for arrow in self.arrows:
            if arrow.dom is not self.source:
                raise TypeMismatch(
                    f"cannot pair: an arrow starts from {arrow.dom!r}, not from {self.source!r}"
                )
        self._typed(self.source, Product(*(arrow.cod for arrow in self.arrows)))


@dataclass(frozen=True, eq=False, repr=False)
class Relabel(Morphism):
    """The identity between a record and its product, in either direction."""

    source: Object
    target: Object

    def __post_init__(self) -> None:
        """Both have the same components."""
        if components(self.source) is not components(self.target):
            raise TypeMismatch(f"{self.source!r} and {self.target!r} have other components")
        self._typed(self.source, self.target)


@dataclass(frozen=True, eq=False, repr=False)
class Projection(Morphism):
    """``πᵢ`` out of a product, a record, a vector or a context."""

    product: Object
    index: int
    obj: Object | None = None

    def __post_init__(self) -> None:
        """``obj``, where the caller knows it, saves the walk along a long context."""
        known, product = self.obj, components(self.product)
        if known is None or product is None or product.width <= _SHORT or self.index < 0:
            known = component(self.product, self.index)
        elif self.index >= product.width:
            raise TypeMismatch(f"{self.product!r} has no component {self.index}")
        if self.obj is not None and self.obj is not known:
            raise TypeMismatch(
                f"component {self.index} of {self.product!r} is {known!r}, not {self.obj!r}"
            )
        object.__setattr__(self, "obj", known)
        self._typed(self.product, known)


@dataclass(frozen=True, eq=False, repr=False)
class Extend(Morphism):
    """``⟨id, e⟩ : Γ → Γ·A``, flattened, of ``e : Γ → A``."""

    arrow: Morphism

    def __post_init__(self) -> None:
        """Γ is a product."""
        if not isinstance(self.arrow.dom, Product):
            raise TypeMismatch(f"only a context can be extended, not {self.arrow.dom!r}")
        self._typed(self.arrow.dom, self.arrow.dom.snoc(self.arrow.cod))


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


@dataclass(frozen=True, eq=False, repr=False)
class Eval(Morphism):
    """``eval : (a ⇒ b) × a → b``."""

    function: Fun

    def __post_init__(self) -> None:
        """Type it."""
        self._typed(Product(self.function, self.function.dom), self.function.cod)


@dataclass(frozen=True, eq=False, repr=False)
class Constant(Morphism):
    """``const c : a → τ``."""

    source: Object
    literal: Literal

    def __post_init__(self) -> None:
        """Type it."""
        self._typed(self.source, self.literal.type)


@dataclass(frozen=True, eq=False, repr=False)
class Primitive(Morphism):
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


def compose(*arrows: Morphism) -> Morphism:
    """First the first, then the next; associative and unital on the nose."""
    if not arrows:
        raise TypeMismatch("compose takes an arrow or more; of none, write Id(obj)")
    flat: list[Morphism] = []
    for index, arrow in enumerate(arrows):
        if index and arrows[index - 1].cod is not arrow.dom:
            raise NotComposable(
                f"cannot form f >> g: f ends in {arrows[index - 1].cod!r}, "
                f"g starts from {arrow.dom!r}"
            )
        steps = arrow.arrows if isinstance(arrow, Compose) else (arrow,)
        flat.extend(step for step in steps if not isinstance(step, Id))
    if len(flat) > 1:
        return Compose(tuple(flat))
    return flat[0] if flat else arrows[0]


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
            meaning[id(node)] = _interpret(node, category, meaning)
    return meaning[id(program)]


def _interpret(node: Morphism, category: Programs[M], meaning: dict[int, M]) -> M:
    def of(arrows: Sequence[Morphism]) -> list[M]:
        return [meaning[id(arrow)] for arrow in arrows]

    match node:
        case Id(obj):
            return category.identity(obj)
        case Relabel(source, target):
            relabel: Callable[[Object, Object], M] | None = getattr(category, "relabel", None)
            return category.identity(source) if relabel is None else relabel(source, target)
        case Compose(arrows):
            return category.compose(of(arrows))
        case Prod(source, arrows):
            return category.prod(source, of(arrows))
        case Projection(product, index):
            return category.proj(product, index, node.cod)
        case Extend(arrow):
            return category.extend(_context(arrow), meaning[id(arrow)])
        case Curry(body, names, parameters, called):
            label = Label(names, body, parameters, called)
            return category.curry(_context(node), _function(node), meaning[id(body)], label)
        case Eval(function):
            return category.eval(function)
        case Constant(source, literal):
            return category.const(source, literal)
        case Primitive(operation, _):
            return category.primitive(operation, node.dom, node.cod)
        case Choice(then, other):
            return category.cond(node.dom, meaning[id(then)], meaning[id(other)])
        case _:
            raise TypeMismatch(f"{type(node).__name__} is no combinator")


def _context(node: Morphism) -> Product:
    dom: Any = node.dom
    return dom  # type: ignore[no-any-return]


def _function(node: Morphism) -> Fun:
    cod: Any = node.cod
    return cod  # type: ignore[no-any-return]
