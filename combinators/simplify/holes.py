"""The words in which rules are written: holes, and numbers of a kind."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from combinators.primitives.structural import ZEROS
from combinators.simplify.patterns import Facts, Hole, Where
from combinators.terms import Const, Prim, Term

FEW = 1 << 12
"""So many numbers of an array are compared with each other, and no more."""


def _number(test: Any) -> Where:
    """Of a literal whose elements all pass ``test``; one number everywhere is looked at once."""

    def where(atom: Term, _: Facts) -> bool:
        return isinstance(atom, Const) and _are(test, atom.literal.array)

    return where


def _are(test: Any, array: np.ndarray[Any, Any]) -> bool:
    first = array.flat[0] if array.size else None
    if first is None or array.dtype.kind == "b" or not test(first):
        return False
    return not any(array.strides) or bool(np.all(test(array)))


def _is_zero(numbers: Any) -> Any:
    return numbers == 0


def _truth(wanted: bool) -> Where:
    def where(atom: Term, _: Facts) -> bool:
        if not isinstance(atom, Const) or atom.literal.type.dtype != "bool":
            return False
        return bool(np.all(atom.literal.array == wanted))

    return where


def is_number_zero(atom: Term) -> bool:
    """Whether an atom is a literal 0 everywhere, of either sign."""
    return isinstance(atom, Const) and _are(_is_zero, atom.literal.array)


def is_typed_zero(atom: Term, _: Facts | None = None) -> bool:
    """Whether an atom is the zero of a type, which only the algebra of cotangents makes."""
    return isinstance(atom, Prim) and atom.operation.primitive is ZEROS


def _zero(atom: Term, facts: Facts) -> bool:
    return facts.is_zero(atom)


def _integral(atom: Term, _: Facts) -> bool:
    return isinstance(atom.type, Tensor) and atom.type.dtype[:3] in ("int", "uin")


def _boolean(atom: Term, _: Facts) -> bool:
    return isinstance(atom.type, Tensor) and atom.type.dtype == "bool"


def _tensor(atom: Term, _: Facts) -> bool:
    return isinstance(atom.type, Tensor)


def _single(atom: Term, _: Facts) -> bool:
    return isinstance(atom.type, Tensor) and atom.type.size == 1


def is_uniform(atom: Term, _: Facts | None = None) -> bool:
    """Of a literal that is one number everywhere, and known to be."""
    if not isinstance(atom, Const):
        return False
    array = atom.literal.array
    return array.size == 1 or (array.size > 1 and not any(array.strides))


def has_equal_rows(array: np.ndarray[Any, Any]) -> bool:
    """Whether a small array is one row again and again, to the bit."""
    if not 0 < array.size <= FEW or not len(array):
        return False
    rows = np.ascontiguousarray(array).reshape(len(array), -1).view(np.uint8)
    return bool((rows == rows[0]).all())


def _finite(atom: Term, _: Facts) -> bool:
    return isinstance(atom, Const) and bool(np.all(np.isfinite(atom.literal.array)))


def _finite_nonzero(atom: Term, facts: Facts) -> bool:
    return isinstance(atom, Const) and _finite(atom, facts) and bool(np.all(atom.literal.array))


def is_plain_factor(atom: Term) -> bool:
    """Whether ``scale`` by an atom is a plain product: by a finite number that is not 0."""
    if not isinstance(atom, Const):
        return False
    array = atom.literal.array
    return array.size <= FEW and bool(np.all(np.isfinite(array)) and np.all(array))


def _large(atom: Term, facts: Facts) -> bool:
    return is_uniform(atom) and _finite(atom, facts) and abs(_first(atom)) >= 1


def _doubling(atom: Term, facts: Facts) -> bool:
    return _large(atom, facts) and abs(math.frexp(_first(atom))[0]) == 0.5


def _first(atom: Term) -> Any:
    assert isinstance(atom, Const)
    return atom.literal.array.flat[0]


_ANY_ZERO = _number(_is_zero)

x, y, z, v, p, f, t = map(Hole, "xyzvpft")
a, b, c, d, i, k, s = map(Hole, "abcdiks")
"""Anything; by custom the second line takes parameters."""

one = Hole("one", _number(lambda a: a == 1), 1.0, only=True)
minus_one = Hole("minus_one", _number(lambda a: a == -1), -1.0, only=True)
two = Hole("two", _number(lambda a: a == 2), 2.0, only=True)
any_zero = Hole("any_zero", _ANY_ZERO, 0.0, only=True)
plus_zero = Hole("plus_zero", _number(lambda a: (a == 0) & ~np.signbit(a)), 0.0, only=True)
minus_zero = Hole("minus_zero", _number(lambda a: (a == 0) & np.signbit(a)), -0.0, only=True)
minus_inf = Hole("minus_inf", _number(lambda a: a == -math.inf), -math.inf, only=True)
plus_inf = Hole("plus_inf", _number(lambda a: a == math.inf), math.inf, only=True)
finite = Hole("finite", _finite, 1.5)
finite_nonzero = Hole("finite_nonzero", _finite_nonzero, -2.5)
uniform = Hole("uniform", is_uniform, 0.75)
large = Hole("large", _large, -2.5)
"""One number everywhere, not below 1 in size."""
doubling = Hole("doubling", _doubling, 4.0)
"""One power of two everywhere, of either sign and not below 1: a product with it is exact."""
true = Hole("true", _truth(True), 1.0, only=True)
false = Hole("false", _truth(False), 0.0, only=True)

n = Hole("n", _integral)
q = Hole("q", _boolean)
tensor = Hole("tensor", _tensor)
single = Hole("single", _single)
zero = Hole("zero", _zero, 0.0, only=True)
other_zero = Hole("other_zero", _zero, 0.0)
typed_zero = Hole("typed_zero", is_typed_zero, 0.0, only=True)
other_typed_zero = Hole("other_typed_zero", is_typed_zero, 0.0, only=True)


ZERO_OF_ZERO = (
    "negative",
    "sum",
    "cumsum",
    "reshape",
    "transpose",
    "broadcast_to",
    "slice",
    "embed",
    "convert",
    "stop_gradient",
)
"""Primitives of one argument that give zero of zero."""


def zeros(out: Object) -> Term:
    """The zero of a type."""
    return Prim(Operation(ZEROS, (("of", out),)), ())


def filled(number: Any, out: Object) -> Const:
    """One number everywhere."""
    assert isinstance(out, Tensor)
    return Const(Literal.filled(number, out))
