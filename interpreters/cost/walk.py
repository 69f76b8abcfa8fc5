"""The walk that counts: every λ once for the functions that it is given, whatever its numbers.

Prices say what each form of term counts by itself; the walk multiplies by what calls and loops
repeat. Towers of functions cost astronomical numbers and are walked in linear time.

Shapes are static, so that functions are all that a count has to know of a value. What is ``Known``
is interned: two values that hold the same functions are one, and a call is counted once. None
stands for a value of which nothing is known, as numbers are and the functions that a user gives.

>>> from combinators.objects import Fun, Product, Real, Tensor
>>> numbers_in(Product(Real, Tensor((3, 4)))), holds_functions(Product(Real, Fun(Real, Real)))
(13, True)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Object, Tensor, Vector
from combinators.primitives.loops import LoopTerm, loop_of
from combinators.primitives.structural import FIX, OVERRIDE, PACK, PLUS, RECOMPUTE, UNPACK, VECTOR
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, captured
from combinators.type_folds import columns_of, fold_type, holds_functions, parts_inside, tangent_of


def numbers_in(obj: Object) -> int:
    """How many numbers a value of type ``obj`` holds; those that a function captured are not."""

    def at(part: Object, below: list[int]) -> int:
        own = math.prod(part.shape) if isinstance(part, Tensor) else 0
        return own + (part.length if isinstance(part, Vector) else 1) * sum(below)

    return fold_type(obj, at, parts_inside, "numbers_")


@dataclass(frozen=True, eq=False)
class Closure:
    """A λ, and what is known of the variables that it captures."""

    lam: Lam
    env: tuple[Known, ...]


@dataclass(frozen=True, eq=False)
class Parts:
    """The components of a product, a record or a vector."""

    items: tuple[Known, ...]


@dataclass(frozen=True, eq=False)
class Either:
    """What a conditional left open."""

    first: Known
    second: Known


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """The fixed point of a step; what is counted of it is one call."""

    step: Known
    captured: int
    """How many numbers the cotangent holds of what the step captures."""


@dataclass(frozen=True, eq=False)
class Again:
    """What a recursive function is inside itself, and what that gives: another call's to count."""

    captured: int


Known = Closure | Parts | Either | FixedPoint | Again | None


class _Values:
    """The values met so far, each once."""

    def __init__(self) -> None:
        self._made: dict[Any, Known] = {}

    def closure(self, lam: Lam, env: tuple[Known, ...]) -> Known:
        return self._made.setdefault((id(lam), *map(id, env)), Closure(lam, env))

    def parts(self, items: tuple[Known, ...]) -> Known:
        """The product of these; nothing where nothing is known of any."""
        if all(item is None for item in items):
            return None
        return self._made.setdefault((Parts, *map(id, items)), Parts(items))

    def recursive(self, step: Known, captured: int) -> Known:
        return self._made.setdefault((FixedPoint, id(step)), FixedPoint(step, captured))

    def again(self, captured: int) -> Known:
        return self._made.setdefault((Again, captured), Again(captured))

    def either(self, first: Known, second: Known) -> Known:
        if first is second:
            return first
        if isinstance(first, Parts) and isinstance(second, Parts):
            return self.parts(tuple(map(self.either, first.items, second.items)))
        return self._made.setdefault((Either, id(first), id(second)), Either(first, second))

    def component(self, known: Known, index: int) -> Known:
        match known:
            case Parts(items):
                return items[index]
            case Either(first, second):
                return self.either(self.component(first, index), self.component(second, index))
            case Again():
                return known
            case _:
                return None

    def row(self, known: Known, stack: Object, index: int) -> Known:
        """The row ``index`` of a value that stacks rows."""
        if known is None or isinstance(stack, Vector):
            return self.component(known, index)
        columns = enumerate(columns_of(stack) or ())
        return self.parts(tuple([self.row(self.component(known, i), c, index) for i, c in columns]))

    def stack(self, rows: tuple[Known, ...], stack: Object) -> Known:
        """The value that stacks ``rows``."""
        if isinstance(stack, Vector) or all(row is None for row in rows):
            return self.parts(rows)
        columns = enumerate(columns_of(stack) or ())
        parts = [self.stack(tuple([self.component(r, i) for r in rows]), c) for i, c in columns]
        return self.parts(tuple(parts))


