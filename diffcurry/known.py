"""Function arguments of known code: the code is compiled, and what it captured is passed.

    f(partial(step, a), x)    is run as    (λ(a, x). f (λz. step(a, z), x)) (a, x)

One program serves all values of ``a``. The gradient with respect to the function is the record of
the gradients with respect to what it captured (Fig. 5 of 004), so the program needs no functions.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from types import FunctionType, MethodType
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from combinators.errors import TypeMismatch
from combinators.kit.text import Names
from combinators.objects import Object, Unit, components
from combinators.tracing.definition import Definition
from combinators.tracing.faces import Face, open_up, take_apart
from combinators.tracing.functions import Untyped, argument_types, call
from combinators.tracing.traced import parameter_names
from diffcurry.arguments import is_function
from diffcurry.closures import FunctionValue, undeclared
from diffcurry.function_cotangents import Captured
from diffcurry.readings import Readings


class NotKnown(LookupError):
    """A function whose code is not known, or which stands where that does not help."""


class Reader(Protocol):
    """A function that knows what it read."""

    reads: Readings | None
    function: Callable[..., Any]


D = TypeVar("D", bound=Reader)
Make = Callable[[Callable[..., Any], "tuple[Object, ...] | None", list[Any]], D]
"""What makes a function of a Python function, its types, and the functions that it stands for."""


class Data(NamedTuple):
    """An argument that is data: its place among the data."""

    place: int


class Code(NamedTuple):
    """A function argument: how it is made again of what it captured."""

    remake: Callable[[list[Any]], Any]
    captured: Mapping[str, Place]


class Parts(NamedTuple):
    """A container that holds functions."""

    face: Face
    parts: tuple[Place, ...]


Place = Data | Code | Parts


class Known(Generic[D]):
    """Arguments taken apart: the function of their data alone, and the data."""

    modes: ClassVar[frozenset[str]] = frozenset({"dependent"})
    """The modes in which a function's cotangent is that of what it captured."""

    def __init__(
        self, function: Definition, args: tuple[Any, ...], recent: Recent[D], make: Make[D]
    ) -> None:
        """Of ``function`` at ``args``; raises NotKnown."""
        self.data: list[Any] = []
        self._names: list[str] = []
        self._types: list[Object | None] = []
        self._functions: list[Any] = []
        types = function.types or (None,) * len(args)
        if len(types) != len(args):
            raise NotKnown
        keys, places = [], []
        for arg, name, obj in zip(
            args, parameter_names(function.function, len(args)), types, strict=True
        ):
            key, place = self._open(arg, name, obj)
            keys.append(key)
            places.append(place)
        self.args, self.places = args, tuple(places)
        self.function = self._function(function, tuple(keys), recent, make)

    @property
    def is_fixed(self) -> bool:
        """Whether a compiled function sees by itself that what the functions read has changed."""
        reads = self.function.reads
        return reads is not None and reads.whole and not reads.arrays

    def again(self, args: tuple[Any, ...]) -> Known[D]:
        """The same functions at other data; raises NotKnown where they are not the same."""
        if not self.is_fixed:
            raise NotKnown
        made = copy(self)
        made.data = list(self.data)
        for given, before, place in zip(args, self.args, self.places, strict=True):
            if type(place) is Data:
                made.data[place.place] = given
            elif given is not before:
                raise NotKnown
        return made

    def indices(self, *which: int) -> list[int]:
        """The places of the data that the arguments ``which`` hold."""
        return [i for argument in which for i in _indices(self.places[argument])]

    def gradients(self, which: Sequence[int], found: Sequence[Any]) -> tuple[Any, ...]:
        """The gradients of the arguments ``which``, of those of the data in them, in order."""
        given = dict(zip(self.indices(*which), found, strict=True))
        unused = getattr(self.function.function, "unused", ())
        return tuple(
            None if argument in unused else _gradient(self.places[argument], given)
            for argument in which
        )

    def tangents(self, tangents: Sequence[Any]) -> list[Any]:
        """The tangents of the data; raises NotKnown where a function's is a function."""
        found: dict[int, Any] = {}
        for place, tangent in zip(self.places, tangents, strict=True):
            _move(place, tangent, found)
        return [found[i] for i in range(len(self.data))]

    def _open(self, value: Any, name: str, obj: Object | None) -> tuple[Any, Place]:
        """What tells the code in ``value``, and its place; data is put where it belongs."""
        opened = open_up(value)
        if opened is None and callable(value):
            return self._open_function(value)
        if opened is not None and any(map(is_function, take_apart(value)[1])):
            kind, keys, given = opened
            face = Face(kind, keys, (None,) * len(given))
            product = components(obj) if obj is not None else None
            types = product.parts if product is not None else (None,) * len(given)
            parts = [
                self._open(part, f"{name}_{face.word(i)}", types[i]) for i, part in enumerate(given)
            ]
            below = tuple(place for _, place in parts)
            return (kind, keys, *(key for key, _ in parts)), Parts(face, below)
        self.data.append(value)
        self._names.append(name)
        self._types.append(obj)
        return None, Data(len(self.data) - 1)

    def _open_function(self, function: Any) -> tuple[Any, Place]:
        typed = function.types if isinstance(function, Definition) else None
        inner = undeclared(function)
        held = function.function if isinstance(function, Definition) else function
        if isinstance(held, FunctionValue):
            raise NotKnown
        if not isinstance(inner, functools.partial):
            self._functions.append(function)
            return identity(function), Code(lambda _: function, {})
        names = _argument_names(inner)
        bound = dict(zip(names, inner.args, strict=True)) | inner.keywords
        keys: list[Any] = [identity(inner.func), typed]
        captured: dict[str, Place] = {}
        for name, value in bound.items():
            if _is_static(value):
                keys.append((name, identity(value) if is_function(value) else value))
                continue
            key, captured[name] = self._open(value, name, None)
            keys.append((name, key))
        self._functions.append(inner)

        def remake(values: list[Any]) -> Any:
            now = bound | dict(zip(captured, values, strict=True))
            args = [now[name] for name in names]
            made = functools.partial(inner.func, *args, **{k: now[k] for k in inner.keywords})
            return made if typed is None else Definition(made, typed)

        return tuple(keys), Code(remake, captured)

    def _function(self, function: Definition, key: Any, recent: Recent[D], make: Make[D]) -> D:
        declared: tuple[Object, ...] | None = None
        if function.types is not None:
            found, _ = argument_types(self.data)
            types = [said or obj for said, obj in zip(self._types, found, strict=True)]
            declared = tuple(obj for obj in types if isinstance(obj, Object))
            key = (key, declared)
        places, names, functions = self.places, self._names, self._functions

        def applied(*data: Any) -> Any:
            args = [_remade(place, data) for place in places]
            result = call(function, args)
            applied.unused = _unused(function, args)  # type: ignore[attr-defined]  # noticed here
            return result

        def made_now() -> D:
            fresh, kind = Names(), inspect.Parameter.POSITIONAL_ONLY
            params = [inspect.Parameter(fresh.fresh(name), kind) for name in names]
            applied.__signature__ = inspect.Signature(params)  # type: ignore[attr-defined]  # inspect asks
            applied.__name__ = function.__name__
            return make(applied, declared, functions)

        made = recent.of(tuple(map(code_of, functions)), key, functions, made_now)
        if made is None:
            raise NotKnown
        return made


