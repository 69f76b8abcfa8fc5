"""What an algebra of numbers owes: literals, sums of cotangents, rows, and sound types.

A model has ``algebra``, with the methods of a carrier: ``const``, ``lift``, ``lower``, ``add``,
``truth``, ``row`` and ``stack``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.morphisms import Primitive
from combinators.objects import Object, Real, Tensor
from combinators.operation import Operation, named
from combinators.type_folds import columns_of, zip_leaves
from laws.language import Generator, Image, Variable, arrows, pair, points
from laws.law import Computed, Law, Structure
from laws.structures.cartesian import CATEGORY

CARRIER = Structure("carrier", "Carrier", (CATEGORY,), methods=("algebra",))
RATIONAL = Structure("rational", "Rational numbers", (CATEGORY,), methods=("ways:rational",))

A, B = Variable("A", "data"), Variable("B", "data")
V = Variable("V", "vector")
x, y, z = points("x y z", A)
u, v, w = points("u v w", V)
f = Generator("f", A, B)
g, h = arrows("g h", V, Real)
ARITHMETIC = pair(
    *(pair(g, h) >> Primitive(Operation(named(name)), (Real, Real)) for name in ("add", "multiply"))
)
"""``⟨g + h, g · h⟩``, so that something is always computed."""

PROTOCOL = "the protocol of interpreters.carriers.carrier"
MONOID = "The differentiable curry, section 2: cotangents are a commutative monoid"


def numbers(obj: Object, value: Any) -> Iterator[tuple[Any, Tensor]]:
    """The numbers in a value of an object without functions, with their types."""
    for leaf, number in zip_leaves(obj, value, parts=columns_of):
        if isinstance(leaf, Tensor):
            yield number, leaf


def shape_and_kind(number: Any, obj: Tensor) -> tuple[Any, str]:
    """The type that a number shows, where it says so; what says nothing is believed."""
    says = isinstance(number, np.generic | np.ndarray) and number.dtype != object
    return np.shape(number), number.dtype.name if says else obj.dtype


def _each(*points: Generator, of: Callable[..., Any]) -> Callable[[Any], Any]:
    """``of`` the carrier, the type, and the numbers at one place of each point."""

    def computed(scene: Any) -> Any:
        obj = scene.obj(points[0].cod)
        found = [list(numbers(obj, scene.at(point))) for point in points]
        return [
            of(scene.model.algebra, places[0][1], *(number for number, _ in places))
            for places in zip(*found, strict=True)
        ]

    return computed


def _rows(carrier: Any, obj: Tensor, number: Any) -> Any:
    if not obj.shape:
        return number
    return carrier.stack([carrier.row(number, i) for i in range(obj.shape[0])], obj)


def _stacked(carrier: Any, obj: Tensor, *rows: Any) -> Any:
    stack = carrier.stack(rows, Tensor((len(rows), *obj.shape), obj.dtype))
    return [carrier.row(stack, index) for index in range(len(rows))]


def _zero(carrier: Any, obj: Tensor) -> Any:
    return carrier.const(Literal.filled(0.0, obj))


def _literals(scene: Any, of: Callable[[Any, Literal], Any]) -> Any:
    """``of`` the literals of a covector."""
    drawn: list[Literal] = []
    todo = [scene.probes.cotangent("c", scene.obj(V))]
    while todo:
        here = todo.pop()
        if isinstance(here, Literal):
            drawn.append(here)
        elif isinstance(here, tuple):
            todo.extend(here)
    return [of(scene.model.algebra, literal) for literal in drawn]


def _third(literal: Literal) -> Any:
    """``(c + 1) / 3``: of most constants a number that is no short binary fraction."""
    return ((literal.array + 1) / literal.array.dtype.type(3)).astype(literal.type.dtype)


def _third_shown(on: Any, c: Literal) -> tuple[Any, Any]:
    """What a third looks like, and the third; nothing where it does not look like a number."""
    third = _third(c)
    found = on.lower(on.lift(third, c.type))
    return (found, third) if hasattr(found, "__float__") else ((), ())


def _shown(scene: Any) -> Any:
    again = _each(x, of=lambda on, obj, number: on.lift(on.lower(number), obj))
    return [again(scene), _literals(scene, lambda on, c: _third_shown(on, c)[0])]


def _as_it_was(scene: Any) -> Any:
    numbers_ = _each(x, of=lambda on, obj, number: number)
    return [numbers_(scene), _literals(scene, lambda on, c: _third_shown(on, c)[1])]


def _types_found(scene: Any) -> Any:
    model, obj = scene.model, scene.obj(B)
    value = model.value(model.run(scene.arrow(f), scene.at(x)))
    return [
        shape_and_kind(model.algebra.lower(number), part) for number, part in numbers(obj, value)
    ]


def _types_said(scene: Any) -> Any:
    return [(leaf.shape, leaf.dtype) for (leaf,) in zip_leaves(scene.obj(B), parts=columns_of)]


def _law(
    name: str,
    statement: str,
    lhs: tuple[str, Callable[[Any], Any]],
    rhs: tuple[str, Callable[[Any], Any]],
    needs: tuple[Generator, ...],
    source: str = PROTOCOL,
) -> Law:
    left, right = (Computed(text, value, needs) for text, value in (lhs, rhs))
    return Law(name, statement, left, right, CARRIER, source, tame=True)


LAWS = (
    _law(
        "N1",
        "a number that is shown and taken again is the same",
        ("lift (lower x), lower (lift (c + 1)/3)", _shown),
        ("x, (c + 1)/3", _as_it_was),
        (x, u),
    ),
    _law(
        "N2",
        "a literal is the user's number",
        ("const c", lambda scene: _literals(scene, lambda on, c: on.const(c))),
        ("lift c", lambda scene: _literals(scene, lambda on, c: on.lift(c.array, c.type))),
        (u,),
    ),
    _law(
        "N3a",
        "addition is commutative",
        ("x + y", _each(u, v, of=lambda on, obj, a, b: on.add(a, b))),
        ("y + x", _each(u, v, of=lambda on, obj, a, b: on.add(b, a))),
        (u, v),
        MONOID,
    ),
    _law(
        "N3b",
        "addition is associative",
        ("(x + y) + z", _each(u, v, w, of=lambda on, obj, a, b, c: on.add(on.add(a, b), c))),
        ("x + (y + z)", _each(u, v, w, of=lambda on, obj, a, b, c: on.add(a, on.add(b, c)))),
        (u, v, w),
        MONOID,
    ),
    _law(
        "N3c",
        "zero adds nothing",
        ("x + 0", _each(u, of=lambda on, obj, a: on.add(a, _zero(on, obj)))),
        ("x", _each(u, of=lambda on, obj, a: a)),
        (u,),
        MONOID,
    ),
    _law(
        "N4a",
        "the rows of a tensor, stacked, are the tensor",
        ("stack (rows x)", _each(x, of=_rows)),
        ("x", _each(x, of=lambda on, obj, a: a)),
        (x,),
    ),
    _law(
        "N4b",
        "the rows of a stack are what was stacked",
        ("rows (stack [x, y, z])", _each(x, y, z, of=_stacked)),
        ("[x, y, z]", _each(x, y, z, of=lambda on, obj, *rows: list(rows))),
        (x, y, z),
    ),
    _law(
        "N5",
        "values have the shape and the kind that the types say",
        ("type of f(x)", _types_found),
        ("B", _types_said),
        (f, x),
        "typing is sound: Wright and Felleisen, 1994",
    ),
    _law(
        "N6",
        "true is true and false is not",
        (
            "truth (const b)",
            lambda scene: [scene.model.algebra.truth(_bool(scene, b)) for b in (True, False)],
        ),
        ("b", lambda scene: [True, False]),
        (),
    ),
    Law(
        "N7",
        "a program of rational operations gives what it gives over the rationals",
        Image("rational", ARITHMETIC),
        ARITHMETIC,
        RATIONAL,
        "the rationals are dense in the reals, and the operations continuous",
        tame=True,
    ),
)


def _bool(scene: Any, value: bool) -> Any:
    return scene.model.algebra.const(Literal(np.array(value)))
