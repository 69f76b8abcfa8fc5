"""Elements of arrays: loaded where they are in memory, computed where they are not.

``elem(tanh x, i)`` is a load of ``x`` and a call, in the scope that knows ``i``, once; of vectors,
where ``i`` runs along the lanes. An address is a pointer that each scope moves by what it knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from interpreters.backends.llvm.fusion import operands
from interpreters.backends.llvm.graph import Node
from interpreters.backends.llvm.indices import Index, Position, Storage, Strided
from interpreters.backends.llvm.operations import Arithmetic, literal
from interpreters.backends.llvm.places import Memory
from interpreters.backends.llvm.scopes import (
    IN_MEMORY,
    WIDTHS,
    NativeModule,
    NativeText,
    TextScope,
    Value,
)


class StoreLine(str):
    """A line that writes to a work array, which goes where nothing reads that."""

    __slots__ = ("storage",)
    storage: Storage


class ElementText(NativeText):
    """Writes elements of the nodes of a function."""

    def __init__(self, module: NativeModule, memory: Memory) -> None:
        """Of arrays that have their places."""
        super().__init__(module)
        self.memory = memory
        self.pointers: dict[Storage, tuple[str, int]] = {}
        """Where each storage begins, and the scope that knows it."""
        self.read: set[Storage] = set()
        """The storages that something reads."""
        self.numbers: dict[Node, Value] = {}
        """Numbers that a task made: of reductions, loops and choices."""
        self.floor = 0
        """No load is written further out: what it reads is written by a task before."""
        self.made: dict[Node, Index] = {}
        """What the nest that is being written makes itself."""
        self._doubts: dict[bool, str] = {}
        """The cells that hold whether a nan was seen in a result in doubt, in numbers and lanes."""

    # ---- addresses

    def begin(self, storage: Storage) -> tuple[str, int]:
        """The pointer to a storage."""
        if storage not in self.pointers:
            name = {"param": "%p", "result": "%o", "constant": "@constant"}[storage.kind]
            self.pointers[storage] = f"{name}{storage.number}", 0
        return self.pointers[storage]

    def address(
        self, place: Strided, index: Sequence[Position], *, written: bool = False
    ) -> tuple[str, int, int]:
        """A pointer to an element, the stride of the lanes, and the scope that knows it.

        ``written`` says that it is for nothing but a store.
        """
        if not written:
            self.read.add(place.storage)
        where = place.place(index)
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

    # ---- elements

    def elem(self, node: Node, index: Index) -> Value:
        """The element of an array at an index, or a number."""
        stack: list[tuple[Node, Index]] = [(node, index)]
        done: dict[tuple[Node, Index], Value] = {}
        while stack:
            pair = stack[-1]
            if pair in done:
                stack.pop()
                continue
            found = self._known(*pair)
            if found is None:
                below = operands(*pair)
                missing = [other for other in below if other not in done]
                if missing:
                    stack += missing
                    continue
                found = self._written(*pair, [done[other] for other in below])
            done[pair] = found
            stack.pop()
        return done[node, index]

    def _known(self, node: Node, index: Index) -> Value | None:
        """What needs no computation: what was written before, what is in memory, and literals."""
        if node in self.numbers:
            return self.numbers[node]
        if node.op == "fill":
            return Value(literal(node.par, node.dtype), False, 0)
        key = (node, index)
        for scope in reversed(self.scopes):
            if key in scope.known:
                found: Value = scope.known[key]
                return found
        if node.op == "iota":
            return self.position(index[0])
        if node.op == "param" and not node.shape:
            return Value(f"%p{node.par}", False, 0)
        if node.op == "reshape":
            home: Strided | None = self.memory.source(node)
        elif (
            not node.shape or node in self.made or (node.op == "view" and node.args[0] in self.made)
        ):
            return None
        else:
            home = self.memory.home(node)
        if home is None:
            return None
        value = self.load(home, index)
        self._keep(key, value)
        return value

    def _keep(self, key: tuple[Node, Index], value: Value) -> None:
        self.scopes[value.depth].known[key] = value

    def position(self, where: Position) -> Value:
        """A position along an axis, as an integer."""
        text, depth, is_vector = str(where.constant), 0, False
        for known, variable, factor in sorted(
            (self.variables[v].depth, v, c) for v, c in where.terms
        ):
            depth = max(depth, known)
            scope = self.scopes[depth]
            step = self.op(f"mul i64 {self.variables[variable].text}, {factor}", scope)
            text = self.op(f"add i64 {text}, {step}", scope)
            is_vector = is_vector or variable == self.across
        if is_vector:
            scope, kind = self.scopes[depth], f"<{self.lanes} x i64>"
            whole = self.splat(Value(text, False, depth), "int64")
            factor = where.factor(self.across) if self.across is not None else 0
            steps = ", ".join(f"i64 {lane * factor}" for lane in range(self.lanes))
            text = self.op(f"add {kind} {whole}, <{steps}>", scope)
        return Value(text, is_vector, depth)

    def _written(self, node: Node, index: Index, args: Sequence[Value]) -> Value:
        """What is computed of elements that are known."""
        if node.op in ("view", "copy"):
            return args[0]
        if node.op == "take":
            return self._taken(node, index, args)
        depth = max((arg.depth for arg in args), default=0)
        is_vector = any(arg.is_vector for arg in args)
        scope, kinds = self.scopes[depth], [arg.dtype for arg in node.args]
        texts = [
            self.splat(arg, kind, scope if arg.is_vector else None) if is_vector else arg.text
            for arg, kind in zip(args, kinds, strict=True)
        ]
        arithmetic = Arithmetic(self, scope, kinds[-1], vector=is_vector)
        if node.op == "where":
            text = arithmetic.select(*texts)
        else:
            text = arithmetic.apply(node.op, texts, node.dtype)
        value = Value(text, is_vector, depth)
        self._keep((node, index), value)
        return value

    def _taken(self, node: Node, index: Index, args: Sequence[Value]) -> Value:
        """An element where computed indices say; 0 where one of them is outside."""
        x, *indices = node.args
        home = self.memory.home(x)
        assert home is not None
        axis, count = node.par, len(indices)
        rank = len(node.shape) - len(x.shape) + count
        fixed = Strided(
            home.storage,
            home.offset,
            (*home.strides[:axis], *home.strides[axis + count :]),
            (*home.shape[:axis], *home.shape[axis + count :]),
            home.dtype,
        )
        pointer, lanes, depth = self.address(fixed, (*index[:axis], *index[axis + rank :]))
        depth = max([depth, self.floor, *(arg.depth for arg in args)])
        is_vector = bool(lanes) or any(arg.is_vector for arg in args)
        scope = self.scopes[depth]
        whole = Arithmetic(self, scope, "int64", vector=is_vector)
        offset, inside = "", ""
        given = zip(indices, args, home.shape[axis:], home.strides[axis:], strict=False)
        for node_, arg, extent, stride in given:
            text = self.splat(arg, node_.dtype, scope) if is_vector else arg.text
            if node_.dtype != "int64":
                own = Arithmetic(self, scope, node_.dtype, vector=is_vector)
                text = own.apply("convert", [text], "int64")
            fits = self.op(f"icmp ult {whole.kind} {text}, {whole.number(extent)}", scope)
            text = whole.select(fits, text, whole.number(0))
            step = self.op(f"mul {whole.kind} {text}, {whole.number(stride)}", scope)
            offset = step if not offset else self.op(f"add {whole.kind} {offset}, {step}", scope)
            inside = fits if not inside else self.op(f"and {whole.bits} {inside}, {fits}", scope)
        text = self._gathered(pointer, lanes, offset, home.dtype, scope, is_vector)
        of = Arithmetic(self, scope, home.dtype, vector=is_vector)
        value = Value(of.select(inside, text, of.number(0)), is_vector, depth)
        self._keep((node, index), value)
        return value

    def _gathered(
        self, pointer: str, lanes: int, offset: str, dtype: str, scope: TextScope, is_vector: bool
    ) -> str:
        """What lies at computed offsets from a pointer, lane by lane: gathers are slower."""
        kind = IN_MEMORY[dtype]
        if not is_vector:
            at = self.op(f"getelementptr {kind}, ptr {pointer}, i64 {offset}", scope)
            return self._truth(self.op(f"load {kind}, ptr {at}", scope), dtype, False, scope)
        found, vector = "poison", self.type_of(dtype, vector=True, memory=True)
        for lane in range(self.active or self.lanes):
            step = self.op(f"extractelement <{self.lanes} x i64> {offset}, i64 {lane}", scope)
            base = self._offset(pointer, kind, lane * lanes, scope)
            at = self.op(f"getelementptr {kind}, ptr {base}, i64 {step}", scope)
            one = self.op(f"load {kind}, ptr {at}", scope)
            found = self.op(f"insertelement {vector} {found}, {kind} {one}, i64 {lane}", scope)
        return self._truth(found, dtype, True, scope)
