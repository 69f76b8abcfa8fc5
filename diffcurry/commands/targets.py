"""What a command is about: a function, and the types or arguments that it is looked at with.

A function is named, as ``path.py:function`` or ``package.module:function``. Arguments are read from
text: Python's literals, and nothing that would be run. Errors are said in a line.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import sys
import traceback
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from sysconfig import get_path
from types import ModuleType
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError, TypeMismatch
from combinators.objects import Mu, Object, Real, Record, Sum, Tensor, components
from diffcurry.decorator import fun
from diffcurry.expression import BadExpression, parse
from diffcurry.function import Function
from diffcurry.notation import parse_objects
from diffcurry.program import Program
from diffcurry.rooms import hiding

_HOUSE = Path(__file__).resolve().parents[2]
_NOT_USERS = tuple(
    str(folder)
    for folder in (
        *(_HOUSE / room for room in ("combinators", "interpreters", "laws", "papers", "diffcurry")),
        *(get_path(kind) for kind in ("stdlib", "purelib", "platlib")),
    )
)


class Misused(Exception):
    """The command itself is wrong: exit code 2."""


@contextmanager
def about(option: str) -> Iterator[None]:
    """What is wrong with the text of an option, said of it."""
    try:
        yield
    except (BadExpression, TypeMismatch) as error:
        raise Misused(f"{option}: {error.args[0]}" if option else error.args[0]) from None


def said(error: BaseException) -> str:
    """The error in one line, after the line of the user's file that led to it."""
    if isinstance(error, Misused):
        text = str(error)
    elif isinstance(error, DiffcurryError):
        text = f"{error.place}: " * _is_users(error.place.file) + str(error.args[0])
    else:
        frames = traceback.extract_tb(error.__traceback__)
        mine = [frame for frame in frames if _is_users(frame.filename)]
        place = f"{mine[-1].filename}:{mine[-1].lineno}: " if mine else ""
        text = f"{place}{type(error).__name__}: {error}"
    return " ".join(text.split())


def _is_users(file: str) -> bool:
    """Whether a file is neither ours, nor Python's, nor what started the command."""
    path = Path(file)
    if not path.is_file() or path == Path(sys.argv[0]) or path.name == "__main__.py":
        return False
    return not str(path.resolve()).startswith(_NOT_USERS)


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
    for room in ("combinators", "interpreters", "laws"):
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
        return _from_file(path.resolve()) if is_path else importlib.import_module(where)
    except SystemExit as end:
        raise ImportFailed(f"{where} calls sys.exit({end.code!r}) when it is imported") from None
    except ModuleNotFoundError as error:
        if error.name is None or is_path or not f"{where}.".startswith(f"{error.name}."):
            raise
        raise Misused(f"there is no module {error.name!r}") from None


def _from_file(path: Path) -> ModuleType:
    name = path.stem if path.stem not in sys.modules else f"{path.stem} as given"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Misused(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle ask for it
    spec.loader.exec_module(module)
    return module


def read_arguments(text: str) -> tuple[Any, ...]:
    """The arguments that ``text`` lists with commas between them; a list of numbers is an array.

    >>> read_arguments("1.0, [1.0, 2.0], {'w': 3.0}")
    (1.0, array([1., 2.]), {'w': 3.0})
    """
    if not text.strip():
        return ()
    try:
        values = ast.literal_eval(f"({text.strip().removesuffix(',')},)")
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise Misused(
            f"--at takes numbers, lists, tuples and dicts, as in '1.0, [1.0, 2.0]', not {text!r}"
        ) from None
    return tuple(map(_read, values))


def _read(value: Any) -> Any:
    match value:
        case list() if _is_numeric(value):
            try:
                return np.array(value)
            except ValueError:
                raise Misused(f"--at: the rows of {value!r} have different lengths") from None
        case list():
            return list(map(_read, value))
        case tuple():
            return tuple(map(_read, value))
        case dict():
            return {key: _read(item) for key, item in value.items()}
        case bool() | int() | float() | None:
            return value
        case _:
            raise Misused(f"--at takes numbers, lists, tuples and dicts, and not {value!r}")


def _is_numeric(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_numeric, value))
    return isinstance(value, (bool, int, float))


def _shaped(value: Any, obj: Object, place: str) -> Any:
    """``value`` with the element types of ``obj``: of 1 for a Real, 1.0."""
    product = components(obj)
    if isinstance(obj, Sum | Mu):
        return value  # who runs it says what does not fit
    if isinstance(obj, Tensor) and isinstance(value, (bool, int, float, np.ndarray)):
        array = np.asarray(value)
        if not np.can_cast(array.dtype, obj.dtype, "same_kind"):
            raise Misused(f"--at gives {value!r} where --types says {obj!r}")
        if array.shape != obj.shape:
            found = Tensor(array.shape, obj.dtype)
            raise Misused(f"{place} is {found!r}, and --types says {obj!r}")
        return array.astype(obj.dtype)[()]
    if isinstance(obj, Record) and isinstance(value, dict):
        if set(value) != set(obj.names):
            raise Misused(f"--at gives the names {sorted(map(str, value))} for {obj!r}")
        parts = zip(obj.names, obj.product.parts, strict=True)
        return {name: _shaped(value[name], part, f"{place}[{name!r}]") for name, part in parts}
    if product is not None and isinstance(value, (tuple, list)) and len(value) == product.width:
        places = (f"{place}[{index}]" for index in range(product.width))
        return tuple(map(_shaped, value, product.parts, places))
    raise Misused(f"--at gives {value!r} where --types says {obj!r}")


@dataclass(frozen=True)
class Subject:
    """A function, the types it is looked at, and the values it is run on; each may be missing."""

    function: Function[..., Any]
    types: tuple[Object, ...] | None
    values: tuple[Any, ...] | None

    @property
    def given(self) -> tuple[Any, ...]:
        """What says at which types: values where there are any, since they choose the path."""
        return self.values or self.types or ()

    @cached_property
    def program(self) -> Program:
        """The program at those types."""
        return self.function.at_types(self.types or self.values or ())


def subject(options: Namespace) -> Subject:
    """The subject that the options name; ``Misused`` where they do not name one."""
    if (options.target is None) == (options.expr is None):
        raise Misused("name one program: path.py:function, package.module:function, or --expr TEXT")
    keep_rooms()
    with about("--expr"):
        parsed = None if options.expr is None else fun(parse(options.expr))
    function = load(options.target) if parsed is None else parsed
    with about("--types"):
        types = None if options.types is None else parse_objects(options.types)
    values = None if options.at is None else read_arguments(options.at)
    if types is not None and values is not None:
        if len(values) != len(types):
            raise Misused(f"--types names {len(types)} arguments, and --at gives {len(values)}")
        places = (f"argument {index}" for index in range(len(types)))
        values = tuple(map(_shaped, values, types, places))
    untyped = types is None and values is None and function.types is None
    signature = function._signature
    arity = 1 if signature is None else len(signature.parameters)
    if untyped and options.expr is not None:
        types = (Real,) * arity
    elif untyped and arity:
        raise Misused(
            f"{function.__name__} has no declared types; say --types, as --types 'Real, Tensor[3]',"
            " or --at, as --at '1.0, [1.0, 2.0]'"
        )
    return Subject(function, types, values)
