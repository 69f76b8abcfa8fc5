"""Running products of eight numbers at a time, in the nest that uses them.

    x                2    3    5    7    and what was carried, c
    shifted          1    2    3    5
    times by 1       1    2    6   15
    times by 2       1    2    6   30    times c: what is left; 30 · 7 · c is carried

Grouped so, products may overflow or vanish where one after the other does not. So a vector with
an element outside 2^±100, but 0, is multiplied one by one; so is one behind what left 2^±200.
"""

from __future__ import annotations

from interpreters.backends.llvm.elements import ElementText
from interpreters.backends.llvm.graph import Node
from interpreters.backends.llvm.operations import Arithmetic, literal
from interpreters.backends.llvm.scopes import Value

_EXPONENT, _BIAS = 52, 1023


def begun(text: ElementText) -> str:
    """The cell of what is carried."""
    cell = text.cell("double")
    text.do(f"store double {literal(1, 'float64')}, ptr {cell}")
    return cell


def scanned(text: ElementText, node: Node, x: Value, cell: str) -> Value:
    """The products before each lane, or behind it, times what is carried."""
    of = Arithmetic(text, text.here, "float64", vector=True)
    lanes, is_reversed = text.lanes, node.par[1]
    given = text.splat(x, "float64", text.here)
    if text.active is not None:
        given = text.op(f"select {text.mask}, {of.kind} {given}, {of.kind} {of.number(1)}")
    carried = text.op(f"load double, ptr {cell}")
    found, name = text.cell(of.kind), text.fresh()
    is_plain = _is_plain(text, given, carried)
    text.do(f"br i1 {is_plain}, label %quick{name}, label %slow{name}")

    text.do(f"quick{name}:")
    products = _shifted(text, of, given, 1, is_reversed)
    step = 1
    while step < lanes:
        products = of.apply(
            "multiply", [products, _shifted(text, of, products, step, is_reversed)], "float64"
        )
        step *= 2
    whole = text.op(f"fmul {of.kind} {products}, {given}")
    last = text.op(f"extractelement {of.kind} {whole}, i64 {0 if is_reversed else lanes - 1}")
    times = text.splat(Value(carried, False, text.here.depth), "float64", text.here)
    text.do(f"store {of.kind} {text.op(f'fmul {of.kind} {products}, {times}')}, ptr {found}")
    text.do(f"store double {text.op(f'fmul double {carried}, {last}')}, ptr {cell}")
    text.do(f"br label %end{name}")

    text.do(f"slow{name}:")
    one_by_one = "poison"
    for lane in range(lanes)[:: -1 if is_reversed else 1]:
        one_by_one = text.op(f"insertelement {of.kind} {one_by_one}, double {carried}, i64 {lane}")
        factor = text.op(f"extractelement {of.kind} {given}, i64 {lane}")
        carried = text.op(f"fmul double {carried}, {factor}")
    text.do(f"store {of.kind} {one_by_one}, ptr {found}")
    text.do(f"store double {carried}, ptr {cell}")
    text.do(f"br label %end{name}")

    text.do(f"end{name}:")
    text.here.label = f"end{name}"
    return Value(text.op(f"load {of.kind}, ptr {found}"), True, text.here.depth)


def _shifted(text: ElementText, of: Arithmetic, x: str, steps: int, is_reversed: bool) -> str:
    """The lanes moved on, with ones behind them."""
    lanes = text.lanes
    places = [lane + steps if is_reversed else lane - steps for lane in range(lanes)]
    order = ", ".join(f"i32 {place if 0 <= place < lanes else lanes}" for place in places)
    ones = of.number(1)
    return text.op(f"shufflevector {of.kind} {x}, {of.kind} {ones}, <{lanes} x i32> <{order}>")


def _is_plain(text: ElementText, x: str, carried: str) -> str:
    """Whether any grouping gives the same products, to rounding."""
    lanes = text.lanes
    strange = _strange(text, x, 100, vector=True)
    name = f"llvm.vector.reduce.or.v{lanes}i1"
    function = text.module.declare(name, f"i1 @{name}(<{lanes} x i1>)")
    some = text.op(f"call i1 {function}(<{lanes} x i1> {strange})")
    either = text.op(f"or i1 {some}, {_strange(text, carried, 200, vector=False)}")
    return text.op(f"xor i1 {either}, true")


def _strange(text: ElementText, x: str, most: int, *, vector: bool) -> str:
    """Which are not 0, and outside 2^±most."""
    kind, whole, truth = (text.type_of(t, vector=vector) for t in ("float64", "int64", "bool"))
    of = Arithmetic(text, text.here, "int64", vector=vector)
    low, high = ((_BIAS + power) << _EXPONENT for power in (-most, most))
    raw = text.op(f"bitcast {kind} {x} to {whole}")
    size = text.op(f"and {whole} {raw}, {of.number((1 << 63) - 1)}")
    above = text.op(f"sub {whole} {size}, {of.number(low)}")
    outside = text.op(f"icmp ugt {whole} {above}, {of.number(high - low)}")
    some = text.op(f"icmp ne {whole} {size}, {of.number(0)}")
    return text.op(f"and {truth} {outside}, {some}")
