"""A function at types, or at the types of values: how whatever shows programs gets them."""

from __future__ import annotations

from typing import Any

from combinators.errors import TypeMismatch
from combinators.objects import Object
from combinators.tracing.definition import traced_apart
from combinators.tracing.faces import face_of
from diffcurry.function import Function
from diffcurry.program import Program


def program_at(function: Function[..., Any], args: tuple[Any, ...]) -> Program:
    """The program of ``function`` at ``args``: all types, all values, or none if it is typed.

    >>> from combinators.objects import Real
    >>> from diffcurry.function import fun
    >>> program_at(fun(lambda x: x * x), (Real,))
    λx. x * x
    """
    if not are_types(args):
        return function.program(*args)
    if function.types is not None and function.types != args:
        raise TypeMismatch(f"{function!r} is declared at {function.types}, and asked for at {args}")
    faces = tuple(map(face_of, args))
    return Program(traced_apart(lambda: function.specialise(args, faces)))


def are_types(args: tuple[Any, ...]) -> bool:
    """Whether these are types; types and values do not mix."""
    if not any(isinstance(arg, Object) for arg in args):
        return False
    if not all(isinstance(arg, Object) for arg in args):
        raise TypeMismatch("give types for all arguments or values for all, not some of each")
    return True
