"""Cotangents as the user sees them: they mirror the value that they belong to.

A number's is a number, an array's an array of its dtype, a container's the same container; an
integer's or a boolean's is None. A function's is, in the form of Fig. 3 of 004, the table of its
``Calls``, and in the form of Fig. 5 the mapping of its ``Captured`` variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from combinators.errors import ShapeMismatch, TypeMismatch
from combinators.objects import Fun, Object, Tensor, Vector, components, is_smooth
from combinators.tracing.trees import Face, face_of, open_up
from diffcurry.closures import lift, lower
from diffcurry.fits import fits, opened_as
from diffcurry.modes import CARRIER
from interpreters.cotangents import Cotangent, Environment
from interpreters.dense import zeros
from interpreters.reverse import Reverse
from interpreters.running import Closure


class Call(NamedTuple):
    """One call of a function: what it was given, and the cotangent of what it gave."""

    argument: Any
    cotangent: Any


class Calls(Sequence[Call]):
    """A function's cotangent as the list of its calls (Fig. 3 of 004).

    It is a monoid up to ``(x, 0) ~ []`` and ``(x, g) + (x, h) ~ (x, g + h)``; ``merged()`` applies
    both.
    """

    def __init__(self, calls: Sequence[Call | tuple[Any, Any]] = ()) -> None:
        """Of ``(argument, cotangent)`` pairs."""
        self._calls = tuple(Call(*call) for call in calls)

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | Sequence[Call]:
        """A call, or several."""
        return self._calls[index]

    def __len__(self) -> int:
        """How many calls there were."""
        return len(self._calls)

    def __eq__(self, other: object) -> bool:
        """The same calls in the same order, bit by bit."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return [_key(c) for c in self] == [_key(Call(*c)) for c in other]

    def __hash__(self) -> int:
        """Of the calls."""
        return hash(tuple(map(_key, self)))

    def merged(self) -> Calls:
        """Each argument once, with the sum of its cotangents, and no zeros.

        Arguments are one only where they are equal bit by bit.
        """
        totals: dict[Any, Call] = {}
        for call in self:
            key = _bits(call.argument)
            have = totals.get(key)
            total = call.cotangent if have is None else _sum(have.cotangent, call.cotangent)
            totals[key] = Call(call.argument, total)
        return Calls([c for c in totals.values() if not _is_zero(c.cotangent)])

    def __repr__(self) -> str:
        """As the paper writes it."""
        shown = [f"({_brief(c.argument)}, {_brief(c.cotangent)})" for c in self[:20]]
        return "[" + ", ".join(shown + ["…"] * (len(self) > len(shown))) + "]"

    def __str__(self) -> str:
        """A table."""
        rows = [("argument", "cotangent")]
        rows += [(_brief(c.argument), _brief(c.cotangent)) for c in self[:20]]
        wide = max(len(left) for left, _ in rows)
        lines = [f"{left:<{wide}}  {right}" for left, right in rows]
        lines.insert(1, "-" * wide + "  " + "-" * max(len(right) for _, right in rows))
        if len(self) > 20:
            lines.append(f"… and {len(self) - 20} more")
        return "\n".join(lines)


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
        return "{" + ", ".join(f"{name}: {_brief(self[name])}" for name in self) + "}"


class _Later(NamedTuple):
    """The cotangent of a captured function: shown when it is asked for."""

    cotangent: Cotangent
    obj: Object
    value: Any
    mode: Reverse

    def shown(self) -> Any:
        return show(self.cotangent, self.obj, None, self.value, self.mode)


def show(cotangent: Cotangent, obj: Object, face: Face | None, value: Any, mode: Reverse) -> Any:
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


def _show_calls(cotangent: list[Any] | None, obj: Fun, mode: Reverse) -> Calls:
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


def _show_captured(cotangent: Cotangent, closure: Closure, mode: Reverse) -> Captured:
    if type(cotangent) is list:
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


def read(cotangent: Any, obj: Object, value: Any, path: str, mode: Reverse) -> Cotangent:
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
    cotangent: Any, obj: Fun, closure: Closure, path: str, mode: Reverse
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


def _bits(value: Any) -> Any:
    if isinstance(value, Calls):
        return tuple(map(_key, value))
    opened = open_up(value)
    if opened is not None:
        return tuple(map(_bits, opened[2]))
    if callable(value):
        return id(value)
    array = np.asarray(value)
    return (array.dtype.str, array.shape, array.tobytes())


def _key(call: Call) -> Any:
    return _bits(call.argument), _bits(call.cotangent)


def _sum(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return a if b is None else b
    opened, other = open_up(a), open_up(b)
    if opened is None or other is None:
        return Calls([*a, *b]) if isinstance(a, Calls) else a + b
    face = Face(opened[0], opened[1], ())
    return face.build([_sum(x, y) for x, y in zip(opened[2], other[2], strict=True)])


def _is_zero(cotangent: Any) -> bool:
    if cotangent is None:
        return True
    opened = open_up(cotangent)
    if opened is not None:
        return all(map(_is_zero, opened[2]))
    return len(cotangent) == 0 if isinstance(cotangent, Calls) else not np.any(cotangent)


def _brief(value: Any) -> str:
    if isinstance(value, np.generic):
        return f"{value.item():.6g}" if value.dtype.kind == "f" else str(value)
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, threshold=6).replace("\n", "")
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_brief, value)) + ")"
    return repr(value)
