"""The cotangents of a function, in its two forms: the list of its calls, and what it captured.

Both are commutative monoids that can be scaled and compared, and both contain each other: the
result of a call may be a function, and so may a captured variable.

>>> calls = Calls([(2, 1), (5, 0)]) + [(2, 3)]
>>> calls, calls.merged(), 2 * calls.merged()
([(2, 1), (5, 0), (2, 3)], [(2, 4)], [(2, 8)])
>>> calls.equivalent([(2.0, 4.0)])
True
>>> Captured({"a": 1}) + Captured({"a": 2, "b": 1})
{a: 3, b: 1}
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import reduce
from operator import or_
from types import GenericAlias
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import TypeMismatch
from combinators.kit.quotient import Quotient, number_key
from combinators.kit.recursion import Recursive, recurse
from combinators.kit.text import brief
from combinators.objects import Fun, Object, Product, Record, Unit
from combinators.spaces import SPACES
from combinators.terms import packed
from combinators.tracing.classes import list_of, typed
from combinators.tracing.faces import Face, object_of, open_up
from combinators.tracing.functions import natural
from combinators.tracing.scope import current
from combinators.tracing.traced import LIBRARY
from combinators.type_folds import tangent_of
from combinators.value_folds import Injected
from diffcurry.closures import FunctionValue, bound
from interpreters.execution.running import Code


class Call(NamedTuple):
    """One call of a function: what it was given, and the cotangent of what it gave."""

    argument: Any
    cotangent: Any


class FunctionCotangent:
    """What both forms can do."""

    __array_ufunc__ = None
    """A NumPy number times a cotangent is left to the cotangent."""

    def __add__(self, other: Any) -> Any:
        return recurse(sum_of(self, other))

    def __radd__(self, other: Any) -> Any:
        """The sum; what ``sum`` starts from is zero."""
        return (
            self if other is None or (np.isscalar(other) and other == 0) else _given(other) + self
        )

    def __mul__(self, factor: Any) -> Any:
        return recurse(_scaled(self, factor))

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self * -1

    def merged(self) -> Any:
        """The normal form: each argument once and in order, with the sum, and without zeros.

        Two lists are equivalent, ``(x, 0) ~ []`` and ``(x, g) + (x, h) ~ (x, g + h)`` (Fig. 4 of
        004), where their normal forms are equal, up to the rounding of sums. Arguments are one
        only where they are equal bit by bit.
        """
        return recurse(_merged(self))

    def equivalent(self, other: Any) -> bool:
        """Whether no tangent of the function tells them apart, but for the rounding of sums."""
        mine, theirs = (Quotient(recurse(_entries(_given(c), ()))) for c in (self, other))
        return mine.same(theirs)


class Calls(FunctionCotangent, Sequence[Call]):
    """A function's cotangent as the list of its calls (Fig. 3 of 004)."""

    def __init__(self, calls: Sequence[Call | tuple[Any, Any]] = ()) -> None:
        self._calls = tuple(Call(*call) for call in calls)

    def __getitem__(self, index: Any) -> Any:
        return self._calls[index]

    def __len__(self) -> int:
        return len(self._calls)

    def __eq__(self, other: object) -> bool:
        """The same numbers in the same order."""
        if not isinstance(other, Sequence) or not all(map(is_call, other)):
            return NotImplemented
        return [_key(tuple(c)) for c in self] == [_key(tuple(c)) for c in other]

    def __hash__(self) -> int:
        return hash(_key(self))

    def __repr__(self) -> str:
        shown = [brief(tuple(call)) for call in self[:20]]
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


class Captured(FunctionCotangent, Mapping[str, Any]):
    """A function's cotangent as that of the variables it captured, by name (Fig. 5 of 004).

    A variable that is missing from it has the cotangent zero. It belongs to functions of one code:
    another function may have captured other things under these names.
    """

    is_container = True
    """Inside a trace it is the record of what was captured."""

    def __init__(
        self, cotangents: Mapping[str, Any] | None = None, code: Code | None = None
    ) -> None:
        self._cotangents = dict(cotangents or {})
        self.code = code

    def __getitem__(self, name: str) -> Any:
        found = self._cotangents[name]
        if isinstance(found, Deferred):
            found = self._cotangents[name] = found.shown()
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._cotangents)

    def __len__(self) -> int:
        return len(self._cotangents)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name}: {self._brief(name)}" for name in self) + "}"

    def _brief(self, name: str) -> str:
        """A captured function's own captures are not shown: they may go on for ever."""
        held = self._cotangents[name]
        return "{…}" if isinstance(held, Deferred | Captured) else brief(self[name])

    def belongs_to(self, code: Code) -> bool:
        """Whether it can be a cotangent of a function of this code: one of the same body."""
        mine = self.code
        return mine is None or mine is code or mine.label.body == code.label.body


