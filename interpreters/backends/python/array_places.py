"""Elements at indices, and arrays that are zero but in some places, as cotangents are.

Outside, indices read 0 and put nowhere; they are tested only where they may lie outside. What is
placed waits until it is added where it belongs, or is needed as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps

from combinators.objects import Bool, Int, Object, Real, Tensor
from combinators.terms import Prim
from interpreters.backends.analysis.facts import Bounds, may_be_outside, may_be_zero
from interpreters.backends.python import numpy_arrays as numpy
from interpreters.backends.python.python_numbers import PYTHON
from interpreters.backends.text.layout import (
    ATOM,
    Clause,
    Do,
    Shape,
    Text,
    call,
    flat,
    slice_text,
    tuple_of,
)
from interpreters.backends.text.leaves import (
    Leaf,
    Placed,
    Spread,
    Value,
    are_apart,
    fresh_leaf,
    is_array,
    share,
    tensor,
)
from interpreters.backends.text.term_writer import Writer

_ONE_LINE = 60
_ZEROS: dict[Object, str] = {Real: "0.0", Int: "0", Bool: "False"}


def taken(
    writer: Writer, term: Prim, args: Sequence[Leaf], texts: Sequence[str], wish: str
) -> Leaf:
    """What is read; ``texts`` are those of ``args``. A row is a view, where it is not zeros."""
    (axis,), cod = term.operation.keywords.values(), tensor(term)
    (x, *indices), whole = args, texts[0]
    bounds = writer.line(term).operands[1 : len(args)]
    extents = tensor(x).shape[axis : axis + len(indices)]
    places = list(texts[1:])
    for n, (known, extent) in enumerate(zip(bounds, extents, strict=True)):
        is_short = indices[n].literal is not None or places[n].isidentifier()
        if may_be_outside(known, extent) and not is_short:
            places[n] = writer.assign(places[n], "i")
    tests = _tests(bounds, places, extents)
    index = numpy.index_text(axis, places)
    if any(is_array(i.type) for i in indices):
        found: Text = f"{whole}[{index}]"
        if tests:
            found = call("_take", whole, str(axis), *places)
        elif axis and len(places) == 1:  # which is laid out in the order of its axes
            found = call("np.take", whole, *places, f"axis={axis}")
        return fresh_leaf(writer.assign(found, wish), cod)
    read = f"{whole}[{index}]" if cod.shape else numpy.element(whole, index, cod)
    if tests:
        condition = " and ".join(tests)
        if len(read) + len(condition) > _ONE_LINE:
            condition = writer.assign(condition, "inside")
        read = f"{read} if {condition} else {_nothing(cod)}"
    if not cod.shape:
        writer.warns = writer.warns or cod not in PYTHON
        return Leaf(writer.assign(read, wish), cod)
    share(x)
    return Leaf(writer.assign(read, wish) if tests else read, cod, ATOM, x.buffer)


def _nothing(obj: Tensor) -> str:
    """What is read outside."""
    if not obj.shape:
        return _ZEROS.get(obj, f"np.{obj.dtype}(0)")
    return flat(numpy.filled("0", 0, obj))


def _tests(bounds: Sequence[Bounds], texts: Sequence[str], extents: Shape) -> list[str]:
    """What has to hold for the indices to be inside, as far as it is not known."""
    tests = []
    for (least, most), text, extent in zip(bounds, texts, extents, strict=True):
        before = "0 <= " if least < 0 else ""
        after = f" < {extent}" if most >= extent else ""
        if before or after:
            tests.append(f"{before}{text}{after}")
    return tests


def checked(writer: Writer, term: Prim, args: Sequence[Value], wish: str) -> Value:
    """The first argument, after a call that raises where a check of it fails."""
    name, keywords, known = term.operation.name, term.operation.keywords, writer.line(term)
    (first, *_), extent = known.operands, keywords.get("extent", 0)
    may_fail = {
        "within": may_be_outside(first, extent),
        "nonnegative": first[0] < 0,
        "nonzero": may_be_zero(first),
        "limited": first[1] >= keywords.get("most", 0),
    }
    if not may_fail.get(name, True):
        return args[0]
    x, texts = args[0], ("of", "dtype", "did", "place")
    repeated = x if isinstance(x, Spread) and name in may_fail else None
    given = [writer.array(z) for z in args] if repeated is None else [repeated.inner]
    share(given[0])
    options = [
        dumps(str(keywords[key])) if key in texts else str(keywords[key])
        for key in ("of", "dtype", "axis", "extent", "most", "did", "place")
        if key in keywords
    ]
    text = call(f"_{name}", *[writer.named(z).text for z in given], *options)
    made = Leaf(writer.assign(text, wish), given[0].type, ATOM, given[0].buffer)
    return made if repeated is None else Spread(made, repeated.type)


# What is zero but in some places.


def placed(writer: Writer, term: Prim, args: Sequence[Value]) -> Placed:
    """What is put, or embedded, into zeros: it waits."""
    inner, *places = (writer.named(writer.array(arg)) for arg in args)
    share(inner)
    bounds = writer.line(term).operands[1 : len(args)]
    return Placed(term.operation, inner, tuple(places), bounds, tensor(term))


def in_zeros(writer: Writer, value: Placed, wish: str) -> Leaf:
    """Zeros, with what it holds in its places; they are made once."""
    obj, pieces = value.type, value.pieces
    covered = sum(tensor(piece.inner).size for piece in pieces)
    text = numpy.filled("0", 0, obj)
    if covered == obj.size and value.operation.name == "embed":
        text = call("np.empty", numpy.shape_text(obj.shape), *numpy.dtype_option(obj.dtype))
    made = fresh_leaf(writer.assign(text, wish), obj)
    for piece in pieces:
        _put(writer, piece, made.text, "=")
    if value.uses > 1 and made.buffer is not None:
        made.buffer.uses = value.uses
        writer.remember(value, made)
    return made


def total(writer: Writer, x: Value, y: Value, obj: Tensor, wish: str) -> Value:
    """The sum of two tensors, one of which may be zero but in some places.

    It is added there to the other, or to a copy of it where something else looks at that.
    """
    if not isinstance(y, Placed):
        x, y = y, x
    if not isinstance(y, Placed):
        return writer.elementwise("plus", (y, x), obj, wish)
    if isinstance(x, Spread) and not x.inner_shape and x.inner.literal == 0:
        return y
    if isinstance(x, Placed) and x.uses <= 1 and y.uses <= 1 and are_apart(x, y):
        return x.beside(y)
    whole = writer.array(x)
    buffer = whole.buffer
    assert buffer is not None
    buffer.uses -= 1
    if not buffer.is_free or not whole.text.isidentifier():
        whole = fresh_leaf(writer.assign(f"{whole.text}.copy()", wish), whole.type)
        buffer = whole.buffer
    assert buffer is not None
    for piece in y.pieces:
        _put(writer, piece, whole.text, "+=")
    return Leaf(whole.text, whole.type, ATOM, buffer.again())


def _put(writer: Writer, value: Placed, name: str, sign: str) -> None:
    """Write into the array ``name``; ``sign`` is ``=`` where there is nothing."""
    keywords, x = value.operation.keywords, value.inner.text
    if value.operation.name == "embed":
        start, step, extent = keywords["start"], keywords["step"], tensor(value.inner).shape
        writer.do(f"{name}[{slice_text(start, step, extent, value.type.shape)}] {sign} {x}")
        return
    axis, texts = keywords["axis"], [index.text for index in value.indices]
    tests = _tests(value.bounds, texts, keywords["extents"])
    if not any(is_array(i.type) for i in value.indices):
        write = Do(f"{name}[{numpy.index_text(axis, texts)}] {sign} {x}")
        writer.at.body.append(Clause("if ", " and ".join(tests), [write]) if tests else write)
    elif axis or len(texts) > 1 or len(value.type.shape) > 1 or tests:
        writer.do(call("_add_at", name, str(axis), tuple_of(tuple(texts)), x))
    else:
        writer.do(call("np.add.at", name, texts[0], x))