@dataclass(slots=True)
class Tally:
    """Counts by kind; calls of unknown functions; and whether every run counts exactly this."""

    counts: Counter[str] = field(default_factory=Counter)
    unknown: int = 0
    exact: bool = True
    recurs: bool = False
    """Whether a recursive function is called, of which one call is counted."""

    @property
    def total(self) -> int:
        """All kinds together."""
        return self.counts.total()

    def count(self, counts: Mapping[str, int], times: int = 1) -> None:
        """Add ``counts``, so many times."""
        for kind, number in counts.items():
            if number and times:
                self.counts[kind] += number * times

    def add(self, other: Tally, times: int = 1) -> None:
        """Add another tally, so many times."""
        self.count(other.counts, times)
        self.unknown += other.unknown * times
        self.recurs = self.recurs or (other.recurs and bool(times))
        self.exact = self.exact and (other.exact or not times)


def _dearer(first: Tally, second: Tally) -> Tally:
    """The larger of two tallies, of which a run meets one."""
    dear = second if second.total > first.total else first
    same = first.counts == second.counts and first.unknown == second.unknown
    unknown = max(first.unknown, second.unknown)
    exact, recurs = first.exact and second.exact and same, first.recurs or second.recurs
    return Tally(Counter(dear.counts), unknown, exact, recurs)


def _captured_by(known: Known) -> list[int]:
    """How many numbers a cotangent holds that comes from another call of a recursive function."""
    if isinstance(known, Either):
        return [*_captured_by(known.first), *_captured_by(known.second)]
    return [known.captured] if isinstance(known, Again) else []


Prices = Callable[[Term], Mapping[str, int]]
"""What a term counts by itself, without its parts; a loop, all that its rounds count besides."""


def tallied(lam: Lam, prices: Prices) -> Tally:
    """What one call of ``lam``, a closed λ, counts by ``prices``.

    Of terms that share parts without naming them each place counts, as it is computed.
    """
    walk = _Walk(lam, prices)
    return recurse(walk.call(walk.values.closure(lam, ()), None))[0]


_Scope = dict[str, Known]
_Counted = tuple[Tally, Known]


