"""Random well-typed higher-order programs, by hypothesis.

``term(type, scope)`` draws an expression of a type; everything else is composed of it. Recursive
functions count their calls or go down a list, and so end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

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
Draw = Callable[[st.SearchStrategy[Any]], Any]


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


@functools.cache
def types(depth: int, forms: frozenset[str]) -> st.SearchStrategy[Type]:
    """Types, functions and pairs of them among them."""
    base = st.sampled_from([R, V(LENGTH), *([Items()] if LISTS in forms else [])])
    if depth == 0:
        return base
    below = types(depth - 1, forms)
    made = [Pair, Arrow, *([Either] if CASES in forms else [])]
    return st.one_of(base, *(st.builds(kind, below, below) for kind in made))


def programs(
    operations: dict[str, int] = SMOOTH,
    params: tuple[tuple[str, Type], ...] = (("x", R), ("y", R), ("v", V(LENGTH))),
    result: Type = R,
    depth: int = 5,
    forms: frozenset[str] = WHOLE,
    *,
    straight: bool = False,
) -> st.SearchStrategy[Program]:
    """Programs of the parameters that give a ``result``; ``straight``: without choice and loop."""

    @st.composite
    def drawn(draw: Draw) -> Program:
        scope = Scope(params, operations, count(), forms, straight)
        return Program(params, term(draw, result, scope, depth))

    return drawn()


def term(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    """An expression of type ``kind``."""
    if depth <= 0:
        return _small(draw, kind, scope)
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
    return draw(st.sampled_from(ways))(draw, kind, scope, depth - 1)


def _small(draw: Draw, kind: Type, scope: Scope, _: int = 0) -> Expr:
    """A variable, or what the type itself suggests."""
    known = [Ref(name) for name, given in scope.variables if given == kind]
    if known and (kind != R or draw(st.integers(0, 3))):
        return draw(st.sampled_from(known))
    match kind:
        case Real():
            return Num(draw(st.sampled_from(CONSTANTS)))
        case V():
            number = Num(draw(st.sampled_from(CONSTANTS)))
            if scope.straight:
                return Op("multiply", (number, Ref("v")))
            return Map("_", number, Ref("v"))
        case _:
            return _introduce(draw, kind, scope, 0)


def _introduce(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    match kind:
        case Pair(left, right):
            return Both(term(draw, left, scope, depth), term(draw, right, scope, depth))
        case Either():
            index = draw(st.integers(0, 1))
            return In(index, kind, term(draw, (kind.left, kind.right)[index], scope, depth))
        case Items():
            items = tuple(term(draw, R, scope, depth) for _ in range(draw(st.integers(0, 2))))
            tail = draw(st.booleans()) and depth > 0
            return ListOf(items, (term(draw, kind, scope, depth - 1),) if tail else ())
    assert isinstance(kind, Arrow)
    name, inside = scope.bind("a", kind.dom)
    return Lam(name, kind.dom, term(draw, kind.cod, inside, depth))


def _operation(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    name = draw(st.sampled_from(sorted(scope.operations)))
    args = [term(draw, kind, scope, depth)]
    for _ in range(1, scope.operations[name]):
        other = draw(st.sampled_from([kind, R]))
        args.append(term(draw, other, scope, depth))
    return Op(name, tuple(args))


def _any_let(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    shared = draw(types(1, scope.forms))
    bound = term(draw, shared, scope, depth)
    name, inside = scope.bind("s", shared)
    return Let(name, bound, term(draw, kind, inside, depth))


def _any_if(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    left, right = (term(draw, R, scope, min(depth, 1)) for _ in range(2))
    return If(left, right, term(draw, kind, scope, depth), term(draw, kind, scope, depth))


def _any_call(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    known = [(n, t) for n, t in scope.variables if isinstance(t, Arrow) and t.cod == kind]
    if known and draw(st.booleans()):
        name, arrow = draw(st.sampled_from(known))
        return Call(Ref(name), term(draw, arrow.dom, scope, depth))
    dom = draw(types(1, scope.forms))
    function = term(draw, Arrow(dom, kind), scope, depth)
    return Call(function, term(draw, dom, scope, depth))


def _any_part(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    other = draw(types(1, scope.forms))
    index = draw(st.integers(0, 1))
    pair = Pair(kind, other) if index == 0 else Pair(other, kind)
    return Part(index, term(draw, pair, scope, depth))


def _any_fold(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    xs, init = term(draw, V(LENGTH), scope, min(depth, 1)), term(draw, kind, scope, depth - 1)
    carry, inside = scope.bind("c", kind)
    item, inside = inside.bind("i", R)
    return Fold(carry, item, term(draw, kind, inside, depth), init, xs)


def _scan(draw: Draw, _: Type, scope: Scope, depth: int) -> Expr:
    kind = draw(types(1, scope.forms))
    xs, init = term(draw, V(LENGTH), scope, min(depth, 1)), term(draw, kind, scope, depth - 1)
    carry, inside = scope.bind("c", kind)
    item, inside = inside.bind("i", R)
    step, out = term(draw, kind, inside, depth - 1), term(draw, R, inside, depth - 1)
    return Scan(carry, item, step, out, init, xs)


def _map(draw: Draw, _: Type, scope: Scope, depth: int) -> Expr:
    xs = term(draw, V(LENGTH), scope, depth)
    item, inside = scope.bind("i", R)
    return Map(item, term(draw, R, inside, depth), xs)


def _total(draw: Draw, _: Type, scope: Scope, depth: int) -> Expr:
    return Total(term(draw, V(LENGTH), scope, depth))


def _at(draw: Draw, _: Type, scope: Scope, depth: int) -> Expr:
    return At(term(draw, V(LENGTH), scope, depth), draw(st.integers(0, LENGTH - 1)))


def _any_case(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    of = Either(*(draw(types(1, scope.forms)) for _ in range(2)))
    (left, one), (right, other) = scope.bind("l", of.left), scope.bind("r", of.right)
    branches = term(draw, kind, one, depth), term(draw, kind, other, depth)
    return Case(term(draw, of, scope, min(depth, 2)), left, branches[0], right, branches[1])


def _any_recursion(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    arrow = Arrow(draw(types(1, scope.forms)), kind)
    state, inside = scope.bind("z", arrow.dom)
    ends = term(draw, kind, inside, min(depth, 1))
    itself, inside = inside.bind("f", arrow)
    again = Call(Ref(itself), term(draw, arrow.dom, inside, min(depth, 1)))
    more = again if draw(st.booleans()) else _around(draw, again, kind, inside, depth - 1)
    init = term(draw, arrow.dom, scope, min(depth, 1))
    return Again(itself, state, arrow, ends, more, draw(st.integers(0, 3)), init)


def _around(draw: Draw, again: Expr, kind: Type, scope: Scope, depth: int) -> Expr:
    """What is made of what a function gave that calls itself."""
    name, inside = scope.bind("g", kind)
    return Let(name, again, term(draw, kind, inside, depth))


def _any_down(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    xs, ends = term(draw, Items(), scope, min(depth, 2)), term(draw, kind, scope, depth - 1)
    item, inside = scope.bind("i", R)
    rest, inside = inside.bind("d", kind)
    return Down(item, rest, ends, term(draw, kind, inside, depth), xs)


def _combined(draw: Draw, kind: Type, scope: Scope, depth: int) -> Expr:
    """By an operator that captures a number; it is associative whatever that is."""
    way = "reduce" if kind == R else draw(st.sampled_from(["scanl", "scanr"]))
    t, xs = term(draw, R, scope, min(depth, 1)), term(draw, V(LENGTH), scope, depth)
    return Combine(way, t, xs)
