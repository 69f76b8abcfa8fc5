"""Values of primitives: what a category gives of a primitive of constants.

That is the constant which NumPy's function of its name gives. No other law compares the two: a
category that adds where it should multiply, and derives it so, would keep them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from combinators.errors import DomainError, MissingRule
from combinators.literal import Literal
from combinators.morphisms import Constant, Primitive
from combinators.objects import Real, Tensor, Unit
from combinators.operation import Operation, named
from laws.functions import function_of
from laws.language import Generator, pair, points
from laws.law import Computed, Law, Structure
from laws.observation import leaves
from laws.scene import Scene
from laws.structures.cartesian import CONSTANTS

NUMBERS = Structure(
    "values",
    "Values of primitives",
    (CONSTANTS,),
    arrows=("primitive",),
    features=("operations",),
)
ARRAYS = Structure("values of arrays", "Values at arrays", (NUMBERS,), features=("arrays",))

x, y = points("x y", Real)
m, n = points("m n", Tensor((2, 3)))
(row,) = points("v", Tensor((3,)))
(columns,) = points("w", Tensor((3, 2)))

ROUNDED = frozenset(("divide", "power", "sqrt", "exp", "log", "sin", "cos", "tan", "tanh"))
"""Their values are rounded, as floats are; all others are exact at short binary fractions."""
Applied = tuple[str, Operation, tuple[Generator, ...]]
"""What a primitive is called in a report, and what it is applied to."""


def _pointwise(scene: Scene) -> Iterator[Applied]:
    """The pointwise primitives that a model knows, and how it compares where it chooses."""
    compares = {"less": 2} if scene.signature.conditionals else {}
    for name, arity in {**scene.signature.operations, **compares}.items():
        if arity <= 2:
            yield name, Operation(named(name)), (x, y)[:arity]


def _of_arrays(scene: Scene) -> Iterator[Applied]:
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
        numbers = [element.literal.array[()] for element in drawn if isinstance(element, Constant)]
        if len(numbers) < len(drawn):
            raise DomainError("values of primitives are told at constants")
        arrow = pair(*operands) if len(operands) > 1 else operands[0]
        arrow >>= Primitive(operation, tuple(point.cod for point in operands))
        try:
            value = function_of(operation, np)(*numbers)
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


def _valued(name: str, at: str, applied: Callable[[Scene], Iterator[Applied]]) -> Law:
    needs = (x, y) if applied is _pointwise else (m, n, row, columns)
    left, right = (
        Computed(text, partial(_values, applied=applied, by_numpy=by_numpy), needs)
        for text, by_numpy in ((f"⟨{at}⟩ >> p", False), (f"const p({at})", True))
    )
    return Law(
        name,
        f"a primitive {'of arrays ' * (applied is _of_arrays)}gives what NumPy's function gives",
        left,
        right,
        NUMBERS if applied is _pointwise else ARRAYS,
        "a constant is a number, and the functions of the language are NumPy's",
        tame=True,
    )


LAWS = (_valued("V1", "x, y", _pointwise), _valued("V2", "m, n", _of_arrays))
