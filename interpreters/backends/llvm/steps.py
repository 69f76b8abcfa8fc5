"""What is no nest: products of matrices, running sums, scattered sums, zeros."""

from __future__ import annotations

from contextlib import ExitStack

from interpreters.backends.llvm.elements import ElementText
from interpreters.backends.llvm.fusion import SPACE, Out, Task
from interpreters.backends.llvm.indices import ZERO, Index, Position, Strided, broadcast, variable_
from interpreters.backends.llvm.libraries import PRODUCTS, address
from interpreters.backends.llvm.operations import Arithmetic, literal
from interpreters.backends.llvm.scopes import IN_MEMORY, WIDTHS, Value

ROW, COLUMN, INNER = SPACE + 60, SPACE + 61, SPACE + 62
LEAD = SPACE + 40
ROWS, VECTORS = 4, 2
"""The tile of a product whose sums stay in registers: rows, and vectors of columns."""


LARGE, THINNEST = 40_000, 12
"""The multiplications from which on BLAS is quicker than tiles, and the least extent."""


def clear(text: ElementText, task: Task) -> None:
    """Zeros where an array lies."""
    assert task.node is not None
    home = text.memory.homes[task.node]
    zeros(text, home)


def zeros(text: ElementText, place: Strided) -> None:
    """Zeros in a place: in one piece, or row by row."""
    shape, rest = list(place.shape), 1
    step = 1
    while shape and (shape[-1] == 1 or place.strides[len(shape) - 1] == step):
        step *= shape.pop()
        rest = step
    with ExitStack() as stack:
        index: list[Position] = []
        for axis, extent in enumerate(shape):
            stack.enter_context(text.loop(LEAD + axis, extent))
            index.append(variable_(LEAD + axis))
        from_ = (*index, *[ZERO] * (len(place.shape) - len(shape)))
        pointer, _, _ = text.address(place, from_, written=True)
        size = rest * WIDTHS[place.dtype]
        name = "llvm.memset.p0.i64"
        function = text.module.declare(name, f"void @{name}(ptr, i8, i64, i1)")
        text.do(f"call void {function}(ptr {pointer}, i8 0, i64 {size}, i1 false)")


# ---- products of matrices


def matmul(text: ElementText, task: Task) -> None:
    """A product for each of the leading indices."""
    node = task.node
    assert node is not None
    x, y, z = (text.memory.home(array) for array in (*node.args, node))
    assert x is not None
    assert y is not None
    assert z is not None
    with ExitStack() as stack:
        lead: list[Position] = []
        for axis, extent in enumerate(node.shape[:-2]):
            stack.enter_context(text.loop(LEAD + axis, extent))
            lead.append(variable_(LEAD + axis))
        inner = [_matrix(array, tuple(lead)) for array in (x, y, z)]
        _product(text, *inner, is_absorbing=bool(node.par) and text.module.careful)


def _matrix(array: Strided, lead: Index) -> Strided:
    """The last two axes, at leading indices."""
    shape = array.shape[-2:]
    return Strided(
        array.storage,
        array.place((*lead, *(ZERO,) * 2)),
        array.strides[-2:],
        shape,
        array.dtype,
    )


def _product(text: ElementText, x: Strided, y: Strided, z: Strided, *, is_absorbing: bool) -> None:
    """By BLAS, by tiles along what lies one behind the other, or element by element."""
    if text.module.is_called and not is_absorbing and _by_blas(text, x, y, z):
        return
    if is_absorbing or x.dtype[0] != "f" or text.lanes == 1:
        _plainly(text, x, y, z, is_absorbing=is_absorbing)
    elif y.strides[1] == 1 and z.strides[1] == 1 and y.shape[1] > 1:
        _tiled(text, x, y, z)
    elif x.strides[0] == 1 and z.strides[0] == 1 and x.shape[0] > 1:
        _tiled(text, *(_turned(array) for array in (y, x, z)))
    elif x.strides[1] == 1 and y.strides[0] == 1 and x.shape[1] >= text.lanes:
        _dots(text, x, _turned(y), z)
    else:
        _plainly(text, x, y, z, is_absorbing=False)


