"""Random well-typed higher-order programs, by hypothesis or by a seed.

``term(type, scope)`` draws an expression of a type; everything else is composed of it. Recursive
functions count their calls or go down a list, and so end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, NamedTuple, Protocol

from hypothesis import strategies as st

from tests.strategies.language import (
    Again,
    Arrow,
    At,
    Both,
    Call,
    Case,
    Combine,
    Down,
    Either,
    Expr,
    Fold,
    If,
    In,
    Items,
    Lam,
    Let,
    ListOf,
    Map,
    Num,
    Op,
    Pair,
    Part,
    Program,
    R,
    Real,
    Ref,
    Scan,
    Total,
    Type,
    V,
)

POLYNOMIAL = {"add": 2, "subtract": 2, "multiply": 2, "negative": 1}
RATIONAL = POLYNOMIAL | {"quotient": 2}
SMOOTH = RATIONAL | {"sin": 1, "cos": 1, "tanh": 1, "exp": 1, "softlog": 1}
"""Names of pointwise functions, and of how many arguments."""

CASES, RECURSION, LISTS, REDUCES = FORMS = "case", "recursion", "lists", "reduces"
WHOLE = frozenset(FORMS)
"""What programs hold besides λs, pairs, conditionals, folds, scans and maps."""

LENGTH = 3
CONSTANTS = (-1.5, -1.0, -0.5, 0.25, 0.5, 1.0, 2.0)


class Chance(Protocol):
    """What draws: ``random.Random``, or hypothesis."""

    def choice(self, options: Sequence[Any], /) -> Any: ...
    def randint(self, least: int, most: int, /) -> int: ...


class Scope(NamedTuple):
    """What variables there are, and what functions may be used."""

    variables: tuple[tuple[str, Type], ...]
    operations: dict[str, int]
    names: Any
    forms: frozenset[str]
    straight: bool

    def bind(self, wish: str, kind: Type) -> tuple[str, Scope]:
        """A new name, and the scope in which it stands."""
        name = f"{wish}{next(self.names)}"
        return name, self._replace(variables=(*self.variables, (name, kind)))


def _type(chance: Chance, depth: int, forms: frozenset[str]) -> Type:
    """A type, functions and pairs of them among them."""
    made = (Pair, Arrow, *([Either] if CASES in forms else []))
    kind = chance.choice((None, *made)) if depth else None
    if kind is None:
        return chance.choice((R, V(LENGTH), *([Items()] if LISTS in forms else [])))
    return kind(*(_type(chance, depth - 1, forms) for _ in range(2)))


THREE = (("x", R), ("y", R), ("v", V(LENGTH)))


def program(
    chance: Chance,
    operations: dict[str, int] = SMOOTH,
    params: tuple[tuple[str, Type], ...] = THREE,
    result: Type = R,
    depth: int = 5,
    forms: frozenset[str] = WHOLE,
    *,
    straight: bool = False,
) -> Program:
    """A program of the parameters that gives a ``result``; ``straight``: no choice and no loop."""
    return Program(
        params, term(chance, result, Scope(params, operations, count(), forms, straight), depth)
    )


class ByHypothesis:
    """Chance that hypothesis finds again, and makes smaller where a test fails."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self.draw = draw

    def choice(self, options: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(options))

    def randint(self, least: int, most: int) -> int:
        return self.draw(st.integers(least, most))


@st.composite
def programs(draw: Any, *args: Any, **fragment: Any) -> Program:
    """Those that ``program`` makes."""
    return program(ByHypothesis(draw), *args, **fragment)


