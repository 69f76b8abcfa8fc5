"""Figure 6: tangent spaces, zeros and sums; and rep-functions, with Definitions 5.1 and 5.2.

::

    T[Float] = Float     T[(τ, σ)] = (T[τ], T[σ])     T[Unit] = T[Int] = T[Bool] = Unit
    T[τ ⇝ σ] = [(τ, T[σ])]                            simply typed (section 4)
    T[v : τ ⇝ σ] = match v with exT τ♭ _ → τ♭         dependently typed (Definition 5.2)
    T[inj v] = T[v]      T[roll v] = T[v]             sums and recursive types (6.2)

A tangent is a number, a tuple, ``()``, a list of calls, or an ``AnyDerivative``; of a sum it is the
tangent of the alternative that the value is, marked as such.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from combinators.errors import TypeMismatch
from combinators.morphisms import Label
from combinators.objects import Fun, Object, Tensor
from combinators.type_folds import tangent_of
from combinators.value_folds import Injected, map_leaves
from interpreters.carriers.carrier import Carrier
from papers.plain_functions import zero_of

Pullback = Callable[[Any], Any]


class Rep(NamedTuple):
    """What a rep-function gives: the value, its pullback, and τ♭ where it has an environment.

    ``pullback : T[y] → T[x]``, or ``T[y] → (τ♭, T[x])`` then.
    """

    value: Any
    pullback: Pullback
    environment: Any = None


class exT(NamedTuple):  # noqa: N801  # the paper's constructor
    """``exT τ♭ f : ∃τ♭. Π(x : τ). Σ(y : σ). T[y] → (τ♭, T[x])`` (Definition 5.1)."""

    environment: Any
    f: Callable[[Any], tuple[Any, Pullback]]

    def __call__(self, x: Any) -> Rep:
        return Rep(*self.f(x), self.environment)


class Captured(NamedTuple):
    """τ♭ of a closure: the tangent spaces of what it captured, and the λ whose code it is."""

    spaces: tuple[Any, ...]
    label: Label

    def __repr__(self) -> str:
        names = self.label.names or map(str, range(len(self.spaces)))
        said = [f"{x}: {space!r}" for x, space in zip(names, self.spaces, strict=True)]
        return f"{{{', '.join(said)}}}"


class AnyDerivative(NamedTuple):
    """A tangent of some function: of which τ♭, and the tangent (section 5)."""

    environment: Any
    tangent: Any


def checked(environment: Any, derivative: AnyDerivative) -> Any:
    """The tangent, as one of τ♭; raises TypeMismatch where it is of another."""
    if derivative.environment != environment:
        raise TypeMismatch(
            f"a tangent of a closure that captured {derivative.environment!r} is no tangent of one "
            f"that captured {environment!r}: their code differs"
        )
    return derivative.tangent


def erased(_: Any, derivative: AnyDerivative) -> Any:
    """The reinterpret cast."""
    return derivative.tangent


def T(obj: Object, v: Any) -> Any:
    """``T[v : τ]``; where no function is in it, ``T[τ]``."""

    def at(leaf: Object, v: Any) -> Any:
        match leaf:
            case Tensor():
                return leaf if leaf.is_smooth else ()
            case Fun(dom, cod):
                return v.environment if isinstance(v, exT) else [(dom, tangent_of(cod))]
        raise TypeMismatch(f"{leaf!r} is no type of λ∂, the language of 004")

    return map_leaves(at, obj, v)


def zero(space: Any, over: Carrier) -> Any:
    """``0_T``."""
    match space:
        case Tensor():
            return over.const(zero_of(space))
        case list():
            return []
        case Captured(spaces):
            return AnyDerivative(space, zero(spaces, over))
        case Injected(tag, below):
            return Injected(tag, zero(below, over))
    return tuple([zero(part, over) for part in space])


def plus(x: Any, y: Any, over: Carrier) -> Any:
    """``x +_T y``; T can be read off the tangents."""
    match x:
        case list():
            return x + y
        case AnyDerivative(environment, tangent):
            return AnyDerivative(environment, plus(tangent, checked(environment, y), over))
        case Injected(tag, below):
            return Injected(tag, plus(below, y.value, over))
        case tuple():
            return tuple([plus(a, b, over) for a, b in zip(x, y, strict=True)])
    return over.add(x, y)
