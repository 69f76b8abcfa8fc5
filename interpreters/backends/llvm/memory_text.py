"""Arrays in memory, read and written: addresses, loads and stores of numbers and of lanes.

An address is a pointer that each scope moves by what it knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from interpreters.backends.llvm.blocks import Access
from interpreters.backends.llvm.fusion import Task
from interpreters.backends.llvm.graph import Node
from interpreters.backends.llvm.indices import Position, Storage, Strided
from interpreters.backends.llvm.places import Memory
from interpreters.backends.llvm.scopes import (
    IN_MEMORY,
    WIDTHS,
    NativeModule,
    NativeText,
    TextScope,
    Value,
)

NAMES = {"param": "%p", "result": "%o", "constant": "@constant"}


class StoreLine(str):
    """A line that writes to a work array, which goes where nothing reads that."""

    __slots__ = ("storage",)
    storage: Storage


class MemoryText(NativeText):
    """Writes loads and stores."""

    def __init__(self, module: NativeModule, memory: Memory) -> None:
        """Of arrays that have their places."""
        super().__init__(module)
        self.memory = memory
        self.pointers: dict[Storage, tuple[str, int]] = {}
        """Where each storage begins, and the scope that knows it."""
        self.read: set[Storage] = set()
        """The storages that something reads."""
        self.accesses: list[Access] = []
        """Every access of a task of the outermost block, in order."""
        self.task_now: Task | None = None
        self.gathers = False
        """Whether an address is that of an element which is still to be chosen."""
        self.floor = 0
        """No load is written further out: what it reads is written by a task before."""
        self._doubts: dict[bool, str] = {}
        """The cells that hold whether a nan was seen in a result in doubt, in numbers and lanes."""

    # ---- addresses

    def begin(self, storage: Storage) -> tuple[str, int]:
        """The pointer to a storage."""
        if storage not in self.pointers:
            name, number = NAMES[storage.kind], storage.number
            if storage.kind == "constant":
                number = self._constant(self.memory.constants[number])
            self.pointers[storage] = f"{name}{number}", 0
        return self.pointers[storage]

    def _constant(self, node: Node) -> int:
        """The number of a literal array, in the module."""
        known = self.module.constants
        found = next((i for i, other in enumerate(known) if other.par == node.par), len(known))
        if found == len(known):
            known.append(node)
        return found

    def address(
        self, place: Strided, index: Sequence[Position], *, written: bool = False
    ) -> tuple[str, int, int]:
        """A pointer to an element, the stride of the lanes, and the scope that knows it.

        ``written`` says that it is for nothing but a store.
        """
        if not written:
            self.read.add(place.storage)
        where = place.place(index)
        self._note(place, where)
        pointer, depth = self.begin(place.storage)
        kind, lanes = IN_MEMORY[place.dtype], 0
        terms = sorted((self.variables[v].depth, v, c) for v, c in where.terms)
        for known, variable, factor in terms:
            depth = max(depth, known)
            lanes += factor if variable == self.across else 0
            pointer = self._moved(pointer, kind, variable, factor, self.scopes[depth])
        if where.constant:
            pointer = self._offset(pointer, kind, where.constant, self.scopes[depth])
        return pointer, lanes, depth

    def _note(self, place: Strided, where: Position) -> None:
        if self.task_now is not None:
            is_exact = self.task_now.kind in ("nest", "put") and not self.gathers
            width = WIDTHS[place.dtype]
            self.accesses.append(Access(self.task_now, place.storage, where, width, is_exact))

    def _moved(self, pointer: str, kind: str, variable: int, factor: int, scope: TextScope) -> str:
        text = self.variables[variable].text
        if text.lstrip("-").isdigit():
            return self._offset(pointer, kind, int(text) * factor, scope)
        key = (pointer, kind, text, factor)
        if key not in scope.known:
            steps = text if factor == 1 else self.op(f"mul nsw i64 {text}, {factor}", scope)
            scope.known[key] = self.op(f"getelementptr {kind}, ptr {pointer}, i64 {steps}", scope)
        found: str = scope.known[key]
        return found

    def _offset(self, pointer: str, kind: str, steps: int, scope: TextScope) -> str:
        if not steps:
            return pointer
        key = (pointer, kind, steps)
        if key not in scope.known:
            scope.known[key] = self.op(f"getelementptr {kind}, ptr {pointer}, i64 {steps}", scope)
        found: str = scope.known[key]
        return found

    # ---- memory

    def load(self, place: Strided, index: Sequence[Position]) -> Value:
        """An element; a vector of them, where the lanes differ."""
        pointer, lanes, depth = self.address(place, index)
        if place.storage.kind not in ("param", "constant"):
            depth = max(depth, self.floor)
        scope, kind = self.scopes[depth], IN_MEMORY[place.dtype]
        if not lanes:
            found = self.op(f"load {kind}, ptr {pointer}", scope)
        elif lanes == 1:
            found = self._load_lanes(pointer, place.dtype, scope)
        else:
            found = "poison"
            vector = self.type_of(place.dtype, vector=True, memory=True)
            for lane in range(self.active or self.lanes):
                at = self._offset(pointer, kind, lane * lanes, scope)
                one = self.op(f"load {kind}, ptr {at}", scope)
                found = self.op(f"insertelement {vector} {found}, {kind} {one}, i64 {lane}", scope)
        return Value(self._truth(found, place.dtype, bool(lanes), scope), bool(lanes), depth)

    def _truth(self, text: str, dtype: str, is_vector: bool, scope: TextScope) -> str:
        if dtype != "bool":
            return text
        kinds = [self.type_of(dtype, vector=is_vector, memory=memory) for memory in (True, False)]
        return self.op(f"trunc {kinds[0]} {text} to {kinds[1]}", scope)

    def _load_lanes(self, pointer: str, dtype: str, scope: TextScope) -> str:
        kind = self.type_of(dtype, vector=True, memory=True)
        align = WIDTHS[dtype]
        if self.active is None:
            return self.op(f"load {kind}, ptr {pointer}, align {align}", scope)
        name = f"llvm.masked.load.{self._suffix(dtype)}.p0"
        mask = f"<{self.lanes} x i1>"
        function = self.module.declare(name, f"{kind} @{name}(ptr, i32, {mask}, {kind})")
        given = f"ptr {pointer}, i32 {align}, {self.mask}, {kind} zeroinitializer"
        return self.op(f"call {kind} {function}({given})", scope)

    def _suffix(self, dtype: str) -> str:
        letters = {"double": "f64", "float": "f32"}
        kind = IN_MEMORY[dtype]
        return f"v{self.lanes}{letters.get(kind, kind)}"

    @property
    def mask(self) -> str:
        """The lanes that count."""
        active = self.lanes if self.active is None else self.active
        bits = ", ".join(f"i1 {int(lane < active)}" for lane in range(self.lanes))
        return f"<{self.lanes} x i1> <{bits}>"

    def store(self, place: Strided, index: Sequence[Position], value: Value) -> None:
        """Put an element, or a vector of them, into memory."""
        pointer, lanes, _ = self.address(place, index, written=True)
        dtype, scope = place.dtype, self.here
        kind = IN_MEMORY[dtype]
        text = self.splat(value, dtype, scope) if lanes else value.text
        if place.storage.kind == "result" and place.storage.number in self.module.watched:
            self.doubt(text, dtype, is_vector=bool(lanes))
        text = self._byte(text, dtype, bool(lanes))
        if not lanes:
            self._write(place, f"store {kind} {text}, ptr {pointer}")
            return
        vector = self.type_of(dtype, vector=True, memory=True)
        if lanes == 1 and self.active is None:
            self._write(place, f"store {vector} {text}, ptr {pointer}, align {WIDTHS[dtype]}")
        elif lanes == 1:
            name = f"llvm.masked.store.{self._suffix(dtype)}.p0"
            signature = f"void @{name}({vector}, ptr, i32, <{self.lanes} x i1>)"
            function = self.module.declare(name, signature)
            given = f"{vector} {text}, ptr {pointer}, i32 {WIDTHS[dtype]}, {self.mask}"
            self._write(place, f"call void {function}({given})")
        else:
            for lane in range(self.active or self.lanes):
                at = self._offset(pointer, kind, lane * lanes, scope)
                one = self.op(f"extractelement {vector} {text}, i64 {lane}")
                self._write(place, f"store {kind} {one}, ptr {at}")

    def _write(self, place: Strided, text: str) -> None:
        line = StoreLine(text)
        line.storage = place.storage
        self.do(line)

    def kept(self, lines: Sequence[str]) -> list[str]:
        """The lines without those that write what nothing reads."""
        return [
            line
            for line in lines
            if not isinstance(line, StoreLine)
            or line.storage.kind != "work"
            or line.storage in self.read
        ]

    def doubt(self, text: str, dtype: str, *, is_vector: bool) -> None:
        """Note whether a number of a result in doubt is nan, or one of a vector's that count."""
        if dtype[0] != "f":
            return
        kind, bits = (self.type_of(t, vector=is_vector) for t in (dtype, "bool"))
        nan = self.op(f"fcmp uno {kind} {text}, {text}")
        if is_vector and self.active is not None:
            nan = self.op(f"and {bits} {nan}, {self.mask.partition('> ')[2]}")
        if is_vector not in self._doubts:
            cell = self._doubts[is_vector] = self.cell(bits)
            none = "zeroinitializer" if is_vector else "false"
            self.allocated.append(f"store {bits} {none}, ptr {cell}")
        cell = self._doubts[is_vector]
        before = self.op(f"load {bits}, ptr {cell}")
        self.do(f"store {bits} {self.op(f'or {bits} {before}, {nan}')}, ptr {cell}")

    @cached_property
    def given_up(self) -> str:
        """The cell that holds whether a check may fail."""
        cell = self.cell("i1")
        self.allocated.append(f"store i1 false, ptr {cell}")
        return cell

    @property
    def has_checks(self) -> bool:
        """Whether a check was written."""
        return "given_up" in vars(self)

    def doubted(self) -> str:
        """Whether any was, or a check may fail."""
        found = "false"
        if self.has_checks:
            found = self.op(f"load i1, ptr {self.given_up}")
        for is_vector, cell in self._doubts.items():
            bits = self.type_of("bool", vector=is_vector)
            seen = self.op(f"load {bits}, ptr {cell}")
            if is_vector:
                name = f"llvm.vector.reduce.or.v{self.lanes}i1"
                function = self.module.declare(name, f"i1 @{name}({bits})")
                seen = self.op(f"call i1 {function}({bits} {seen})")
            found = self.op(f"or i1 {found}, {seen}")
        return found

    def _byte(self, text: str, dtype: str, is_vector: bool) -> str:
        if dtype != "bool":
            return text
        kinds = [self.type_of(dtype, vector=is_vector, memory=memory) for memory in (False, True)]
        return self.op(f"zext {kinds[0]} {text} to {kinds[1]}")