def identity(function: Any) -> Any:
    """What tells a Python function that reads the same; whoever keeps it keeps the function."""
    if isinstance(function, FunctionType):
        cells = []
        for cell in function.__closure__ or ():
            try:
                cells.append(id(cell.cell_contents))
            except ValueError:
                cells.append(0)
        words = function.__kwdefaults__ or {}
        defaults = map(id, (*(function.__defaults__ or ()), *words.values()))
        return function.__code__, tuple(cells), tuple(defaults), id(function.__globals__)
    if isinstance(function, MethodType):
        return id(function.__self__), identity(function.__func__)
    return id(function)


class Recent(Generic[D]):
    """Functions made of Python functions of late, which serve while these read the same.

    Code that captures something else at every call is not worth compiling: where the same code is
    met with other captures, it is run once as it is before a program is made for them. Where what
    it reads has changed, it is run so twice; and twice as often where a program served no call.
    """

    MOST = 64
    """How many are kept."""
    FEW = 4
    """Of how many that are met what they captured is kept."""

    def __init__(self) -> None:
        """None yet."""
        self._made: dict[Any, D] = {}
        self._codes: set[Any] = set()
        self._met: dict[Any, Any] = {}
        self._waits: dict[Any, tuple[int, int]] = {}

    def of(self, code: Any, key: Any, held: Any, make: Callable[[], D]) -> D | None:
        """What was made for ``key``, or is now; None where it is not worth it yet.

        ``held`` are the functions of which ``key`` tells: while they are kept, no others are met
        in their places in memory.
        """
        try:
            found = self._made.get(key)
        except TypeError:
            return None  # a static value that cannot be compared
        if found is not None and _reads_the_same(found):
            self._waits.pop(key, None)
            return found
        if found is not None and found.reads is not None and not found.reads.whole:
            return None  # what it reads cannot be watched
        left, span = self._waits.get(key, (0, 1))
        if found is not None:
            del self._made[key]
            left = span = min(2 * span, self.MOST)
        if left:
            self._waits[key] = left - 1, span
            return None
        if found is None and code in self._codes and key not in self._met:
            if len(self._met) >= self.FEW:
                self._met.clear()
            self._met[key] = held
            return None
        for kept in (self._made, self._codes, self._waits):
            if len(kept) >= self.MOST:
                kept.clear()
        self._met.pop(key, None)
        self._codes.add(code)
        self._made[key] = made = make()
        return made


