"""What can go wrong, each also a builtin, so that ``except TypeError`` keeps working; and where."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
from collections import Counter
from pathlib import Path
from traceback import walk_tb
from types import FrameType, TracebackType
from typing import NamedTuple

import numpy as np

_ROOMS = ("combinators", "interpreters", "laws", "papers", "diffcurry")
_HOUSE = (
    *(str(Path(__file__).resolve().parents[1] / room) + os.sep for room in _ROOMS),
    str(Path(np.__file__).resolve().parent) + os.sep,
    functools.__file__,
    contextlib.__file__,
)
_CALLS_US = "jax"
"""What calls us back while it traces."""


class Place(NamedTuple):
    """A file and a line of the user's."""

    file: str
    line: int

    def __str__(self) -> str:
        """``file:line``, as a terminal links it."""
        return f"{self.file}:{self.line}"

    def __repr__(self) -> str:
        """The same, as a parameter of a check is shown."""
        return str(self)


_place = functools.lru_cache(maxsize=4096)(Place)
_KNOWN: dict[str, bool] = {}
"""Of the files that were met, whether what stands in them is passed over."""


def is_passed_over(frame: FrameType) -> bool:
    """Whether a frame is ours, a method that a dataclass of ours was given, or JAX's."""
    file = frame.f_code.co_filename
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    if file == "<string>":
        return package in _ROOMS
    return _KNOWN.setdefault(file, file.startswith(_HOUSE) or package == _CALLS_US)


def users_place() -> Place:
    """The innermost frame that is not in one of our rooms."""
    frame, known = sys._getframe(1), _KNOWN
    while True:
        is_ours = known.get(frame.f_code.co_filename)
        if is_ours is None:
            is_ours = is_passed_over(frame)
        if not is_ours or frame.f_back is None:
            return _place(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back


def _frames_of(error: BaseException) -> list[tuple[str, Place]]:
    return [
        (frame.f_code.co_name, _place(frame.f_code.co_filename, line))
        for frame, line in walk_tb(error.__traceback__)
        if not is_passed_over(frame)
    ]


def place_of(error: BaseException) -> Place:
    """The user's line that raised an error; that is being run where it is in code of ours."""
    places = [place for _, place in _frames_of(error) if not place.file.startswith("<")]
    return places[-1] if places else users_place()


class _UsersFrames:
    """Where an error leaves it, its traceback shows the user's frames alone.

    All are shown if the environment variable DIFFCURRY_TRACEBACK is ``whole``.
    """

    def __enter__(self) -> None:
        """Nothing is kept: it serves everywhere."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, Exception) or os.environ.get("DIFFCURRY_TRACEBACK") == "whole":
            return
        steps, shown, step = list[TracebackType](), None, error.__traceback__
        while step is not None:
            steps.append(step)
            step = step.tb_next
        for one in reversed(steps):
            if not is_passed_over(one.tb_frame):
                shown = TracebackType(shown, one.tb_frame, one.tb_lasti, one.tb_lineno)
        error.__traceback__ = shown


USERS_FRAMES = _UsersFrames()


def repeated(error: BaseException) -> tuple[str, Place, int] | None:
    """The user's function that stood on the stack most often, where, and how often."""
    found = Counter(_frames_of(error))
    if not found:
        return None
    (name, place), count = max(found.items(), key=lambda it: (it[1], it[0][0] != "<lambda>"))
    return name, place, count


class DiffcurryError(Exception):
    """The base of every error that diffcurry raises on purpose.

    It says what is wrong and what to do, after the line of the user's that led to it.
    """

    place: Place

    def __init__(self, message: str, place: Place | None = None) -> None:
        """An error at ``place``, by default the user's line that is being run."""
        super().__init__(message)
        self.place = place or users_place()
        self.message = message
        self.is_named = False

    def during(self, operation: str) -> None:
        """Name the operation of the user's that it was: the outermost, inside the innermost λ."""
        if not self.is_named and not re.search(rf"\b{re.escape(operation)}\b", self.message):
            self.args = (f"{operation}: {self.message}",)

    def __str__(self) -> str:
        return f"{self.place}: {self.args[0]}"


class TypeMismatch(DiffcurryError, TypeError):
    """Two objects (types) that had to be one are two."""


class NotComposable(TypeMismatch):
    """``f >> g`` where ``f.cod`` is not ``g.dom``."""


class ShapeMismatch(DiffcurryError, ValueError):
    """Shapes that do not fit together."""


class IndexOutOfRange(DiffcurryError, IndexError):
    """An index, known only when it runs, outside its axis, in a function that is checked."""


class DivisionByZero(DiffcurryError, ZeroDivisionError):
    """A division of integers by zero, in a function that is checked."""


class IntegerOverflow(DiffcurryError, OverflowError):
    """An integer that its type does not hold, in a function that is checked."""


class UnboundVariable(DiffcurryError, NameError):
    """A variable that no λ, let or context binds."""


class EscapedVariable(DiffcurryError, NameError):
    """A traced value used outside the λ (or the branch) that made it."""


class ConcreteValueNeeded(DiffcurryError, TypeError):
    """Python asked a traced value for a number, a truth value or an iterator."""


class ImmutableValue(DiffcurryError, TypeError):
    """Assignment into a traced value."""


class MissingRule(DiffcurryError, NotImplementedError):
    """A primitive without a value in a carrier, or without a derivative."""


class WrongDerivative(DiffcurryError, ValueError):
    """A derivative that fails the law it must obey."""


class NotDifferentiable(DiffcurryError, TypeError):
    """A derivative asked of, or with respect to, something that has none."""


class UnknownCode(NotDifferentiable):
    """A second derivative, as a program, of a function whose code is known at values only."""


class TooDeep(DiffcurryError, RecursionError):
    """Python functions or containers nested deeper than Python's own stack, or endless calls."""


class MissingAttribute(DiffcurryError, AttributeError):
    """A method or an attribute of NumPy's arrays that traced values do not have."""


class NameTaken(DiffcurryError, ValueError):
    """A primitive of the user's under the name of one of the language's own."""


class WrongMode(DiffcurryError, ValueError):
    """A mode that does not exist, or that cannot do what is asked of it."""


class TooManyCalls(WrongMode):
    """The simply-typed form of a function's cotangent runs too many calls again."""


class TooManyRounds(DiffcurryError, RuntimeError):
    """A loop or a recursion that goes on for more rounds than ``most=`` allows."""

    ADVICE = "give it a larger most=, or see to it that it ends"


class WrongAlternative(DiffcurryError, ValueError):
    """A value of a sum is opened as another alternative than it is."""


class NotAssociative(DiffcurryError, ValueError):
    """An operator that rows are combined by is not associative, or has another unit."""


class DomainError(DiffcurryError, ArithmeticError):
    """A value that the carrier cannot hold, as 1/0 among the rationals."""


def check_endless(error: Exception) -> None:
    """Raise where a program that has none of our errors says that it does not end."""
    if isinstance(error, RecursionError) and "times deep" in str(error):
        raise TooDeep(str(error)) from None
    rounds = re.fullmatch(r"(.*):(\d+): (.* more than \d+ times)", str(error))
    if rounds is not None and type(error) is RuntimeError:
        what = f"{rounds[3]}; {TooManyRounds.ADVICE}"
        raise TooManyRounds(what, Place(rounds[1], int(rounds[2]))) from None
