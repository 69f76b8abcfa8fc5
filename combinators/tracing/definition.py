"""``fun``: a Python function as a value of the language, compiled once a type, never inlined.

A function is traced when it is called, inside the trace of its caller, on Python's stack. Below a
certain depth a function that was defined outside all traces is traced first, by itself, and its
callers again: then their calls find it done. So functions may call functions that call functions …,
however long the chain.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from contextvars import ContextVar
from functools import partial
from types import FunctionType
from typing import Any, TypeVar, get_type_hints

from combinators.errors import TooDeep, TypeMismatch, repeated
from combinators.objects import Bool, Fun, Int, Object, Real, components
from combinators.operation import allocating
from combinators.terms import Term, Var
from combinators.tracing.faces import Face, face_of
from combinators.tracing.functions import (
    Draft,
    Faces,
    Specialisable,
    Specialised,
    Types,
    Untyped,
    call,
    function_operand,
)
from combinators.tracing.scope import Scope, apart, current, entered
from combinators.tracing.traced import Traced, positional_types

R = TypeVar("R")

DEEP = 16
"""So many functions stand inside one another on Python's stack."""
LONGEST = 1_000_000
"""A longer chain of functions, each waiting for the next, never ends."""
MOST_TYPES = 2_000
"""A function that waits for itself at more types never ends."""
MANY = 10
"""A function that stands so often on a full stack calls itself."""
INSTEAD = "write it with rec, as in rec(lambda self, x: …), or with while_loop, fold or scan"
"""What to write for a function that calls itself."""


class TraceFirst(BaseException):
    """Asks to run ``trace`` before its callers are traced again."""

    def __init__(self, key: tuple[int, Hashable], trace: Callable[[], Any], name: str) -> None:
        """``trace`` is run apart from every other trace; ``key`` tells what it traces."""
        super().__init__()
        self.key, self.trace, self.name = key, trace, name


_CAN_WAIT: ContextVar[bool] = ContextVar("can_wait", default=False)
"""Whether ``traced_apart`` stands below, to catch what asks to be traced first."""


def traced_apart(make: Callable[[], R]) -> R:
    """What ``make`` gives apart from every trace; what asks to be traced first is."""
    waiting: dict[Hashable, Callable[[], Any]] = {None: make}
    types: Counter[int] = Counter()
    token = _CAN_WAIT.set(True)
    try:
        while len(waiting) <= LONGEST:
            try:
                with apart(), allocating("NumPy"):
                    made: R = waiting[next(reversed(waiting))]()
            except TraceFirst as first:
                types[first.key[0]] += 1
                if first.key in waiting or types[first.key[0]] > MOST_TYPES:
                    how = "by way of others" if first.key in waiting else "at ever other types"
                    raise TypeMismatch(f"{first.name} calls itself {how}; {INSTEAD}") from None
                waiting[first.key] = first.trace
            except RecursionError as error:
                raise error if isinstance(error, TooDeep) else _too_deep(error) from None
            else:
                waiting.popitem()
                if not waiting:
                    return made
        raise _too_deep()
    finally:
        _CAN_WAIT.reset(token)


def _too_deep(error: RecursionError | None = None) -> TooDeep:
    found = None if error is None else repeated(error)
    if found is not None and found[2] > MANY:
        name, place, count = found
        return TooDeep(
            f"{name} calls itself {count} times, one call inside the other, more than Python's "
            f"stack allows while tracing; {INSTEAD}",
            place,
        )
    return TooDeep(
        "containers, λs, branches or calls stand inside one another deeper than Python's stack "
        "allows while tracing; define functions with fun outside the traced function, and write "
        "long chains as a fold"
    )


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
                f"{self.__name__} calls itself, which nothing ends while it is traced; {INSTEAD}"
            )
        is_deep = _CAN_WAIT.get() and here is not None and here.depth >= DEEP
        if is_deep and self._home is None and not any(isinstance(t, Untyped) for t in types):
            trace = partial(self.specialise, types, faces)
            raise TraceFirst(running, trace, self.__name__)
        name = self.__name__ if self.__name__.isidentifier() else ""
        found = Draft(self.function, types, faces, name, running).finish()
        if not found.captured:
            self._closed[key] = found
        return found

    def traced_at(self, types: Types, faces: Faces) -> Specialised | None:
        """The closed λ that was traced at these types, if one was."""
        return self._closed.get(_key(types, faces))

    def at(self, types: Types, faces: Faces) -> tuple[Term, Face | None]:
        """The function value; one that captures is made once, in the scope that defined it."""
        made, term = self._made(types, faces)
        return term, made.face

    def made_at(self, types: Types, faces: Faces) -> Specialised:
        """The λ of the function value, and what it captures of a trace."""
        return self._made(types, faces)[0]

    def _made(self, types: Types, faces: Faces) -> tuple[Specialised, Term]:
        if self.types is not None and types != self.types:
            types, faces = self.types, tuple(map(face_of, self.types))
        key = _key(types, faces)
        if key in self._open:
            scope, var, made = self._open[key]
            if scope.encloses(current()):
                return made, var
        home, here = self._home, current()
        if home is None or not home.encloses(here):
            home = here
        with entered(home) if home is not None else nullcontext():
            made = self.specialise(types, faces)
            term = made.operand()
        if isinstance(term, Var) and home is not None:
            self._open[key] = (home, term, made)
        return made, term


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


def taken(function: Any) -> tuple[Object, ...] | None:
    """The types of the arguments of a typed function."""
    if isinstance(function, Specialisable):
        return function.types
    if not isinstance(function, Traced) or not isinstance(function.type, Fun):
        return None
    product = components(function.type.dom)
    return (function.type.dom,) if product is None or product.width == 1 else product.parts
