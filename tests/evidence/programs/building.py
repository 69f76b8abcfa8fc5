"""Programs of any size and depth, built as terms: what is measured is not the tracing of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from combinators.objects import Fun, Real
from combinators.operation import Operation, named
from combinators.primitives.loops import FOLD
from combinators.terms import App, Cond, Lam, Let, Prim, Term, Var, const

Step = Callable[[Term, Term, int], Term]
X = Var("x", Real)


def op(name: str, *args: Term) -> Prim:
    """A primitive without parameters, applied."""
    return Prim(Operation(named(name)), args)


CHAINS: dict[str, Step] = {
    "sin of sin": lambda v, x, i: op("sin", v),
    "times a constant": lambda v, x, i: op("multiply", v, const(1.0 + (i % 3) / 1e4)),
    "fan-out": lambda v, x, i: op("add", v, op("multiply", x, const(i % 7 / 7))),
    "x + x": lambda v, x, i: op("add", v, v),
    "x * x": lambda v, x, i: op("multiply", v, v),
    "divide": lambda v, x, i: op("divide", v, x),
}


def chain(n: int, step: Step) -> Lam:
    """n steps from x."""
    bindings: list[tuple[Var, Term]] = []
    last = X
    for i in range(n):
        var = Var(f"v{i}", Real)
        bindings.append((var, step(last, X, i)))
        last = var
    return Lam((X,), Let(tuple(bindings), last))


def conditionals(n: int) -> Lam:
    """n conditionals, each in a branch of the next."""
    body: Term = op("sin", X)
    for i in range(n):
        var = Var(f"v{i}", Real)
        chosen = Cond(op("less", X, const(float(i))), body, op("cos", X))
        body = Let(((var, chosen),), op("multiply", var, X))
    return Lam((X,), body)


def folds(n: int, length: int = 2) -> Lam:
    """n folds, each in the body of the next."""
    body: Term = op("sin", X)
    for i in range(n):
        carry, item = Var(f"c{i}", Real), Var(f"i{i}", Real)
        after = op("add", op("multiply", carry, item), op("multiply", X, body))
        rows = const(np.linspace(0.5, 1.0, length))
        body = Prim(FOLD, (Lam((carry, item), after), const(0.5), rows))
    return Lam((X,), body)


def closures(n: int) -> Lam:
    """n functions, each in the body of the one before, which all capture x."""
    z = Var(f"z{n}", Real)
    body: Term = op("multiply", op("sin", z), X)
    for i in reversed(range(n)):
        inside = Lam((z,), body)
        z = Var(f"z{i}", Real)
        body = App(inside, z)
    return Lam((X,), App(Lam((z,), body), X))


def tower(n: int) -> Lam:
    """f₀ = sin, fₙ = λx. fₙ₋₁ (fₙ₋₁ x): 2ⁿ calls of sin."""
    f = Lam((X,), op("sin", X))
    for i in range(n):
        g, x = Var(f"f{i}", f.type), Var(f"x{i}", Real)
        f = Lam((x,), Let(((g, f),), App(g, App(g, x))))
    return f


def tower_of_names(n: int) -> Lam:
    """The same, as a row of definitions."""
    f = Var("f", Fun(Real, Real))
    bindings: list[tuple[Var, Term]] = [(f, Lam((X,), op("sin", X)))]
    for i in range(n):
        g, x = Var(f"f{i}", f.type), Var(f"x{i}", Real)
        bindings.append((g, Lam((x,), App(f, App(f, x)))))
        f = g
    z = Var("z", Real)
    return Lam((z,), Let(tuple(bindings), App(f, z)))
