"""Tangents and cotangents as the user sees them: they mirror the value that they belong to.

A number's is a number, an array's an array of its dtype, a container's the same container; an
integer's or a boolean's is None. A function's cotangent is, in the form of Fig. 3 of 004, the table
of its ``Calls``, and in the form of Fig. 5 the mapping of its ``Captured`` variables. The tangent
of a function ``A ⇒ B`` is a function from an argument to the tangent of the result, or a mapping of
the tangents of what it captures, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import (
    Fun,
    Mu,
    Object,
    Sum,
    Tensor,
    Vector,
    components,
)
from combinators.spaces import Space
from combinators.tracing.classes import (
    alternative,
    face_of_alternative,
    face_of_recursive,
    is_list,
    item_of,
    rows_of,
)
from combinators.tracing.faces import Face, face_of
from combinators.tracing.functions import natural
from combinators.type_folds import is_first_order, parts_of, tangent_of, unfolded
from combinators.value_folds import Injected
from diffcurry.arguments import fits, opened_as
from diffcurry.closures import FunctionValue, apply, lift, lower
from diffcurry.function import fun
from diffcurry.function_cotangents import Call, Calls, Captured, Deferred
from diffcurry.modes import CARRIER, Pulling, primal, pushforward
from diffcurry.values import as_alternative
from interpreters.execution.running import Closure
from interpreters.sparse_cotangents import Cotangent, Environment, zeros

# ---- shown ---------------------------------------------------------------------------------------


def show(cotangent: Cotangent, obj: Object, face: Face | None, value: Any, mode: Pulling) -> Any:
    """The cotangent of ``value``, a value of ``mode``, as the user gets it.

    Of a ``value`` without functions it is not asked for: None. A function's is a list of calls in a
    mode that records them, unless an environment came in among them: then what it captured.
    """

    def function(given: Any, obj: Fun, closure: Closure) -> Any:
        if not mode.records_calls or not _iscalls_of(given):
            return _show_captured(given, closure, mode)
        calls = []
        for argument, part in given or ():
            y = None if is_first_order(obj.cod) else apply(closure, argument, mode)
            calls.append(Call(lower(argument, obj.dom), show(part, obj.cod, None, y, mode)))
        return Calls(calls)

    return _show(cotangent, obj, face, value, function)


def show_numbers(given: Any, obj: Object, face: Face | None, value: Any) -> Any:
    """The cotangent of ``value``, without functions, as compiled code gives both."""
    return _show(given, obj, face, value, lambda *_: None)


def show_tangent(tangent: Any, obj: Object, face: Face | None, value: Any = None) -> Any:
    """A tangent as the user gets it; of ``value``, where its alternatives matter."""
    return _show(tangent, obj, face, value, lambda given, obj, _: TangentFunction(given, obj))


def _show(
    given: Any, obj: Object, face: Face | None, value: Any, function: Callable[..., Any]
) -> Any:
    """What is sparse, or a tuple, in the containers of ``face``; None is zero.

    That of a sum is of the alternative that ``value`` is; of a zero without a value it is None.
    """
    return recurse(_shown(given, obj, face, value, function))


def _shown(
    given: Any, obj: Object, face: Face | None, value: Any, function: Callable[..., Any]
) -> Recursive[Any]:
    if isinstance(obj, Fun):
        return function(given, obj, value)
    if isinstance(obj, Mu) and is_list(obj):
        return (yield _shown_list(given, item_of(obj), value, function))
    if isinstance(obj, Mu):
        face = face_of_recursive(obj)
        obj = unfolded(obj)
    if isinstance(obj, Sum):
        tag, given, value = _alternative(given, value)
        if tag is None:
            return None
        wears = face_of_alternative(obj, tag)
        return as_alternative(
            obj, tag, (yield _shown(given, obj.parts[tag], wears, value, function))
        )
    types = parts_of(obj)
    if isinstance(obj, Space):
        leaf = tangent_of(obj)
        return lower(zeros(CARRIER, leaf) if given is None else given, leaf)
    if types is None:
        if not isinstance(obj, Tensor) or not obj.is_smooth:
            return None
        number = CARRIER.lower(zeros(CARRIER, obj) if given is None else given)
        return np.float64(number) if type(number) is float else number
    if not types and face is None:
        return None
    width = len(types)
    wears = None if isinstance(obj, Vector) else face or face_of(obj)
    children = (None,) * width if wears is None else wears.children
    found = []
    for i, (below, child) in enumerate(zip(types, children, strict=True)):
        found.append((yield _shown(_part(given, i), below, child, _part(value, i), function)))
    return tuple(found) if wears is None else wears.build(found)


def _shown_list(
    given: Any, item: Object, value: Any, function: Callable[..., Any]
) -> Recursive[Any]:
    found = []
    while (opened := _alternative(given, value))[0]:
        _, given, value = opened
        found.append((yield _shown(_part(given, 0), item, None, _part(value, 0), function)))
        given, value = _part(given, 1), _part(value, 1)
    return found


def _alternative(given: Any, value: Any) -> tuple[int | None, Any, Any]:
    """Which alternative a value is, or a cotangent alone, and both inside."""
    if type(given) is dict:
        ((tag, given),) = given.items()
    elif given is not None:
        tag, given = given
    if value is None:
        return (None if given is None else tag), given, None
    return value[0], given, value[1]


def _part(whole: Any, index: int) -> Any:
    """A component of what is sparse, or a tuple, or nothing."""
    if whole is None:
        return None
    return whole.get(index) if type(whole) is dict else whole[index]


def _iscalls_of(cotangent: Cotangent) -> bool:
    """Whether it lists calls, and no environment came in among them."""
    if cotangent is None:
        return True
    return type(cotangent) is list and all(type(entry) is not Environment for entry in cotangent)


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


class _Reader(NamedTuple):
    """How what a user gives is read: what it is called, a function's, and a whole of its parts."""

    word: str
    function: Callable[[Any, Fun, Any, str], Any]
    whole: Callable[[list[Any]], Any]
    inject: Callable[[int, Any], Any]


