"""A nest as loops: which axes are one, which lies along the lanes, what is summed where.

    nest (64, 100):  y[i, j] = tanh x[i, j];  s[i] = sum over j           lanes along j

    for i:  v = 0;  for j in eights:  t = tanh x[i, j:j+8];  y[i, j:j+8] = t;  v += t;  s[i] = Σ v

Axes that lie one behind the other in all that is read and written are one axis. What is reduced
stands inside; the last lanes of an axis are masked, and where sums run along the lanes, in several
vectors at a time.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from interpreters.backends.llvm import scans
from interpreters.backends.llvm.elements import ElementText
from interpreters.backends.llvm.fusion import SPACE, Out, Task
from interpreters.backends.llvm.indices import ZERO
from interpreters.backends.llvm.operations import Arithmetic
from interpreters.backends.llvm.places import GIVEN
from interpreters.backends.llvm.scopes import WIDTHS, Value

CHAINS = 4
"""Vectors that a sum along the lanes is kept in."""
COPIED = 1 << 11
"""Bytes from which on arrays are copied by the C library."""
LEAST = 2
"""Extents from which on an axis lies along the lanes."""
NEUTRAL: dict[str, float | int] = {
    "sum": 0.0,
    "prod": 1.0,
    "max": float("-inf"),
    "min": float("inf"),
}
COMBINED = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}


@dataclass
class ReductionCells:
    """The cells of a reduction."""

    cells: list[str]
    is_vector: bool


@dataclass
class Nest:
    """A nest that is being written."""

    text: ElementText
    task: Task
    order: list[tuple[int, int]]
    """The variables and their extents, from the outermost on."""
    sums: dict[Out, ReductionCells] = field(default_factory=dict)
    scans: dict[Out, str] = field(default_factory=dict)
    """The cells of running products."""

    @property
    def across(self) -> int | None:
        """The variable along the lanes: the last of many, or the longest."""
        if not self.order or self.text.lanes == 1:
            return None
        variable, extent = max(self.order, key=lambda axis: (min(axis[1], 4), axis[0]))
        return variable if extent >= LEAST else None


def write_nest(text: ElementText, task: Task) -> None:
    """Write the loops of a nest."""
    text.made = task.made
    task = replace(task, outs=[out for out in task.outs if not _is_copied(text, out)])
    if not task.outs:
        text.made = {}
        return
    inner = sorted(task.reduced)
    axes = [(SPACE + axis, n) for axis, n in enumerate(task.space)]
    if task.streams is not None:
        streaming, _, block = task.streams
        axes = [(axis, block if axis == streaming else n) for axis, n in axes]
    order = [axis for axis in axes if axis[0] not in inner]
    order += [axis for axis in axes if axis[0] in inner]
    nest = Nest(text, task, order)
    _level(nest, 0)
    text.made = {}
    text.across = None


def _is_copied(text: ElementText, out: Out) -> bool:
    """Copy an array that lies in one piece to where it is to lie so; False of any other."""
    node, size = out.node, out.node.size * WIDTHS[out.node.dtype]
    if out.kind != "store" or out.result or size < COPIED or node.op not in GIVEN:
        return False
    home = text.memory.home(node)
    if home is None or not all(place.is_contiguous for place in (home, *out.places)):
        return False
    if any(place.storage.number in text.module.watched for place in out.places):
        return False
    name, none = "llvm.memcpy.p0.p0.i64", (ZERO,) * len(node.shape)
    function = text.module.declare(name, f"void @{name}(ptr, ptr, i64, i1)")
    for place in out.places:
        source, target = (text.address(where, none)[0] for where in (home, place))
        text.do(f"call void {function}(ptr {target}, ptr {source}, i64 {size}, i1 false)")
    return True


def _level(nest: Nest, level: int) -> None:
    """The loops from a level on; before the first that is reduced, the sums begin."""
    text, order = nest.text, nest.order
    reductions = [out for out in nest.task.outs if out.result and not out.is_running]
    is_first = level == len(order) or order[level][0] in nest.task.reduced
    if is_first and reductions and not nest.sums:
        for out in reductions:
            nest.sums[out] = _begun(nest, out)
        _level(nest, level)
        for out in reductions:
            _finished(nest, out)
        nest.sums.clear()
        return
    if level == len(order):
        _body(nest, 0)
        return
    variable, extent = order[level]
    if variable != nest.across:
        with _rounds(nest, variable, 0, extent, 1):
            _level(nest, level + 1)
        return
    text.across = variable
    nest.scans = {out: scans.begun(text) for out in nest.task.outs if out.is_running}
    if nest.task.is_reversed:
        _backwards(nest, level, variable, extent)
        text.across = None
        return
    chains = max((len(sums.cells) for sums in nest.sums.values()), default=1)
    done = 0
    for count in sorted({chains, 1}, reverse=True):
        step = count * text.lanes
        whole = (extent - done) // step
        if whole:
            with _rounds(nest, variable, done, whole, step):
                _chained(nest, level + 1, count)
            done += whole * step
    if done < extent:
        text.active = extent - done
        with _rounds(nest, variable, done, 1, text.lanes):
            _level(nest, level + 1)
        text.active = None
    text.across = None


def _backwards(nest: Nest, level: int, variable: int, extent: int) -> None:
    """The last lanes, then whole vectors from the last on."""
    text = nest.text
    whole = extent // text.lanes * text.lanes
    if whole < extent:
        text.active = extent - whole
        with text.fixed(variable, str(whole)):
            _level(nest, level + 1)
        text.active = None
    with text.loop(variable, whole, text.lanes, reverse=True):
        _level(nest, level + 1)


def _rounds(nest: Nest, variable: int, start: int, count: int, step: int) -> ExitStack:
    """Rounds from a start on; of what streams, from there on in its block."""
    text, stack, begins = nest.text, ExitStack(), str(start)
    streams = nest.task.streams
    if streams is not None and streams[0] == variable:
        begins = text.variables[streams[1]].text
        begins = text.op(f"add nsw i64 {begins}, {start}") if start else begins
    if count == 1:
        stack.enter_context(text.fixed(variable, begins))
        return stack
    if begins == "0":
        stack.enter_context(text.loop(variable, count * step, step))
        return stack
    other = -1 - variable
    stack.enter_context(text.loop(other, count * step, step))
    moved = text.op(f"add nsw i64 {text.variables[other].text}, {begins}")
    stack.enter_context(text.fixed(variable, moved))
    return stack


def _chained(nest: Nest, level: int, count: int) -> None:
    """The inside of a loop along the lanes: several vectors, each into a sum of its own."""
    text = nest.text
    if count == 1:
        _level(nest, level)
        return
    variable = text.across
    assert variable is not None
    first = text.variables[variable].text
    for chain in range(count):
        at = _moved(text, first, chain * text.lanes)
        with text.fixed(variable, at):
            _body(nest, chain)


def _moved(text: ElementText, first: str, steps: int) -> str:
    if not steps:
        return first
    return str(int(first) + steps) if first.isdigit() else text.op(f"add nsw i64 {first}, {steps}")


def _body(nest: Nest, chain: int) -> None:
    """An element of each out: all are computed, then all are left."""
    text = nest.text
    values = [(out, _value(nest, out)) for out in nest.task.outs]
    for out, value in values:
        if out in nest.sums:
            _combine(nest, out, value, chain)
            continue
        for place in out.places:
            found = value
            if out.kind == "add":
                found = _total(text, out, text.load(place, out.target), value)
            text.store(place, out.target, found)


def _value(nest: Nest, out: Out) -> Value:
    """What an out leaves of an element."""
    text = nest.text
    value = text.elem(out.node, out.index)
    if out not in nest.scans:
        return value
    assert out.result is not None
    value = scans.scanned(text, out.result, value, nest.scans[out])
    text.here.known[out.result, out.index] = value
    return value


def _total(text: ElementText, out: Out, x: Value, y: Value) -> Value:
    dtype, scope = out.node.dtype, text.here
    is_vector = x.is_vector or y.is_vector
    texts = [text.splat(v, dtype, scope) if is_vector else v.text for v in (x, y)]
    found = Arithmetic(text, scope, dtype, vector=is_vector).apply("add", texts, dtype)
    return Value(found, is_vector, scope.depth)


# ---- reductions


def _is_across(nest: Nest) -> bool:
    """Whether lanes are summed."""
    return nest.across in nest.task.reduced


def _begun(nest: Nest, out: Out) -> ReductionCells:
    """Cells with the neutral number: of vectors, where there are lanes."""
    text, dtype = nest.text, out.node.dtype
    is_vector = nest.across is not None
    extent = dict(nest.order).get(nest.across, 0) if nest.across is not None else 0
    is_last = bool(nest.order) and nest.order[-1][0] == nest.across
    many = _is_across(nest) and is_last and extent >= CHAINS * text.lanes
    cells = [text.cell(text.type_of(dtype, vector=is_vector)) for _ in range(CHAINS if many else 1)]
    arithmetic = Arithmetic(text, text.here, dtype, vector=is_vector)
    for cell in cells:
        text.do(f"store {arithmetic.kind} {arithmetic.number(neutral(out))}, ptr {cell}")
    return ReductionCells(cells, is_vector)


def neutral(out: Out) -> float | int:
    """What a reduction begins with."""
    dtype = out.node.dtype
    if dtype[0] == "i" and out.kind in ("max", "min"):
        bits = 63 if dtype == "int64" else 31
        return -(1 << bits) if out.kind == "max" else (1 << bits) - 1
    if dtype == "bool":
        return int(out.kind in ("prod", "min"))
    return NEUTRAL[out.kind]


def _combine(nest: Nest, out: Out, value: Value, chain: int) -> None:
    text, sums, dtype = nest.text, nest.sums[out], out.node.dtype
    arithmetic = Arithmetic(text, text.here, dtype, vector=sums.is_vector)
    x = text.splat(value, dtype, text.here) if sums.is_vector else value.text
    if sums.is_vector and text.active is not None and _is_across(nest):
        kind, none = arithmetic.kind, arithmetic.number(neutral(out))
        x = arithmetic.op(f"select {text.mask}, {kind} {x}, {kind} {none}")
    cell = sums.cells[min(chain, len(sums.cells) - 1)]
    before = arithmetic.op(f"load {arithmetic.kind}, ptr {cell}")
    after = arithmetic.apply(COMBINED[out.kind], [before, x], dtype)
    text.do(f"store {arithmetic.kind} {after}, ptr {cell}")


def _finished(nest: Nest, out: Out) -> None:
    """The sum of the cells, and of the lanes where these were summed."""
    text, sums, dtype = nest.text, nest.sums[out], out.node.dtype
    arithmetic = Arithmetic(text, text.here, dtype, vector=sums.is_vector)
    found = [arithmetic.op(f"load {arithmetic.kind}, ptr {cell}") for cell in sums.cells]
    while len(found) > 1:
        pairs = zip(found[::2], found[1::2], strict=True)
        found = [arithmetic.apply(COMBINED[out.kind], pair, dtype) for pair in pairs]
    value = Value(found[0], sums.is_vector, text.here.depth)
    if sums.is_vector and _is_across(nest):
        value = Value(arithmetic.across(COMBINED[out.kind], found[0]), False, text.here.depth)
    assert out.result is not None
    if not out.result.shape:
        text.numbers[out.result] = value
        return
    for place in out.places:
        text.store(place, out.target, value)
