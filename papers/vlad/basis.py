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
from numbers import Real
from typing import Any

from papers.vlad.values import Conjunction, FunctionValue, Primitive, force, plus, zero

Apply = Callable[..., Any]

ONE = "(lambda ((*j x)) (cons (*j ({t} x)) (lambda (y) (cons '() {back}))))"
TWO = "(lambda ((*j (cons x1 x2))) (cons (*j ({t} x1 x2)) (lambda (y) (cons '() {back}))))"
UNARY: dict[str, tuple[Apply, str]] = {
    "sqrt": (math.sqrt, "(* (/ 0.5 (sqrt x)) y)"),
    "exp": (math.exp, "(* (exp x) y)"),
    "log": (math.log, "(* (/ 1 x) y)"),
    "sin": (math.sin, "(* (cos x) y)"),
    "cos": (math.cos, "(* (- 0 (sin x)) y)"),
    "negate": (operator.neg, "(* -1 y)"),
}
"""``u``, and ``(D u x) × ↽y``."""
BINARY: dict[str, tuple[Apply, str]] = {
    "+": (operator.add, "(cons (* 1 y) (* 1 y))"),
    "-": (operator.sub, "(cons (* 1 y) (* -1 y))"),
    "*": (operator.mul, "(cons (* x2 y) (* x1 y))"),
    "/": (operator.truediv, "(cons (* (/ 1 x2) y) (* (/ (- 0 x1) (* x2 x2)) y))"),
}
"""``b``, and ``((D1 b (x1, x2)) × ↽y) , ((D2 b (x1, x2)) × ↽y)``."""
PREDICATES: dict[str, Apply] = {
    "null?": lambda v: v == (),
    "real?": lambda v: isinstance(v, Real),
    "pair?": lambda v: isinstance(v, Conjunction),
    "procedure?": lambda v: isinstance(v, Primitive | FunctionValue),
}
RELATIONS: dict[str, Apply] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
}


def basis(j: Apply, j_inverse: Apply) -> dict[str, Primitive]:
    """σ0, before anything is defined. ``t`` is CAR, and ``f`` is CDR."""
    made: dict[str, Primitive] = {}

    def add(name: str, form: str, back: str, apply: Apply, *, real: bool = False) -> None:
        transform = form.format(t=name, back=back)
        made[name] = Primitive(name, apply, transform, binary=form is TWO, real=real)

    add("car", TWO, "(cons y (zero x2))", lambda x1, x2: x1)
    add("cdr", TWO, "(cons (zero x1) y)", lambda x1, x2: x2)
    add("zero", ONE, "(zero x)", zero)
    add("plus", TWO, "(cons y y)", lambda x1, x2: plus(force(x1), force(x2)))
    add("*j", ONE, "(*j-inverse y)", j)
    add("*j-inverse", ONE, "(*j y)", j_inverse)
    truth = {True: made["car"], False: made["cdr"]}
    for t, (u, back) in UNARY.items():
        add(t, ONE, back, u, real=True)
    for t, (b, back) in BINARY.items():
        add(t, TWO, back, b, real=True)
    for t, p in PREDICATES.items():
        add(t, ONE, "(zero x)", lambda v, p=p: truth[p(v)])
    for t, q in RELATIONS.items():
        chosen = partial(lambda q, x1, x2: truth[q(x1, x2)], q)
        add(t, TWO, "(cons (zero x1) (zero x2))", chosen, real=True)
    return made