def _by_blas(text: ElementText, x: Strided, y: Strided, z: Strided) -> bool:
    """A large product of BLAS, to which our rows are columns: it computes zᵀ = yᵀ xᵀ."""
    (m, k), n = x.shape, y.shape[1]
    name = PRODUCTS.get(z.dtype, "")
    if min(m, k, n) < THINNEST or m * k * n < LARGE or not name or not address(name):
        return False
    if z.strides[1] != 1:
        x, y, z = _turned(y), _turned(x), _turned(z)
    (m, k), n = x.shape, y.shape[1]
    ways = [_way(array) for array in (y, x, z)]
    if None in ways or z.strides[1] != 1:
        return False
    kind = text.type_of(z.dtype)
    (y_way, y_lead), (x_way, x_lead), (_, z_lead) = (way for way in ways if way)
    given = [
        *(_passed(text, "i8", str(ord(letter))) for letter in (y_way, x_way)),
        *(_passed(text, "i64", str(extent)) for extent in (n, m, k)),
        _passed(text, kind, literal(1, z.dtype)),
        *(text.address(y, (ZERO, ZERO))[0], _passed(text, "i64", str(y_lead))),
        *(text.address(x, (ZERO, ZERO))[0], _passed(text, "i64", str(x_lead))),
        _passed(text, kind, literal(0, z.dtype)),
        *(text.address(z, (ZERO, ZERO))[0], _passed(text, "i64", str(z_lead))),
    ]
    function = text.module.declare(name, f"void @{name}({', '.join(['ptr'] * len(given))})")
    text.do(f"call void {function}({', '.join(f'ptr {pointer}' for pointer in given)})")
    return True


def _way(array: Strided) -> tuple[str, int] | None:
    """Whether its rows (N) or its columns (T) lie in one piece, and how far apart they are."""
    for letter, (far, near), extent in (
        ("N", array.strides, array.shape[1]),
        ("T", array.strides[::-1], array.shape[0]),
    ):
        if near == 1 and far >= extent:
            return letter, far
    return None


def _passed(text: ElementText, kind: str, number: str) -> str:
    """A cell with a number: Fortran takes pointers, and the low half of one of 64 bits is small."""
    cell = text.cell(kind)
    text.do(f"store {kind} {number}, ptr {cell}")
    return cell


def _turned(array: Strided) -> Strided:
    return Strided(array.storage, array.offset, array.strides[::-1], array.shape[::-1], array.dtype)


def _plainly(text: ElementText, x: Strided, y: Strided, z: Strided, *, is_absorbing: bool) -> None:
    """A sum of products for each element."""
    dtype, kind = z.dtype, text.type_of(z.dtype)
    cell = text.cell(kind)
    (m, k), n = x.shape, y.shape[1]
    with text.loop(ROW, m), text.loop(COLUMN, n):
        text.do(f"store {kind} {literal(0, dtype)}, ptr {cell}")
        with text.loop(INNER, k):
            a = text.load(x, (variable_(ROW), variable_(INNER)))
            b = text.load(y, (variable_(INNER), variable_(COLUMN)))
            of = Arithmetic(text, text.here, dtype, vector=False)
            name = "scale" if is_absorbing and dtype[0] == "f" else "multiply"
            product = of.apply(name, [a.text, b.text], dtype)
            before = text.op(f"load {kind}, ptr {cell}")
            text.do(f"store {kind} {of.apply('add', [before, product], dtype)}, ptr {cell}")
        found = text.op(f"load {kind}, ptr {cell}")
        text.store(z, (variable_(ROW), variable_(COLUMN)), Value(found, False, text.here.depth))


