"""CHAD: ``D_Γ``, from programs to the linear λ-calculus (Definitions 5.5 to 5.7).

    D(τ → σ)₁ = D(τ)₁ → D(σ)₁ × (D(σ)₂ ⊸ D(τ)₂)          D(τ → σ)₂ = !D(τ)₁ ⊗ D(σ)₂

    D_Γ(x) = ⟨x, λv. coprojₓ(v)⟩
    D_Γ(let x = t in s) = let ⟨x, x'⟩ = D_Γ(t) in let ⟨y, y'⟩ = D_Γ,x(s) in
                          ⟨y, λv. let v* = y' • v in x' • (snd v*) + fst v*⟩

Γ ⊢ t : τ becomes ``D(Γ)₁ ⊢ D_Γ(t) : D(τ)₁ × (D(τ)₂ ⊸ D(Γ)₂)``; ``fst`` and ``snd`` part D(Γ, x)₂
into Γ's and x's. ``let ⟨x, x'⟩ = (let … in ⟨t, λv. s⟩) in r`` is written as one block of lines:
those of t, and x' = λv. s. No cotangent is passed twice; but each ``+`` is of whole environments.
``accumulated`` makes it in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

from combinators.block import Block
from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.kit.tree import remade
from combinators.objects import Fun, Object, Product, Record, Tensor, Unit
from combinators.primitives.loops import LOOP
from combinators.terms import App, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, let, pack
from combinators.type_folds import columns_of
from interpreters.carriers.carrier import Carrier
from papers.comparison import Outcome, Point, flat
from papers.comparison.linear_lambda_calculus import (
    CASE,
    FST,
    SND,
    TIMES,
    LinearFunctions,
    call,
    copower,
    coproj,
    linear,
    names_beside,
    pulled,
    summed,
    zero,
)
from papers.plain_functions import meaning, rounds

Rule = tuple[Term, Callable[[Var], list[Term]]]
"""``⟨t, λv. s₁ + … + sₙ⟩``: t, and the summands of v."""


def primal(obj: Object) -> Object:
    """``D(τ)₁`` (5.5 and 5.6)."""
    parts = columns_of(obj)
    match obj:
        case Tensor():
            return obj
        case Fun(dom, cod):
            back = Fun(cotangent(cod), cotangent(dom))
            return Fun(primal(dom), Product(primal(cod), back))
    if parts is None:
        raise MissingRule(f"CHAD (002, Def. 5.6) has no type {obj!r}: realⁿ, 1, × and → alone")
    return Product(*map(primal, parts))


def cotangent(obj: Object) -> Object:
    """``D(τ)₂``; integers and booleans do not move, so that theirs is 1."""
    if isinstance(obj, Tensor):
        return obj if obj.is_smooth else Unit
    if isinstance(obj, Fun):
        return copower(primal(obj.dom), cotangent(obj.cod))
    return Product(*map(cotangent, columns_of(obj) or ()))


def extended(gamma: Record, x: Var) -> Record:
    """``D(Γ, x)₂``."""
    return Record.of((*gamma.names, x.name), gamma.product.snoc(cotangent(x.type)))


def cotangents(gamma: Sequence[Var]) -> Record:
    """``D(Γ)₂``."""
    return reduce(extended, gamma, Record())


@dataclass
class Chad:
    """``D_Γ`` (5.7)."""

    names: Names
    bound: set[str]

    def term(self, t: Term, gamma: Record) -> Term:
        """``D_Γ(t)``."""
        block = Block(names=self.names)
        return block.term(Tuple(self.named(t, gamma, block)))

    def named(self, t: Term, gamma: Record, block: Block) -> tuple[Var, Var]:
        """``let ⟨x, x'⟩ = D_Γ(t) in``, as lines: x and x'."""
        y, back = self.rule(t, gamma, block)
        x = y if isinstance(y, Var) else block.bind(y, "x")
        x_ = linear(self.names, "v", cotangent(t.type), lambda v: summed(back(v), gamma))
        return x, block.bind(x_, f"{x.name}'")

    def rule(self, t: Term, gamma: Record, block: Block) -> Rule:
        """The rules of Definition 5.7; those of what a rule is made of are lines before it."""
        match t:
            case Var(name):
                return Var(name, primal(t.type)), lambda v: [Prim(coproj(gamma, name), (v,))]
            case Const():
                return t, lambda _: []
            case Let(((x, bound), *rest), body):
                return self.let(x, bound, let(tuple(rest), body), gamma, block)
            case Tuple(items):
                xs, backs = self.several(items, gamma, block)
                return Tuple(xs), lambda v: [App(x_, Proj(i, v)) for i, x_ in backs.items()]
            case Proj(index, product):
                x, back = self.named(product, gamma, block)
                zeros = [zero(part) for part in columns_of(cotangent(product.type)) or ()]
                before, after = zeros[:index], zeros[index + 1 :]
                return Proj(index, x), lambda v: [App(back, Tuple((*before, v, *after)))]
            case Lam((x,), body):
                return self.abstraction(x, body, gamma, block)
            case Lam(params, body):  # of several parameters: let x = fst p in let y = snd p in t
                p = Var(self.names.fresh("p"), t.dom)
                parts = tuple((x, Proj(i, p)) for i, x in enumerate(params))
                return self.abstraction(p, let(parts, body), gamma, block)
            case App(function, argument):
                (x, y), backs = self.several((function, argument), gamma, block)
                z = block.bind(App(x, y), "z")
                ctx, arg = backs[0], Proj(1, z)
                return Proj(0, z), lambda v: [
                    App(ctx, call(TIMES, y, v)),
                    App(backs[1], App(arg, v)),
                ]
            case Prim(f, args) if f.primitive is LOOP:
                called = App(rounds(f, tuple(arg.type for arg in args)), pack(args))
                return self.rule(called, gamma, block)
            case Prim(f, args) if all(isinstance(a.type, Tensor) for a in (t, *args)):
                xs, backs = self.several(args, gamma, block)
                y = block.bind(Prim(f, xs), "y")
                return y, lambda v: pulled(Prim(f, xs), y, v, backs)
        raise MissingRule(f"CHAD (002, Def. 5.7) has no rule for {t!r:.80}")

    def several(self, items: Sequence[Term], gamma: Record, block: Block) -> Any:
        """``let ⟨x, x'⟩ = D_Γ(t) in let ⟨y, y'⟩ = D_Γ(s) in``: x, y, and x', y' by their places."""
        both = [self.named(item, gamma, block) for item in items]
        return tuple(x for x, _ in both), dict(enumerate(back for _, back in both))

    def let(self, x: Var, t: Term, s: Term, gamma: Record, block: Block) -> Rule:
        """``let x = t in s``: the chain rule, in the docstring of this file."""
        x, s = self.apart(x, s)
        bound, x_ = self.named(t, gamma, block)
        block.lines.append((Var(x.name, primal(x.type)), bound))
        y, y_ = self.named(s, extended(gamma, x), block)

        def back(v: Var) -> list[Term]:
            inner = Block(block)
            star = inner.bind(App(y_, v), "v*")
            return [inner.term(summed((App(x_, call(SND, star)), call(FST, star)), gamma))]

        return y, back

    def abstraction(self, x: Var, t: Term, gamma: Record, block: Block) -> Rule:
        """``let y = λx. D_Γ,x(t) in ⟨λx. let ⟨z, z'⟩ = y x in ⟨z, λv. snd (z' • v)⟩, …⟩``."""
        x, t = self.apart(x, t)
        a, again = (Var(self.names.fresh(x.name), primal(x.type)) for _ in range(2))
        v, inner = Var(self.names.fresh("v"), cotangent(t.type)), Block(block)
        closure = Lam((Var(x.name, a.type),), self.term(t, extended(gamma, x)))
        y = block.bind(closure, "y")
        z = inner.bind(App(y, a), "z")
        snd = linear(self.names, "v", v.type, lambda v: call(SND, App(Proj(1, z), v)))
        fst = Lam((again, v), call(FST, App(Proj(1, App(y, again)), v)))
        function = Lam((a,), inner.term(Tuple((Proj(0, z), snd))))
        return function, lambda v: [call(CASE, v, fst)]

    def apart(self, x: Var, t: Term) -> tuple[Var, Term]:
        """``Γ, x ⊢ t`` with x renamed where it has been bound before."""
        new = Var(self.names.fresh(x.name), x.type) if x.name in self.bound else x
        self.bound.add(new.name)
        return new, t if new is x else remade(t, lambda node: new if node == x else node)


def chad(lam: Lam) -> Lam:
    """``λΓ. D_Γ(t)`` of ``λΓ. t``."""
    gamma = tuple(Var(x.name, primal(x.type)) for x in lam.params)
    system = Chad(names_beside(lam), {x.name for x in gamma})
    return Lam(gamma, system.term(lam.body, cotangents(lam.params)))


def gradient(
    lam: Lam, point: Point, covector: Any, over: Carrier, *, in_place: bool = False
) -> Outcome:
    """``y' • ȳ`` of ``⟨y, y'⟩ = D_Γ(t)``."""
    evaluation = LinearFunctions(over, in_place)
    y, back = meaning(chad(lam), evaluation)(*point)
    visits = evaluation.visits
    return Outcome(y, flat(lam, point, back(covector)), visits["•"] + visits["coproj"])


accumulated = partial(gradient, in_place=True)
"""The gradient, with the cotangents of an environment added to in place."""
