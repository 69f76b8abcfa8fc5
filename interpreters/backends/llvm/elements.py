"""Elements of arrays: loaded where they are in memory, computed where they are not.

``elem(tanh x, i)`` is a load of ``x`` and a call, in the scope that knows ``i``, once; of vectors,
where ``i`` runs along the lanes.
"""

from __future__ import annotations

from collections.abc import Sequence

from interpreters.backends.llvm.fusion import operands
from interpreters.backends.llvm.graph import Node
from interpreters.backends.llvm.indices import Index, Position, Strided
from interpreters.backends.llvm.memory_text import MemoryText
from interpreters.backends.llvm.operations import Arithmetic, literal
from interpreters.backends.llvm.places import Memory
from interpreters.backends.llvm.scopes import IN_MEMORY, NativeModule, TextScope, Value


class ElementText(MemoryText):
    """Writes elements of the nodes of a function."""

    def __init__(self, module: NativeModule, memory: Memory) -> None:
        """Of arrays that have their places."""
        super().__init__(module, memory)
        self.numbers: dict[Node, Value] = {}
        """Numbers that a task made: of reductions, loops and choices."""
        self.made: dict[Node, Index] = {}
        """What the nest that is being written makes itself."""

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
        self.gathers = True
        pointer, lanes, depth = self.address(fixed, (*index[:axis], *index[axis + rank :]))
        self.gathers = False
        depth = max([depth, self.floor, *(arg.depth for arg in args)])
        is_vector = bool(lanes) or any(arg.is_vector for arg in args)
        scope = self.scopes[depth]
        texts = [
            self.splat(arg, node_.dtype, scope) if is_vector else arg.text
            for node_, arg in zip(indices, args, strict=True)
        ]
        offset, inside = self.chosen(home, axis, indices, texts, scope, vector=is_vector)
        text = self._gathered(pointer, lanes, offset, home.dtype, scope, is_vector)
        of = Arithmetic(self, scope, home.dtype, vector=is_vector)
        value = Value(of.select(inside, text, of.number(0)), is_vector, depth)
        self._keep((node, index), value)
        return value

    def chosen(
        self,
        home: Strided,
        axis: int,
        indices: Sequence[Node],
        texts: Sequence[str],
        scope: TextScope,
        *,
        vector: bool,
    ) -> tuple[str, str]:
        """How far on indices say that an element lies, and whether that is inside."""
        whole, offset, inside = Arithmetic(self, scope, "int64", vector=vector), "", ""
        given = zip(indices, texts, home.shape[axis:], home.strides[axis:], strict=False)
        for node, text, extent, stride in given:
            own = Arithmetic(self, scope, node.dtype, vector=vector)
            at = text if node.dtype == "int64" else own.apply("convert", [text], "int64")
            fits = self.op(f"icmp ult {whole.kind} {at}, {whole.number(extent)}", scope)
            near = whole.select(fits, at, whole.number(0))
            step = self.op(f"mul {whole.kind} {near}, {whole.number(stride)}", scope)
            offset = step if not offset else self.op(f"add {whole.kind} {offset}, {step}", scope)
            inside = fits if not inside else self.op(f"and {whole.bits} {inside}, {fits}", scope)
        return offset, inside

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
