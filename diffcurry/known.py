"""Function arguments of known code: the code is compiled, and what it captured is passed.

    f(partial(step, a), x)    is run as        (λ(a, x). f (λz. step(a, z), x)) (a, x)
    grad(f)(λz. a * z)        is written as    (grad (λa. f (λz. a * z))) a

The second stands inside a trace, and ``a`` is a variable of it. One program serves all values of
``a``. The gradient with respect to the function is the record of the gradients with respect to what
it captured (Fig. 5 of 004), so the program needs no functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple

from combinators.errors import TypeMismatch
from combinators.kit.text import Names
from combinators.objects import Fun, Object, Unit, components
from combinators.terms import App, Lam, Term, pack
from combinators.tracing.definition import Definition, argument_types
from combinators.tracing.emit import emit, operand, scope_here
from combinators.tracing.faces import Face, face_of, open_up, take_apart
from combinators.tracing.functions import Faces, Pending, Specialisable, Types, Untyped, coerce
from combinators.tracing.parameters import by_position, parameter_names, positional_types
from combinators.tracing.traced import LIBRARY, Traced
from combinators.type_folds import is_smooth, velocity
from diffcurry.arguments import is_function
from diffcurry.closures import Bindings, FunctionValue, is_static, specialised, undeclared
from diffcurry.function_cotangents import Captured
from diffcurry.recent import D, Recent, code_of, identity


class NotKnown(LookupError):
    """A function whose code is not known, or which stands where that does not help."""


class Built(NamedTuple):
    """An argument that is not data: a function that captured its parts, or a container of them."""

    parts: tuple[Place, ...]
    opened: Callable[[Any], Sequence[Any]]
    """The parts of one that is built alike; raises NotKnown of any other."""
    build: Callable[[list[Any]], Any]
    """It, made of its parts."""
    shown: Callable[[list[Any]], Any]
    """Its gradient, made of those of its parts."""
    moved: Callable[[Any], Sequence[Any]]
    """From its tangent to those of its parts; raises NotKnown where it is a function."""


Place = int | Built
"""Where an argument is: among the data, or in what is built of them."""


def _unlike(given: Any) -> Sequence[Any]:
    raise NotKnown


def _code(
    captured: dict[str, Place],
    remake: Callable[[list[Any]], Any],
    opened: Callable[[Any], Sequence[Any]] = _unlike,
) -> Built:
    """A function that is made again of what it captured."""

    def shown(found: list[Any]) -> Captured:
        parts = zip(captured, found, strict=True)
        return Captured({name: part for name, part in parts if part is not None})

    def moved(tangent: Any) -> list[Any]:
        given = {} if tangent is None else tangent
        if not isinstance(given, Mapping) or not given.keys() <= captured.keys():
            raise NotKnown
        return [given.get(name) for name in captured]

    return Built(tuple(captured.values()), opened, remake, shown, moved)


def _alone(function: Any, key: Any = None) -> Built:
    """A function that captured nothing, which ``key`` tells."""

    def opened(given: Any) -> tuple[Any, ...]:
        if given is not function and (key is None or identity(given) != key):
            raise NotKnown
        return ()

    return _code({}, lambda _: function, opened)


def _container(face: Face, parts: tuple[Place, ...]) -> Built:
    """A container that holds functions."""

    def moved(tangent: Any) -> Sequence[Any]:
        opened = open_up(tangent)
        below = (None,) * len(parts) if tangent is None or not opened else opened[2]
        if len(below) != len(parts):
            raise TypeMismatch(f"the tangent {tangent!r:.60} does not mirror its argument")
        return below

    def alike(value: Any) -> Sequence[Any]:
        opened = open_up(value)
        if opened is None or opened[:2] != (face.kind, face.keys) or len(opened[2]) != len(parts):
            raise NotKnown
        return opened[2]

    return Built(parts, alike, face.build, face.build, moved)


def _together(place: Place, found: Any, how: Callable[[Built], Callable[[list[Any]], Any]]) -> Any:
    """What is made of what was ``found`` of the data."""
    if isinstance(place, int):
        return found[place]
    return how(place)([_together(below, found, how) for below in place.parts])


def _apart(
    place: Place, value: Any, how: Callable[[Built], Callable[[Any], Sequence[Any]]]
) -> Iterator[Any]:
    """What is of the data in a value, in order."""
    if isinstance(place, int):
        yield value
    else:
        for below, part in zip(place.parts, how(place)(value), strict=True):
            yield from _apart(below, part, how)


def _indices(place: Place) -> Iterator[int]:
    if isinstance(place, int):
        yield place
    else:
        for below in place.parts:
            yield from _indices(below)


Make = Callable[[Callable[..., Any], "tuple[Object, ...] | None", list[Any]], D]
"""What makes a function of a Python function, its types, and the functions that it stands for."""


class Known(Generic[D]):
    """Arguments taken apart: the function of their data alone, and the data."""

    modes: ClassVar[frozenset[str]] = frozenset({"dependent"})
    """The modes in which a function's cotangent is that of what it captured."""
    function: D

    def __init__(
        self, function: Definition, args: tuple[Any, ...], recent: Recent[D], make: Make[D]
    ) -> None:
        types = function.types or (None,) * len(args)
        if len(types) != len(args):
            raise NotKnown
        key = self._take(function, args, types)
        declared: tuple[Object, ...] | None = None
        if function.types is not None:
            found, _ = argument_types(self.data)
            said = [said or obj for said, obj in zip(self._types, found, strict=True)]
            declared = tuple(obj for obj in said if isinstance(obj, Object))
            key = (key, declared)
        functions = self._functions
        codes = tuple(map(code_of, functions))
        made = recent.of(
            codes, key, functions, lambda: make(self._applied(function), declared, functions)
        )
        if made is None:
            raise NotKnown
        self.function = made

    def _take(self, function: Definition, args: tuple[Any, ...], types: Sequence[Any]) -> Any:
        """Take the arguments apart; what tells the code in them."""
        self.data: list[Any] = []
        self._names: list[str] = []
        self._types: list[Object | None] = []
        self._functions: list[Any] = []
        names = parameter_names(function.function, len(args))
        opened = [self._open(*one) for one in zip(args, names, types, strict=True)]
        self.places = tuple(place for _, place in opened)
        return tuple(key for key, _ in opened)

    def _applied(self, function: Definition) -> Callable[..., Any]:
        """The function of the data, as a Python function."""
        places = self.places

        def applied(*data: Any) -> Any:
            args = [_together(place, data, lambda built: built.build) for place in places]
            result = function(*args)
            applied.unused = _unused(function, args)  # type: ignore[attr-defined]  # noticed here
            return result

        return by_position(applied, self._names, function.__name__)

    def again(self, args: tuple[Any, ...]) -> list[Any]:
        """The data of other arguments; raises NotKnown where the functions are not the same."""
        reads = self.function.reads
        if reads is None or not reads.whole or reads.in_place():
            raise NotKnown
        return self._each(args, lambda built: built.opened)

    def _each(self, values: Sequence[Any], how: Callable[[Built], Any]) -> list[Any]:
        pairs = zip(self.places, values, strict=True)
        return [found for place, value in pairs for found in _apart(place, value, how)]

    def indices(self, *which: int) -> list[int]:
        """The places of the data that the arguments ``which`` hold."""
        return [i for argument in which for i in _indices(self.places[argument])]

    def whole(self, *which: int) -> tuple[int, ...]:
        """The places of arguments that are data; raises NotKnown where one holds a function."""
        if not all(type(self.places[i]) is int for i in which):
            raise NotKnown
        return tuple(self.indices(*which))

    def gradients(self, which: Sequence[int], found: Sequence[Any]) -> tuple[Any, ...]:
        """The gradients of the arguments ``which``, of those of the data in them, in order."""
        given = dict(zip(self.indices(*which), found, strict=True))
        unused = getattr(self.function.function, "unused", ())
        found = [_together(self.places[i], given, lambda built: built.shown) for i in which]
        return tuple(None if i in unused else x for i, x in zip(which, found, strict=True))

    def tangents(self, tangents: Sequence[Any]) -> list[Any]:
        """The tangents of the data; raises NotKnown where a function's is a function."""
        return self._each(tangents, lambda built: built.moved)

    def _open(self, value: Any, name: str, obj: Object | None) -> tuple[Any, Place]:
        """What tells the code in ``value``, and its place; data is put where it belongs."""
        opened = open_up(value)
        if opened is None and callable(value):
            return self._open_function(value, name, obj)
        if opened is None or not any(map(is_function, take_apart(value)[1])):
            return None, self._put(value, name, obj)
        kind, keys, given = opened
        face = Face(kind, keys, (None,) * len(given))
        product = components(obj) if obj is not None else None
        types = product.parts if product is not None else (None,) * len(given)
        parts = [
            self._open(part, f"{name}_{face.word(i)}", types[i]) for i, part in enumerate(given)
        ]
        place = _container(face, tuple(place for _, place in parts))
        return (kind, keys, *(key for key, _ in parts)), place

    def _put(self, value: Any, name: str, obj: Object | None) -> int:
        self.data.append(value)
        self._names.append(name)
        self._types.append(obj)
        return len(self.data) - 1

    def _open_function(self, function: Any, name: str, obj: Object | None) -> tuple[Any, Place]:
        typed = function.types if isinstance(function, Definition) else None
        inner = undeclared(function)
        if isinstance(inner, FunctionValue):
            raise NotKnown
        if not isinstance(inner, functools.partial):
            self._functions.append(function)
            return (key := identity(function)), _alone(function, key)
        bindings = Bindings(inner)
        keys: list[Any] = [identity(inner.func), typed]
        captured: dict[str, Place] = {}
        self._functions.append(inner.func)
        for word, value in bindings.bound.items():
            if is_static(value):
                self._functions.append(value)
                keys.append((word, identity(value) if is_function(value) else value))
            else:
                key, captured[word] = self._open(value, word, None)
                keys.append((word, key))

        def opened(given: Any) -> list[Any]:
            if (given.types if isinstance(given, Definition) else None) != typed:
                raise NotKnown
            return bindings.opened(undeclared(given))

        def remake(values: list[Any]) -> Any:
            made = bindings.remade(values)
            return made if typed is None else Definition(made, typed)

        return tuple(keys), _code(captured, remake, opened)


