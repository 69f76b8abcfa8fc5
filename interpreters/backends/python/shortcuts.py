"""Several primitives of the language that NumPy has as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from combinators.objects import Tensor
from combinators.terms import Prim, Term
from interpreters.backends.python import arrays
from interpreters.backends.python.frame import Frame, share
from interpreters.backends.python.values import (
    ATOM,
    Leaf,
    Spread,
    Value,
)

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter

from interpreters.backends.python.tensors import consume, short


class Shortcut(NamedTuple):
    """Several primitives that NumPy has as one."""

    args: tuple[Term, ...]
    write: Callable[[Emitter, Value, Frame, str], Value]


def shortcut(term: Prim) -> Shortcut | None:
    """``x[0]``, which the language writes as a window and a reshape."""
    if term.operation.name != "reshape" or not isinstance(term.args[0], Prim):
        return None
    inner = term.args[0]
    if inner.operation.name != "slice" or not isinstance(term.type, Tensor):
        return None
    source, extent = inner.args[0].type, inner.operation.keywords["extent"]
    if not isinstance(source, Tensor) or term.type.shape != tuple(n for n in extent if n != 1):
        return None
    cod = term.type
    index = arrays.slice_text(**inner.operation.keywords, shape=source.shape, drop=True)

    def write(emitter: Emitter, x: Value, at: Frame, wish: str) -> Value:
        if isinstance(x, Spread) and not x.inner_shape:
            return Spread(x.inner, cod) if cod.shape else x.inner
        array = short(emitter.array(x, at), at)
        if cod.shape:
            share(array)
            text = f"{array.text}[{index}]"
            return Leaf(text, cod, ATOM, array.root, array.bounds, array.tainted)
        consume([array])
        name = at.assign(arrays.element(array.text, index, cod), wish)
        return Leaf(name, cod, ATOM, bounds=array.bounds, tainted=array.tainted)

    return Shortcut((inner.args[0],), write)
