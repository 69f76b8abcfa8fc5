"""What a command is about: a function, and the types or arguments that it is looked at with.

Arguments are read from text: Python's literals, and nothing that would be run.
"""

from __future__ import annotations

import ast
from argparse import Namespace
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Object, Real, Record, Tensor, components
from diffcurry.commands.targets import Misused, keep_rooms, load
from diffcurry.expression import BadExpression, parse
from diffcurry.function import Function, fun
from diffcurry.notation import parse_objects
from diffcurry.program import Program


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


def shaped(values: tuple[Any, ...], types: tuple[Object, ...]) -> tuple[Any, ...]:
    """``values`` with the element types of ``types``: of 1 for a Real, 1.0.

    ``Misused`` says where the two disagree.
    """
    if len(values) != len(types):
        raise Misused(f"--types names {len(types)} arguments, and --at gives {len(values)}")
    places = (f"argument {index}" for index in range(len(types)))
    return tuple(map(_shaped, values, types, places))


def _read(value: Any) -> Any:
    match value:
        case list():
            return _array(value) if _is_numeric(value) else [_read(item) for item in value]
        case tuple():
            return tuple(map(_read, value))
        case dict():
            return {key: _read(item) for key, item in value.items()}
        case bool() | int() | float():
            return value
        case _:
            raise Misused(f"--at takes numbers, lists, tuples and dicts, and not {value!r}")


def _is_numeric(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_numeric, value))
    return isinstance(value, (bool, int, float))


def _array(value: list[Any]) -> Any:
    try:
        return np.array(value)
    except ValueError:
        raise Misused(f"--at: the rows of {value!r} have different lengths") from None


def _shaped(value: Any, obj: Object, place: str) -> Any:
    product = components(obj)
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
    function = load(options.target) if options.expr is None else _parsed(options.expr)
    types = _types(options.types)
    values = read_arguments(options.at) if options.at is not None else None
    if types is not None and values is not None:
        values = shaped(values, types)
    untyped = types is None and values is None and function.types is None
    if untyped and options.expr is not None:
        types = (Real,) * _arity(function)
    elif untyped and _arity(function):
        raise Misused(
            f"{function.__name__} has no declared types; say --types, as --types 'Real, Tensor[3]',"
            " or --at, as --at '1.0, [1.0, 2.0]'"
        )
    return Subject(function, types, values)


def _parsed(text: str) -> Function[..., Any]:
    try:
        function: Function[..., Any] = fun(parse(text))
    except BadExpression as error:
        raise Misused(f"--expr: {error.args[0]}") from None
    return function


def _types(text: str | None) -> tuple[Object, ...] | None:
    try:
        return None if text is None else parse_objects(text)
    except TypeMismatch as error:
        raise Misused(f"--types: {error.args[0]}") from None


def _arity(function: Function[..., Any]) -> int:
    """How many parameters there are; of a function that does not say, one."""
    return 1 if function._signature is None else len(function._signature.parameters)
