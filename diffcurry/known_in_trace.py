"""Function arguments of derivatives inside a trace: their code, and what it captured there.

    grad(f)(λz. a * z)    is written as    (grad (λa. f (λz. a * z))) a

where ``a`` is a variable of the trace. So a function's cotangent is inside a trace what it is
outside: the record of the cotangents of what it captured, by name.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

from combinators.kit.text import Names
from combinators.objects import Fun, Object, Unit
from combinators.terms import App, Lam, Term, Var, pack
from combinators.tracing.definition import Definition
from combinators.tracing.emit import emit, operand
from combinators.tracing.faces import Face, face_of, open_up, take_apart
from combinators.tracing.functions import (
    Draft,
    Faces,
    Pending,
    Specialisable,
    Types,
    argument_types,
    call,
    coerce,
)
from combinators.tracing.scope import Scope, current
from combinators.tracing.traced import LIBRARY, Traced, parameter_names, positional_types
from combinators.type_folds import velocity
from diffcurry.arguments import is_function
from diffcurry.closures import Bound, FunctionValue, bound_partial, undeclared
from diffcurry.function import Function
from diffcurry.known import Code, Data, Known, NotKnown, Place


def holds_known_functions(values: tuple[Any, ...]) -> bool:
    """Whether there are functions among ``values`` or in them that a trace did not compute."""
    leaves = (leaf for value in values for leaf in take_apart(value)[1])
    return any(is_function(leaf) and _is_known(leaf) for leaf in leaves)


def _is_known(function: Any) -> bool:
    return not isinstance(function, Traced | Pending | FunctionValue)


class KnownInTrace(Known[Function[..., Any]]):
    """Arguments taken apart inside a trace; see ``Known``.

    There a list of calls has no type: it is shown as what it gives for what was captured.
    """

    modes = frozenset({"dependent", "simple"})

    def __init__(self, function: Function[..., Any], args: tuple[Any, ...]) -> None:
        """Of ``function`` at ``args``; raises NotKnown where there is no function of known code."""
        self.data, self._names, self._types, self._functions = [], [], [], []
        types, faces = argument_types(args)
        if function.types is not None:
            types, faces = function.types, tuple(map(face_of, function.types))
        params = function.specialise(types, faces).lam.params
        names = parameter_names(function.function, len(args))
        self.places = tuple(
            self._open(arg, name, param.type)[1]
            for arg, name, param in zip(args, names, params, strict=True)
        )
        if not self._functions:
            raise NotKnown
        self.function = self._of_data(function)

    def _open(self, value: Any, name: str, obj: Object | None) -> tuple[Any, Place]:
        if open_up(value) is not None or not callable(value):
            return super()._open(value, name, obj)
        if _is_known(value):
            self._functions.append(value)
            return None, self._code(value, obj)
        self.data.append(value)
        self._names.append(name)
        return None, Data(len(self.data) - 1)

    def _code(self, function: Any, obj: Object | None) -> Code:
        """How a function is made again of what it captured."""
        if not isinstance(obj, Fun):
            return Code(lambda _: function, {})
        made = specialised(function, obj)
        variables = (*made.names, *made.captured)
        values = (*made.values, *(Traced(var, _scope_of(var)) for var in made.captured))
        fresh = Names()
        names = [fresh.fresh(var.name) for var in variables]
        captured = {
            name: self._open(value, name, var.type)[1]
            for name, value, var in zip(names, values, variables, strict=True)
        }
        closed = Lam(variables, made.lam)
        return Code(lambda given: Closing(closed, obj, given), captured)

    def _of_data(self, function: Function[..., Any]) -> Function[..., Any]:
        """The function of the data alone."""
        places, fresh, kind = self.places, Names(), inspect.Parameter.POSITIONAL_ONLY

        def applied(*data: Any) -> Any:
            return call(function, [_made_again(place, data) for place in places])

        params = [inspect.Parameter(fresh.fresh(name), kind) for name in self._names]
        applied.__signature__ = inspect.Signature(params)  # type: ignore[attr-defined]  # inspect asks
        applied.__name__ = function.__name__
        return Function(applied)


class Closing(Specialisable):
    """A function made of a closed λ of what it captures, and of that."""

    def __init__(self, closed: Lam, obj: Fun, values: list[Any]) -> None:
        """Of type ``obj``."""
        self.closed, self.values, self.face = closed, values, face_of(obj.cod)
        self.types = positional_types(self, obj.dom)
        self._obj = obj

    def type(self) -> Object:
        """Its function type."""
        return self._obj

    def at(self, types: Types, faces: Faces) -> tuple[Term, Face | None]:
        """The function value."""
        if not self.values:
            assert isinstance(self.closed.body, Lam)
            return self.closed.body, self.face
        params = self.closed.params
        given = tuple(coerce(v, param.type) for v, param in zip(self.values, params, strict=True))
        return operand(emit(App(self.closed, pack(given)))), self.face

    def __call__(self, *args: Any) -> Any:
        """Its application."""
        return call(self, args)


def specialised(function: Any, obj: Fun) -> Bound:
    """The λ of a function at its type, and what it captures: of a partial what it binds too."""
    function = undeclared(function)
    types = positional_types(function, obj.dom)
    faces = tuple(map(face_of, types))
    if isinstance(function, functools.partial):
        return bound_partial(function, types, faces)
    if isinstance(function, Definition):
        made = function.made_at(types, faces)
    else:
        made = Draft(function, types, faces).finish()
    return Bound(made.lam, (), (), (), made.captured)


def _scope_of(var: Var) -> Scope:
    """The scope around this one that made a variable."""
    scope = current()
    while scope is not None and not scope.owns(var):
        scope = scope.parent
    if scope is None:
        raise NotKnown
    return scope


def _made_again(place: Place, data: tuple[Any, ...]) -> Any:
    match place:
        case Data(index):
            return data[index]
        case Code(remake, captured):
            return remake([_made_again(below, data) for below in captured.values()])
        case _:
            return place.face.build([_made_again(below, data) for below in place.parts])


def tangents_of(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tangents, with zeros for None."""
    types, _ = argument_types(primals)
    return tuple(
        tangent if tangent is not None or not isinstance(obj, Object) else _zero(obj)
        for tangent, obj in zip(tangents, types, strict=True)
    )


def _zero(obj: Object) -> Any:
    at_rest = velocity(obj)
    return () if at_rest is Unit else LIBRARY["zeros_of_type"](at_rest)
