"""The module that is being written: its names, arrays, functions, and the helpers they need."""

from __future__ import annotations

import builtins
import functools
import keyword
import marshal
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from combinators.errors import TooDeep
from combinators.kit.text import Names
from combinators.literal import Literal
from combinators.objects import Object
from interpreters.backends.text.layout import (
    INDENT,
    Bracketed,
    Statement,
    Text,
    call,
    definition,
    laid,
    without_unused,
)

LONGEST = 20

RESERVED = frozenset(
    (*dir(builtins), *keyword.kwlist, *keyword.softkwlist, "np", "math", "l", "O", "I")
)
"""Keywords, builtins, the modules, and letters that look like digits."""


@functools.lru_cache(maxsize=1 << 12)
def identifier(name: str) -> str:
    """``name`` as a local variable: short, ASCII, and without an underscore in front.

    >>> identifier("x"), identifier("__import__"), identifier("os; exit()"), identifier("λ")
    ('x', 'import__', 'os__exit__', 'v')
    """
    letters = re.sub(r"[^0-9A-Za-z_]", "_", name).lstrip("_0123456789")[:LONGEST]
    return letters if letters.strip("_") else "v"


Array = np.ndarray[Any, Any]

FEW = 8
"""How many numbers an array has that is written as a list."""
CHUNK = 64


def is_plain(literal: float | None) -> bool:
    """A factor that is known, finite and not zero: it absorbs nothing, and is not absorbed."""
    return literal is not None and math.isfinite(literal) and literal != 0


def is_uniform(array: Array) -> bool:
    """Whether all elements are one number, with one sign."""
    if not any(array.strides):
        return True
    first = array.flat[0]
    return bool((array == first).all()) and bool(np.all(np.signbit(array) == np.signbit(first)))


def as_range(array: Array) -> range | None:
    """A vector of integers that grow by one step, as Python's range; None of others.

    >>> as_range(np.arange(10, 0, -3)), as_range(np.arange(1.0))
    (range(10, -2, -3), None)
    """
    if array.dtype != np.int64 or array.ndim != 1 or not array.size:
        return None
    first = int(array[0])
    step = int(array[1]) - first if array.size > 1 else 1
    found = range(first, first + step * array.size, step or 1)
    return found if len(found) == array.size and np.array_equal(found, array) else None


def nested(array: Array, write: Callable[[Any], str]) -> str:
    """The numbers of an array, in lists as deep as its shape."""
    if not array.ndim:
        return write(array.item())
    return f"[{', '.join([nested(row, write) for row in array])}]"


def diagonal(array: Array) -> str | None:
    """A matrix of zeros with one number down a diagonal, as NumPy writes it; None of others.

    >>> diagonal(2.0 * np.eye(3, 4, -1))
    '2.0 * np.eye(3, 4, -1)'
    """
    if array.ndim != 2 or array.dtype.name not in ("float64", "int64"):
        return None
    rows, columns = np.nonzero(array)
    if not rows.size:
        return None
    (height, width), offset = array.shape, int(columns[0] - rows[0])
    number = array[rows[0], columns[0]].item()
    if not math.isfinite(number):
        return None
    same = number * np.eye(height, width, offset, dtype=array.dtype)
    if same.tobytes() != array.tobytes():
        return None
    shape = [height] if height == width and not offset else [height, width]
    arguments = [str(n) for n in (*shape, offset) if n]
    if array.dtype == np.int64:
        arguments.append('dtype="int64"')
    factor = "" if number == 1 else f"{number!r} * "
    return f"{factor}np.eye({', '.join(arguments)})"


