"""Tangents and cotangents as the user sees them: they mirror the value that they belong to.

A number's is a number, an array's an array of its dtype, a container's the same container; an
integer's or a boolean's is None. A function's cotangent is, in the form of Fig. 3 of 004, the table
of its ``Calls``, and in the form of Fig. 5 the mapping of its ``Captured`` variables. The tangent
of a function ``A ⇒ B`` is a function from an argument to the tangent of the result, or a mapping of
the tangents of what it captures, by name.

Inside a trace a pullback takes a ``Tangent`` for each function in the result: the erased cotangent
of what it captured (004, section 5). A list of calls becomes one by the rep-function of that
function, and a mapping of what it captured by its environment, where its code is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import (
    Fun,
    Object,
    Tangent,
    Tensor,
    Vector,
    components,
)
from combinators.primitives.structural import PACK
from combinators.spaces import Space
from combinators.terms import Term
from combinators.tracing.emit import emit_operation, operand
from combinators.tracing.faces import Face, face_of, open_up
from combinators.tracing.functions import Faces, Specialisable, Types, call, coerce, natural
from combinators.tracing.traced import LIBRARY, Traced
from combinators.type_folds import is_first_order, parts_of, tangent_of
from diffcurry.arguments import fits, opened_as
from diffcurry.closures import FunctionValue, apply, lift, lower
from diffcurry.function import fun
from diffcurry.function_cotangents import Call, Calls, Captured, Deferred
from diffcurry.known import zeros_in_trace
from diffcurry.modes import CARRIER, Pulling, primal, pushforward
from interpreters.execution.running import Closure
from interpreters.sparse_cotangents import Cotangent, Environment, zeros
from interpreters.staging.programs import ResultShape

# ---- shown ---------------------------------------------------------------------------------------


def show(cotangent: Cotangent, obj: Object, face: Face | None, value: Any, mode: Pulling) -> Any:
    """The cotangent of ``value``, a value of ``mode``, as the user gets it.

    Of a ``value`` without functions it is not asked for: None. A function's is a list of calls in a
    mode that records them, unless an environment came in among them: then what it captured.
    """

    def function(given: Any, obj: Fun, closure: Closure) -> Any:
        if not mode.records_calls or not _is_calls(given):
            return _show_captured(given, closure, mode)
        calls = []
        for argument, part in given or ():
            y = None if is_first_order(obj.cod) else apply(closure, argument, mode)
            calls.append(Call(lower(argument, obj.dom), show(part, obj.cod, None, y, mode)))
        return Calls(calls)

    return _show(cotangent, obj, face, value, function)


def show_tangent(tangent: Any, obj: Object, face: Face | None) -> Any:
    """A tangent as the user gets it."""
    return _show(tangent, obj, face, None, lambda given, obj, _: TangentFunction(given, obj))


def _show(
    given: Any, obj: Object, face: Face | None, value: Any, function: Callable[..., Any]
) -> Any:
    """What is sparse, or a tuple, in the containers of ``face``; None is zero."""
    if isinstance(obj, Fun):
        return function(given, obj, value)
    types = parts_of(obj)
    if isinstance(obj, Space):
        leaf = tangent_of(obj)
        return lower(zeros(CARRIER, leaf) if given is None else given, leaf)
    if types is None:
        if not isinstance(obj, Tensor) or not obj.is_smooth:
            return None
        return CARRIER.lower(zeros(CARRIER, obj) if given is None else given)
    if not types and face is None:
        return None
    width = len(types)
    parts = (None,) * width if given is None else given
    if type(given) is dict:
        parts = tuple(map(given.get, range(width)))
    shown = None if isinstance(obj, Vector) else face or face_of(obj)
    children = (None,) * width if shown is None else shown.children
    each = zip(parts, types, children, value or (None,) * width, strict=True)
    found = [_show(part, below, child, inside, function) for part, below, child, inside in each]
    return tuple(found) if shown is None else shown.build(found)


def _is_calls(cotangent: Cotangent) -> bool:
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


def read(cotangent: Any, obj: Object, value: Any, path: str, mode: Pulling) -> Cotangent:
    """The user's cotangent of the result ``value`` as a sparse one of a reverse mode."""

    def function(given: Any, obj: Fun, closure: Any, path: str) -> Recursive[Cotangent]:
        if isinstance(given, Mapping):
            found = yield _read_captured(given, closure, path, reader)
            return [Environment(found or {})] if mode.records_calls else found
        calls = []
        for index, (argument, part) in enumerate(_calls(given, obj, path)):
            fits(argument, obj.dom, f"the argument of call {index} of {path}")
            x = lift(argument, obj.dom, mode)
            y = None if is_first_order(obj.cod) else apply(closure, x, mode)
            calls.append((x, (yield _read(part, obj.cod, y, f"{path}(…)", reader))))
        return calls

    reader = _Reader("cotangent", function, lambda found: _sparse(dict(enumerate(found))))
    return recurse(_read(cotangent, obj, value, path, reader))


