"""Concategories: arrows from lists of objects to lists of objects (section 6), in Python.

    e₁;e₂ : T₁ → T₃        e₁ # e₂ : T₁, T₃ → T₂, T₄        u_T : T → []        ⟨e₁, e₂⟩

    ⟦var_T;i⟧ = ⟨id_T, πᵢ⟩        ⟦op_T;m⟧ = id_T # ⟨id, op⟩      ⟦e₁;e₂⟧ = ⟦e₁⟧;⟦e₂⟧
    ⟦pair_T⟧  = id_T # pair       ⟦proj_T₁;T₂;T₃⟧ = id_T₁ # u_T₂ # id_T₃
    ⟦e₁ ∘ e₂⟧ = Λ(id # ⟦e₂⟧; Λ⁻¹(⟦e₁⟧))      ⟦⟨e₁, e₂⟩⟧ = ⟨⟦e₁⟧, ⟦e₂⟧⟩      ⟦Jᵀp⟧ = Jᵀ⟦p⟧

    μ : D(T₁), D(T₂) → D(T₁, T₂)                                   D is lax (Def. 6.9)
    μ = x₁, Y₁, x₂, Y₂ ↦ x₁, x₂, fun (y₁, y₂) → Y₁(y₁) +̂ Y₂(y₂)

An arrow is typed, and a function from a list of values to a list of values (Defs. 6.2, 6.4, 6.5). A
multicategory has those with one target (6.1); ``multi`` and ``concat`` go to and fro (6.6 and 6.8).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from combinators.objects import Fun, Object
from combinators.terms import Tuple, packed
from papers.unary_form import languages as la
from papers.unary_form import unary
from papers.unary_form.unary import Primitive, Types, Unary, judgement

Values = tuple[Any, ...]


@dataclass(frozen=True)
class Multimap:
    """An arrow of smooth functions between lists of spaces, with its types."""

    dom: Types
    cod: Types
    run: Callable[[Values], Values]

    def then(self, g: Multimap) -> Multimap:
        assert self.cod == g.dom
        return Multimap(self.dom, g.cod, lambda xs: g.run(self.run(xs)))

    def beside(self, g: Multimap) -> Multimap:
        k, dom, cod = len(self.dom), (*self.dom, *g.dom), (*self.cod, *g.cod)
        return Multimap(dom, cod, lambda xs: (*self.run(xs[:k]), *g.run(xs[k:])))

    def paired(self, g: Multimap) -> Multimap:
        assert self.dom == g.dom
        return Multimap(self.dom, (*self.cod, *g.cod), lambda xs: (*self.run(xs), *g.run(xs)))


def identity(T: Types) -> Multimap:
    """``id_T``."""
    return Multimap(T, T, lambda xs: xs)


def end(T: Types) -> Multimap:
    """``u_T``."""
    return Multimap(T, (), lambda xs: ())


def interpreted(e: Unary, over: Any) -> Multimap:
    """``⟦e⟧`` of Source UNF and of Target UNF (6.2); of a primitive what its terms mean."""
    if isinstance(e, Primitive):
        run = la.meaning(e.params, la.lets(e.bindings, Tuple(e.terms)), over)
        return Multimap(*judgement(e), lambda xs: run(*xs))
    parts = [interpreted(part, over) for part in e.parts]
    if e.former == "∘":
        Y, f = parts
        return Multimap(*judgement(e), lambda xs: (precomposed(Y, f, xs),))
    return reduce(Multimap.then if e.former == ";" else Multimap.paired, parts)


def precomposed(Y: Multimap, f: Multimap, xs: Values) -> Callable[[Any], Any]:
    """``Λ(id # f; Λ⁻¹(Y))``: the continuation, after f of what is there and what it is given."""
    (continuation,) = Y.run(xs)

    def run(given: Any) -> Any:
        zs = f.run((*xs, *(given if len(f.dom) - len(xs) > 1 else (given,))))
        return continuation(zs if len(zs) > 1 else zs[0])

    return run


def multi(g: Multimap, *fs: Multimap) -> Multimap:
    """``f₁ # … # fₙ; (u # A₁ # …); g``, where each f returns its context too (Def. 6.6)."""
    forgetful = (f.then(end(f.dom).beside(identity(f.cod[len(f.dom) :]))) for f in fs)
    return reduce(Multimap.beside, forgetful).then(g)


def concat(*fs: Multimap) -> Multimap:
    """Arrows of one domain and one target each, as one arrow (Def. 6.8)."""
    return reduce(Multimap.paired, fs)


def beside(e1: Unary, e2: Unary) -> Unary:
    """``e₁ # e₂`` of lines, as ``e₁ # id; id # e₂``: what is passed through stands at an end."""
    behind = unary.weakened(e1, sys.maxsize, judgement(e2)[0])
    return unary.in_line(behind, unary.weakened(e2, 0, judgement(e1)[1]))


def laxator(T1: Types, T2: Types, rho: Object) -> Primitive:
    """``μ : D(T₁), D(T₂) → D(T₁, T₂)``, by which D is lax."""
    types = (*T1, Fun(packed(T1), rho), *T2, Fun(packed(T2), rho))
    xs, k = la.variables("x" * len(T1) + "Y" + "x" * len(T2) + "Y", types), len(T1)

    def together(*ys: Any) -> Any:
        return la.plus(la.call(xs[k], *ys[:k]), la.call(xs[-1], *ys[k:]))

    Y = la.fun((*T1, *T2), together, "y" * len((*T1, *T2)))
    return Primitive("μ", T1, (T2,), xs, (*xs[:k], *xs[k + 1 : -1], Y))
