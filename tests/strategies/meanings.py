"""What random programs mean: once in the language, once by an evaluator that knows nothing of it.

One walk serves both; they differ in what their algebra does.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, Protocol

import mpmath
import numpy as np

import diffcurry as dc
from combinators.terms import const
from combinators.tracing.emit import emit
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
    Real,
    Ref,
    Scan,
    Total,
    Type,
    V,
)

Value = Any
Thunk = Callable[[], Value]
Recursive = tuple[Callable[[Value], Value], Callable[[Value, Value], Value]]
"""What a recursive function gives of its argument at its end, and with itself before it."""


class Algebra(Protocol):
    """Where programs mean something."""

    def number(self, value: float) -> Value: ...
    def operation(self, name: str, args: Sequence[Value]) -> Value: ...
    def function(self, dom: Type, body: Callable[[Value], Value]) -> Value: ...
    def choose(self, left: Value, right: Value, then: Thunk, other: Thunk) -> Value: ...
    def fold(self, step: Callable[[Value, Value], Value], init: Value, xs: Value) -> Value: ...
    def scan(self, step: Callable[[Value, Value], Value], init: Value, xs: Value) -> Value: ...
    def map(self, body: Callable[[Value], Value], xs: Value) -> Value: ...
    def total(self, xs: Value) -> Value: ...
    def combine(self, way: str, op: Callable[..., Value], xs: Value) -> Value: ...
    def inject(self, index: int, of: Either, value: Value) -> Value: ...
    def case(self, given: Value, *branches: Callable[[Value], Value]) -> Value: ...
    def cons(self, items: Sequence[Value], tail: Value) -> Value: ...
    def down(self, ends: Thunk, more: Callable[[Value, Value], Value], xs: Value) -> Value: ...
    def again(self, kind: Arrow, body: Recursive, calls: int, init: Value) -> Value: ...


def meaning(expr: Expr, env: dict[str, Value], into: Algebra) -> Value:
    """The value of ``expr`` where its variables have the values ``env``."""

    def at(part: Expr, **more: Value) -> Value:
        return meaning(part, env | more, into)

    match expr:
        case Ref(name):
            return env[name]
        case Num(value):
            return into.number(value)
        case Op(name, args):
            return into.operation(name, [at(arg) for arg in args])
        case Lam(name, dom, body):
            return into.function(dom, lambda x: at(body, **{name: x}))
        case Call(function, argument):
            return at(function)(at(argument))
        case Both(left, right):
            return at(left), at(right)
        case Part(index, pair):
            return at(pair)[index]
        case Let(name, bound, body):
            return at(body, **{name: at(bound)})
        case If(left, right, then, other):
            return into.choose(at(left), at(right), lambda: at(then), lambda: at(other))
        case Fold(carry, item, step, init, xs):
            return into.fold(lambda c, i: at(step, **{carry: c, item: i}), at(init), at(xs))
        case Scan(carry, item, step, out, init, xs):

            def both(c: Value, i: Value) -> Value:
                return at(step, **{carry: c, item: i}), at(out, **{carry: c, item: i})

            return into.scan(both, at(init), at(xs))
        case Map(item, body, xs):
            return into.map(lambda i: at(body, **{item: i}), at(xs))
        case Total(xs):
            return into.total(at(xs))
        case At(xs, index):
            return at(xs)[index]
        case Combine(way, t, xs):
            return into.combine(way, _by(at(t)), at(xs))
        case In(index, of, value):
            return into.inject(index, of, at(value))
        case Case(given, left, one, right, other):
            branches = lambda x: at(one, **{left: x}), lambda x: at(other, **{right: x})
            return into.case(at(given), *branches)
        case ListOf(items, tail):
            return into.cons([at(item) for item in items], at(tail[0]) if tail else None)
        case Down(item, rest, ends, more, xs):
            further = lambda x, y: at(more, **{item: x, rest: y})
            return into.down(lambda: at(ends), further, at(xs))
        case Again(function, state, kind, ends, more, calls, init):
            last = lambda x: at(ends, **{state: x})
            more_of = lambda f, x: at(more, **{function: f, state: x})
            return into.again(kind, (last, more_of), calls, at(init))
    raise TypeError(expr)


def _by(t: Value) -> Callable[[Value, Value], Value]:
    return lambda c, x: c + x + t * c * x


class Language:
    """The library's own language: run inside a trace."""

    def number(self, value: float) -> Value:
        return np.float64(value)

    def operation(self, name: str, args: Sequence[Value]) -> Value:
        return _OURS[name](*args)

    def function(self, dom: Type, body: Callable[[Value], Value]) -> Value:
        return dc.fun(body, object_of(dom))

    def choose(self, left: Value, right: Value, then: Thunk, other: Thunk) -> Value:
        return dc.cond(np.less(left, right), then, other)

    def fold(self, step: Any, init: Value, xs: Value) -> Value:
        return dc.fold(step, init, xs)

    def scan(self, step: Any, init: Value, xs: Value) -> Value:
        return dc.scan(step, init, xs)[1]

    def map(self, body: Any, xs: Value) -> Value:
        return dc.map(body, xs)

    def total(self, xs: Value) -> Value:
        return np.sum(xs)

    def combine(self, way: str, op: Any, xs: Value) -> Value:
        if way == "reduce":
            return dc.reduce(op, 0.0, xs, check=False)
        if way == "scanl":
            return dc.scanl(op, 0.0, xs, check=False)[1:]
        return dc.scanr(op, 0.0, xs, check=False)[:-1]

    def inject(self, index: int, of: Either, value: Value) -> Value:
        return dc.inject(object_of(of), index, value)

    def case(self, given: Value, *branches: Callable[[Value], Value]) -> Value:
        return dc.case(given, *branches)

    def cons(self, items: Sequence[Value], tail: Value) -> Value:
        if tail is None:
            return dc.fun(lambda xs: xs, dc.List(dc.Real))([*items])
        return functools.reduce(lambda made, item: dc.cons(item, made), reversed(items), tail)

    def down(self, ends: Thunk, more: Any, xs: Value) -> Value:
        def itself(self: Value, xs: Value) -> Value:
            return dc.case(xs, ends, lambda x, rest: more(x, self(rest)))

        return dc.rec(itself, dc.List(dc.Real))(xs)

    def again(self, kind: Arrow, body: Recursive, calls: int, init: Value) -> Value:
        ends, more = body

        def itself(self: Value, n: Value, x: Value) -> Value:
            return dc.cond(n <= 0, lambda: ends(x), lambda: more(fewer(self, n), x))

        def fewer(itself: Value, n: Value) -> Value:
            return dc.fun(lambda x: itself(n - 1, x), object_of(kind.dom))

        types = dc.Int, object_of(kind.dom)
        return dc.rec(itself, *types, returns=object_of(kind.cod))(calls, init)


