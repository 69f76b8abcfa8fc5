"""Primitives of numbers and arrays: written inline, on a line of their own, or into a buffer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from combinators.errors import MissingRule
from combinators.objects import Bool, Int, Object, Tensor
from combinators.operation import Operation
from combinators.primitives.checks import CHECKS
from interpreters.backends.python import arrays, indexed
from interpreters.backends.python.frame import Frame, fresh_leaf, share
from interpreters.backends.python.numbers import SHORT, Escalate, scalar, taint, written
from interpreters.backends.python.scalars import PYTHON, conversion, int_bounds, total, wraps
from interpreters.backends.python.values import INT64, Bounds, Leaf, Placed, Root, Value
from interpreters.backends.text.frame import Spread
from interpreters.backends.text.layout import ATOM, call, flat
from interpreters.backends.text.module import is_plain

if TYPE_CHECKING:
    from interpreters.backends.python.emitter import Emitter

LARGE = 512
"""How many elements a buffer has that is worth using again."""


def tensor(
    emitter: Emitter, operation: Operation, args: Sequence[Value], cod: Object, at: Frame, wish: str
) -> Value:
    """A primitive of tensors."""
    if not isinstance(cod, Tensor):
        raise MissingRule(f"the Python backend has no code for the primitive {operation.name}")
    name = operation.name
    if name in CHECKS:
        return indexed.asked(emitter, operation, args[0], at, wish)
    if name in arrays.ELEMENTWISE:
        return elementwise(emitter, name, args, cod, at, wish)
    if name in ("put", "embed") and cod.shape:
        return _placed(emitter, operation, args, cod, at)
    if name in _MOVES and not isinstance(args[0], Placed):
        spread = _spread(args[0], name, cod, at)
        if spread is not None:
            return spread
    types = [t for arg in args if isinstance(t := arg.type, Tensor)]
    if not types[0].shape and not cod.shape:
        return _alone(emitter, operation, args[0], cod, at, wish)
    if name == "concatenate" and all(_is_single(arg) for arg in args):
        items = [arg.inner.text for arg in args if isinstance(arg, Spread)]
        tainted = any(arg.inner.tainted for arg in args if isinstance(arg, Spread))
        text = call("np.array", f"[{', '.join(items)}]", *arrays.dtype_option(cod.dtype))
        if len(flat(text)) <= SHORT:
            return fresh_leaf(at.assign(text, wish), cod, tainted=tainted)
    return _array(emitter, operation, [emitter.array(arg, at) for arg in args], cod, at, wish)


def _is_single(value: Value) -> bool:
    return isinstance(value, Spread) and value.type.shape == (1,) and value.inner.type in PYTHON


def _array(
    emitter: Emitter, operation: Operation, args: list[Leaf], cod: Tensor, at: Frame, wish: str
) -> Leaf:
    types = [t for arg in args if isinstance(t := arg.type, Tensor)]
    texts = [short(arg, at).text for arg in args]
    tainted = any(arg.tainted for arg in args)
    consume(args)
    if operation.name == "convert" and not cod.is_smooth and tainted:
        raise Escalate
    if operation.name == "take":
        return indexed.take(emitter, operation, args, texts, cod, at, wish)
    if arrays.is_view(operation):
        text = arrays.view(operation, texts, types, cod)
        if not cod.shape:
            emitter.warns = emitter.warns or cod not in PYTHON
            return Leaf(at.assign(text, wish), cod, ATOM, bounds=args[0].bounds, tainted=tainted)
        share(args[0])
        return Leaf(text, cod, ATOM, args[0].root, args[0].bounds, tainted)
    emitter.warns = True
    if operation.name == "exclusive_cumprod":
        texts = [at.named(args[0]).text]
    _give_back(args, "", at)
    careful = emitter.level == 2
    tainted = tainted or (not careful and arrays.hides_zeros(operation))
    name = at.assign(arrays.new_array(operation, texts, types, cod, careful=careful), wish)
    if operation.name == "exclusive_cumprod":
        at.do(arrays.accumulated(texts[0], name, **operation.keywords))
    bounds = INT64
    if operation.name in ("concatenate", "max", "min"):
        bounds = min(x.bounds[0] for x in args), max(x.bounds[1] for x in args)
    return fresh_leaf(name, cod, tainted=tainted, bounds=bounds)


def short(leaf: Leaf, at: Frame) -> Leaf:
    """The leaf as an atom that is not too long."""
    return at.named(leaf) if leaf.level < ATOM or len(leaf.text) > SHORT // 2 else leaf


def consume(args: Sequence[Leaf]) -> None:
    """Note that these are looked at once less."""
    for arg in args:
        if arg.root is not None:
            arg.root.uses -= 1


_MOVES = ("broadcast_to", "reshape", "transpose", "slice", "stop_gradient")
_AXES = frozenset((*_MOVES, "convert", "embed", "sum", "prod", "max", "min", "logsumexp"))
"""What moves numbers, and what has nothing to do where there are no axes."""


def _spread(x: Value, name: str, cod: Tensor, at: Frame) -> Value | None:
    """A repetition, which waits; None where it is none."""
    if isinstance(x, Spread) and (name == "broadcast_to" or not x.inner_shape):
        return Spread(x.inner, cod) if cod.shape else x.inner
    if not isinstance(x, Leaf) or not isinstance(x.type, Tensor) or cod.shape == x.type.shape:
        return None
    if name != "broadcast_to" and x.type.shape:
        return None
    share(x)
    return Spread(at.named(x), cod)


def filled_out(value: Spread[Leaf], at: Frame, wish: str) -> Leaf:
    """The array that a repetition stands for."""
    inner, obj = value.inner, value.type
    if not value.inner_shape:
        number = short(inner, at)
        plain = inner.literal if obj.is_smooth else None
        text = arrays.filled(number.text, plain, obj)
        name = at.assign(text, wish)
        return fresh_leaf(name, obj, tainted=inner.tainted, bounds=inner.bounds)
    text = call("np.broadcast_to", short(inner, at).text, arrays.shape_text(obj.shape))
    name = at.assign(text, wish)
    return Leaf(name, obj, ATOM, Root(fresh=False), inner.bounds, inner.tainted)


def _placed(
    emitter: Emitter, operation: Operation, args: Sequence[Value], cod: Tensor, at: Frame
) -> Value:
    inner, *indices = (at.named(emitter.array(arg, at)) for arg in args)
    share(inner)
    return Placed(operation, inner, tuple(indices), cod)


def _alone(
    emitter: Emitter, operation: Operation, x: Value, cod: Tensor, at: Frame, wish: str
) -> Leaf:
    """A primitive of arrays at one number: what it does to the axes that it has not."""
    leaf = emitter.array(x, at)
    if operation.name not in _AXES:
        raise MissingRule(f"the Python backend has no code for the primitive {operation.name}")
    if operation.name == "convert":
        if leaf.tainted and not cod.is_smooth:
            raise Escalate
        form = conversion(leaf.type, cod)
        text, level = written(form, [leaf], at, form)
        emitter.warns = emitter.warns or cod not in PYTHON or leaf.type not in PYTHON
        bounds = leaf.bounds if leaf.type is Int else (0, 1) if leaf.type is Bool else INT64
        return Leaf(text, cod, level, bounds=bounds, tainted=leaf.tainted)
    return leaf


def elementwise(
    emitter: Emitter, name: str, args: Sequence[Value], cod: Tensor, at: Frame, wish: str
) -> Value:
    """A primitive of numbers, element by element."""
    leaves = [arg for arg in args if type(arg) is Leaf]
    if not cod.shape and len(leaves) == len(args):
        return scalar(emitter, name, leaves, cod, at)
    inners = [arg.inner if isinstance(arg, Spread) else arg for arg in args]
    shapes = [x.type.shape for x in inners if isinstance(x.type, Tensor)]
    if not any(shapes) and all(isinstance(x, Leaf) for x in inners):
        leaves = [x for x in inners if isinstance(x, Leaf)]
        number = scalar(emitter, name, leaves, Tensor((), cod.dtype), at)
        return Spread(at.named(number), cod) if cod.shape else number
    fits = np.broadcast_shapes(*shapes) == cod.shape
    operands = [emitter.array(x, at) for x in (inners if fits else args)]
    texts = [short(x, at).text if x.literal is None else x.text for x in operands]
    tainted = taint(emitter, name, operands, cod)
    name = total(name, operands)
    emitter.warns = True
    consume(operands)
    dtype = operands[-1].type.dtype if isinstance(operands[-1].type, Tensor) else ""
    careful = emitter.level == 2 and not any(is_plain(x.literal) for x in operands)
    out = "" if careful and name in ("scale", "unscale") else _buffer(name, operands, cod)
    spare = None if out or (careful and name in ("scale", "unscale")) else _spare(name, at, cod)
    text = arrays.elementwise(name, texts, dtype, out or (spare or ""), careful=careful)
    _give_back(operands, out, at)
    bounds = _bounds(name, operands, cod)
    if not out:
        return fresh_leaf(at.assign(text, wish), cod, tainted=tainted, bounds=bounds)
    old = next(x.root for x in operands if x.text == out)
    assert old is not None
    return Leaf(at.assign(text, wish), cod, ATOM, old.again(), bounds, tainted)


def _bounds(name: str, operands: list[Leaf], cod: Tensor) -> Bounds:
    """Between which integers lie the elements."""
    if cod.dtype != "int64":
        return INT64
    bounds = int_bounds(name, operands)
    return INT64 if wraps(bounds) else bounds


def _spare(name: str, at: Frame, cod: Tensor) -> str | None:
    """A buffer that nothing looks at any more."""
    pool = at.spare[-1].get(cod)
    if not pool or name not in arrays.UFUNCS:
        return None
    text, root = pool.pop()
    root.reused = True
    return text


def _give_back(operands: Sequence[Leaf], out: str, at: Frame) -> None:
    """Keep the buffers that were looked at for the last time."""
    for x in operands:
        root = x.root
        if root is None or not isinstance(x.type, Tensor) or x.type.size < LARGE:
            continue
        if root.fresh and not root.shared and root.uses <= 0:
            root.shared = True
            if x.text != out:
                at.spare[-1].setdefault(x.type, []).append((x.text, root))


def _buffer(name: str, operands: Sequence[Leaf], cod: Tensor) -> str:
    """An operand that nothing will look at again, and that the result may overwrite."""
    if name not in arrays.UFUNCS or cod.size < LARGE:
        return ""
    for x in operands:
        root = x.root
        if root is not None and root.fresh and not root.shared and root.uses <= 0 and x.type is cod:
            return x.text if x.text.isidentifier() else ""
    return ""
