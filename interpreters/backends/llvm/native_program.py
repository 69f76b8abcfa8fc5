"""A program as machine code: the function that Python calls, and what it falls back to."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np

from combinators.kit.memory import uncollected
from combinators.objects import Object, components
from combinators.terms import Lam
from interpreters.backends.analysis.captures import Occurrences, surveyed
from interpreters.backends.analysis.facts import Fact, component
from interpreters.backends.analysis.lines import OPTIMISTIC, Hidden, hides_zeros, lines_of
from interpreters.backends.llvm.emission import emitted
from interpreters.backends.llvm.entry import Entry, function_object, symbol
from interpreters.backends.llvm.fusion import planned
from interpreters.backends.llvm.lowering import lowered
from interpreters.backends.llvm.machine import Loaded, lanes, whole_text
from interpreters.backends.llvm.scopes import Module

LINE = 64
"""Bytes of a line of the cache, at which work begins."""


class NativeProgram:
    """A closed λ of numbers and arrays as machine code.

    Where an argument is not of its type, or a nan is in doubt, ``slow`` is called instead.
    """

    def __init__(self, lam: Lam, slow: Callable[..., Any], survey: Occurrences | None = None) -> None:
        """Raises ``MissingRule`` where something in it has no code."""
        with uncollected():
            self._build(lam, slow, survey or surveyed(lam))

    def _build(self, lam: Lam, slow: Callable[..., Any], survey: Occurrences) -> None:
        function = lowered(lam, survey)
        watched = _watched(lam, survey)
        module = Module(lanes(), watched is None, watched or frozenset())
        made = emitted(module, function, "run", planned(function))
        entry = Entry(lam, function, made.work, checks=bool(watched))
        arrays = {f"constant{i}": node.par.value for i, node in enumerate(made.constants)}
        if made.work:
            room = np.zeros(made.work + LINE, np.uint8)
            start = -room.ctypes.data % LINE
            arrays["work"] = room[start : start + made.work]
        self.text = whole_text(module, [made.text, entry.text()], len(made.constants))
        self._arrays, self._slow = arrays, slow

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function, of Python's numbers, NumPy's arrays, and tuples of them."""
        with uncollected():
            loaded = Loaded(self.text, self._arrays, symbol)
        return function_object(loaded.address("entry"), self._slow, loaded)


def _watched(lam: Lam, survey: Occurrences) -> frozenset[int] | None:
    """The results in which a nan is in doubt; None where products are to be careful."""
    if not any(map(hides_zeros, survey.operations)):
        return frozenset()
    with suppress(Hidden):
        known = lines_of(lam, survey, OPTIMISTIC).result
        return frozenset(
            number for number, fact in enumerate(_facts(lam.body.type, known)) if fact.doubtful
        )
    return None


def _facts(obj: Object, known: Fact) -> list[Fact]:
    """What is known of each tensor of a value."""
    parts = components(obj)
    if parts is None:
        return [known]
    return [
        fact
        for index, part in enumerate(parts.parts)
        for fact in _facts(part, component(known, index, part))
    ]