class Deferred(NamedTuple):
    """The cotangent of a captured function: shown when it is asked for."""

    shown: Callable[[], Any]


def is_call(entry: Any) -> bool:
    """Whether it is a pair of an argument and a cotangent."""
    return isinstance(entry, tuple) and len(entry) == 2


def _given(cotangent: Any) -> Any:
    """A cotangent that a user wrote down, in the class of its form."""
    if isinstance(cotangent, FunctionCotangent):
        return cotangent
    if isinstance(cotangent, Mapping):
        return Captured(cotangent)
    if isinstance(cotangent, Sequence) and all(map(is_call, cotangent)):
        return Calls(cotangent)
    raise TypeMismatch(
        f"the cotangent of a function is a list of calls or a mapping of what it captured, "
        f"and this is {cotangent!r:.60}"
    )


def _opened(
    cotangent: Any,
) -> tuple[list[tuple[Any, Any]], Callable[[list[tuple[Any, Any]]], Any]] | None:
    """What a cotangent holds, each with its argument, name or place, and what makes it of such."""
    if isinstance(cotangent, Calls):
        return list(cotangent), Calls
    if isinstance(cotangent, Captured):
        return list(cotangent.items()), lambda held: Captured(dict(held), cotangent.code)
    if isinstance(cotangent, Injected):
        return [tuple(cotangent)], lambda held: Injected(*held[0])
    opened = open_up(cotangent)
    if opened is None:
        return None
    kind, keys, parts = opened
    face = Face(kind, keys, ())
    steps = keys if keys and parts else range(len(parts))
    return list(zip(steps, parts, strict=True)), lambda held: face.build([p for _, p in held])


def sum_of(a: Any, b: Any) -> Recursive[Any]:
    """The sum of two cotangents of one value; None is zero."""
    if a is None or b is None:
        return a if b is None else b
    if isinstance(a, FunctionCotangent):
        b = _given(b)
        if isinstance(a, Calls) and isinstance(b, Calls):
            return Calls([*a, *b])
        if isinstance(a, Captured) and isinstance(b, Captured):
            if a.code is not None and not b.belongs_to(a.code):
                raise TypeMismatch(
                    f"cotangents of two functions of different code are added: {a} and {b}"
                )
            held = dict(a)
            for name, cotangent in b.items():
                held[name] = yield sum_of(held.get(name), cotangent)
            return Captured(held, a.code or b.code)
        raise TypeMismatch(
            "a list of calls and a mapping of what was captured are added: hand both to the "
            "pullback that made the function, and add what it gives"
        )
    opened, other = _opened(a), _opened(b)
    if opened is None and other is None:
        if current() is not None:
            return LIBRARY["plus"](a, b)
        if np.shape(a) == np.shape(b):
            return a + b
    pairs, build = opened or ([], list)
    others, _ = other or ([], list)
    if opened is None or [step for step, _ in pairs] != [step for step, _ in others]:
        raise TypeMismatch(f"{brief(a)} and {brief(b)} do not conform, and have no sum")
    total = []
    for (step, x), (_, y) in zip(pairs, others, strict=True):
        total.append((step, (yield sum_of(x, y))))
    return build(total)


def _scaled(cotangent: Any, factor: Any) -> Recursive[Any]:
    opened = _opened(cotangent)
    if opened is None:
        return cotangent * factor
    pairs, build = opened
    scaled = []
    for step, part in pairs:
        scaled.append((step, (yield _scaled(part, factor))))
    return build(scaled)


def _merged(cotangent: Any) -> Recursive[Any]:
    if isinstance(cotangent, Calls):
        cotangent = yield _grouped(cotangent)
    opened = _opened(cotangent)
    if opened is None:
        return cotangent
    pairs, build = opened
    is_function = isinstance(cotangent, FunctionCotangent)
    merged = []
    for step, part in sorted(pairs) if isinstance(cotangent, Captured) else pairs:
        found = yield _merged(part)
        if not is_function or not _is_zero(found):
            merged.append((step, found))
    return build(merged)


def _grouped(calls: Calls) -> Recursive[Calls]:
    """A call for each argument, in order."""
    totals: dict[Any, tuple[Any, Any]] = {}
    for argument, given in calls:
        first, before = totals.get(_key(argument), (argument, None))
        totals[_key(argument)] = first, (yield sum_of(before, given))
    return Calls([totals[key] for key in sorted(totals)])


