"""Nests that stream over one long axis, taken a block of it at a time.

    y = sin x, z = cos y * y of 100,000 elements; the nest of z stands behind that of y

    for each 1,000 of the axis:  the 1,000 of y;  the 1,000 of z        y has room for 1,000

What was written to memory and read again by a later pass stays near the processor. A first writing
of the program says which elements each task reads and writes; nests may share a block where, in
each storage that one of them writes, all of them move along the axis alike and stay in its cells.
The last block begins so early that it is whole: what it shares with the one before is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from interpreters.backends.llvm.fusion import SPACE, Task
from interpreters.backends.llvm.indices import Position, Storage, Strided, variable_
from interpreters.backends.llvm.places import Memory

LEAST, NEAR = 1 << 11, 96 << 10
"""Extents of an axis worth it, and bytes of what stays near the processor."""
STEP = 32
FIRST, FRESH, NUMBER = 1 << 30, 1 << 20, 1 << 21
"""Variables say where a block begins, by ``FRESH`` more what none before had, and its number."""


class Access(NamedTuple):
    """Where a task reads or writes a storage."""

    task: Task
    storage: Storage
    where: Position
    """In elements."""
    width: int
    """Bytes of an element."""
    is_exact: bool
    """Whether that is all that it touches there."""


@dataclass(frozen=True)
class Cells:
    """How a storage lies along the axis of a block."""

    step: int
    """From one cell of the axis to the next, in elements."""
    extent: int

    def inside(self, access: Access, variable: int, extents: dict[int, int]) -> bool:
        """Whether an access stays in the cell that the variable says."""
        if not access.is_exact or access.where.factor(variable) != self.step:
            return False
        whole = self.step * self.extent
        low = high = access.where.constant % whole
        for other, factor in access.where.terms:
            if other == variable or factor % whole == 0:
                continue
            if other not in extents:
                return False
            reach = factor * (extents[other] - 1)
            low, high = low + min(reach, 0), high + max(reach, 0)
        return 0 <= low <= high < self.step

    def contracted(self, place: Strided, start: int, block: int) -> Strided:
        """A place in as many cells as a block has."""
        whole = self.step * self.extent

        def near(factor: int) -> int:
            return factor // whole * self.step * block + factor % whole

        terms = tuple((v, near(factor)) for v, factor in place.offset.terms)
        offset = Position(near(place.offset.constant), terms)
        return replace(
            place,
            offset=offset.plus(variable_(start, -self.step)),
            strides=tuple(map(near, place.strides)),
        )


class Blocks:
    """The tasks of a function's outermost block, some of them in blocks."""

    def __init__(self, memory: Memory, accesses: Iterable[Access]) -> None:
        """Of all accesses of a first writing; places in ``memory`` are changed."""
        self.memory = memory
        self._of_task: dict[Task, list[Access]] = {}
        self._of_storage: dict[Storage, list[Access]] = {}
        for access in accesses:
            self._of_task.setdefault(access.task, []).append(access)
            self._of_storage.setdefault(access.storage, []).append(access)
        self._count = 0

    def of(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks, where some may be parts of one."""
        found: list[Task] = []
        left = list(tasks)
        while left:
            best: tuple[list[tuple[Task, int]], dict[Storage, Cells]] = [], {}
            for variable in _axes(left[0]) if left[0].kind == "nest" else ():
                group = self._group(left, variable)
                if _bytes(group[1]) > _bytes(best[1]):
                    best = group
            if _bytes(best[1]) > NEAR:
                chosen = {task for task, _ in best[0]}
                last = max(left.index(task) for task in chosen)
                passed = [task for task in left[:last] if task not in chosen]
                found += [task for task in passed if task.kind == "clear"]
                found.append(self._made(*best))
                left = [t for t in passed if t.kind != "clear"] + left[last + 1 :]
            else:
                found.append(left.pop(0))
        return found

    def _group(
        self, tasks: Sequence[Task], variable: int
    ) -> tuple[list[tuple[Task, int]], dict[Storage, Cells]]:
        """The tasks that can go with the first, and what only they know, as cells."""
        extent = tasks[0].space[variable - SPACE]
        group = [(tasks[0], variable)]
        cells = self._cells({}, tasks[0], variable, extent)
        if cells is None:
            return [], {}
        passed: list[Task] = []
        for task in tasks[1:]:
            if task.kind == "clear":
                continue
            fitting = [
                (axis, more)
                for axis in _axes(task)
                if task.space[axis - SPACE] == extent and not self._meets(task, passed)
                for more in [self._cells(cells, task, axis, extent)]
                if more is not None
            ]
            if not fitting and task.kind not in ("put", "matmul"):
                break
            if not fitting:
                passed.append(task)
                continue
            axis, cells = fitting[-1]
            group.append((task, axis))
        chosen = {task for task, _ in group}
        own = {
            storage: cell
            for storage, cell in cells.items()
            if cell.step
            and storage.kind == "work"
            and all(a.task in chosen for a in self._of_storage[storage])
        }
        return group, own

    def _cells(
        self, known: dict[Storage, Cells], task: Task, variable: int, extent: int
    ) -> dict[Storage, Cells] | None:
        """The cells of what is written, with another task; None where it cannot be one of them."""
        found, extents = dict(known), {SPACE + axis: n for axis, n in enumerate(task.space)}
        written = self._written(task)
        if task.kind == "put":
            if written & known.keys():
                return None
            found |= {storage: Cells(0, extent) for storage in written}
        for access in self._of_task.get(task, ()):
            if task.kind == "put" and access.storage in written:
                continue
            if access.storage not in written and access.storage not in known:
                continue
            cell = found.setdefault(access.storage, Cells(access.where.factor(variable), extent))
            if cell.step <= 0 or not cell.inside(access, variable, extents):
                return None
            size = access.storage.size // access.width
            if size % (cell.step * extent):
                return None
        return found

    def _meets(self, task: Task, passed: Sequence[Task]) -> bool:
        """Whether it has a storage in common with one of those that it would overtake."""
        own = {access.storage for access in self._of_task.get(task, ())}
        theirs = {access.storage for other in passed for access in self._of_task.get(other, ())}
        made = {storage for other in passed for storage in self._written(other)}
        return bool(self._written(task) & theirs or own & made)

    def _written(self, task: Task) -> set[Storage]:
        places = [] if task.node is None else self.memory.places[task.node]
        return {place.storage for place in (*places, *(p for o in task.outs for p in o.places))}

    def _made(self, group: list[tuple[Task, int]], cells: dict[Storage, Cells]) -> Task:
        """One task, whose storages are as large as a block."""
        first, variable = group[0]
        extent = first.space[variable - SPACE]
        each = _bytes(cells) // extent
        block = min(max(NEAR // each // STEP * STEP, STEP), 1 << 10)
        start = FIRST + self._count
        self._count += 1

        def moved(place: Strided) -> Strided:
            cell = cells.get(place.storage)
            return place if cell is None else cell.contracted(place, start, block)

        memory = self.memory
        memory.homes = {node: moved(place) for node, place in memory.homes.items()}
        memory.places = {node: [*map(moved, each)] for node, each in memory.places.items()}
        for task, axis in group:
            task.streams = axis, start, block
            for out in task.outs:
                out.places = [*map(moved, out.places)]
        for storage in cells:
            storage.size = storage.size // extent * block
        return Task("blocks", space=(extent, block, start), parts=[task for task, _ in group])


def _axes(task: Task) -> list[int]:
    """The axes that a nest may stream over: not reduced, and no products run in it.

    Sums are scattered along the axes of their indices, and those before.
    """
    if task.kind not in ("nest", "put") or task.is_reversed is not None:
        return []
    if any(out.kind == "add" for out in task.outs):
        return []
    space = task.space
    if task.node is not None:
        x, *indices = task.node.args
        rank = len(x.shape) - len(task.node.shape) + len(indices)
        space = tuple(n for n in x.shape[: task.node.par + rank] if n != 1)
    return [
        SPACE + axis
        for axis, n in enumerate(space)
        if n >= LEAST and SPACE + axis not in task.reduced
    ]


def _bytes(storages: Iterable[Storage]) -> int:
    return sum(storage.size for storage in storages)
