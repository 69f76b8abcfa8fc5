"""The walk that counts: every λ once for the functions that it is given, whatever its numbers.

A price list says what each form of term counts by itself; the walk multiplies by what calls and
loops repeat. Towers of functions cost astronomical numbers and are walked in linear time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Protocol

from combinators.free import captured
from combinators.kit.recursion import Recursive, recurse
from combinators.primitives.applications import OVERRIDE, RECOMPUTE
from combinators.primitives.loops import LoopTerm, loop_of
from combinators.primitives.structural import PACK, PLUS, UNPACK, VECTOR
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.cost.contents import Closure, Either, Known, Values, holds_functions


class Tally:
    """Counts by kind; calls of unknown functions; and whether every run counts exactly this."""

    __slots__ = ("counts", "exact", "unknown")

    def __init__(self) -> None:
        """Nothing, exactly."""
        self.counts: Counter[str] = Counter()
        self.unknown = 0
        self.exact = True

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
        self.exact = self.exact and (other.exact or not times)


def dearer(first: Tally, second: Tally) -> Tally:
    """The larger of two tallies, of which a run meets one."""
    chosen = Tally()
    chosen.add(second if second.total > first.total else first)
    chosen.unknown = max(first.unknown, second.unknown)
    same = first.counts == second.counts and first.unknown == second.unknown
    chosen.exact = first.exact and second.exact and same
    return chosen


class Prices(Protocol):
    """What is counted."""

    def of(self, term: Term) -> Mapping[str, int]:
        """What ``term`` counts by itself, without its parts."""
        ...

    def round(self, loop: LoopTerm) -> Mapping[str, int]:
        """What each round of ``loop`` counts besides its function."""
        ...


def tallied(lam: Lam, prices: Prices) -> Tally:
    """What one call of ``lam``, a closed λ, counts by ``prices``.

    Of terms that share parts without naming them each place counts, as it is computed.
    """
    walk = _Walk(lam, prices)
    tally, _ = recurse(walk.call(walk.values.closure(lam, ()), None))
    return tally


_Scope = dict[str, Known]
_Counted = tuple[Tally, Known]


class _Walk:
    def __init__(self, root: Lam, prices: Prices) -> None:
        self.prices, self.values = prices, Values()
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
                return dearer(one[0], two[0]), self.values.either(one[1], two[1])
            case _:
                tally = Tally()
                tally.unknown, tally.exact = 1, False
                return tally, None

    def _body(self, closure: Closure, argument: Known) -> Recursive[_Counted]:
        lam, tally = closure.lam, Tally()
        tally.count(self.prices.of(lam))
        scope = dict(zip(self._names(lam), closure.env, strict=True))
        single = len(lam.params) == 1
        for index, param in enumerate(lam.params):
            scope[param.name] = argument if single else self.values.component(argument, index)
        result: Known = yield self._walk(lam.body, scope, tally)
        return tally, result

    def _names(self, lam: Lam) -> list[str]:
        """The captured variables that hold functions."""
        return [var.name for var in self._captured[id(lam)] if holds_functions(var.type)]

    def _walk(self, term: Term, scope: _Scope, tally: Tally) -> Recursive[Known]:
        if isinstance(term, Var):
            return self._variable(term, scope, tally)
        if not isinstance(term, Lam):
            tally.count(self.prices.of(term))
        match term:
            case Const():
                return None
            case Lam():
                env = tuple(scope.get(name) for name in self._names(term))
                return self.values.closure(term, env)
            case Let():
                body: Known = yield self._let(term, scope, tally)
                return body
            case App(function, argument):
                f: Known = yield self._walk(function, scope, tally)
                x: Known = yield self._walk(argument, scope, tally)
                counted: _Counted = yield self.call(f, x)
                tally.add(counted[0])
                return counted[1]
            case Cond(test, then, other):
                yield self._walk(test, scope, tally)
                first, second = Tally(), Tally()
                one: Known = yield self._walk(then, scope, first)
                two: Known = yield self._walk(other, scope, second)
                tally.add(dearer(first, second))
                return self.values.either(one, two)
            case Proj(index, product):
                whole: Known = yield self._walk(product, scope, tally)
                return self.values.component(whole, index)
            case Tuple(items) | Prim(_, items):
                known: list[Known] = []
                for item in items:
                    if isinstance(item, Var):
                        known.append(self._variable(item, scope, tally))
                    elif isinstance(item, Const):
                        tally.count(self.prices.of(item))
                        known.append(None)
                    else:
                        known.append((yield self._walk(item, scope, tally)))
                if isinstance(term, Tuple):
                    return self.values.parts(tuple(known))
                result: Known = yield self._primitive(term, known, tally)
                return result
            case _:
                return None

    def _variable(self, var: Var, scope: _Scope, tally: Tally) -> Known:
        tally.count(self.prices.of(var))
        return scope.get(var.name) if holds_functions(var.type) else None

    def _let(self, term: Let, scope: _Scope, tally: Tally) -> Recursive[Known]:
        hidden: list[tuple[str, Known]] = []
        for var, bound in term.bindings:
            value: Known = yield self._walk(bound, scope, tally)
            hidden.append((var.name, scope.get(var.name)))
            scope[var.name] = value
        body: Known = yield self._walk(term.body, scope, tally)
        for name, before in reversed(hidden):
            scope[name] = before
        return body

    def _primitive(self, term: Term, known: list[Known], tally: Tally) -> Recursive[Known]:
        assert isinstance(term, Prim)
        operation = term.operation
        loop = loop_of(term)
        if loop is not None:
            looped: Known = yield self._loop(loop, known, tally)
            return looped
        if operation.primitive in (OVERRIDE.primitive, RECOMPUTE.primitive):
            counted: _Counted = yield self.call(known[0], known[-1])
            tally.add(counted[0])
            return counted[1]
        if operation.primitive is VECTOR:
            return self.values.parts(tuple(known))
        if operation.primitive is PLUS and holds_functions(term.type):
            tally.unknown, tally.exact = tally.unknown + 1, False
        return known[0] if operation.primitive in (PACK, UNPACK) else None

    def _loop(self, loop: LoopTerm, known: list[Known], tally: Tally) -> Recursive[Known]:
        rounds = _PassedFunctions(loop, known, self.values)
        tally.count(self.prices.round(loop), rounds.left)
        while rounds.left:
            carry = rounds.carry
            counted: _Counted = yield self.call(known[0], rounds.argument())
            times = rounds.take(counted[1], carry)
            tally.add(counted[0], times)
        return rounds.result()


class _PassedFunctions:
    """The functions that a loop passes from round to round."""

    def __init__(self, loop: LoopTerm, known: list[Known], values: Values) -> None:
        self._values, self._types = values, loop.types
        self._xs = known[-1]
        self.carry = known[1] if self._types.carry is not None else None
        self._rounds = self._types.rounds
        self.left = len(self._rounds)
        self._items: list[Known] = []

    def _pair(self, first: Known, second: Known) -> Known:
        return self._values.parts((first, second))

    def argument(self) -> Known:
        """Of the function, in the next round."""
        row = self._values.row(self._xs, self._types.xs, self._rounds[-self.left])
        return row if self._types.carry is None else self._pair(self.carry, row)

    def take(self, result: Known, before: Known) -> int:
        """Take the result of a round; how many rounds give it, all that are left where equal."""
        self.carry, item = self._types.halves(result, self._values.component)
        rounds = self.left if self._xs is None and self.carry is before else 1
        self._items += [item] * rounds if item is not None else []
        self.left -= rounds
        return rounds

    def result(self) -> Known:
        """What the loop gives."""
        rows = tuple(self._items[::-1] if self._types.reverse else self._items)
        stack, obj = None, self._types.stack
        if rows and obj is not None:
            stack = self._values.stack(rows, obj)
        whole: Known = self._types.joined(self.carry, stack, self._pair)
        return whole
