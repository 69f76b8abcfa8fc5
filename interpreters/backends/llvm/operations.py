"""What LLVM writes for each pointwise operation, of numbers or of vectors of them.

NumPy's meaning everywhere: comparisons with nan are false, the larger of a number and nan is nan,
an integer divided by zero is 0, products that hide zeros give 0 wherever a factor is.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from interpreters.backends.llvm.libraries import vector_function
from interpreters.backends.llvm.scopes import TYPES, NativeText, TextScope

_FLOATS = {
    "less": "olt",
    "less_equal": "ole",
    "greater": "ogt",
    "greater_equal": "oge",
    "equal": "oeq",
    "not_equal": "une",
}
_INTS = {
    "less": "slt",
    "less_equal": "sle",
    "greater": "sgt",
    "greater_equal": "sge",
    "equal": "eq",
    "not_equal": "ne",
}
_BITS = {name: sign.replace("s", "u") for name, sign in _INTS.items()}
_ARITHMETIC = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "div"}
_INTRINSICS = {
    "sqrt": "sqrt",
    "absolute": "fabs",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
    "round": "roundeven",
}
_SAME = (
    *("exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "cbrt", "erf", "hypot"),
    *("sin", "cos", "tan", "sinh", "cosh", "tanh"),
)
LIBM = {
    **{name: name for name in _SAME},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "power": "pow",
    "arctan2": "atan2",
}
"""The functions of the C library, which has most of them for vectors too."""
_READ = frozenset({"maximum", "minimum", "scale", "unscale"})
"""What is a function in C, of floating-point numbers."""
_SUFFIX = {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32"}


def literal(number: Any, dtype: str) -> str:
    """A number as LLVM writes it: floats by their bits."""
    if dtype == "bool":
        return "true" if number else "false"
    if dtype[0] == "i":
        return str(int(number))
    value = float(np.float32(number)) if dtype == "float32" else float(number)
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class Arithmetic:
    """Writes operations of one element type into a scope."""

    def __init__(self, text: NativeText, scope: TextScope, dtype: str, *, vector: bool) -> None:
        self.text, self.scope, self.dtype, self.vector = text, scope, dtype, vector
        self.kind = text.type_of(dtype, vector=vector)
        self.bits = text.type_of("bool", vector=vector)

    def op(self, line: str) -> str:
        """A line."""
        return self.text.op(line, self.scope)

    def number(self, value: Any) -> str:
        """A number, everywhere."""
        written = literal(value, self.dtype)
        return f"splat ({TYPES[self.dtype]} {written})" if self.vector else written

    @property
    def is_float(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return self.dtype[0] == "f"

    # ---- by name

    def apply(self, name: str, args: Sequence[str], cod: str) -> str:
        """An operation on elements of this type, which gives one of ``cod``."""
        if name in _FLOATS:
            return self._compared(name, args)
        if name.startswith("logical"):
            return self._logical(name, [self.truth(a) for a in args])
        if name == "convert":
            return self._converted(args[0], cod)
        if self.dtype == "bool":
            return self._of_bits(name, args)
        if self.text.module.is_read and self.is_float and name in _READ:
            return self._helper(name, args)
        method = getattr(self, f"_{name}", None)
        if method is not None:
            found: str = method(*args)
            return found
        if name in _ARITHMETIC and not (name == "divide" and not self.is_float):
            letter = "f" if self.is_float else ""
            return self.op(f"{letter}{_ARITHMETIC[name]} {self.kind} {', '.join(args)}")
        if self.is_float and name in _INTRINSICS:
            return self._intrinsic(_INTRINSICS[name], args)
        if self.is_float and name in LIBM:
            return self._called(LIBM[name], args)
        raise MissingRule(f"the native backend has no code for {name} of {self.dtype}")

    def select(self, test: str, then: str, other: str) -> str:
        """``then`` where the test holds."""
        return self.op(f"select {self.bits} {test}, {self.kind} {then}, {self.kind} {other}")

    def _compared(self, name: str, args: Sequence[str]) -> str:
        if self.is_float:
            return self.op(f"fcmp {_FLOATS[name]} {self.kind} {args[0]}, {args[1]}")
        signs = _BITS if self.dtype == "bool" else _INTS
        return self.op(f"icmp {signs[name]} {self.kind} {args[0]}, {args[1]}")

    def truth(self, x: str) -> str:
        """Whether it is not 0."""
        if self.dtype == "bool":
            return x
        return self._compared("not_equal", [x, self.number(0)])

    def _logical(self, name: str, args: Sequence[str]) -> str:
        if name == "logical_not":
            true = "splat (i1 true)" if self.vector else "true"
            return self.op(f"xor {self.bits} {args[0]}, {true}")
        return self.op(f"{name[8:]} {self.bits} {args[0]}, {args[1]}")

    def _of_bits(self, name: str, args: Sequence[str]) -> str:
        words = {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}
        if name not in words:
            raise MissingRule(f"the native backend has no code for {name} of booleans")
        return self.op(f"{words[name]} {self.kind} {args[0]}, {args[1]}")

    def _converted(self, x: str, cod: str) -> str:
        to = self.text.type_of(cod, vector=self.vector)
        if cod == "bool":
            return self.truth(x)
        if self.dtype == "bool":
            return self.op(f"{'uitofp' if cod[0] == 'f' else 'zext'} {self.kind} {x} to {to}")
        if self.is_float and cod[0] == "f":
            return self.op(f"{'fpext' if cod == 'float64' else 'fptrunc'} {self.kind} {x} to {to}")
        if self.is_float:
            return self._saturated(x, cod, to)
        if cod[0] == "f":
            return self.op(f"sitofp {self.kind} {x} to {to}")
        return self.op(f"{'sext' if cod == 'int64' else 'trunc'} {self.kind} {x} to {to}")

    def _saturated(self, x: str, cod: str, to: str) -> str:
        """An integer; of nan 0, of what is too large the largest."""
        lanes = f"v{self.text.lanes}" if self.vector else ""
        name = f"llvm.fptosi.sat.{lanes}{_SUFFIX[cod]}.{lanes}{_SUFFIX[self.dtype]}"
        function = self.text.module.declare(name, f"{to} @{name}({self.kind})")
        return self.op(f"call {to} {function}({self.kind} {x})")

    # ---- functions

    def _intrinsic(self, name: str, args: Sequence[str]) -> str:
        lanes = f"v{self.text.lanes}" if self.vector else ""
        full = f"llvm.{name}.{lanes}{_SUFFIX[self.dtype]}"
        return self._call(full, args)

    def _call(self, name: str, args: Sequence[str]) -> str:
        kinds = ", ".join([self.kind] * len(args))
        function = self.text.module.declare(name, f"{self.kind} @{name}({kinds})")
        return self.op(
            f"call {self.kind} {function}({', '.join(f'{self.kind} {a}' for a in args)})"
        )

    def _called(self, name: str, args: Sequence[str]) -> str:
        """A function of the C library: of vectors, where it has it, else lane by lane."""
        suffix = "f" if self.dtype == "float32" else ""
        if not self.vector:
            return self._call(f"{name}{suffix}", args)
        symbol = vector_function(name, self.text.lanes, self.dtype, len(args))
        if symbol:
            return self._call(symbol, args)
        return self.lane_by_lane(f"{name}{suffix}", args)

    def across(self, name: str, vector: str) -> str:
        """The lanes of a vector as one number, half of them on the other half."""
        half = self.text.lanes // 2
        while half:
            lanes = range(2 * half)
            order = ", ".join(f"i32 {i + half}" if i < half else "i32 poison" for i in lanes)
            order += ", i32 poison" * (self.text.lanes - 2 * half)
            pair = f"{self.kind} {vector}, {self.kind} poison"
            other = self.op(f"shufflevector {pair}, <{self.text.lanes} x i32> <{order}>")
            vector = self.apply(name, [vector, other], self.dtype)
            half //= 2
        return self.op(f"extractelement {self.kind} {vector}, i64 0")

    def lane_by_lane(self, name: str, args: Sequence[str]) -> str:
        """A function of numbers, of each lane."""
        one = Arithmetic(self.text, self.scope, self.dtype, vector=False)
        found = "poison"
        for lane in range(self.text.active or self.text.lanes):
            numbers = [self.op(f"extractelement {self.kind} {a}, i64 {lane}") for a in args]
            value = one._call(name, numbers)
            found = self.op(f"insertelement {self.kind} {found}, {one.kind} {value}, i64 {lane}")
        return found

    # ---- what is several instructions

    def _negative(self, x: str) -> str:
        if self.is_float:
            return self.op(f"fneg {self.kind} {x}")
        return self.op(f"sub {self.kind} {self.number(0)}, {x}")

    def _absolute(self, x: str) -> str:
        if self.is_float:
            return self._intrinsic("fabs", [x])
        return self.select(self._compared("less", [x, self.number(0)]), self._negative(x), x)

    def _sign(self, x: str) -> str:
        zero = self.number(0)
        above, below = (self._compared(name, [x, zero]) for name in ("greater", "less"))
        rest = x if self.is_float else zero
        if self.is_float:
            rest = self.select(self._compared("equal", [x, zero]), zero, x)
        return self.select(above, self.number(1), self.select(below, self.number(-1), rest))

    def _floor(self, x: str) -> str:
        return self._intrinsic("floor", [x]) if self.is_float else x

    def _ceil(self, x: str) -> str:
        return self._intrinsic("ceil", [x]) if self.is_float else x

    def _trunc(self, x: str) -> str:
        return self._intrinsic("trunc", [x]) if self.is_float else x

    def _round(self, x: str) -> str:
        return self._intrinsic("roundeven", [x]) if self.is_float else x

    def _extreme(self, x: str, y: str, than: str) -> str:
        test = self._compared(than, [x, y])
        if self.is_float:
            nan = self.op(f"fcmp uno {self.kind} {x}, {x}")
            test = self.op(f"or {self.bits} {test}, {nan}")
        return self.select(test, x, y)

    def _maximum(self, x: str, y: str) -> str:
        return self._extreme(x, y, "greater")

    def _minimum(self, x: str, y: str) -> str:
        return self._extreme(x, y, "less")

    def _scale(self, v: str, p: str) -> str:
        if not self.text.module.careful:
            return self.op(f"fmul {self.kind} {v}, {p}")
        return self.absorbing_product(v, p)

    def absorbing_product(self, v: str, p: str) -> str:
        """The product; 0 wherever a factor is."""
        product = self.op(f"fmul {self.kind} {v}, {p}")
        return self._absorbing(product, v, self._compared("equal", [p, self.number(0)]))

    def _unscale(self, v: str, p: str) -> str:
        quotient = self.op(f"fdiv {self.kind} {v}, {p}")
        if not self.text.module.careful:
            return quotient
        size = self._intrinsic("fabs", [p])
        return self._absorbing(
            quotient, v, self._compared("equal", [size, self.number(float("inf"))])
        )

    def _absorbing(self, product: str, v: str, is_absorbed: str) -> str:
        """0 instead of nan where a factor is 0."""
        zero = self.number(0)
        nan = self.op(f"fcmp uno {self.kind} {product}, {product}")
        either = self.op(f"or {self.bits} {self._compared('equal', [v, zero])}, {is_absorbed}")
        return self.select(self.op(f"and {self.bits} {nan}, {either}"), zero, product)

    def _floor_divide(self, x: str, y: str) -> str:
        return self._helper("floor_divide", [x, y])

    def _remainder(self, x: str, y: str) -> str:
        return self._helper("remainder", [x, y])

    def _power(self, x: str, y: str) -> str:
        return self._called("pow", [x, y]) if self.is_float else self._helper("power", [x, y])

    def _helper(self, name: str, args: Sequence[str]) -> str:
        """A function of numbers that is written here, in ``helpers``."""
        full = f"dc_{name}_{self.dtype}"
        if not self.vector:
            return self._call(full, args)
        return self.lane_by_lane(full, args)
