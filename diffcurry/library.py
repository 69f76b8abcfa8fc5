"""The functions of the language: they build terms while tracing, and elsewhere compute at once.

>>> sin(0.0), logsumexp([0.0, 0.0])
(np.float64(0.0), np.float64(0.6931471805599453))
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import signature
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

import combinators.primitives  # noqa: F401 (declares the words)
from combinators.tracing import associative as monoids
from combinators.tracing import (  # noqa: F401 (mirrors declares words)
    cases,
    control,
    fixpoints,
    injections,
    mirrors,
)
from combinators.tracing.classes import Typed, typed
from combinators.tracing.definition import Definition
from combinators.tracing.injections import inl, inr, nil
from combinators.tracing.parameters import check_takes
from combinators.tracing.scope import current
from combinators.tracing.traced import WORDS
from combinators.type_folds import holds_functions
from diffcurry.arguments import is_function
from diffcurry.closures import lift, lower
from diffcurry.composition import const, curry, eval, fork, identity, proj, uncurry
from diffcurry.function import Function
from diffcurry.modes import primal
from diffcurry.recent import Recent

P = ParamSpec("P")
R = TypeVar("R")


def eager(function: Callable[P, R], data: Callable[P, Any] | None = None) -> Callable[P, R]:
    """``function``, which builds terms while tracing, and elsewhere computes.

    Where it makes ``data`` of its arguments, functions in it capture what they did.
    """

    @functools.wraps(function)
    def applied(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            if current() is not None:
                return function(*args, **kwargs)
            whole = Function(lambda: function(*args, **kwargs))
            made = whole()
        except TypeError as error:
            if type(error) is TypeError:
                said = f"it takes {', '.join(signature(function).parameters)}"
                check_takes(function, args, said, kwargs)
            raise
        if data is not None and holds_functions(obj := whole.program().cod):
            made = lower(lift(data(*args, **kwargs), obj, primal()), obj)
        return made

    return applied


case = eager(cases.case)
cond = eager(cases.cond)
cons = eager(injections.cons, lambda head, tail: [head, *tail])
fold = eager(control.fold)
inject = eager(injections.inject, injections.injected)
map = eager(control.map)
scan = eager(control.scan)
reduce, scanl, scanr = (eager(word) for word in (monoids.reduce, monoids.scanl, monoids.scanr))
foldl, foldr, map2 = (eager(word) for word in (monoids.foldl, monoids.foldr, monoids.map2))
shift_left, shift_right = eager(monoids.shift_left), eager(monoids.shift_right)
until = eager(fixpoints.until)
while_loop = eager(fixpoints.while_loop)


class RecursiveFunction(fixpoints.Recursive, Function[P, R]):
    """A function of the language that may call itself."""

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        """A method of an object, which is a constant to it: the same wherever it calls itself."""
        if owner is None:
            return self
        known = self.transforms
        if len(known) >= Recent.MOST and current() is None:
            known.clear()
        if id(owner) not in known:
            function: Any = functools.partial(self.plain, owner)
            function.__name__ = self.__name__
            made = type(self)(function, self.types, returns=self.returns, most=self._most)
            known[id(owner)] = owner, made
        return known[id(owner)][1]


def rec(function: Any = None, /, *types: Any, returns: Any = None, most: int | None = None) -> Any:
    """A Python function that may call itself, as a function of the language.

    Its name in its own body, or a first parameter that is called ``self``, is the function. It is
    typed as by ``fun``. What it gives is annotated, said by ``returns``, or found out from the
    branches that do not call it. Functions that are ``rec`` may call one another in a circle.

    With ``most``, ``TooManyRounds`` is raised where it is about to call itself more often than
    that, one call inside the other.

    >>> power = rec(lambda self, x, n: cond(n == 0, lambda: 1.0, lambda: x * self(x, n - 1)))
    >>> power(2.0, 10)
    np.float64(1024.0)
    """
    if function is None or not callable(function) or function in (float, int, bool):
        first = () if function is None else (function,)
        given = [typed(one).object for one in (*first, *types)]
        return lambda f: rec(f, *given, returns=returns, most=most)
    if isinstance(function, Definition):
        types = types or function.types or ()
        function = function if hasattr(function, "inner") else function.function
    objects = tuple(typed(one).object for one in types) or None
    gives: Typed | None = None if returns is None else typed(returns)
    return RecursiveFunction(function, objects, returns=gives, most=most)


def recompute(f: Callable[P, R]) -> Function[P, R]:
    """``f``, of which a pullback keeps the arguments only, and runs it again.

    >>> from diffcurry.transforms import grad
    >>> grad(recompute(lambda x: x * x))(3.0)
    np.float64(6.0)
    """
    return Function(control.recompute(f))


_OURS = {name: eager(word) for name, word in WORDS.items() if name != "getitem"}
globals().update(_OURS, abs=_OURS["absolute"])


def stop_gradient(x: Any) -> Any:
    """``x``, as a constant to every derivative: a number, a function, or a container of them.

    What a function is called on, and what it captured, get nothing through its calls.

    >>> from diffcurry.transforms import grad
    >>> grad(lambda x: stop_gradient(x) * x)(3.0), grad(stop_gradient(lambda x: x * x))(3.0)
    (np.float64(3.0), np.float64(0.0))
    """
    word = WORDS["stop_gradient"] if is_function(x) else _OURS["stop_gradient"]
    made = word(x)
    if isinstance(made, Definition) and current() is None:
        return Function(made.function, made.types)
    return Function(made) if isinstance(made, FunctionType) else made


__all__ = ["abs", "case", "cond", "cons", "const", "curry", "eval", "fold", "foldl", "foldr"]
__all__ += ["fork", "identity", "inject", "inl", "inr", "map", "map2", "nil", "proj", "rec"]
__all__ += ["recompute", "reduce", "scan", "scanl", "scanr", "shift_left", "shift_right"]
__all__ += ["uncurry", "until", "while_loop"]
__all__ += list(_OURS)


def __getattr__(name: str) -> Callable[..., Any]:
    """Nothing: what the language holds is here already."""
    raise AttributeError(f"{name!r} is no word of the language")
