"""A planned function as LLVM's text: its blocks, task by task.

The results are written to memory that the caller gives: arrays where they are to be, numbers to a
cell each. Work arrays lie one behind the other in one piece of memory, which the caller gives too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from interpreters.backends.llvm import matrix_products, steps
from interpreters.backends.llvm.blocks import FRESH, NEAR, NUMBER, Blocks
from interpreters.backends.llvm.call_text import CallText
from interpreters.backends.llvm.effort import ASKS, efforts, rounds_between
from interpreters.backends.llvm.fusion import Schedule, Task, planned
from interpreters.backends.llvm.graph import ChoiceNode, FunctionGraph, LoopNode, Node, NodeBlock
from interpreters.backends.llvm.growing import FRAME, ROOM, at_work, in_room
from interpreters.backends.llvm.indices import Storage, variable_
from interpreters.backends.llvm.nests import write_nest
from interpreters.backends.llvm.places import RUNNING, Memory
from interpreters.backends.llvm.scopes import IN_MEMORY, TYPES, WIDTHS, NativeModule, Value

ALIGNED = 64


@dataclass(frozen=True)
class Emitted:
    """The text of a function, and how much memory it works in."""

    text: str
    work: int
    gives_up: bool
    """Whether it may say that Python is to run the program."""
    constants: list[Node]
    effort: int
    """How many numbers it computes, about."""
    may_stop: bool
    """Whether it may give up when it is interrupted."""


class Emission(CallText):
    """Writes the tasks of a function."""

    def __init__(self, module: NativeModule, memory: Memory, schedule: Schedule) -> None:
        """Of a plan."""
        super().__init__(module, memory)
        self.schedule = schedule
        self.work = 0
        self._efforts = efforts(memory.function)

    def whole(self, name: str) -> Emitted:
        """The function."""
        function = self.memory.function
        self.block(function.block)
        for number, node in enumerate(function.outputs):
            if not node.shape:
                value = self.elem(node, ())
                if number in self.module.watched:
                    self.doubt(value.text, node.dtype, is_vector=False)
                kind = IN_MEMORY[node.dtype]
                text = self._byte(value.text, node.dtype, False)
                self.do(f"store {kind} {text}, ptr %o{number}")
        params = [
            *(f"{'ptr' if p.shape else TYPES[p.dtype]} %p{p.par}" for p in function.params),
            *(f"ptr %o{number}" for number in range(len(function.outputs))),
            "ptr %room" if self.is_called else "ptr %work",
        ]
        doubted = self.doubted()
        lines = [*self.allocated, *self.kept(self.scopes[0].lines), f"ret i1 {doubted}"]
        if self.is_called and self.work <= FRAME:
            lines.insert(0, f"%work = alloca [{self.work + ALIGNED} x i8], align {ALIGNED}")
        text = "\nentry:\n" + "\n".join(lines) + "\n}\n"
        if (self.takes_room or self.module.has_records) and not self.is_called:
            room = ", ".join([*params, "ptr %room"])
            text = f"define internal i1 @{name}_in_room({room}) #0 {{{text}"
            text += in_room(name, ", ".join(params), room)
        elif self.is_called and self.work > FRAME:
            work = ", ".join([*params, "ptr %work"])
            text = f"define internal i1 @{name}_at_work({work}) #0 {{{text}"
            text += at_work(name, ", ".join(params), work, self.work)
        else:
            text = f"define i1 @{name}({', '.join(params)}) #0 {{{text}"
        return Emitted(
            text,
            self.work,
            doubted != "false" or self.may_fail,
            self.module.constants,
            self._efforts[function.block],
            ASKS in self.module.declared,
        )

    def begin(self, storage: Storage) -> tuple[str, int]:
        """The pointer to a storage; a work array gets its place when it is first met."""
        if storage.kind == "work" and storage not in self.pointers:
            at, self.work = self.work, self.work + -(-(storage.size + ALIGNED) // ALIGNED) * ALIGNED
            name = f"%{self.fresh('work')}"
            kind, steps = IN_MEMORY[storage.dtype], at // WIDTHS[storage.dtype]
            self.allocated.append(f"{name} = getelementptr {kind}, ptr %work, i64 {steps}")
            self.pointers[storage] = name, 0
        return super().begin(storage)

    def block(self, block: NodeBlock) -> None:
        """The tasks of a block, in order."""
        for task in self.schedule.tasks[block]:
            if block is self.memory.function.block:
                self.task_now = task
            self.task(task)

    @contextmanager
    def grounded(self) -> Iterator[None]:
        """What is loaded here is loaded in this scope, whose tasks may write it."""
        floor, self.floor = self.floor, self.here.depth
        yield
        self.floor = floor

    def task(self, task: Task) -> None:
        """One task."""
        match task.kind:
            case "nest":
                write_nest(self, task)
            case "blocks":
                self.blocks(task)
            case "clear":
                steps.clear(self, task)
            case "matmul":
                matrix_products.matmul(self, task)
            case "put":
                steps.put(self, task)
            case "loop":
                self.loop_of(task)
            case "check":
                self.check(task)
            case "call":
                self.call(task)
            case "record":
                self.record(task)
            case "field":
                self.field(task)
            case "choice":
                self.choice(task)
            case kind:
                assert kind in RUNNING
                steps.running(self, task)

    def check(self, task: Task) -> None:
        """Note that a check may fail; a function that may call itself without end gives up here."""
        assert task.node is not None
        fails = self.elem(task.node.args[0], ())
        if self.is_called:
            self.may_fail = True
            self.stop_where(fails.text, self.fresh())
            return
        before = self.op(f"load i1, ptr {self.given_up}")
        self.do(f"store i1 {self.op(f'or i1 {before}, {fails.text}')}, ptr {self.given_up}")

    def blocks(self, task: Task) -> None:
        """Nests in turns, a block at a time; the last begins where it is whole."""
        extent, block, start = task.space
        last, number = extent - block, start + NUMBER
        for part in task.parts:
            if part.kind == "put":
                steps.clear(self, part)
        with self.loop(number, -(-extent // block)):
            fresh = self.op(f"mul nsw i64 {self.variables[number].text}, {block}")
            is_late = self.op(f"icmp sgt i64 {fresh}, {last}")
            begins = self.op(f"select i1 {is_late}, i64 {last}, i64 {fresh}")
            with self.fixed(start, begins), self.fixed(start + FRESH, fresh), self.grounded():
                for part in task.parts:
                    self.task(part)

    # ---- loops

    def loop_of(self, task: Task) -> None:
        """Rounds; numbers are carried in cells, arrays in two storages that change their places."""
        node = task.node
        assert node is not None
        loop: LoopNode = node.par
        inside = set(loop.body.nodes)
        cells: dict[int, str] = {}
        swapped: list[tuple[str, str, Node]] = []
        for number, (carry, start) in enumerate(zip(loop.carries, node.args, strict=True)):
            if carry not in inside:
                continue
            if carry.shape:
                if carry in self.memory.next:
                    swapped.append((*self._cells_of(carry), carry))
                continue
            cells[number] = self.cell(TYPES[carry.dtype])
            self.do(f"store {TYPES[carry.dtype]} {self.elem(start, ()).text}, ptr {cells[number]}")
        with self.loop(loop.variable, loop.length, reverse=loop.reverse) as body, self.grounded():
            self.ask(loop.variable, rounds_between(self._efforts[loop.body], loop.length))
            self._begin_round(loop, cells, swapped)
            self.block(loop.body)
            if loop.is_while:
                body.ends = self._is_last(loop.body.outputs[-1])
            self._end_round(loop, cells, swapped)
        for number, out in loop.outs.items():
            if number in cells:
                text = self.op(f"load {TYPES[out.dtype]}, ptr {cells[number]}")
                self.numbers[out] = Value(text, False, self.here.depth)
        for old, new, carry in swapped:
            for cell, place in ((old, self.memory.homes[carry]), (new, self.memory.next[carry])):
                pointer = self.op(f"load ptr, ptr {cell}")
                self.pointers[place.storage] = pointer, self.here.depth

    def ask(self, variable: int, rounds: int) -> None:
        """Every so many rounds, give up where Python was interrupted."""
        if not rounds or not self.module.is_called:
            return
        name = self.fresh()
        part = self.op(f"and i64 {self.variables[variable].text}, {rounds - 1}")
        is_last = self.op(f"icmp eq i64 {part}, {rounds - 1}")
        self.do(f"br i1 {is_last}, label %ask{name}, label %on{name}")
        self.do(f"ask{name}:")
        found = self.op(f"call i1 {self.module.declare(ASKS, '')}()")
        self.stop_where(found, name)

    def _is_last(self, goes: Node) -> str:
        """Whether a round says that it is the last, or a check failed."""
        last = self.op(f"xor i1 {self.elem(goes, ()).text}, true")
        if not self.has_checks:
            return last
        return self.op(f"or i1 {last}, {self.op(f'load i1, ptr {self.given_up}')}")

    def _cells_of(self, carry: Node) -> tuple[str, str]:
        """Where the pointers to the old and the new value of an array are."""
        cells = []
        for place in (self.memory.homes[carry], self.memory.next[carry]):
            self.read.add(place.storage)
            cell = self.cell("ptr")
            self.do(f"store ptr {self.begin(place.storage)[0]}, ptr {cell}")
            cells.append(cell)
        return cells[0], cells[1]

    def _begin_round(
        self, loop: LoopNode, cells: dict[int, str], swapped: list[tuple[str, str, Node]]
    ) -> None:
        depth = self.here.depth
        for number, cell in cells.items():
            carry = loop.carries[number]
            text = self.op(f"load {TYPES[carry.dtype]}, ptr {cell}")
            self.numbers[carry] = Value(text, False, depth)
        for old, new, carry in swapped:
            for cell, place in ((old, self.memory.homes[carry]), (new, self.memory.next[carry])):
                self.pointers[place.storage] = self.op(f"load ptr, ptr {cell}"), depth

    def _end_round(
        self, loop: LoopNode, cells: dict[int, str], swapped: list[tuple[str, str, Node]]
    ) -> None:
        kept = len(loop.carries)
        for number, out in loop.outs.items():
            inner = loop.body.outputs[number]
            if number >= kept and not inner.shape:
                row = self.memory.homes[out]
                self.store(row, (variable_(loop.variable),), self.elem(inner, ()))
        new = {number: self.elem(loop.body.outputs[number], ()) for number in cells}
        for number, cell in cells.items():
            self.do(f"store {TYPES[loop.carries[number].dtype]} {new[number].text}, ptr {cell}")
        for old, later, carry in swapped:
            homes = (self.memory.homes[carry], self.memory.next[carry])
            before, after = (self.pointers[place.storage][0] for place in homes)
            self.do(f"store ptr {after}, ptr {old}")
            self.do(f"store ptr {before}, ptr {later}")

    # ---- choices

    def choice(self, task: Task) -> None:
        """A jump to one of two blocks, and behind both."""
        node = task.node
        assert node is not None
        choice: ChoiceNode = node.par
        outs = {number: out for number, out in choice.outs.items() if not out.shape}
        cells = {number: self.cell(TYPES[out.dtype]) for number, out in outs.items()}
        test, name, outer = self.elem(node.args[0], ()), self.fresh(), self.here
        lines: list[str] = []
        for label, block in zip((f"then{name}", f"else{name}"), choice.blocks, strict=True):
            with self.branch(label) as inner, self.grounded():
                self.block(block)
                for number, cell in cells.items():
                    value = self.elem(block.outputs[number], ())
                    self.do(f"store {TYPES[outs[number].dtype]} {value.text}, ptr {cell}")
            lines += [f"{label}:", *inner.lines, f"br label %end{name}"]
        outer.lines += [
            f"br i1 {test.text}, label %then{name}, label %else{name}",
            *lines,
            f"end{name}:",
        ]
        outer.label = f"end{name}"
        for number, cell in cells.items():
            text = self.op(f"load {TYPES[outs[number].dtype]}, ptr {cell}")
            self.numbers[outs[number]] = Value(text, False, self.here.depth)


def emitted(
    module: NativeModule, function: FunctionGraph, name: str, plan: tuple[Memory, Schedule]
) -> Emitted:
    """The text of a function that is planned."""
    assert plan[0].function is function
    found = _in_blocks(module, name, *plan)
    texts, done = [found.text], set[str]()
    while len(done) < len(module.called):
        for one in [one for name, one in module.called.items() if name not in done]:
            done.add(one.name)
            inner = Emission(module, *planned(one.function))
            inner.is_called = True
            made = inner.whole(one.name)
            texts.append(made.text)
    if module.zeros:
        texts.append(f"@zeros = internal global [{module.zeros} x i8] zeroinitializer, align 8\n")
    return replace(found, text="".join(texts), may_stop=ASKS in module.declared)


def _in_blocks(module: NativeModule, name: str, memory: Memory, schedule: Schedule) -> Emitted:
    """The text of the outermost function, written again where some of its tasks share blocks."""
    first = Emission(module, memory, schedule)
    found, block = first.whole(name), memory.function.block
    if found.work <= NEAR or ROOM in module.declared:
        return found
    tasks = Blocks(memory, first.accesses).of(schedule.tasks[block])
    if all(task.kind != "blocks" for task in tasks):
        return found
    schedule.tasks[block] = tasks
    return Emission(module, memory, schedule).whole(name)
