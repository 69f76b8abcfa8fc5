"""How functions of Python's are called: what their parameters are named, and how many they take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import FunctionType
from typing import Any

from combinators.errors import TypeMismatch
from combinators.kit.text import Names
from combinators.objects import Mu, Object, Sum, Tensor, components

_STARRED = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_SAID = frozenset({"__signature__", "__wrapped__"})


def by_position_alone(function: Callable[..., Any], count: int) -> tuple[str, ...] | None:
    """The parameters of a function, a partial perhaps, that can be called with so many arguments.

    This is a look at functions of parameters by position; None where ``inspect`` is to be asked.
    """
    bound = 0
    if type(function) is partial and not function.keywords:
        bound, function = len(function.args), function.func
    if type(function) is not FunctionType or not function.__dict__.keys().isdisjoint(_SAID):
        return None
    code, most, defaults = function.__code__, function.__code__.co_argcount, function.__defaults__
    if code.co_kwonlyargcount or code.co_flags & _STARRED:
        return None
    fits = most - len(defaults or ()) <= bound + count <= most
    return code.co_varnames[bound:most] if fits else None


def parameter_names(function: Callable[..., Any], count: int) -> list[str]:
    """What the user called the parameters, as far as Python can tell."""
    found = by_position_alone(function, count)
    if found is not None:
        return list(found[:count])
    if isinstance(function, FunctionType) and not hasattr(function, "__signature__"):
        code = function.__code__
        return (list(code.co_varnames[: code.co_argcount]) + ["x"] * count)[:count]
    try:
        parameters = inspect.signature(function).parameters.values()
        names = [
            p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        names = []
    return (names + ["x"] * count)[:count]


def positional_types(function: Callable[..., Any], dom: Object) -> tuple[Object, ...]:
    """How a function of one argument of type ``dom`` is called in Python."""
    product = components(dom)
    if product is None or product.width == 1:
        return (dom,)
    return product.parts if takes(function, product.width, unknown=False) else (dom,)


def takes(function: Callable[..., Any], count: int, *, unknown: bool = True) -> bool:
    """Whether a function can be called with so many arguments; of C's it may be ``unknown``."""
    if by_position_alone(function, count) is not None:
        return True
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return bool(getattr(function, "nin", count if unknown else 1) == count)
    return True


def check_takes(
    function: Any, types: Sequence[Any], said: str = "", named: Mapping[str, Any] | None = None
) -> None:
    """Raise where a Python function cannot be called with arguments of these types.

    ``said`` is what should be given, in words.
    """
    if not named and by_position_alone(function, len(types)) is not None:
        return
    try:
        inspect.signature(function).bind(*types, **named or {})
    except TypeError as error:
        given = ", ".join([f"{one!r:.200}" for one in types])
        name = getattr(function, "__name__", repr(function))
        what = f"{name} is called with ({given}): {error}{said and '; ' + said}"
        raise TypeMismatch(what) from None
    except ValueError as error:
        if isinstance(function, partial):
            raise TypeMismatch(f"{error}; it binds what {function.func!r} does not take") from None
        return  # a function of C without a signature


def alike(given: Object, dom: Object) -> bool:
    """Whether arguments may be of type ``dom``: a number may be weak, and take another dtype."""
    if isinstance(given, Tensor) and isinstance(dom, Tensor):
        return given is dom or given.shape == dom.shape == ()
    if isinstance(dom, Sum | Mu):
        return True  # an instance or a list may become one
    inner, outer = components(given), components(dom)
    if inner is None or outer is None or inner.width != outer.width:
        return given is dom
    return all(map(alike, inner.parts, outer.parts))


def by_position(
    function: Callable[..., Any], words: Sequence[str], name: str = ""
) -> Callable[..., Any]:
    """A Python function, which takes its arguments by position; they are called ``words``."""
    fresh, kind = Names(), inspect.Parameter.POSITIONAL_ONLY
    params = [inspect.Parameter(fresh.fresh(word), kind) for word in words]
    function.__signature__ = inspect.Signature(params)  # type: ignore[attr-defined]  # inspect asks
    function.__name__ = name or function.__name__
    return function
