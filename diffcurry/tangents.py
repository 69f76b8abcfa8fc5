"""Tangents as the user sees them: they mirror the value that they belong to.

An integer's is None; a function's ``A ⇒ B`` is a function from an argument to the tangent of the
result, or a mapping of the tangents of what it captures, by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Fun, Object, Product, Record, Tensor, Unit, Vector, components
from combinators.terms import packed
from combinators.tracing.faces import Face, face_of
from combinators.tracing.functions import natural
from combinators.type_folds import tangent_of
from diffcurry.arguments import fits, opened_as
from diffcurry.closures import FunctionValue, bound, lift, lower
from diffcurry.function import fun
from diffcurry.modes import CARRIER, pushforward
from interpreters.sparse_cotangents import zeros


def read_tangent(tangent: Any, obj: Object, path: str, value: Any = None) -> Any:
    """The user's tangent of ``value``, an argument, as nested tuples of numbers; None is zero."""
    if tangent is None:
        return None
    product = components(obj)
    if product is not None:
        face, given = opened_as(obj, tangent, f"the tangent of {path}")
        values = value if value is not None else (None,) * product.width
        return tuple(
            read_tangent(part, below, path + face.path(i), values[i])
            for i, (part, below) in enumerate(zip(given, product.parts, strict=True))
        )
    if isinstance(obj, Fun):
        return _read_function(tangent, obj, path, value)
    if not isinstance(obj, Tensor):
        raise TypeMismatch(f"the tangent of {path} : {obj!r} can only be None")
    return _read_tensor(tangent, obj, path)


def _read_tensor(tangent: Any, obj: Tensor, path: str) -> Any:
    if not obj.is_smooth:
        raise TypeMismatch(f"{path} : {obj!r} has no tangents; its tangent is None")
    array = np.asarray(tangent)
    if array.dtype.kind not in "biuf":
        raise TypeMismatch(f"the tangent of {path} : {obj!r} is {tangent!r:.60}")
    if array.shape != obj.shape:
        raise ShapeMismatch(f"the tangent of {path} : {obj!r} has the shape {array.shape}")
    return CARRIER.lift(array, obj)


def _read_function(tangent: Any, obj: Fun, path: str, closure: Any) -> Any:
    if isinstance(tangent, Mapping):
        names, parts = closure.code.label.names, closure.code.captured.parts
        unknown = sorted(set(map(str, tangent)) - set(names))
        if unknown:
            raise TypeMismatch(
                f"the function {path} captures {', '.join(names) or 'nothing'}, "
                f"and not {', '.join(unknown)}"
            )
        return {
            i: read_tangent(tangent[name], parts[i], f"{path}.{name}", closure.env[i])
            for i, name in enumerate(names)
            if tangent.get(name) is not None
        }
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


def show_tangent(tangent: Any, obj: Object, face: Face | None) -> Any:
    """A tangent as the user gets it."""
    product = components(obj)
    if product is not None:
        shown = face or face_of(obj)
        assert shown is not None
        parts = tangent if tangent is not None else (None,) * product.width
        return shown.build(
            [
                show_tangent(part, below, child)
                for part, below, child in zip(parts, product.parts, shown.children, strict=True)
            ]
        )
    if isinstance(obj, Vector):
        parts = tangent if tangent is not None else (None,) * obj.length
        return tuple(show_tangent(part, obj.item, None) for part in parts)
    if isinstance(obj, Fun):
        return TangentFunction(tangent, obj)
    if not isinstance(obj, Tensor) or not obj.is_smooth:
        return None
    return CARRIER.lower(zeros(CARRIER, obj) if tangent is None else tangent)


class Copower(NamedTuple):
    """The type of lists of calls ``[(A, T B)]``: the tangent space of ``A ⇒ B`` (Fig. 6 of 004)."""

    argument: Object
    cotangent: Object | Copower

    def __repr__(self) -> str:
        return f"[({self.argument!r}, {self.cotangent!r})]"


def tangent_space(value: Any, *, mode: str = "dependent") -> Any:
    """``T[v]``: the type of the cotangents of a number, an array or a function.

    In the dependently-typed form (Definition 5.2 of 004) it is, of a function, the record of the
    tangent spaces of what it captured; in ``mode="simple"`` (Fig. 6) it is the lists of its calls.
    A function has to say its types, as what ``fun(f, Real)`` gives and what a program returned do.

    >>> from functools import partial
    >>> from combinators.objects import Real
    >>> line = fun(partial(lambda a, x: a * x, 2.0), Real)
    >>> tangent_space(line), tangent_space(line, mode="simple"), tangent_space(3)
    ({a: Real}, [(Real, Real)], Unit)
    """
    if not callable(value):
        return tangent_of(natural(value).type)
    types = getattr(value, "types", None)
    if types is None:
        raise TypeMismatch(
            f"the tangent space of {value!r:.60} depends on its types; say them, as in fun(f, Real)"
        )
    return _space(value, packed(types), mode)


def _space(function: Any, dom: Object, mode: str) -> Any:
    """Of a function at its argument type."""
    if isinstance(function, FunctionValue):
        code = function.closure.code
        obj: Object = function.function
        held = zip(code.label.names, code.captured.parts, function.captured.values(), strict=True)
    else:
        made = bound(function, dom)
        obj = made.lam.type
        names = [var.name for var in made.names]
        held = zip(names, [var.type for var in made.names], made.values, strict=True)
    if mode == "simple":
        return _calls_of(obj)
    spaces = {
        name: _space(value, part.dom, mode) if isinstance(part, Fun) else tangent_of(part)
        for name, part, value in held
    }
    return Record.of(tuple(spaces), Product(*spaces.values())) if spaces else Unit


def _calls_of(obj: Object) -> Any:
    return Copower(obj.dom, _calls_of(obj.cod)) if isinstance(obj, Fun) else tangent_of(obj)


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
