"""LLVM's text in scopes: a value is written in the outermost scope in which all of it is known.

    for i:                    %4 = exp %w stands before the loop, for it depends on no i;
        y[i] = exp w * x[i]   what is written inside is put behind it when the loop is closed

A scope is open while what it holds is written; lines that go to one further out land before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

TYPES = {"float64": "double", "float32": "float", "int64": "i64", "int32": "i32", "bool": "i1"}
IN_MEMORY = TYPES | {"bool": "i8"}
WIDTHS = {"float64": 8, "float32": 4, "int64": 8, "int32": 4, "bool": 1}


class Value(NamedTuple):
    """A number, or a vector of as many as there are lanes."""

    text: str
    is_vector: bool
    depth: int
    """That of the scope that knows it."""


@dataclass(eq=False)
class TextScope:
    """Lines that belong together, and what is known in them."""

    depth: int
    label: str
    lines: list[str] = field(default_factory=list)
    known: dict[Any, Any] = field(default_factory=dict)
    ends: str = ""
    """Of a round, what says that it is the last; else that is seen from its number."""


class Round(NamedTuple):
    """What a variable is: text, and the scope that knows it."""

    text: str
    depth: int


@dataclass(eq=False)
class NativeModule:
    """What the functions of a program have in common."""

    lanes: int
    """Of a vector of float64."""
    careful: bool
    """Whether products that hide zeros are written with care."""
    watched: frozenset[int] = frozenset()
    """The results in which a nan may be one that a careful product would not give."""
    is_called: bool = True
    """Whether Python calls it, which may be interrupted and has BLAS."""
    declared: dict[str, str] = field(default_factory=dict)
    has_records: bool = False
    """Whether recursive data is taken or given."""
    constants: list[Any] = field(default_factory=list)
    """The nodes of literal arrays, each once."""
    zeros: int = 0
    """How many bytes of zeros there are to be, where a pointer is to no record."""
    is_read: bool = False
    """Whether C is written of it: in one lane, with functions for what C has no operator for."""
    called: dict[str, Any] = field(default_factory=dict)
    """The functions that are called by name, and are written besides."""

    def declare(self, name: str, signature: str) -> str:
        """A function from elsewhere; its name."""
        self.declared[name] = f"declare {signature}"
        return f"@{name}"


class NativeText:
    """The text of one function."""

    def __init__(self, module: NativeModule) -> None:
        self.module, self.lanes = module, module.lanes
        self.scopes = [TextScope(0, "entry")]
        self.allocated: list[str] = []
        self.variables: dict[int, Round] = {}
        self.across: int | None = None
        """The variable along which vectors lie."""
        self.active: int | None = None
        """How many lanes count, where not all do."""
        self._count = 0

    @property
    def here(self) -> TextScope:
        """The innermost scope."""
        return self.scopes[-1]

    def fresh(self, wish: str = "v") -> str:
        """A name."""
        self._count += 1
        return f"{wish}{self._count}"

    def op(self, text: str, scope: TextScope | None = None) -> str:
        """A line that gives a value; its name."""
        name = f"%{self.fresh()}"
        (scope or self.here).lines.append(f"{name} = {text}")
        return name

    def do(self, text: str, scope: TextScope | None = None) -> None:
        """A line that gives none."""
        (scope or self.here).lines.append(text)

    def cell(self, kind: str) -> str:
        """A variable of the function, which the optimiser puts into a register."""
        name = f"%{self.fresh('cell')}"
        self.allocated.append(f"{name} = alloca {kind}, align 64")
        return name

    def type_of(self, dtype: str, *, vector: bool = False, memory: bool = False) -> str:
        """The type of a number or a vector."""
        kind = (IN_MEMORY if memory else TYPES)[dtype]
        return f"<{self.lanes} x {kind}>" if vector else kind

    def splat(self, value: Value, dtype: str, scope: TextScope | None = None) -> str:
        """A value as a vector."""
        if value.is_vector:
            return value.text
        if value.text[0] != "%":
            return f"splat ({TYPES[dtype]} {value.text})"
        target = scope or self.scopes[value.depth]
        key = ("splat", value.text)
        if key not in target.known:
            kind = self.type_of(dtype, vector=True)
            first = self.op(
                f"insertelement {kind} poison, {TYPES[dtype]} {value.text}, i64 0", target
            )
            order = f"<{self.lanes} x i32> zeroinitializer"
            text = f"shufflevector {kind} {first}, {kind} poison, {order}"
            target.known[key] = self.op(text, target)
        found: str = target.known[key]
        return found

    @contextmanager
    def loop(
        self,
        variable: int,
        length: int,
        step: int = 1,
        *,
        reverse: bool = False,
        first: str | int = 0,
    ) -> Iterator[TextScope]:
        """Rounds of a variable in steps, from ``first``, which may be text; of one, the round."""
        outer, name = self.here, self.fresh()
        inner = TextScope(outer.depth + 1, f"body{name}")
        before = self.variables.get(variable)
        whole = -(-length // step) * step
        first, end = (whole - step, -step) if reverse else (first, whole)
        is_one = length <= step
        text = str(first) if is_one else f"%round{name}"
        self.variables[variable] = Round(text, inner.depth)
        self.scopes.append(inner)
        yield inner
        self.scopes.pop()
        if before is not None:
            self.variables[variable] = before
        if is_one:
            outer.lines += [f"br label %body{name}", f"body{name}:", *inner.lines]
            outer.label = inner.label
            return
        after = f"%after{name}"
        outer.lines += [
            f"br label %body{name}",
            f"body{name}:",
            f"{text} = phi i64 [{first}, %{outer.label}], [{after}, %{inner.label}]",
            *inner.lines,
            f"{after} = add nsw i64 {text}, {-step if reverse else step}",
            f"%counted{name} = icmp eq i64 {after}, {end}",
            f"br i1 {inner.ends or f'%counted{name}'}, label %end{name}, label %body{name}",
            f"end{name}:",
        ]
        outer.label = f"end{name}"

    @contextmanager
    def fixed(self, variable: int, text: str) -> Iterator[TextScope]:
        """A scope in which a variable is known."""
        outer = self.here
        inner = TextScope(outer.depth + 1, outer.label)
        before = self.variables.get(variable)
        self.variables[variable] = Round(text, inner.depth)
        self.scopes.append(inner)
        yield inner
        self.scopes.pop()
        if before is not None:
            self.variables[variable] = before
        outer.lines += inner.lines
        outer.label = inner.label

    def in_lanes(self, variable: int, extent: int, write: Callable[[], None]) -> None:
        """Whole vectors along a variable, then the lanes that are left."""
        self.across, whole = variable, extent // self.lanes * self.lanes
        if whole:
            with self.loop(variable, whole, self.lanes):
                write()
        if whole < extent:
            self.active = extent - whole
            with self.fixed(variable, str(whole)):
                write()
            self.active = None
        self.across = None

    @contextmanager
    def branch(self, label: str) -> Iterator[TextScope]:
        """A scope that is reached by a jump, whose lines are placed by who opened it."""
        inner = TextScope(self.here.depth + 1, label)
        self.scopes.append(inner)
        yield inner
        self.scopes.pop()
