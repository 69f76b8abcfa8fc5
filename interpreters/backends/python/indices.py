"""Elements at indices, and arrays that are zero but in some places, as cotangents are.

Outside, indices read 0 and put nowhere; they are tested only where they may lie outside. What is
placed waits until it is added where it belongs, or is needed as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from json import dumps

from combinators.objects import Bool, Int, Object, Real, Tensor
from combinators.operation import Operation
from interpreters.backends.analysis.facts import Bounds, LineFact, may_be_outside, may_be_zero
from interpreters.backends.python import numpy_arrays as arrays
from interpreters.backends.python.python_values import (
    PYTHON,
    Leaf,
    Placed,
    PythonEmitter,
    PythonFrame,
    Value,
    fresh_leaf,
    share,
)
from interpreters.backends.text.emitter import Spread
from interpreters.backends.text.layout import (
    ATOM,
    Clause,
    Do,
    Text,
    call,
    flat,
    slice_text,
    tuple_of,
)

Shape = tuple[int, ...]
FEW = 16
"""How many places wait together: each is compared with all the others."""
_ONE_LINE = 60
_ZEROS: dict[Object, str] = {Real: "0.0", Int: "0", Bool: "False"}


def taken(
    emitter: PythonEmitter,
    operation: Operation,
    args: Sequence[Leaf],
    texts: Sequence[str],
    cod: Tensor,
    at: PythonFrame,
    wish: str,
    line: LineFact,
) -> Leaf:
    """What is read; ``texts`` are those of ``args``. A row is a view, where it is not zeros."""
    (axis,) = operation.keywords.values()
    x, *indices = args
    assert isinstance(x.type, Tensor)
    extents, bounds = x.type.shape[axis : axis + len(indices)], line.operands[1 : len(args)]
    places = [
        at.assign(text, "i")
        if may_be_outside(known, extent) and index.literal is None and not text.isidentifier()
        else text
        for index, text, known, extent in zip(indices, texts[1:], bounds, extents, strict=True)
    ]
    tests = _tests(bounds, places, extents)
    index = arrays.index_text(axis, places)
    if any(isinstance(i.type, Tensor) and i.type.shape for i in indices):
        whole: Text = f"{texts[0]}[{index}]"
        if tests:
            whole = call("_take", texts[0], str(axis), *places)
        elif axis and len(places) == 1:  # which is laid out in the order of its axes
            whole = call("np.take", texts[0], *places, f"axis={axis}")
        return fresh_leaf(at.assign(whole, wish), cod)
    read = f"{texts[0]}[{index}]" if cod.shape else arrays.element(texts[0], index, cod)
    if tests:
        condition = " and ".join(tests)
        if len(read) + len(condition) > _ONE_LINE:
            condition = at.assign(condition, "inside")
        read = f"{read} if {condition} else {_nothing(cod)}"
    if not cod.shape:
        emitter.warns = emitter.warns or cod not in PYTHON
        return Leaf(at.assign(read, wish), cod)
    share(x)
    return Leaf(at.assign(read, wish) if tests else read, cod, ATOM, x.root)


def _nothing(obj: Tensor) -> str:
    """What is read outside."""
    if not obj.shape:
        return _ZEROS.get(obj, f"np.{obj.dtype}(0)")
    return flat(call("np.zeros", arrays.shape_text(obj.shape), *arrays.dtype_option(obj.dtype)))


def _tests(bounds: Sequence[Bounds], texts: Sequence[str], extents: Shape) -> list[str]:
    """What has to hold for the indices to be inside, as far as it is not known."""
    tests = []
    for (least, most), text, extent in zip(bounds, texts, extents, strict=True):
        before = "0 <= " if least < 0 else ""
        after = f" < {extent}" if most >= extent else ""
        if before or after:
            tests.append(f"{before}{text}{after}")
    return tests


def checked(
    emitter: PythonEmitter,
    check: Operation,
    args: Sequence[Value],
    at: PythonFrame,
    wish: str,
    line: LineFact,
) -> Value:
    """``x`` itself, after a call that raises where a check of it fails."""
    keywords, x = check.keywords, args[0]
    if check.name in ("whole", "exact"):
        return _counted(emitter, check, args, at, wish)
    options = [str(keywords[key]) for key in ("axis", "extent") if key in keywords]
    (known, *_) = line.operands
    match check.name:
        case "within":
            may_fail = may_be_outside(known, keywords["extent"])
        case "nonnegative":
            may_fail = known[0] < 0
        case _:
            may_fail = may_be_zero(known)
    if not may_fail:
        return x
    given = x.inner if isinstance(x, Spread) else emitter.array(x, at)
    share(given)
    text = call(f"_{check.name}", at.named(given).text, *options, dumps(str(keywords["place"])))
    made = Leaf(at.assign(text, wish), given.type, ATOM, given.root)
    return Spread(made, x.type) if isinstance(x, Spread) else made


def _counted(
    emitter: PythonEmitter, check: Operation, args: Sequence[Value], at: PythonFrame, wish: str
) -> Value:
    """The first argument, after a call that raises where an integer is not held by its type."""
    keywords = check.keywords
    given = [at.named(emitter.array(arg, at)) for arg in args]
    share(given[0])
    axis = [str(keywords[key]) for key in ("axis",) if key in keywords]
    of = [dumps(keywords[key]) for key in ("of", "dtype") if key in keywords]
    text = call(
        f"_{check.name}", *[x.text for x in given], *of, *axis, dumps(str(keywords["place"]))
    )
    return Leaf(at.assign(text, wish), given[0].type, ATOM, given[0].root)


# What is zero but in some places.


def placed(value: Placed, at: PythonFrame, wish: str) -> Leaf:
    """Zeros, with what it holds in its places; they are made once."""
    found = at.find(value)
    if found is not None:
        return found
    obj, pieces = value.type, tuple(_pieces(value))
    covered = sum(p.inner.type.size for p in pieces if isinstance(p.inner.type, Tensor))
    text = arrays.filled("0", 0, obj)
    if covered == obj.size and value.operation.name == "embed":
        text = call("np.empty", arrays.shape_text(obj.shape), *arrays.dtype_option(obj.dtype))
    made = fresh_leaf(at.assign(text, wish), obj)
    for piece in pieces:
        _put(piece, made.text, at, "=")
    if value.uses > 1 and made.root is not None:
        made.root.uses = value.uses
        at.remember(value, made)
    return made


def added(emitter: PythonEmitter, x: Value, y: Placed, at: PythonFrame, wish: str) -> Value:
    """``y`` added in its places to ``x``, or to a copy of it where something else looks at it."""
    if isinstance(x, Spread) and not x.inner_shape and x.inner.literal == 0:
        return y
    if isinstance(x, Placed) and x.uses <= 1 and y.uses <= 1 and _are_apart(x, y):
        more = (*x.more, *_pieces(y))
        return Placed(x.operation, x.inner, x.indices, x.bounds, x.type, more)
    whole = emitter.array(x, at)
    root = whole.root
    assert root is not None
    root.uses -= 1
    if not root.fresh or root.shared or root.uses > 0 or not whole.text.isidentifier():
        whole = fresh_leaf(at.assign(f"{whole.text}.copy()", wish), whole.type)
        root = whole.root
    assert root is not None
    for piece in _pieces(y):
        _put(piece, whole.text, at, "+=")
    return Leaf(whole.text, whole.type, ATOM, root.again())


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


def _put(value: Placed, name: str, at: PythonFrame, sign: str) -> None:
    """Write into the array ``name``; ``sign`` is ``=`` where there is nothing."""
    keywords, x = value.operation.keywords, value.inner.text
    if value.operation.name == "embed":
        assert isinstance(value.inner.type, Tensor)
        start, step, extent = keywords["start"], keywords["step"], value.inner.type.shape
        at.do(f"{name}[{slice_text(start, step, extent, value.type.shape)}] {sign} {x}")
        return
    axis, texts = keywords["axis"], [index.text for index in value.indices]
    tests = _tests(value.bounds, texts, keywords["extents"])
    if all(isinstance(i.type, Tensor) and not i.type.shape for i in value.indices):
        write = Do(f"{name}[{arrays.index_text(axis, texts)}] {sign} {x}")
        at.body.append(Clause("if ", " and ".join(tests), "", [write]) if tests else write)
    elif axis or len(texts) > 1 or len(value.type.shape) > 1 or tests:
        at.do(call("_add_at", name, str(axis), tuple_of(tuple(texts)), x))
    else:
        at.do(call("np.add.at", name, texts[0], x))
