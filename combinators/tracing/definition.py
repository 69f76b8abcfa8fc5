"""``fun``: a Python function as a value of the language, compiled once a type, never inlined."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from types import FunctionType
from typing import Any, get_type_hints

from combinators.errors import TypeMismatch
from combinators.objects import Bool, Fun, Int, Object, Real
from combinators.terms import Term, Var
from combinators.tracing.deferral import TraceFirst, is_deep
from combinators.tracing.functions import (
    Draft,
    Faces,
    Specialisable,
    Specialised,
    Types,
    Untyped,
    call,
    function_operand,
    positional_types,
)
from combinators.tracing.scope import Scope, current, entered
from combinators.tracing.trees import Face, face_of

_SCALARS: dict[Any, Object] = {float: Real, int: Int, bool: Bool}


class Definition(Specialisable):
    """A Python function, typed by what is given, by its annotations or by its arguments.

    One whose types are known while a function is being traced is traced at once: a λ is made where
    it stands, not where it is first called.
    """

    def __init__(
        self, function: Callable[..., Any], types: tuple[Object, ...] | None = None
    ) -> None:
        """``function`` at ``types``, where they are given."""
        self.function = function
        self.__name__: str = getattr(function, "__name__", type(function).__name__)
        self.types = types if types is not None else _annotated(function)
        self._closed: dict[Any, Specialised] = {}
        self._open: dict[Any, tuple[Scope, Var, Specialised]] = {}
        self._home = current()
        if self.types is not None and current() is not None:
            self.at(self.types, tuple(map(face_of, self.types)))

    def __call__(self, *args: Any) -> Any:
        """Inside a traced function: an application of this function value."""
        return call(self, args)

    def __repr__(self) -> str:
        """Its name, and the types that it was given."""
        types = ", ".join(map(repr, self.types or ()))
        return f"<fun {self.__name__}{f' of {types}' if types else ''}>"

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The λ at these argument types; a closed one is traced once."""
        key = _key(types, faces)
        found = self._closed.get(key)
        if found is not None and _fits(found, types):
            return found
        running, here = (id(self), key), current()
        if here is not None and here.is_inside(running):
            raise TypeMismatch(
                f"{self.__name__} calls itself; recursion is not in the language yet: "
                "write a fold or a scan"
            )
        if is_deep() and self._home is None and not any(isinstance(t, Untyped) for t in types):
            raise TraceFirst(running, partial(self.specialise, types, faces))
        found = Draft(self.function, types, faces, _name(self.__name__), running).finish()
        if not found.captured:
            self._closed[key] = found
        return found

    def at(self, types: Types, faces: Faces) -> tuple[Term, Face | None]:
        """The function value; one that captures is made once, in the scope that defined it."""
        if self.types is not None and types != self.types:
            types, faces = self.types, tuple(map(face_of, self.types))
        key = _key(types, faces)
        if key in self._open:
            scope, var, made = self._open[key]
            if scope.encloses(current()):
                return var, made.face
        home = (
            self._home if self._home is not None and self._home.encloses(current()) else current()
        )
        with entered(home) if home is not None else nullcontext():
            made = self.specialise(types, faces)
            term = made.operand()
        if isinstance(term, Var) and home is not None:
            self._open[key] = (home, term, made)
        return term, made.face


def _name(name: str) -> str:
    return name if name.isidentifier() else ""


def _key(types: Types, faces: Faces) -> Any:
    return tuple(None if isinstance(t, Untyped) else t for t in types), faces


def _fits(found: Specialised, types: Types) -> bool:
    """Whether the functions given for untyped parameters have the types found before."""
    for param, obj in zip(found.lam.params, types, strict=True):
        if isinstance(obj, Untyped) and isinstance(param.type, Fun):
            dom = positional_types(obj.function, param.type.dom)
            term, _ = function_operand(obj.function, dom, tuple(map(face_of, dom)))
            if term.type is not param.type:
                return False
    return True


def _annotated(function: Callable[..., Any]) -> tuple[Object, ...] | None:
    """The objects that every parameter is annotated with; None where one is not."""
    if isinstance(function, FunctionType) and not function.__annotations__:
        return None
    try:
        hints = get_type_hints(function)
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError, NameError, AttributeError):
        return None
    found = []
    for parameter in parameters:
        hint = _SCALARS.get(hints.get(parameter.name), hints.get(parameter.name))
        if not isinstance(hint, Object):
            return None
        found.append(hint)
    return tuple(found) or None