def _reads_the_same(function: Reader) -> bool:
    """Whether all that it reads is as it was when it was traced, arrays too."""
    reads = function.reads
    return reads is None or (reads.whole and not reads.changed() and not reads.in_place())


def code_of(function: Any) -> Any:
    """What tells a function's code, whatever it captured."""
    inner = function.func if isinstance(function, functools.partial) else function
    return inner.__code__ if isinstance(inner, FunctionType) else identity(inner)


def _argument_names(function: functools.partial[Any]) -> list[str]:
    """The names of what it binds by position."""
    inner = function.func
    inner = inner.function if isinstance(inner, Definition) else inner
    try:
        inspect.signature(inner).bind_partial(*function.args, **function.keywords)
    except (TypeError, ValueError):
        raise NotKnown from None  # running it says what is wrong
    fresh = Names()
    return [fresh.fresh(name) for name in parameter_names(inner, len(function.args))]


def _is_static(value: Any) -> bool:
    """Whether ``partial`` binds what has no cotangent: a word, a function that captures nothing."""
    function = undeclared(value)
    captures = isinstance(function, functools.partial | FunctionValue)
    return value is None or isinstance(value, str) or (is_function(value) and not captures)


def _unused(function: Definition, args: list[Any]) -> list[int]:
    """Which function arguments are called by nobody, in the trace that was made just now."""
    types, faces = argument_types(args)
    made = function.traced_at(types, faces)
    params = made.lam.params if made is not None else ()
    return [i for i, p in enumerate(params) if p.type is Unit and isinstance(types[i], Untyped)]


def _remade(place: Place, data: Sequence[Any]) -> Any:
    match place:
        case Data(index):
            return data[index]
        case Code(remake, captured):
            return remake([_remade(below, data) for below in captured.values()])
        case Parts(face, parts):
            return face.build([_remade(below, data) for below in parts])


def _indices(place: Place) -> Iterator[int]:
    match place:
        case Data(index):
            yield index
        case Code(_, captured):
            for below in captured.values():
                yield from _indices(below)
        case Parts(_, parts):
            for below in parts:
                yield from _indices(below)


def _gradient(place: Place, found: Mapping[int, Any]) -> Any:
    match place:
        case Data(index):
            return found[index]
        case Code(_, captured):
            parts = {name: _gradient(below, found) for name, below in captured.items()}
            return Captured({name: part for name, part in parts.items() if part is not None})
        case Parts(face, parts):
            return face.build([_gradient(below, found) for below in parts])


def _move(place: Place, tangent: Any, found: dict[int, Any]) -> None:
    match place:
        case Data(index):
            found[index] = tangent
        case Code(_, captured):
            given = {} if tangent is None else tangent
            if not isinstance(given, Mapping) or not given.keys() <= captured.keys():
                raise NotKnown
            for name, below in captured.items():
                _move(below, given.get(name), found)
        case Parts(_, parts):
            opened = open_up(tangent)
            below_tangents = (None,) * len(parts) if tangent is None or not opened else opened[2]
            if len(below_tangents) != len(parts):
                raise TypeMismatch(f"the tangent {tangent!r:.60} does not mirror its argument")
            for below, moved in zip(parts, below_tangents, strict=True):
                _move(below, moved, found)
