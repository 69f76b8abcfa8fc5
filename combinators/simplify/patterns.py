"""Patterns: terms with holes, in which the left sides and most right sides of rules are written.

>>> x, y = Hole("x"), Hole("y")
>>> negative = head("negative")
>>> negative(negative(x))
negative(negative(x))

Which rules may apply to a line is told by its head and by the *kinds* of its operands: ``sin`` of a
variable that stands for a sine, ``multiply*`` of one that stands for a product with a number, ``#``
of a number, ``#1.0`` of one that some rule asks for, ``tuple#0.0`` of a tuple of zeros.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation, named
from combinators.primitives.structural import ZEROS
from combinators.terms import App, Const, Prim, Proj, Term, Tuple, Var

COMMUTATIVE = frozenset({"add", "multiply", "plus", "logical_and", "logical_or"})
"""Primitives whose patterns match in both orders of their two operands."""


class Facts:
    """What is known of atoms where a rule is tried; here nothing, as of the atoms of patterns."""

    def definition(self, atom: Any) -> Any:
        """What a variable stands for; every other atom stands for itself."""
        return atom

    def is_zero(self, atom: Term) -> bool:
        """Whether it is 0 in every component."""
        return False

    def is_once(self, atom: Term) -> bool:
        """Whether it is known to be used nowhere else."""
        return False


Where = Callable[[Term, Facts], bool]


@dataclass(frozen=True)
class Hole:
    """Stands for any atom, or for one of which ``where`` holds.

    Where that takes a literal or a zero, ``like`` is a number of which it holds, and ``only`` says
    that it holds of no other.
    """

    name: str
    where: Where | None = None
    like: float | None = None
    only: bool = False

    def __repr__(self) -> str:
        """Its name."""
        return self.name


@dataclass(frozen=True)
class Rest:
    """Stands for all operands of a node."""

    name: str

    def __repr__(self) -> str:
        """Its name."""
        return f"*{self.name}"


@dataclass(frozen=True)
class Node:
    """A form or a primitive, by name, its operands, and those of its parameters that matter.

    A parameter is a value, or a hole that takes whatever value there is.
    """

    head: str
    operands: tuple[Any, ...]
    parameters: tuple[tuple[str, Any], ...] = ()
    once: bool = False

    def __repr__(self) -> str:
        """As a call."""
        said = [f"{name}={value!r}" for name, value in self.parameters]
        return f"{self.head}({', '.join([*map(repr, self.operands), *said])})"


def once(node: Node) -> Node:
    """The node where nothing else uses it, so that it goes when the rule fires."""
    return replace(node, once=True)


Pattern = Hole | Rest | Node | Term
Found = dict[str, Any]


def head(name: str) -> Callable[..., Node]:
    """The constructor of patterns of one head."""
    return lambda *operands, **parameters: Node(name, operands, tuple(parameters.items()))


# ---- terms as patterns see them ------------------------------------------------------------------

View = tuple[str, tuple[Term, ...], tuple[tuple[str, Any], ...]]
FORMS = frozenset({"proj", "tuple", "apply"})
"""The heads of terms that are no primitives."""


def view(term: Term | Node) -> View | None:
    """The head, the operands and the parameters of a term; None where it has none."""
    if type(term) is Prim:
        operation = term.operation
        return operation.primitive.name, term.args, operation.parameters
    match term:
        case Proj(index, product):
            return "proj", (product,), (("index", index),)
        case Tuple(items, names):
            return "tuple", items, (("names", names),)
        case App(function, argument):
            return "apply", (function, argument), ()
        case Node(name, operands, parameters):
            return name, operands, parameters
        case _:
            return None


def unview(head: str, operands: tuple[Term, ...], parameters: dict[str, Any]) -> Term:
    """The term of which these are the view."""
    match head:
        case "proj":
            return Proj(parameters["index"], operands[0])
        case "tuple":
            return Tuple(operands, parameters.get("names"))
        case "apply":
            return App(operands[0], operands[1])
        case _:
            return Prim(_operation(head, tuple(parameters.items())), operands)


@lru_cache(maxsize=1 << 12)
def _operation(name: str, parameters: tuple[tuple[str, Any], ...]) -> Operation:
    return Operation(named(name), parameters)


def is_atom(term: Term) -> bool:
    """Whether a term computes nothing: a variable, a number, a typed zero."""
    return isinstance(term, (Var, Const)) or (isinstance(term, Prim) and not term.args)


SMALL = 64
"""Arrays of more elements are compared by identity alone."""


def same(x: Any, y: Any) -> bool:
    """Whether two atoms are one value."""
    if x is y:
        return True
    match x, y:
        case (Var(a), Var(b)):
            return a == b
        case (Const(a), Const(b)):
            return a.type is b.type and a.array.size <= SMALL and a == b
        case (Prim(f, ()), Prim(g, ())):
            return f == g
        case _:
            return isinstance(x, Hole | Node) and x == y


# ---- matching ------------------------------------------------------------------------------------


def matched(pattern: Node, term: Any, facts: Facts, found: Found | None = None) -> Found | None:
    """What the holes of ``pattern`` stand for in ``term``; None where it does not match."""
    found = {} if found is None else found
    seen = view(term)
    if seen is None or seen[0] != pattern.head or not _parameters(pattern, seen[2], found):
        return None
    wanted, operands = pattern.operands, seen[1]
    if len(wanted) == 1 and type(wanted[0]) is Rest:
        return found | {wanted[0].name: operands}
    if len(operands) != len(wanted):
        return None
    made = _matched_all(wanted, operands, facts, dict(found))
    if made is None and pattern.head in COMMUTATIVE:
        return _matched_all(wanted, operands[::-1], facts, found)
    return made


def _matched_all(
    wanted: tuple[Any, ...], operands: tuple[Any, ...], facts: Facts, found: Found
) -> Found | None:
    for pattern, atom in zip(wanted, operands, strict=True):
        if type(pattern) is Node:
            below = matched(pattern, facts.definition(atom), facts, found)
            if below is None or (pattern.once and not facts.is_once(atom)):
                return None
            found = below
            continue
        known = found.get(pattern.name)
        if known is None:
            test = pattern.where
            if test is not None and not (isinstance(atom, Term) and test(atom, facts)):
                return None
            found[pattern.name] = atom
        elif not same(known, atom):
            return None
    return found


def _parameters(pattern: Node, given: Iterable[tuple[str, Any]], found: Found) -> bool:
    values = dict(given) if pattern.parameters else {}
    for name, wanted in pattern.parameters:
        value = values.get(name)
        if isinstance(wanted, Hole):
            if found.setdefault(wanted.name, value) != value:
                return False
        elif value != wanted:
            return False
    return True


# ---- kinds ---------------------------------------------------------------------------------------


def may_match(pattern: Node, kinds: tuple[str, ...]) -> bool:
    """Whether a term of this head, of operands of these kinds, may match."""
    wanted = pattern.operands
    if len(wanted) == 1 and type(wanted[0]) is Rest:
        return True
    orders = (kinds, kinds[::-1]) if pattern.head in COMMUTATIVE else (kinds,)
    return len(wanted) == len(kinds) and any(all(map(_takes, wanted, order)) for order in orders)


def _takes(pattern: Any, kind: str) -> bool:
    line, is_number, number = kind.partition("#")
    match pattern:
        case Node(head, operands):
            has_number = any(isinstance(part, Hole) and part.like is not None for part in operands)
            return line == f"{head}*" or (line == head and not (has_number and head != "tuple"))
        case Hole(_, _, float() as like, only):
            return bool(is_number) and (not only or number == repr(like + 0.0))
        case _:
            return True


# ---- the words of rules --------------------------------------------------------------------------

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
