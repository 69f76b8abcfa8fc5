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

import argparse
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
    CodeType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import users_place
from combinators.tracing.definition import Definition
from diffcurry.border import Guard

MOST, LONG, LARGE = 256, 64, 1 << 20
"""How many things are looked at, items of a container, and elements of an array."""

_HOLDERS = (FunctionType, list, dict, tuple, np.ndarray)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), slice, range)
_NAMESPACES = (SimpleNamespace, argparse.Namespace)
"""Things of Python's own that hold what the user puts there."""
_SHOWING = frozenset({"__repr__", "__str__"})

OURSELVES = frozenset({"combinators", "diffcurry", "interpreters", "laws"})
OURS = OURSELVES | {*sys.stdlib_module_names, "numpy", "scipy", "jax"}
"""Packages whose functions read nothing that changes."""

STILL = frozenset(
    {"abc", "builtins", "cmath", "collections", "copy", "dataclasses", "enum", "functools"}
    | {"inspect", "itertools", "logging", "math", "numbers", "operator", "types", "typing"}
    | {"warnings"}
)
"""Modules of Python's library that give the same whenever they are asked."""

LOOKUPS = frozenset(
    {"__dict__", "__import__", "attrgetter", "eval", "exec", "getattr", "globals", "import_module"}
    | {"input", "locals", "methodcaller", "open", "vars"}
)
"""Names by which a function reads what its code does not name."""


class Changed(LookupError):
    """Something that was read is something else now."""


class Reading(NamedTuple):
    """That ``key`` of ``holder`` is ``value``, in one of the forms below."""

    form: str
    holder: Any
    key: Any
    value: Any


_FORMS: dict[str, tuple[str, Callable[[Any, Any, Any], bool]]] = {
    "item": ("{0}[{1}] is not {2}", lambda holder, key, value: holder[key] is value),
    "cell": ("{0}.cell_contents is not {2}", lambda cell, _, value: cell.cell_contents is value),
    "length": ("len({0}) != {2}", lambda holder, _, length: len(holder) == length),
    "absence": ("{1} in {0}", lambda holder, key, _: key not in holder),
    "slot": ("getattr({0}, {1}, None) is not {2}", lambda x, key, y: getattr(x, key, None) is y),
}
"""How a compiled guard tests that something has changed, and how one sees that it is the same."""


def _is_same(reading: Reading) -> bool:
    form, *rest = reading
    try:
        return _FORMS[form][1](*rest)
    except (LookupError, ValueError):  # it is gone, or a cell is empty now
        return False


