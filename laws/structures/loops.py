"""Loops: ``fold``, ``scan`` and ``map`` over the rows of an array, from the left.

The number of rows is part of a type, so these laws are stated at arrays of 0, 1, 2 and 3 numbers.
``fold-one``, ``fold-cons`` and ``fold-join`` say what folds over 1, 2 and 3 rows are, each by the
one before. A step sees what the loop captures: ``f : X × (C × Real) → C``.
"""

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Constant, Id, Morphism, Primitive
from combinators.objects import Object, Product, Real, Tensor
from combinators.operation import Operation
from combinators.primitives.loops import FOLD, FOLD_BACKWARDS, MAP, SCAN
from combinators.primitives.shapes import CONCATENATE, RESHAPE, SLICE
from laws.language import Generator, Variable, curry, first, pair, second
from laws.law import Structure, stating
from laws.structures.categories import CLOSED, DISTRIBUTIVE

LOOPS = Structure(
    "loops", "Loops over arrays", (CLOSED, DISTRIBUTIVE), features=("loops", "arrays")
)

C, X, Y = (Variable(name) for name in "CXY")
one, two, three = (Tensor((n,)) for n in (1, 2, 3))
f = Generator("f", Product(X, Product(C, Real)), C)
z = Generator("z", X, C)
x = Generator("x", X, Real)
xs, ys, rows = Generator("xs", X, two), Generator("ys", X, one), Generator("xs", X, three)
rest = Generator("xs", X, one)

law = stating(LOOPS, "Bird 1987, An introduction to the theory of lists")
fusion = stating(
    LOOPS, "Meijer, Fokkinga and Paterson 1991, Functional programming with bananas, lenses …"
)


def fold(step: Morphism, init: Morphism, over: Morphism, operation: Operation = FOLD) -> Morphism:
    """``fold(f, z, xs) : X → C`` of ``f : X × (C × row) → C``, ``z : X → C`` and ``xs : X → rows``.

    A scan alike, of ``f : X × (C × row) → C × Y``.
    """
    function = curry(step)
    types = function.cod, init.cod, over.cod
    return pair(function, init, over) >> Primitive(operation, types)


def each(step: Morphism, over: Morphism) -> Morphism:
    """``map(f, xs)`` of ``f : X × row → Y``."""
    function = curry(step)
    return pair(function, over) >> Primitive(MAP, (function.cod, over.cod))


def after(step: Morphism, carry: Morphism, row: Morphism) -> Morphism:
    """``f(c, x)``, where the environment is that of ``c`` and ``x``."""
    return pair(Id(carry.dom), pair(carry, row)) >> step


def joined(*parts: Morphism) -> Morphism:
    """``xs ++ ys``."""
    types = tuple(part.cod for part in parts)
    return pair(*parts) >> Primitive(Operation(CONCATENATE, (("axis", 0),)), types)


def single(number: Morphism) -> Morphism:
    """``[x]``."""
    return number >> Primitive(Operation(RESHAPE, (("shape", (1,)),)), (Real,))


def flipped(array: Morphism) -> Morphism:
    """Three rows in the other order."""
    window = (("start", (2,)), ("step", (-1,)), ("extent", (3,)))
    return array >> Primitive(Operation(SLICE, window), (array.cod,))


def empty(dom: Object) -> Morphism:
    """``[]``."""
    return Constant(dom, Literal(np.zeros(0)))


def within(obj: Object) -> tuple[Morphism, Morphism, Morphism]:
    """The environment, the carry and the row, in a step that carries ``obj``."""
    inner = Product(obj, Real)
    given = second(X, inner)
    return first(X, inner), given >> first(obj, Real), given >> second(obj, Real)


_env, _carried, _row = within(C)
_double = Product(C, Y)
_env_2, _carried_2, _row_2 = within(_double)
_first = pair(_env_2, pair(_carried_2 >> first(C, Y), _row_2)) >> f
"""The step f, beside another that does not matter to it."""
_k, _w, _h = Generator("k", _first.dom, Y), Generator("w", X, Y), Generator("h", C, Y)
_with_h = pair(Id(C), _h)

_m, _g = Generator("f", Product(X, Real), Real), Generator("g", Product(X, Real), Real)
_step = Generator("f", Product(X, Product(C, Real)), Product(C, Real))

LAWS = (
    law("fold-empty", "a fold over no rows is where it starts", rule="loop-empty")(
        fold(f, z, empty(X)), z
    ),
    law("fold-one", "a fold over one row is a step")(fold(f, z, single(x)), after(f, z, x)),
    law("fold-cons", "a fold over x and then xs is that over xs, from f(z, x)")(
        fold(f, z, joined(single(x), rest)), fold(f, after(f, z, x), rest)
    ),
    law("fold-join", "a fold over xs and then ys is that over ys, from what that over xs gives")(
        fold(f, z, joined(xs, ys)), fold(f, fold(f, z, xs), ys)
    ),
    law(
        "fold-reverse",
        "a fold from the last row to the first is one over the rows in the other order",
    )(fold(f, z, rows, FOLD_BACKWARDS), fold(f, z, flipped(rows))),
    law("fold-steady", "a carry that every step passes on is where it starts", rule="loop-steady")(
        fold(_carried, z, rows), z
    ),
    fusion("fold-fusion", "what can be computed from step to step is computed after the loop")(
        fold(_first >> _with_h, z >> _with_h, rows), fold(f, z, rows) >> _with_h
    ),
    fusion("fold-part", "a component of the carry that nothing needs goes", rule="loop-parts")(
        fold(pair(_first, _k), pair(z, _w), rows) >> first(C, Y), fold(f, z, rows)
    ),
    law("map-id", "a map of the identity changes nothing")(each(second(X, Real), rows), rows),
    law("map-map", "a map after a map is one map", rule="map-fusion")(
        each(_g, each(_m, rows)), each(pair(first(X, Real), _m) >> _g, rows)
    ),
    law("map-join", "a map over xs and then ys joins both maps")(
        each(_g, joined(xs, ys)), joined(each(_g, xs), each(_g, ys))
    ),
    law("scan-fold", "what a scan carries, a fold carries", rule="scan-fold")(
        fold(_step, z, rows, SCAN) >> first(C, three), fold(_step >> first(C, Real), z, rows)
    ),
    law("scan-map", "a scan whose steps pass on their carry is a map", rule="scan-map")(
        fold(pair(_carried, pair(_env, _row) >> _g), z, rows, SCAN) >> second(C, three),
        each(_g, rows),
    ),
)
