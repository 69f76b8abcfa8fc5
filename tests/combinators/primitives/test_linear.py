"""What is linear in its arguments, exactly: over the rationals no law needs a tolerance.

The transpose law ``⟨D f v, w⟩ = ⟨v, R f w⟩``, and ``f(x + v) - f(x) = D f(x) v``, at random small
integers, and at zeros.
"""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import combinators.primitives as p
from combinators.morphisms import interpret
from combinators.objects import Tensor
from combinators.tracing.functions import Draft
from combinators.translate import translate
from combinators.type_folds import is_smooth
from interpreters.carriers.fractions import Fractions, rationals
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback

F = Fractions()
A, B, V, Q, S = (3, 4), (4, 2), (4,), (2, 3, 4), ()


class Index:
    """An argument of integers of this shape, for an axis of this extent."""

    def __init__(self, extent, *shape):
        self.extent, self.shape = extent, shape


class Mask:
    """An argument of booleans of this shape."""

    def __init__(self, *shape):
        self.shape = shape


# name: a function, linear in each array alone, and the shapes of its arguments
LINEAR = {
    "add": (lambda a, b: a + b, A, V),
    "subtract": (lambda a, b: a - b, S, A),
    "negative": (lambda a: -a, A),
    "multiply": (lambda a, b: a * b, A, (3, 1)),
    "scale": (p.scale, A, S),
    "matmul": (lambda a, b: a @ b, A, B),
    "matmul of a matrix and a vector": (lambda a, b: a @ b, A, V),
    "matmul of a vector and a matrix": (lambda a, b: a @ b, V, B),
    "matmul of vectors": (lambda a, b: a @ b, V, V),
    "matmul of stacks": (np.matmul, Q, B),
    "matmul of stacks that broadcast": (np.matmul, (1, 2, 3), Q),
    "outer": (np.outer, A, V),
    "inner": (np.inner, Q, A),
    "tensordot": (lambda a, b: np.tensordot(a, b, axes=([1, 2], [0, 1])), Q, A),
    "einsum": (lambda a, b: np.einsum("bij,jk->kb", a, b), Q, B),
    "einsum of three": (lambda a, b, c: np.einsum("...ij,jk,j->...k", a, b, c), Q, B, V),
    "einsum, diagonal": (lambda a: np.einsum("ii->i", a), (3, 3)),
    "einsum, trace": (lambda a: np.einsum("ii", a), (3, 3)),
    "einsum, summed apart": (lambda a, b: np.einsum("ij,kl->jl", a, b), A, B),
    "take": (lambda a, i: np.take(a, i, axis=1), A, Index(4, 2, 3)),
    "take by one index": (lambda a, i: a[i], A, Index(3)),
    "take by two": (lambda a, i, j: a[:, i, j], Q, Index(3, 5), Index(4, 5)),
    "take apart": (lambda a, i, j: a[i, :, j], Q, Index(2, 5), Index(4, 5)),
    "slice": (lambda a: a[2:0:-1, 1::2], A),
    "slice of nothing": (lambda a: a[3:], A),
    "one element": (lambda a: a[1, -1], A),
    "parts that overlap": (lambda a: a[1:] + a[:-1] * 3.0, A),
    "concatenate": (lambda a, b: np.concatenate([a, b, a], axis=1), A, (3, 1)),
    "stack": (lambda a, b: np.stack([a, b], axis=-1), A, A),
    "hstack": (lambda a, b: np.hstack([a, b]), A, A),
    "vstack": (lambda a, b: np.vstack([a, b]), A, V),
    "where": (lambda q, a, b: np.where(q, a, b), Mask(4), A, S),
    "cumsum": (lambda a: np.cumsum(a, axis=1), A),
    "cumsum, flat": (lambda a: np.cumsum(a), A),
    "sum": (lambda a: np.sum(a, axis=(0, 2)), Q),
    "sum, axes kept": (lambda a: np.sum(a, axis=1, keepdims=True), Q),
    "sum of all": (lambda a: np.sum(a), Q),
    "mean": (lambda a: np.mean(a, axis=0), A),
    "prod": (lambda a: np.prod(a[:2]), V),
    "reshape": (lambda a: np.reshape(a, (2, 6)), A),
    "ravel": (lambda a: np.ravel(a), Q),
    "transpose": (lambda a: np.transpose(a, (2, 0, 1)), Q),
    "moveaxis": (lambda a: np.moveaxis(a, 0, -1), Q),
    "swapaxes": (lambda a: np.swapaxes(a, 0, 2), Q),
    "expand_dims": (lambda a: np.expand_dims(a, (0, -1)), A),
    "squeeze": (lambda a: np.squeeze(a), (1, 3, 1)),
    "broadcast_to": (lambda a: np.broadcast_to(a, Q), (3, 1)),
    "flip": (lambda a: np.flip(a, (0, 1)), A),
    "diagonal": (lambda a: np.diagonal(a, 1), A),
    "trace": (lambda a: np.trace(a), A),
}
OF_ALL = {"multiply", "scale", "outer", "inner", "tensordot", "prod"}
CODE = {}


