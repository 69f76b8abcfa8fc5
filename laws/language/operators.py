"""What laws say besides combinators: derivatives, sums, pairings, and images under a functor.

They are no combinators, since no program holds them; a model says what they are
(``laws.model``).
"""

from __future__ import annotations

from dataclasses import dataclass

from combinators.errors import TypeMismatch
from combinators.morphisms import Morphism
from combinators.objects import Fun, Object, Product, Real
from laws.language.variables import Space, tangent


@dataclass(frozen=True, eq=False, repr=False)
class D(Morphism):
    """``D[f] : A × T A → T B``, the point first and then the vector (Blute, Cockett, Seely)."""

    arrow: Morphism

    def __post_init__(self) -> None:
        """Type it."""
        dom, cod = self.arrow.dom, self.arrow.cod
        self._typed(Product(dom, tangent(dom)), tangent(cod))


@dataclass(frozen=True, eq=False, repr=False)
class R(Morphism):
    """``R[f] : A × T B → T A``, the point first and then the covector (Cockett et al. 2019)."""

    arrow: Morphism

    def __post_init__(self) -> None:
        """Type it."""
        dom, cod = self.arrow.dom, self.arrow.cod
        self._typed(Product(dom, tangent(cod)), tangent(dom))


@dataclass(frozen=True, eq=False, repr=False)
class Plus(Morphism):
    """``f + g`` of two parallel arrows."""

    left: Morphism
    right: Morphism

    def __post_init__(self) -> None:
        """Both are parallel."""
        if self.left.dom is not self.right.dom or self.left.cod is not self.right.cod:
            raise TypeMismatch(f"only parallel arrows have a sum, not {self.left} and {self.right}")
        self._typed(self.left.dom, self.left.cod)


@dataclass(frozen=True, eq=False, repr=False)
class Zero(Morphism):
    """``0 : A → B``."""

    source: Object
    target: Object

    def __post_init__(self) -> None:
        """Type it."""
        self._typed(self.source, self.target)


@dataclass(frozen=True, eq=False, repr=False)
class Scaled(Morphism):
    """``λ · f`` of a number ``λ : A → Real`` and an arrow ``f : A → B``."""

    number: Morphism
    arrow: Morphism

    def __post_init__(self) -> None:
        """Both start from one object."""
        if self.number.dom is not self.arrow.dom or self.number.cod is not Real:
            raise TypeMismatch("an arrow is scaled by a number from its own domain")
        self._typed(self.arrow.dom, self.arrow.cod)


@dataclass(frozen=True, eq=False, repr=False)
class Inner(Morphism):
    """``⟨f, g⟩``, the inner product of two vectors, as a number."""

    left: Morphism
    right: Morphism

    def __post_init__(self) -> None:
        """Both are parallel."""
        if self.left.dom is not self.right.dom or self.left.cod is not self.right.cod:
            raise TypeMismatch("only two arrows of one type have an inner product")
        self._typed(self.left.dom, Real)


@dataclass(frozen=True, eq=False, repr=False)
class Along(Morphism):
    """A function ``k : X → (A ⇒ T B)`` as a vector in ``T(A ⇒ B)``."""

    function: Morphism

    def __post_init__(self) -> None:
        """Of functions into a vector object, which is its own tangent space."""
        cod = self.function.cod
        if not isinstance(cod, Fun) or tangent(cod.cod) is not cod.cod:
            raise TypeMismatch("only an arrow into functions into vectors is a tangent of those")
        self._typed(self.function.dom, tangent(cod))


@dataclass(frozen=True, eq=False, repr=False)
class At(Morphism):
    """``t(b) : X → T B`` of a tangent ``t : X → T(A ⇒ B)`` and an argument ``b : X → A``."""

    vector: Morphism
    argument: Morphism

    def __post_init__(self) -> None:
        """Both start from one object."""
        match self.vector.cod:
            case Space(Fun(dom, cod)) if dom is self.argument.cod:
                if self.vector.dom is self.argument.dom:
                    self._typed(self.vector.dom, tangent(cod))
                    return
        raise TypeMismatch(f"{self.vector} is no tangent of functions of {self.argument}")


@dataclass(frozen=True, eq=False, repr=False)
class Image(Morphism):
    """What a model makes of a program by some way of its own, as of simplifying or compiling it.

    ``way`` names one of the model's ``ways``.
    """

    way: str
    arrow: Morphism

    def __post_init__(self) -> None:
        """It goes from where the arrow goes."""
        self._typed(self.arrow.dom, self.arrow.cod)
