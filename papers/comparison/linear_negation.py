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

from combinators.block import Block
from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.objects import Fun, Object, Product, Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import FIX, RECOMPUTE, VECTOR
from combinators.primitives.sums import SUMS
from combinators.terms import App, Const, Lam, Prim, Proj, Term, Tuple, Var, pack
from combinators.type_folds import is_smooth, map_type
from interpreters.carriers.carrier import Carrier
from papers.comparison import Outcome, Point
from papers.comparison.linear_lambda_calculus import (
    LinearFunctions,
    linear,
    names_beside,
    pulled,
    summed,
)
from papers.plain_functions import meaning, rounds

MOST = 100_000
"""Calls of backpropagators, of which there may be exponentially many (3.1)."""
OF_ANY_TYPE = SUMS | {FIX.primitive, RECOMPUTE.primitive, VECTOR}
"""What moves values about, and means the same of pairs."""


@dataclass(frozen=True)
class LinearNegation:
    """``D_d``, for d numbers that the program is given."""

    d: int
    names: Names

    @property
    def space(self) -> Tensor:
        """``R^d``."""
        return Tensor((self.d,))

    def type(self, obj: Object) -> Object:
        """``D(R) = R × R^⊥d``, and so on through the types; what does not move stays (5.2)."""

        def at(leaf: Object) -> Object | None:
            moves = isinstance(leaf, Tensor) and leaf.is_smooth
            return Product(leaf, Fun(leaf, self.space)) if moves else None

        return map_type(obj, f"negation_{self.d}", at)

    def term(self, t: Any) -> Any:
        """``D(t)`` (5.3): where no rule is written out, ``D`` of the parts."""
        match t:
            case Var(name):
                return Var(name, self.type(t.type))
            case Const():
                zeros = linear(self.names, "a", t.type, lambda _: summed((), self.space))
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
        block, xs, stars = Block(names=self.names), list[Var](), dict[int, Term]()
        for i, arg in enumerate(args):
            xs.append(block.bind(self.term(arg), "p"))
            if is_smooth(arg.type):
                pair, xs[i] = xs[i], block.bind(Proj(0, xs[i]), "x")
                stars[i] = block.bind(Proj(1, pair), "x*")
        y = block.bind(made := Prim(f, tuple(xs)), "y")
        if not is_smooth(cod):
            return block.term(y)
        back = linear(self.names, "a", cod, lambda a: summed(pulled(made, y, a, stars), self.space))
        return block.term(Tuple((y, back)))

    def injection(self, obj: Any, start: int) -> Lam:
        """``ιᵢ : R ⊸ R^d``."""
        where = (("start", (start,)), ("step", (1,)), ("shape", (self.d,)))
        flat = Operation(named("reshape"), (("shape", (obj.size,)),))
        embed = Operation(named("embed"), where)
        return linear(self.names, "a", obj, lambda a: Prim(embed, (Prim(flat, (a,)),)))


def gradient_term(lam: Lam) -> Lam:
    """``λ(x, ȳ). (y, y* ȳ)`` of ``⟨y, y*⟩ = D(f) ⟨x, ι⟩``, of numbers and arrays to one."""
    tensors = [x.type if isinstance(x.type, Tensor) else Tensor((0,)) for x in lam.params]
    sizes = [obj.size if obj.is_smooth else 0 for obj in tensors]
    negation = LinearNegation(sum(sizes), names_beside(lam))
    pairs = tuple(
        Tuple((x, negation.injection(x.type, sum(sizes[:i])))) if is_smooth(x.type) else x
        for i, x in enumerate(lam.params)
    )
    w, block = Var(negation.names.fresh("w"), lam.body.type), Block(names=negation.names)
    r = block.bind(App(negation.term(lam), pack(pairs)), "r")
    return Lam((*lam.params, w), block.term(Tuple((Proj(0, r), App(Proj(1, r), w)))))


def gradient(lam: Lam, point: Point, covector: Any, over: Carrier) -> Outcome:
    """By the term; its visits are calls of backpropagators."""
    evaluation = LinearFunctions(over, most=MOST)
    value, slopes = meaning(gradient_term(lam), evaluation)(*point, covector)
    return Outcome(value, slopes, evaluation.visits["•"])
