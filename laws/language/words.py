"""The combinators as laws are written with them: two factors, one captured variable."""

from __future__ import annotations

from combinators.errors import TypeMismatch
from combinators.morphisms import Curry, Eval, Id, Morphism, Projection, prod
from combinators.objects import Fun, Object, Product, Unit
from laws.language.operators import Zero


def pair(*arrows: Morphism) -> Morphism:
    """``⟨f, g, …⟩``."""
    return prod(arrows[0].dom, *arrows)


def first(*factors: Object) -> Morphism:
    """``π₁ : A × B → A``."""
    return Projection(Product(*factors), 0)


def second(*factors: Object) -> Morphism:
    """``π₂ : A × B → B``."""
    return Projection(Product(*factors), 1)


def discard(obj: Object) -> Morphism:
    """``! : A → 1``."""
    return prod(obj)


def parallel(f: Morphism, g: Morphism) -> Morphism:
    """``f × g``."""
    return pair(first(f.dom, g.dom) >> f, second(f.dom, g.dom) >> g)


def copy(obj: Object) -> Morphism:
    """``Δ : A → A × A``."""
    return pair(Id(obj), Id(obj))


def swap(left: Object, right: Object) -> Morphism:
    """``σ : A × B → B × A``."""
    return pair(second(left, right), first(left, right))


def curry(body: Morphism) -> Morphism:
    """``Λf : A → (B ⇒ C)`` of ``f : A × B → C``."""
    if not isinstance(body.dom, Product) or body.dom.width != 2:
        raise TypeMismatch(f"Λ is of an arrow out of a product of two, not from {body.dom!r}")
    return prod(body.dom.parts[0], Id(body.dom.parts[0])) >> Curry(body)


def ev(dom: Object, cod: Object) -> Morphism:
    """``ev : (A ⇒ B) × A → B``."""
    return Eval(Fun(dom, cod))


def uncurry(function: Morphism) -> Morphism:
    """``Λ⁻¹h = (h × id); ev : A × B → C`` of ``h : A → (B ⇒ C)``."""
    cod = function.cod
    if not isinstance(cod, Fun):
        raise TypeMismatch(f"only an arrow into functions is uncurried, not one into {cod!r}")
    return parallel(function, Id(cod.dom)) >> Eval(cod)


def exponential(before: Morphism, after: Morphism) -> Morphism:
    """``f ⇒ g : (A ⇒ B) → (A' ⇒ B')`` of ``f : A' → A`` and ``g : B → B'``."""
    functions = Fun(before.cod, after.dom)
    return curry(parallel(Id(functions), before) >> Eval(functions) >> after)


def into_first(left: Object, right: Object) -> Morphism:
    """``ι₁ = ⟨1, 0⟩ : A → A × B``."""
    return pair(Id(left), Zero(left, right))


def into_second(left: Object, right: Object) -> Morphism:
    """``ι₂ = ⟨0, 1⟩ : B → A × B``."""
    return pair(Zero(right, left), Id(right))


def associate(a: Object, b: Object, c: Object) -> Morphism:
    """``α : (A × B) × C → A × (B × C)``."""
    left, right = first(Product(a, b), c), second(Product(a, b), c)
    return pair(left >> first(a, b), pair(left >> second(a, b), right))


def everywhere(point: Morphism, dom: Object) -> Morphism:
    """``A → B``, the global element ``1 → B`` after ``! : A → 1``."""
    return point if dom is Unit else discard(dom) >> point
