"""A tiny typed λ-calculus as data: what random programs are written in, knowing no library.

Types are ``R``, ``V(n)`` (n reals), lists of reals, pairs, sums and arrows; expressions are frozen
dataclasses, so that they print, shrink and can be searched. ``meanings`` says what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class V:
    """So many reals."""

    length: int


@dataclass(frozen=True)
class Pair:
    left: Type
    right: Type


@dataclass(frozen=True)
class Arrow:
    dom: Type
    cod: Type


@dataclass(frozen=True)
class Either:
    left: Type
    right: Type


@dataclass(frozen=True)
class Real:
    pass


@dataclass(frozen=True)
class Items:
    """A list of reals, of any length."""


Type = Real | V | Items | Pair | Either | Arrow
R = Real()


@dataclass(frozen=True)
class Ref:
    """A variable."""

    name: str


@dataclass(frozen=True)
class Num:
    value: float


@dataclass(frozen=True)
class Op:
    """A pointwise function, of reals or of equally long vectors and reals."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True)
class Lam:
    name: str
    dom: Type
    body: Expr


@dataclass(frozen=True)
class Call:
    function: Expr
    argument: Expr


@dataclass(frozen=True)
class Both:
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Part:
    index: int
    pair: Expr


@dataclass(frozen=True)
class Let:
    name: str
    bound: Expr
    body: Expr


@dataclass(frozen=True)
class If:
    """``then`` where ``left < right``."""

    left: Expr
    right: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True)
class Fold:
    """``step`` sees ``carry`` and ``item``, a row of ``xs``."""

    carry: str
    item: str
    step: Expr
    init: Expr
    xs: Expr


@dataclass(frozen=True)
class Scan:
    """The stack of the ``out`` of each step; both ``step`` and ``out`` see carry and item."""

    carry: str
    item: str
    step: Expr
    out: Expr
    init: Expr
    xs: Expr


@dataclass(frozen=True)
class Map:
    item: str
    body: Expr
    xs: Expr


@dataclass(frozen=True)
class Total:
    """The sum of a vector."""

    xs: Expr


@dataclass(frozen=True)
class At:
    """A component of a vector."""

    xs: Expr
    index: int


@dataclass(frozen=True)
class Combine:
    """``c + x + t · c · x`` of all of ``xs``, in a number; or of those up to each, from an end."""

    way: str
    t: Expr
    xs: Expr


@dataclass(frozen=True)
class In:
    """An alternative of a sum."""

    index: int
    of: Either
    value: Expr


@dataclass(frozen=True)
class Case:
    """Each branch sees what its alternative holds, by its own name."""

    given: Expr
    left: str
    one: Expr
    right: str
    other: Expr


@dataclass(frozen=True)
class ListOf:
    """A list of these, and then of ``tail``, if it is there."""

    items: tuple[Expr, ...]
    tail: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Down:
    """Recursion down a list: ``more`` sees an item and what the rest gave."""

    item: str
    rest: str
    ends: Expr
    more: Expr
    xs: Expr


@dataclass(frozen=True)
class Again:
    """A recursive function called at ``init``; ``more`` may call it, ``calls`` deep."""

    function: str
    state: str
    type: Arrow
    ends: Expr
    more: Expr
    calls: int
    init: Expr


Plain = Ref | Num | Op | Lam | Call | Both | Part | Let | If | Fold | Scan | Map | Total | At
Expr = Plain | Combine | In | Case | ListOf | Down | Again


@dataclass(frozen=True)
class Program:
    """A function of named arguments."""

    params: tuple[tuple[str, Type], ...]
    body: Expr


def nodes(expr: Any) -> Iterator[Any]:
    """The expression and all that is inside it."""
    todo = [expr]
    while todo:
        node = todo.pop()
        yield node
        for field in fields(node):
            part = getattr(node, field.name)
            todo.extend(p for p in (part if isinstance(part, tuple) else (part,)) if is_expr(p))


def is_expr(part: Any) -> bool:
    return isinstance(part, Expr)


def free(expr: Expr) -> set[str]:
    """The names that an expression mentions; in random programs every binder has its own name."""
    bound: set[str] = set()
    used: set[str] = set()
    for node in nodes(expr):
        match node:
            case Ref(name):
                used.add(name)
            case Lam(name) | Let(name):
                bound.add(name)
            case Fold(carry, item) | Scan(carry, item):
                bound |= {carry, item}
            case Map(item):
                bound.add(item)
            case Case(_, left, _, right):
                bound |= {left, right}
            case Down(item, rest):
                bound |= {item, rest}
            case Again(function, state):
                bound |= {function, state}
    return used - bound


def features(program: Program) -> set[str]:
    """What of the language a program uses."""
    found = set()
    for node in nodes(program.body):
        match node:
            case Lam() if free(node):
                found.add("a closure that captures")
            case If():
                found.add("a conditional")
            case Fold():
                found.add("a fold")
            case Scan():
                found.add("a scan")
            case Map():
                found.add("a map")
            case Call():
                found.add("a call")
            case Let():
                found.add("a let")
            case Case():
                found.add("a case")
            case Again():
                found.add("recursion")
            case ListOf() | Down():
                found.add("a list")
            case Combine(way):
                found.add("a reduce" if way == "reduce" else "an associative scan")
    return found