class Readings:
    """What Python functions read, as it is now."""

    def __init__(self, *functions: Any, warns: bool = True) -> None:
        self.warns = warns
        """Whether arrays stay what they were when they were traced, and those that are changed in
        place are warned of; elsewhere whoever asks looks whether they are the same."""
        self.whole = True
        """Whether everything that they can read was looked at."""
        self._found: list[Reading] = []
        self.arrays: list[tuple[str, np.ndarray[Any, Any], tuple[Any, ...]]] = []
        self._generators: list[tuple[np.random.Generator, Any]] = []
        self._words: set[str] = set()
        self._waiting: list[tuple[str, Any]] = []
        for function in functions:
            self._reach(getattr(function, "__name__", "a function"), function)
        self._look()

    def changed(self) -> bool:
        """Whether anything else stands where something was read."""
        return not all(map(_is_same, self._found))

    def in_place(self) -> list[str]:
        """The names of arrays that hold other numbers than they did."""
        return [name for name, array, before in self.arrays if _held(array) != before]

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
        self._insist(all(one.form == "length" or _is_same(one) for one in self._found))
        self._found[:] = filter(_is_same, self._found)
        if any(g.bit_generator.state != state for g, state in self._generators):
            self.whole = False
            _warn_random()

    def guard(self) -> Guard | None:
        """What raises ``Changed`` once something differs, before a compiled function is called."""
        if not self._found and not self.arrays:
            return None
        names: dict[str, Any] = {"Changed": Changed, "noticed": self._noticed()}
        tests = []
        for number, (form, *rest) in enumerate(self._found):
            words = [f"{word}{number}_" for word in ("holder", "key", "value")]
            names |= dict(zip(words, rest, strict=True))
            tests.append(_FORMS[form][0].format(*words))
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

    def _reach(self, name: str, *values: Any) -> None:
        self._waiting += [(name, value) for value in values]

    def _read(self, form: str, holder: Any, key: Any, value: Any) -> None:
        self._found.append(Reading(form, holder, key, value))

    def _insist(self, is_looked_at: bool) -> None:
        self.whole = self.whole and is_looked_at

    def _look(self) -> None:
        """Look through all that is reached."""
        seen: dict[int, Any] = {}
        objects: list[tuple[str, Any, set[str]]] = []
        while self._waiting or self._reaches_attributes(objects):
            name, value = self._waiting.pop()
            if isinstance(value, _PLAIN) or id(value) in seen:
                continue
            if len(seen) >= MOST:
                self.whole = False
                return
            seen[id(value)] = value
            has_more = isinstance(value, _HOLDERS) and getattr(value, "__dict__", None)
            if not self._opens(name, value) or has_more:
                objects.append((name, value, set()))
        self._insist(not self._words & LOOKUPS)

    def _opens(self, name: str, value: Any) -> bool:
        """Reach what a value holds; not of an object, of which attributes are read."""
        match value:
            case FunctionType():
                self._function(value)
            case MethodType():
                self._reach(name, value.__func__, value.__self__)
            case functools.partial():
                self._reach(name, value.func, *value.args, *value.keywords.values())
            case BuiltinFunctionType():
                of = value.__self__
                self._reach(name, sys.modules.get(value.__module__ or "") if of is None else of)
            case Definition():
                self._reach(name, value.function)
            case np.ndarray():
                if value.flags.writeable or value.base is not None:
                    is_known = value.dtype.kind in "biufc"
                    self._insist(is_known and (self.warns or value.size <= LARGE))
                    if is_known:
                        self.arrays.append((name, value, _held(value)))
            case np.random.Generator():
                self._generators.append((value, value.bit_generator.state))
            case tuple() | frozenset():
                self._reach(name, *value)
            case list() | dict():
                self._read("length", value, None, len(value))
                self._insist(len(value) <= LONG)
                if len(value) <= LONG:
                    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
                        self._read("item", value, key, part)
                        self._reach(f"{name}[{key!r}]", part)
            case np.generic() | np.ufunc() | np.dtype():
                pass
            case _:
                return False
        return True

    def _function(self, function: FunctionType) -> None:
        if (room := _room(function.__module__ or "")) in OURS and room != "diffcurry":
            self._insist(is_still(room))
            return
        for word in () if self.warns else ("__code__", "__defaults__"):
            self._read("slot", function, word, getattr(function, word))  # it may be given again
        space = function.__globals__
        for code in codes_of(function.__code__) if room != "diffcurry" else ():
            self._words.update(code.co_names)
            loaded, imported = read_by_name(code)
            self._waiting += [(name, sys.modules.get(name)) for name in imported]
            for name in loaded & space.keys():
                self._reach(name, space[name])
                if not isinstance(space[name], ModuleType):
                    self._read("item", space, name, space[name])
        names, cells = function.__code__.co_freevars, function.__closure__ or ()
        for name, cell in zip(names, cells, strict=True):
            try:
                held = cell.cell_contents
            except ValueError:
                continue  # it is given a value later
            self._reach(name, held)
            self._read("cell", cell, None, held)
        self._reach("a default", *(function.__defaults__ or ()), function.__kwdefaults__)

    def _reaches_attributes(self, objects: list[tuple[str, Any, set[str]]]) -> bool:
        """Reach attributes of objects, classes and modules whose names are read, and new since."""
        for name, thing, asked in objects:
            words, is_new = self._words - asked, not asked
            asked.update(words, ("__call__",))
            if isinstance(thing, FunctionType):
                self._attributes(name, thing.__dict__, words)
                continue
            kind = thing if isinstance(thing, type) else type(thing)
            home = thing.__name__ if isinstance(thing, ModuleType) else kind.__module__
            if _room(home) in OURS and not isinstance(thing, _NAMESPACES):
                self._insist(is_fixed(thing))
                continue
            held = getattr(thing, "__dict__", None)
            if not isinstance(held, dict | MappingProxyType):
                held = {}
                self._insist(hasattr(thing, "__slots__"))  # of C: who knows of what
            self._attributes(name, held, words)
            if not isinstance(thing, ModuleType):
                self._of_classes(name, thing, held, words, is_new=is_new)
        return bool(self._waiting)

    def _attributes(self, name: str, held: Any, words: set[str]) -> None:
        for word in words & held.keys():
            self._read("item", held, word, held[word])
            self._reach(f"{name}.{word}", held[word])

    def _of_classes(
        self, name: str, thing: Any, held: Any, words: set[str], *, is_new: bool
    ) -> None:
        """What the classes of a thing have of these names, and what operators call."""
        before = [held]
        for kind in (thing if isinstance(thing, type) else type(thing)).__mro__:
            if _room(kind.__module__) in OURS:
                self._insist(kind.__module__ in STILL)
                continue
            special = {word for word in vars(kind) if word[:2] == "__" == word[-2:]} - _SHOWING
            if not isinstance(thing, type):
                special -= {"__init__", "__new__", "__post_init__"}  # it has been made
            for word in (words | special if is_new else words) & vars(kind).keys():
                value = vars(kind)[word]
                if word in words:
                    self._read("item", vars(kind), word, value)
                    for one in before:
                        if word not in one:
                            self._read("absence", one, word, None)
                match value:
                    case property():
                        self._reach(name, value.fget)
                    case classmethod() | staticmethod():
                        self._reach(name, value.__func__)
                    case FunctionType() | Definition():
                        self._reach(name, value)
                    case MemberDescriptorType() if word in words and hasattr(thing, word):
                        self._read("slot", thing, word, getattr(thing, word))
                        self._reach(f"{name}.{word}", getattr(thing, word))
                    case _ if word in words and hasattr(type(value), "__get__"):
                        self.whole = False  # who knows what it reads
                    case _ if word in words:
                        self._reach(f"{name}.{word}", value)
            before.append(vars(kind))


