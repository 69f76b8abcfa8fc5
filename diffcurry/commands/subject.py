"""What a command is about: a function, and the types or the arguments that it is looked at with."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from combinators.errors import TypeMismatch
from combinators.objects import Object, Real
from diffcurry.commands.arguments import read_arguments, shaped
from diffcurry.commands.problems import Misused
from diffcurry.commands.targets import keep_rooms, load
from diffcurry.expression import BadExpression, parse
from diffcurry.function import Function, fun
from diffcurry.notation import parse_objects
from diffcurry.program import Program


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
