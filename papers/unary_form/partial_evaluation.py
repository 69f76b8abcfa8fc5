"""Partial evaluation (5.1) and the optimizations of Target (Fig. 12): a function a heading.

    before      let Y = fun (y₁, y₂, z) → Y₀(y₁+z, y₂) in fun (z) → Y(0, 0, cos(x)*z)
    inlining    fun (z) → let z₁ = cos(x)*z in Y₀(0+z₁, 0)
    algebra     fun (z) → Y₀(cos(x)*z, 0)

Inlining, tuples and lets are the stage of section 5.1, after which no function is left (Lemma 5.3).
A rule in brackets is used in the paper's examples, and is not printed in the figure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Object, Tensor
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from papers.unary_form import languages as la

UNITS = {"multiply": 1.0, "add": 0.0}


def inlining(t: Term) -> Any:
    """Functions and names are written where they stand.

    ``(fun (x₁, …, xₙ) → e)(e₁, …, eₙ) ⇝ let x₁ = e₁ in … let xₙ = eₙ in e``
    ``let x₁ = e₁ in e₂ ⇝ e₂``, x₁ ∉ FV(e₂)
    ``let x₁ = x₂ in e ⇝ e[x₂/x₁]``,  ``let x₁ = c in e ⇝ e[c/x₁]``, c = 0, 1
    [``let Y = fun … in e ⇝ e[fun …/Y]``, Y once in e, as it is by Lemma 5.1]
    """
    match t:
        case App(Lam(params, e), e1) if len(params) == 1 or isinstance(e1, Tuple):
            return la.lets(la.taken(params, e1), e)
        case Let(((x, e1),), e):
            is_known = isinstance(e1, Var) or everywhere(e1) in UNITS.values()
            if is_known or uses(x, e) <= isinstance(e1, Lam):
                return la.replaced(e, {x.name: e1})
    return None


def used_once(t: Term) -> Any:
    """[``let x = e₁ in e₂ ⇝ e₂[e₁/x]``, x once in e₂ and in no function: Example 5.2]."""
    match t:
        case Let(((x, e1),), e) if uses(x, e, in_function=2) == 1:
            return la.replaced(e, {x.name: e1})
    return None


def tuples(t: Term) -> Any:
    """``πᵢ ⟨e₁, …, eₙ⟩ ⇝ eᵢ`` [and what is bound to a tuple is bound component by component]."""
    match t:
        case Proj(i, Tuple(items)):
            return items[i]
        case Let(((x, Tuple(items)),), e):
            parts = tuple(Var(f"{x.name}.{i}", item.type) for i, item in enumerate(items))
            bindings = [*zip(parts, items, strict=True)]
            return la.lets(bindings, la.replaced(e, {x.name: Tuple(parts)}))
    return None


def let_normalisation(t: Term) -> Any:
    """Bindings stand outside of what they are bound for.

    ``let x = (let y = e₁ in e₂) in e₃ ⇝ let y = e₁ in let x = e₂ in e₃``
    ``f(let x = e₁ in e₂) ⇝ let x = e₁ in f(e₂)``
    """
    return outside(t, Let)


def algebra(t: Term) -> Any:
    """``0 * e ⇝ 0``,  ``0 + e ⇝ e``,  ``1 * e ⇝ e``, of numbers and, with map2, of arrays."""
    name, args = sign(t), t.below()[-2:]
    for e, other in (args, args[::-1]) if name in UNITS else ():
        if everywhere(e) == UNITS[name]:
            return other
        if name == "multiply" and everywhere(e) == 0.0:
            return e
    return None


def arrays(t: Term) -> Any:
    """Maps, reductions and shifts of arrays of one number.

    ``map (x. x) A ⇝ A``  [``map (x. c) A ⇝ CLike(n)``, which is Fig. 4]
    ``reduce * 1 OnesLike(A) ⇝ 1``,  ``reduce + 0 ZerosLike(A) ⇝ 0``  [and so of scans: A.5]
    ``shift1L OnesLike(n+1), shift1R OnesLike(n+1) ⇝ OnesLike(n)``
    """
    match t:
        case Prim(f, (Lam((x, y), Var() as e1), a, b)) if f == la.MAP2 and e1 in (x, y):
            return a if e1 == x else b
        case Prim(f, (Lam(_, Const() as c), _, _)) if f == la.MAP2:
            return like(t.type, everywhere(c))
        case Prim(f, (Lam((x, y), e1), v, a)) if f in la.SECOND_ORDER:
            unit = UNITS.get(sign(e1)) if e1.below() == (x, y) else None
            return like(t.type, unit) if unit == everywhere(v) == everywhere(a) else None
        case Prim(f, (a,)) if f in (la.SHIFT1L, la.SHIFT1R):
            return like(t.type, everywhere(a))
    return None


def fusion(t: Term) -> Any:
    """``map (x. e₁) (map2 (y₁, y₂. e₂) A B) ⇝ map2 (y₁, y₂. let x = e₂ in e₁) A B``."""
    match t:
        case Prim(f, (Lam((x, y), e), Prim(g, (Lam(ys, e2), a, b)), _)) if f == g == la.MAP2:
            return None if uses(y, e) else la.op(la.MAP2, Lam(ys, la.let(x, e2, e)), a, b)
    return None


def conditionals(t: Term) -> Any:
    """A conditional whose branch is known, or is one.

    ``if e₁ then e₂ else e₂ ⇝ e₂``
    ``if true then e₂ else e₃ ⇝ e₂``,  ``if false then e₂ else e₃ ⇝ e₃``
    ``f(if e₁ then e₂ else e₃) ⇝ if e₁ then f(e₂) else f(e₃)``
    """
    match t:
        case Cond(_, then, other) if then == other:
            return then
        case Cond(Const(b), then, other):
            return then if b.array else other
    return outside(t, Cond)


def outside(t: Term, kind: type[Term]) -> Any:
    """``f(e)``, where e is of a kind, as e of ``f(e₂)`` for what e ends with."""
    for i, part in enumerate(strict_parts(t)):
        if isinstance(part, kind):
            first, *last = part.below()
            made = (first, *(with_part(t, i, e2) for e2 in last))
            return Cond(*made) if isinstance(part, Cond) else la.rebuilt(part, made)
    return None


def uses(x: Var, t: Term, in_function: int = 1) -> int:
    """How often x occurs; an occurrence in a function counts so many times."""
    times = in_function if isinstance(t, Lam) else 1
    here = isinstance(t, Var) and t.name == x.name
    return here + times * sum(uses(x, part, in_function) for part in t.below())


def everywhere(t: Term) -> float | None:
    """The number that a constant is, or that its elements are."""
    numbers = {*t.literal.array.flat} if isinstance(t, Const) else ()
    return float(*numbers) if len(numbers) == 1 else None


def like(obj: Object, number: float | None) -> Term | None:
    """``OnesLike`` and others."""
    known = number is not None and isinstance(obj, Tensor)
    return const(np.full(obj.shape, number)) if known else None  # type: ignore[attr-defined]


def sign(t: Term) -> str:
    """The operation that a term is, or that it does everywhere in two arrays."""
    match t:
        case Prim(f, (Lam((x, y), Prim(g, (a, b))), _, _)) if f == la.MAP2 and (a, b) == (x, y):
            return g.name
        case Prim(f):
            return f.name
    return ""


def strict_parts(t: Term) -> tuple[Term, ...]:
    """What is computed whenever t is, and before: no branch, and no body."""
    return () if isinstance(t, Lam) else t.below()[: 1 if isinstance(t, Let | Cond) else None]


def with_part(t: Term, i: int, part: Term) -> Any:
    """The node with another part."""
    below = t.below()
    return la.rebuilt(t, (*below[:i], part, *below[i + 1 :]))


# ---- stages --------------------------------------------------------------------------------------

Stage = tuple[Callable[[Term], Any], ...]
INLINING: Stage = (inlining, tuples, let_normalisation)
PARTIAL_EVALUATION: Stage = (*INLINING, used_once)
"""Section 5.1."""
OPTIMIZATIONS: Stage = (*PARTIAL_EVALUATION, algebra, arrays, fusion)
"""Fig. 12, without conditionals, which may write what follows twice."""


def normal(t: Term, stage: Stage) -> Any:
    """The normal form by the rules of a stage, from the inside."""
    done: dict[int, Term] = {}

    def at(node: Any) -> Recursive[Any]:
        while id(node) not in done:
            parts = []
            for part in node.below():
                parts.append((yield at(part)))
            node = la.rebuilt(node, parts)
            made = next((made for rule in stage if (made := rule(node)) is not None), None)
            if made is None:
                done[id(node)] = node
            else:
                node = made
        return node

    return recurse(at(la.distinct(t)))
