"""Primitives of arrays: written inline, on a line of their own, or into a buffer.

Several primitives that NumPy has as one, or that are quicker as one, are written so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from combinators.literal import Literal
from combinators.objects import Tensor
from combinators.operation import Operation, named
from combinators.primitives.reductions import EXCLUSIVE_CUMPROD, SUM
from combinators.primitives.shapes import RESHAPE
from combinators.simplify.patterns import same
from combinators.terms import Prim, Term
from interpreters.backends.analysis.facts import LineFact
from interpreters.backends.analysis.lines import SCALES
from interpreters.backends.python import numpy_arrays as numpy
from interpreters.backends.python.array_places import taken
from interpreters.backends.python.python_numbers import (
    PYTHON,
    SHORT,
    conversion,
    scalar,
    total,
    written,
)
from interpreters.backends.text.language import Compound
from interpreters.backends.text.layout import ATOM, call, flat, slice_text
from interpreters.backends.text.leaves import (
    Buffer,
    Leaf,
    Spread,
    Value,
    consume,
    fresh_leaf,
    share,
    tensor,
)
from interpreters.backends.text.module import is_plain
from interpreters.backends.text.term_writer import MOVES, Writer

LARGE = 512
"""How many elements a buffer has that is worth using again."""
_AXES = MOVES | {"embed", "sum", "prod", "max", "min", "logsumexp"}
"""What has nothing to do where there are no axes."""
_SILENT = frozenset({"concatenate", "argmax", "argmin", "negative", "absolute", "where"}) | {
    f"logical_{name}" for name in ("and", "or", "xor", "not")
}
"""What computes nothing of which NumPy warns."""


def arrays(writer: Writer, term: Prim, args: Sequence[Value], wish: str) -> Value:
    """A primitive of arrays that is not elementwise."""
    operation, name, cod = term.operation, term.operation.name, tensor(term)
    if name == "iota":
        return writer.literal(Literal(np.arange(operation.keywords["length"])))
    if not cod.shape and not tensor(args[0]).shape:
        return _of_a_number(writer, term, writer.array(args[0]))
    if name == "concatenate" and all(_is_single(arg) for arg in args):
        items = [arg.inner.text for arg in args if isinstance(arg, Spread)]
        listed = call("np.array", f"[{', '.join(items)}]", *numpy.dtype_option(cod.dtype))
        if len(flat(listed)) <= SHORT:
            return fresh_leaf(writer.assign(listed, wish), cod)
    leaves = [writer.array(arg) for arg in args]
    texts = [short(writer, leaf).text for leaf in leaves]
    consume(*leaves)
    if name == "take":
        return taken(writer, term, leaves, texts, wish)
    text = numpy.of_arrays(term, texts, tensor(leaves[0]), careful=writer.absorbs)
    if name in MOVES:
        if not cod.shape:
            writer.warns = writer.warns or cod not in PYTHON
            return Leaf(writer.assign(text, wish), cod)
        share(leaves[0])
        return Leaf(flat(text), cod, ATOM, leaves[0].buffer)
    writer.warns = writer.warns or name not in _SILENT
    if name == "exclusive_cumprod":
        texts = [writer.named(leaves[0]).text]
    _give_back(writer, leaves, "")
    target = writer.assign(text, wish)
    if name == "exclusive_cumprod":
        writer.do(numpy.accumulated(texts[0], target, **operation.keywords))
    return fresh_leaf(target, cod)


def _is_single(value: Value) -> bool:
    return isinstance(value, Spread) and value.type.shape == (1,) and value.inner.type in PYTHON


def short(writer: Writer, leaf: Leaf) -> Leaf:
    """The leaf as an atom that is not too long."""
    return writer.named(leaf) if leaf.level < ATOM or len(leaf.text) > SHORT // 2 else leaf


def filled_out(writer: Writer, value: Spread, wish: str) -> Leaf:
    """The array that a repetition stands for."""
    inner, obj = value.inner, value.type
    text = short(writer, inner).text
    if not value.inner_shape:
        plain = inner.literal if obj.is_smooth else None
        return fresh_leaf(writer.assign(numpy.filled(text, plain, obj), wish), obj)
    repeated = call("np.broadcast_to", text, numpy.shape_text(obj.shape))
    return Leaf(writer.assign(repeated, wish), obj, ATOM, Buffer(fresh=False))


def _of_a_number(writer: Writer, term: Prim, leaf: Leaf) -> Leaf:
    """A primitive of arrays at one number: what it does to the axes that it has not."""
    name, cod = term.operation.name, tensor(term)
    if name in _AXES:
        return leaf
    if name != "convert":
        raise writer.no_code(name, term)
    writer.warns = writer.warns or cod not in PYTHON or leaf.type not in PYTHON
    form = conversion(tensor(leaf), cod)
    return written(writer, form, [leaf], cod, form)


def elements(
    writer: Writer, name: str, args: Sequence[Leaf], cod: Tensor, wish: str, line: LineFact
) -> Leaf:
    """An elementwise primitive, of numbers or of arrays."""
    if not cod.shape:
        return scalar(writer, name, args, cod, line)
    texts = [short(writer, x).text if x.literal is None else x.text for x in args]
    dtype = tensor(args[-1]).dtype
    name = total(name, line, dtype)
    writer.warns = writer.warns or name not in _SILENT
    consume(*args)
    careful = writer.absorbs and not any(is_plain(x.literal) for x in args)
    may_overwrite = name in numpy.UFUNCS and not (careful and name in SCALES)
    target = _overwritten(writer, args, cod) if may_overwrite else None
    out = "" if target is None else target[0]
    text = numpy.elementwise_text(name, texts, dtype, out, careful=careful)
    _give_back(writer, args, out)
    made = fresh_leaf(writer.assign(text, wish), cod)
    if target is not None:
        made.buffer = target[1].again()
    return made


def _overwritten(writer: Writer, args: Sequence[Leaf], cod: Tensor) -> tuple[str, Buffer] | None:
    """What the result may overwrite: an operand, or a buffer, that nothing will look at again."""
    for x in args if cod.size >= LARGE else ():
        if x.buffer is not None and x.buffer.is_free and x.type is cod and x.text.isidentifier():
            return x.text, x.buffer
    spare = writer.at.spare[-1].get(cod)
    return spare.pop() if spare else None


def _give_back(writer: Writer, args: Sequence[Leaf], out: str) -> None:
    """Keep the buffers that were looked at for the last time."""
    for x in args:
        if x.buffer is not None and x.buffer.is_free and tensor(x).size >= LARGE:
            x.buffer.shared = True
            if x.text != out:
                writer.at.spare[-1].setdefault(tensor(x), []).append((x.text, x.buffer))


# Several primitives as one.


SHORTEST = 128
"""Over so few elements ``sum`` adds one after the other, as ``einsum`` does, and is slower."""
_HEADS = frozenset((RESHAPE, SUM, named("multiply")))


def compound(writer: Writer, term: Prim) -> Compound | None:
    """What begins with ``term``; None where it is a primitive like others."""
    if term.operation.primitive not in _HEADS:
        return None
    match term:
        case Prim(operation, (Prim() as inner,)):
            if operation.primitive is RESHAPE:
                return _element(inner, tensor(term))
            if operation.keywords["keepdims"]:
                return None
            return _inner_product(inner, operation.keywords["axis"]) or _rows(term, inner)
        case Prim(_, (Prim() as x, Prim() as y)):
            return _others(x, y)
    return None


def _element(inner: Prim, cod: Tensor) -> Compound | None:
    """``x[0]``, which the language writes as a window and a reshape."""
    keywords = inner.operation.keywords
    if inner.operation.name != "slice" or cod.shape != tuple(
        n for n in keywords["extent"] if n != 1
    ):
        return None
    index = slice_text(**keywords, shape=tensor(inner.args[0]).shape, drop=True)

    def write(writer: Writer, args: Sequence[Value], wish: str) -> Value:
        (x,) = args
        if isinstance(x, Spread) and not x.inner_shape:
            return Spread(x.inner, cod) if cod.shape else x.inner
        array = short(writer, writer.array(x))
        if cod.shape:
            share(array)
            return Leaf(f"{array.text}[{index}]", cod, ATOM, array.buffer)
        consume(array)
        return Leaf(writer.assign(numpy.element(array.text, index, cod), wish), cod)

    return Compound((inner.args[0],), write)


def _called(args: tuple[Term, ...], cod: Tensor, function: str, *options: str) -> Compound:
    """A call that makes a new array of these; a product of one is its square."""

    def write(writer: Writer, args: Sequence[Value], wish: str) -> Value:
        leaves = [short(writer, writer.array(arg)) for arg in args]
        consume(*leaves)
        writer.warns = True
        texts = [leaves[0].text, leaves[-1].text] if options else [leaves[0].text]
        return fresh_leaf(writer.assign(call(function, *options, *texts), wish), cod)

    return Compound(args, write)


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
    subscripts = f'"{letters},{letters}->{letters[:-1]}"'
    return _called(inner.args, Tensor(obj.shape[:-1], obj.dtype), "np.einsum", subscripts)


def _others(x: Prim, y: Prim) -> Compound | None:
    """For each element of a vector, the product of all the others, in rows that fit the cache."""
    obj, scans = x.type, (x.operation, y.operation)
    if any(scan.primitive is not EXCLUSIVE_CUMPROD for scan in scans):
        return None
    if len({scan.keywords["reverse"] for scan in scans}) < 2 or not same(x.args[0], y.args[0]):
        return None
    if not isinstance(obj, Tensor) or len(obj.shape) != 1 or obj.size < LARGE or not obj.is_smooth:
        return None
    return _called(x.args, obj, "_others")


def _rows(term: Prim, inner: Prim) -> Compound | None:
    """The sum of the rows of a product: the sum of a cotangent's rows, times what it meets.

    Derivatives are sums in any order; a user's product stays in its own.
    """
    is_negative = inner.operation.name == "negative"
    product = inner.args[0] if is_negative else inner
    if not isinstance(product, Prim) or product.operation.name != "matmul":
        return None
    shape, other = (tensor(arg).shape for arg in product.args)
    axis = len(shape) - 2
    if term.operation.keywords["axis"] != (axis,) or shape[:-2] != other[:-2]:
        return None

    def write(writer: Writer, args: Sequence[Value], wish: str) -> Value:
        steps = [product, *([inner] if is_negative else ()), term]
        if writer.line(product).doubtful and not writer.absorbs:
            summed = Operation(SUM, (("axis", (axis,)), ("keepdims", True)))
            steps = [Prim(summed, product.args[:1])]
            steps.append(Prim(product.operation, (steps[-1], product.args[1])))
            if is_negative:
                steps.append(Prim(inner.operation, (steps[-1],)))
            steps.append(Prim(Operation(RESHAPE, (("shape", tensor(term).shape),)), (steps[-1],)))
        cotangent, y = args
        for step in steps:
            operands = [cotangent, y] if step.operation is product.operation else [cotangent]
            cotangent = writer.tensor(step, operands, wish)
        return cotangent

    return Compound(product.args, write)
