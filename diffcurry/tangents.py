"""Tangents and cotangents as the user sees them: they mirror the value that they belong to.

A number's is a number, an array's an array of its dtype, a container's the same container; an
integer's or a boolean's is None. A function's cotangent is, in the form of Fig. 3 of 004, the table
of its ``Calls``, and in the form of Fig. 5 the mapping of its ``Captured`` variables. The tangent
of a function ``A ⇒ B`` is a function from an argument to the tangent of the result, or a mapping of
the tangents of what it captures, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Fun, Object, components
from combinators.tracing.faces import Face
from combinators.type_folds import is_first_order
from combinators.value_folds import Injected
from diffcurry.closures import FunctionValue, apply, lift, lower
from diffcurry.decorator import fun
from diffcurry.function_cotangents import Call, Calls, Captured, Deferred
from diffcurry.leaves import SHOWN_ALONG, check_tangent, fits
from diffcurry.modes import Pulling, primal, pushforward
from diffcurry.values import Inwards, Meet, NotThese, Outwards, Step, inside
from interpreters.execution.running import Closure
from interpreters.sparse_cotangents import Cotangent, Environment, nonzero

# ---- shown ---------------------------------------------------------------------------------------


def show(cotangent: Cotangent, obj: Object, face: Face | None, value: Any, mode: Pulling) -> Any:
    """The cotangent of ``value``, a value of ``mode``, as the user gets it.

    Of a ``value`` without functions it is not asked for: None. A function's is a list of calls in a
    mode that records them, unless an environment came in among them: then what it captured.
    """
    return _showing(mode)(cotangent, obj, face, value)


def _outwards(function: Callable[[Any, Fun, Any], Any]) -> Outwards:
    """Tangents or cotangents; those of a function are what ``function`` gives at it."""

    def leaf(obj: Object, face: Face | None) -> Step:
        if isinstance(obj, Fun):
            return lambda g, at, meet: function(g, obj, at)
        return SHOWN_ALONG.step(obj, face)

    return Outwards(leaf)


@lru_cache(maxsize=16)
def _showing(mode: Pulling) -> Outwards:
    def function(given: Any, obj: Fun, closure: Closure) -> Any:
        if not mode.records_calls or not _iscalls_of(given):
            return _show_captured(given, closure, mode)
        calls = []
        for argument, part in given or ():
            y = None if is_first_order(obj.cod) else apply(closure, argument, mode)
            calls.append(Call(lower(argument, obj.dom), show(part, obj.cod, None, y, mode)))
        return Calls(calls)

    return _outwards(function)


_MOVED = _outwards(lambda tangent, obj, _: TangentFunction(tangent, obj))


def show_tangent(tangent: Any, obj: Object, face: Face | None, value: Any = None) -> Any:
    """A tangent as the user gets it; of ``value``, where its alternatives matter."""
    return _MOVED(tangent, obj, face, value)


def _iscalls_of(cotangent: Cotangent) -> bool:
    """Whether it lists calls, and no environment came in among them."""
    is_list = cotangent is None or type(cotangent) is list
    return is_list and all(type(entry) is not Environment for entry in cotangent or ())


def _show_captured(cotangent: Cotangent, closure: Closure, mode: Pulling) -> Captured:
    """By name; what a captured function captured is shown when it is asked for."""
    if type(cotangent) is list:
        cotangent = mode.called(closure, cotangent)
    code = closure.code
    parts = code.captured.parts
    held: dict[str, Any] = {}
    for i, part in (cotangent or {}).items():
        shown = partial(show, part, parts[i], None, closure.env[i], mode)
        held[code.label.names[i]] = Deferred(shown) if isinstance(parts[i], Fun) else shown()
    return Captured(held, code)


class TangentFunction:
    """The tangent of a function ``A ⇒ B``: from an argument to the tangent of the result."""

    def __init__(self, tangent: Any, obj: Fun) -> None:
        """Of a carrier's tangent of a function of type ``obj``; None is zero."""
        self.tangent, self.function = tangent, obj

    def __call__(self, *args: Any) -> Any:
        """The tangent of the result, the argument standing still."""
        obj = self.function
        given = args[0] if len(args) == 1 else args
        fits(given, obj.dom, f"the argument of {self!r}")
        argument = lift(given, obj.dom, pushforward().inner)
        with np.errstate(all="ignore"):
            moved = None if self.tangent is None else self.tangent(argument)
        return show_tangent(moved, obj.cod, None)

    def __repr__(self) -> str:
        return f"<tangent of {self.function!r}>"


# ---- read ----------------------------------------------------------------------------------------


