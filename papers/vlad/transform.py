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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from combinators.errors import TypeMismatch
from papers.vlad.reader import CAR, CDR, EMPTY, fresh
from papers.vlad.syntax import (
    Access,
    Application,
    Cons,
    Form,
    Lambda,
    backpropagator,
    reverse,
    sensitivity,
)
from papers.vlad.values import (
    Conjunction,
    FunctionValue,
    Primitive,
    ReverseValue,
    mapped,
    remembered,
    show,
)

Bindings = list[tuple[str, Form]]


def transformed(e: Lambda) -> Lambda:
    """``↼e``."""
    if "↼" not in e.images:
        forwards = [binding for x, form in e.bindings for binding in phi(x, form)]
        back = fresh("back")
        pair = back, backwards(e)
        last = fresh("pair"), Cons(reverse(e.result), back)
        e.images["↼"] = Lambda(reverse(e.parameter), (*forwards, pair, last), of=e)
    found: Lambda = e.images["↼"]
    return found


def phi(x: str, form: Form) -> Bindings:
    """The forward phase."""
    match form:
        case Access(y):
            return [(reverse(x), Access(reverse(y)))]
        case Application(f, y):
            both = fresh("both")
            return [
                (both, Application(reverse(f), reverse(y))),
                (reverse(x), Application(CAR, both)),
                (backpropagator(x), Application(CDR, both)),
            ]
        case Cons(y, z):
            return [(reverse(x), Cons(reverse(y), reverse(z)))]
        case Lambda():
            return [(reverse(x), transformed(form))]


class Sums:
    """The reverse phase that is being written: where each ``↽x`` stands by now."""

    def __init__(self, e: Lambda) -> None:
        self.bindings: Bindings = []
        self.now: dict[str, str] = {}
        for x in (*e.base_free, e.parameter, *[x for x, _ in e.bindings[:-1]]):
            self.now[x] = self.apply("zero", self.apply("*j-inverse", reverse(x)))
        self.now[e.result] = sensitivity(e.result)

    def bind(self, form: Form) -> str:
        x = fresh("s")
        self.bindings.append((x, form))
        return x

    def apply(self, function: str, argument: str) -> str:
        return self.bind(Application(function, argument))

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
                both = self.apply(backpropagator(x), given)
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
    return Lambda(sensitivity(e.result), tuple(sums.bindings))


@dataclass(frozen=True, eq=False)
class Transformer:
    """``J`` and ``J⁻¹``, given σ0 and what evaluates the transform of a primitive in it."""

    top: Mapping[str, Any]
    primitive: Any

    def j(self, v: Any) -> Any:
        """``J v``."""
        match v:
            case Conjunction(left, right):
                made = remembered(
                    "J", v, lambda: Conjunction(mapped(self.j, left), mapped(self.j, right))
                )
            case FunctionValue(environment, code):
                made = remembered("J", v, lambda: self._closure(environment, code))
            case Primitive():
                made = remembered("J", v, lambda: self.primitive(v))
            case _:
                return ReverseValue(v)
        made.known["J⁻¹"] = v
        return made

    def _closure(self, environment: Mapping[str, Any], e: Lambda) -> FunctionValue:
        image = transformed(e)
        moved = {reverse(x): mapped(self.j, environment[x]) for x in e.free}
        rest = {x: self.top[x] for x in image.free if x not in moved}
        return FunctionValue({**moved, **rest}, image)

    def j_inverse(self, v: Any) -> Any:
        """``J⁻¹ v``; raises TypeMismatch of what is no transform."""
        match v:
            case ReverseValue(below):
                return below
            case Conjunction(left, right):
                inverse = self.j_inverse
                return remembered(
                    "J⁻¹", v, lambda: Conjunction(mapped(inverse, left), mapped(inverse, right))
                )
            case FunctionValue(_, code) if isinstance(code.of, Primitive):
                return code.of
            case FunctionValue(environment, code) if code.of is not None:
                return remembered("J⁻¹", v, lambda: self._inverse(environment, code.of))
        raise TypeMismatch(f"J⁻¹ takes what J gave, and {show(v)} is none")

    def _inverse(self, environment: Mapping[str, Any], e: Lambda) -> FunctionValue:
        return FunctionValue(
            {x: mapped(self.j_inverse, environment[reverse(x)]) for x in e.free}, e
        )
