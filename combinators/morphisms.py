"""The free category: combinators as typed data, and ``interpret``, the map out of it.

To add a meaning is to write one class with a method for each combinator, of the names and types of
004, section 2. ``M`` is whatever it takes an arrow to be; only ``interpret`` builds one.

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
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, TypeVar

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


@dataclass(frozen=True, eq=False, repr=False)
class Id(Morphism, of=()):
    """``id : a → a``."""

    obj: Object

    def __post_init__(self) -> None:
        self._typed(self.obj, self.obj)


@dataclass(frozen=True, eq=False, repr=False)
class Compose(Morphism, of="arrows"):
    """``f₁ >> f₂ >> …``, of two arrows or more, none of them a composite."""

    arrows: tuple[Morphism, ...]

    def __post_init__(self) -> None:
        if len(self.arrows) < 2:
            raise TypeMismatch("a composite is of two arrows or more; of one it is that arrow")
        for f, g in pairwise(self.arrows):
            if f.cod is not g.dom:
                raise _not_composable(f, g)
        self._typed(self.arrows[0].dom, self.arrows[-1].cod)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Prod(Morphism, of="arrows"):
    """``⟨f₁, f₂, …⟩ : a → b₁ × b₂ × …``, of arrows that have one domain."""

    source: Object
    arrows: tuple[Morphism, ...]

    def __init__(self, source: Object, arrows: tuple[Morphism, ...]) -> None:
        for arrow in arrows:
            if arrow.dom is not source:
                raise TypeMismatch(
                    f"cannot pair: an arrow starts from {arrow.dom!r}, not from {source!r}"
                )
        made = self.__dict__
        made["source"], made["arrows"] = source, arrows
        made["dom"], made["cod"] = source, Product(*[arrow.cod for arrow in arrows])


@dataclass(frozen=True, eq=False, repr=False)
class Relabel(Morphism, of=()):
    """The identity between a record and its product, in either direction."""

    source: Object
    target: Object

    def __post_init__(self) -> None:
        if components(self.source) is not components(self.target):
            raise TypeMismatch(f"{self.source!r} and {self.target!r} have other components")
        self._typed(self.source, self.target)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Projection(Morphism, of=()):
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
class Extend(Morphism, of=("arrow",)):
    """``⟨id, e⟩ : Γ → Γ·A``, flattened, of ``e : Γ → A``, where Γ is a product."""

    arrow: Morphism

    def __init__(self, arrow: Morphism) -> None:
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


@dataclass(frozen=True, eq=False, repr=False)
class Curry(Morphism, of=("body",)):
    """``curry b : Γ → (a ⇒ b)`` of ``b : Γ·a → b``: it splits off the last component."""

    body: Morphism
    names: tuple[str, ...] = field(default=(), compare=False)
    parameters: tuple[str, ...] = field(default=(), compare=False)
    called: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        context = self.body.dom
        if not isinstance(context, Product) or context.init is None or context.last is None:
            raise TypeMismatch(f"curry splits off a last component, and {context!r} has none")
        self._typed(context.init, Fun(context.last, self.body.cod))


@dataclass(frozen=True, eq=False, repr=False)
class Eval(Morphism, of=()):
    """``eval : (a ⇒ b) × a → b``."""

    function: Fun

    def __post_init__(self) -> None:
        self._typed(Product(self.function, self.function.dom), self.function.cod)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Constant(Morphism, of=()):
    """``const c : a → τ``."""

    source: Object
    literal: Literal

    def __init__(self, source: Object, literal: Literal) -> None:
        made = self.__dict__
        made["source"], made["literal"] = source, literal
        made["dom"], made["cod"] = source, literal.type


@dataclass(frozen=True, eq=False, repr=False)
class Primitive(Morphism, of=()):
    """A primitive operation, from its one argument or from the product of several.

    One argument that is itself a product stands in a product of one.
    """

    operation: Operation
    arguments_: tuple[Object, ...]

    def __post_init__(self) -> None:
        several = self.arguments_
        alone = len(several) == 1 and not isinstance(several[0], Product)
        dom = several[0] if alone else Product(*several)
        self._typed(dom, self.operation.type(*several))


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Morphism, of=("then", "other")):
    """``cond(f, g) : Bool × Γ → τ``, lazily, of parallel branches."""

    then: Morphism
    other: Morphism

    def __post_init__(self) -> None:
        if self.then.dom is not self.other.dom or self.then.cod is not self.other.cod:
            raise TypeMismatch(
                f"the branches of a cond are parallel, but these go {self.then.dom!r} → "
                f"{self.then.cod!r} and {self.other.dom!r} → {self.other.cod!r}"
            )
        self._typed(Product(Bool, self.then.dom), self.then.cod)


def _not_composable(f: Morphism, g: Morphism) -> NotComposable:
    return NotComposable(f"cannot form f >> g: f ends in {f.cod!r}, g starts from {g.dom!r}")


def compose(*arrows: Morphism) -> Morphism:
    """First the first, then the next; associative and unital on the nose."""
    if len(arrows) == 1:
        return arrows[0]
    if not arrows:
        raise TypeMismatch("compose takes an arrow or more; of none, write Id(obj)")
    flat: list[Morphism] = []
    before = None
    for arrow in arrows:
        if before is not None and before.cod is not arrow.dom:
            raise _not_composable(before, arrow)
        before = arrow
        kind = type(arrow)
        if kind is Compose:
            flat += arrow.arrows  # type: ignore[attr-defined]  # a composite
        elif kind is not Id:
            flat.append(arrow)
    if len(flat) < 2:
        return flat[0] if flat else arrows[0]
    made: Compose = object.__new__(Compose)
    known = made.__dict__
    known["arrows"], known["dom"], known["cod"] = tuple(flat), arrows[0].dom, arrows[-1].cod
    return made


def prod(dom: Object, *arrows: Morphism) -> Morphism:
    """``⟨f, g, …⟩`` of arrows from ``dom``."""
    return Prod(dom, arrows)


# ---- what an interpreter provides ----------------------------------------------------------------


class Label(NamedTuple):
    """What a λ is called: for display, and to take a closure into another category."""

    names: tuple[str, ...] = ()
    """The names of the captured variables."""
    body: Any = None
    """The body, as an arrow of the free category, where there is one."""
    parameters: tuple[str, ...] = ()
    """The names of the parameters."""
    called: str = ""
    """The name of the function, where it has one."""


class Category(Protocol[M]):
    """Arrows that compose."""

    def identity(self, dom: Object) -> M:
        """``id : a → a``."""
        ...

    def compose(self, arrows: Sequence[M]) -> M:
        """``f ∘ g ∘ …``: first f, then g, as the paper types it; at least two arrows."""
        ...


class Cartesian(Category[M], Protocol[M]):
    """Arrows into and out of products."""

    def prod(self, dom: Object, arrows: Sequence[M]) -> M:
        """``⟨f, g, …⟩ : a → b × c × …`` of arrows from one domain; none make ``a → Unit``."""
        ...

    def proj(self, dom: Object, index: int, cod: Object) -> M:
        """``πᵢ : dom → cod``, out of a product, a record or a context."""
        ...

    def extend(self, context: Product, arrow: M) -> M:
        """``⟨id, e⟩ : Γ → Γ·A``, flattened: what ``let`` is."""
        ...


class Closed(Cartesian[M], Protocol[M]):
    """Functions as values."""

    def curry(self, captured: Product, function: Fun, body: M, label: Label) -> M:
        """``curry b : Γ → (a ⇒ b)`` of ``b : Γ·a → b``, which splits off the last component."""
        ...

    def eval(self, function: Fun) -> M:
        """``eval : (a ⇒ b) × a → b``."""
        ...


class Programs(Closed[M], Protocol[M]):
    """All that a program needs: besides functions, numbers and choice."""

    def const(self, dom: Object, value: Literal) -> M:
        """``const c : a → τ``."""
        ...

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> M:
        """A primitive: from its argument, or from the product of its arguments.

        ``fold``, ``scan``, ``map`` and ``override`` are among them; their first arguments are
        function values, to be applied with ``eval``.
        """
        ...

    def cond(self, dom: Object, then: M, other: M) -> M:
        """``Bool × Γ → τ``, by ``then : Γ → τ`` or by ``other``; only one is run."""
        ...


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


_INTERPRETED: dict[type, Callable[..., Any]] = {
    Id: lambda f, category, _: category.identity(f.obj),
    Relabel: _relabel,
    Compose: lambda f, category, of: category.compose([of[id(g)] for g in f.arrows]),
    Prod: lambda f, category, of: category.prod(f.source, [of[id(g)] for g in f.arrows]),
    Projection: lambda f, category, _: category.proj(f.product, f.index, f.cod),
    Extend: lambda f, category, of: category.extend(f.dom, of[id(f.arrow)]),
    Curry: lambda f, category, of: category.curry(
        f.dom, f.cod, of[id(f.body)], Label(f.names, f.body, f.parameters, f.called)
    ),
    Eval: lambda f, category, _: category.eval(f.function),
    Constant: lambda f, category, _: category.const(f.source, f.literal),
    Primitive: lambda f, category, _: category.primitive(f.operation, f.dom, f.cod),
    Choice: lambda f, category, of: category.cond(f.dom, of[id(f.then)], of[id(f.other)]),
}
"""What each combinator is in a category, given what those below it are there."""
