"""The place in the user's own code."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import numpy as np

_ROOMS = ("combinators", "interpreters", "laws", "diffcurry")
_HOUSE = (
    *(str(Path(__file__).resolve().parents[2] / room) + os.sep for room in _ROOMS),
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


@functools.lru_cache(maxsize=4096)
def _is_ours(file: str) -> bool:
    return file.startswith(_HOUSE)


def _is_passed_over(frame: FrameType) -> bool:
    """Whether a frame is ours, a method that a dataclass of ours was given, or JAX's."""
    file = frame.f_code.co_filename
    if _is_ours(file):
        return True
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    return package == _CALLS_US or (file == "<string>" and package in _ROOMS)


def users_place() -> Place:
    """The innermost frame that is not in one of our rooms."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_passed_over(frame):
        frame = frame.f_back
    return _place(frame.f_code.co_filename, frame.f_lineno)
