"""NumPy's functions that only move numbers: each is applied to positions, and what they say taken.

``np.roll(x, 1)`` of four numbers is NumPy's own ``roll`` of ``[1, 2, 3, 4]``, which is
``[4, 1, 2, 3]``: the fourth number of ``x``, then the first, the second and the third. Position 0
is a zero that NumPy fills in, as ``np.tril`` and ``np.pad`` do. Several arrays are numbered one
after the other. What is moved so is one ``take``, a window, a mask or a repetition, whichever says
it, and so has derivatives.
"""

from __future__ import annotations

import inspect
from functools import wraps
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.primitives.arithmetic import where
from combinators.primitives.indexing import take_at
from combinators.primitives.shapes import (
    Shape,
    astype,
    broadcast_to,
    concatenate,
    embed,
    part,
    reshape,
    shape_of,
)
from combinators.tracing.emit import NUMBERS, dtype_of, from_elsewhere
from combinators.tracing.traced import Traced, library, of_numpy

Positions = np.ndarray[Any, np.dtype[np.int64]]

MOVING = {
    **dict.fromkeys(("roll", "repeat", "rollaxis", "resize", "compress"), "a"),
    **dict.fromkeys(("rot90", "flipud", "fliplr", "triu", "tril"), "m"),
    **dict.fromkeys(("split", "array_split", "hsplit", "vsplit", "dsplit"), "ary"),
    **dict.fromkeys(("diag", "diagflat"), "v"),
    **dict.fromkeys(("atleast_1d", "atleast_2d", "atleast_3d"), "arys"),
    **dict.fromkeys(("column_stack", "dstack"), "tup"),
    **dict.fromkeys(("fft.fftshift", "fft.ifftshift", "unstack"), "x"),
    "lib.stride_tricks.sliding_window_view": "x",
    "matrix_transpose": "x",
    "linalg.matrix_transpose": "x",
    "linalg.diagonal": "x",
    "tile": "A",
    "delete": "arr",
    "extract": "arr",
    "block": "arrays",
    "broadcast_arrays": "args",
    "meshgrid": "xi",
    "append": "arr values",
    "insert": "arr values",
    "choose": "choices",
    "pad": "array constant_values",
}
"""NumPy's functions that move numbers, and which of their parameters hold them."""
_MODES = ("constant", "edge", "reflect", "symmetric", "wrap", "empty")
"""The modes of ``np.pad`` that compute nothing."""


class _Numbered:
    """The arrays among the arguments of one call, and their positions, one after the other."""

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self.ends = [0]

    def numbered(self, value: Any) -> Any:
        """``value`` with the positions of its arrays in their places."""
        value = from_elsewhere(value)
        if isinstance(value, (list, tuple)):
            return type(value)(map(self.numbered, value))
        if not isinstance(value, (Traced, *NUMBERS)):
            return value
        shape = shape_of(value)
        size = int(np.prod(shape, dtype=np.int64))
        self.arrays.append(value)
        self.ends.append(self.ends[-1] + size)
        return np.arange(self.ends[-1] - size + 1, self.ends[-1] + 1).reshape(shape)

    def gathered(self, found: Any, dtype: Any) -> Any:
        """What stands at the positions that were found, an array or several."""
        if isinstance(found, (list, tuple)):
            return type(found)(self.gathered(one, dtype) for one in found)
        positions = np.asarray(found)
        used = np.unique(np.searchsorted(self.ends, positions[positions > 0]))
        if len(used) == 1:
            (which,) = used
            moved = np.where(positions > 0, positions - self.ends[which - 1], 0)
            return at_positions(self.arrays[which - 1], moved)
        whole = concatenate([_flat(array) for array in self.arrays])
        taken = at_positions(whole, positions)
        return taken if dtype is None else astype(taken, dtype)


def _moving(name: str, holding: str) -> None:
    """NumPy's function of that name, of traced values in the parameters ``holding``."""
    given = of_numpy(name)
    if given is None:
        return
    signature = inspect.signature(given)

    @wraps(given)
    def moved(*args: Any, **kwargs: Any) -> Any:
        if name == "pad" and (mode := signature.bind(*args, **kwargs).arguments.get("mode")):
            _check_mode(mode)
        numbered = _Numbered()
        found = _called(given, signature, holding, numbered.numbered, args, kwargs)
        kinds = {np.result_type(dtype_of(array)) for array in numbered.arrays}
        if len(kinds) < 2 or isinstance(found, (list, tuple)):
            return numbered.gathered(found, None)
        zeros = _called(given, signature, holding, _zeros, args, kwargs)
        return numbered.gathered(found, zeros.dtype)

    library(name, word=False)(moved)


