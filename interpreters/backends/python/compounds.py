"""Several primitives of the language that NumPy has as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from combinators.objects import Object, Tensor
from combinators.operation import Operation, named
from combinators.primitives.prefixes import EXCLUSIVE_CUMPROD
from combinators.primitives.reductions import SUM
from combinators.primitives.shapes import RESHAPE
from combinators.simplify.patterns import same
from combinators.terms import Prim, Term
from interpreters.backends.python import numpy_arrays as arrays
from interpreters.backends.python.python_values import (
    Leaf,
    PythonEmitter,
    PythonFrame,
    Value,
    consume,
    fresh_leaf,
    share,
)
from interpreters.backends.python.tensors import LARGE, short, tensor
from interpreters.backends.text.emitter import Spread
from interpreters.backends.text.layout import ATOM, call, slice_text


class Compound(NamedTuple):
    """Several primitives that NumPy has as one, or that are quicker as one."""

    args: tuple[Term, ...]
    write: Callable[[PythonEmitter, Sequence[Value], PythonFrame, str], Value]


SHORTEST = 128
"""Over so few elements ``sum`` adds one after the other, as ``einsum`` does, and is slower."""
_HEADS = frozenset((RESHAPE, SUM, named("multiply")))


def compound(term: Prim) -> Compound | None:
    """What begins with ``term``; None where it is a primitive like others."""
    if term.operation.primitive not in _HEADS:
        return None
    match term:
        case Prim(operation, (Prim() as inner,)):
            if operation.primitive is RESHAPE:
                return _element(inner, term.type)
            if operation.keywords["keepdims"]:
                return None
            return _inner_product(inner, operation.keywords["axis"]) or _rows(term, inner)
        case Prim(_, (Prim() as x, Prim() as y)):
            return _others(x, y)
    return None


def _element(inner: Prim, cod: Object) -> Compound | None:
    """``x[0]``, which the language writes as a window and a reshape."""
    if inner.operation.name != "slice" or not isinstance(cod, Tensor):
        return None
    source, extent = inner.args[0].type, inner.operation.keywords["extent"]
    if not isinstance(source, Tensor) or cod.shape != tuple(n for n in extent if n != 1):
        return None
    index = slice_text(**inner.operation.keywords, shape=source.shape, drop=True)

    def write(emitter: PythonEmitter, args: Sequence[Value], at: PythonFrame, wish: str) -> Value:
        (x,) = args
        if isinstance(x, Spread) and not x.inner_shape:
            return Spread(x.inner, cod) if cod.shape else x.inner
        array = short(emitter.array(x, at), at)
        if cod.shape:
            share(array)
            text = f"{array.text}[{index}]"
            return Leaf(text, cod, ATOM, array.root)
        consume(array)
        return Leaf(at.assign(arrays.element(array.text, index, cod), wish), cod)

    return Compound((inner.args[0],), write)


def _inner_product(inner: Prim, axis: tuple[int, ...]) -> Compound | None:
    """Sums of products over a short last axis, without an array of the products."""
    obj = inner.type
    if inner.operation.name not in ("multiply", "square") or not isinstance(obj, Tensor):
        return None
    last = len(obj.shape) - 1
    if last < 1 or axis != (last,) or obj.shape[last] > SHORTEST or obj.size < LARGE:
        return None
    if obj.dtype not in ("float64", "float32") or any(arg.type is not obj for arg in inner.args):
        return None
    letters = "abcdefghijklmnopqrstuvwxyz"[: last + 1]

    def write(emitter: PythonEmitter, args: Sequence[Value], at: PythonFrame, wish: str) -> Value:
        leaves = [short(emitter.array(arg, at), at) for arg in args]
        x, y = leaves[0], leaves[-1]
        consume(*leaves)
        emitter.warns = True
        text = call("np.einsum", f'"{letters},{letters}->{letters[:-1]}"', x.text, y.text)
        cod = Tensor(obj.shape[:-1], obj.dtype)
        return fresh_leaf(at.assign(text, wish), cod)

    return Compound(inner.args, write)


def _rows(term: Prim, inner: Prim) -> Compound | None:
    """The sum of the rows of a product: the sum of a cotangent's rows, times what it meets.

    Derivatives are sums in any order; a user's product stays in its own.
    """
    signs = [inner.operation] if inner.operation.name == "negative" else []
    product = inner.args[0] if signs else inner
    if not isinstance(product, Prim) or product.operation.name != "matmul":
        return None
    x, y, cod = product.args[0].type, product.args[1].type, term.type
    assert isinstance(x, Tensor)
    assert isinstance(y, Tensor)
    assert isinstance(cod, Tensor)
    rows = len(x.shape) - 2
    if term.operation.keywords["axis"] != (rows,) or x.shape[:-2] != y.shape[:-2]:
        return None
    one = Tensor((*x.shape[:-2], 1, x.shape[-1]), x.dtype)
    result = Tensor((*x.shape[:-2], 1, y.shape[-1]), x.dtype)
    summed = Operation(SUM, (("axis", (rows,)), ("keepdims", True)))
    flat = Operation(RESHAPE, (("shape", cod.shape),))
    sooner: list[tuple[Operation, Object]] = [(product.operation, result)]
    later: list[tuple[Operation, Object]] = [(product.operation, product.type)]
    for sign in signs:
        sooner.append((sign, result))
        later.append((sign, inner.type))
    sooner.append((flat, cod))
    later.append((term.operation, cod))

    def write(emitter: PythonEmitter, args: Sequence[Value], at: PythonFrame, wish: str) -> Value:
        cotangent, *others = args
        steps = later
        if emitter.line(product).doubtful and not emitter.absorbs:
            steps = sooner
            cotangent = tensor(emitter, summed, [cotangent], one, at, "t")
        for operation, obj in steps:
            cotangent = tensor(emitter, operation, [cotangent, *others], obj, at, wish)
            others = []
        return cotangent

    return Compound(product.args, write)


def _others(x: Prim, y: Prim) -> Compound | None:
    """For each element of a vector, the product of all the others, in rows that fit the cache."""
    if (
        x.operation.primitive is not EXCLUSIVE_CUMPROD
        or y.operation.primitive is not EXCLUSIVE_CUMPROD
    ):
        return None
    obj, backwards = x.type, {term.operation.keywords["reverse"] for term in (x, y)}
    if len(backwards) < 2 or not same(x.args[0], y.args[0]) or not isinstance(obj, Tensor):
        return None
    if len(obj.shape) != 1 or obj.size < LARGE or not obj.is_smooth:
        return None

    def write(emitter: PythonEmitter, args: Sequence[Value], at: PythonFrame, wish: str) -> Value:
        leaf = short(emitter.array(args[0], at), at)
        consume(leaf)
        emitter.warns = True
        return fresh_leaf(at.assign(call("_others", leaf.text), wish), obj)

    return Compound(x.args, write)
