"""``compare``: a program in the systems of 002 and in our own modes, side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.morphisms import interpret
from combinators.objects import Tensor
from combinators.terms import Lam
from combinators.translate import translate
from combinators.type_folds import is_smooth
from diffcurry.arguments import check_scalar
from diffcurry.function import fun
from diffcurry.picture import Picture
from interpreters.carriers.counting import Counting
from interpreters.cost.counted import lines
from interpreters.modes.delta import Deltas
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.sparse_cotangents import dense
from interpreters.staging.programs import gradient
from interpreters.staging.terms import TERMS
from papers.comparison import flat
from papers.comparison.compare import Comparison, System, Told, compared


def compare(f: Callable[..., Any], *args: Any) -> Comparison:
    """The gradient of ``f`` at ``args`` in every system, with its term, operations and visits.

    Numbers and arrays to a Real; a system that refuses the program says why. ``term(system)`` is
    the term before anything is simplified, ``diagrams()`` are pictures of those that are terms of
    the language; our own modes visit the lines of the gradient's program.

    >>> compare(lambda x: x * x, 3.0).rows["Krawiec and others"].gradient
    array([6.])
    """
    program = fun(f).program(*args)
    check_scalar(program.cod)
    types = program.types
    if len(args) != len(types) or not all(isinstance(obj, Tensor) for obj in types):
        given = f"{len(args)} for {', '.join(map(repr, types))}"
        raise TypeMismatch(f"compare takes the numbers and arrays to compute at, and has {given}")
    point = tuple(np.asarray(x, float)[()] for x in args)
    return compared(program.lam, point, HOUSE, Picture)


def _by(form: Any) -> System:
    def told(lam: Lam, point: tuple[Any, ...], over: Counting) -> Told:
        mode, arrow = form(over), translate(lam.params, lam.body)
        pulled = mode.rep(interpret(arrow, mode), point)[1](np.float64(1.0))
        which = tuple(i for i, param in enumerate(lam.params) if is_smooth(param.type))
        term, slopes = gradient(lam, which, form(TERMS)), dense(over.over, pulled, arrow.dom)
        return Told(term, flat(lam, point, slopes), over.total, lines(term))

    return told


HOUSE = {"simple": _by(Pullback), "dependent": _by(Dependent), "delta": _by(Deltas)}
