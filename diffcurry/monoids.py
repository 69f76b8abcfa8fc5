"""Whether an operator is associative, and has the unit that it is given with: asked at the door.

``reduce`` and the scans believe it, and put the brackets where they like; so their operator is run
on a few drawn values as soon as it is traced, and on what it captures, drawn too.

>>> from diffcurry.library import reduce
>>> reduce(lambda a, b: a - b, 0.0, np.ones(3))
Traceback (most recent call last):
    ...
combinators.errors.NotAssociative: ...: reduce combines values of Real by an operator that is not \
associative: for a = 2, b = 1, c = 0.5 op(op(a, b), c) is 0.5, and op(a, op(b, c)) is 1.5; ...
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError, NotAssociative
from combinators.kit.text import brief
from combinators.morphisms import interpret
from combinators.objects import Object, Product
from combinators.spaces import Space
from combinators.terms import Lam, Term, captured, let
from combinators.tracing.associative import ASKING
from combinators.tracing.functions import Specialised
from combinators.tracing.scope import apart, current
from combinators.translate import translate
from combinators.type_folds import is_first_order
from combinators.value_folds import Layout
from diffcurry.modes import primal

NEAR = {8: 1e-6, 4: 1e-2, 2: 1e-1}
"""Rounding is forgiven up to such a part of the largest number, by the bytes of a float."""
PLAIN = np.array([0.5, 1.0, 2.0, 3.0])
DRAWS: tuple[Callable[[np.random.Generator, int], Any], ...] = (
    lambda random, n: PLAIN[(2 - np.arange(n)) % 4],
    lambda random, n: random.choice(PLAIN, n),
    lambda random, n: random.choice([*PLAIN, *-PLAIN], n),
    lambda random, n: random.uniform(0.05, 0.95, n),
    lambda random, n: random.normal(0.0, 2.0, n),
    *[lambda random, n: random.normal(0.0, 200.0, n)] * 4,
)
"""How the numbers of an example are drawn: plain ones first."""


def check_monoid(made: Specialised, unit: Term, word: str) -> None:
    """Raise NotAssociative where ``word`` must not combine by an operator, or not from a unit.

    It shows values of which ``op(op(a, b), c)`` and ``op(a, op(b, c))`` differ, or one that the
    unit changes. What the operator takes to what is not finite says nothing, and of an operator
    that captures functions, or combines some, nothing is asked.
    """
    row, names = unit.type, [var.name for var in made.captured]
    given = [row] * 3 + [var.type for var in made.captured]
    if not all(map(is_first_order, given)):
        return
    closed, layout = Lam((*made.captured, *made.lam.params), made.lam.body), Layout(Product(*given))
    start = _known(unit)
    compute, random = _compute(closed), np.random.default_rng(0)
    sizes = [getattr(leaf, "coordinates", leaf).size for leaf in layout.leaves]
    for draw in DRAWS:
        numbers = np.split(draw(random, sum(sizes)), np.cumsum(sizes)[:-1])
        pairs = zip(numbers, layout.leaves, strict=True)
        a, b, c, *rest = layout.nested([_number(drawn, leaf) for drawn, leaf in pairs])
        op = partial(compute, *rest)
        others = dict(zip(names, rest, strict=True))
        try:
            left, right = op(op(a, b), c), op(a, op(b, c))
            around = {} if start is None else {"(unit, a)": op(start, a), "(a, unit)": op(a, start)}
        except (DiffcurryError, ArithmeticError):
            continue
        what = f"{word} combines values of {row!r} by an operator"
        if _differ(row, left, right):
            raise NotAssociative(
                f"{what} that is not associative: for {_named(a=a, b=b, c=c, **others)} "
                f"op(op(a, b), c) is {brief(left)}, and op(a, op(b, c)) is {brief(right)}; "
                "write a fold or a scan, or check=False if its rows are never like these"
            )
        for said, found in around.items():
            if _differ(row, found, a):
                raise NotAssociative(
                    f"{what} of which {brief(start)} is no unit: for {_named(a=a, **others)} "
                    f"op{said} is {brief(found)}, not a; start from its unit, write a fold or a "
                    "scan, or check=False if its rows are never like this"
                )


def _known(unit: Term) -> Any:
    """The unit, by the lines that make it, where they are of nothing but numbers; else None."""
    names = {var.name for var in captured(unit)[0]}
    scope, lines = current(), []
    while names and scope is not None:
        for var, term in reversed(scope.lines):
            if var.name in names:
                names.remove(var.name)
                names.update(used.name for used in captured(term)[0])
                lines.append((var, term))
        scope = scope.parent
    return None if names else _compute(Lam((), let(tuple(reversed(lines)), unit)))()


def _compute(lam: Lam) -> Callable[..., Any]:
    """What a closed λ computes of values of NumPy's."""
    with apart():
        arrow = interpret(translate(lam.params, lam.body), primal())

    def compute(*values: Any) -> Any:
        with apart(), np.errstate(all="ignore"):
            return arrow.run(values)

    return compute


def _number(drawn: Any, leaf: Any) -> Any:
    """The numbers of a leaf, of its type."""
    if isinstance(leaf, Space):
        with apart():
            return (leaf.declared.settled or np.asarray)(_number(drawn, leaf.coordinates))
    array = np.reshape(drawn, leaf.shape)
    kind = np.dtype(leaf.dtype).kind
    made = array > 1.0 if kind == "b" else np.rint(2 * array) if kind in "iu" else array
    return primal().over.lift(np.asarray(made).astype(leaf.dtype)[()], leaf)


def _differ(obj: Object, x: Any, y: Any) -> bool:
    """Whether two values are finite, and differ by more than rounding."""
    layout = Layout(obj)
    pairs = [
        (np.asarray(a), np.asarray(b)) for a, b in zip(layout.flat(x), layout.flat(y), strict=True)
    ]
    if not all(np.isfinite(part).all() for pair in pairs for part in pair):
        return False
    largest = max([1.0, *(float(np.abs(part).max(initial=0)) for pair in pairs for part in pair)])
    return any(
        bool(np.any(np.abs(a - b) > NEAR[a.dtype.itemsize] * largest))
        if a.dtype.kind == "f"
        else not np.array_equal(a, b)
        for a, b in pairs
    )


def _named(**values: Any) -> str:
    return ", ".join(f"{name} = {brief(value)}" for name, value in values.items())


ASKING.append(check_monoid)
