"""BMP20: backpropagation with linear negation (Definitions 3.1, 5.1 to 5.3).

    D(R) = R × R^⊥d    D(A → B) = D(A) → D(B)    D(A × B) = D(A) × D(B)        R^⊥d = R ⊸ R^d

    D(x) = x        D(λx. t) = λx. D(t)      D(t u) = D(t) D(u)       D(⟨t, u⟩) = ⟨D(t), D(u)⟩
    D(r) = ⟨r, λa. 0⟩                        D(t[x := u]) = D(t)[x := D(u)]
    D(f(t)) = ⟨f(x), λa. x₁* (∂₁f(x)·a) + … + xₖ* (∂ₖf(x)·a)⟩ [⟨x, x*⟩ := D(t)]

With ιᵢ the injection into the i-th component, the gradient is what the result's backpropagator
gives of 1. Where a backpropagator stands in two places it is called twice: ``visits`` counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.objects import Fun, Object, Product, Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import FIX, RECOMPUTE, VECTOR
from combinators.primitives.sums import SUMS
from combinators.terms import App, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, pack
from combinators.type_folds import is_smooth, map_type
from interpreters.carriers.carrier import Carrier
from papers.comparison import Outcome, Point
from papers.comparison.linear_lambda_calculus import (
    LinearFunctions,
    names_beside,
    pulled,
    zero,
)
from papers.plain_functions import meaning, rounds

OF_ANY_TYPE = SUMS | {FIX.primitive, RECOMPUTE.primitive, VECTOR}
"""What moves values about, and means the same of pairs."""


@dataclass(frozen=True)
class LinearNegation:
    """``D_d``, for d numbers that the program is given."""

    d: int
    names: Names

    def type(self, obj: Object) -> Object:
        """``D(R) = R × R^⊥d``, and so on through the types; what does not move stays (5.2)."""

        def at(leaf: Object) -> Object | None:
            moves = isinstance(leaf, Tensor) and leaf.is_smooth
            return Product(leaf, Fun(leaf, Tensor((self.d,)))) if moves else None

        return map_type(obj, f"negation_{self.d}", at)

    def var(self, wish: str, obj: Object) -> Var:
        """A variable of its own name."""
        return Var(self.names.fresh(wish), obj)

    def term(self, t: Any) -> Any:
        """``D(t)`` (5.3): where no rule is written out, ``D`` of the parts."""
        match t:
            case Var(name):
                return Var(name, self.type(t.type))
            case Const():
                zeros = Lam((self.var("a", t.type),), zero(Tensor((self.d,))))
                return Tuple((t, zeros)) if is_smooth(t.type) else t
            case Prim(f, args) if f.primitive is LOOP:
                return self.term(App(rounds(f, tuple(arg.type for arg in args)), pack(args)))
            case Prim(f, args) if f.primitive not in OF_ANY_TYPE:
                return self.operation(f, args, t.type)
            case Operation():
                return Operation(t.primitive, self.term(t.parameters))
            case Object():
                return self.type(t)
            case Term():
                return t.builder()(*map(self.term, t.arguments()), **t.remarks())
            case tuple():
                return tuple(map(self.term, t))
        return t

    def operation(self, f: Operation, args: tuple[Term, ...], cod: Object) -> Term:
        """``⟨f(x), λa. Σ xᵢ* (∂ᵢf(x)·a)⟩ [⟨x, x*⟩ := D(t)]``."""
        if not all(isinstance(obj, Tensor) for obj in (*(arg.type for arg in args), cod)):
            raise MissingRule(f"BMP20 (002, Def. 5.3) has no rule for {f.name}")
        lines, xs, stars = list[tuple[Var, Term]](), list[Var](), dict[int, Term]()
        for i, arg in enumerate(args):
            pair = self.var("p", self.type(arg.type))
            lines.append((pair, self.term(arg)))
            if not is_smooth(arg.type):
                xs.append(pair)
                continue
            xs.append(self.var("x", arg.type))
            stars[i] = x_star = self.var("x*", Fun(arg.type, Tensor((self.d,))))
            lines += [(xs[i], Proj(0, pair)), (x_star, Proj(1, pair))]
        y, a = self.var("y", cod), self.var("a", cod)
        lines.append((y, Prim(f, tuple(xs))))
        if not is_smooth(cod):
            return Let(tuple(lines), y)
        back = pulled(f, xs, y, a, stars, Tensor((self.d,)))
        return Let(tuple(lines), Tuple((y, Lam((a,), back))))

    def injection(self, obj: Any, start: int) -> Lam:
        """``ιᵢ : R ⊸ R^d``."""
        a = self.var("a", obj)
        flat = Prim(Operation(named("reshape"), (("shape", (obj.size,)),)), (a,))
        where = (("start", (start,)), ("step", (1,)), ("shape", (self.d,)))
        return Lam((a,), Prim(Operation(named("embed"), where), (flat,)))


def gradient_term(lam: Lam) -> Lam:
    """``λ(x, ȳ). (y, y* ȳ)`` of ``⟨y, y*⟩ = D(f) ⟨x, ι⟩``, of numbers and arrays to one.

    >>> from combinators.objects import Real
    >>> from combinators.operation import Operation, named
    >>> x = Var("x", Real)
    >>> gradient_term(Lam((x,), Prim(Operation(named("sin")), (x,)))).type
    Real × Real ⇒ Real × Tensor[1]
    """
    tensors = [x.type if isinstance(x.type, Tensor) else Tensor((0,)) for x in lam.params]
    sizes = [obj.size if obj.is_smooth else 0 for obj in tensors]
    negation = LinearNegation(sum(sizes), names_beside(lam))
    pairs = tuple(
        Tuple((x, negation.injection(x.type, sum(sizes[:i])))) if is_smooth(x.type) else x
        for i, x in enumerate(lam.params)
    )
    w, r = negation.var("w", lam.body.type), negation.var("r", negation.type(lam.body.type))
    both = Tuple((Proj(0, r), App(Proj(1, r), w)))
    return Lam((*lam.params, w), Let(((r, App(negation.term(lam), pack(pairs))),), both))


def gradient(lam: Lam, point: Point, covector: Any, over: Carrier) -> Outcome:
    """By the term; its visits are calls of backpropagators."""
    evaluation = LinearFunctions(over)
    value, slopes = meaning(gradient_term(lam), evaluation)(*point, covector)
    return Outcome(value, slopes, evaluation.visits["•"])