def stepped(array: Array) -> Text | None:
    """A table of integers that grow by one step along each axis, as NumPy makes it; else None.

    >>> from interpreters.backends.text.layout import flat
    >>> flat(stepped(np.arange(10, 40, 3)))
    'np.arange(10, 40, 3)'
    >>> flat(stepped(np.array([5, 6, 7, 25, 26, 27, 45, 46, 47])))
    'np.add.outer(np.arange(5, 65, 20), np.arange(3)).ravel()'
    """
    if array.dtype != np.int64 or array.size < 2 or abs(array).max() > 2**53:
        return None
    shape = [n for n in array.shape if n > 1]
    table = array.reshape(shape)
    start = int(table.flat[0])
    steps = [int(table.take(1, axis).flat[0]) - start for axis in range(len(shape))]
    ranges = [np.arange(n) * step for n, step in zip(shape, steps, strict=True)]
    if not np.array_equal(functools.reduce(np.add.outer, ranges) + start, table):
        return _periodic(array)
    texts: list[Text] = []
    for n, step in zip(shape, steps, strict=True):
        ends = [start, start + n * step, step] if step else [n, start]
        if step == 1:
            ends = ends[:2] if start else ends[1:2]
        texts.append(call("np.arange" if step else "np.full", *map(str, ends)))
        start = 0
    whole = functools.reduce(lambda x, y: call("np.add.outer", x, y), texts)
    return whole if array.ndim == len(shape) else _then(whole, f".reshape({array.shape})")


def _periodic(array: Array) -> Text | None:
    """A vector that is ``stepped`` once it is cut into rows."""
    changes = np.flatnonzero(np.diff(array, 2)) if array.ndim == 1 else np.array([])
    width = int(changes[0]) + 2 if len(changes) else array.size
    if width == array.size or array.size % width or len(changes) * width > 2 * array.size:
        return None
    rows = stepped(array.reshape(-1, width))
    return None if rows is None else _then(rows, ".ravel()")


def _then(text: Text, method: str) -> Text:
    assert isinstance(text, Bracketed)
    return Bracketed(text.open, text.items, text.close + method)


def from_bytes(
    name: str, function: str, array: Array, dtype: Callable[[np.dtype[Any]], str]
) -> str:
    """The lines that give a name to an array, as ``function`` of its bytes.

    Integers are kept in as few bytes as they need.
    """
    narrow = array.dtype
    if array.dtype.kind in "iu":
        least, most = (np.min_scalar_type(n) for n in (array.min(), array.max()))
        both = np.promote_types(least, most)
        narrow = both if both.itemsize < narrow.itemsize else narrow
    little = array.astype(narrow.newbyteorder("<"))
    data = np.ascontiguousarray(little).tobytes().hex()
    chunks = [f'"{data[i : i + CHUNK]}"' for i in range(0, len(data), CHUNK)]
    if len(chunks) == 1:
        text = call(function, call("bytes.fromhex", *chunks), dtype(narrow))
        lines = laid(f"{name} = ", text, "", 0)
    else:
        lines = [f"{name} = {function}(", f"{INDENT}bytes.fromhex("]
        lines += [f"{INDENT * 2}{chunk}" for chunk in chunks]
        lines += [f"{INDENT}),", f"{INDENT}{dtype(narrow)},", ")"]
    if narrow != array.dtype:
        lines.append(f"{name} = {name}.astype({dtype(array.dtype).removeprefix('dtype=')})")
    if array.ndim != 1:
        lines.append(f"{name} = {name}.reshape({array.shape})")
    return "\n".join(lines)


SUM_OF_TWO = """\
def _plus(x, y, made=None):
    if x is None or y is None:
        return y if x is None else x
    if not isinstance(x, tuple):
        return x + y
    made = {} if made is None else made
    key = id(x), id(y)
    if key not in made:
        made[key] = tuple(_plus(a, b, made) for a, b in zip(x, y))
    return made[key]
"""
"""The sum of two cotangents of any type."""


def by_name(*sources: str) -> dict[str, str]:
    """The text of each function of these sources, by its name."""
    functions = "\n\n\n".join(sources).split("\n\n\n")
    texts = [function.strip() for function in functions]
    return {text.split("(")[0].removeprefix("def "): text for text in texts}


def needed(helpers: Mapping[str, str], text: str) -> list[str]:
    """The texts of the helpers that ``text`` names, and of those that they name."""
    found: set[str] = set()
    todo = [text]
    while todo:
        for name in re.findall(r"\b_\w+\b", todo.pop()):
            if name in helpers and name not in found:
                found.add(name)
                todo.append(helpers[name])
    return [helpers[name] for name in helpers if name in found]


BETWEEN = "\n\n\n"


