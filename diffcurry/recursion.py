"""``rec``: recursive functions of the language."""

from __future__ import annotations

from typing import Any, ParamSpec, TypeVar

from combinators.tracing.classes import Typed, typed
from combinators.tracing.definition import Definition
from combinators.tracing.fixpoints import Recursive
from diffcurry.function import Function

P = ParamSpec("P")
R = TypeVar("R")


class RecursiveFunction(Recursive, Function[P, R]):
    """A function of the language that may call itself."""


def rec(function: Any = None, /, *types: Any, returns: Any = None, most: int | None = None) -> Any:
    """A Python function that may call itself, as a function of the language.

    Its name in its own body, or a first parameter that is called ``self``, is the function. It is
    typed as by ``fun``. What it gives is annotated, said by ``returns``, or found out from the
    branches that do not call it. Functions that are ``rec`` may call one another in a circle.

    With ``most``, ``TooManyRounds`` is raised where it is about to call itself more often than
    that, one call inside the other.

    >>> from diffcurry.library import cond
    >>> power = rec(lambda self, x, n: cond(n == 0, lambda: 1.0, lambda: x * self(x, n - 1)))
    >>> power(2.0, 10)
    np.float64(1024.0)
    """
    if function is None or not callable(function) or types_first(function):
        first = () if function is None else (function,)
        given = [typed(one).object for one in (*first, *types)]
        return lambda f: rec(f, *given, returns=returns, most=most)
    if isinstance(function, Definition):
        types = types or function.types or ()
        function = function.function
    objects = tuple(typed(one).object for one in types) or None
    gives: Typed | None = None if returns is None else typed(returns)
    return RecursiveFunction(function, objects, returns=gives, most=most)


def types_first(function: Any) -> bool:
    """Whether a type stands where a function may: an object, or a class of Python's numbers."""
    return isinstance(function, type) and function in (float, int, bool)
