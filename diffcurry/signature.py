"""The parameters of a Python function, and the arguments of a call in their order."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from combinators.errors import TypeMismatch


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a function, where it has one."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def in_order(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], name: str
) -> tuple[Any, ...]:
    """The arguments in order, with Python's defaults before the last one that is given.

    ``TypeMismatch`` where the function ``name`` does not take them, or takes one by keyword alone.
    """
    try:
        given = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeMismatch(f"{name}: {error}") from None
    if kwargs:
        _fill(given)
    if given.kwargs:
        raise TypeMismatch(
            f"{name} has keyword-only parameters, and arguments are positional here; "
            "bind them first: fun(functools.partial(f, name=value))"
        )
    return given.args


def _fill(given: inspect.BoundArguments) -> None:
    """Give the parameters before the last one given their defaults."""
    last = max(list(given.signature.parameters).index(name) for name in given.arguments)
    names = list(given.signature.parameters)[: last + 1]
    for name in names:
        given.arguments.setdefault(name, given.signature.parameters[name].default)
    given.arguments = {name: given.arguments[name] for name in names}