def _held(array: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """What is compared of an array: all of it, or the elements at equal steps of a large one."""
    part = array if array.size <= LARGE else array.reshape(-1)[:: array.size // LARGE + 1]
    return array.shape, array.dtype, part.tobytes()


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


def _room(module: str) -> str:
    return module.partition(".")[0]


def is_still(room: str) -> bool:
    """Whether a package that is not the user's gives the same whenever it is asked."""
    return room in STILL or room not in sys.stdlib_module_names


def is_fixed(thing: Any) -> bool:
    """Whether a thing of a package that is not the user's stays as it is."""
    if isinstance(thing, ModuleType):
        return is_still(_room(thing.__name__))
    room = _room(type(thing).__module__)
    return room in OURSELVES or isinstance(thing, type | type(np.sum))


@functools.lru_cache(maxsize=1 << 10)
def read_by_name(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The globals that a code reads, for some of its names are attributes, and what it imports."""
    loads, lines = ("LOAD_GLOBAL", "LOAD_NAME"), list(dis.get_instructions(code))
    loaded = frozenset(line.argval for line in lines if line.opname in loads)
    return loaded, frozenset(line.argval for line in lines if line.opname == "IMPORT_NAME")


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and those of the functions inside it."""
    waiting = [code]
    while waiting:
        yield (one := waiting.pop())
        waiting += [const for const in one.co_consts if isinstance(const, CodeType)]
