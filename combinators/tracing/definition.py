"""``fun``: a Python function as a value of the language, compiled once a type, never inlined.

A function is traced when it is called, inside the trace of its caller, on Python's stack. Below a
certain depth a function that was defined outside all traces is traced first, by itself, and its
callers again: then their calls find it done. So functions may call functions that call functions …,
however long the chain.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from contextvars import ContextVar
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

from combinators.errors import ShapeMismatch, TooDeep, TypeMismatch, repeated, users_place
from combinators.objects import Fun, Mu, Object, Sum, components
from combinators.operation import allocating
from combinators.terms import App, Term, Var
from combinators.terms import pack as pack_terms
from combinators.tracing.classes import SCALARS, Typed, hints, holds_sum, typed, with_sums
from combinators.tracing.emit import emit, scope_here, unpack
from combinators.tracing.faces import (
    Face,
    face_of,
    leaf_types,
    object_of,
    open_up,
    paths,
    static_value,
    take_apart,
)
from combinators.tracing.functions import (
    Draft,
    Faces,
    Specialisable,
    Specialised,
    Types,
    Untyped,
    coerce,
    function_operand,
    natural,
)
from combinators.tracing.parameters import positional_types
from combinators.tracing.scope import Scope, apart, current, entered
from combinators.tracing.traced import Traced, library

R = TypeVar("R")

DEEP = 16
"""So many functions stand inside one another on Python's stack."""
RECURRING: ContextVar[bool | None] = ContextVar("recurring", default=None)
"""Whether a recursive function's body is traced: False; True, if only what it gives is asked."""
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


def argument_types(args: Sequence[Any]) -> tuple[Types, Faces]:
    """The types and the faces of actual arguments; untyped functions stay so."""
    types: list[Object | Untyped] = []
    faces: list[Face | None] = []
    for arg in args:
        is_typed = isinstance(arg, Specialisable) and arg.type() is not None
        if not is_typed and _is_function(arg):
            types.append(Untyped(arg))
            faces.append(None)
            continue
        face, leaves = take_apart(arg, truths=True)
        found: list[Object] = []
        for leaf, path in zip(leaves, paths(face, f"argument {len(types)}"), strict=True):
            try:
                found.append(natural(leaf).type)
            except TypeMismatch as error:
                raise TypeMismatch(f"{path}: {error.args[0]}", error.place) from None
        types.append(object_of(face, iter(found)))
        faces.append(face)
    return tuple(types), tuple(faces)


