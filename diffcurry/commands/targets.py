"""What a command names: ``path.py:function``, ``package.module:function``; errors in a line."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from sysconfig import get_path
from types import ModuleType
from typing import Any

from combinators.errors import DiffcurryError
from diffcurry.function import Function, fun
from diffcurry.rooms import hiding

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


_ROOMS = ("combinators", "interpreters", "laws")


class ImportFailed(Exception):
    """A user's module that ends the interpreter instead of being imported."""


def load(target: str) -> Function[..., Any]:
    """The function that ``target`` names."""
    found = found_at(target, "function")
    if not callable(found):
        raise Misused(f"{target} is {found!r:.60}, and not a function")
    function: Function[..., Any] = fun(found)
    return function


def found_at(target: str, kind: str) -> Any:
    """What ``target`` names, which may be dotted; its module is imported, and nothing evaluated.

    ``Misused`` says what is missing; what the user's own module raises goes through.
    """
    where, _, name = target.rpartition(":")
    if not where or not name:
        raise Misused(f"{target!r} names no {kind}; write path.py:{kind} or module:{kind}")
    found: Any = _imported(where)
    for part in name.split("."):
        if not hasattr(found, part):
            near = difflib.get_close_matches(part, [n for n in dir(found) if n[0] != "_"])
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise Misused(f"{where} has no {name!r}{hint}")
        found = getattr(found, part)
    return found


def keep_rooms() -> None:
    """Import our rooms, and make sure of them, before a user's folder comes first on the path."""
    for room in _ROOMS:
        other = hiding(room)
        if other is not None:
            raise Misused(f"Python finds {other} for our package {room!r}; rename that file")
        importlib.import_module(room)


def _imported(where: str) -> ModuleType:
    path = Path(where)
    is_path = path.suffix == ".py" or len(path.parts) > 1
    if is_path and not path.is_file():
        raise Misused(f"there is no file {where}")
    sys.path.insert(0, str(path.resolve().parent) if is_path else str(Path.cwd()))
    try:
        return _from_file(path.resolve()) if is_path else _from_name(where)
    except SystemExit as end:
        raise ImportFailed(f"{where} calls sys.exit({end.code!r}) when it is imported") from None


def _from_name(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise Misused(f"there is no module {error.name!r}") from None
        raise


def _from_file(path: Path) -> ModuleType:
    name = path.stem if path.stem not in sys.modules else f"{path.stem} as given"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Misused(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle ask for it
    spec.loader.exec_module(module)
    return module
