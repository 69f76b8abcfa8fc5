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
from functools import partial
from typing import Any

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
    FormalSum,
    LinearFunctions,
    coproj,
    names_beside,
    pulled,
    summed,
    zero,
)
from papers.plain_functions import meaning, rounds

Lines = list[tuple[Var, Term]]
Rule = tuple[Term, Callable[[Term], Term]]
"""``⟨t, λv. s⟩``: t, and s of v."""


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
        return FormalSum(primal(obj.dom), cotangent(obj.cod))
    return Product(*map(cotangent, columns_of(obj) or ()))


def cotangents(gamma: Sequence[Var]) -> Record:
    """``D(Γ)₂``."""
    return Record.of(tuple(x.name for x in gamma), Product(*(cotangent(x.type) for x in gamma)))


@dataclass
class Chad:
    """``D_Γ`` (5.7)."""

    names: Names
    bound: set[str]

    def term(self, t: Term, gamma: Record) -> Term:
        """``D_Γ(t)``."""
        lines: Lines = []
        pair = Tuple(self.named(t, gamma, lines))
        return let(tuple(lines), pair)

    def named(self, t: Term, gamma: Record, lines: Lines) -> tuple[Var, Var]:
        """``let ⟨x, x'⟩ = D_Γ(t) in``, as lines: x and x'."""
        y, back = self.rule(t, gamma, lines)
        x = y if isinstance(y, Var) else self.line("x", y, lines)
        return x, self.line(f"{x.name}'", self.linear(t.type, back), lines)

    def rule(self, t: Term, gamma: Record, lines: Lines) -> Rule:
        """The rules of Definition 5.7; those of what a rule is made of are in ``lines``."""
        match t:
            case Var(name):
                return Var(name, primal(t.type)), lambda v: Prim(coproj(gamma, name), (v,))
            case Const():
                return t, lambda _: zero(gamma)
            case Let(((x, bound), *rest), body):
                return self.let(x, bound, let(tuple(rest), body), gamma, lines)
            case Tuple(items):
                both = [self.named(item, gamma, lines) for item in items]
                return Tuple(tuple(x for x, _ in both)), lambda v: summed(
                    (App(back, Proj(i, v)) for i, (_, back) in enumerate(both)), gamma
                )
            case Proj(index, product):
                x, back = self.named(product, gamma, lines)
                spaces = columns_of(cotangent(product.type)) or ()
                zeros = [zero(space) for space in spaces]
                return Proj(index, x), lambda v: App(
                    back, Tuple((*zeros[:index], v, *zeros[index + 1 :]))
                )
            case Lam():
                return self.abstraction(*self.desugared(t), gamma, lines)
            case App(function, argument):
                x, ctx = self.named(function, gamma, lines)
                y, y_ = self.named(argument, gamma, lines)
                pair = self.line("z", App(x, y), lines)
                return Proj(0, pair), lambda v: summed(
                    (App(ctx, Prim(TIMES, (y, v))), App(y_, App(Proj(1, pair), v))), gamma
                )
            case Prim(f, args) if f.primitive is LOOP:
                called = App(rounds(f, tuple(arg.type for arg in args)), pack(args))
                return self.rule(called, gamma, lines)
            case Prim(f, args) if all(isinstance(a.type, Tensor) for a in (t, *args)):
                both = [self.named(arg, gamma, lines) for arg in args]
                xs, stars = [x for x, _ in both], dict(enumerate(back for _, back in both))
                y = self.line("y", Prim(f, tuple(xs)), lines)
                return y, lambda v: pulled(f, xs, y, v, stars, gamma)
        raise MissingRule(f"CHAD (002, Def. 5.7) has no rule for {t!r:.80}")

    def let(self, x: Var, t: Term, s: Term, gamma: Record, lines: Lines) -> Rule:
        """``let x = t in s``: the chain rule, in the docstring of this file."""
        x, s = self.apart(x, s)
        bound, x_ = self.named(t, gamma, lines)
        lines.append((Var(x.name, primal(x.type)), bound))
        y, y_ = self.named(s, extended(gamma, x), lines)

        def back(v: Term) -> Term:
            star = Var(self.names.fresh("v*"), extended(gamma, x))
            both = summed((App(x_, Prim(SND, (star,))), Prim(FST, (star,))), gamma)
            return Let(((star, App(y_, v)),), both)

        return y, back

    def abstraction(self, x: Var, t: Term, gamma: Record, lines: Lines) -> Rule:
        """``let y = λx. D_Γ,x(t) in ⟨λx. let ⟨z, z'⟩ = y x in ⟨z, λv. snd (z' • v)⟩, …⟩``."""
        x, t = self.apart(x, t)
        own, again = (Var(self.names.fresh(x.name), primal(x.type)) for _ in range(2))
        closure = Lam((Var(x.name, primal(x.type)),), self.term(t, extended(gamma, x)))
        y = self.line("y", closure, lines)
        z = Var(self.names.fresh("z"), closure.body.type)
        snd = self.linear(t.type, lambda v: Prim(SND, (App(Proj(1, z), v),)))
        function = Lam((own,), Let(((z, App(y, own)),), Tuple((Proj(0, z), snd))))
        w = Var(self.names.fresh("v"), cotangent(t.type))
        fst = Lam((again, w), Prim(FST, (App(Proj(1, App(y, again)), w),)))
        return function, lambda v: Prim(CASE, (v, fst))

    def line(self, wish: str, t: Term, lines: Lines) -> Var:
        """A line of its own name."""
        x = Var(self.names.fresh(wish), t.type)
        lines.append((x, t))
        return x

    def linear(self, obj: Object, back: Callable[[Term], Term]) -> Lam:
        """``λv. …``, with v : D(τ)₂."""
        v = Var(self.names.fresh("v"), cotangent(obj))
        return Lam((v,), back(v))

    def apart(self, x: Var, t: Term) -> tuple[Var, Term]:
        """``Γ, x ⊢ t`` with x renamed where it has been bound before."""
        new = Var(self.names.fresh(x.name), x.type) if x.name in self.bound else x
        self.bound.add(new.name)
        return new, t if new is x else remade(t, lambda node: new if node == x else node)

    def desugared(self, t: Lam) -> tuple[Var, Term]:
        """``λ(x, y). t`` as ``λp. let x = fst p in let y = snd p in t``."""
        if len(t.params) == 1:
            return t.params[0], t.body
        p = Var(self.names.fresh("p"), t.dom)
        return p, let(tuple((x, Proj(i, p)) for i, x in enumerate(t.params)), t.body)


def extended(gamma: Record, x: Var) -> Record:
    """``D(Γ, x)₂``."""
    return Record.of((*gamma.names, x.name), gamma.product.snoc(cotangent(x.type)))


def chad(lam: Lam) -> Lam:
    """``λΓ. D_Γ(t)`` of ``λΓ. t``."""
    gamma = tuple(Var(x.name, primal(x.type)) for x in lam.params)
    return Lam(
        gamma,
        Chad(names_beside(lam), {x.name for x in gamma}).term(lam.body, cotangents(lam.params)),
    )


def gradient(
    lam: Lam, point: Point, covector: Any, over: Carrier, *, in_place: bool = False
) -> Outcome:
    """``y' • ȳ`` of ``⟨y, y'⟩ = D_Γ(t)``."""
    evaluation = LinearFunctions(over, in_place)
    y, back = meaning(chad(lam), evaluation)(*point)
    found = back(covector)
    slopes = [found.get(x.name) for x in lam.params]
    return Outcome(y, flat(lam, point, slopes), evaluation.visits.total())


accumulated = partial(gradient, in_place=True)
"""The gradient, with the cotangents of an environment added to in place."""
