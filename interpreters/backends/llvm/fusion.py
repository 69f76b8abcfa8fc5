"""What is computed together: the tasks of a block, in an order in which each finds what it needs.

    y = tanh x; z = y * w; s = sum z; t = x + s        of 1,000 elements each; z and t are results

    nest 1000:  z stored, z summed into s              y is computed in it, and nowhere kept
    nest 1000:  t stored

An array joins the first nest that has its extents and stands behind all that it reads. What a nest
makes at an element may be read in it at the same element only; anything else is read from memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from interpreters.backends.llvm.graph import FunctionGraph, Node, NodeBlock, bodies
from interpreters.backends.llvm.indices import (
    ZERO,
    Index,
    Position,
    Shape,
    Strided,
    broadcast,
    variable_,
)
from interpreters.backends.llvm.operations import LIBM
from interpreters.backends.llvm.places import GIVEN, MADE, RUNNING, Memory, is_same, windowed

SPACE = 1 << 9
"""The axes of a nest are variables from here on."""
COSTLY = 10
"""What costs as much is rather kept than computed twice."""
WEIGHTS = {
    **dict.fromkeys(LIBM, 20),
    **dict.fromkeys(("divide", "unscale", "sqrt", "floor_divide", "remainder", "take"), 5),
}
"""Of operations that cost more than 1."""
SCANNED = 16
"""The extent from which on running products are computed in a nest."""
ALONE = frozenset({"matmul", "put", "check", "call", "record", "field"})
"""What is a task of its own."""
FREE = frozenset({"view", "copy", "reshape", "fill", "iota"}) | GIVEN


@dataclass(eq=False)
class Out:
    """What a nest leaves of an array: its elements in some places, or what they are reduced to."""

    node: Node
    places: list[Strided]
    kind: str = "store"
    """``store``, ``add`` to what is there, or the name of a reduction or of a running product."""
    result: Node | None = None
    """The reduction or the running product, whose places these are then."""
    space: Shape = ()
    """The extents that it runs over: those that are not 1."""
    index: Index = ()
    """The element, in the variables of a nest."""

    def __post_init__(self) -> None:
        self.space = tuple(n for n in self.node.shape if n != 1)
        found: list[Position] = []
        axis = SPACE
        for n in self.node.shape:
            found.append(ZERO if n == 1 else variable_(axis))
            axis += n != 1
        self.index = tuple(found)

    @property
    def over(self) -> Shape:
        """The axes along which it is reduced."""
        axes: Shape = () if self.result is None or self.is_running else self.result.par[1]
        return axes

    @property
    def is_running(self) -> bool:
        """Whether it gives an array of running products."""
        return self.kind in RUNNING

    @property
    def reduced(self) -> frozenset[int]:
        """The variables along which it is reduced."""
        return frozenset(v for axis in self.over for v, _ in self.index[axis].terms)

    @property
    def target(self) -> Index:
        """The element of its places."""
        return tuple(i for axis, i in enumerate(self.index) if axis not in self.over)


@dataclass(eq=False)
class Task:
    """A nest of loops, or what a node does by itself."""

    kind: str
    """``nest``, ``clear``, ``blocks`` of nests, or the ``op`` of the node."""
    node: Node | None = None
    space: Shape = ()
    reduced: frozenset[int] = frozenset()
    outs: list[Out] = field(default_factory=list)
    parts: list[Task] = field(default_factory=list)
    """The nests that share blocks."""
    streams: tuple[int, int, int] | None = None
    """Of such a nest: its axis, the variable that says where a block begins, and its extent."""
    is_reversed: bool | None = None
    """The direction in which products run, if any do."""
    made: dict[Node, Index] = field(default_factory=dict)
    """At which element it makes what others may read in it."""


def operands(node: Node, index: Index) -> list[tuple[Node, Index]]:
    """The elements from which an element of what is in no memory is computed."""
    match node.op:
        case "view":
            axes = dict(enumerate(index))
            return [(node.args[0], tuple(position.at(axes) for position in node.par))]
        case "copy":
            return [(node.args[0], index)]
        case "take":
            return picks(node, index)
        case "fill" | "iota":
            return []
        case _:
            return [(x, broadcast(index, x.shape, node.shape)) for x in node.args]


def picks(node: Node, index: Index) -> list[tuple[Node, Index]]:
    """The elements of the indices that say what is taken."""
    x, *indices = node.args
    rank = len(node.shape) - len(x.shape) + len(indices)
    at, rows = index[node.par : node.par + rank], node.shape[node.par : node.par + rank]
    return [(i, broadcast(at, i.shape, rows)) for i in indices]


class Schedule:
    """The tasks of every block."""

    def __init__(self, memory: Memory) -> None:
        """Of arrays that have their places."""
        self.memory = memory
        self.tasks: dict[NodeBlock, list[Task]] = {}
        self.wanted: set[Node] = set()
        """What is costly, in no memory, and would be computed more often than it has elements."""
        self._ready: dict[Node, int] = {}
        """The task of its block that makes a node."""
        self._where: dict[Node, tuple[Task, Index]] = {}
        self._cleared: dict[Node, int] = {}
        """How many tasks of its block there are when a whole is zero."""
        self._costs: dict[Node, int] = {}
        self._copied: dict[Node, int] = {}
        """The last task that copies a node from memory to other places."""
        self._block(memory.function.block)

    def _block(self, block: NodeBlock) -> None:
        tasks = self.tasks[block] = []
        for node in block.nodes:
            self._node(node, tasks)

    def _node(self, node: Node, tasks: list[Task]) -> None:
        memory = self.memory
        if node.shape and not node.size:
            return
        for place in self._written(node):
            self._clear(place, tasks)
        if node.op in ("loop", "choice"):
            for inner in bodies(node):
                self._block(inner)
            self._alone(node, tasks)
        elif node.op == "out":
            self._ready[node] = self._ready[node.args[0]]
        elif node.op == "reduce":
            self._join(Out(node.args[0], memory.places.get(node, [])[:1], node.par[0], node), tasks)
        elif node.op == "assembly":
            self._assembly(node, tasks)
        elif is_scanned(node):
            self._join(Out(node.args[0], memory.places[node][:1], node.op, node), tasks)
        elif node.op in RUNNING | ALONE:
            self._alone(node, tasks)
        elif node.op not in GIVEN and node.op != "reshape":
            if node.shape and node in memory.places:
                self._join(Out(node, memory.places[node]), tasks)
            return
        copies = memory.copies(node)
        if node.shape and copies:
            self._join(Out(node, copies), tasks)

    def _written(self, node: Node) -> list[Strided]:
        """The places that are written where a node is made."""
        if node.op in ("loop", "choice", "call"):
            return [p for out in node.par.outs.values() for p in self.memory.places.get(out, ())]
        return list(self.memory.places.get(node, ()))

    def _clear(self, place: Strided, tasks: list[Task]) -> None:
        """Before a window is written its whole is zero, where that is needed."""
        todo = [place]
        wholes: list[Node] = []
        while todo:
            whole = self.memory.wholes.get(todo.pop())
            if whole is not None and whole not in self._cleared:
                wholes.append(whole)
                todo.append(self.memory.homes[whole])
        for whole in reversed(wholes):
            self._zero(whole, tasks)

    def _zero(self, whole: Node, tasks: list[Task]) -> None:
        if whole in self.memory.filled:
            tasks.append(Task("clear", whole))
        self._cleared[whole] = len(tasks)

    def _alone(self, node: Node, tasks: list[Task]) -> None:
        self._ready[node] = len(tasks)
        space = tuple(n for n in node.args[0].shape if n != 1) if node.op == "put" else ()
        tasks.append(Task(node.op, node, space))

    def _assembly(self, node: Node, tasks: list[Task]) -> None:
        """Zeros, where there are any, and the pieces that are not in their windows already."""
        memory, last = self.memory, -1
        if node not in self._cleared:
            self._clear(memory.homes[node], tasks)
            self._zero(node, tasks)
        cleared = len(tasks)
        for piece, window in zip(node.args, node.par, strict=True):
            place = windowed(memory.homes[node], window, piece.shape)
            if any(is_same(place, known) for known in memory.places.get(piece, ())):
                made = [self._ready.get(x, -1) for x in _viewed(piece)]
                last = max(last, *made, self._copied.get(piece, -1))
            else:
                kind = "add" if node in memory.filled else "store"
                last = max(last, self._join(Out(piece, [place], kind), tasks, first=cleared))
        self._ready[node] = max(last, cleared - 1)

    # ---- nests

    def _join(self, out: Out, tasks: list[Task], first: int = 0) -> int:
        """Have the first nest make it that can; its number."""
        for place in out.places:
            whole = self.memory.wholes.get(place)
            if whole is not None and self._is_here(whole, tasks):
                first = max(first, self._cleared[whole])
        visited, reads = self._reached(out)
        for node, index in reads:
            ready = self._ready.get(node, -1) if self._is_here(node, tasks) else -1
            if ready >= 0 and (index is None or tasks[ready].made.get(node) != index):
                ready += 1
            first = max(first, ready)
        for number in range(first, len(tasks)):
            if self._fits(out, tasks[number], reads):
                break
        else:
            number = len(tasks)
            tasks.append(Task("nest", space=out.space))
        task = tasks[number]
        task.outs.append(out)
        task.reduced |= out.reduced
        if out.result is not None:
            self._ready[out.result] = number
            if out.is_running:
                task.is_reversed = out.result.par[1]
                task.made[out.result] = out.index
        elif out.node in self._ready or out.node.op in GIVEN or out.kind == "add":
            self._copied[out.node] = max(number, self._copied.get(out.node, -1))
        else:
            self._ready[out.node] = number
            task.made[out.node] = out.index
        self._count(visited, task, tasks)
        return number

    def _is_here(self, node: Node, tasks: list[Task]) -> bool:
        return self.tasks.get(node.block) is tasks

    def _fits(self, out: Out, task: Task, reads: list[tuple[Node, Index | None]]) -> bool:
        """Whether a nest has its extents, and makes nothing that it reads elsewhere."""
        if task.kind != "nest" or task.space != out.space:
            return False
        if out.reduced and task.reduced and out.reduced != task.reduced:
            return False
        if out.is_running and (task.reduced or task.is_reversed not in (None, _direction(out))):
            return False
        if out.reduced and task.is_reversed is not None:
            return False
        results = {other.result for other in task.outs if not other.is_running}
        return all(
            node not in results and task.made.get(node, index) == index for node, index in reads
        )

    def _reached(
        self, out: Out
    ) -> tuple[list[tuple[Node, Index]], list[tuple[Node, Index | None]]]:
        """What is computed for an element of it, and what is read that is in memory."""
        visited: list[tuple[Node, Index]] = []
        reads: list[tuple[Node, Index | None]] = []
        seen: set[tuple[Node, Index]] = set()
        if out.node.op == "reshape":
            return [], [(x, None) for x in _viewed(out.node)]
        is_made = out.node in self._ready or out.node.op in GIVEN
        todo = [(out.node, out.index)] if is_made else operands(out.node, out.index)
        if out.node.op == "take" and not is_made:
            reads += [(x, None) for x in _viewed(out.node.args[0])]
        while todo:
            node, index = pair = todo.pop()
            if pair in seen:
                continue
            seen.add(pair)
            if node.op == "reshape":
                reads += [(x, None) for x in _viewed(node)]
            elif node.op in MADE or node.op in GIVEN or node in self.memory.homes:
                reads.append(pair)
            elif node.shape and self.memory.home(node) is not None:
                reads += [(x, None) for x in _viewed(node)]
            else:
                visited.append(pair)
                if node.op == "take":
                    reads += [(x, None) for x in _viewed(node.args[0])]
                todo += operands(node, index)
        return visited, reads

    def _count(self, visited: list[tuple[Node, Index]], task: Task, tasks: list[Task]) -> None:
        """Note what would be computed twice, or for more elements than it has."""
        many = prod(task.space)
        for node, index in visited:
            if not node.shape or self._cost(node) < COSTLY:
                continue
            before = self._where.setdefault(node, (task, index))
            again = before[0] is not task or before[1] != index
            if again or node.size < many or not self._is_here(node, tasks):
                self.wanted.add(node)

    def _cost(self, node: Node) -> int:
        """What an element costs, with all that is computed for it."""
        todo = [node]
        while todo:
            here = todo[-1]
            below = [
                x
                for x in here.args
                if x.shape and x.op not in MADE | GIVEN and x not in self.memory.homes
            ]
            missing = [x for x in below if x not in self._costs]
            if missing and here not in self._costs:
                todo += missing
                continue
            cost = WEIGHTS.get(here.op, 0 if here.op in FREE else 1)
            self._costs[here] = min(cost + sum(self._costs[x] for x in below), 1 << 20)
            todo.pop()
        return self._costs[node]


def is_scanned(node: Node) -> bool:
    """Whether a running product is computed in a nest: its axis is the last, and long."""
    if node.op != "exclusive_cumprod" or node.dtype != "float64":
        return False
    axis = node.par[0]
    return node.shape[axis] >= SCANNED and all(n == 1 for n in node.shape[axis + 1 :])


def _direction(out: Out) -> bool:
    assert out.result is not None
    return bool(out.result.par[1])


def _viewed(node: Node) -> list[Node]:
    """A node, and what it is a view of, and that: any of them may be what is in memory."""
    found = [node]
    while found[-1].op in ("view", "reshape") and found[-1].args[0].shape:
        found.append(found[-1].args[0])
    return found


def planned(function: FunctionGraph) -> tuple[Memory, Schedule]:
    """The places and the tasks, in which nothing costly is computed twice."""
    stored: set[Node] = set()
    while True:
        memory = Memory(function, stored)
        schedule = Schedule(memory)
        if schedule.wanted <= stored:
            return memory, schedule
        stored |= schedule.wanted
