"""What can be wrong with a command, and how any error is said in a line."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from sysconfig import get_path

from combinators.errors import DiffcurryError

_HOUSE = Path(__file__).resolve().parents[2]
_NOT_USERS = tuple(
    str(folder)
    for folder in (
        *(_HOUSE / room for room in ("combinators", "interpreters", "laws", "diffcurry")),
        *(get_path(kind) for kind in ("stdlib", "purelib", "platlib")),
    )
)


class Misused(Exception):
    """The command itself is wrong: exit code 2."""


def said(error: BaseException) -> str:
    """The error in one line, after the line of the user's file that led to it."""
    if isinstance(error, Misused):
        return _one_line(str(error))
    if isinstance(error, DiffcurryError):
        place = f"{error.place}: " if _is_users(error.place.file) else ""
        return _one_line(f"{place}{error.args[0]}")
    frames = traceback.extract_tb(error.__traceback__)
    mine = [frame for frame in frames if _is_users(frame.filename)]
    place = f"{mine[-1].filename}:{mine[-1].lineno}: " if mine else ""
    return _one_line(f"{place}{type(error).__name__}: {error}")


def _is_users(file: str) -> bool:
    """Whether a file is neither ours, nor Python's, nor what started the command."""
    path = Path(file)
    if not path.is_file() or path == Path(sys.argv[0]) or path.name == "__main__.py":
        return False
    return not str(path.resolve()).startswith(_NOT_USERS)


def _one_line(text: str) -> str:
    return " ".join(text.split())
