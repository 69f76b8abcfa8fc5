"""The law of a sequence of expressions: one expression in the index that gives them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy

Law = Callable[[Any], Any]
"""From an index, which may be open, to the value there."""


def law_of(values: Sequence[Any]) -> Law | None:
    """The law of ``values``, whose numbers move evenly from one to the next; None: none is found.

    >>> a = sympy.IndexedBase("a")
    >>> law = law_of([sympy.sin(k) * a[9 - 2 * k] for k in range(4)])
    >>> law(sympy.Symbol("i"))
    sin(i)*a[9 - 2*i]
    """
    if len(values) < 3:
        return None
    place = sympy.Dummy("k", integer=True, nonnegative=True)
    last = len(values) - 1
    law = _between(values[last - 1], values[last], place - (last - 1))
    if law is None or any(law.xreplace({place: sympy.S(k)}) != x for k, x in enumerate(values)):
        return None
    return lambda index: law.xreplace({place: index})


def _between(x: Any, y: Any, steps: Any) -> Any:
    """What is ``x`` after no steps and ``y`` after one; None where they are not of one form."""
    if x == y:
        return x
    if x.is_Rational and y.is_Rational:
        return x + (y - x) * steps
    if not x.args or x.func != y.func or len(x.args) != len(y.args):
        return None
    args = [_between(*pair, steps) for pair in zip(x.args, y.args, strict=True)]
    return None if None in args else x.func(*args)
