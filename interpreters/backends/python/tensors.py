"""Primitives of arrays: written inline, on a line of their own, or into a buffer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from combinators.errors import MissingRule
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from combinators.primitives.checks import CHECKS
from interpreters.backends.analysis.facts import UNKNOWN, LineFact
from interpreters.backends.analysis.lines import SCALES
from interpreters.backends.python import indices
from interpreters.backends.python import numpy_arrays as arrays
from interpreters.backends.python.python_values import (
    PYTHON,
    Leaf,
    Placed,
    PythonEmitter,
    PythonFrame,
    Root,
    Value,
    consume,
    fresh_leaf,
    share,
)
from interpreters.backends.python.scalars import SHORT, conversion, scalar, total, written
from interpreters.backends.text.emitter import Spread
from interpreters.backends.text.layout import ATOM, call, flat
from interpreters.backends.text.module import is_plain

LARGE = 512
"""How many elements a buffer has that is worth using again."""
_MOVES = frozenset({"broadcast_to", "reshape", "transpose", "slice", "stop_gradient"})
_AXES = _MOVES | {"convert", "embed", "sum", "prod", "max", "min", "logsumexp"}
"""What moves numbers, and what has nothing to do where there are no axes."""
_SILENT = frozenset({"concatenate", "argmax", "argmin", "negative", "absolute", "where"}) | {
    f"logical_{name}" for name in ("and", "or", "xor", "not")
}
"""What computes nothing of which NumPy warns."""


def tensor(
    emitter: PythonEmitter,
    operation: Operation,
    args: Sequence[Value],
    cod: Object,
    at: PythonFrame,
    wish: str,
    line: LineFact = UNKNOWN,
) -> Value:
    """A primitive of tensors."""
    if not isinstance(cod, Tensor):
        raise MissingRule(f"the Python backend has no code for the primitive {operation.name}")
    name = operation.name
    if name in CHECKS:
        return indices.checked(emitter, operation, args, at, wish, line)
    if arrays.is_elementwise(name):
        return elementwise(emitter, name, args, cod, at, wish, line)
    if name in ("put", "embed") and cod.shape:
        inner, *places = (at.named(emitter.array(arg, at)) for arg in args)
        share(inner)
        return Placed(operation, inner, tuple(places), line.operands[1 : len(args)], cod)
    if name in _MOVES and not isinstance(args[0], Placed):
        spread = _repeated(args[0], name, cod, at)
        if spread is not None:
            return spread
    types = [t for arg in args if isinstance(t := arg.type, Tensor)]
    if not types[0].shape and not cod.shape:
        return _of_a_number(emitter, operation, args[0], cod, at)
    if name == "concatenate" and all(_is_single(arg) for arg in args):
        items = [arg.inner.text for arg in args if isinstance(arg, Spread)]
        text = call("np.array", f"[{', '.join(items)}]", *arrays.dtype_option(cod.dtype))
        if len(flat(text)) <= SHORT:
            return fresh_leaf(at.assign(text, wish), cod)
    leaves = [emitter.array(arg, at) for arg in args]
    return _of_arrays(emitter, operation, leaves, cod, at, wish, line)


def _is_single(value: Value) -> bool:
    return isinstance(value, Spread) and value.type.shape == (1,) and value.inner.type in PYTHON


def _of_arrays(
    emitter: PythonEmitter,
    operation: Operation,
    args: list[Leaf],
    cod: Tensor,
    at: PythonFrame,
    wish: str,
    line: LineFact,
) -> Leaf:
    types = [t for arg in args if isinstance(t := arg.type, Tensor)]
    texts = [short(arg, at).text for arg in args]
    consume(*args)
    if operation.name == "take":
        return indices.taken(emitter, operation, args, texts, cod, at, wish, line)
    if operation.name in _MOVES:
        text = arrays.view(operation, texts, types, cod)
        if not cod.shape:
            emitter.warns = emitter.warns or cod not in PYTHON
            return Leaf(at.assign(text, wish), cod)
        share(args[0])
        return Leaf(text, cod, ATOM, args[0].root)
    emitter.warns = emitter.warns or operation.name not in _SILENT
    if operation.name == "exclusive_cumprod":
        texts = [at.named(args[0]).text]
    _give_back(args, "", at)
    made = arrays.new_array(operation, texts, types, cod, careful=emitter.absorbs)
    name = at.assign(made, wish)
    if operation.name == "exclusive_cumprod":
        at.do(arrays.accumulated(texts[0], name, **operation.keywords))
    return fresh_leaf(name, cod)


def short(leaf: Leaf, at: PythonFrame) -> Leaf:
    """The leaf as an atom that is not too long."""
    return at.named(leaf) if leaf.level < ATOM or len(leaf.text) > SHORT // 2 else leaf


def _repeated(x: Value, name: str, cod: Tensor, at: PythonFrame) -> Value | None:
    """A repetition, which waits; None where it is none."""
    if isinstance(x, Spread) and (name == "broadcast_to" or not x.inner_shape):
        return Spread(x.inner, cod) if cod.shape else x.inner
    if not isinstance(x, Leaf) or not isinstance(x.type, Tensor) or cod.shape == x.type.shape:
        return None
    if name != "broadcast_to" and x.type.shape:
        return None
    share(x)
    return Spread(at.named(x), cod)


def filled_out(value: Spread[Leaf], at: PythonFrame, wish: str) -> Leaf:
    """The array that a repetition stands for."""
    inner, obj = value.inner, value.type
    if not value.inner_shape:
        plain = inner.literal if obj.is_smooth else None
        return fresh_leaf(at.assign(arrays.filled(short(inner, at).text, plain, obj), wish), obj)
    text = call("np.broadcast_to", short(inner, at).text, arrays.shape_text(obj.shape))
    return Leaf(at.assign(text, wish), obj, ATOM, Root(fresh=False))


def _of_a_number(
    emitter: PythonEmitter, operation: Operation, x: Value, cod: Tensor, at: PythonFrame
) -> Leaf:
    """A primitive of arrays at one number: what it does to the axes that it has not."""
    leaf = emitter.array(x, at)
    if operation.name not in _AXES:
        raise MissingRule(f"the Python backend has no code for the primitive {operation.name}")
    if operation.name != "convert":
        return leaf
    form = conversion(leaf.type, cod)
    text, level = written(form, [leaf], at, form)
    emitter.warns = emitter.warns or cod not in PYTHON or leaf.type not in PYTHON
    return Leaf(text, cod, level)


def elementwise(
    emitter: PythonEmitter,
    name: str,
    args: Sequence[Value],
    cod: Tensor,
    at: PythonFrame,
    wish: str,
    line: LineFact = UNKNOWN,
) -> Value:
    """A primitive of numbers, element by element."""
    inners = [arg.inner if isinstance(arg, Spread) else arg for arg in args]
    shapes = [x.type.shape for x in inners if isinstance(x.type, Tensor)]
    leaves = [x for x in inners if isinstance(x, Leaf)]
    if not any(shapes) and len(leaves) == len(args):
        number = scalar(emitter, name, leaves, Tensor((), cod.dtype), at, line)
        return Spread(at.named(number), cod) if cod.shape else number
    fits = np.broadcast_shapes(*shapes) == cod.shape
    operands = [emitter.array(x, at) for x in (inners if fits else args)]
    texts = [short(x, at).text if x.literal is None else x.text for x in operands]
    dtype = operands[-1].type.dtype if isinstance(operands[-1].type, Tensor) else ""
    name = total(name, line, dtype)
    emitter.warns = emitter.warns or name not in _SILENT
    consume(*operands)
    careful = emitter.absorbs and not any(is_plain(x.literal) for x in operands)
    is_helper = careful and name in SCALES
    out = "" if is_helper else _buffer(name, operands, cod)
    spare = None if out or is_helper else _spare(name, at, cod)
    text = arrays.elementwise_text(name, texts, dtype, out or (spare or ""), careful=careful)
    _give_back(operands, out, at)
    if not out:
        return fresh_leaf(at.assign(text, wish), cod)
    old = next(x.root for x in operands if x.text == out)
    assert old is not None
    return Leaf(at.assign(text, wish), cod, ATOM, old.again())


def _spare(name: str, at: PythonFrame, cod: Tensor) -> str | None:
    """A buffer that nothing looks at any more."""
    pool = at.spare[-1].get(cod)
    if not pool or name not in arrays.UFUNCS:
        return None
    text, root = pool.pop()
    root.reused = True
    return text


def _give_back(operands: Sequence[Leaf], out: str, at: PythonFrame) -> None:
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
