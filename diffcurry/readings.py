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

import dis
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
    CodeType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from combinators.errors import users_place
from combinators.tracing.definition import Definition
from diffcurry.border import Guard

MOST, LONG, LARGE = 256, 64, 1 << 20
"""How many things are looked at, items of a container, and elements of an array."""

_OURS = frozenset(
    {*sys.stdlib_module_names, "numpy", "scipy", "jax", "combinators", "interpreters", "laws"}
    | {"diffcurry"}
)
"""Packages whose functions read nothing that changes."""

_NAMESPACES = ("SimpleNamespace", "Namespace")
"""Python's own classes whose objects hold what the user puts there."""

_PLAIN = (bool, int, float, complex, str, bytes, type(None), BuiltinFunctionType)


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
        self._absent: list[tuple[Any, str]] = []
        """Where a name that was read of a class would hide it."""
        self._cells: list[tuple[CellType, Any]] = []
        self._lengths: list[tuple[Any, int]] = []
        self.arrays: list[tuple[str, np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        self._generators: list[tuple[np.random.Generator, Any]] = []
        self._words: set[str] = set()
        self._look(functions)

    @property
    def nothing(self) -> bool:
        """Whether nothing is read that could change."""
        return not (self._items or self._cells or self.arrays or self._lengths)

    def changed(self) -> bool:
        """Whether anything else stands where something was read."""
        same = all(map(_same_item, self._items)) and all(map(_same_cell, self._cells))
        hidden = any(word in holder for holder, word in self._absent)
        return not same or hidden or any(len(held) != length for held, length in self._lengths)

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
        self._items[:] = filter(_same_item, self._items)
        self._absent[:] = [(holder, word) for holder, word in self._absent if word not in holder]
        self._cells[:] = filter(_same_cell, self._cells)
        self._lengths[:] = [pair for pair in self._lengths if len(pair[0]) == pair[1]]
        if any(g.bit_generator.state != state for g, state in self._generators):
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
        for number, (holder, word) in enumerate(self._absent):
            names[f"space{number}"] = holder
            tests.append(f"{word!r} in space{number}")
        for number, (cell, value) in enumerate(self._cells):
            names |= {f"cell{number}": cell, f"held{number}": value}
            tests.append(f"cell{number}.cell_contents is not held{number}")
        for number, (holder, length) in enumerate(self._lengths):
            names[f"list{number}"] = holder
            tests.append(f"len(list{number}) != {length}")
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
        waiting: list[tuple[str, Any]] = [(_name(f), f) for f in functions]
        seen: dict[int, Any] = {}
        objects: list[tuple[str, Any, set[str]]] = []  # each with the words it was asked for
        while waiting:
            name, value = waiting.pop()
            if not isinstance(value, _PLAIN) and id(value) not in seen:
                if len(seen) >= MOST:
                    self.whole = False
                    return
                seen[id(value)] = value
                found = self._below(name, value)
                if found is None:
                    objects.append((name, value, set()))
                else:
                    waiting += found
            if not waiting:
                waiting = [pair for known in objects for pair in self._attributes(*known)]

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
            case Definition():
                return [(name, value.function)]
            case np.ndarray():
                if value.flags.writeable and value.dtype.kind in "biufc":
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
        room = (function.__module__ or "").partition(".")[0]
        if room in _OURS and room != "diffcurry":
            return []
        space, found = function.__globals__, []
        if room != "diffcurry":
            for code in _codes(function.__code__):
                self._words.update(code.co_names)
                for name in _globals_of(code) & space.keys():
                    found.append((name, space[name]))
                    if not isinstance(space[name], ModuleType | type):
                        self._items.append((space, name, space[name]))
        names, cells = function.__code__.co_freevars, function.__closure__ or ()
        for name, cell in zip(names, cells, strict=True):
            try:
                found.append((name, cell.cell_contents))
            except ValueError:
                continue  # it is given a value later
            self._cells.append((cell, cell.cell_contents))
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        return found + [("a default", value) for value in defaults]

    def _attributes(self, name: str, thing: Any, asked: set[str]) -> list[tuple[str, Any]]:
        """The attributes of an object, a class or a module whose names are read, once each."""
        words = (self._words | {"__call__"}) - asked
        asked |= words
        kind = thing if isinstance(thing, type) else type(thing)
        home = thing.__name__ if isinstance(thing, ModuleType) else kind.__module__
        if home.partition(".")[0] in _OURS and kind.__qualname__ not in _NAMESPACES:
            self.whole = self.whole and home not in ("builtins", "collections")
            return []
        found: list[tuple[str, Any]] = []
        held = {} if isinstance(thing, type) else getattr(thing, "__dict__", None)
        if not isinstance(held, dict):
            held, self.whole = {}, False  # slots, or of C: who knows what it holds
        for word in words:
            if word in held:
                self._items.append((held, word, held[word]))
                found.append((f"{name}.{word}", held[word]))
                continue
            homes = [vars(one) for one in kind.__mro__ if word in vars(one)]
            space = homes[0] if homes else {}
            match space.get(word):
                case FunctionType() | None as method:
                    found.append((name, method))
                case classmethod() | staticmethod() as method:
                    found.append((name, method.__func__))
                case property() as read:
                    found.append((name, read.fget))
                case MemberDescriptorType() if thing is not kind and hasattr(thing, word):
                    value = getattr(thing, word)
                    self._items.append((_Slots(thing), word, value))
                    found.append((f"{name}.{word}", value))
                case value if not hasattr(type(value), "__get__"):
                    self._items.append((space, word, value))
                    self._absent.append((held, word))
                    found.append((f"{name}.{word}", value))
        return found


class _Slots:
    """An object's slots, as a mapping by name."""

    def __init__(self, thing: Any) -> None:
        self._thing = thing

    def __getitem__(self, word: str) -> Any:
        try:
            return getattr(self._thing, word)
        except AttributeError as error:
            raise KeyError(word) from error


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


@functools.lru_cache(maxsize=1 << 10)
def _globals_of(code: CodeType) -> frozenset[str]:
    """The globals that a code reads: of its names, some are attributes."""
    loads = ("LOAD_GLOBAL", "LOAD_NAME")
    return frozenset(line.argval for line in dis.get_instructions(code) if line.opname in loads)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and those of the functions inside it."""
    waiting = [code]
    while waiting:
        yield (one := waiting.pop())
        waiting += [const for const in one.co_consts if isinstance(const, CodeType)]


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", "a function"))


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