def read_tangent(tangent: Any, obj: Object, path: str, value: Any = None) -> Any:
    """The user's tangent of ``value``, an argument, as nested tuples of numbers; None is zero."""

    def function(given: Any, obj: Fun, closure: Any, path: str) -> Recursive[Any]:
        if isinstance(given, Mapping):
            return (yield _read_captured(given, closure, path, reader)) or {}
        return _along(given, obj, path)

    reader = _Reader("tangent", function, tuple)
    return recurse(_read(tangent, obj, value, path, reader))


def _sparse(parts: Mapping[int, Cotangent]) -> Cotangent:
    return {i: g for i, g in parts.items() if g is not None} or None


def _read(given: Any, obj: Object, value: Any, path: str, reader: _Reader) -> Recursive[Any]:
    if given is None:
        return None
    if isinstance(obj, Fun):
        return (yield reader.function(given, obj, value, path))
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
    _check_captures(given, names, path)
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


def _check_captures(given: Mapping[str, Any], names: Sequence[str], path: str) -> None:
    unknown = sorted(map(str, set(given) - set(names)))
    if unknown:
        raise TypeMismatch(
            f"the function {path} captures {', '.join(names) or 'nothing'}, "
            f"and not {', '.join(unknown)}"
        )


def _calls(given: Any, obj: Fun, path: str) -> Sequence[Any]:
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


# ---- inside a trace ------------------------------------------------------------------------------


class Returned(NamedTuple):
    """A result inside a trace: its type, and what it is with rep-functions in it.

    Where nothing is known of its functions the shape is None.
    """

    obj: Object
    rep: Any
    shape: ResultShape | None

    def read(self, cotangent: Any, path: str = "the result") -> Any:
        """The user's cotangent as the one that the pullback takes."""
        obj = self.obj
        if cotangent is None:
            return zeros_in_trace(tangent_of(obj))
        if isinstance(obj, Fun):
            return self._read_function(cotangent, obj, path)
        product, opened = components(obj), open_up(self.rep)
        if product is None or opened is None:
            return cotangent
        face, given = opened_as(obj, cotangent, f"the cotangent of {path}")
        parts = []
        for i, (part, below) in enumerate(zip(given, product.parts, strict=True)):
            shape = None if self.shape is None else self.shape.part(i)
            parts.append(Returned(below, opened[2][i], shape).read(part, path + face.path(i)))
        return tuple(parts)

    def _read_function(self, cotangent: Any, obj: Fun, path: str) -> Any:
        if isinstance(cotangent, Traced):
            return cotangent
        if isinstance(cotangent, Mapping):
            return self._read_captured(cotangent, path)
        pulled = [zeros_in_trace(Tangent)]
        for argument, given in _calls(cotangent, obj, path):
            y, pull = self.rep(argument)
            pulled.append(pull(Returned(obj.cod, y, None).read(given, f"{path}(…)"))[0])
        return reduce(LIBRARY["plus"], pulled)

    def _read_captured(self, cotangent: Mapping[str, Any], path: str) -> Any:
        environment = None if self.shape is None else self.shape.environment()
        if environment is None or self.shape is None:
            raise TypeMismatch(
                f"what the function {path} captured is not known while this is traced, since it is "
                "chosen or made when it runs; give its cotangent as a list of calls"
            )
        _check_captures(cotangent, list(environment), path)
        whole = coerce(_captured(cotangent, self.shape), tangent_of(self.shape.obj))
        return emit_operation(PACK.plain, (whole,))


def _captured(cotangent: Any, shape: ResultShape) -> Any:
    """The cotangent of what was captured; of a function of known code, of what that captured."""
    environment = shape.environment()
    if cotangent is None:
        return zeros_in_trace(tangent_of(shape.obj))
    if environment is None:
        return cotangent
    given = cotangent if isinstance(cotangent, Mapping) else {}
    return tuple(_captured(given.get(name), below) for name, below in environment.items())


class PullbackInTrace(Specialisable):
    """From cotangents of a result that holds functions to those of the arguments."""

    def __init__(self, pull: Traced, result: Returned) -> None:
        """``pull`` takes a ``Tangent`` for each function in the result."""
        self._pull, self._result = pull, result

    def __call__(self, cotangent: Any) -> Any:
        """The cotangents of the arguments."""
        return call(self._pull, (self._result.read(cotangent),))

    def type(self) -> Object:
        """That of the function in the program."""
        found: Object = self._pull.type
        return found

    def at(self, types: Types, faces: Faces) -> tuple[Term, Face | None]:
        """The function in the program."""
        return operand(self._pull), None