def read(cotangent: Any, obj: Object, value: Any, path: str, mode: Pulling) -> Cotangent:
    """The user's cotangent of the result ``value`` as a sparse one of a reverse mode."""

    def function(given: Any, obj: Fun, closure: Any, path: str) -> Recursive[Cotangent]:
        if isinstance(given, Mapping):
            found = yield _read_captured(given, closure, path, reader)
            return [Environment(found or {})] if mode.records_calls else found
        calls = []
        for index, (argument, part) in enumerate(calls_of(given, obj, path)):
            fits(argument, obj.dom, f"the argument of call {index} of {path}")
            x = lift(argument, obj.dom, mode)
            y = None if is_first_order(obj.cod) else apply(closure, x, mode)
            calls.append((x, (yield _read(part, obj.cod, y, f"{path}(…)", reader))))
        return calls

    def injected(index: int, part: Any) -> Cotangent:
        return None if part is None else {index: part}

    reader = _Reader("cotangent", function, lambda xs: _sparse(dict(enumerate(xs))), injected)
    return recurse(_read(cotangent, obj, value, path, reader))


def read_tangent(tangent: Any, obj: Object, path: str, value: Any = None) -> Any:
    """The user's tangent of ``value``, an argument, as nested tuples of numbers; None is zero."""

    def function(given: Any, obj: Fun, closure: Any, path: str) -> Recursive[Any]:
        if isinstance(given, Mapping):
            return (yield _read_captured(given, closure, path, reader)) or {}
        return _along(given, obj, path)

    reader = _Reader("tangent", function, tuple, Injected)
    return recurse(_read(tangent, obj, value, path, reader))


def _sparse(parts: Mapping[int, Cotangent]) -> Cotangent:
    return {i: g for i, g in parts.items() if g is not None} or None


def _read(given: Any, obj: Object, value: Any, path: str, reader: _Reader) -> Recursive[Any]:
    if given is None:
        return None
    if isinstance(obj, Fun):
        return (yield reader.function(given, obj, value, path))
    if isinstance(obj, Sum | Mu):
        return (yield _read_alternative(given, obj, value, path, reader))
    product = components(obj)
    if isinstance(obj, Space):
        return _read_declared(given, obj, path, reader.word)
    if product is not None:
        face, parts = opened_as(obj, given, f"the {reader.word} of {path}")
        types, names = product.parts, [path + face.path(i) for i in range(product.width)]
    elif isinstance(obj, Vector) and reader.word == "cotangent":
        if not isinstance(given, Sequence) or len(given) != obj.length:
            raise TypeMismatch(
                f"the cotangent of {path} : {obj!r} is a sequence of {obj.length}, "
                f"and this is {given!r:.60}"
            )
        parts, types = tuple(given), (obj.item,) * obj.length
        names = [f"{path}[{i}]" for i in range(obj.length)]
    else:
        return _read_tensor(given, obj, path, reader.word)
    found = []
    for i, (part, below, name) in enumerate(zip(parts, types, names, strict=True)):
        found.append((yield _read(part, below, value[i] if value else None, name, reader)))
    return reader.whole(found)


