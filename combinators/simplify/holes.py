"""The words in which rules are written: holes, and numbers of a kind."""

from __future__ import annotations

import math
from collections.abc import Callable
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
Test = Callable[[Any], Any]


def _are(test: Test, array: np.ndarray[Any, Any]) -> bool:
    """Whether all elements pass ``test``; one number everywhere is looked at once."""
    if not array.size or array.dtype.kind == "b" or not test(array.flat[0]):
        return False
    return not any(array.strides) or bool(np.all(test(array)))


def _number(test: Test) -> Where:
    return lambda atom, _: isinstance(atom, Const) and _are(test, atom.literal.array)


def _all(test: Test) -> Where:
    return lambda atom, _: isinstance(atom, Const) and bool(np.all(test(atom.literal.array)))


def _everywhere(test: Test) -> Where:
    return lambda atom, _: is_uniform(atom) and bool(test(_first(atom)))


def _tensor(test: Callable[[Tensor], bool]) -> Where:
    return lambda atom, _: isinstance(atom.type, Tensor) and test(atom.type)


def _truth(wanted: bool) -> Where:
    return _all(lambda a: (a == wanted) if a.dtype == bool else False)


def is_number_zero(atom: Term) -> bool:
    """Whether an atom is a literal 0 everywhere, of either sign."""
    return isinstance(atom, Const) and _are(lambda a: a == 0, atom.literal.array)


def is_typed_zero(atom: Term, _: Facts | None = None) -> bool:
    """Whether an atom is the zero of a type, which only the algebra of cotangents makes."""
    return type(atom) is Prim and atom.operation.primitive is ZEROS


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


def is_plain_factor(literal: Literal) -> bool:
    """Whether ``scale`` by it is a plain product: by finite numbers that are not 0."""
    array = literal.array
    if array.ndim == 0:
        number = array.item()
        return bool(number != 0 and number - number == 0)
    return array.size <= FEW and bool(np.all(np.isfinite(array)) and np.all(array))


def _first(atom: Term) -> Any:
    assert isinstance(atom, Const)
    return atom.literal.array.flat[0]


def _is_large(number: Any) -> bool:
    return bool(np.isfinite(number)) and abs(number) >= 1


x, y, z, v, p, f, t = map(Hole, "xyzvpft")
a, b, c, d, i, k, s = map(Hole, "abcdiks")
"""Anything; by custom the second line takes parameters."""

one = Hole("one", _number(lambda a: a == 1), 1.0, only=True)
minus_one = Hole("minus_one", _number(lambda a: a == -1), -1.0, only=True)
two = Hole("two", _number(lambda a: a == 2), 2.0, only=True)
any_zero = Hole("any_zero", _number(lambda a: a == 0), 0.0, only=True)
plus_zero = Hole("plus_zero", _number(lambda a: (a == 0) & ~np.signbit(a)), 0.0, only=True)
minus_zero = Hole("minus_zero", _number(lambda a: (a == 0) & np.signbit(a)), -0.0, only=True)
minus_inf = Hole("minus_inf", _number(lambda a: a == -math.inf), -math.inf, only=True)
plus_inf = Hole("plus_inf", _number(lambda a: a == math.inf), math.inf, only=True)
finite = Hole("finite", _all(np.isfinite), 1.5)
finite_nonzero = Hole("finite_nonzero", _all(lambda a: np.isfinite(a) & (a != 0)), -2.5)
uniform = Hole("uniform", is_uniform, 0.75)
large = Hole("large", _everywhere(_is_large), -2.5)
"""One number everywhere, not below 1 in size."""
doubling = Hole(
    "doubling", _everywhere(lambda a: _is_large(a) and abs(math.frexp(a)[0]) == 0.5), 4.0
)
"""One power of two everywhere, of either sign and not below 1: a product with it is exact."""
true = Hole("true", _truth(wanted=True), 1.0, only=True)
false = Hole("false", _truth(wanted=False), 0.0, only=True)

n = Hole("n", _tensor(lambda obj: obj.dtype[:3] in ("int", "uin")))
q = Hole("q", _tensor(lambda obj: obj.dtype == "bool"))
tensor = Hole("tensor", _tensor(lambda _: True))
single = Hole("single", _tensor(lambda obj: obj.size == 1))
zero = Hole("zero", lambda atom, facts: facts.is_zero(atom), 0.0, only=True)
typed_zero = Hole("typed_zero", is_typed_zero, 0.0, only=True)
other_typed_zero = Hole("other_typed_zero", is_typed_zero, 0.0, only=True)

ZERO_OF_ZERO = (
    *("negative", "sum", "cumsum", "reshape", "transpose", "broadcast_to", "slice", "embed"),
    *("convert", "stop_gradient"),
)
"""Primitives of one argument that give zero of zero."""


def zeros(out: Object) -> Prim:
    """The zero of a type."""
    return Prim(Operation(ZEROS, (("of", out),)), ())


def filled(number: Any, out: Object) -> Const:
    """One number everywhere."""
    assert isinstance(out, Tensor)
    return Const(Literal.filled(number, out))
