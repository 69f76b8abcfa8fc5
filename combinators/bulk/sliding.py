"""``x[a + s·i ± j]``, of two indices: windows that slide, without a table.

``x`` is repeated in rows that are laid flat. Read again in rows that are longer by ``s``, each row
begins ``s`` further on than the one before: a Toeplitz or Hankel matrix by broadcasts, reshapes and
slices, whose derivative is a sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from combinators.bulk.block import Atom, Axis, Block, shape_of
from combinators.bulk.values import Label

WASTE = 4
"""Rows may be so many times as long as what is read of them."""


class Sliding(NamedTuple):
    """``x[offset + step·i + direction·j]``: a window for each ``i``, along which ``j`` runs."""

    tiled: Axis
    step: int
    running: Axis
    direction: int

    @property
    def length(self) -> int:
        """How much of ``x`` the windows cover."""
        return abs(self.step) * (self.tiled.extent - 1) + self.running.extent

    @property
    def is_frugal(self) -> bool:
        """Whether rows are not much longer than windows."""
        return self.length <= WASTE * self.running.extent


def sliding(slopes: Mapping[Label, int]) -> Sliding | None:
    """How two indices slide, if they do: one of them by single steps, the other seldom."""
    if len(slopes) != 2 or any(isinstance(label, int) or label.extent < 2 for label in slopes):
        return None
    axes = [label for label in slopes if isinstance(label, Axis)]
    ways = [
        Sliding(tiled, slopes[tiled], running, slopes[running])
        for tiled, running in (axes, axes[::-1])
        if abs(slopes[running]) == 1
    ]
    best = min(ways, key=lambda way: way.tiled.extent * way.length, default=None)
    return best if best is not None and best.is_frugal else None


def windows(block: Block, x: Atom, at: int, way: Sliding, offset: int) -> Atom:
    """``x`` with two axes in place of its axis ``at``: the tiled one, and the one that runs."""
    count, width, length = way.tiled.extent, way.running.extent, way.length
    step, low = way.step, offset + min(0, way.step) * (count - 1)
    low += min(0, way.direction) * (width - 1)
    row = _covered(block, x, at, low, length)
    if way.direction < 0:
        row, step = block.part(row, at, length - 1, -1, length), -step
    before, after = shape_of(row)[:at], shape_of(row)[at + 1 :]
    rows = count + (-(-count * step // length) if step > 0 else 0)
    one = block.reshaped(row, (*before, 1, length, *after))
    tiled = block.broadcast(one, (*before, rows, length, *after))
    flat = block.reshaped(tiled, (*before, rows * length, *after))
    first = max(0, -step) * (count - 1)
    cut = block.part(flat, at, first, 1, count * (length + step))
    sheared = block.reshaped(cut, (*before, count, length + step, *after))
    return block.part(sheared, at + 1, 0, 1, width)


def _covered(block: Block, x: Atom, at: int, low: int, length: int) -> Atom:
    """The elements from ``low`` on, so many of them; zeros where there are none."""
    extent = shape_of(x)[at]
    start, stop = max(low, 0), min(low + length, extent)
    inside = max(0, stop - start)
    part = block.part(x, at, start, 1, inside)
    return block.padded(part, at, start - low if inside else 0, length)
