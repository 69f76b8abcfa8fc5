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

from combinators.derivative_rules import pullback_rule
from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes, remade
from combinators.objects import Fun, Object, Product, Tensor, Vector
from combinators.operation import Operation, named
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, const, pack
from combinators.type_folds import is_smooth, map_type
from papers.comparison.graphs import ADD


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

    def renamed(self, x: Var) -> Var:
        """``x : D(A)`` of ``x : A``."""
        return Var(x.name, self.type(x.type))

    def term(self, t: Term) -> Term:
        """``D(t)`` (5.3)."""
        match t:
            case Var():
                return self.renamed(t)
            case Const():
                zero = const(np.zeros(self.d))
                return Tuple((t, Lam((self.var("a", t.type),), zero))) if is_smooth(t.type) else t
            case Lam(params, body, name):
                return Lam(tuple(map(self.renamed, params)), self.term(body), name)
            case Let(bindings, body):
                bound = tuple((self.renamed(x), self.term(u)) for x, u in bindings)
                return Let(bound, self.term(body))
            case Prim(operation, args):
                return self.operation(operation, args, t.type)
            case App(function, argument):
                return App(self.term(function), self.term(argument))
            case Tuple(items, names):
                return Tuple(tuple(map(self.term, items)), names)
            case Proj(index, product) if not isinstance(product.type, Vector):
                return Proj(index, self.term(product))
            case Cond(test, then, other):
                return Cond(self.term(test), self.term(then), self.term(other))
        raise MissingRule(f"BMP20 (002, Def. 5.3) has no rule for {t!r:.80}")

    def operation(self, f: Operation, args: tuple[Term, ...], cod: Object) -> Term:
        """``⟨f(x), λa. Σ xᵢ* (∂ᵢf(x)·a)⟩ [⟨x, x*⟩ := D(t)]``."""
        types = tuple(arg.type for arg in args)
        if not all(isinstance(obj, Tensor) for obj in (*types, cod)):
            raise MissingRule(f"BMP20 (002, Def. 5.3) has no rule for {f.name}")
        bindings: list[tuple[Var, Term]] = []
        xs, stars = list[Var](), list[tuple[int, Var]]()
        for i, arg in enumerate(args):
            pair = self.var("p", self.type(arg.type))
            bindings.append((pair, self.term(arg)))
            if is_smooth(arg.type):
                x, star = self.var("x", arg.type), self.var("x*", Fun(arg.type, self.space))
                bindings += [(x, Proj(0, pair)), (star, Proj(1, pair))]
                stars.append((i, star))
            xs.append(x if is_smooth(arg.type) else pair)
        y = self.var("y", cod)
        bindings.append((y, Prim(f, tuple(xs))))
        if not is_smooth(cod):
            return Let(tuple(bindings), y)
        a = self.var("a", cod)
        pulled: list[Term] = [
            App(star, self.applied(rule, (a, *xs, y)))
            for i, star in stars
            if (rule := pullback_rule(f, types, (i,))) is not None
        ]
        back = reduce(lambda d, e: Prim(ADD, (d, e)), pulled) if pulled else const(np.zeros(self.d))
        return Let(tuple(bindings), Tuple((y, Lam((a,), back))))

    def applied(self, rule: Lam, args: tuple[Var, ...]) -> Term:
        """``∂ᵢf(x)·a``: the body of a rule at variables, what it binds named anew."""
        env = {x.name: arg for x, arg in zip(rule.params, args, strict=True)}

        def at(node: Any) -> Any:
            if isinstance(node, Var) and node.name not in env:
                env[node.name] = self.var(node.name, node.type)
            return env[node.name] if isinstance(node, Var) else node

        body = remade(rule.body, at)
        return body.items[0] if isinstance(body, Tuple) else Proj(0, body)

    def injection(self, obj: Object, start: int) -> Lam:
        """``ιᵢ : R ⊸ R^d``."""
        assert isinstance(obj, Tensor)
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
    sizes = [size_of(x.type) for x in lam.params]
    negation = LinearNegation(sum(sizes), names_beside(lam))
    starts = np.cumsum([0, *sizes])
    pairs = tuple(
        Tuple((x, negation.injection(x.type, int(start)))) if size else x
        for x, start, size in zip(lam.params, starts, sizes, strict=False)
    )
    transformed = negation.term(lam)
    w = negation.var("w", lam.body.type)
    r = negation.var("r", negation.type(lam.body.type))
    both = Tuple((Proj(0, r), App(Proj(1, r), w)))
    return Lam((*lam.params, w), Let(((r, App(transformed, pack(pairs))),), both))


def names_beside(lam: Lam) -> Names:
    """Names that no variable of a program has."""
    return Names(node.name for node in distinct_nodes(lam) if isinstance(node, Var))


def size_of(obj: Object) -> int:
    """How many of the d numbers an argument holds."""
    if not isinstance(obj, Tensor):
        raise MissingRule(f"ι is of numbers and arrays (002, section 3.1), not of {obj!r}")
    return obj.size if obj.is_smooth else 0
