"""Products of matrices: BLAS's where they are large, else in tiles that stay in registers."""

from __future__ import annotations

from contextlib import ExitStack

from interpreters.backends.llvm.elements import ElementText
from interpreters.backends.llvm.fusion import SPACE, Task
from interpreters.backends.llvm.indices import ZERO, Index, Position, Strided, variable_
from interpreters.backends.llvm.libraries import PRODUCTS, address
from interpreters.backends.llvm.operations import Arithmetic, literal
from interpreters.backends.llvm.scopes import Value

LEAD = SPACE + 40
ROW, COLUMN, INNER = SPACE + 60, SPACE + 61, SPACE + 62
ROWS, VECTORS = 4, 2
"""The tile of a product: rows, and vectors of columns."""
LARGE, THINNEST = 40_000, 12
"""The multiplications from which on BLAS is quicker than tiles, and the least extent."""


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
    kind = text.type_of(dtype, vector=True)
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
        text.in_lanes(INNER, k, step)
        of = Arithmetic(text, text.here, dtype, vector=True)
        found = of.across("add", text.op(f"load {kind}, ptr {cell}"))
        text.store(z, (variable_(ROW), variable_(COLUMN)), Value(found, False, text.here.depth))