def term(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    """An expression of type ``kind``."""
    if depth <= 0:
        return _small(chance, kind, scope)
    ways = [_any_let, _any_call, _any_part, _small]
    ways += [] if scope.straight else [_any_if, _any_fold]
    ways += [_any_case] * 2 if CASES in scope.forms else []
    ways += [_any_recursion] * 2 if RECURSION in scope.forms else []
    ways += [_any_down] if LISTS in scope.forms else []
    match kind:
        case Real():
            ways += [_operation] * 5 + [_total, _at]
        case V():
            ways += [_operation] * 3 + ([] if scope.straight else [_map, _scan])
        case _:
            ways += [_introduce] * 5
    if REDUCES in scope.forms and isinstance(kind, Real | V):
        ways += [_combined] * 2
    return chance.choice(ways)(chance, kind, scope, depth - 1)


def _small(chance: Chance, kind: Type, scope: Scope, _: int = 0) -> Expr:
    """A variable, or what the type itself suggests."""
    known = [Ref(name) for name, given in scope.variables if given == kind]
    if known and (kind != R or chance.randint(0, 3)):
        return chance.choice(known)
    match kind:
        case Real():
            return Num(chance.choice(CONSTANTS))
        case V():
            number = Num(chance.choice(CONSTANTS))
            if scope.straight:
                return Op("multiply", (number, Ref("v")))
            return Map("_", number, Ref("v"))
        case _:
            return _introduce(chance, kind, scope, 0)


def _introduce(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    match kind:
        case Pair(left, right):
            return Both(term(chance, left, scope, depth), term(chance, right, scope, depth))
        case Either():
            index = chance.randint(0, 1)
            return In(index, kind, term(chance, (kind.left, kind.right)[index], scope, depth))
        case Items():
            items = tuple(term(chance, R, scope, depth) for _ in range(chance.randint(0, 2)))
            tail = chance.choice((False, True)) and depth > 0
            return ListOf(items, (term(chance, kind, scope, depth - 1),) if tail else ())
    assert isinstance(kind, Arrow)
    name, inside = scope.bind("a", kind.dom)
    return Lam(name, kind.dom, term(chance, kind.cod, inside, depth))


def _operation(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    name = chance.choice(sorted(scope.operations))
    args = [term(chance, kind, scope, depth)]
    for _ in range(1, scope.operations[name]):
        other = chance.choice((kind, R))
        args.append(term(chance, other, scope, depth))
    return Op(name, tuple(args))


def _any_let(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    shared = _type(chance, 1, scope.forms)
    bound = term(chance, shared, scope, depth)
    name, inside = scope.bind("s", shared)
    return Let(name, bound, term(chance, kind, inside, depth))


def _any_if(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    left, right = (term(chance, R, scope, min(depth, 1)) for _ in range(2))
    return If(left, right, term(chance, kind, scope, depth), term(chance, kind, scope, depth))


def _any_call(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    known = [(n, t) for n, t in scope.variables if isinstance(t, Arrow) and t.cod == kind]
    if known and chance.choice((False, True)):
        name, arrow = chance.choice(known)
        return Call(Ref(name), term(chance, arrow.dom, scope, depth))
    dom = _type(chance, 1, scope.forms)
    function = term(chance, Arrow(dom, kind), scope, depth)
    return Call(function, term(chance, dom, scope, depth))


def _any_part(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    other = _type(chance, 1, scope.forms)
    index = chance.randint(0, 1)
    pair = Pair(kind, other) if index == 0 else Pair(other, kind)
    return Part(index, term(chance, pair, scope, depth))


def _any_fold(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    xs, init = term(chance, V(LENGTH), scope, min(depth, 1)), term(chance, kind, scope, depth - 1)
    carry, inside = scope.bind("c", kind)
    item, inside = inside.bind("i", R)
    return Fold(carry, item, term(chance, kind, inside, depth), init, xs)


def _scan(chance: Chance, _: Type, scope: Scope, depth: int) -> Expr:
    kind = _type(chance, 1, scope.forms)
    xs, init = term(chance, V(LENGTH), scope, min(depth, 1)), term(chance, kind, scope, depth - 1)
    carry, inside = scope.bind("c", kind)
    item, inside = inside.bind("i", R)
    step, out = term(chance, kind, inside, depth - 1), term(chance, R, inside, depth - 1)
    return Scan(carry, item, step, out, init, xs)


def _map(chance: Chance, _: Type, scope: Scope, depth: int) -> Expr:
    xs = term(chance, V(LENGTH), scope, depth)
    item, inside = scope.bind("i", R)
    return Map(item, term(chance, R, inside, depth), xs)


def _total(chance: Chance, _: Type, scope: Scope, depth: int) -> Expr:
    return Total(term(chance, V(LENGTH), scope, depth))


def _at(chance: Chance, _: Type, scope: Scope, depth: int) -> Expr:
    return At(term(chance, V(LENGTH), scope, depth), chance.randint(0, LENGTH - 1))


def _any_case(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    of = Either(*(_type(chance, 1, scope.forms) for _ in range(2)))
    (left, one), (right, other) = scope.bind("l", of.left), scope.bind("r", of.right)
    branches = term(chance, kind, one, depth), term(chance, kind, other, depth)
    return Case(term(chance, of, scope, min(depth, 2)), left, branches[0], right, branches[1])


def _any_recursion(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    arrow = Arrow(_type(chance, 1, scope.forms), kind)
    state, inside = scope.bind("z", arrow.dom)
    ends = term(chance, kind, inside, min(depth, 1))
    itself, inside = inside.bind("f", arrow)
    again = Call(Ref(itself), term(chance, arrow.dom, inside, min(depth, 1)))
    more = (
        again if chance.choice((False, True)) else _around(chance, again, kind, inside, depth - 1)
    )
    init = term(chance, arrow.dom, scope, min(depth, 1))
    return Again(itself, state, arrow, ends, more, chance.randint(0, 3), init)


def _around(chance: Chance, again: Expr, kind: Type, scope: Scope, depth: int) -> Expr:
    """What is made of what a function gave that calls itself."""
    name, inside = scope.bind("g", kind)
    return Let(name, again, term(chance, kind, inside, depth))


def _any_down(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    xs, ends = term(chance, Items(), scope, min(depth, 2)), term(chance, kind, scope, depth - 1)
    item, inside = scope.bind("i", R)
    rest, inside = inside.bind("d", kind)
    return Down(item, rest, ends, term(chance, kind, inside, depth), xs)


def _combined(chance: Chance, kind: Type, scope: Scope, depth: int) -> Expr:
    """By an operator that captures a number; it is associative whatever that is."""
    way = "reduce" if kind == R else chance.choice(("scanl", "scanr"))
    t, xs = term(chance, R, scope, min(depth, 1)), term(chance, V(LENGTH), scope, depth)
    return Combine(way, t, xs)
