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

Nothing is added up in ``↽x`` of an x that is neither bound here nor in B. Sums are assigned once,
each to a variable of its own. A λ remembers its transform, which remembers what it is of.

    J ⟨σ, e⟩ = ⟨↼σ, ↼e⟩   where  ↼σ ↼x = J (σ x)  for x in F e,  and  ↼σ x = σ0 x  else
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from combinators.errors import TypeMismatch
from papers.vlad.reader import CAR, CDR, EMPTY
from papers.vlad.syntax import (
    BACKPROPAGATOR,
    REVERSE,
    SENSITIVITY,
    Access,
    Application,
    Block,
    Cons,
    Form,
    Lambda,
    fresh,
)
from papers.vlad.values import (
    Conjunction,
    Delayed,
    FunctionValue,
    Primitive,
    ReverseValue,
    halves,
    remembered,
    show,
)


def transformed(e: Lambda) -> Lambda:
    """``↼e``."""
    if REVERSE not in e.images:
        forwards = [binding for x, form in e.bindings for binding in phi(x, form)]
        back = fresh("back")
        last = fresh("pair"), Cons(e.result + REVERSE, back)
        bindings = *forwards, (back, backwards(e)), last
        e.images[REVERSE] = Lambda(e.parameter + REVERSE, bindings, of=e)
    found: Lambda = e.images[REVERSE]
    return found


def phi(x: str, form: Form) -> list[tuple[str, Form]]:
    """The forward phase."""
    match form:
        case Access(y):
            return [(x + REVERSE, Access(y + REVERSE))]
        case Application(f, y):
            both = fresh("both")
            return [
                (both, Application(f + REVERSE, y + REVERSE)),
                (x + REVERSE, Application(CAR, both)),
                (x + BACKPROPAGATOR, Application(CDR, both)),
            ]
        case Cons(y, z):
            return [(x + REVERSE, Cons(y + REVERSE, z + REVERSE))]
        case Lambda():
            return [(x + REVERSE, transformed(form))]


class Sums(Block):
    """The reverse phase that is being written: where each ``↽x`` stands by now."""

    def __init__(self, e: Lambda) -> None:
        super().__init__()
        self.now: dict[str, str] = {}
        for x in (*e.base_free, e.parameter, *[x for x, _ in e.bindings[:-1]]):
            self.now[x] = self.apply("zero", self.apply("*j-inverse", x + REVERSE))
        self.now[e.result] = e.result + SENSITIVITY

    def add(self, x: str, more: str) -> None:
        """``↽x ⊕= more``."""
        if x in self.now:
            self.now[x] = self.apply("plus", self.bind(Cons(self.now[x], more)))

    def rho(self, x: str, form: Form) -> None:
        """The reverse phase of a binding."""
        given = self.now[x]
        match form:
            case Access(y):
                self.add(y, given)
            case Application(f, y):
                both = self.apply(x + BACKPROPAGATOR, given)
                self.add(f, self.apply(CAR, both))
                self.add(y, self.apply(CDR, both))
            case Cons(y, z):
                self.add(y, self.apply(CAR, given))
                self.add(z, self.apply(CDR, given))
            case Lambda():
                for y in form.base_free:
                    self.add(y, self.apply(CAR, given))
                    given = self.apply(CDR, given)


def backwards(e: Lambda) -> Lambda:
    """``λ↽xn let … in ([↽x'1, …, ↽x'l] , ↽x0) end``."""
    sums = Sums(e)
    for x, form in reversed(e.bindings):
        sums.rho(x, form)
    environment = EMPTY
    for _ in range(e.tags):
        environment = sums.apply("*j", environment)
    for x in reversed(e.base_free):
        environment = sums.bind(Cons(sums.now[x], environment))
    sums.bind(Cons(environment, sums.now[e.parameter]))
    return Lambda(e.result + SENSITIVITY, tuple(sums.bindings))


def transforms(
    top: Mapping[str, Any], of_primitive: Callable[[Primitive], FunctionValue]
) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """``J`` and ``J⁻¹``, given σ0 and what evaluates the transform of a primitive in it."""

    @remembered
    def j(v: Any) -> Any:
        made: Any
        match v:
            case Conjunction():
                made = halves(j, v)
            case FunctionValue(environment, e):
                moved = {x + REVERSE: Delayed(j, (environment[x],)) for x in e.free}
                image = transformed(e)
                rest = {x: top[x] for x in image.free if x not in moved}
                made = FunctionValue({**moved, **rest}, image)
            case Primitive():
                made = of_primitive(v)
            case _:
                return ReverseValue(v)
        made.known[(j_inverse,)] = v, ()
        return made

    @remembered
    def j_inverse(v: Any) -> Any:
        match v:
            case ReverseValue(below):
                return below
            case Conjunction():
                return halves(j_inverse, v)
            case FunctionValue(environment, Lambda(of=Lambda() as e)):
                before = {x: Delayed(j_inverse, (environment[x + REVERSE],)) for x in e.free}
                return FunctionValue(before, e)
            case FunctionValue(_, Lambda(of=Primitive() as t)):
                return t
        raise TypeMismatch(f"J⁻¹ takes what J gave, and {show(v)} is none")

    return j, j_inverse
