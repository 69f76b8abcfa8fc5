"""What an interpreter provides: the arrows of a category, one method a combinator.

The names and the types are those of 004, section 2. ``M`` is whatever the interpreter takes an
arrow to be; nothing but ``interpret`` builds one. To add a meaning is to write one such class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from combinators.literal import Literal
from combinators.objects import Fun, Object, Product
from combinators.operation import Operation

M = TypeVar("M")


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