class Module(ABC):
    """Functions and constants under names of their own, all but the entry's with an underscore."""

    helpers: ClassVar[Mapping[str, str]]
    """Functions that it may carry along."""
    imports: ClassVar[Mapping[str, str]]
    """What each module is imported by, if it is named."""
    apart: ClassVar[frozenset[str]] = frozenset()
    """The modules that nothing but helpers names."""
    of_bytes: ClassVar[str]
    """What makes an array of bytes."""

    def __init__(self, name: str) -> None:
        """``name`` is the entry's, unless it is reserved."""
        self.name = Names({*RESERVED, *self.imports}).fresh(self.called(name))
        self._names = Names({self.name, *self.helpers})
        self._functions: list[str] = []
        self._names_of: dict[Literal | Object, str] = {}
        self._constants: dict[str, str] = {}

    def local_names(self) -> Names:
        """Names of variables; none hides a keyword, a builtin, a module or the entry."""
        return Names({*RESERVED, *self.imports, self.name} - self.apart)

    def called(self, wish: str) -> str:
        """The name of a function."""
        return identifier(wish)

    @abstractmethod
    def array_text(self, array: Array) -> Text | None:
        """An array that can be said in a few words; None of others."""

    @abstractmethod
    def dtype(self, dtype: np.dtype[Any]) -> str:
        """An element type, as an argument."""

    def array(self, name: str, array: Array) -> str:
        """The lines that give a name to an array."""
        text = self.array_text(array)
        if text is not None:
            return "\n".join(laid(f"{name} = ", text, "", 0))
        return from_bytes(name, self.of_bytes, array, self.dtype)

    def fresh(self, wish: str) -> str:
        """A name in the module, which no local variable has."""
        return self._names.fresh(f"_{self.called(wish)}")

    def define(
        self,
        name: str,
        params: tuple[str, ...],
        body: list[Statement],
        doc: str = "",
        decorator: str = "",
    ) -> None:
        """Add a function."""
        self._functions.append(definition(name, params, without_unused(body), doc, decorator))

    def constant(self, literal: Literal) -> str:
        """The name of an array."""
        if literal not in self._names_of:
            name = self._names_of[literal] = self._names.fresh(f"_ARRAY{len(self._names_of) + 1}")
            self._constants[name] = self.array(name, literal.array)
        return self._names_of[literal]

    def zero(self, obj: Object, text: Text) -> str:
        """The name of the zero of a type, which ``text`` says."""
        if obj not in self._names_of:
            name = self._names_of[obj] = self._names.fresh(f"_ZERO{len(self._names_of) + 1}")
            self._constants[name] = "\n".join(laid(f"{name} = ", text, "", 0))
        return self._names_of[obj]

    def source(self, *head: str) -> str:
        """What has been written so far, below ``head`` and what that needs."""
        functions = BETWEEN.join(self._functions)
        constants = "\n".join(needed(self._constants, functions)) if self._constants else ""
        parts = constants, BETWEEN.join(needed(self.helpers, functions))
        text = BETWEEN.join(filter(None, (*parts, functions)))
        known = [
            line
            for name, line in self.imports.items()
            if f"{name}." in text and re.search(rf"\b{name}\.", text)
        ]
        top = "\n\n".join(filter(None, ("\n".join(known).strip(), *head, parts[0])))
        return BETWEEN.join(filter(None, (top, parts[1], functions))) + "\n"


@functools.lru_cache(maxsize=1 << 8)
def _marshalled(text: str, name: str) -> bytes:
    return marshal.dumps(compile(text, f"<{name}>", "exec"))


def executed(text: str, name: str, space: dict[str, Any], *, often: bool = False) -> None:
    """Run the definitions that a program of ours consists of; ``often`` met, it is compiled once.

    Raises TooDeep where its containers are nested deeper than Python reads, which is 200.
    """
    try:
        # Code that two functions shared would learn from one what does not hold of the other.
        known = marshal.loads(_marshalled(text, name)) if often else None  # noqa: S302 (our own)
        exec(known or compile(text, f"<{name}>", "exec"), space)  # noqa: S102 (our own text)
    except (MemoryError, RecursionError, SyntaxError) as error:
        if isinstance(error, SyntaxError) and "nested" not in str(error):
            raise
        raise TooDeep(
            f"{name} holds containers nested deeper than the 200 levels that Python reads; keep "
            "what is nested in a flat list, or fold over it"
        ) from None