def _called(
    given: Any, signature: inspect.Signature, holding: str, change: Any, args: Any, kwargs: Any
) -> Any:
    bound = signature.bind(*args, **kwargs)
    for name in holding.split():
        for table in (bound.arguments, bound.arguments.get("kwargs", {})):
            if name in table:
                table[name] = change(table[name])
    for word, value in bound.arguments.items():
        if isinstance(value, Traced):
            raise TypeMismatch(
                f"{word} of np.{given.__name__} says what moves where, and is {value!r}, which is "
                "not known while tracing; write np.take or np.where"
            )
    return given(*bound.args, **bound.kwargs)


def _zeros(value: Any) -> Any:
    """Zeros like ``value``, by which NumPy says of what type its result is."""
    value = from_elsewhere(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_zeros, value))
    return np.zeros(value.shape, value.dtype) if isinstance(value, Traced) else value


def _check_mode(mode: Any) -> None:
    if mode not in _MODES:
        raise TypeMismatch(
            f"np.pad of a traced value moves numbers: mode is one of {', '.join(_MODES)}, and not "
            f"{mode!r:.30}; for others write np.concatenate"
        )


def at_positions(x: Any, positions: Positions) -> Any:
    """The numbers of ``x`` at ``positions``, counted from 1, and zeros at 0; of their shape."""
    own = np.arange(1, 1 + int(np.prod(shape_of(x), dtype=np.int64))).reshape(shape_of(x))
    narrow = positions
    for axis in range(positions.ndim):
        if positions.shape[axis] > 1 and np.all(narrow == narrow.take([0], axis)):
            narrow = narrow.take([0], axis)
    if narrow.size < positions.size:
        return broadcast_to(at_positions(x, narrow), positions.shape)
    for way in (_as_they_are, _masked, _stepping, _among_zeros, _along_an_axis):
        made = way(x, own, positions)
        if made is not None:
            return made
    return take_at(_flat(x), [positions - 1], 0)


def _flat(x: Any) -> Any:
    return _reshaped(x, (-1,)) if len(shape_of(x)) != 1 else x


def _reshaped(x: Any, shape: Shape) -> Any:
    return x if shape_of(x) == shape else reshape(x, shape)


def _as_they_are(x: Any, own: Positions, positions: Positions) -> Any:
    if positions.size == own.size and np.array_equal(positions.ravel(), own.ravel()):
        return _reshaped(x, positions.shape)
    return None


def _masked(x: Any, own: Positions, positions: Positions) -> Any:
    if positions.shape == own.shape and np.all((positions == own) | (positions == 0)):
        return where(positions > 0, x, np.zeros((), np.result_type(dtype_of(x))))
    return None


def _stepping(x: Any, own: Positions, positions: Positions) -> Any:
    """Equal steps through ``x`` laid flat."""
    flat = positions.ravel()
    if not flat.size or not flat.all():
        return None
    step = int(flat[1] - flat[0]) if flat.size > 1 else 1
    if not step or not np.all(np.diff(flat) == step):
        return None
    return _reshaped(part(_flat(x), 0, int(flat[0]) - 1, flat.size, step), positions.shape)


def _along_an_axis(x: Any, own: Positions, positions: Positions) -> Any:
    """The same places in all lines along one axis."""
    if positions.ndim != own.ndim or not positions.size:
        return None
    for axis in range(own.ndim):
        line = positions[tuple(slice(None) if a == axis else -1 for a in range(own.ndim))]
        last = int(np.prod(own.shape[axis + 1 :], dtype=np.int64))
        index = np.where(line > 0, (line - 1) // last % own.shape[axis], -1)
        shape = (*own.shape[:axis], len(index), *own.shape[axis + 1 :])
        if shape != positions.shape:
            continue
        expected = np.compress(index >= 0, own.take(index, axis), axis)
        rest = np.compress(index < 0, positions, axis)
        if rest.any() or not np.array_equal(np.compress(index >= 0, positions, axis), expected):
            continue
        steps = np.diff(index)
        if (index >= 0).all() and len(index) > 1 and steps[0] and (steps == steps[0]).all():
            return part(x, axis, int(index[0]), len(index), int(steps[0]))
        return take_at(x, [index], axis)
    return None


def _among_zeros(x: Any, own: Positions, positions: Positions) -> Any:
    """All of ``x`` in one window of zeros, as ``np.pad`` has it."""
    if positions.ndim != own.ndim or np.count_nonzero(positions) != own.size or not own.size:
        return None
    start: Shape = tuple(int(i[0]) for i in np.nonzero(positions == 1))
    window = tuple(slice(i, i + n) for i, n in zip(start, own.shape, strict=True))
    if not np.array_equal(positions[window], own):
        return None
    return embed(x, start, (1,) * own.ndim, positions.shape)


for _name, _holding in MOVING.items():
    _moving(_name, _holding)