def _unused(function: Definition, args: list[Any]) -> list[int]:
    """Which function arguments are called by nobody, in the trace that was made just now."""
    types, faces = argument_types(args)
    made = function.traced_at(types, faces)
    params = made.lam.params if made is not None else ()
    return [i for i, p in enumerate(params) if p.type is Unit and isinstance(types[i], Untyped)]


# ---- inside a trace ------------------------------------------------------------------------------


def holds_known_functions(values: tuple[Any, ...]) -> bool:
    """Whether there are functions among ``values`` or in them that a trace did not compute."""
    leaves = (leaf for value in values for leaf in take_apart(value)[1])
    return any(is_function(leaf) and _is_known(leaf) for leaf in leaves)


def _is_known(function: Any) -> bool:
    return not isinstance(function, Traced | Pending | FunctionValue)


class KnownInTrace(Known[D]):
    """Arguments taken apart inside a trace.

    There a list of calls has no type: it is shown as what it gives for what was captured.
    """

    modes = frozenset({"dependent", "simple"})

    def __init__(
        self, function: Definition, args: tuple[Any, ...], make: Callable[[Callable[..., Any]], D]
    ) -> None:
        types, faces = argument_types(args)
        if function.types is not None:
            types, faces = function.types, tuple(map(face_of, function.types))
        params = function.specialise(types, faces).lam.params
        self._take(function, args, [param.type for param in params])
        if not self._functions:
            raise NotKnown
        self.function = make(self._applied(function))

    def _open_function(self, function: Any, name: str, obj: Object | None) -> tuple[Any, Place]:
        if not _is_known(function):
            return None, self._put(function, name, obj)
        self._functions.append(function)
        if not isinstance(obj, Fun):
            return None, _alone(function)
        made = specialised(function, obj.dom)
        variables = (*made.names, *made.captured)
        makers = [scope for var in made.captured if (scope := scope_here().maker(var)) is not None]
        if len(makers) != len(made.captured):
            raise NotKnown
        values = (*made.values, *(Traced(*one) for one in zip(made.captured, makers, strict=True)))
        fresh = Names()
        captured: dict[str, Place] = {}
        for var, value in zip(variables, values, strict=True):
            word = fresh.fresh(var.name)
            captured[word] = self._open(value, word, var.type)[1]
        closed = Lam(variables, made.lam)
        return None, _code(captured, lambda given: Closing(closed, obj, given))


class Closing(Specialisable):
    """A function of type ``obj``, made of a closed λ of what it captures, and of that."""

    def __init__(self, closed: Lam, obj: Fun, values: list[Any]) -> None:
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


def zeros_in_trace(obj: Object) -> Any:
    """The zero tangent or cotangent of type ``obj``, written down."""
    return LIBRARY["zeros_of_type"](obj) if is_smooth(obj) else ()


def tangents_of(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tangents, with zeros for None."""
    types, _ = argument_types(primals)
    return tuple(
        tangent
        if tangent is not None or not isinstance(obj, Object)
        else zeros_in_trace(velocity(obj))
        for tangent, obj in zip(tangents, types, strict=True)
    )
