"""Patterns: terms with holes, in which the left sides and most right sides of rules are written.

>>> x, y = Hole("x"), Hole("y")
>>> negative = head("negative")
>>> negative(negative(x))
negative(negative(x))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

from combinators.operation import Operation, named
from combinators.terms import App, Const, Prim, Proj, Term, Tuple, Var

NUMBER = "#"
"""The mark of an operand that is a number, or known to be zero."""
COMMUTATIVE = frozenset({"add", "multiply", "plus", "logical_and", "logical_or"})
"""Primitives whose patterns match in both orders of their two operands."""
FORMS = frozenset({"proj", "tuple", "apply"})
"""The heads of patterns that are no primitives."""


class Facts(Protocol):
    """What is known of atoms where a rule is tried."""

    def definition(self, atom: Term) -> Term:
        """What a variable stands for; every other atom stands for itself."""
        ...

    def is_zero(self, atom: Term) -> bool:
        """Whether it is 0 in every component."""
        ...

    def is_once(self, atom: Term) -> bool:
        """Whether it is known to be used nowhere else."""
        ...


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
        said = [
            *map(repr, self.operands),
            *(f"{name}={value!r}" for name, value in self.parameters),
        ]
        return f"{self.head}({', '.join(said)})"


def once(node: Node) -> Node:
    """The node where nothing else uses it, so that it goes when the rule fires."""
    return replace(node, once=True)


Pattern = Hole | Rest | Node | Term
Found = dict[str, Any]


def head(name: str) -> Callable[..., Node]:
    """The constructor of patterns of one head."""

    def node(*operands: Pattern, **parameters: Any) -> Node:
        return Node(name, operands, tuple(parameters.items()))

    return node


View = tuple[str, tuple[Term, ...], tuple[tuple[str, Any], ...]]


def view(term: Term) -> View | None:
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


def same(x: Term, y: Term) -> bool:
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
            return False


SMALL = 64
"""Arrays of more elements are compared by identity alone."""


def matched(pattern: Node, term: Term, facts: Facts) -> Found | None:
    """What the holes of ``pattern`` stand for in ``term``; None where it does not match."""
    found: Found = {}
    return found if _node(pattern, term, facts, found) else None


def _node(pattern: Node, term: Term, facts: Facts, found: Found) -> bool:
    seen = view(term)
    if seen is None or seen[0] != pattern.head:
        return False
    if pattern.parameters and not _parameters(pattern, dict(seen[2]), found):
        return False
    operands = seen[1]
    if len(pattern.operands) == 1 and isinstance(pattern.operands[0], Rest):
        found[pattern.operands[0].name] = operands
        return True
    if len(operands) != len(pattern.operands):
        return False
    if pattern.head not in COMMUTATIVE:
        return _all(pattern.operands, operands, facts, found)
    before = dict(found)
    if _all(pattern.operands, operands, facts, found):
        return True
    found.clear()
    found.update(before)
    return _all(pattern.operands, operands[::-1], facts, found)


def _all(patterns: tuple[Any, ...], operands: tuple[Term, ...], facts: Facts, found: Found) -> bool:
    return all(
        _matches(pattern, operand, facts, found)
        for pattern, operand in zip(patterns, operands, strict=True)
    )


def _matches(pattern: Any, atom: Term, facts: Facts, found: Found) -> bool:
    if isinstance(pattern, Node):
        if pattern.once and not facts.is_once(atom):
            return False
        return _node(pattern, facts.definition(atom), facts, found)
    known = found.get(pattern.name)
    if known is not None:
        return same(known, atom)
    if pattern.where is not None and not pattern.where(atom, facts):
        return False
    found[pattern.name] = atom
    return True


def _parameters(pattern: Node, given: dict[str, Any], found: Found) -> bool:
    for name, wanted in pattern.parameters:
        value = given.get(name)
        if isinstance(wanted, Hole):
            if wanted.name in found and found[wanted.name] != value:
                return False
            found[wanted.name] = value
        elif value != wanted:
            return False
    return True


def is_atom(term: Term) -> bool:
    """Whether a term computes nothing: a variable, a number, a typed zero."""
    return isinstance(term, (Var, Const)) or (isinstance(term, Prim) and not term.args)


@lru_cache(maxsize=1 << 8)
def number_mark(value: float) -> str:
    """The mark of an operand that is this number, or begins with it; of zeros without sign."""
    return repr(value + 0.0)


def atom_marks(atom: Term) -> tuple[str, ...]:
    """The marks of an atom that is no variable."""
    if isinstance(atom, Const):
        array = atom.literal.array
        return (NUMBER, number_mark(float(array.flat[0]))) if array.size else (NUMBER,)
    return (NUMBER, number_mark(0.0)) if isinstance(atom, Prim) else ()
