"""Cotangents as the user sees them: they mirror the value that they belong to.

A number's is a number, an array's an array of its dtype, a container's the same container; an
integer's or a boolean's is None. A function's is, in the form of Fig. 3 of 004, the table of its
``Calls``, and in the form of Fig. 5 the mapping of its ``Captured`` variables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Fun, Object, Tensor, Vector, components
from combinators.tracing.faces import Face, face_of
from combinators.type_folds import is_first_order, is_smooth
from diffcurry.arguments import fits, opened_as
from diffcurry.closures import apply, lift, lower
from diffcurry.function_cotangents import Call, Calls, Captured, Deferred
from diffcurry.modes import CARRIER, Pulling
from interpreters.execution.running import Closure
from interpreters.sparse_cotangents import Cotangent, Environment, zeros


def show(cotangent: Cotangent, obj: Object, face: Face | None, value: Any, mode: Pulling) -> Any:
    """The cotangent of ``value``, a value of ``mode``, as the user gets it.

    Of a ``value`` without functions it is not asked for: None. A function's is a list of calls in a
    mode that records them, unless an environment came in among them: then what it captured.
    """
    product = components(obj)
    if product is not None:
        if not is_smooth(obj) and product.width == 0 and face is None:
            return None
        shown = face or face_of(obj)
        assert shown is not None
        given, values = cotangent or {}, value or (None,) * product.width
        return shown.build(
            [
                show(given.get(i), part, below, values[i], mode)
                for i, (part, below) in enumerate(zip(product.parts, shown.children, strict=True))
            ]
        )
    if isinstance(obj, Fun):
        if mode.records_calls and _is_calls(cotangent):
            return _show_calls(cotangent, obj, value, mode)
        return _show_captured(cotangent, value, mode)
    if isinstance(obj, Vector):
        given, values = cotangent or {}, value or (None,) * obj.length
        return tuple(
            show(given.get(i), obj.item, None, item, mode) for i, item in enumerate(values)
        )
    if not isinstance(obj, Tensor) or not obj.is_smooth:
        return None
    return CARRIER.lower(zeros(CARRIER, obj) if cotangent is None else cotangent)


def _show_calls(cotangent: list[Any] | None, obj: Fun, closure: Closure, mode: Pulling) -> Calls:
    calls = []
    for argument, given in cotangent or ():
        y = None if is_first_order(obj.cod) else apply(closure, argument, mode)
        calls.append(Call(lower(argument, obj.dom), show(given, obj.cod, None, y, mode)))
    return Calls(calls)


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


def read(cotangent: Any, obj: Object, value: Any, path: str, mode: Pulling) -> Cotangent:
    """The user's cotangent of the result ``value`` as a sparse one of a reverse mode."""
    return recurse(_read(cotangent, obj, value, path, mode))


def _read(
    cotangent: Any, obj: Object, value: Any, path: str, mode: Pulling
) -> Recursive[Cotangent]:
    if cotangent is None:
        return None
    product = components(obj)
    if product is not None:
        face, given = opened_as(obj, cotangent, f"the cotangent of {path}")
        types, names = product.parts, [path + face.path(i) for i in range(product.width)]
    elif isinstance(obj, Vector):
        if not isinstance(cotangent, Sequence) or len(cotangent) != obj.length:
            raise TypeMismatch(
                f"the cotangent of {path} : {obj!r} is a sequence of {obj.length}, "
                f"and this is {cotangent!r:.60}"
            )
        given, types = tuple(cotangent), (obj.item,) * obj.length
        names = [f"{path}[{i}]" for i in range(obj.length)]
    elif isinstance(obj, Fun):
        if isinstance(cotangent, Mapping):
            return (yield _read_captured(cotangent, value, path, mode))
        return (yield _read_calls(cotangent, obj, value, path, mode))
    else:
        return _read_tensor(cotangent, obj, path)
    found = {}
    for i, part in enumerate(given):
        found[i] = yield _read(part, types[i], value[i] if value else None, names[i], mode)
    return _sparse(found)


def _sparse(parts: Mapping[int, Cotangent]) -> Cotangent:
    return {i: g for i, g in parts.items() if g is not None} or None


def _read_tensor(cotangent: Any, obj: Object, path: str) -> Cotangent:
    assert isinstance(obj, Tensor)
    if not obj.is_smooth:
        raise TypeMismatch(f"{path} : {obj!r} has no tangents; its cotangent is None")
    array = np.asarray(cotangent)
    if array.dtype.kind not in "biuf":
        raise TypeMismatch(f"the cotangent of {path} : {obj!r} is {cotangent!r:.60}")
    if array.shape != obj.shape:
        raise ShapeMismatch(f"the cotangent of {path} : {obj!r} has the shape {array.shape}")
    return CARRIER.lift(array, obj)


def _read_captured(
    cotangent: Mapping[str, Any], closure: Closure, path: str, mode: Pulling
) -> Recursive[Cotangent]:
    code = closure.code
    names, parts = code.label.names, code.captured.parts
    unknown = set(cotangent) - set(names)
    if unknown:
        raise TypeMismatch(
            f"the function {path} captures {', '.join(names) or 'nothing'}, "
            f"and not {', '.join(sorted(map(str, unknown)))}"
        )
    if isinstance(cotangent, Captured) and not cotangent.belongs_to(code):
        raise TypeMismatch(
            f"the cotangent {cotangent} is of another function than {path}, which captures "
            "variables of the same names; make a dict of it if that is what you mean"
        )
    found = {}
    for i, name in enumerate(names):
        if name in cotangent:
            part = cotangent[name]
            found[i] = yield _read(part, parts[i], closure.env[i], f"{path}.{name}", mode)
    held = _sparse(found)
    return [Environment(held or {})] if mode.records_calls else held


def _read_calls(
    cotangent: Any, obj: Fun, closure: Closure, path: str, mode: Pulling
) -> Recursive[Cotangent]:
    if not isinstance(cotangent, Sequence) or not all(map(_is_call, cotangent)):
        raise TypeMismatch(
            f"the cotangent of the function {path} : {obj!r} is a list of (argument, cotangent) "
            f"pairs, or a mapping of its captured variables by name, and this is {cotangent!r:.60}"
        )
    calls = []
    for index, (argument, given) in enumerate(cotangent):
        fits(argument, obj.dom, f"the argument of call {index} of {path}")
        x = lift(argument, obj.dom, mode)
        y = None if is_first_order(obj.cod) else apply(closure, x, mode)
        calls.append((x, (yield _read(given, obj.cod, y, f"{path}(…)", mode))))
    return calls


def _is_call(call: Any) -> bool:
    return isinstance(call, (tuple, list)) and len(call) == 2
