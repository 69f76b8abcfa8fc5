"""The reverse transform ``↼e``, by φ and ρ (section 4).

::

    φ{xi = xj}      ≡  ↼xi = ↼xj              ρ{xi = xj}      ≡  ↽xj ⊕= ↽xi
    φ{xi = xj xk}   ≡  (↼xi , x̄i) = ↼xj ↼xk   ρ{xi = xj xk}   ≡  (↽xj , ↽xk) ⊕= x̄i ↽xi
    φ{xi = xj , xk} ≡  ↼xi = ↼xj , ↼xk        ρ{xi = xj , xk} ≡  (↽xj , ↽xk) ⊕= ↽xi
    φ{xi = λx e}    ≡  ↼xi = ↼(λx e)          ρ{xi = λx e}    ≡  [↽x'1, …, ↽x'l] ⊕= ↽xi

    ↼(λx0 let x1 = e1; …; xn = en in xn end)  ≡
      λ↼x0 let φ{x1 = e1}; …; φ{xn = en}
           in (↼xn , (λ↽xn let ↽x = 0 (J⁻¹ ↼x) for x in x'1 … x'l, x0 … xn-1;
                               ρ{xn = en}; …; ρ{x1 = e1}
                           in ([↽x'1, …, ↽x'l] , ↽x0) end)) end      x' of B, by ≺

They give s-expressions, which are read as any are: into A-normal form, α-converted. Nothing is
added up in ``↽x`` of an x that is neither bound here nor in B.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from papers.vlad.syntax import EMPTY, Form, Lambda, abstraction


def phases(x: str, form: Form) -> tuple[list[Any], list[Any]]:
    """``φ{x = e}``, a pattern and an expression, and ``ρ{x = e}``, a pattern and what it gains."""
    match form:
        case str():
            return [f"{x}↼", f"{form}↼"], [form, f"{x}↽"]
        case (_, y, z):
            return [f"{x}↼", ["cons", f"{y}↼", f"{z}↼"]], [["cons", y, z], f"{x}↽"]
        case Lambda():
            return [f"{x}↼", transformed(form)], [["list", *form.base_free], f"{x}↽"]
        case (f, y):
            forwards = [["cons", f"{x}↼", f"{x}¯"], [f"{f}↼", f"{y}↼"]]
            return forwards, [["cons", f, y], [f"{x}¯", f"{x}↽"]]


def accumulated(summed: set[str], pattern: Any, gain: Any) -> list[Any]:
    """``↽pattern ⊕= gain``, a variable at a time, since one may stand twice."""
    if isinstance(pattern, str):
        return [[f"{pattern}↽", ["plus", f"{pattern}↽", gain]]] if pattern in summed else []
    constructor, *variables = pattern
    parts = [f"part{i}" if x in summed else EMPTY for i, x in enumerate(variables)]
    sums = [accumulated(summed, x, part) for x, part in zip(variables, parts, strict=True)]
    return [[[constructor, *parts], gain], *chain(*sums)]


def backpropagator(e: Lambda) -> Any:
    """``λ↽xn let … in ([↽x'1, …, ↽x'l] , ↽x0) end``."""
    summed = [*e.base_free, e.parameter, *[x for x, _ in e.bindings]]
    zeros = [[f"{x}↽", ["zero", ["*j-inverse", f"{x}↼"]]] for x in summed[:-1]]
    gains = [accumulated(set(summed), *phases(x, form)[1]) for x, form in reversed(e.bindings)]
    nothing: Any = EMPTY
    for _ in range(e.tags):
        nothing = ["*j", nothing]
    both = ["cons", ["cons", *[f"{x}↽" for x in e.base_free], nothing], f"{e.parameter}↽"]
    return ["lambda", [f"{e.result}↽"], ["let", [*zeros, *chain(*gains)], both]]


def transformed(e: Lambda) -> Lambda:
    """``↼e``, which is made once."""
    if not e.image:
        forwards = [phases(x, form)[0] for x, form in e.bindings]
        body = ["let", forwards, ["cons", f"{e.result}↼", backpropagator(e)]]
        e.image.append(abstraction([f"{e.parameter}↼"], body, of=e))
    return e.image[0]
