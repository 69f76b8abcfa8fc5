"""What derivatives cost, counted in scalar operations, and in lines where programs are written.

A model counts: ``operations(arrow, point, cotangent=None)`` are those of a run and, with a
cotangent, of the pullback too. ``lines(program)`` and ``gradient_lines(program)`` are the lengths
of a program and of the program of its value and gradient; ``passed(program)`` the numbers that
rounds of loops carry and capture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.kit.tree import distinct_nodes
from combinators.morphisms import Morphism, Primitive
from combinators.objects import Object, Product, Tensor
from combinators.operation import Operation, named
from combinators.type_folds import columns_of
from combinators.value_folds import zip_leaves
from laws.language import Generator, Variable, copy, first, pair, points
from laws.law import Structure, stating
from laws.model import ways_of
from laws.structures.categories import CATEGORY

COST = Structure("cost", "Cost", (CATEGORY,), methods=("operations", "passed"))
WRITTEN = Structure(
    "cost of programs", "Cost of programs", (CATEGORY,), methods=("lines", "gradient_lines")
)

PER_OPERATION, WHERE_DIVIDING = 5, 6
"""How many operations K1 grants for one of the program."""
PER_LINE, LINES = 8, 12
"""How many lines of a gradient K2 grants for one of the program, and besides."""
DIVISIONS = frozenset(("divide", "remainder", "floor_divide", "unscale", "reciprocal"))

U, V, W = (Variable(name, "vector") for name in "UVW")
f = Generator("f", V, W)
e, t = Generator("e", V, U), Generator("t", Product(U, U), W)
any_program = Generator("f", Variable("A", "data"), Variable("B", "data"))
(a,), (w,), (z,) = points("a", V), points("w", W), points("z", U)
(b,) = points("a", any_program.dom)
SHARED = e >> copy(U) >> t


Counted = Callable[[Any], Any]
"""What is counted in a scene."""


def size(obj: Object) -> int:
    """How many floats a value of ``obj`` holds."""
    leaves = [leaf for (leaf,) in zip_leaves(obj, parts=columns_of)]
    return sum(leaf.size for leaf in leaves if isinstance(leaf, Tensor) and leaf.is_smooth)


def spent(arrow: Morphism, at: Morphism, cotangent: Generator | None = None) -> Counted:
    """What a run spends; with a cotangent, with its pullback."""

    def count(scene: Any) -> Any:
        along = None if cotangent is None else scene.at(cotangent)
        return scene.model.operations(scene.arrow(arrow), scene.at(at), along)

    return count


def _granted(scene: Any) -> Any:
    """``c · ops(f) + size(ȳ) + size(Γ) + passed(f)``."""
    program = scene.program(f)
    divides = any(
        isinstance(node, Primitive) and node.operation.name in DIVISIONS
        for node in distinct_nodes(program, kind=Morphism)
    )
    each = WHERE_DIVIDING if divides else PER_OPERATION
    besides = size(scene.obj(V)) + size(scene.obj(W))
    return each * spent(f, a)(scene) + besides + scene.model.passed(program)


def _separately(scene: Any, *, backwards: bool) -> Any:
    """What ``e`` and ``t`` spend, each run once."""
    between = pair(a >> e, a >> e)
    spends = (
        (spent(e, a, z), spent(t, between, w)) if backwards else (spent(e, a), spent(t, between))
    )
    added = 2 * size(scene.obj(U)) + size(scene.obj(V)) if backwards else 0
    return sum(count(scene) for count in spends) + added


def _indexing(length: int) -> Counted:
    """What the pullback of ``x[0] + x[1]`` spends, of an array that is so long."""
    array, one = Tensor((length,)), Tensor((1,))
    windows = ((("start", (at,)), ("step", (1,)), ("extent", (1,))) for at in (0, 1))
    parts = (Primitive(Operation(named("slice"), window), (array,)) for window in windows)
    both = pair(*parts) >> Primitive(Operation(named("add")), (one, one))

    def count(scene: Any) -> Any:
        carrier = scene.model.carrier
        point, cotangent = carrier.lift([1.0] * length, array), carrier.lift([1.0], one)
        return scene.model.operations(scene.arrow(both), point, cotangent)

    return count


def _simplified(scene: Any) -> Any:
    arrow = ways_of(scene.model)["simplified"](scene.program(any_program))
    return scene.model.operations(arrow, scene.at(b))


law = stating(
    COST,
    "Smeding and Vákár 2024, Efficient CHAD, Theorem 1; docs/laws.md, K1",
    relation="≤",
    tame=True,
)

LAWS = (
    law("K1", "a gradient costs a constant times the program", of=(f, a, w))(
        ("ops(f, ∇f)", spent(f, a, w)),
        ("5 · ops(f) + size(ȳ) + size(Γ) + passed(f), 6 where it divides", _granted),
    ),
    law(
        "K2",
        "a gradient program is as long as the program, times a constant",
        of=(f,),
        source="Huot and Shaikhha, Theorem 5.4; Wang et al. 2019",
        structure=WRITTEN,
    )(
        ("lines(∇f)", lambda at: at.model.gradient_lines(at.program(f))),
        (
            f"{PER_LINE} · lines(f) + {LINES}",
            lambda at: PER_LINE * at.model.lines(at.program(f)) + LINES,
        ),
    ),
    law(
        "K3a",
        "what is named is computed once: ops(let x = e in t(x, x)) ≤ ops(e) + ops(t)",
        of=(e, t, a, w, z),
    )(
        ("ops(e; Δ; t)", spent(SHARED, a)),
        ("ops(e) + ops(t)", lambda at: _separately(at, backwards=False)),
    ),
    law(
        "K3b", "what is named is pulled back once, by the sum of its cotangents", of=(e, t, a, w, z)
    )(
        ("ops(e; Δ; t, R[e; Δ; t])", spent(SHARED, a, w)),
        (
            "ops(e, R[e]) + ops(t, R[t]) + 2 · size(U) + size(V)",
            lambda at: _separately(at, backwards=True),
        ),
    ),
    law("K4a", "the pullback of a projection computes nothing", of=(a, z))(
        ("ops(π0, R[π0])", spent(first(V, U), pair(a, z), a)), ("0", lambda at: 0)
    ),
    law("K4b", "the pullback of an index costs as much, however long the array is")(
        ("ops(x[0] + x[1], R) of 1000 numbers", _indexing(1000)),
        ("ops(x[0] + x[1], R) of 4 numbers", _indexing(4)),
    ),
    law(
        "K5",
        "a simplified program does not compute more",
        of=(any_program, b),
        source="Huot and Shaikhha, section 5",
    )(("ops(simplify f)", _simplified), ("ops(f)", spent(any_program, b))),
)
