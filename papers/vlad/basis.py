"""The primitives ``u``, ``b``, ``p``, ``q`` and the AD primitives, with their transforms as VLAD.

::

    ↼u = E σ0 λ(J x) ((J (u x)) , (λ↽y ([] , ((D u x) × ↽y))))
    ↼b = E σ0 λ(J (x1 , x2)) ((J (b (x1 , x2))) ,
                              (λ↽y ([] , (((D1 b (x1 , x2)) × ↽y) , ((D2 b (x1 , x2)) × ↽y)))))
    ↼p = E σ0 λ(J x) ((J (p x)) , (λ↽y ([] , (0 x))))         ↼0, ↼⊕, ↼J, ↼J⁻¹ below
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from combinators.errors import TypeMismatch
from papers.vlad.values import Conjunction, FunctionValue, Primitive, force, plus, show, zero

_ONE = "(lambda ((*j x)) (cons (*j ({t} x)) (lambda (y) (cons '() {back}))))"
_TWO = "(lambda ((*j (cons x1 x2))) (cons (*j ({t} x1 x2)) (lambda (y) (cons '() {back}))))"
UNARY: dict[str, tuple[Callable[[float], float], str]] = {
    "sqrt": (math.sqrt, "(* (/ 0.5 (sqrt x)) y)"),
    "exp": (math.exp, "(* (exp x) y)"),
    "log": (math.log, "(* (/ 1 x) y)"),
    "sin": (math.sin, "(* (cos x) y)"),
    "cos": (math.cos, "(* (- 0 (sin x)) y)"),
    "negate": (operator.neg, "(* -1 y)"),
}
"""``u``, and ``(D u x) × ↽y``."""
BINARY: dict[str, tuple[Callable[[float, float], float], str]] = {
    "+": (operator.add, "(cons (* 1 y) (* 1 y))"),
    "-": (operator.sub, "(cons (* 1 y) (* -1 y))"),
    "*": (operator.mul, "(cons (* x2 y) (* x1 y))"),
    "/": (operator.truediv, "(cons (* (/ 1 x2) y) (* (/ (- 0 x1) (* x2 x2)) y))"),
}
"""``b``, and ``((D1 b (x1, x2)) × ↽y) , ((D2 b (x1, x2)) × ↽y)``."""
PREDICATES: dict[str, Callable[[Any], bool]] = {
    "null?": lambda v: v == (),
    "real?": lambda v: isinstance(v, float),
    "pair?": lambda v: isinstance(v, Conjunction),
    "procedure?": lambda v: isinstance(v, Primitive | FunctionValue),
}
RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
}


def pair(v: Any, name: str) -> tuple[Any, Any]:
    """The halves of the argument of a primitive."""
    if not isinstance(v, Conjunction):
        raise TypeMismatch(f"{name} takes a pair, and {show(v)} is none")
    return force(v.left), force(v.right)


def given_reals(name: str, arity: int, f: Callable[..., Any], v: Any) -> Any:
    """``f`` of the real number, or of the two, that are the argument of a primitive."""
    found = pair(v, name) if arity == 2 else (v,)
    for x in found:
        if not isinstance(x, float):
            raise TypeMismatch(f"{name} takes real numbers, and {show(x)} is none")
    return f(*found)


def basis(j: Callable[[Any], Any], j_inverse: Callable[[Any], Any]) -> dict[str, Primitive]:
    """σ0, before anything is defined. ``t`` is CAR, and ``f`` is CDR."""
    made: dict[str, Primitive] = {}

    def add(
        name: str, apply: Callable[[Any], Any], form: str, back: str, *, counted: bool = False
    ) -> None:
        made[name] = Primitive(name, apply, form.format(t=name, back=back), counted)

    add("car", lambda v: pair(v, "car")[0], _TWO, "(cons y (zero x2))")
    add("cdr", lambda v: pair(v, "cdr")[1], _TWO, "(cons (zero x1) y)")
    add("zero", zero, _ONE, "(zero x)")
    add("plus", lambda v: plus(*pair(v, "plus")), _TWO, "(cons y y)")
    add("*j", j, _ONE, "(*j-inverse y)")
    add("*j-inverse", j_inverse, _ONE, "(*j y)")
    truth = {True: made["car"], False: made["cdr"]}
    for t, (u, back) in UNARY.items():
        add(t, partial(given_reals, t, 1, u), _ONE, back, counted=True)
    for t, (b, back) in BINARY.items():
        add(t, partial(given_reals, t, 2, b), _TWO, back, counted=True)
    for t, p in PREDICATES.items():
        add(t, partial(lambda p, v: truth[p(v)], p), _ONE, "(zero x)")
    for t, q in RELATIONS.items():
        chosen = partial(lambda q, *xs: truth[q(*xs)], q)
        add(t, partial(given_reals, t, 2, chosen), _ONE, "(zero x)")
    return made
