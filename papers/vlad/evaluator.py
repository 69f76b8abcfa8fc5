"""The evaluator, E and A; σ0, the primitives with their transforms as VLAD; and programs.

::

    E σ x       = σ x                           A t v           = t v
    E σ (e1 e2) = A (E σ e1) (E σ e2)           A ⟨σ, λx e⟩ v   = E σ[x ↦ v] e
    E σ (λx e)  = ⟨σ, λx e⟩

    ↼u = E σ0 λ(J x) ((J (u x)) , (λ↽y ([] , ((D u x) × ↽y))))
    ↼b = E σ0 λ(J (x1 , x2)) ((J (b (x1 , x2))) ,
                              (λ↽y ([] , (((D1 b (x1 , x2)) × ↽y) , ((D2 b (x1 , x2)) × ↽y)))))
    ↼p = E σ0 λ(J x) ((J (p x)) , (λ↽y ([] , (0 x))))         ↼0, ↼⊕, ↼J, ↼J⁻¹ below

(The paper prints ``E σ e1`` twice in the second line.) What a body does last needs no stack.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from combinators.errors import TypeMismatch, UnboundVariable
from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, recurse
from papers.vlad.syntax import EMPTY, Lambda, abstraction, plain, read
from papers.vlad.values import FunctionValue, Pair, Primitive, force, j, j_inverse, plus, show, zero

PRELUDE = "(define gradient (lambda (f) (lambda (x) (cdr ((cdr ((*j f) (*j x))) 1)))))"
SECTION_5 = Path(__file__).with_name("section_5.vlad").read_text("utf-8")


Apply = Callable[..., Any]


BASIS: dict[str, Primitive] = {}
"""σ0, before anything is defined. ``t`` is CAR, and ``f`` is CDR."""


def declare(x: str, rows: Mapping[str, tuple[Apply, str]], *, real: bool = False) -> None:
    """Each has a name, a value, and what its backpropagator gives of ``y``, where it took ``x``."""
    for t, (apply, back) in rows.items():
        transform = f"(lambda ((*j {x})) (cons (*j ({t} {x})) (lambda (y) (cons '() {back}))))"
        BASIS[t] = Primitive(t, apply, transform, binary=x == TWO, real=real)


def truth(test: Apply) -> Apply:
    """A predicate that chooses."""
    return lambda *xs: BASIS["car" if test(*xs) else "cdr"]


ONE, TWO = "x", "(cons x1 x2)"
PAIRS: dict[str, tuple[Apply, str]] = {
    "plus": (lambda x1, x2: plus(force(x1), force(x2)), "(cons y y)"),
    "car": (lambda x1, x2: x1, "(cons y (zero x2))"),
    "cdr": (lambda x1, x2: x2, "(cons (zero x1) y)"),
}
U: dict[str, tuple[Apply, str]] = {
    "sqrt": (math.sqrt, "(* (/ 0.5 (sqrt x)) y)"),
    "exp": (math.exp, "(* (exp x) y)"),
    "log": (math.log, "(* (/ 1 x) y)"),
    "sin": (math.sin, "(* (cos x) y)"),
    "cos": (math.cos, "(* (- 0 (sin x)) y)"),
    "negate": (operator.neg, "(* -1 y)"),
}
B: dict[str, tuple[Apply, str]] = {
    "+": (operator.add, "(cons (* 1 y) (* 1 y))"),
    "-": (operator.sub, "(cons (* 1 y) (* -1 y))"),
    "*": (operator.mul, "(cons (* x2 y) (* x1 y))"),
    "/": (operator.truediv, "(cons (* (/ 1 x2) y) (* (/ (- 0 x1) (* x2 x2)) y))"),
}
P: dict[str, Apply] = {
    "null?": lambda v: v == (),
    "real?": lambda v: isinstance(v, Real),
    "pair?": lambda v: isinstance(v, Pair),
    "procedure?": lambda v: isinstance(v, Primitive | FunctionValue),
}
Q = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq}
declare(ONE, {"zero": (zero, "(zero x)"), "*j": (j, "(*j-inverse y)")})
declare(ONE, {"*j-inverse": (j_inverse, "(*j y)")})
declare(TWO, PAIRS)
declare(ONE, U, real=True)
declare(TWO, B, real=True)
declare(ONE, {t: (truth(p), "(zero x)") for t, p in P.items()})
declare(TWO, {t: (truth(q), "(cons (zero x1) (zero x2))") for t, q in Q.items()}, real=True)


class Vlad(dict[str, Any]):
    """A session: σ0, what is defined; and how often each primitive on reals was applied.

    >>> Vlad().run("((gradient (lambda (x) (* x x))) 3)")
    6.0
    """

    def __init__(self, real: type = float) -> None:
        super().__init__()
        self.real, self.counts = real, Counter[str]()
        self.update(BASIS)
        self.run(PRELUDE)

    def __missing__(self, x: str) -> Any:
        """The empty list, every number, and ``↼σ0 ↼x = J (σ0 x)``."""
        try:
            if x.endswith("↼"):
                return j(self[x[:-1]])
            return () if x == EMPTY else self.real(x)
        except ValueError:
            raise UnboundVariable(f"{x} is unbound") from None

    def run(self, text: str) -> Any:
        """Define what ``text`` defines; the value of its last expression."""
        value: Any = ()
        with uncollected():
            for expression in map(plain, read(text)):
                match expression:
                    case ["define", name, e]:
                        self[name] = value = self.value(e)
                    case _:
                        value = self.value(expression)
        return value

    def value(self, expression: Any) -> Any:
        """``E σ0 e``."""
        program = abstraction([], expression, {x: x for x in self})
        return recurse(self.apply(FunctionValue({}, program), ()))

    def apply(self, closure: FunctionValue, v: Any) -> Recursive[Any]:
        """``A ⟨σ, λx e⟩ v``."""
        while True:
            code = closure.code
            env = {x: self[x] for x in code.free if x not in closure.environment}
            env |= {**closure.environment, code.parameter: v}
            for x, form in code.bindings:
                match form:
                    case str():
                        env[x] = env[form]
                    case ("cons", y, z):
                        env[x] = Pair(env[y], env[z])
                    case Lambda():
                        env[x] = FunctionValue({y: env[y] for y in form.free}, form)
                    case (f, y):
                        called = force(env[f])
                        if not isinstance(called, FunctionValue):
                            env[x] = self.given(called, force(env[y]))
                        elif x != code.result:
                            env[x] = yield self.apply(called, env[y])
                        else:
                            closure, v = called, env[y]
                            break
            else:
                return force(env[code.result])

    def given(self, t: Any, v: Any) -> Any:
        """``A t v``."""
        if not isinstance(t, Primitive):
            raise TypeMismatch(f"{show(t)} is applied, and is no function")
        if t.binary and not isinstance(v, Pair):
            raise TypeMismatch(f"{t.name} takes a pair, and {show(v)} is none")
        arguments = (v.left, v.right) if t.binary else (v,)
        if t.real:
            arguments = tuple(map(force, arguments))
            self.counts[t.name] += 1
            if not all(isinstance(x, Real) for x in arguments):
                raise TypeMismatch(f"{t.name} takes real numbers, and is given {show(v)}")
        return t.apply(*arguments)
