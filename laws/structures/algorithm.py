"""Algorithms agree: every way to a derivative gives the same numbers, and derivatives nest.

A model's ``gradients(program, point, covector)`` are ``R[f](a, w)`` by each algorithm that it
knows, by name. Derivatives of derivatives are arrows where a model ``iterates``.
"""

from __future__ import annotations

from typing import Any

from combinators.literal import Literal
from combinators.morphisms import Constant, Id, Morphism, Primitive
from combinators.objects import Object, Real, Unit
from combinators.operation import Operation, named
from laws.language import (
    D,
    Generator,
    Inner,
    Plus,
    R,
    Variable,
    Zero,
    everywhere,
    first,
    pair,
    points,
    second,
)
from laws.law import Computed, Law, Structure
from laws.structures.differential import TWICE as DIFFERENTIAL_TWICE
from laws.structures.reverse import REVERSE
from laws.structures.reverse import TWICE as REVERSE_TWICE

ALGORITHMS = Structure("algorithms", "Algorithms", (REVERSE,), methods=("gradients",))
NESTING = Structure(
    "nesting", "Nested derivatives", (DIFFERENTIAL_TWICE, REVERSE_TWICE), methods=("inner",)
)

V, W = Variable("V", "vector"), Variable("W", "vector")
f, g = Generator("f", V, W), Generator("g", Real, Real)
p, q = Generator("p", V, W), Generator("q", V, W)
h = Inner(p, q)
"""``⟨p, q⟩``, which has second derivatives where p and q have first ones."""
k = Generator("f", Real, Real)
a, v, u = points("a v u", V)
(w,) = points("w", W)
(x, y) = points("x y", Real)

CONFUSION = "Siskind and Pearlmutter 2005, Perturbation confusion and referential transparency"
PEARLMUTTER = "Pearlmutter 1994, Fast exact multiplication by the Hessian"


def real(number: float, dom: Object = Unit) -> Constant:
    """A constant."""
    return Constant(dom, Literal(number))


def _binary(name: str) -> Primitive:
    return Primitive(Operation(named(name)), (Real, Real))


ADD, MULTIPLY = _binary("add"), _binary("multiply")


def slope(arrow: Morphism, at: Morphism) -> Morphism:
    """``D(λx. f(x))(at)`` of a function of a number."""
    return pair(at, real(1.0, at.dom)) >> D(arrow)


def partial(arrow: Morphism, at: float | Morphism) -> Morphism:
    """``λx. D(λy. f(x, y))(at)``."""
    there = real(at, Real) if isinstance(at, float) else at
    return pair(pair(Id(Real), there), pair(real(0.0, Real), real(1.0, Real))) >> D(arrow)


def times(arrow: Morphism) -> Morphism:
    """``λx. x · f(x)``."""
    return pair(Id(Real), arrow) >> MULTIPLY


def _by_each(scene: Any) -> Any:
    found = scene.model.gradients(scene.program(f), scene.at(a), scene.at(w))
    return {name: list(leaves) for name, leaves in found.items()}


def _by_itself(scene: Any) -> Any:
    found = scene.model.gradients(scene.program(f), scene.at(a), scene.at(w))
    own = list(next(iter(found.values())))
    return dict.fromkeys(found, own)


def _hessian(vector: Morphism, along: Morphism) -> Morphism:
    """``D[D[h]]((a, v), (u, 0))``."""
    return pair(pair(a, vector), pair(along, Zero(Unit, V))) >> D(D(h))


def along(arrow: Morphism) -> Morphism:
    """``λa. D[f](a, v)``."""
    return pair(Id(V), everywhere(v, V)) >> D(arrow)


def gradient(arrow: Morphism) -> Morphism:
    """``λa. R[f](a, 1)``."""
    return pair(Id(V), real(1.0, V)) >> R(arrow)


ONE = real(1.0)
FORWARD_OVER_REVERSE = pair(a, v) >> D(gradient(h))
SEPARATE = Plus(first(Real, Real) >> k, second(Real, Real) >> g)


def _confused(name: str, statement: str, lhs: Morphism, rhs: Morphism) -> Law:
    return Law(name, statement, lhs, rhs, NESTING, CONFUSION, tame=True)


LAWS = (
    Law(
        "G1",
        "every algorithm gives one gradient, at types without functions",
        Computed("R[f](a, w) by each algorithm", _by_each, (f, a, w)),
        Computed("R[f](a, w)", _by_itself, (f, a, w)),
        ALGORITHMS,
        "Vytiniotis et al., sections 4 and 5; Huot and Shaikhha, Theorem 4.1",
        tame=True,
    ),
    _confused(
        "G4a",
        "D(λx. x · D(λy. x + y)(1))(1) = 1",
        slope(times(partial(ADD, 1.0)), ONE),
        ONE,
    ),
    _confused(
        "G4b",
        "D(λx. x · D(λy. x · y)(1))(4) = 8",
        slope(times(partial(MULTIPLY, 1.0)), real(4.0)),
        real(8.0),
    ),
    _confused(
        "G4c",
        "D(λx. D(λy. x · y)(x))(3) = 1: the inner derivative is taken at the outer variable",
        slope(partial(MULTIPLY, Id(Real)), real(3.0)),
        ONE,
    ),
    _confused(
        "G4d",
        "D(λx. x · D(λy. f(x) + g(y))(y))(x) = D(g)(y): what does not move has no derivative",
        slope(times(partial(SEPARATE, everywhere(y, Real))), x),
        slope(g, y),
    ),
    Law(
        "G5",
        "second derivatives, of h = ⟨p, q⟩, are symmetric",
        _hessian(v, u),
        _hessian(u, v),
        NESTING,
        "Blute, Cockett and Seely 2009, CD.7; Schwarz",
        tame=True,
        implied_by=("CD7",),
    ),
    Law(
        "G6a",
        "forward over reverse is reverse over forward, of h = ⟨p, q⟩",
        FORWARD_OVER_REVERSE,
        pair(a, ONE) >> R(along(h)),
        NESTING,
        PEARLMUTTER,
        tame=True,
    ),
    Law(
        "G6b",
        "forward over reverse is reverse over reverse, of h = ⟨p, q⟩",
        FORWARD_OVER_REVERSE,
        pair(a, ONE) >> R(Inner(gradient(h), everywhere(v, V))),
        NESTING,
        PEARLMUTTER,
        tame=True,
    ),
)