def _tiled(text: ElementText, x: Strided, y: Strided, z: Strided) -> None:
    """Blocks of rows times vectors of columns, whose sums stay in registers."""
    _m, n = z.shape
    lanes = text.lanes
    wide = n // (lanes * VECTORS) * lanes * VECTORS
    text.across = COLUMN
    if wide:
        with text.loop(COLUMN, wide, lanes * VECTORS):
            _rows(text, x, y, z, VECTORS)
    for start in range(wide, n, lanes):
        text.active = n - start if n - start < lanes else None
        with text.fixed(COLUMN, str(start)):
            _rows(text, x, y, z, 1)
        text.active = None
    text.across = None


def _rows(text: ElementText, x: Strided, y: Strided, z: Strided, vectors: int) -> None:
    m = z.shape[0]
    whole = m // ROWS * ROWS
    if whole:
        with text.loop(ROW, whole, ROWS):
            _tile(text, x, y, z, ROWS, vectors)
    if m - whole:
        with text.fixed(ROW, str(whole)):
            _tile(text, x, y, z, m - whole, vectors)


def _tile(text: ElementText, x: Strided, y: Strided, z: Strided, rows: int, vectors: int) -> None:
    dtype = z.dtype
    kind = text.type_of(dtype, vector=True)
    cells = [[text.cell(kind) for _ in range(vectors)] for _ in range(rows)]
    for cell in (cell for row in cells for cell in row):
        text.do(f"store {kind} zeroinitializer, ptr {cell}")
    columns = [variable_(COLUMN)._replace(constant=v * text.lanes) for v in range(vectors)]
    with text.loop(INNER, x.shape[1]):
        given = [text.load(y, (variable_(INNER), column)).text for column in columns]
        for number, row in enumerate(cells):
            at = variable_(ROW)._replace(constant=number)
            factor = text.splat(text.load(x, (at, variable_(INNER))), dtype, text.here)
            for cell, vector in zip(row, given, strict=True):
                product = text.op(f"fmul contract {kind} {factor}, {vector}")
                before = text.op(f"load {kind}, ptr {cell}")
                after = text.op(f"fadd contract {kind} {before}, {product}")
                text.do(f"store {kind} {after}, ptr {cell}")
    for number, row in enumerate(cells):
        at = variable_(ROW)._replace(constant=number)
        for cell, column in zip(row, columns, strict=True):
            found = text.op(f"load {kind}, ptr {cell}")
            text.store(z, (at, column), Value(found, True, text.here.depth))


def _dots(text: ElementText, x: Strided, y: Strided, z: Strided) -> None:
    """Each element as the product of two rows, lanes at a time."""
    dtype = z.dtype
    kind, lanes = text.type_of(dtype, vector=True), text.lanes
    (m, k), n = x.shape, y.shape[0]
    cell = text.cell(kind)

    def step() -> None:
        a = text.load(x, (variable_(ROW), variable_(INNER))).text
        b = text.load(y, (variable_(COLUMN), variable_(INNER))).text
        before = text.op(f"load {kind}, ptr {cell}")
        product = text.op(f"fmul contract {kind} {a}, {b}")
        text.do(f"store {kind} {text.op(f'fadd contract {kind} {before}, {product}')}, ptr {cell}")

    with text.loop(ROW, m), text.loop(COLUMN, n):
        text.do(f"store {kind} zeroinitializer, ptr {cell}")
        text.across = INNER
        whole = k // lanes * lanes
        with text.loop(INNER, whole, lanes):
            step()
        if whole < k:
            text.active = k - whole
            with text.fixed(INNER, str(whole)):
                step()
            text.active = None
        text.across = None
        vector = text.op(f"load {kind}, ptr {cell}")
        half = lanes // 2
        while half:
            order = ", ".join(f"i32 {i + half}" if i < half else "i32 poison" for i in range(lanes))
            other = text.op(
                f"shufflevector {kind} {vector}, {kind} poison, <{lanes} x i32> <{order}>"
            )
            vector = text.op(f"fadd {kind} {vector}, {other}")
            half //= 2
        found = text.op(f"extractelement {kind} {vector}, i64 0")
        text.store(z, (variable_(ROW), variable_(COLUMN)), Value(found, False, text.here.depth))


