"""A function's cotangent as the list of its calls (Fig. 3 and 6 of 004)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from combinators.tracing.faces import Face, open_up
from diffcurry.closures import FunctionValue


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
        """The same numbers in the same order."""
        if not isinstance(other, Sequence) or not all(map(is_call, other)):
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
            total = total.merged() if isinstance(total, Calls) else total
            totals[key] = Call(call.argument, total)
        return Calls([c for c in totals.values() if not _is_zero(c.cotangent)])

    def __repr__(self) -> str:
        """As the paper writes it."""
        shown = [f"({brief(c.argument)}, {brief(c.cotangent)})" for c in self[:20]]
        return "[" + ", ".join(shown + ["…"] * (len(self) > len(shown))) + "]"

    def __str__(self) -> str:
        """A table, the last call first, as the pullback meets them."""
        rows = [("argument", "cotangent")]
        rows += [(brief(c.argument), brief(c.cotangent)) for c in self[:20]]
        wide = max(len(left) for left, _ in rows)
        lines = [f"{left:<{wide}}  {right}" for left, right in rows]
        lines.insert(1, "-" * wide + "  " + "-" * max(len(right) for _, right in rows))
        if len(self) > 20:
            lines.append(f"… and {len(self) - 20} more")
        return "\n".join(lines)


def _bits(value: Any) -> Any:
    if isinstance(value, Calls):
        return tuple(map(_key, value))
    opened = open_up(value)
    if opened is not None:
        return tuple(map(_bits, opened[2]))
    if isinstance(value, FunctionValue):
        return id(value.closure.code), _bits(tuple(value.captured.values()))
    if callable(value):
        return id(value)
    array = np.asarray(value)
    return (array.dtype.str, array.shape, array.tobytes())


def _key(call: Call) -> Any:
    return _bits(tuple(map(_widened, call)))


def _widened(value: Any) -> Any:
    """A number as a float, so that ``2`` equals ``2.0``; -0.0 is not 0.0, nan is nan."""
    opened = open_up(value)
    if opened is not None:
        return tuple(map(_widened, opened[2]))
    if isinstance(value, Calls) or callable(value):
        return value
    array = np.asarray(value)
    return array.astype(np.float64) if array.dtype.kind in "biuf" else value


def is_call(entry: Any) -> bool:
    """Whether it is a pair of an argument and a cotangent."""
    return isinstance(entry, tuple) and len(entry) == 2


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


def brief(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, np.generic):
        return f"{value.item():.6g}" if value.dtype.kind == "f" else str(value)
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=4, threshold=6).replace("\n", "")
    if isinstance(value, tuple):
        return "(" + ", ".join(map(brief, value)) + ")"
    return repr(value)