def is_multilinear(name):
    """Whether it is a product of its arguments, so linear in one alone and not in all together."""
    return name in OF_ALL or name.startswith(("matmul", "einsum"))


def type_of(given):
    if isinstance(given, Index):
        return Tensor(given.shape, "int64")
    if isinstance(given, Mask):
        return Tensor(given.shape, "bool")
    return Tensor(given)


def arrow_of(name):
    if name not in CODE:
        function, *given = LINEAR[name]
        types = tuple(map(type_of, given))
        lam = Draft(function, types, (None,) * len(types)).finish().lam
        CODE[name] = types, translate(lam.params, lam.body)
    return CODE[name]


def value_of(rng, given):
    if isinstance(given, Index):
        n = given.extent
        return np.array(
            [rng.randrange(-n, n) for _ in range(np.prod(given.shape, dtype=int))], dtype=np.int64
        ).reshape(given.shape)[()]
    if isinstance(given, Mask):
        return np.array([rng.random() < 0.5 for _ in range(given.shape[0])])
    return integers(rng, given)


def integers(rng, shape):
    """Small ones, as rationals; many are zero."""
    values = [rng.choice((0, 0, 1, -1, 2, 3, -5, 7)) for _ in range(np.prod(shape, dtype=int))]
    return rationals(np.array(values, dtype=object).reshape(shape))


def inner(a, b):
    return np.sum(np.asarray(a * b, dtype=object))


def dense(cotangent, shape):
    return rationals(np.zeros(shape, dtype=int)) if cotangent is None else cotangent


@pytest.mark.parametrize("mode", [Pullback, Dependent])
@pytest.mark.parametrize("name", LINEAR)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_pullback_is_the_transpose_of_the_pushforward(name, mode, seed):
    rng = random.Random(seed)
    types, arrow = arrow_of(name)
    xs = tuple(value_of(rng, given) for given in LINEAR[name][1:])
    vs = tuple(integers(rng, t.shape) if is_smooth(t) else None for t in types)
    forward, reverse = Pushforward(F), mode(F)
    y, moved = forward.push(interpret(arrow, forward), xs, vs)
    z, pullback = reverse.rep(interpret(arrow, reverse), xs)
    assert np.array_equal(y, z)
    w = integers(rng, np.shape(y))
    pulled = pullback(w) or {}
    found = sum(
        inner(v, dense(pulled.get(i), t.shape))
        for i, (v, t) in enumerate(zip(vs, types, strict=True))
        if v is not None
    )
    assert inner(dense(moved, np.shape(y)), w) == found


@pytest.mark.parametrize("name", LINEAR)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_pushforward_is_the_difference(name, seed):
    rng = random.Random(seed)
    types, arrow = arrow_of(name)
    xs = tuple(value_of(rng, given) for given in LINEAR[name][1:])
    forward = Pushforward(F)
    run = interpret(arrow, forward)
    smooth = [i for i, t in enumerate(types) if is_smooth(t)]
    moves = [[i] for i in smooth] if is_multilinear(name) else [smooth]
    for moving in moves:
        vs = tuple(integers(rng, t.shape) if i in moving else None for i, t in enumerate(types))
        if name == "prod":
            vs = (vs[0] * np.array([1, 0, 1, 1]),)  # linear in one element alone
        y, moved = forward.push(run, xs, vs)
        there = tuple(x if v is None else x + v for x, v in zip(xs, vs, strict=True))
        z, _ = forward.push(run, there)
        assert np.array_equal(z - y, dense(moved, np.shape(y)))


@pytest.mark.parametrize("mode", [Pullback, Dependent])
@pytest.mark.parametrize("name", LINEAR)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_pullback_is_linear(name, mode, seed):
    """``pb(u + 3 w) = pb u + 3 pb w``, and ``pb 0 = 0``: the laws L1 and L2."""
    rng = random.Random(seed)
    types, arrow = arrow_of(name)
    xs = tuple(value_of(rng, given) for given in LINEAR[name][1:])
    reverse = mode(F)
    run = interpret(arrow, reverse)

    def pulled(cotangent):
        found = reverse.rep(run, xs)[1](cotangent) or {}
        return [dense(found.get(i), t.shape) for i, t in enumerate(types) if is_smooth(t)]

    shape = np.shape(reverse.rep(run, xs)[0])
    u, w = integers(rng, shape), integers(rng, shape)
    of_sum, of_u, of_w, of_0 = map(pulled, (u + 3 * w, u, w, 0 * u))
    for a, b, c, nothing in zip(of_sum, of_u, of_w, of_0, strict=True):
        assert np.array_equal(a, b + 3 * c)
        assert not np.any(nothing)