def with_static(function: Any, args: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments, of which some are static to the function."""
    static = getattr(function, "static", ())
    return tuple([static_value(arg) if i in static else arg for i, arg in enumerate(args)])


def types_given(function: Any, args: Sequence[Any]) -> tuple[Types, Faces]:
    """The types and the faces of the arguments of a function, but of those that it says: sums."""
    sums = getattr(function, "sums", ())
    return argument_types([() if i in sums else arg for i, arg in enumerate(args)])


def _is_function(arg: Any) -> bool:
    """Whether it is called and is no container, nor known to the trace."""
    return callable(arg) and not isinstance(arg, Traced) and open_up(arg) is None


@library("call", word=False)
def call(function: Any, args: Sequence[Any]) -> Any:
    """``f(a, b)``: an application of a function value."""
    scope_here()
    place = users_place()
    args = with_static(function, args)
    types, faces = types_given(function, args)
    term, face = function_operand(function, types, faces)
    if not isinstance(term.type, Fun):
        raise TypeMismatch(f"{term.type!r} is called, and is not a function")
    dom = term.type.dom
    product = components(dom)
    doms = (dom,) if len(args) == 1 else () if product is None else product.parts
    if len(doms) != len(args):
        raise TypeMismatch(f"a function of {dom!r} is called with {len(args)} arguments")
    try:
        argument = tuple(coerce(arg, part) for arg, part in zip(args, doms, strict=True))
    except (ShapeMismatch, TypeMismatch) as error:
        error.during(getattr(function, "__name__", "a call"))
        raise
    return unpack(face, emit(App(term, pack_terms(argument), place)))


class Definition(Specialisable):
    """A Python function, typed by what is given, by its annotations or by its arguments.

    One whose types are known while a function is being traced is traced at once: a λ is made where
    it stands, not where it is first called.
    """

    at_once = True
    """Whether it is; one that is called by its name in its own body waits until that means it."""

    def __init__(
        self, function: Callable[..., Any], types: tuple[Object, ...] | None = None
    ) -> None:
        """``function`` at ``types``, where they are given."""
        self.function = function
        self.__name__: str = getattr(function, "__name__", type(function).__name__)
        said = _annotated(function)
        self.types = types if types is not None else said.types
        self.static: frozenset[int] = frozenset()
        """The places of arguments for each of whose values there is a program."""
        self.sums: dict[int, Typed] = said.sums
        """The types of arguments that do not say theirs: of sums, and recursive types."""
        if types is not None:
            self.sums = {i: Typed(t, None) for i, t in enumerate(types) if isinstance(t, Sum | Mu)}
        says_more = said.returns and (not self.at_once or holds_sum(said.returns.object))
        self.returns: Typed | None = said.returns if says_more else None
        """What it is declared to give, if that says more than what it gives."""
        self._closed: dict[Any, Specialised] = {}
        self._open: dict[Any, tuple[Scope, Var, Specialised]] = {}
        self._home = current()
        if self.at_once and self.types is not None and current() is not None:
            self.at(self.types, tuple(map(face_of, self.types)))

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
        is_deep = is_deep and RECURRING.get() is None
        if is_deep and self._home is None and not any(isinstance(t, Untyped) for t in types):
            trace = partial(self.specialise, types, faces)
            raise TraceFirst(running, trace, self.__name__)
        name = self.__name__ if self.__name__.isidentifier() else ""
        found = self.written(types, faces, name, running)
        if not found.captured and not RECURRING.get():
            self._closed[key] = found
        return found

    def written(self, types: Types, faces: Faces, name: str, key: Any) -> Specialised:
        """The λ at these argument types, traced."""
        draft = Draft(self.function, types, faces, name, key)
        if self.returns is None:
            return draft.finish()
        obj, face = self.returns
        expected = leaf_types(face, obj)
        if not draft.lay(face, expected):
            raise TypeMismatch(f"{self.__name__} is to give {obj!r}, and gives {draft.obj!r}")
        return draft.finish(expected)

    def traced_at(self, types: Types, faces: Faces) -> Specialised | None:
        """The closed λ that was traced at these types, if one was."""
        return self._closed.get(_key(types, faces))

    def at(self, types: Types, faces: Faces) -> tuple[Term, Face | None]:
        """The function value; one that captures is made once, in the scope that defined it."""
        made, term = self._made(types, faces)
        return term, made.face

    def made_at(self, types: Types, faces: Faces) -> Specialised:
        """The λ of the function value, and what it captures of a trace."""
        if current() is None:
            return self.specialise(*self.declared(types, faces))
        return self._made(types, faces)[0]

    def declared(self, types: Types, faces: Faces) -> tuple[Types, Faces]:
        """The types of arguments that were given, as they are declared."""
        if self.types is not None and types != self.types:
            return self.types, tuple(map(face_of, self.types))
        if self.sums:
            given = zip(types, faces, strict=True)
            said = [self.sums.get(i, one) for i, one in enumerate(given)]
            return tuple([obj for obj, _ in said]), tuple([face for _, face in said])
        return types, faces

    def _made(self, types: Types, faces: Faces) -> tuple[Specialised, Term]:
        types, faces = self.declared(types, faces)
        key = _key(types, faces)
        if key in self._open:
            scope, var, made = self._open[key]
            if scope.encloses(current()):
                return made, var
        home, here = self._home, current()
        if home is None or RECURRING.get() is not None or not home.encloses(here):
            home = here  # inside a recursive function, whose variable it may mention
        with entered(home) if home is not None else nullcontext():
            made = self.specialise(types, faces)
            term = made.operand()
        if isinstance(term, Var) and home is not None and not RECURRING.get():
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


class Annotated(NamedTuple):
    """What the annotations of a function say, as far as they say types."""

    types: tuple[Object, ...] | None = None
    """Of the parameters, where every one is annotated by an object, a number's type or a sum."""
    sums: dict[int, Typed] = {}  # noqa: RUF012 (it is not changed)
    """Of those that are sums or recursive types, by their places."""
    returns: Typed | None = None


def _annotated(function: Callable[..., Any]) -> Annotated:
    """What the annotations of a function say."""
    if isinstance(function, FunctionType) and not function.__annotations__:
        return Annotated()
    try:
        said = hints(function)
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError, AttributeError):
        return Annotated()
    given = [said.get(parameter.name) for parameter in parameters]
    found = [SCALARS.get(hint, hint) if isinstance(hint, type) else hint for hint in given]
    sums = {i: known for i, hint in enumerate(found) if (known := with_sums(hint))}
    leaves = {i: known.object for i, known in sums.items() if known.face is None}
    objects = [leaves.get(i, hint) for i, hint in enumerate(found)]
    types = tuple([obj for obj in objects if isinstance(obj, Object)])
    try:
        returns = typed(said["return"]) if "return" in said else None
    except TypeMismatch:
        returns = None
    whole = types and len(types) == len(objects)
    return Annotated(types if whole else None, sums, returns)


def taken(function: Any) -> tuple[Object, ...] | None:
    """The types of the arguments of a typed function."""
    if isinstance(function, Specialisable):
        return function.types
    if not isinstance(function, Traced) or not isinstance(function.type, Fun):
        return None
    product = components(function.type.dom)
    return (function.type.dom,) if product is None or product.width == 1 else product.parts