def object_of(kind: Type) -> dc.Object:
    """The type, as an object of the library."""
    match kind:
        case Real():
            return dc.Real
        case V(length):
            return dc.Tensor((length,))
        case Items():
            return dc.List(dc.Real)
        case Pair(left, right):
            return dc.Product(object_of(left), object_of(right))
        case Either(left, right):
            return dc.Sum(object_of(left), object_of(right))
        case Arrow(dom, cod):
            return dc.Fun(object_of(dom), object_of(cod))
    raise TypeError(kind)


LANGUAGE = Language()


class Exact(Language):
    """In which Python does not compute with the constants, since it would round."""

    def number(self, value: float) -> Value:
        return emit(const(np.float64(value)))


def run_of(program: Program, into: Algebra) -> Callable[..., Value]:
    """What the program does to its arguments, as a function of Python's."""
    names = [name for name, _ in program.params]
    return lambda *args: meaning(program.body, dict(zip(names, args, strict=True)), into)


def function_of(program: Program, into: Algebra = LANGUAGE) -> dc.Function[..., Any]:
    """The program as a function of the library."""
    return dc.fun(run_of(program, into), *(object_of(kind) for _, kind in program.params))


class Unclear(Exception):
    """Too near a kink, or too large, for floats to be held against."""


class PlainPython:
    """Python's own functions, lists and conditionals, over numbers of any kind."""

    def number(self, value: float) -> Value:
        raise NotImplementedError

    def bounded(self, value: Value) -> Value:
        """The value, where it is not too large."""
        return value

    def less(self, left: Value, right: Value) -> bool:
        return left < right

    def total(self, xs: Value) -> Value:
        return functools.reduce(operator.add, xs)

    def operation(self, name: str, args: Sequence[Value]) -> Value:
        lengths = {len(arg) for arg in args if isinstance(arg, list)}
        if not lengths:
            return self.bounded(_THEIRS[name](*args))
        (length,) = lengths
        rows = [arg if isinstance(arg, list) else [arg] * length for arg in args]
        return [self.bounded(_THEIRS[name](*row)) for row in zip(*rows, strict=True)]

    def function(self, dom: Type, body: Callable[[Value], Value]) -> Value:
        return body

    def choose(self, left: Value, right: Value, then: Thunk, other: Thunk) -> Value:
        return then() if self.less(left, right) else other()

    def fold(self, step: Any, init: Value, xs: Value) -> Value:
        return functools.reduce(step, xs, init)

    def scan(self, step: Any, init: Value, xs: Value) -> Value:
        outs = []
        for x in xs:
            init, out = step(init, x)
            outs.append(out)
        return outs

    def map(self, body: Any, xs: Value) -> Value:
        return [body(x) for x in xs]

    def combine(self, way: str, op: Any, xs: Value) -> Value:
        turned = xs[::-1] if way == "scanr" else xs
        made = [self.bounded(x) for x in accumulate(turned, op)]
        return made[-1] if way == "reduce" else made[:: -1 if way == "scanr" else 1]

    def inject(self, index: int, of: Either, value: Value) -> Value:
        return index, value

    def case(self, given: Value, *branches: Callable[[Value], Value]) -> Value:
        return branches[given[0]](given[1])

    def cons(self, items: Sequence[Value], tail: Value) -> Value:
        return [*items, *(tail or ())]

    def down(self, ends: Thunk, more: Any, xs: Value) -> Value:
        return functools.reduce(lambda rest, x: more(x, rest), reversed(xs), ends())

    def again(self, kind: Arrow, body: Recursive, calls: int, init: Value) -> Value:
        ends, more = body
        if calls <= 0:
            return ends(init)
        return more(lambda x: self.again(kind, body, calls - 1, x), init)


class HighPrecision(PlainPython):
    """Over mpmath's numbers."""

    largest, nearest = 1e3, 1e-5

    def number(self, value: float) -> Value:
        return mpmath.mpf(value)

    def bounded(self, value: Value) -> Value:
        if abs(value) > self.largest:
            raise Unclear
        return value

    def less(self, left: Value, right: Value) -> bool:
        if abs(left - right) < self.nearest:
            raise Unclear
        return left < right

    def total(self, xs: Value) -> Value:
        return self.bounded(mpmath.fsum(xs))


def evaluated(program: Program, args: Sequence[Value]) -> Value:
    """The program's value over mpmath, at numbers and lists of numbers."""
    return run_of(program, HighPrecision())(*args)


_OURS: dict[str, Callable[..., Value]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "negative": lambda x: -x,
    "quotient": lambda x, y: x / (1.0 + y * y),
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "exp": np.exp,
    "softlog": lambda x: np.log(1.0 + x * x),
}
_THEIRS: dict[str, Callable[..., Value]] = _OURS | {
    "quotient": lambda x, y: x / (1 + y * y),
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tanh": mpmath.tanh,
    "exp": mpmath.exp,
    "softlog": lambda x: mpmath.log(1 + x * x),
}
