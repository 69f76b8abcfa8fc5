"""Numbers: what an algebra of them owes, what primitives give of them, and slopes of values.

A model of a carrier has ``algebra``, with the methods of one: ``const``, ``lift``, ``lower``,
``add``, ``truth``, ``row`` and ``stack``.

Two kinds of law look at values, which no others do. A category that adds where it should multiply,
and derives it so, would keep all others: V1 and V2 say that a primitive of constants is the
constant which NumPy's function of its name gives. And ``D = 0`` and ``R = 0`` keep nearly all that
is said of how derivatives hang together: L5 compares them with differences of the value. It is
coarse, and is asked where a function does not bend: an example at a kink or a jump is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from combinators.errors import DomainError, MissingRule
from combinators.literal import Literal
from combinators.morphisms import Constant, Morphism, Primitive
from combinators.objects import Object, Real, Tensor, Unit
from combinators.operation import Operation, named
from combinators.type_folds import columns_of
from combinators.value_folds import Layout, zip_leaves
from laws.equality import IllConditioned
from laws.functions import function_of
from laws.language import (
    D,
    Generator,
    Image,
    Inner,
    Plus,
    R,
    Scaled,
    Variable,
    arrows,
    pair,
    points,
)
from laws.law import Structure, stating
from laws.observation import leaves, value_in
from laws.scene import Scene
from laws.structures.categories import CATEGORY, CONSTANTS
from laws.structures.derivatives import ADDITIVE

CARRIER = Structure("carrier", "Carrier", (CATEGORY,), methods=("algebra",))
RATIONAL = Structure("rational", "Rational numbers", (CATEGORY,), methods=("ways:rational",))

A, B = Variable("A", "data"), Variable("B", "data")
V = Variable("V", "vector")
x, y, z = points("x y z", A)
u, v, w = points("u v w", V)
f = Generator("f", A, B)
g, h = arrows("g h", V, Real)
ADD, MULTIPLY = (Primitive(Operation(named(name)), (Real, Real)) for name in ("add", "multiply"))
ARITHMETIC = pair(pair(g, h) >> ADD, pair(g, h) >> MULTIPLY)
"""``⟨g + h, g · h⟩``, so that something is always computed."""

Of = Callable[[Any], Any]


def numbers(obj: Object, value: Any) -> Iterator[tuple[Any, Tensor]]:
    """The numbers in a value of an object without functions, with their types."""
    for leaf, number in zip_leaves(obj, value, parts=columns_of):
        if isinstance(leaf, Tensor):
            yield number, leaf


def each(*points: Generator, of: Callable[..., Any]) -> Of:
    """``of`` the carrier, the type, and the numbers at one place of each point."""

    def computed(scene: Any) -> Any:
        obj = scene.obj(points[0].cod)
        found = [list(numbers(obj, scene.at(point))) for point in points]
        return [
            of(scene.model.algebra, places[0][1], *(number for number, _ in places))
            for places in zip(*found, strict=True)
        ]

    return computed


def literals(of: Callable[[Any, Literal], Any]) -> Of:
    """``of`` the carrier and each literal of a covector."""

    def computed(scene: Any) -> Any:
        obj = scene.obj(V)
        found = zip_leaves(obj, scene.probes.cotangent("c", obj), parts=columns_of)
        return [of(scene.model.algebra, c) for _, c in found if isinstance(c, Literal)]

    return computed


def _third_shown(on: Any, c: Literal) -> tuple[Any, Any]:
    """What ``(c + 1) / 3``, mostly no short binary fraction, looks like, and that third itself.

    Nothing where it does not look like a number.
    """
    third = ((c.array + 1) / c.array.dtype.type(3)).astype(c.type.dtype)
    found = on.lower(on.lift(third, c.type))
    return (found, third) if hasattr(found, "__float__") else ((), ())


def _same(on: Any, obj: Tensor, number: Any) -> Any:
    return number


def _again(on: Any, obj: Tensor, number: Any) -> Any:
    return on.lift(on.lower(number), obj)


def _shown(number: Callable[..., Any], third: int) -> Of:
    """Of numbers of a point, and of thirds: what is shown of them, or what they are."""
    numbers, thirds = each(x, of=number), literals(lambda on, c: _third_shown(on, c)[third])
    return lambda scene: [numbers(scene), thirds(scene)]


def _rows(carrier: Any, obj: Tensor, number: Any) -> Any:
    if not obj.shape:
        return number
    return carrier.stack([carrier.row(number, i) for i in range(obj.shape[0])], obj)


def _stacked(carrier: Any, obj: Tensor, *rows: Any) -> Any:
    stack = carrier.stack(rows, Tensor((len(rows), *obj.shape), obj.dtype))
    return [carrier.row(stack, index) for index in range(len(rows))]


def _types_found(scene: Any) -> Any:
    """The types that numbers show, where they say so; what says nothing is believed."""
    value = scene.model.value(scene.model.run(scene.arrow(f), scene.at(x)))
    types = []
    for number, obj in numbers(scene.obj(B), value):
        shown = scene.model.algebra.lower(number)
        says = isinstance(shown, np.generic | np.ndarray) and shown.dtype != object
        types.append((np.shape(shown), shown.dtype.name if says else obj.dtype))
    return types


def _truths(scene: Any) -> Any:
    on = scene.model.algebra
    return [on.truth(on.const(Literal(np.array(truth)))) for truth in (True, False)]


law = stating(CARRIER, "the protocol of interpreters.carriers.carrier", tame=True)
monoid = stating(
    CARRIER, "The differentiable curry, section 2: cotangents are a commutative monoid", tame=True
)
rational = stating(
    RATIONAL, "the rationals are dense in the reals, and the operations continuous", tame=True
)

CARRIERS = (
    law("N1", "a number that is shown and taken again is the same", of=(x, u))(
        ("lift (lower x), lower (lift (c + 1)/3)", _shown(_again, 0)),
        ("x, (c + 1)/3", _shown(_same, 1)),
    ),
    law("N2", "a literal is the user's number", of=(u,))(
        ("const c", literals(lambda on, c: on.const(c))),
        ("lift c", literals(lambda on, c: on.lift(c.array, c.type))),
    ),
    monoid("N3a", "addition is commutative", of=(u, v))(
        ("x + y", each(u, v, of=lambda on, obj, a, b: on.add(a, b))),
        ("y + x", each(u, v, of=lambda on, obj, a, b: on.add(b, a))),
    ),
    monoid("N3b", "addition is associative", of=(u, v, w))(
        ("(x + y) + z", each(u, v, w, of=lambda on, obj, a, b, c: on.add(on.add(a, b), c))),
        ("x + (y + z)", each(u, v, w, of=lambda on, obj, a, b, c: on.add(a, on.add(b, c)))),
    ),
    monoid("N3c", "zero adds nothing", of=(u,))(
        ("x + 0", each(u, of=lambda on, obj, a: on.add(a, on.const(Literal.filled(0.0, obj))))),
        ("x", each(u, of=_same)),
    ),
    law("N4a", "the rows of a tensor, stacked, are the tensor", of=(x,))(
        ("stack (rows x)", each(x, of=_rows)), ("x", each(x, of=_same))
    ),
    law("N4b", "the rows of a stack are what was stacked", of=(x, y, z))(
        ("rows (stack [x, y, z])", each(x, y, z, of=_stacked)),
        ("[x, y, z]", each(x, y, z, of=lambda on, obj, *rows: list(rows))),
    ),
    law(
        "N5",
        "values have the shape and the kind that the types say",
        of=(f, x),
        source="typing is sound: Wright and Felleisen, 1994",
    )(
        ("type of f(x)", _types_found),
        ("B", lambda at: [(leaf.shape, leaf.dtype) for leaf in Layout(at.obj(B)).leaves]),
    ),
    law("N6", "true is true and false is not")(
        ("truth (const b)", _truths), ("b", lambda scene: [True, False])
    ),
    rational("N7", "a program of rational operations gives what it gives over the rationals")(
        Image("rational", ARITHMETIC), ARITHMETIC
    ),
)

NUMBERS = Structure(
    "values", "Values of primitives", (CONSTANTS,), arrows=("primitive",), features=("operations",)
)
ARRAYS = Structure("values of arrays", "Values at arrays", (NUMBERS,), features=("arrays",))

p, q = points("x y", Real)
m, n = points("m n", Tensor((2, 3)))
(row,), (columns,) = points("v", Tensor((3,))), points("w", Tensor((3, 2)))

ROUNDED = frozenset(("divide", "power", "sqrt", "exp", "log", "sin", "cos", "tan", "tanh"))
"""Their values are rounded, as floats are; all others are exact at short binary fractions."""
Applied = tuple[str, Operation, tuple[Generator, ...]]
"""What a primitive is called in a report, and what it is applied to."""


def pointwise(scene: Scene) -> Iterator[Applied]:
    """The pointwise primitives that a model knows, and how it compares where it chooses."""
    compares = {"less": 2} if scene.signature.conditionals else {}
    for name, arity in {**scene.signature.operations, **compares}.items():
        if arity <= 2:
            yield name, Operation(named(name)), (p, q)[:arity]


def of_arrays(scene: Scene) -> Iterator[Applied]:
    """Some primitives of arrays, at some parameters."""
    window = (("start", (1, 2)), ("step", (1, -1)), ("extent", (1, 2)))
    for name, operands, parameters in (
        ("sum", (m,), (("axis", (0,)), ("keepdims", False))),
        ("reshape", (m,), (("shape", (3, 2)),)),
        ("broadcast_to", (row,), (("shape", (2, 3)),)),
        ("transpose", (m,), (("axes", (1, 0)),)),
        ("slice", (m,), window),
        ("concatenate", (m, n), (("axis", 0),)),
        ("multiply", (m, n), ()),
        ("matmul", (m, columns), ()),
    ):
        yield name, Operation(named(name), parameters), operands


def _values(
    scene: Scene, applied: Callable[[Scene], Iterator[Applied]], *, by_numpy: bool
) -> dict[str, Any]:
    """By name what primitives give in the model, or the constants of what NumPy's functions give.

    Left out are those that the model has not or NumPy has by no such name, and what is not finite.
    """
    found: dict[str, Any] = {}
    for name, operation, operands in applied(scene):
        drawn = [scene.instance.arrows[point] for point in operands]
        at = [element.literal.array[()] for element in drawn if isinstance(element, Constant)]
        if len(at) < len(drawn):
            raise DomainError("values of primitives are told at constants")
        arrow = pair(*operands) if len(operands) > 1 else operands[0]
        arrow >>= Primitive(operation, tuple(point.cod for point in operands))
        try:
            value = function_of(operation, np)(*at)
            given = scene.at(arrow)
        except MissingRule:
            continue
        if np.isfinite(value).all():
            if by_numpy:
                given = scene.at(Constant(Unit, Literal(value)))
            told = leaves(scene.model, arrow.cod, given, scene.probes)
            found[name] = [_as_float(leaf) if name in ROUNDED else leaf for _, leaf in told]
    return found


def _as_float(leaf: Any) -> Any:
    """As a float, where it can be one; else nothing."""
    try:
        return np.asarray(leaf, float)[()]
    except (TypeError, ValueError):
        return None


NUMPY = "a constant is a number, and the functions of the language are NumPy's"
law = stating(NUMBERS, NUMPY, tame=True)

VALUES = (
    law("V1", "a primitive gives what NumPy's function gives", of=(p, q))(
        ("⟨x, y⟩ >> p", partial(_values, applied=pointwise, by_numpy=False)),
        ("const p(x, y)", partial(_values, applied=pointwise, by_numpy=True)),
    ),
    law(
        "V2",
        "a primitive of arrays gives what NumPy's function gives",
        of=(m, n, row, columns),
        structure=ARRAYS,
    )(
        ("⟨m, n⟩ >> p", partial(_values, applied=of_arrays, by_numpy=False)),
        ("const p(m, n)", partial(_values, applied=of_arrays, by_numpy=True)),
    ),
)

SLOPE = Structure(
    "slope", "Slopes of values", (ADDITIVE,), arrows=("const",), methods=("D", "scale")
)
COSLOPE = Structure(
    "coslope",
    "Slopes of values, backwards",
    (ADDITIVE,),
    arrows=("const",),
    methods=("R", "scale", "inner"),
)

START, END = Variable("A", "vector"), Variable("B", "vector")
smooth = Generator("f", START, END)
at, along = points("x v", START)
(weight,) = points("w", END)

STEPS = {True: 2.0**-13, False: 2.0**-40}
"""How far to go for a difference, in floats and in exact numbers."""
BENDS = {True: 2.0**-7, False: 2.0**-20}
"""By how much the slopes to both sides may differ, for their size; and how near derivatives are."""


def _told(scene: Scene, side: Morphism) -> list[Any]:
    """The numbers that a side gives at the one point of Unit; decimals as fractions.

    Decimals are no kin to the fractions that they are divided by.
    """
    value = value_in(scene.model, scene.model.run(scene.arrow(side), ()))
    told = leaves(scene.model, scene.obj(side.cod), value, scene.probes)
    found = [number for _, leaf in told for number in np.asarray(leaf).ravel().tolist()]
    return [Fraction(number) if isinstance(number, Decimal) else number for number in found]


def _slopes(scene: Scene) -> tuple[list[float], bool]:
    """The slope of each number of ``f`` along ``v``, and whether any number is a float."""
    here = _told(scene, at >> smooth)
    floating = any(isinstance(number, float) for number in here)
    step: Any = STEPS[floating] if floating else Fraction(STEPS[floating])
    moved = (Scaled(Constant(Unit, Literal(sign * float(step))), along) for sign in (1, -1))
    there, back = (_told(scene, Plus(at, by) >> smooth) for by in moved)
    slopes = []
    for y, ahead, behind in zip(here, there, back, strict=True):
        up, down = float((ahead - y) / step), float((y - behind) / step)
        if not abs(up - down) <= BENDS[floating] * (1 + abs(up)):
            raise IllConditioned("the value bends or jumps here")
        slopes.append((up + down) / 2)
    return slopes, floating


def _forward(scene: Scene) -> tuple[float, float]:
    """How far ``D[f](x, v)`` is from the slope, where it is farthest, and how far it may be."""
    slopes, floating = _slopes(scene)
    found = _told(scene, pair(at, along) >> D(smooth))
    far = [
        (abs(float(d) - slope), BENDS[floating] * (1 + abs(slope)))
        for d, slope in zip(found, slopes, strict=True)
    ]
    return max(far, key=lambda one: one[0] / one[1], default=(0.0, 1.0))


def _backward(scene: Scene) -> tuple[float, float]:
    """The same of ``⟨v, R[f](x, w)⟩``, and of the slope along ``w``."""
    slopes, floating = _slopes(scene)
    weighted = [s * float(g) for s, g in zip(slopes, _told(scene, weight), strict=True)]
    (pulled,) = _told(scene, Inner(along, pair(at, weight) >> R(smooth)))
    may_be = BENDS[floating] * (1 + sum(map(abs, weighted)))
    return abs(float(pulled) - sum(weighted)), may_be


law = stating(SLOPE, "the definition of a derivative", relation="≤", tame=True)

SLOPES = (
    law(
        "L5a",
        "a derivative is the slope of the value, as near as differences tell",
        of=(smooth, at, along),
    )(
        ("|D[f](x, v) - (f(x + hv) - f(x - hv))/2h|", lambda scene: _forward(scene)[0]),
        ("ε", lambda scene: _forward(scene)[1]),
    ),
    law(
        "L5b",
        "a pullback tells the slope of the value, as near as differences tell",
        of=(smooth, at, along, weight),
        structure=COSLOPE,
        implied_by="L5a L3",
    )(
        ("|⟨v, R[f](x, w)⟩ - ⟨(f(x + hv) - f(x - hv))/2h, w⟩|", lambda scene: _backward(scene)[0]),
        ("ε", lambda scene: _backward(scene)[1]),
    ),
)

LAWS = (*CARRIERS, *VALUES, *SLOPES)