def _read_declared(given: Any, obj: Space, path: str, word: str) -> Any:
    """Of a type with a tangent space of its own, which that of its tangents need not be."""
    leaf = tangent_of(obj)
    if not isinstance(leaf, Space):
        return _read_tensor(given, leaf, path, word)
    if natural(given).type is not leaf:
        raise TypeMismatch(f"the {word} of {path} : {obj!r} is of type {leaf!r}, not {given!r:.60}")
    return lift(given, leaf, primal())


def _read_alternative(
    given: Any, obj: Sum | Mu, value: Any, path: str, reader: _Reader
) -> Recursive[Any]:
    """Of a sum: of the alternative that the value is; of a list, item by item from its end."""
    if isinstance(obj, Mu) and is_list(obj):
        rows, item, found = rows_of(given), item_of(obj), None
        inside = [None] * len(rows or ()) if value is None else list(_items(value))
        if rows is None or len(rows) != len(inside):
            raise TypeMismatch(
                f"the {reader.word} of {path} : {obj!r} is a list of {len(inside)}, and this is "
                f"{given!r:.60}"
            )
        for i in reversed(range(len(rows))):
            one = yield _read(rows[i], item, inside[i], f"{path}[{i}]", reader)
            found = reader.inject(1, reader.whole([one, found]))
        return found
    if isinstance(obj, Mu):
        inner = unfolded(obj)
        return (yield _read(given, inner, value, path, reader))
    index, inside = alternative(obj, given)
    if value is not None and value[0] != index:
        names = [str(i) for i in range(len(obj.parts))] if obj.names is None else obj.names
        raise TypeMismatch(
            f"the {reader.word} of {path} is of the alternative {names[index]}, and the value is "
            f"of {names[value[0]]}"
        )
    part = yield _read(inside, obj.parts[index], value and value[1], path, reader)
    return None if part is None else reader.inject(index, part)


def _items(cells: Any) -> Iterator[Any]:
    """The items of a list, as a program has it."""
    while cells[0]:
        item, cells = cells[1]
        yield item


def _read_tensor(given: Any, obj: Object, path: str, word: str) -> Any:
    if not isinstance(obj, Tensor):
        raise TypeMismatch(f"the {word} of {path} : {obj!r} can only be None")
    if not obj.is_smooth:
        raise TypeMismatch(f"{path} : {obj!r} has no tangents; its {word} is None")
    array = np.asarray(given)
    if array.dtype.kind not in "biuf":
        raise TypeMismatch(f"the {word} of {path} : {obj!r} is {given!r:.60}")
    if array.shape != obj.shape:
        raise ShapeMismatch(f"the {word} of {path} : {obj!r} has the shape {array.shape}")
    return CARRIER.lift(array, obj)


def _read_captured(
    given: Mapping[str, Any], closure: Closure, path: str, reader: _Reader
) -> Recursive[Any]:
    code = closure.code
    names, parts = code.label.names, code.captured.parts
    check_captures(given, names, path)
    if isinstance(given, Captured) and not given.belongs_to(code):
        raise TypeMismatch(
            f"the cotangent {given} is of another function than {path}, which captures "
            "variables of the same names; make a dict of it if that is what you mean"
        )
    found = {}
    for i, name in enumerate(names):
        if name in given:
            inside = closure.env[i]
            found[i] = yield _read(given[name], parts[i], inside, f"{path}.{name}", reader)
    return _sparse(found)


def check_captures(given: Mapping[str, Any], names: Sequence[str], path: str) -> None:
    """Raise where a mapping names what the function ``path`` does not capture."""
    unknown = sorted(map(str, set(given) - set(names)))
    if unknown:
        raise TypeMismatch(
            f"the function {path} captures {', '.join(names) or 'nothing'}, "
            f"and not {', '.join(unknown)}"
        )


def calls_of(given: Any, obj: Fun, path: str) -> Sequence[Any]:
    """What has to be a list of calls."""
    is_list = isinstance(given, Sequence)
    if not is_list or not all(isinstance(x, (tuple, list)) and len(x) == 2 for x in given):
        raise TypeMismatch(
            f"the cotangent of the function {path} : {obj!r} is a list of (argument, cotangent) "
            f"pairs, or a mapping of its captured variables by name, and this is {given!r:.60}"
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