# ---- running sums and products


def running(text: ElementText, task: Task) -> None:
    """Along one axis, one element after the other."""
    node = task.node
    assert node is not None
    axis, is_reversed = node.par
    dtype, kind = node.dtype, text.type_of(node.dtype)
    given = [text.memory.home(arg) for arg in node.args]
    home = text.memory.homes[node]
    cell = text.cell(kind)
    start = 1 if node.op == "exclusive_cumprod" else 0
    with ExitStack() as stack:
        for number, extent in enumerate(node.shape):
            if number != axis:
                stack.enter_context(text.loop(LEAD + number, extent))
        index = tuple(variable_(LEAD + number) for number in range(len(node.shape)))
        text.do(f"store {kind} {literal(start, dtype)}, ptr {cell}")
        with text.loop(LEAD + axis, node.shape[axis], reverse=is_reversed):
            xs = [text.load(place, index).text for place in given if place is not None]
            of = Arithmetic(text, text.here, dtype, vector=False)
            before = text.op(f"load {kind}, ptr {cell}")
            if node.op == "cumsum":
                after = of.apply("add", [before, xs[0]], dtype)
            elif node.op == "exclusive_cumprod":
                after = of.apply("multiply", [before, xs[0]], dtype)
            else:
                product = (
                    of.absorbing_product(before, xs[0])
                    if of.is_float
                    else of.apply("multiply", [before, xs[0]], dtype)
                )
                after = of.apply("add", [product, xs[1]], dtype)
            left = after if node.op == "cumsum" else before
            text.store(home, index, Value(left, False, text.here.depth))
            text.do(f"store {kind} {after}, ptr {cell}")


# ---- scattered sums


def put(text: ElementText, task: Task) -> None:
    """Each element is added where its indices say; those outside are nowhere."""
    node = task.node
    assert node is not None
    x, *indices = node.args
    home, axis = text.memory.homes[node], node.par
    zeros(text, home)
    out = Out(x, [])
    rank = len(x.shape) - len(node.shape) + len(indices)
    with ExitStack() as stack:
        for number, extent in enumerate(out.space):
            stack.enter_context(text.loop(SPACE + number, extent))
        rows = x.shape[axis : axis + rank]
        scope, kind = text.here, IN_MEMORY[node.dtype]
        offset, inside = "", ""
        strides = home.strides[axis:]
        for index, extent, stride in zip(indices, home.shape[axis:], strides, strict=False):
            at = broadcast(out.index[axis : axis + rank], index.shape, rows)
            where = text.elem(index, at)
            position = where.text
            if index.dtype != "int64":
                of = Arithmetic(text, scope, index.dtype, vector=False)
                position = of.apply("convert", [position], "int64")
            fits = text.op(f"icmp ult i64 {position}, {extent}")
            position = text.op(f"select i1 {fits}, i64 {position}, i64 0")
            step = text.op(f"mul i64 {position}, {stride}")
            offset = step if not offset else text.op(f"add i64 {offset}, {step}")
            inside = fits if not inside else text.op(f"and i1 {inside}, {fits}")
        fixed = Strided(
            home.storage,
            home.offset,
            (*home.strides[:axis], *home.strides[axis + len(indices) :]),
            (*home.shape[:axis], *home.shape[axis + len(indices) :]),
            home.dtype,
        )
        rest = (*out.index[:axis], *out.index[axis + rank :])
        pointer, _, _ = text.address(fixed, rest)
        there = text.op(f"getelementptr {kind}, ptr {pointer}, i64 {offset}")
        of = Arithmetic(text, scope, node.dtype, vector=False)
        value = of.select(inside, text.elem(x, out.index).text, of.number(0))
        before = text.op(f"load {kind}, ptr {there}")
        total = of.apply("add", [before, value], node.dtype)
        text.do(f"store {kind} {total}, ptr {there}")
        if home.storage.kind == "result" and home.storage.number in text.module.watched:
            text.doubt(total, node.dtype, is_vector=False)
