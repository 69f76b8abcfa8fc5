"""What a Python function reads besides its arguments: globals, closure cells, attributes, items.

What it reads while it is traced is a constant of its program. A function remembers what it read,
so that a program is written anew where something else stands there later:

    batch = first                 # a global that ``loss`` reads
    step = grad(loss); step(w)    # reads: loss.__globals__["batch"] is first
    batch = second; step(w)       # it is not: loss is traced again

Names are compared by identity, at every call. An array stays what it was when it was traced; what
it holds is compared at the calls 1, 2, 4, 8, …, and a warning says that it was changed in place.
"""

from __future__ import annotations

import functools
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from combinators.errors import users_place
from combinators.tracing.definition import Definition
from diffcurry.border import Guard
from diffcurry.stillness import (
    LOOKUPS,
    OURS,
    STILL,
    Slots,
    codes_of,
    is_fixed,
    is_namespace,
    is_still,
    read_by_name,
)

MOST, LONG, LARGE = 256, 64, 1 << 20
"""How many things are looked at, items of a container, and elements of an array."""

_HOLDERS = (FunctionType, list, dict, tuple, np.ndarray)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), slice, range)


class Changed(LookupError):
    """Something that was read is something else now."""


class Readings:
    """What Python functions read, as it is now."""

    def __init__(self, *functions: Any, warns: bool = True) -> None:
        """Look through ``functions`` and all that they reach.

        ``warns`` says that arrays stay what they were when they were traced, and to warn of those
        that are changed in place; elsewhere whoever asks looks whether they are the same.
        """
        self.warns = warns
        self.whole = True
        """Whether everything that they can read was looked at."""
        self._items: list[tuple[Any, Any, Any]] = []
        self._cells: list[tuple[CellType, Any]] = []
        self._lengths: list[tuple[Any, int]] = []
        self._absent: list[tuple[Any, str]] = []
        self.arrays: list[tuple[str, np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        self._generators: list[tuple[np.random.Generator, Any]] = []
        self._words: set[str] = set()
        self._look(functions)

    @property
    def nothing(self) -> bool:
        """Whether nothing is read that could change."""
        return not (self._items or self._cells or self.arrays or self._lengths or self._absent)

    def changed(self) -> bool:
        """Whether anything else stands where something was read."""
        same = all(map(_same_item, self._items)) and all(map(_same_cell, self._cells))
        same = same and not any(key in holder for holder, key in self._absent)
        return not same or any(len(holder) != length for holder, length in self._lengths)

    def in_place(self) -> list[str]:
        """The names of arrays that hold other numbers than they did."""
        return [name for name, array, before in self.arrays if not _equal(array, before)]

    def notice(self) -> None:
        """Warn of arrays that were changed in place, once each."""
        changed = self.in_place() if self.warns else []
        self.arrays[:] = [entry for entry in self.arrays if entry[0] not in changed]
        for name in changed:
            _warn(
                f"the array {name} was changed in place since a function that reads it was traced: "
                "there it is a constant, as it was. Pass it as an argument, or make a new array"
            )

    def settle(self) -> None:
        """Leave out what tracing itself changed, as a log, and warn of random numbers drawn."""
        before = len(self._items) + len(self._cells)
        self._items[:] = filter(_same_item, self._items)
        self._cells[:] = filter(_same_cell, self._cells)
        self._lengths[:] = [pair for pair in self._lengths if len(pair[0]) == pair[1]]
        self.whole = self.whole and len(self._items) + len(self._cells) == before
        if any(g.bit_generator.state != state for g, state in self._generators):
            self.whole = False
            _warn_random()

    def guard(self) -> Guard | None:
        """What raises ``Changed`` once something differs, before a compiled function is called."""
        if self.nothing:
            return None
        names: dict[str, Any] = {"Changed": Changed, "noticed": self._noticed()}
        tests = []
        for number, (holder, key, value) in enumerate(self._items):
            names |= {f"holder{number}": holder, f"key{number}_": key, f"value{number}": value}
            tests.append(f"holder{number}[key{number}_] is not value{number}")
        for number, (cell, value) in enumerate(self._cells):
            names |= {f"cell{number}": cell, f"held{number}": value}
            tests.append(f"cell{number}.cell_contents is not held{number}")
        for number, (holder, length) in enumerate(self._lengths):
            names[f"list{number}"] = holder
            tests.append(f"len(list{number}) != {length}")
        for number, (holder, key) in enumerate(self._absent):
            names |= {f"without{number}": holder, f"word{number}": key}
            tests.append(f"word{number} in without{number}")
        lines = [line for test in tests for line in (f"    if {test}:", "        raise Changed")]
        if self.arrays and self.warns:
            lines.append("    noticed()")
        return Guard(lines, names)

    def _noticed(self) -> Callable[[], None]:
        """Looks at arrays at the calls 1, 2, 4, 8, …."""
        asked, again = 0, 1

        def noticed() -> None:
            nonlocal asked, again
            asked += 1
            if asked == again:
                again *= 2
                self.notice()

        return noticed

    def _look(self, functions: tuple[Any, ...]) -> None:
        waiting: list[tuple[str, Any]] = [
            (getattr(f, "__name__", "a function"), f) for f in functions
        ]
        seen: dict[int, Any] = {}
        objects: list[tuple[str, Any, set[str]]] = []
        while waiting or (waiting := self._attributes(objects)):
            name, value = waiting.pop()
            if isinstance(value, _PLAIN) or id(value) in seen:
                continue
            if len(seen) >= MOST:
                self.whole = False
                return
            seen[id(value)] = value
            found = self._below(name, value)
            if found is None:
                objects.append((name, value, set()))
                continue
            waiting += found
            if isinstance(value, _HOLDERS) and getattr(value, "__dict__", None):
                objects.append((name, value, set()))
        self.whole = self.whole and not self._words & LOOKUPS

    def _below(self, name: str, value: Any) -> list[tuple[str, Any]] | None:
        """What a value reaches; None for an object, which reaches what attributes are read."""
        match value:
            case FunctionType():
                return self._function(value)
            case MethodType():
                return [(name, value.__func__), (name, value.__self__)]
            case functools.partial():
                held = (*value.args, *value.keywords.values())
                return [(name, value.func), *((name, part) for part in held)]
            case BuiltinFunctionType():
                of = value.__self__
                return [(name, sys.modules.get(value.__module__ or "") if of is None else of)]
            case Definition():
                return [(name, value.function)]
            case np.ndarray():
                if value.flags.writeable or value.base is not None:
                    is_known = value.dtype.kind in "biufc"
                    self.whole = self.whole and is_known and (self.warns or value.size <= LARGE)
                    if is_known:
                        self.arrays.append((name, value, _part(value).copy()))
                return []
            case np.random.Generator():
                self._generators.append((value, value.bit_generator.state))
                return []
            case tuple() | frozenset():
                return [(name, part) for part in value]
            case list() | dict():
                self._lengths.append((value, len(value)))
                if len(value) > LONG:
                    self.whole = False
                    return []
                pairs = list(value.items() if isinstance(value, dict) else enumerate(value))
                self._items += [(value, key, part) for key, part in pairs]
                return [(f"{name}[{key!r}]", part) for key, part in pairs]
            case np.generic() | np.ufunc() | np.dtype():
                return []
            case _:
                return None

    def _function(self, function: FunctionType) -> list[tuple[str, Any]]:
        if (room := (function.__module__ or "").partition(".")[0]) in OURS and room != "diffcurry":
            self.whole = self.whole and is_still(room)
            return []
        space = function.__globals__
        found: list[tuple[str, Any]] = []
        if room != "diffcurry":
            for code in codes_of(function.__code__):
                self._words.update(code.co_names)
                loaded, imported = read_by_name(code)
                found += [(name, sys.modules.get(name)) for name in imported]
                for name in loaded & space.keys():
                    found.append((name, space[name]))
                    if not isinstance(space[name], ModuleType):
                        self._items.append((space, name, space[name]))
        names, cells = function.__code__.co_freevars, function.__closure__ or ()
        for name, cell in zip(names, cells, strict=True):
            try:
                found.append((name, cell.cell_contents))
            except ValueError:
                continue  # it is given a value later
            self._cells.append((cell, cell.cell_contents))
        defaults = function.__defaults__ or ()
        found += [("a default", value) for value in defaults]
        if function.__kwdefaults__:
            found.append(("a default", function.__kwdefaults__))
        return found

    def _attributes(self, objects: list[tuple[str, Any, set[str]]]) -> list[tuple[str, Any]]:
        """The attributes of objects, classes and modules whose names are read, and new since."""
        found: list[tuple[str, Any]] = []
        for name, thing, asked in objects:
            words, is_new = self._words - asked, not asked
            asked.update(words, ("__call__",))
            if isinstance(thing, FunctionType):
                self._read(name, thing.__dict__, words, found)
                continue
            kind = thing if isinstance(thing, type) else type(thing)
            home = thing.__name__ if isinstance(thing, ModuleType) else kind.__module__
            if home.partition(".")[0] in OURS and not is_namespace(thing):
                self.whole = self.whole and is_fixed(thing)
                continue
            held = getattr(thing, "__dict__", None)
            if not isinstance(held, dict | MappingProxyType):
                held = {}
                self.whole = self.whole and hasattr(thing, "__slots__")  # of C: who knows of what
            self._read(name, held, words, found)
            if not isinstance(thing, ModuleType):
                self._of_class(name, thing, held, words, found, is_new=is_new)
        return found

    def _read(self, name: str, held: Any, words: set[str], found: list[tuple[str, Any]]) -> None:
        """Remember what ``held`` has of these names."""
        for word in words & held.keys():
            self._items.append((held, word, held[word]))
            found.append((f"{name}.{word}", held[word]))

    def _of_class(
        self,
        name: str,
        thing: Any,
        held: Any,
        words: set[str],
        found: list[tuple[str, Any]],
        *,
        is_new: bool,
    ) -> None:
        """What the classes of a thing have of these names, and what operators call."""
        before = [held]
        for kind in (thing if isinstance(thing, type) else type(thing)).__mro__:
            if kind.__module__.partition(".")[0] in OURS:
                self.whole = self.whole and kind.__module__ in STILL
                continue
            special = {word for word in vars(kind) if word[:2] == "__" == word[-2:]} - {
                "__repr__",
                "__str__",
            }
            if not isinstance(thing, type):
                special -= {"__init__", "__new__", "__post_init__"}  # it has been made
            for word in (words | special if is_new else words) & vars(kind).keys():
                value = vars(kind)[word]
                if word in words:
                    self._items.append((vars(kind), word, value))
                    self._absent += [(held, word) for held in before if word not in held]
                match value:
                    case property():
                        found += [(name, value.fget)]
                    case classmethod() | staticmethod():
                        found += [(name, value.__func__)]
                    case FunctionType() | Definition():
                        found += [(name, value)]
                    case MemberDescriptorType() if word in words and hasattr(thing, word):
                        self._items.append((Slots(thing), word, getattr(thing, word)))
                        found += [(f"{name}.{word}", getattr(thing, word))]
                    case _ if word in words and hasattr(type(value), "__get__"):
                        self.whole = False  # who knows what it reads
                    case _ if word in words:
                        found += [(f"{name}.{word}", value)]
            before.append(vars(kind))


def _same_item(item: tuple[Any, Any, Any]) -> bool:
    holder, key, value = item
    try:
        return holder[key] is value
    except LookupError:
        return False


def _same_cell(pair: tuple[CellType, Any]) -> bool:
    cell, value = pair
    try:
        return cell.cell_contents is value
    except ValueError:  # it is empty now
        return False


def _equal(array: np.ndarray[Any, Any], before: np.ndarray[Any, Any]) -> bool:
    return np.array_equal(_part(array), before, equal_nan=array.dtype.kind in "fc")


def _part(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What is compared of an array: all of it, or the elements at equal steps of a large one."""
    return array if array.size <= LARGE else array.reshape(-1)[:: array.size // LARGE + 1]


ACTIVE: ContextVar[Readings | None] = ContextVar("readings", default=None)
"""The readings under which a function is being traced."""


@contextmanager
def traced_under(readings: Readings) -> Iterator[None]:
    """Trace what reads ``readings``; a warning says that random numbers were drawn."""
    token, before = ACTIVE.set(readings), _states()
    try:
        yield
    finally:
        ACTIVE.reset(token)
    readings.settle()
    if _states() != before:
        readings.whole = False
        _warn_random()


def _states() -> tuple[Any, ...]:
    words: Any = np.random.get_state()  # noqa: NPY002 (the global state is what is looked at)
    return random.getstate(), words[1].tobytes(), *words[2:]


def _warn_random() -> None:
    _warn(
        "random numbers were drawn while a function was traced: they are constants of its program, "
        "the same at every call. Draw them outside, and pass them as arguments"
    )


def _warn(message: str) -> None:
    place = users_place()
    warnings.warn_explicit(message, UserWarning, place.file, place.line)
