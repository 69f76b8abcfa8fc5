"""Cotangents that are zero but in some places, and their sums into these places."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from combinators.objects import Tensor
from interpreters.backends.python import arrays
from interpreters.backends.python.frame import Frame, fresh_leaf
from interpreters.backends.python.indexed import add_at
from interpreters.backends.python.values import Leaf, Placed, Value, is_tainted
from interpreters.backends.text.frame import Spread
from interpreters.backends.text.layout import ATOM, call, slice_text

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter

FEW = 16
"""How many places wait together: each is compared with all the others."""


def added(emitter: Emitter, x: Value, y: Placed, at: Frame, wish: str) -> Value:
    """``y`` added in its places to ``x``, or to a copy of it where something else looks at it."""
    if isinstance(x, Spread) and not x.inner_shape and x.inner.literal == 0:
        return y
    if isinstance(x, Placed) and x.uses <= 1 and y.uses <= 1 and _are_apart(x, y):
        return Placed(x.operation, x.inner, x.indices, x.type, (*x.more, *_pieces(y)))
    whole = emitter.array(x, at)
    root = whole.root
    assert root is not None
    root.uses -= 1
    if not root.fresh or root.shared or root.uses > 0 or not whole.text.isidentifier():
        whole = fresh_leaf(at.assign(f"{whole.text}.copy()", wish), whole.type)
        root = whole.root
    assert root is not None
    for piece in _pieces(y):
        _write(piece, whole.text, at, "+=")
    tainted = is_tainted(x) or is_tainted(y)
    return Leaf(whole.text, whole.type, ATOM, root.again(), tainted=tainted)


def placed(value: Placed, at: Frame, wish: str) -> Leaf:
    """Zeros, with what it holds in its places; they are made once."""
    found = at.find(value)
    if found is not None:
        return found
    obj, pieces = value.type, tuple(_pieces(value))
    covered = sum(p.inner.type.size for p in pieces if isinstance(p.inner.type, Tensor))
    text = arrays.filled("0", 0, obj)
    if covered == obj.size and value.operation.name == "embed":
        text = call("np.empty", arrays.shape_text(obj.shape), *arrays.dtype_option(obj.dtype))
    made = fresh_leaf(at.assign(text, wish), obj, tainted=is_tainted(value))
    for piece in pieces:
        _write(piece, made.text, at, "=")
    if value.uses > 1 and made.root is not None:
        made.root.uses = value.uses
        at.remember(value, made)
    return made


def _pieces(value: Placed) -> Iterator[Placed]:
    yield value
    yield from value.more


def _are_apart(x: Placed, y: Placed) -> bool:
    """Whether both are embedded, in places of which none is in both."""
    mine, yours = tuple(_pieces(x)), tuple(_pieces(y))
    if len(mine) + len(yours) > FEW or any(p.operation.name != "embed" for p in (*mine, *yours)):
        return False
    return all(any(map(_disjoint, _box(a), _box(b))) for a in mine for b in yours)


def _box(piece: Placed) -> list[range]:
    """The indices that it takes on each axis."""
    assert isinstance(piece.inner.type, Tensor)
    keywords = piece.operation.keywords
    along = zip(keywords["start"], keywords["step"], piece.inner.type.shape, strict=True)
    return [range(first, first + step * n, step) for first, step, n in along]


def _disjoint(a: range, b: range) -> bool:
    if not a or not b or max(a[0], a[-1]) < min(b[0], b[-1]):
        return True
    if max(b[0], b[-1]) < min(a[0], a[-1]):
        return True
    return (a[0] - b[0]) % math.gcd(a.step, b.step) != 0


def _write(value: Placed, name: str, at: Frame, sign: str) -> None:
    parameters = value.operation.keywords
    if value.operation.name == "embed":
        assert isinstance(value.inner.type, Tensor)
        index = slice_text(
            parameters["start"], parameters["step"], value.inner.type.shape, value.type.shape
        )
        at.do(f"{name}[{index}] {sign} {value.inner.text}")
        return
    rank = len(value.type.shape)
    add_at(value.operation, name, rank, value.indices, value.inner.text, sign, at)
