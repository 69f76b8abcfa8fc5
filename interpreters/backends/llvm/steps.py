"""What is no nest: running sums, scattered sums, zeros."""

from __future__ import annotations

from contextlib import ExitStack

from interpreters.backends.llvm.blocks import FRESH
from interpreters.backends.llvm.elements import ElementText
from interpreters.backends.llvm.fusion import SPACE, Out, Task
from interpreters.backends.llvm.graph import Node
from interpreters.backends.llvm.indices import (
    ZERO,
    Index,
    Position,
    Storage,
    Strided,
    broadcast,
    variable_,
)
from interpreters.backends.llvm.operations import Arithmetic, literal
from interpreters.backends.llvm.scopes import IN_MEMORY, WIDTHS, Value

LEAD = SPACE + 40


def clear(text: ElementText, task: Task) -> None:
    """Zeros where an array lies."""
    assert task.node is not None
    home = text.memory.homes[task.node]
    zeros(text, home)


def zeros(text: ElementText, place: Strided) -> None:
    """Zeros in a place: in one piece, or row by row."""
    shape, rest = list(place.shape), 1
    step = 1
    while shape and (shape[-1] == 1 or place.strides[len(shape) - 1] == step):
        step *= shape.pop()
        rest = step
    with ExitStack() as stack:
        index: list[Position] = []
        for axis, extent in enumerate(shape):
            stack.enter_context(text.loop(LEAD + axis, extent))
            index.append(variable_(LEAD + axis))
        from_ = (*index, *[ZERO] * (len(place.shape) - len(shape)))
        pointer, _, _ = text.address(place, from_, written=True)
        size = rest * WIDTHS[place.dtype]
        name = "llvm.memset.p0.i64"
        function = text.module.declare(name, f"void @{name}(ptr, i8, i64, i1)")
        text.do(f"call void {function}(ptr {pointer}, i8 0, i64 {size}, i1 false)")


# ---- running sums and products


def running(text: ElementText, task: Task) -> None:
    """Along one axis, one element after the other."""
    node = task.node
    assert node is not None
    axis, is_reversed = node.par
    dtype, kind = node.dtype, text.type_of(node.dtype)
    given = [text.memory.home(arg) for arg in node.args]
    home = text.memory.homes[node]
    cell = text.cell(kind)
    start = 1 if node.op == "exclusive_cumprod" else 0
    with ExitStack() as stack:
        for number, extent in enumerate(node.shape):
            if number != axis:
                stack.enter_context(text.loop(LEAD + number, extent))
        index = tuple(variable_(LEAD + number) for number in range(len(node.shape)))
        text.do(f"store {kind} {literal(start, dtype)}, ptr {cell}")
        with text.loop(LEAD + axis, node.shape[axis], reverse=is_reversed):
            xs = [text.load(place, index).text for place in given if place is not None]
            of = Arithmetic(text, text.here, dtype, vector=False)
            before = text.op(f"load {kind}, ptr {cell}")
            if node.op == "cumsum":
                after = of.apply("add", [before, xs[0]], dtype)
            elif node.op == "exclusive_cumprod":
                after = of.apply("multiply", [before, xs[0]], dtype)
            else:
                product = (
                    of.absorbing_product(before, xs[0])
                    if of.is_float
                    else of.apply("multiply", [before, xs[0]], dtype)
                )
                after = of.apply("add", [product, xs[1]], dtype)
            left = after if node.op == "cumsum" else before
            text.store(home, index, Value(left, False, text.here.depth))
            text.do(f"store {kind} {after}, ptr {cell}")


# ---- scattered sums


def put(text: ElementText, task: Task) -> None:
    """Each element is added where its indices say; those outside are nowhere."""
    node = task.node
    assert node is not None
    x, *indices = node.args
    home, axis = text.memory.homes[node], node.par
    out = Out(x, [])
    if task.streams is None:
        text.gathers = True
        zeros(text, home)
        text.gathers = False
    rank = len(x.shape) - len(node.shape) + len(indices)
    rest = out.index[axis + rank :]
    inner = {v for position in rest for v, _ in position.terms}
    with ExitStack() as stack:
        for number, extent in enumerate(out.space):
            if SPACE + number not in inner:
                _opened(text, task, stack, SPACE + number, extent)
        offset, inside = _chosen(text, node, out.index[axis : axis + rank])
        lead = Strided(home.storage, home.offset, home.strides[:axis], home.shape[:axis], x.dtype)
        text.gathers = True
        pointer, _, _ = text.address(lead, out.index[:axis])
        text.gathers = False
        there = text.op(f"getelementptr {IN_MEMORY[x.dtype]}, ptr {pointer}, i64 {offset}")
        kept = axis + len(indices)
        row = Storage(home.storage.kind, home.storage.size, x.dtype, home.storage.number)
        text.pointers[row] = there, text.here.depth
        place = Strided(row, ZERO, home.strides[kept:], home.shape[kept:], x.dtype)
        left = [(v, out.space[v - SPACE]) for v in sorted(inner)]
        lanes = bool(left) and text.lanes > 1 < left[-1][1]
        lanes = lanes and place.place(rest).factor(left[-1][0]) == 1
        for variable, extent in left[:-1] if lanes else left:
            _opened(text, task, stack, variable, extent)

        def added() -> None:
            total = _sum_where(text, inside, text.elem(x, out.index), text.load(place, rest), x)
            text.store(place, rest, total)

        if not lanes:
            added()
            return
        text.in_lanes(*left[-1], added)


def _opened(text: ElementText, task: Task, stack: ExitStack, variable: int, extent: int) -> None:
    """The loop of an axis; of a block, over what none before it had."""
    if task.streams is None or task.streams[0] != variable:
        stack.enter_context(text.loop(variable, extent))
        return
    _, start, block = task.streams
    begins, fresh = (text.variables[v].text for v in (start, start + FRESH))
    first = text.op(f"sub i64 {fresh}, {begins}")
    stack.enter_context(text.loop(-1 - variable, block, first=first))
    moved = text.op(f"add nsw i64 {text.variables[-1 - variable].text}, {begins}")
    stack.enter_context(text.fixed(variable, moved))


def _chosen(text: ElementText, node: Node, at: Index) -> tuple[str, str]:
    """How far on the indices say that an element goes, and whether that is inside."""
    x, *indices = node.args
    home, axis = text.memory.homes[node], node.par
    rows = x.shape[axis : axis + len(at)]
    found = [text.elem(index, broadcast(at, index.shape, rows)).text for index in indices]
    return text.chosen(home, axis, indices, found, text.here, vector=False)


def _sum_where(text: ElementText, inside: str, x: Value, before: Value, node: Node) -> Value:
    """What was there and, if it is inside, an element; of numbers or of lanes."""
    vector, scope = before.is_vector, text.here
    of = Arithmetic(text, scope, node.dtype, vector=vector)
    given = text.splat(x, node.dtype, scope) if vector else x.text
    none = of.number(0)
    value = text.op(f"select i1 {inside}, {of.kind} {given}, {of.kind} {none}")
    return Value(of.apply("add", [before.text, value], node.dtype), vector, scope.depth)
