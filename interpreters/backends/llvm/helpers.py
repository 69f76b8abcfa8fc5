"""Functions of numbers that LLVM has no instruction for, as NumPy computes them."""

from __future__ import annotations

from interpreters.backends.llvm.effort import ASKS, INTERRUPTED
from interpreters.backends.llvm.growing import GROWING, ROOM

_REMAINDER = """define internal {t} @dc_remainder_{n}({t} %x, {t} %y) #1 {{
  %m = frem {t} %x, %y
  %z = fcmp oeq {t} %m, 0.0
  %s = call {t} @llvm.copysign.{l}({t} 0.0, {t} %y)
  %a = fcmp olt {t} %m, 0.0
  %b = fcmp olt {t} %y, 0.0
  %d = xor i1 %a, %b
  %p = fadd {t} %m, %y
  %q = select i1 %d, {t} %p, {t} %m
  %r = select i1 %z, {t} %s, {t} %q
  ret {t} %r
}}
declare {t} @llvm.copysign.{l}({t}, {t})
"""
_FLOOR_DIVIDE = """define internal {t} @dc_floor_divide_{n}({t} %x, {t} %y) #1 {{
  %zero = fcmp oeq {t} %y, 0.0
  %plain = fdiv {t} %x, %y
  %m = frem {t} %x, %y
  %e = fsub {t} %x, %m
  %d = fdiv {t} %e, %y
  %a = fcmp olt {t} %m, 0.0
  %b = fcmp olt {t} %y, 0.0
  %w = fcmp une {t} %m, 0.0
  %x1 = xor i1 %a, %b
  %x2 = and i1 %x1, %w
  %d1 = fsub {t} %d, 1.0
  %d2 = select i1 %x2, {t} %d1, {t} %d
  %f = call {t} @llvm.floor.{l}({t} %d2)
  %g = fsub {t} %d2, %f
  %h = fcmp ogt {t} %g, 0.5
  %i = fadd {t} %f, 1.0
  %j = select i1 %h, {t} %i, {t} %f
  %k = call {t} @llvm.copysign.{l}({t} 0.0, {t} %plain)
  %n = fcmp oeq {t} %d2, 0.0
  %o = select i1 %n, {t} %k, {t} %j
  %r = select i1 %zero, {t} %plain, {t} %o
  ret {t} %r
}}
declare {t} @llvm.floor.{l}({t})
declare {t} @llvm.copysign.{l}({t}, {t})
"""
_INT_DIVIDE = """define internal {t} @dc_floor_divide_{n}({t} %x, {t} %y) #1 {{
  %zero = icmp eq {t} %y, 0
  %less = icmp eq {t} %y, -1
  %unsafe = or i1 %zero, %less
  %by = select i1 %unsafe, {t} 1, {t} %y
  %q = sdiv {t} %x, %by
  %m = mul {t} %q, %by
  %rest = sub {t} %x, %m
  %some = icmp ne {t} %rest, 0
  %signs = xor {t} %rest, %by
  %apart = icmp slt {t} %signs, 0
  %down = and i1 %some, %apart
  %q1 = sub {t} %q, 1
  %q2 = select i1 %down, {t} %q1, {t} %q
  %minus = sub {t} 0, %x
  %q3 = select i1 %less, {t} %minus, {t} %q2
  %r = select i1 %zero, {t} 0, {t} %q3
  ret {t} %r
}}
"""
_INT_REMAINDER = """define internal {t} @dc_remainder_{n}({t} %x, {t} %y) #1 {{
  %zero = icmp eq {t} %y, 0
  %less = icmp eq {t} %y, -1
  %unsafe = or i1 %zero, %less
  %by = select i1 %unsafe, {t} 1, {t} %y
  %m = srem {t} %x, %by
  %some = icmp ne {t} %m, 0
  %signs = xor {t} %m, %by
  %apart = icmp slt {t} %signs, 0
  %down = and i1 %some, %apart
  %m1 = add {t} %m, %by
  %r = select i1 %down, {t} %m1, {t} %m
  ret {t} %r
}}
"""
_INT_POWER = """define internal {t} @dc_power_{n}({t} %x0, {t} %y0) #1 {{
entry:
  %below = icmp slt {t} %y0, 0
  %one = icmp eq {t} %x0, 1
  %minus = icmp eq {t} %x0, -1
  %unit = or i1 %one, %minus
  %other = xor i1 %unit, true
  %none = and i1 %below, %other
  %x = select i1 %none, {t} 0, {t} %x0
  %odd0 = and {t} %y0, 1
  %small = sub {t} 2, %odd0
  %y = select i1 %below, {t} %small, {t} %y0
  br label %round
round:
  %base = phi {t} [%x, %entry], [%base1, %round]
  %rest = phi {t} [%y, %entry], [%rest1, %round]
  %found = phi {t} [1, %entry], [%found2, %round]
  %bit = and {t} %rest, 1
  %odd = icmp ne {t} %bit, 0
  %found1 = mul {t} %found, %base
  %found2 = select i1 %odd, {t} %found1, {t} %found
  %base1 = mul {t} %base, %base
  %rest1 = lshr {t} %rest, 1
  %done = icmp eq {t} %rest1, 0
  br i1 %done, label %end, label %round
end:
  ret {t} %found2
}}
"""
_FLOATS = {"remainder": _REMAINDER, "floor_divide": _FLOOR_DIVIDE}
_INTS = {"remainder": _INT_REMAINDER, "floor_divide": _INT_DIVIDE, "power": _INT_POWER}


def helper(name: str) -> str:
    """The text of ``dc_power_int64`` and its likes; empty where there is none of the name."""
    if not name.startswith("dc_"):
        return ""
    if name in (ASKS, ROOM):
        return INTERRUPTED if name == ASKS else GROWING
    word, _, dtype = name[3:].rpartition("_")
    kind = {"float64": "double", "float32": "float", "int64": "i64", "int32": "i32"}[dtype]
    table = _FLOATS if dtype[0] == "f" else _INTS
    return table[word].format(t=kind, n=dtype, l={"double": "f64", "float": "f32"}.get(kind, kind))
