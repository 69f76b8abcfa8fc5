"""Cotangents as the user sees them: they mirror the value that they belong to.

A number's is a number, an array's an array of its dtype, a container's the same container; an
integer's or a boolean's is None. A function's is, in the form of Fig. 3 of 004, the table of its
``Calls``, and in the form of Fig. 5 the mapping of its ``Captured`` variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Fun, Object, Tensor, Vector, components
from combinators.tracing.faces import Face, face_of
from combinators.type_folds import is_smooth
from diffcurry.arguments import fits, opened_as
from diffcurry.calls import Call, Calls, brief
from diffcurry.closures import lift, lower
from diffcurry.modes import CARRIER, Pulling
from interpreters.execution.running import Closure
from interpreters.reverse import Reverse
from interpreters.tangents.cotangents import Cotangent, Environment
from interpreters.tangents.dense import zeros


class Captured(Mapping[str, Any]):
    """A function's cotangent as that of the variables it captured, by name (Fig. 5 of 004).

    A variable that is missing from it has the cotangent zero.
    """

    def __init__(self, cotangents: Mapping[str, Any] | None = None) -> None:
        """Of cotangents by name."""
        self._cotangents = dict(cotangents or {})

    def __getitem__(self, name: str) -> Any:
        """The cotangent of the captured variable ``name``."""
        found = self._cotangents[name]
        if isinstance(found, _Later):
            found = self._cotangents[name] = found.shown()
        return found

    def __iter__(self) -> Iterator[str]:
        """Over the names."""
        return iter(self._cotangents)

    def __len__(self) -> int:
        """How many have a cotangent."""
        return len(self._cotangents)

    def __repr__(self) -> str:
        """By name."""
        return "{" + ", ".join(f"{name}: {self._brief(name)}" for name in self) + "}"

    def _brief(self, name: str) -> str:
        """A captured function's own captures are not shown: they may go on for ever."""
        return "{…}" if isinstance(self._cotangents[name], _Later | Captured) else brief(self[name])


class _Later(NamedTuple):
    """The cotangent of a captured function: shown when it is asked for."""

    cotangent: Cotangent
    obj: Object
    value: Any
    mode: Pulling

    def shown(self) -> Any:
        return show(self.cotangent, self.obj, None, self.value, self.mode)


def show(cotangent: Cotangent, obj: Object, face: Face | None, value: Any, mode: Pulling) -> Any:
    """The cotangent of ``value``, a value of ``mode``, as the user gets it.

    Inside a call the ``value`` is not known: None.
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
        if mode.records_calls:
            return _show_calls(cotangent, obj, mode)
        return _show_captured(cotangent, value, mode)
    if isinstance(obj, Vector):
        given, values = cotangent or {}, value or (None,) * obj.length
        return tuple(
            show(given.get(i), obj.item, None, item, mode) for i, item in enumerate(values)
        )
    if not isinstance(obj, Tensor) or not obj.is_smooth:
        return None
    return CARRIER.lower(zeros(CARRIER, obj) if cotangent is None else cotangent)


def _show_calls(cotangent: list[Any] | None, obj: Fun, mode: Pulling) -> Calls:
    calls = []
    for entry in cotangent or ():
        if type(entry) is Environment:
            raise TypeMismatch(
                'in mode="simple" the cotangent of a returned function that came in as an argument '
                "is a list of (argument, cotangent) pairs, not a mapping of what it captures; "
                'give such a list, or use mode="dependent"'
            )
        argument, given = entry
        calls.append(Call(lower(argument, obj.dom), show(given, obj.cod, None, None, mode)))
    return Calls(calls)


def _show_captured(cotangent: Cotangent, closure: Closure, mode: Pulling) -> Captured:
    if type(cotangent) is list:
        assert isinstance(mode, Reverse)
        cotangent = mode.called(closure, cotangent)
    code = closure.code
    parts = code.captured.parts
    held: dict[str, Any] = {}
    for i, part in (cotangent or {}).items():
        if isinstance(parts[i], Fun):
            held[code.label.names[i]] = _Later(part, parts[i], closure.env[i], mode)
        else:
            held[code.label.names[i]] = show(part, parts[i], None, closure.env[i], mode)
    return Captured(held)


def read(cotangent: Any, obj: Object, value: Any, path: str, mode: Pulling) -> Cotangent:
    """The user's cotangent of the result ``value`` as a sparse one of a reverse mode."""
    if cotangent is None:
        return None
    product = components(obj)
    if product is not None:
        face, given = opened_as(obj, cotangent, f"the cotangent of {path}")
        parts = {
            i: read(part, below, value[i], path + face.path(i), mode)
            for i, (part, below) in enumerate(zip(given, product.parts, strict=True))
        }
        return {i: g for i, g in parts.items() if g is not None} or None
    if isinstance(obj, Fun):
        return _read_function(cotangent, obj, value, path, mode)
    if isinstance(obj, Vector):
        if not isinstance(cotangent, Sequence) or len(cotangent) != obj.length:
            raise TypeMismatch(
                f"the cotangent of {path} : {obj!r} is a sequence of {obj.length}, "
                f"and this is {cotangent!r:.60}"
            )
        parts = {
            i: read(part, obj.item, value[i], f"{path}[{i}]", mode)
            for i, part in enumerate(cotangent)
        }
        return {i: g for i, g in parts.items() if g is not None} or None
    return _read_tensor(cotangent, obj, path)


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


def _read_function(
    cotangent: Any, obj: Fun, closure: Closure, path: str, mode: Pulling
) -> Cotangent:
    if isinstance(cotangent, Mapping):
        code = closure.code
        names, parts = code.label.names, code.captured.parts
        unknown = set(cotangent) - set(names)
        if unknown:
            raise TypeMismatch(
                f"the function {path} captures {', '.join(names) or 'nothing'}, "
                f"and not {', '.join(sorted(map(str, unknown)))}"
            )
        env = {
            i: read(cotangent[name], parts[i], closure.env[i], f"{path}.{name}", mode)
            for i, name in enumerate(names)
            if name in cotangent
        }
        held = {i: g for i, g in env.items() if g is not None}
        return [Environment(held)] if mode.records_calls else held or None
    if not isinstance(cotangent, Sequence) or not all(map(_is_call, cotangent)):
        raise TypeMismatch(
            f"the cotangent of the function {path} : {obj!r} is a list of (argument, cotangent) "
            f"pairs, or a mapping of its captured variables by name, and this is {cotangent!r:.60}"
        )
    for index, (argument, _) in enumerate(cotangent):
        fits(argument, obj.dom, f"the argument of call {index} of {path}")
    return [
        (lift(argument, obj.dom, mode), read(given, obj.cod, None, f"{path}(…)", mode))
        for argument, given in cotangent
    ]


def _is_call(call: Any) -> bool:
    return isinstance(call, (tuple, list)) and len(call) == 2