class _Walk:
    def __init__(self, root: Lam, prices: Prices) -> None:
        self.prices, self.values = prices, _Values()
        _, self._captured = captured(root)
        self._done: dict[tuple[int, int], _Counted] = {}

    def call(self, function: Known, argument: Known) -> Recursive[_Counted]:
        """What a call counts, and which functions its result holds."""
        match function:
            case Closure():
                key = id(function), id(argument)
                if key not in self._done:
                    self._done[key] = yield self._body(function, argument)
                return self._done[key]
            case Either(first, second):
                one: _Counted = yield self.call(first, argument)
                two: _Counted = yield self.call(second, argument)
                return _dearer(one[0], two[0]), self.values.either(one[1], two[1])
            case FixedPoint(step, captured):
                again = self.values.again(captured)
                inside: _Counted = yield self.call(step, self.values.parts((again, argument)))
                tally = Tally(exact=False, recurs=True)
                tally.add(inside[0])
                return tally, inside[1]
            case Again():
                return Tally(exact=False, recurs=True), function
            case _:
                return Tally(unknown=1, exact=False), None

    def _body(self, closure: Closure, argument: Known) -> Recursive[_Counted]:
        lam, tally = closure.lam, Tally()
        tally.count(self.prices(lam))
        scope = dict(zip(self._names(lam), closure.env, strict=True))
        single = len(lam.params) == 1
        for index, param in enumerate(lam.params):
            scope[param.name] = argument if single else self.values.component(argument, index)
        result: Known = yield self._walk(lam.body, scope, tally)
        return tally, result

    def _names(self, lam: Lam) -> list[str]:
        """The captured variables that hold functions."""
        return [var.name for var in self._captured[id(lam)] if holds_functions(var.type)]

    def _called(self, function: Known, argument: Known, tally: Tally) -> Recursive[Known]:
        counted: _Counted = yield self.call(function, argument)
        tally.add(counted[0])
        return counted[1]

    def _walk(self, term: Term, scope: _Scope, tally: Tally) -> Recursive[Known]:
        if isinstance(term, Var | Const):
            return self._atom(term, scope, tally)
        if not isinstance(term, Lam):
            tally.count(self.prices(term))
        match term:
            case Lam():
                return self.values.closure(term, tuple(map(scope.get, self._names(term))))
            case Let():
                return (yield from self._let(term, scope, tally))
            case App(function, argument):
                f: Known = yield self._walk(function, scope, tally)
                x: Known = yield self._walk(argument, scope, tally)
                return (yield from self._called(f, x, tally))
            case Cond(test, then, other):
                yield self._walk(test, scope, tally)
                first, second = Tally(), Tally()
                one: Known = yield self._walk(then, scope, first)
                two: Known = yield self._walk(other, scope, second)
                tally.add(_dearer(first, second))
                return self.values.either(one, two)
            case Proj(index, product):
                whole: Known = yield self._walk(product, scope, tally)
                return self.values.component(whole, index)
            case Tuple(items) | Prim(_, items):
                known: list[Known] = []
                for item in items:
                    if isinstance(item, Var | Const):
                        known.append(self._atom(item, scope, tally))
                    else:
                        known.append((yield self._walk(item, scope, tally)))
                if isinstance(term, Prim):
                    return (yield from self._primitive(term, known, tally))
                return self.values.parts(tuple(known))
            case _:
                return None

    def _atom(self, term: Var | Const, scope: _Scope, tally: Tally) -> Known:
        tally.count(self.prices(term))
        if isinstance(term, Var) and holds_functions(term.type):
            return scope.get(term.name)
        return None

    def _let(self, term: Let, scope: _Scope, tally: Tally) -> Recursive[Known]:
        hidden: list[tuple[str, Known]] = []
        for var, bound in term.bindings:
            value: Known = yield self._walk(bound, scope, tally)
            hidden.append((var.name, scope.get(var.name)))
            scope[var.name] = value
        body: Known = yield self._walk(term.body, scope, tally)
        scope.update(reversed(hidden))
        return body

    def _primitive(self, term: Prim, known: list[Known], tally: Tally) -> Recursive[Known]:
        primitive, loop = term.operation.primitive, loop_of(term)
        if loop is not None:
            return (yield from self._loop(loop, known, tally))
        if primitive in (OVERRIDE.primitive, RECOMPUTE.primitive):
            return (yield from self._called(known[0], known[-1], tally))
        if primitive is VECTOR:
            return self.values.parts(tuple(known))
        if primitive is FIX.primitive and isinstance(known[0], Closure):
            return self.values.recursive(known[0], self._sizes(known[0].lam))
        if primitive is PLUS and holds_functions(term.type):
            sizes = [size for each in known for size in _captured_by(each)]
            sums = Var("", Tensor((sum(sizes),)))
            tally.count(self.prices(Prim(PLUS.plain, (sums, sums))))
            tally.add(Tally(unknown=int(not sizes), exact=False))
            return self.values.again(max(sizes)) if sizes else None
        return known[0] if primitive in (PACK, UNPACK) else None

    def _sizes(self, lam: Lam) -> int:
        return sum(numbers_in(tangent_of(var.type)) for var in self._captured[id(lam)])

    def _loop(self, loop: LoopTerm, known: list[Known], tally: Tally) -> Recursive[Known]:
        """Round by round, as long as functions are passed from one to the next."""
        types, values = loop.types, self.values
        xs, carry = known[-1], known[1] if types.carry is not None else None
        items: list[Known] = []
        rows = types.rounds
        while rows:
            row, before = values.row(xs, types.xs, rows[0]), carry
            given = row if types.carry is None else values.parts((carry, row))
            counted: _Counted = yield self.call(known[0], given)
            carry, item = types.halves(counted[1], values.component)
            times = len(rows) if xs is None and carry is before else 1
            tally.add(counted[0], times)
            items += [item] * times if item is not None else []
            rows = rows[times:]
        stack: Known = None
        if items and types.stack is not None:
            stack = values.stack(tuple(items[::-1] if types.reverse else items), types.stack)
        whole: Known = types.joined(carry, stack, lambda *halves: values.parts(halves))
        return whole
