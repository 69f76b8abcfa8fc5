"""Our own modes as systems of the comparison: they visit the lines of the gradient's program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import diffcurry as dc
from combinators.morphisms import interpret
from combinators.terms import Lam
from combinators.translate import translate
from interpreters.carriers.counting import Counting
from interpreters.cost.counted import lines
from interpreters.modes.delta import Deltas
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.sparse_cotangents import dense
from interpreters.staging.programs import gradient
from interpreters.staging.terms import TERMS
from papers.comparison.compare import Comparison, System, Told, compared


def by(form: Any) -> System:
    def told(lam: Lam, point: tuple[Any, ...], over: Counting) -> Told:
        mode, arrow = form(over), translate(lam.params, lam.body)
        pulled = mode.rep(interpret(arrow, mode), point)[1](np.float64(1.0))
        slopes = np.hstack([np.ravel(x) for x in dense(over.over, pulled, arrow.dom)])
        term = gradient(lam, range(len(point)), form(TERMS))
        return Told(str(term), slopes, over.total, lines(term), term)

    return told


HOUSE = {"simple": by(Pullback), "dependent": by(Dependent), "delta": by(Deltas)}


def side_by_side(f: Callable[..., Any], *args: Any) -> Comparison:
    """``compared``, and our own modes beside it."""
    point = tuple(np.asarray(x, float)[()] for x in args)
    return compared(dc.fun(f).program(*args).lam, point, HOUSE)
