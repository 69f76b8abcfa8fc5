"""Counting what a program and its pullback do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import diffcurry as dc
from interpreters.carriers.counting import Counting
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.modes.reverse import Dependent, Pullback

FORMS = {"dependent": Dependent, "simple": Pullback}


class Counts(NamedTuple):
    """The operations of the program, of value and pullback together, and what was computed."""

    program: Counter[str]
    both: Counter[str]
    value: Any
    cotangents: Any

    @property
    def ratio(self) -> float:
        """How many operations value and pullback do for one of the program's."""
        return self.both.total() / self.program.total()


def counted(f: Callable[..., Any], *args: Any, form: str = "dependent") -> Counts:
    """Run ``f``, a function with a scalar result, alone and with its pullback of 1."""
    with np.errstate(all="ignore"):
        return _counted(f, args, form)


def _counted(f: Callable[..., Any], args: tuple[Any, ...], form: str) -> Counts:
    function = dc.fun(f)
    program = function.program(*args)
    carrier = Counting(NumPy())
    primal = Primal(carrier)
    primal.value(program.arrow(primal), program.lifted(args, primal))
    alone = Counter(carrier.counts)
    carrier.reset()
    mode = FORMS[form](carrier)
    values = program.lifted(args, mode)
    carrier.reset()
    value, pullback = mode.rep(program.arrow(mode), values)
    cotangents = pullback(np.float64(1.0))
    return Counts(alone, Counter(carrier.counts), value, cotangents)