def _is_zero(merged: Any) -> bool:
    """Whether a cotangent in normal form is zero."""
    if isinstance(merged, FunctionCotangent):
        return not merged  # type: ignore[truthy-bool]  # both forms have a length
    opened = open_up(merged)
    return not np.any(merged) if opened is None else all(map(_is_zero, opened[2]))


def _entries(cotangent: Any, place: tuple[Hashable, ...]) -> Recursive[list[tuple[Any, Any]]]:
    """The numbers of a cotangent, each with what leads to it: components, arguments, names."""
    opened = _opened(cotangent)
    if opened is None:
        return [(place, cotangent)]
    found: list[tuple[Any, Any]] = []
    for step, given in opened[0]:
        name = _key(step) if isinstance(cotangent, Calls) else step
        found += yield _entries(given, (*place, name))
    return found


def _key(value: Any) -> Any:
    """What tells a value from others; the keys of values of one type can be ordered."""
    if isinstance(value, Calls):
        return tuple(_key(tuple(call)) for call in value)
    if isinstance(value, Captured):
        return tuple((name, _key(given)) for name, given in value.items())
    opened = open_up(value)
    if opened is not None:
        return tuple(map(_key, opened[2]))
    if isinstance(value, FunctionValue):
        return id(value.closure.code.label.body), _key(tuple(value.captured.values()))
    return id(value) if callable(value) else number_key(value)


# ---- the space of cotangents ---------------------------------------------------------------------


class Copower(NamedTuple):
    """The type of lists of calls ``[(A, T B)]``: the tangent space of ``A ⇒ B`` (Fig. 6 of 004)."""

    argument: Object
    cotangent: Object | Copower

    def __repr__(self) -> str:
        return f"[({self.argument!r}, {self.cotangent!r})]"


def space_of(value: Any, mode: str) -> Any:
    """``T[v]``: the type of the cotangents of a number, an array, data or a function.

    See ``tangent_space``.
    """
    opened = open_up(value)
    if opened is not None and issubclass(opened[0], tuple | dict):
        kind, keys, parts = opened
        face, spaces = Face(kind, keys, (None,) * len(parts)), [space_of(p, mode) for p in parts]
        if not all(isinstance(space, Object) for space in spaces):
            return face.build(spaces)
        return object_of(face, iter(spaces))
    if not callable(value):
        return tangent_of(_type_of(value))
    types = getattr(value, "types", None)
    if types is None:
        raise TypeMismatch(
            f"the tangent space of {value!r:.60} depends on its types; say them, as in fun(f, Real)"
        )
    return _space(value, packed(types), mode)


def _type_of(value: Any) -> Object:
    """The type of a value: a list's by its items, and that of a class by its fields."""
    lists, items = 0, [value]
    while items and all(isinstance(item, list) for item in items):
        lists, items = lists + 1, [below for item in items for below in item]
    if not items:
        raise TypeMismatch(f"{value!r} does not say of what it is a list; List(Real) is a type")
    kinds = tuple(dict.fromkeys(map(type, items)))
    if all(is_dataclass(kind) and kind not in SPACES for kind in kinds):
        union = reduce(or_, kinds)
        obj = typed(GenericAlias(list, (union,)) if lists else union).object
        lists = max(lists - 1, 0)
    else:
        obj, *others = dict.fromkeys(natural(item).type for item in items)
        if others:
            raise TypeMismatch(f"a list is of one type, and this one holds {obj!r} and {others}")
    return reduce(lambda item, _: list_of(item), range(lists), obj)


def _space(function: Any, dom: Object, mode: str) -> Any:
    """Of a function at its argument type."""
    if isinstance(function, FunctionValue):
        code = function.closure.code
        obj: Object = function.function
        held = zip(code.label.names, code.captured.parts, function.captured.values(), strict=True)
    else:
        made = bound(function, dom)
        obj = made.lam.type
        names = [var.name for var in made.names]
        held = zip(names, [var.type for var in made.names], made.values, strict=True)
    if mode == "simple":
        return _calls_of(obj)
    spaces = {
        name: _space(value, part.dom, mode) if isinstance(part, Fun) else tangent_of(part)
        for name, part, value in held
    }
    return Record.of(tuple(spaces), Product(*spaces.values())) if spaces else Unit


def _calls_of(obj: Object) -> Any:
    return Copower(obj.dom, _calls_of(obj.cod)) if isinstance(obj, Fun) else tangent_of(obj)
