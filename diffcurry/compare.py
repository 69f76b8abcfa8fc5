"""``compare``: a program in the systems of 002 and in our own modes, side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.morphisms import interpret
from combinators.objects import Object, Tensor
from combinators.terms import Lam
from combinators.translate import translate
from combinators.type_folds import is_smooth
from diffcurry.arguments import check_scalar
from diffcurry.decorator import fun
from diffcurry.picture import Picture
from interpreters.cost.counted import lines
from interpreters.modes.delta import Deltas
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.sparse_cotangents import dense
from interpreters.staging.programs import gradient
from interpreters.staging.terms import TERMS
from papers.comparison import Outcome, Point, flat
from papers.comparison.compare import Comparison, System, compared


def compare(f: Callable[..., Any], *args: Any) -> Comparison:
    """The gradient of ``f`` at ``args`` in every system, with its term, operations and visits.

    Numbers and arrays to a Real. ``term(system)`` is the term before anything is simplified, and
    ``diagrams()`` are pictures; our own modes visit the lines of the gradient's program.

    >>> compare(lambda x: x * x, 3.0).rows["Krawiec and others"].gradient
    array([6.])
    """
    if any(isinstance(x, Object) for x in args):
        raise TypeMismatch(f"compare takes numbers, and has types: {args}; say --at '5.0, 2.0'")
    program = fun(f).program(*args)
    check_scalar(program.cod)
    if [isinstance(obj, Tensor) for obj in program.types] != [True] * len(args):
        given = f"{len(args)} for {', '.join(map(repr, program.types))}"
        raise TypeMismatch(f"compare takes the numbers and arrays to compute at, and has {given}")
    return compared(program.lam, tuple(np.asarray(x, float)[()] for x in args), HOUSE, Picture)


def _by(form: Any) -> System:
    def term(lam: Lam, _: Point) -> Lam:
        return gradient(
            lam, [i for i, x in enumerate(lam.params) if is_smooth(x.type)], form(TERMS)
        )

    def outcome(lam: Lam, point: Point, covector: Any, over: Any) -> Outcome:
        mode, arrow = form(over), translate(lam.params, lam.body)
        value, pull = mode.rep(interpret(arrow, mode), point)
        pulled = dense(over.over, pull(covector), arrow.dom)
        found = flat(lam, point, dict(zip((x.name for x in lam.params), pulled, strict=True)))
        return Outcome(value, found, lines(term(lam, point)))

    return outcome, term


HOUSE = {"simple": _by(Pullback), "dependent": _by(Dependent), "delta": _by(Deltas)}
