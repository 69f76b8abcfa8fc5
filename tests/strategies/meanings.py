"""What random programs mean: once in the language, once by an evaluator that knows nothing of it.

One walk serves both; they differ in what their algebra does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import mpmath
import numpy as np

import diffcurry as dc
from tests.strategies.language import (
    Arrow,
    At,
    Both,
    Call,
    Expr,
    Fold,
    If,
    Lam,
    Let,
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
    raise TypeError(expr)


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


def object_of(kind: Type) -> dc.Object:
    """The type, as an object of the library."""
    match kind:
        case Real():
            return dc.Real
        case V(length):
            return dc.Tensor((length,))
        case Pair(left, right):
            return dc.Product(object_of(left), object_of(right))
        case Arrow(dom, cod):
            return dc.Fun(object_of(dom), object_of(cod))
    raise TypeError(kind)


def function_of(program: Program) -> dc.Function[..., Any]:
    """The program as a function of the library."""
    names = [name for name, _ in program.params]

    def run(*args: Value) -> Value:
        return meaning(program.body, dict(zip(names, args, strict=True)), Language())

    return dc.fun(run, *(object_of(kind) for _, kind in program.params))


class Unclear(Exception):
    """Too near a kink, or too large, for floats to be held against."""


class HighPrecision:
    """Python's own functions, lists and conditionals over mpmath's numbers."""

    largest, nearest = 1e3, 1e-5

    def number(self, value: float) -> Value:
        return mpmath.mpf(value)

    def operation(self, name: str, args: Sequence[Value]) -> Value:
        lengths = {len(arg) for arg in args if isinstance(arg, list)}
        if not lengths:
            return self._bounded(_THEIRS[name](*args))
        (length,) = lengths
        rows = [arg if isinstance(arg, list) else [arg] * length for arg in args]
        return [self._bounded(_THEIRS[name](*row)) for row in zip(*rows, strict=True)]

    def _bounded(self, value: Value) -> Value:
        if abs(value) > self.largest:
            raise Unclear
        return value

    def function(self, dom: Type, body: Callable[[Value], Value]) -> Value:
        return body

    def choose(self, left: Value, right: Value, then: Thunk, other: Thunk) -> Value:
        if abs(left - right) < self.nearest:
            raise Unclear
        return then() if left < right else other()

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

    def total(self, xs: Value) -> Value:
        return self._bounded(mpmath.fsum(xs))


def evaluated(program: Program, args: Sequence[Value]) -> Value:
    """The program's value over mpmath, at numbers and lists of numbers."""
    names = [name for name, _ in program.params]
    return meaning(program.body, dict(zip(names, args, strict=True)), HighPrecision())


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
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tanh": mpmath.tanh,
    "exp": mpmath.exp,
    "softlog": lambda x: mpmath.log(1 + x * x),
}
