"""Figure 4 of 004: three pairs of functions whose pullbacks have to be equivalent.

``[(x, 0)] ~ []`` and ``[(x, g), (x, h)] ~ [(x, g + h)]``; ``Calls.merged()`` applies both.
"""

import functools

import numpy as np
import pytest

import diffcurry as dc
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import Curry, Eval
from diffcurry import Calls, Fun, Product, Real

ONE = Fun(Real, Real)
TWO = Fun(Product(Real, Real), Real)
fst = dc.fun(lambda p: p[0], Product(Real, Real))


def pair(*types):
    def decorate(column):
        return tuple(dc.fun(f, *types) for f in column())

    return decorate


@pair(TWO, Product(Real, Real))
def partial_application():
    def foo1(f, ab):
        a, b = ab
        return dc.fun(lambda xb: f(a, xb), Real)(b)

    return foo1, lambda f, ab: f(ab[0], ab[1])


@pair(Product(ONE, ONE), Real)
def forgetting_results():
    return lambda fg, x: fst((fg[0](x), fg[1](x))), lambda fg, x: fg[0](x)


@pair(ONE, Real)
def summing_results():
    def foo2(f, x):
        y = f(x)
        return y + y

    return lambda f, x: f(x) + f(x), foo2


scaled = functools.partial(lambda w, z: np.sin(z) * w, 3.0)
shifted = functools.partial(lambda k, z: z * z + k * z, 0.5)
joined = functools.partial(lambda w, a, b: a * b * w + np.exp(a), 2.0)
PAIRS = [
    (partial_application, (joined, (0.7, -1.3))),
    (forgetting_results, ((scaled, shifted), 0.7)),
    (summing_results, (scaled, 0.7)),
]
NAMES = ["partial application", "forgetting results", "summing results"]
each = pytest.mark.parametrize(("foos", "args"), PAIRS, ids=NAMES)


def merged(cotangent):
    """Up to the equivalence, as plain data."""
    if isinstance(cotangent, tuple) and not hasattr(cotangent, "_fields"):
        return tuple(map(merged, cotangent))
    if isinstance(cotangent, Calls):
        return [tuple(call) for call in cotangent.merged()]
    return dict(cotangent) if isinstance(cotangent, dc.Captured) else cotangent


@each
def test_the_two_terms_differ(foos, args):
    foo1, foo2 = (foo.program() for foo in foos)
    assert foo1.lam != foo2.lam
    assert foo1.combinators != foo2.combinators
    assert str(foo1) != str(foo2)


def test_partial_application_holds_curry_and_eval():
    foo1, foo2 = (foo.program().combinators for foo in partial_application)
    kinds = [type(node) for node in distinct_nodes(foo1)]
    assert kinds.count(Curry) == 1
    assert kinds.count(Eval) == 2
    assert Curry not in {type(node) for node in distinct_nodes(foo2)}


def test_the_raw_list_of_a_forgotten_result_holds_a_zero():
    foo1, foo2 = forgetting_results
    args = (scaled, shifted), 0.7
    calls1, calls2 = (dc.vjp(foo, *args, mode="simple")[1](2.0)[0] for foo in (foo1, foo2))
    assert calls1 == ([(0.7, 2.0)], [(0.7, 0.0)])
    assert calls2 == ([(0.7, 2.0)], [])
    assert calls1[1] != calls2[1]
    assert calls1[1].merged() == calls2[1].merged() == []


def test_the_raw_list_of_summed_results_holds_the_cotangent_twice():
    foo1, foo2 = summing_results
    calls1, calls2 = (dc.vjp(foo, scaled, 0.7, mode="simple")[1](2.0)[0] for foo in (foo1, foo2))
    assert calls1 == [(0.7, 2.0), (0.7, 2.0)]
    assert calls2 == [(0.7, 4.0)]
    assert calls1 != calls2
    assert calls1.merged() == calls2.merged() == [(0.7, 4.0)]


@each
@pytest.mark.parametrize("mode", ["simple", "dependent"])
def test_the_pairs_agree_in_value_and_in_pullback(foos, args, mode):
    (y1, pullback1), (y2, pullback2) = (dc.vjp(foo, *args, mode=mode) for foo in foos)
    assert y1 == y2
    for cotangent in (1.0, -2.5):
        assert merged(pullback1(cotangent)) == merged(pullback2(cotangent))


@each
def test_the_pairs_agree_forwards(foos, args):
    tangents = (
        tuple(lambda z: z * z for _ in args[0]) if isinstance(args[0], tuple) else None,
        None,
    )
    if foos is summing_results:
        tangents = (lambda z: z * z, 1.0)
    (y1, moved1), (y2, moved2) = (dc.jvp(foo, args, tangents) for foo in foos)
    assert (y1, moved1) == (y2, moved2)


@each
def test_the_list_of_calls_through_the_code_is_the_cotangent_of_what_it_captures(foos, args):
    """H5: the simple form's calls, pulled through the closure's own code, give the other form."""
    for foo in foos:
        _, simple = dc.vjp(foo, *args, mode="simple")
        _, dependent = dc.vjp(foo, *args)
        calls, captured = simple(1.0)[0], dependent(1.0)[0]
        if isinstance(args[0], tuple):
            several = list(zip(args[0], calls, captured, strict=True))
        else:
            several = [(args[0], calls, captured)]
        for function, made, held in several:
            (name,) = ("w",) if function is not shifted else ("k",)
            total = 0.0
            for argument, cotangent in made:
                whole = argument if isinstance(argument, tuple) else (argument,)
                total += dc.grad(function.func)(function.args[0], *whole) * cotangent
            np.testing.assert_allclose(held.get(name, 0.0), total, rtol=1e-15)
