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
from dataclasses import dataclass
from typing import Any, NamedTuple

from combinators.errors import TypeMismatch
from combinators.objects import Fun, Mu, Object, Sum, Tensor
from combinators.type_folds import parts_of, unfolded
from combinators.value_folds import Injected
from interpreters.carriers.carrier import Carrier
from papers.plain_functions import zero_of

Pullback = Callable[[Any], Any]


class Rep(NamedTuple):
    """What a rep-function gives: the value, its pullback, and the type of the environment's part.

    ``pullback : T[y] → T[x]``, or ``T[y] → (τ♭, T[x])`` where there is an environment τ♭.
    """

    value: Any
    pullback: Pullback
    environment: Any = None


@dataclass(frozen=True)
class exT:  # noqa: N801  # the paper's constructor
    """``exT τ♭ f : ∃τ♭. Π(x : τ). Σ(y : σ). T[y] → (τ♭, T[x])`` (Definition 5.1)."""

    environment: Any
    f: Callable[[Any], tuple[Any, Pullback]]

    def __call__(self, x: Any) -> Rep:
        return Rep(*self.f(x), self.environment)


@dataclass(frozen=True)
class ListOfCalls:
    """``[(τ, T[σ])]``."""

    argument: Object
    result: Object

    def __repr__(self) -> str:
        return f"[({self.argument!r}, T[{self.result!r}])]"


@dataclass(frozen=True)
class Closed:
    """τ♭ of a closure: whose code it is, and the tangents of what it captured, by name."""

    code: Any
    names: tuple[str, ...]
    outer: Any
    """τ♭ of the combinator that was curried."""
    captured: tuple[Any, ...]

    def __repr__(self) -> str:
        named = zip(self.names or map(str, range(len(self.captured))), self.captured, strict=True)
        return f"{{{', '.join(f'{name}: {tangent!r}' for name, tangent in named)}}}"


class AnyDerivative(NamedTuple):
    """A tangent of some function: of which τ♭, and the tangent (section 5)."""

    environment: Any
    tangent: Any


def T(obj: Object, v: Any) -> Any:
    """``T[v : τ]``; where no function is in it, ``T[τ]``."""
    while isinstance(obj, Mu):
        obj = unfolded(obj)
    parts = parts_of(obj)
    if parts is not None:
        return tuple([T(part, x) for part, x in zip(parts, v, strict=True)])
    match obj:
        case Tensor():
            return obj if obj.is_smooth else ()
        case Fun(dom, cod):
            return v.environment if isinstance(v, exT) else ListOfCalls(dom, cod)
        case Sum():
            return Injected(v.tag, T(obj.parts[v.tag], v.value))
    raise TypeMismatch(f"{obj!r} is no type of λ∂, the language of 004")


def zero(tangents: Any, over: Carrier) -> Any:
    """``0_T``."""
    match tangents:
        case Tensor():
            return over.const(zero_of(tangents))
        case ListOfCalls():
            return []
        case Closed(_, _, outer, captured):
            return AnyDerivative(tangents, (zero(outer, over), zero(captured, over)))
        case Injected(tag, below):
            return Injected(tag, zero(below, over))
    return tuple([zero(part, over) for part in tangents])


def plus(x: Any, y: Any, over: Carrier) -> Any:
    """``x +_T y``; T can be read off the tangents."""
    match x:
        case list():
            return x + y
        case AnyDerivative(environment, tangent):
            if environment != y.environment:
                raise TypeMismatch(f"tangents of {environment!r} and {y.environment!r} are added")
            return AnyDerivative(environment, plus(tangent, y.tangent, over))
        case Injected(tag, below):
            return Injected(tag, plus(below, y.value, over))
        case tuple():
            return tuple([plus(a, b, over) for a, b in zip(x, y, strict=True)])
    return over.add(x, y)
