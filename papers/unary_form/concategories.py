"""Concategories: arrows from lists of objects to lists of objects (section 6), in Python.

    e₁;e₂ : T₁ → T₃        e₁ # e₂ : T₁, T₃ → T₂, T₄        u_T : T → []        ⟨e₁, e₂⟩

    ⟦var_T;i⟧ = ⟨id_T, πᵢ⟩        ⟦op_T;m⟧ = id_T # ⟨id, op⟩      ⟦e₁;e₂⟧ = ⟦e₁⟧;⟦e₂⟧
    ⟦pair_T⟧  = id_T # pair       ⟦proj_T₁;T₂;T₃⟧ = id_T₁ # u_T₂ # id_T₃
    ⟦e₁ ∘ e₂⟧ = Λ(id # ⟦e₂⟧; Λ⁻¹(⟦e₁⟧))      ⟦⟨e₁, e₂⟩⟧ = ⟨⟦e₁⟧, ⟦e₂⟧⟩      ⟦Jᵀp⟧ = Jᵀ⟦p⟧

An arrow is typed, and a function from a list of values to a list of values (Defs. 6.2, 6.4, 6.5). A
multicategory has those with one target (6.1); ``multi`` and ``concat`` go to and fro (6.6 and 6.8).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from combinators.objects import Product
from combinators.terms import Tuple, Var
from combinators.translate import translate
from papers.rep_functions.environments import DependentlyTyped
from papers.unary_form.languages import in_house, lets, meaning, names_of
from papers.unary_form.unary import Types, Unary, inverse, judgement


class Concategory(Protocol):
    """A Cartesian concategory: composition in line and side by side, copies and ends."""

    def identity(self, types: Types) -> Any: ...
    def then(self, first: Any, second: Any) -> Any: ...
    def beside(self, left: Any, right: Any) -> Any: ...
    def end(self, types: Types) -> Any: ...
    def paired(self, left: Any, right: Any) -> Any: ...


@dataclass(frozen=True)
class Multimap:
    """An arrow of smooth functions, with its types."""

    dom: Types
    cod: Types
    run: Callable[[tuple[Any, ...]], tuple[Any, ...]]


class SmoothConcategory:
    """Euclidean spaces, and functions between lists of them."""

    def identity(self, types: Types) -> Multimap:
        return Multimap(types, types, lambda xs: xs)

    def then(self, first: Multimap, second: Multimap) -> Multimap:
        assert first.cod == second.dom
        return Multimap(first.dom, second.cod, lambda xs: second.run(first.run(xs)))

    def beside(self, left: Multimap, right: Multimap) -> Multimap:
        k = len(left.dom)
        dom, cod = (*left.dom, *right.dom), (*left.cod, *right.cod)
        return Multimap(dom, cod, lambda xs: (*left.run(xs[:k]), *right.run(xs[k:])))

    def end(self, types: Types) -> Multimap:
        return Multimap(types, (), lambda xs: ())

    def paired(self, left: Multimap, right: Multimap) -> Multimap:
        assert left.dom == right.dom
        cod = (*left.cod, *right.cod)
        return Multimap(left.dom, cod, lambda xs: (*left.run(xs), *right.run(xs)))


SMOOTH = SmoothConcategory()


def interpreted(e: Unary, over: Any) -> Multimap:
    """``⟦e⟧`` of Source UNF and of Target UNF, by the tables of 6.2."""
    match e.former, *e.of:
        case "var", T, i:
            at_i = Multimap(T, (T[i],), lambda xs: (xs[i],))
            return SMOOTH.paired(SMOOTH.identity(T), at_i)
        case "op", _, lam:
            given = tuple(x.type for x in lam.params)
            run = meaning(lam.params, lam.body, over)
            acts = Multimap(given, (lam.body.type,), lambda xs: (run(*xs),))
            return SMOOTH.paired(SMOOTH.identity(given), acts)
        case "pair", T, parts:
            pair = Multimap(parts, (Product(*parts),), lambda xs: (xs,))
            return SMOOTH.beside(SMOOTH.identity(T), pair)
        case "proj", T1, T2, T3:
            shorter = SMOOTH.beside(SMOOTH.identity(T1), SMOOTH.end(T2))
            return SMOOTH.beside(shorter, SMOOTH.identity(T3))
        case "Jᵀ", p:
            dom, cod = judgement(p)
            n = len(dom)
            return Multimap((*dom, *cod), dom, lambda xs: jacobian(p, xs[:n], xs[n:], over))
    first, second = (interpreted(part, over) for part in e.of)
    if e.former == "⟨⟩":
        return SMOOTH.paired(first, second)
    if e.former == "∘":
        return Multimap(*judgement(e), lambda xs: (composed(first, second, xs),))
    return SMOOTH.then(first, second)


def composed(Y: Multimap, before: Multimap, xs: tuple[Any, ...]) -> Callable[[Any], Any]:
    """``Λ(id # ⟦e₂⟧; Λ⁻¹(⟦e₁⟧))``: the continuation, after what is there before it."""
    (continuation,) = Y.run(xs)

    def run(given: Any) -> Any:
        ys = given if len(before.dom) - len(xs) > 1 else (given,)
        zs = before.run((*xs, *ys))
        return continuation(zs if len(zs) > 1 else zs[0])

    return run


def jacobian(p: Unary, xs: tuple[Any, ...], ys: tuple[Any, ...], over: Any) -> tuple[Any, ...]:
    """``Jᵀ⟦p⟧`` at ``xs``, by Figure 5 of 004."""
    dom, _ = judgement(p)
    given = tuple(Var(f"x {i}", obj) for i, obj in enumerate(dom))
    bound, reached = inverse(names_of(*given), p, given)
    term = in_house(lets(bound, Tuple(reached)))
    found: tuple[Any, ...] = DependentlyTyped(over).of(translate(given, term))(xs).pullback(ys)
    return found


def multi(g: Multimap, *fs: Multimap) -> Multimap:
    """``f₁ # … # fₙ; (u # A₁ # …); g``, where each f returns its context too (Def. 6.6)."""
    made = SMOOTH.identity(())
    for f in fs:
        forgetful = SMOOTH.beside(SMOOTH.end(f.dom), SMOOTH.identity(f.cod[len(f.dom) :]))
        made = SMOOTH.beside(made, SMOOTH.then(f, forgetful))
    return SMOOTH.then(made, g)


def concat(*fs: Multimap) -> Multimap:
    """Arrows of one domain and one target each, as one arrow (Def. 6.8)."""
    made, *more = fs
    for f in more:
        made = SMOOTH.paired(made, f)
    return made
