"""Calls of functions of the module, and the records in which such keep what they give, as text."""

from __future__ import annotations

from combinators.errors import MissingRule
from interpreters.backends.llvm.effort import ASKS
from interpreters.backends.llvm.elements import ElementText
from interpreters.backends.llvm.fusion import Task
from interpreters.backends.llvm.graph import Node
from interpreters.backends.llvm.growing import ROOM, STOPS
from interpreters.backends.llvm.indices import Storage
from interpreters.backends.llvm.native_forms import kinds, room_of
from interpreters.backends.llvm.places import Memory
from interpreters.backends.llvm.scopes import IN_MEMORY, TYPES, WIDTHS, NativeModule, Value


class CallText(ElementText):
    """Writes calls and records."""

    def __init__(self, module: NativeModule, memory: Memory) -> None:
        """Of arrays that have their places."""
        super().__init__(module, memory)
        self.is_called = self.may_fail = self.takes_room = False
        """Whether the module calls it; whether it calls such functions, or makes records."""

    def stop_where(self, failed: str, name: str) -> None:
        """Give up at ``stop`` where a test holds, and go on behind it elsewhere."""
        self.here.lines += [
            f"br i1 {failed}, label %stop{name}, label %on{name}",
            f"stop{name}:",
            "ret i1 true",
            f"on{name}:",
        ]
        self.here.label = f"on{name}"

    def call(self, task: Task) -> None:
        """A call of a function of the module, which may give up, and the program then does."""
        assert task.node is not None
        called, outs = task.node.par.instance, task.node.par.outs
        self._take_room()
        self.module.called[called.name] = called
        given = [self._given(x) for x in task.node.args]
        cells: dict[int, str] = {}
        for number, leaf in enumerate(kinds(called.result)):
            if number in outs and leaf.shape:
                given.append(f"ptr {self.begin(self.memory.homes[outs[number]].storage)[0]}")
                continue
            if leaf.shape:  # which nobody reads
                unread = Storage("work", room_of(leaf), leaf.dtype)
                given.append(f"ptr {self.begin(unread)[0]}")
                continue
            cells[number] = self.cell(IN_MEMORY[leaf.dtype])
            given.append(f"ptr {cells[number]}")
        self.stop_where(self.op(f"call i1 @{STOPS}(ptr %room)"), self.fresh())
        failed = self.op(f"call i1 @{called.name}({', '.join(given)}, ptr %room)")
        self.stop_where(failed, self.fresh())
        for number, out in outs.items():
            if not out.shape:
                kind = IN_MEMORY[out.dtype]
                text = self.op(f"load {kind}, ptr {cells[number]}")
                text = self._truth(text, out.dtype, False, self.here)
                self.numbers[out] = Value(text, False, self.here.depth)

    def _given(self, x: Node) -> str:
        if not x.shape:
            return f"{TYPES[x.dtype]} {self.elem(x, ()).text}"
        storage = self.memory.homes[x].storage
        self.read.add(storage)
        return f"ptr {self.begin(storage)[0]}"

    # ---- records

    def _take_room(self) -> None:
        """Have memory that grows, and a limit of the stack."""
        if not self.module.is_called:
            raise MissingRule(
                "a function that calls itself elsewhere than where it ends is not written as C or "
                "LLVM's text"
            )
        self.takes_room = self.may_fail = True
        self.module.declare(ROOM, "")
        self.module.declare(ASKS, "")

    def record(self, task: Task) -> None:
        """A new record, with what it holds; where there is no memory, it gives up."""
        node = task.node
        assert node is not None
        self._take_room()
        size = sum(map(room_of, node.args))
        at = self.op(f"call ptr @{ROOM}(ptr %room, i64 {size})")
        self.stop_where(self.op(f"icmp eq ptr {at}, null"), self.fresh())
        offset = 0
        for x in node.args:
            place = self.op(f"getelementptr i8, ptr {at}, i64 {offset}")
            if x.shape:
                given = self._given(x)
                count = x.size * WIDTHS[x.dtype]
                name = "llvm.memcpy.p0.p0.i64"
                copy = self.module.declare(name, f"void @{name}(ptr, ptr, i64, i1)")
                self.do(f"call void {copy}(ptr {place}, {given}, i64 {count}, i1 false)")
            else:
                text = self._byte(self.elem(x, ()).text, x.dtype, False)
                self.do(f"store {IN_MEMORY[x.dtype]} {text}, ptr {place}")
            offset += room_of(x)
        self.numbers[node] = Value(self.op(f"ptrtoint ptr {at} to i64"), False, self.here.depth)

    def field(self, task: Task) -> None:
        """What is in a record; in none, at 0, are zeros."""
        node = task.node
        assert node is not None
        offset, none = node.par
        size = offset + room_of(node)
        self.module.zeros = max(self.module.zeros, size)
        at = self.elem(node.args[0], ()).text
        base = self.op(f"inttoptr i64 {at} to ptr")
        is_none = self.op(f"icmp eq i64 {at}, 0")
        base = self.op(f"select i1 {is_none}, ptr @zeros, ptr {base}")
        place = self.op(f"getelementptr i8, ptr {base}, i64 {offset}")
        depth = self.here.depth
        if node.shape:
            self.pointers[self.memory.homes[node].storage] = place, depth
            return
        text = self.op(f"load {IN_MEMORY[node.dtype]}, ptr {place}")
        if none:
            text = self.op(f"select i1 {is_none}, i64 {none}, i64 {text}")
        self.numbers[node] = Value(self._truth(text, node.dtype, False, self.here), False, depth)
