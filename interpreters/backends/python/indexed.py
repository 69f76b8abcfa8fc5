"""Elements at indices: outside they read 0 and put nowhere, and are asked only where they may be.

What is known of an index is between which integers it lies: a loop over a range and arithmetic with
it need no test.
"""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from typing import TYPE_CHECKING

from combinators.objects import Bool, Int, Object, Real, Tensor
from combinators.operation import Operation
from interpreters.backends.python import arrays
from interpreters.backends.python.frame import Frame, fresh_leaf, share
from interpreters.backends.python.numbers import may_be_zero
from interpreters.backends.python.scalars import PYTHON
from interpreters.backends.python.values import Bounds, Leaf, Value
from interpreters.backends.text.frame import Spread
from interpreters.backends.text.layout import ATOM, Block, Do, call, flat, tuple_of

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter

Shape = tuple[int, ...]
_ONE_LINE = 60


def take(
    emitter: Emitter,
    operation: Operation,
    args: Sequence[Leaf],
    texts: Sequence[str],
    cod: Tensor,
    at: Frame,
    wish: str,
) -> Leaf:
    """What is read; ``texts`` are those of ``args``. A row is a view, where it is not zeros."""
    (axis,) = operation.keywords.values()
    x, *indices = args
    assert isinstance(x.type, Tensor)
    extents = x.type.shape[axis : axis + len(indices)]
    places = _named(indices, texts[1:], extents, at)
    tests = _tests(indices, places, extents)
    index = arrays.index_text(axis, places)
    bounds = min(x.bounds[0], 0), max(x.bounds[1], 0)
    tainted = any(arg.tainted for arg in args)
    if any(isinstance(i.type, Tensor) and i.type.shape for i in indices):
        emitter.warns = True
        whole = call("_take", texts[0], str(axis), *places) if tests else f"{texts[0]}[{index}]"
        return fresh_leaf(at.assign(whole, wish), cod, tainted=tainted, bounds=bounds)
    read = f"{texts[0]}[{index}]" if cod.shape else arrays.element(texts[0], index, cod)
    if tests:
        read = _tested(read, " and ".join(tests), cod, at)
    if not cod.shape:
        emitter.warns = emitter.warns or cod not in PYTHON
        return Leaf(at.assign(read, wish), cod, ATOM, bounds=bounds, tainted=tainted)
    share(x)
    row = at.assign(read, wish) if tests else read
    return Leaf(row, cod, ATOM, x.root, bounds, tainted)


def _named(indices: Sequence[Leaf], texts: Sequence[str], extents: Shape, at: Frame) -> list[str]:
    """The indices, under a name where they are asked before they are used."""
    return [
        at.assign(text, "i")
        if _may_be_outside(index, extent) and index.literal is None and not text.isidentifier()
        else text
        for index, text, extent in zip(indices, texts, extents, strict=True)
    ]


def _tested(read: str, condition: str, cod: Tensor, at: Frame) -> str:
    if len(read) + len(condition) > _ONE_LINE:
        condition = at.assign(condition, "inside")
    return f"{read} if {condition} else {_nothing(cod)}"


def asked(emitter: Emitter, operation: Operation, x: Value, at: Frame, wish: str) -> Value:
    """``x`` itself, after a call that raises where a check of it fails."""
    given = x.inner if isinstance(x, Spread) else emitter.array(x, at)
    axis, extent, place = map(operation.keywords.get, ("axis", "extent", "place"))
    may_fail, bounds = _doubts(operation, given)
    if not may_fail:
        return x
    share(given)
    options = [] if extent is None else [str(axis), str(extent)]
    text = call(f"_{operation.name}", at.named(given).text, *options, dumps(str(place)))
    made = Leaf(at.assign(text, wish), given.type, ATOM, given.root, bounds)
    return Spread(made, x.type) if isinstance(x, Spread) else made


def _doubts(check: Operation, x: Leaf) -> tuple[bool, Bounds]:
    """Whether a check may fail, and between which integers lies what has passed it."""
    match check.name:
        case "within":
            extent = check.keywords["extent"]
            return _may_be_outside(x, extent), (0, max(extent - 1, 0))
        case "nonnegative":
            return x.bounds[0] < 0, (0, max(x.bounds[1], 0))
        case _:
            return may_be_zero(x), x.bounds


def add_at(
    put: Operation, name: str, rank: int, indices: Sequence[Leaf], x: str, sign: str, at: Frame
) -> None:
    """Put ``x`` at ``indices`` of the array ``name``; ``sign`` is ``=`` where there is nothing."""
    axis, extents = put.keywords["axis"], put.keywords["extents"]
    texts = [index.text for index in indices]
    tests = _tests(indices, texts, extents)
    if all(isinstance(i.type, Tensor) and not i.type.shape for i in indices):
        write = Do(f"{name}[{arrays.index_text(axis, texts)}] {sign} {x}")
        at.body.append(Block("if ", " and ".join(tests), "", [write]) if tests else write)
    elif axis or len(indices) > 1 or rank > 1 or tests:
        at.do(call("_add_at", name, str(axis), tuple_of(tuple(texts)), x))
    else:
        at.do(call("np.add.at", name, texts[0], x))


def _may_be_outside(x: Leaf, extent: int) -> bool:
    return x.bounds[0] < 0 or x.bounds[1] >= extent


def _tests(indices: Sequence[Leaf], texts: Sequence[str], extents: Shape) -> list[str]:
    """What has to hold for the indices to be inside, as far as it is not known."""
    tests = []
    for index, text, extent in zip(indices, texts, extents, strict=True):
        before = "0 <= " if index.bounds[0] < 0 else ""
        after = f" < {extent}" if index.bounds[1] >= extent else ""
        if before or after:
            tests.append(f"{before}{text}{after}")
    return tests


_ZEROS: dict[Object, str] = {Real: "0.0", Int: "0", Bool: "False"}


def _nothing(obj: Tensor) -> str:
    """What is read outside."""
    if not obj.shape:
        return _ZEROS.get(obj, f"np.{obj.dtype}(0)")
    return flat(call("np.zeros", arrays.shape_text(obj.shape), *arrays.dtype_option(obj.dtype)))
