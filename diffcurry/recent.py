"""Python functions by what they read, and what was made of them of late."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Generic, Protocol, TypeVar

from diffcurry.readings import Readings


class Reader(Protocol):
    """A function that knows what it read."""

    reads: Readings | None
    function: Callable[..., Any]


D = TypeVar("D", bound=Reader)


def identity(function: Any) -> Any:
    """What tells a Python function that reads the same; whoever keeps it keeps the function."""
    if isinstance(function, FunctionType):
        cells = []
        for cell in function.__closure__ or ():
            try:
                cells.append(id(cell.cell_contents))
            except ValueError:
                cells.append(0)
        words = function.__kwdefaults__ or {}
        defaults = map(id, (*(function.__defaults__ or ()), *words.values()))
        return function.__code__, tuple(cells), tuple(defaults), id(function.__globals__)
    if isinstance(function, MethodType):
        return id(function.__self__), identity(function.__func__)
    return id(function)


class Recent(Generic[D]):
    """Functions made of Python functions of late, which serve while these read the same.

    Code that captures something else at every call is not worth compiling: where the same code is
    met with other captures, it is run once as it is before a program is made for them. Where what
    it reads has changed, it is run so twice; and twice as often where a program served no call.
    """

    MOST = 64
    """How many are kept."""
    FEW = 4
    """Of how many that are met what they captured is kept."""

    def __init__(self) -> None:
        self._made: dict[Any, D] = {}
        self._codes: set[Any] = set()
        self._met: dict[Any, Any] = {}
        self._waits: dict[Any, tuple[int, int]] = {}

    def of(self, code: Any, key: Any, held: Any, make: Callable[[], D]) -> D | None:
        """What was made for ``key``, or is now; None where it is not worth it yet.

        ``held`` are the functions of which ``key`` tells: while they are kept, no others are met
        in their places in memory.
        """
        try:
            found = self._made.get(key)
        except TypeError:
            return None  # a static value that cannot be compared
        reads = None if found is None else found.reads
        is_same = reads is None or (reads.whole and not reads.changed() and not reads.in_place())
        if found is not None and is_same:
            self._waits.pop(key, None)
            return found
        if reads is not None and not reads.whole:
            return None  # what it reads cannot be watched
        left, span = self._waits.get(key, (0, 1))
        if found is not None:
            del self._made[key]
            left = span = min(2 * span, self.MOST)
        if left:
            self._waits[key] = left - 1, span
            return None
        if found is None and code in self._codes and key not in self._met:
            if len(self._met) >= self.FEW:
                self._met.clear()
            self._met[key] = held
            return None
        for kept in (self._made, self._codes, self._waits):
            if len(kept) >= self.MOST:
                kept.clear()
        self._met.pop(key, None)
        self._codes.add(code)
        self._made[key] = made = make()
        return made


def code_of(function: Any) -> Any:
    """What tells a function's code, whatever it captured."""
    inner = function.func if isinstance(function, functools.partial) else function
    return inner.__code__ if isinstance(inner, FunctionType) else identity(inner)
