"""BMP20 as a transformation of terms (Definitions 5.2 and 5.3).

    D(x) = x        D(λx. t) = λx. D(t)      D(t u) = D(t) D(u)       D(⟨t, u⟩) = ⟨D(t), D(u)⟩
    D(r) = ⟨r, λa. 0⟩                        D(t[x := u]) = D(t)[x := D(u)]
    D(f(t)) = ⟨f(x), λa. Σ xᵢ* (∂ᵢf(x)·a)⟩ [⟨x, x*⟩ := D(t)]

The types of the house hold it: ``R^⊥d`` is ``R ⇒ R^d``. A gradient is ``π₂ (D(f) ⟨x, ι⟩) ȳ``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.objects import Fun, Object, Product, Tensor, Vector
from combinators.operation import Operation, named
from combinators.terms import App, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, const, pack
from combinators.type_folds import is_smooth, map_type
from papers.comparison.graphs import Drawing, numbered
from papers.plain_functions import ADD, partials


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

    def var(self, wish: str, obj: Object) -> Var:
        """A variable of its own name."""
        return Var(self.names.fresh(wish), obj)

    def term(self, t: Any) -> Any:
        """``D(t)`` (5.3): where no rule is written out, ``D`` of the parts."""
        match t:
            case Var(name):
                return Var(name, self.type(t.type))
            case Const():
                zero = Lam((self.var("a", t.type),), const(np.zeros(self.d)))
                return Tuple((t, zero)) if is_smooth(t.type) else t
            case Prim(f, args):
                return self.operation(f, args, t.type)
            case Proj(_, product) if isinstance(product.type, Vector):
                raise MissingRule(f"BMP20 (002, Def. 5.3) has no rule for {t!r:.80}")
            case Term():
                return t.builder()(*map(self.term, t.arguments()), **t.remarks())
            case tuple():
                return tuple(map(self.term, t))
        return t

    def operation(self, f: Operation, args: tuple[Term, ...], cod: Object) -> Term:
        """``⟨f(x), λa. Σ xᵢ* (∂ᵢf(x)·a)⟩ [⟨x, x*⟩ := D(t)]``."""
        types = tuple(arg.type for arg in args)
        if not all(isinstance(obj, Tensor) for obj in (*types, cod)):
            raise MissingRule(f"BMP20 (002, Def. 5.3) has no rule for {f.name}")
        lines: list[tuple[Var, Term]] = []
        xs, stars = list[Var](), dict[int, Var]()
        for i, arg in enumerate(args):
            pair = self.var("p", self.type(arg.type))
            lines.append((pair, self.term(arg)))
            if not is_smooth(arg.type):
                xs.append(pair)
                continue
            xs.append(self.var("x", arg.type))
            stars[i] = self.var("x*", Fun(arg.type, self.space))
            lines += [(xs[i], Proj(0, pair)), (stars[i], Proj(1, pair))]
        y, a = self.var("y", cod), self.var("a", cod)
        lines.append((y, Prim(f, tuple(xs))))
        drawing = Drawing(numbered("d"))
        slopes = [(i, df(a, tuple(xs), y)) for i, df in partials(f, types, cod, drawing)]
        calls: list[Term] = [App(stars[i], drawing.term(slope)) for i, slope in slopes]
        back = reduce(lambda d, e: Prim(ADD, (d, e)), calls) if calls else const(np.zeros(self.d))
        pair_of = Tuple((y, Lam((a,), back)))
        return Let(tuple(lines), pair_of if is_smooth(cod) else y)

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
    d, starts = 0, []
    for x in lam.params:
        starts.append(d)
        d += x.type.size if isinstance(x.type, Tensor) and x.type.is_smooth else 0
    negation = LinearNegation(d, names_beside(lam))
    pairs = tuple(
        Tuple((x, negation.injection(x.type, start))) if is_smooth(x.type) else x
        for x, start in zip(lam.params, starts, strict=True)
    )
    w, r = negation.var("w", lam.body.type), negation.var("r", negation.type(lam.body.type))
    both = Tuple((Proj(0, r), App(Proj(1, r), w)))
    return Lam((*lam.params, w), Let(((r, App(negation.term(lam), pack(pairs))),), both))


def names_beside(lam: Lam) -> Names:
    """Names that no variable of a program has."""
    return Names(node.name for node in distinct_nodes(lam) if isinstance(node, Var))
