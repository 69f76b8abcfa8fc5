"""Concategories: arrows from lists of objects to lists of objects (section 6), in Python.

    e₁;e₂ : T₁ → T₃        e₁ # e₂ : T₁, T₃ → T₂, T₄        u_T : T → []        ⟨e₁, e₂⟩

    ⟦var_T;i⟧ = ⟨id_T, πᵢ⟩        ⟦op_T;m⟧ = id_T # ⟨id, op⟩      ⟦e₁;e₂⟧ = ⟦e₁⟧;⟦e₂⟧
    ⟦pair_T⟧  = id_T # pair       ⟦proj_T₁;T₂;T₃⟧ = id_T₁ # u_T₂ # id_T₃

An arrow is typed, and a function from a list of values to a list of values (Defs. 6.2 and 6.4). A
multicategory has those with one target (6.1); ``multi`` and ``concat`` go to and fro (6.6 and 6.8).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from combinators.objects import Product
from tests.papers.unary_form.languages import meaning
from tests.papers.unary_form.unary import Types, Unary


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
    """``⟦e⟧`` of Source UNF, by the table of 6.2."""
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
    first, second = e.of
    return SMOOTH.then(interpreted(first, over), interpreted(second, over))


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