def read(cotangent: Any, obj: Object, value: Any, path: str, mode: Pulling) -> Cotangent:
    """The user's cotangent of the result ``value`` as a sparse one of a reverse mode."""

    def function(given: Any, obj: Fun, closure: Any, meet: Meet) -> Cotangent:
        if isinstance(given, Mapping):
            found = _read_captured(given, closure, inwards, meet)
            return [Environment(found or {})] if mode.records_calls else found
        calls = []
        for index, (argument, part) in enumerate(calls_of(given, obj)):
            fits(argument, obj.dom, f"the argument of call {index} of {path}")
            x = lift(argument, obj.dom, mode)
            y = None if is_first_order(obj.cod) else apply(closure, x, mode)
            with inside("(…)"):
                calls.append((x, inwards.step(obj.cod)(part, y, meet)))
        return calls

    def injected(index: int, part: Any) -> Cotangent:
        return None if part is None else {index: part}

    inwards = _inwards("cotangent", function, lambda xs: nonzero(enumerate(xs)), injected)
    return inwards(obj, path, cotangent, value)


def read_tangent(tangent: Any, obj: Object, path: str, value: Any = None) -> Any:
    """The user's tangent of ``value``, an argument, as nested tuples of numbers; None is zero."""

    def function(given: Any, obj: Fun, closure: Any, meet: Meet) -> Any:
        if isinstance(given, Mapping):
            return _read_captured(given, closure, inwards, meet) or {}
        return _along(given, obj, path)

    inwards = _inwards("tangent", function, tuple, Injected)
    return inwards(obj, path, tangent, value)


def _inwards(
    word: str,
    function: Callable[[Any, Fun, Any, Meet], Any],
    whole: Callable[[Sequence[Any]], Any],
    inject: Callable[[int, Any], Any],
) -> Inwards:
    """Tangents or cotangents, None being zero; those of a function as ``function`` reads them."""

    def leaf(obj: Object) -> Step:
        if isinstance(obj, Fun):
            return lambda x, at, meet: function(x, obj, at, meet)

        def number(x: Any, at: Any, meet: Meet) -> Any:
            kind = check_tangent(x, obj, word)
            return lift(x, kind, primal())

        return number

    return Inwards(leaf, lambda _: None, word, whole=whole, inject=inject)


def _read_captured(
    given: Mapping[str, Any], closure: Closure, inwards: Inwards, meet: Meet
) -> Cotangent:
    code = closure.code
    names, parts = code.label.names, code.captured.parts
    check_captures(given, names)
    if isinstance(given, Captured) and not given.belongs_to(code):
        raise NotThese(
            f"the cotangent {given} is of another function than ",
            ", which captures variables of the same names; make a dict of it if that is what you "
            "mean",
        )
    found = {}
    for i, name in enumerate(names):
        if name in given:
            with inside(f".{name}"):
                found[i] = inwards.step(parts[i])(given[name], closure.env[i], meet)
    return nonzero(found.items())


def check_captures(given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise where a mapping names what the function does not capture."""
    unknown = sorted(map(str, set(given) - set(names)))
    if unknown:
        said = f" captures {', '.join(names) or 'nothing'}, and not {', '.join(unknown)}"
        raise NotThese("the function ", said)


def calls_of(given: Any, obj: Fun) -> Sequence[Any]:
    """What has to be a list of calls."""
    is_list = isinstance(given, Sequence)
    if not is_list or not all(isinstance(x, (tuple, list)) and len(x) == 2 for x in given):
        raise NotThese(
            "the cotangent of the function ",
            f" : {obj!r} is a list of (argument, cotangent) "
            f"pairs, or a mapping of its captured variables by name, and this is {given!r:.60}",
        )
    found: Sequence[Any] = given
    return found


def _along(tangent: Any, obj: Fun, path: str) -> Any:
    """The tangent of a function, as a function of a value of forward mode."""
    if isinstance(tangent, TangentFunction):
        if tangent.function is not obj:
            raise TypeMismatch(f"the tangent of the function {path} : {obj!r} is {tangent!r}")
        return tangent.tangent
    if not callable(tangent):
        raise TypeMismatch(
            f"the tangent of the function {path} : {obj!r} is a function of its argument, or a "
            f"mapping of the tangents of what it captures, and this is {tangent!r:.60}"
        )
    function = tangent if isinstance(tangent, FunctionValue) else fun(tangent)

    def direction(argument: Any) -> Any:
        given = lower(argument, obj.dom)
        several = components(obj.dom) is not None and isinstance(given, tuple)
        moved = function(*given) if several else function(given)
        return read_tangent(moved, obj.cod, path)

    return direction
