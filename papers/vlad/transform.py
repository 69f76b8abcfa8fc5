"""The reverse transform ``↼e``, by φ and ρ; ``J`` and ``J⁻¹`` (section 4).

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

    J ⟨σ, e⟩ = ⟨↼σ, ↼e⟩   where  ↼σ ↼x = J (σ x)  for x in F e,  and  ↼σ x = σ0 x  else
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from combinators.errors import TypeMismatch
from papers.vlad.reader import EMPTY, abstraction, read
from papers.vlad.syntax import Access, Application, Cons, Form, Lambda
from papers.vlad.values import (
    Conjunction,
    Delayed,
    FunctionValue,
    Primitive,
    ReverseValue,
    remembered,
    show,
)


def phi(x: str, form: Form) -> list[Any]:
    """The forward phase of a binding: a pattern and an expression."""
    match form:
        case Access(y):
            return [f"{x}↼", f"{y}↼"]
        case Application(f, y):
            return [["cons", f"{x}↼", f"{x}¯"], [f"{f}↼", f"{y}↼"]]
        case Cons(y, z):
            return [f"{x}↼", ["cons", f"{y}↼", f"{z}↼"]]
        case Lambda():
            return [f"{x}↼", transformed(form)]


def rho(x: str, form: Form) -> list[Any]:
    """The reverse phase of a binding: a pattern, and the expression that adds to it."""
    match form:
        case Access(y):
            return [y, f"{x}↽"]
        case Application(f, y):
            return [["cons", f, y], [f"{x}¯", f"{x}↽"]]
        case Cons(y, z):
            return [["cons", y, z], f"{x}↽"]
        case Lambda():
            return [["list", *form.base_free], f"{x}↽"]


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
    gains = [accumulated(set(summed), *rho(x, form)) for x, form in reversed(e.bindings)]
    nothing: Any = EMPTY
    for _ in range(e.tags):
        nothing = ["*j", nothing]
    environment = ["cons", *[f"{x}↽" for x in e.base_free], nothing]
    both = ["cons", environment, f"{e.parameter}↽"]
    return ["lambda", [f"{e.result}↽"], ["let", [*zeros, *chain(*gains)], both]]


def transformed(e: Lambda) -> Lambda:
    """``↼e``, which is made once."""
    if not e.image:
        forwards = [phi(x, form) for x, form in e.bindings]
        body = ["let", forwards, ["cons", f"{e.result}↼", backpropagator(e)]]
        e.image.append(abstraction([f"{e.parameter}↼"], body, of=e))
    return e.image[0]


def transforms(top: Mapping[str, Any]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """``J`` and ``J⁻¹``, given σ0."""

    def closed(e: Lambda, moved: dict[str, Any]) -> FunctionValue:
        return FunctionValue({x: top[x] for x in e.free if x not in moved} | moved, e)

    @remembered
    def j(v: Any) -> Any:
        match v:
            case Conjunction():
                return v.map(j)
            case FunctionValue(environment, e):
                moved = {f"{x}↼": Delayed(j, (environment[x],)) for x in e.free}
                return closed(transformed(e), moved)
            case Primitive():
                ((_, parameters, body),) = read(v.transform)
                return closed(abstraction(parameters, body, of=v), {})
        return ReverseValue(v)

    @remembered
    def j_inverse(v: Any) -> Any:
        match v:
            case ReverseValue(below):
                return below
            case Conjunction():
                return v.map(j_inverse)
            case FunctionValue(environment, Lambda(of=Lambda() as e)):
                before = {x: Delayed(j_inverse, (environment[f"{x}↼"],)) for x in e.free}
                return FunctionValue(before, e)
            case FunctionValue(_, Lambda(of=Primitive() as t)):
                return t
        raise TypeMismatch(f"J⁻¹ takes what J gave, and {show(v)} is none")

    return j, j_inverse
