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
from typing import Any

from combinators.errors import TypeMismatch
from papers.vlad.values import Conjunction, Empty, FunctionValue, Primitive, force, plus, show, zero

UNARY: dict[str, tuple[Callable[[float], float], str]] = {
    "sqrt": (math.sqrt, "(/ 0.5 (sqrt x))"),
    "exp": (math.exp, "(exp x)"),
    "log": (math.log, "(/ 1 x)"),
    "sin": (math.sin, "(cos x)"),
    "cos": (math.cos, "(- 0 (sin x))"),
    "negate": (operator.neg, "-1"),
}
"""``u``, and ``D u x``."""
BINARY: dict[str, tuple[Callable[[float, float], float], str, str]] = {
    "+": (operator.add, "1", "1"),
    "-": (operator.sub, "1", "-1"),
    "*": (operator.mul, "x2", "x1"),
    "/": (operator.truediv, "(/ 1 x2)", "(/ (- 0 x1) (* x2 x2))"),
}
"""``b``, ``D1 b (x1, x2)`` and ``D2 b (x1, x2)``."""
PREDICATES: dict[str, Callable[[Any], bool]] = {
    "null?": lambda v: isinstance(v, Empty),
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

_OF_U = "(lambda ((*j x)) (cons (*j ({t} x)) (lambda (y) (cons '() (* {d} y)))))"
_OF_B = """(lambda ((*j (cons x1 x2))) (cons (*j ({t} x1 x2))
             (lambda (y) (cons '() (cons (* {d1} y) (* {d2} y))))))"""
_OF_P = "(lambda ((*j x)) (cons (*j ({t} x)) (lambda (y) (cons '() (zero x)))))"
_OF_CAR = """(lambda ((*j (cons x1 x2))) (cons (*j x1)
               (lambda (y) (cons '() (cons y (zero x2))))))"""
_OF_CDR = """(lambda ((*j (cons x1 x2))) (cons (*j x2)
               (lambda (y) (cons '() (cons (zero x1) y)))))"""
_OF_ZERO = "(lambda ((*j x)) (cons (*j (zero x)) (lambda (y) (cons '() (zero x)))))"
_OF_PLUS = """(lambda ((*j (cons x1 x2))) (cons (*j (plus x1 x2))
                (lambda (y) (cons '() (cons y y)))))"""
_OF_J = "(lambda ((*j x)) (cons (*j (*j x)) (lambda (y) (cons '() (*j-inverse y)))))"
_OF_J_INVERSE = "(lambda ((*j x)) (cons (*j (*j-inverse x)) (lambda (y) (cons '() (*j y)))))"


Truth = dict[bool, Primitive]
"""``t`` is CAR, and ``f`` is CDR."""


def real(v: Any, name: str) -> float:
    """A real number, of an argument of a primitive."""
    v = force(v)
    if not isinstance(v, float):
        raise TypeMismatch(f"{name} takes real numbers, and {show(v)} is none")
    return v


def both(v: Any, name: str) -> tuple[Any, Any]:
    """The halves of an argument that is a pair."""
    if not isinstance(v, Conjunction):
        raise TypeMismatch(f"{name} takes a pair, and {show(v)} is none")
    return force(v.left), force(v.right)


def _unary(name: str, f: Callable[[float], float], d: str) -> Primitive:
    return Primitive(name, lambda v: f(real(v, name)), _OF_U.format(t=name, d=d), counted=True)


def _binary(name: str, f: Callable[[float, float], float], d1: str, d2: str) -> Primitive:
    def apply(v: Any) -> float:
        x, y = both(v, name)
        return f(real(x, name), real(y, name))

    return Primitive(name, apply, _OF_B.format(t=name, d1=d1, d2=d2), counted=True)


def _relation(name: str, f: Callable[[float, float], bool], truth: Truth) -> Primitive:
    def apply(v: Any) -> Primitive:
        x, y = both(v, name)
        return truth[f(real(x, name), real(y, name))]

    return Primitive(name, apply, _OF_P.format(t=name))


def _predicate(name: str, f: Callable[[Any], bool], truth: Truth) -> Primitive:
    return Primitive(name, lambda v: truth[f(v)], _OF_P.format(t=name))


def basis(j: Callable[[Any], Any], j_inverse: Callable[[Any], Any]) -> dict[str, Primitive]:
    """σ0, before anything is defined."""
    car = Primitive("car", lambda v: both(v, "car")[0], _OF_CAR)
    cdr = Primitive("cdr", lambda v: both(v, "cdr")[1], _OF_CDR)
    truth = {True: car, False: cdr}
    made = [
        car,
        cdr,
        Primitive("zero", zero, _OF_ZERO),
        Primitive("plus", lambda v: plus(*both(v, "plus")), _OF_PLUS),
        Primitive("*j", j, _OF_J),
        Primitive("*j-inverse", j_inverse, _OF_J_INVERSE),
        *[_unary(name, *rest) for name, rest in UNARY.items()],
        *[_binary(name, *rest) for name, rest in BINARY.items()],
        *[_predicate(name, f, truth) for name, f in PREDICATES.items()],
        *[_relation(name, f, truth) for name, f in RELATIONS.items()],
    ]
    return {t.name: t for t in made}
