"""Reduces and scans by an associative operator.

The operator is ``u ∘ v = u + v + t · u · v``, for any t that it captures: associative, and 0 is its
unit. That a reduce takes no rows to the unit, one row to itself, and rows that are joined to what
the operator makes of theirs, says what it is: a homomorphism of lists.
"""

from __future__ import annotations

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Constant, Morphism, Primitive
from combinators.objects import Real
from combinators.operation import Operation, named
from combinators.primitives.loops import SCAN, SCAN_BACKWARDS, looping
from laws.language import Generator, pair
from laws.law import stating
from laws.structures.categories import (
    LOOPS,
    X,
    after,
    fold,
    joined,
    rows,
    single,
    within,
    x,
    xs,
    ys,
)

REDUCE = looping(keeps=False, sequential=False)
SCANL, SCANR = looping(sequential=False), looping(reverse=True, sequential=False)

z, t = (Generator(name, X, Real) for name in ("z", "t"))
zero = Constant(X, Literal(0.0))
_env, _a, _b = within(Real)


def of_two(name: str, left: Morphism, right: Morphism) -> Morphism:
    """An operation on two numbers."""
    return pair(left, right) >> Primitive(Operation(named(name)), (Real, Real))


_both = of_two("multiply", _a, _b)
op = of_two("add", of_two("add", _a, _b), of_two("multiply", _env >> t, _both))
_step = pair(op, _a)


def reduced(over: Morphism, start: Morphism = zero) -> Morphism:
    """``reduce (∘) 0 xs``, or from another start."""
    return fold(op, start, over, REDUCE)


law = stating(LOOPS, "Bird 1987, An introduction to the theory of lists: homomorphisms")
paper = stating(LOOPS, "000, section 3.1: reduce is a fold, of an associative function")

LAWS = (
    law("reduce-empty", "a reduce of no rows is the unit")(
        reduced(Constant(X, Literal(np.zeros(0)))), zero
    ),
    law("reduce-one", "a reduce of one row is that row: the unit is one", tame=True)(
        reduced(single(x)), x
    ),
    law(
        "reduce-join",
        "a reduce of xs and then ys combines both reduces: the operator is associative",
        tame=True,
    )(reduced(joined(xs, ys)), after(op, reduced(xs), reduced(ys))),
    paper("reduce-fold", "a reduce is the fold, from wherever it starts")(
        reduced(rows, z), fold(op, z, rows)
    ),
    paper("scanl-scan", "a scanl is the scan that keeps what stands before each row")(
        fold(_step, z, rows, SCANL), fold(_step, z, rows, SCAN)
    ),
    paper("scanr-scan", "a scanr is the scan from the last row to the first")(
        fold(_step, z, rows, SCANR), fold(_step, z, rows, SCAN_BACKWARDS)
    ),
)
