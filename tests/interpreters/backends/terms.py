"""Programs that every backend writes, as terms: what programs of users do not show at once."""

import functools

import numpy as np

from combinators.objects import Int, Product, Real, Tangent, Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import FOLD, FOLD_BACKWARDS, SCAN, SCAN_BACKWARDS
from combinators.primitives.structural import PACK, PLUS, UNPACK, ZEROS
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Tuple, Var, const


def prim(name, *args, **parameters):
    return Prim(Operation(named(name), tuple(parameters.items())), args)


def plus(x, y):
    return Prim(Operation(PLUS), (x, y))


def zero(obj):
    return Prim(Operation(ZEROS, (("of", obj),)), ())


def pack(x):
    return Prim(Operation(PACK), (x,))


def unpack(t, obj):
    return Prim(Operation(UNPACK, (("of", obj),)), (t,))


PAIR = Product(Real, Tensor((2,)))


def pairs_twice():
    """λs that give the sum of a pair with itself: with a zero between, and packed."""
    x = Var("x", PAIR)
    yield Lam((x,), plus(x, plus(x, zero(PAIR))))
    yield Lam((x,), unpack(plus(pack(x), plus(zero(Tangent), pack(x))), PAIR))


DEEP = functools.reduce(lambda obj, _: Product(obj, obj), range(60), Real)
"""A type of 2⁶⁰ leaves."""


def first_leaf(term):
    """The first of the leaves of a term of type ``DEEP``."""
    return functools.reduce(lambda body, _: Proj(0, body), range(60), term)


def loops_of_terms(xs):
    """Each loop over ``xs``, in both directions: a λ of the array, and what it gives."""
    c, r, x = Var("c", Real), Var("r", Real), Var("x", Tensor((len(xs),)))
    step = Lam((c, r), prim("add", prim("multiply", c, const(2.0)), r))
    keep = Lam((c, r), Tuple((step.body, prim("subtract", c, r))))
    for operation in (FOLD, FOLD_BACKWARDS):
        total = 1.0
        for item in xs[::-1] if operation is FOLD_BACKWARDS else xs:
            total = total * 2 + item
        yield Lam((x,), Prim(operation, (step, const(1.0), x))), total
    for operation in (SCAN, SCAN_BACKWARDS):
        total, kept = 1.0, [0.0] * len(xs)
        order = range(len(xs))
        for i in order[::-1] if operation is SCAN_BACKWARDS else order:
            total, kept[i] = total * 2 + xs[i], total - xs[i]
        yield Lam((x,), Prim(operation, (keep, const(1.0), x))), (total, np.array(kept))


def doubled_by_puts(n):
    """A λ of an array of ``n`` that gives it twice, element by element."""
    big = Tensor((n,))
    a, acc, i = Var("a", big), Var("acc", big), Var("i", Int)
    taken = prim("multiply", prim("take", a, i, axis=0), const(2.0))
    step = Lam((acc, i), plus(acc, prim("put", taken, i, axis=0, extents=(n,))))
    return Lam((a,), Prim(FOLD, (step, zero(big), const(np.arange(n)))))


def many_lets(count):
    """``sin(…) + x``, ``count`` times."""
    x = Var("x", Real)
    bindings, last = [], x
    for i in range(count):
        var = Var(f"x{i}", Real)
        bindings.append((var, prim("add", prim("sin", last), x)))
        last = var
    return Lam((x,), Let(tuple(bindings), last))


def nested_choices(count):
    """At ``count`` - ½, ``count`` - 1: conditionals within each other."""
    x = body = Var("x", Real)
    for i in range(count):
        body = Cond(prim("less", x, const(float(i))), prim("sin", body), const(float(i)))
    return Lam((x,), body)


def nested_folds(count):
    """The identity: folds of one round within each other."""
    x = body = Var("x", Real)
    for i in range(count):
        c, r = Var(f"c{i}", Real), Var(f"r{i}", Real)
        body = Prim(FOLD, (Lam((c, r), prim("add", body, c)), const(0.0), const(np.ones(1))))
    return Lam((x,), body)


def nested_functions(count):
    """``x`` times ``count`` + 1: functions within each other."""
    x = body = Var("x", Real)
    for i in range(count):
        y = Var(f"y{i}", Real)
        body = App(Lam((y,), prim("add", body, y)), x)
    return Lam((x,), body)
