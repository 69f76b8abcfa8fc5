"""S-expressions, as the authors write VLAD, into A-normal form, α-converted on the way.

::

    (lambda (x y) e)   (let ((x e) …) e)   (if e e e)   (define (f x) e)   (cons e e)
    (list e …)   '()   (f e e)

A function takes one argument: several are a tuple of pairs. A parameter may be ``(cons p q)`` or
``(*j p)``, which take a pair or a reverse value apart. ``if`` chooses between two thunks by t or f,
which are CAR and CDR; a function that is defined by itself is a fixed point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from combinators.errors import TypeMismatch, UnboundVariable
from combinators.kit.recursion import Recursive, recurse
from papers.vlad.syntax import Access, Block, Cons, Lambda, fresh

_WORD = re.compile(r"'\(\)|[()]|[^\s()]+")

EMPTY, CAR, CDR = "'()", "car", "cdr"


def read(text: str) -> list[Any]:
    """The s-expressions in ``text``: nested lists of strings."""
    stack: list[list[Any]] = [[]]
    for word in _WORD.findall(text):
        if word == "(":
            stack.append([])
        elif word != ")":
            stack[-1].append(word)
        elif len(stack) > 1:
            done = stack.pop()
            stack[-1].append(done)
        else:
            raise TypeMismatch(f"a parenthesis too many in {text!r:.60}")
    if len(stack) > 1:
        raise TypeMismatch(f"a parenthesis is open in {text!r:.60}")
    return stack[0]


(Y,) = read("""(lambda (f) ((lambda (x) (f (lambda (y) ((x x) y))))
                            (lambda (x) (f (lambda (y) ((x x) y))))))""")


def definitions(text: str) -> Iterator[tuple[str | None, Any]]:
    """The names and the expressions of a program; that of what is not defined is None."""
    for expression in read(text):
        match expression:
            case ["define", [str() as name, *parameters], body]:
                yield name, [Y, ["lambda", [name], ["lambda", parameters, body]]]
            case ["define", str() as name, body]:
                yield name, body
            case _:
                yield None, expression


def _pairs(parts: list[Any], last: Any) -> Any:
    """``(e1, (e2, … last))``."""
    return ["cons", parts[0], _pairs(parts[1:], last)] if parts else last


def _tuple(parts: list[Any]) -> Any:
    """``(e1, (e2, …))``; one is itself, none the empty list."""
    return _pairs(parts[:-1], parts[-1]) if parts else EMPTY


def parsed(expression: Any, known: set[str]) -> Lambda:
    """``λ() e``, closed but for ``known``, the variables of the top level, and constants."""
    return recurse(_lambda([], expression, {x: x for x in known}))


def _lambda(pattern: Any, body: Any, names: dict[str, str]) -> Recursive[Lambda]:
    scope = _Scope(names)
    parameter = fresh(pattern if isinstance(pattern, str) else "x")
    scope.destructure(pattern, parameter)
    result = yield scope.expression(body)
    if not scope.bindings or scope.bindings[-1][0] != result:
        scope.bind(Access(result))
    return Lambda(parameter, tuple(scope.bindings))


class _Scope(Block):
    """The bindings of a λ that is being read, and what its names stand for."""

    def __init__(self, names: dict[str, str]) -> None:
        super().__init__()
        self.names = dict(names)

    def destructure(self, pattern: Any, x: str) -> None:
        """Bind what a parameter names."""
        match pattern:
            case [] | "'()":
                pass
            case str():
                self.names[pattern] = x
            case ["list", *parts]:
                self.destructure(_pairs(parts, EMPTY), x)
            case ["*j", below]:
                self.destructure(below, self.apply("*j-inverse", x))
            case ["cons", left, right]:
                self.destructure(left, self.apply(CAR, x))
                self.destructure(right, self.apply(CDR, x))
            case _:
                raise TypeMismatch(f"{pattern!r} is no parameter")

    def expression(self, expression: Any) -> Recursive[str]:
        """The variable that holds its value."""
        match expression:
            case str():
                return self.names.get(expression) or _constant(expression)
            case ["lambda", parameters, body]:
                lam = yield _lambda(_tuple(parameters), body, self.names)
                return self.bind(lam)
            case ["cons", left, right]:
                x = yield self.expression(left)
                y = yield self.expression(right)
                return self.bind(Cons(x, y))
            case ["list", *parts]:
                expression = _pairs(parts, EMPTY)
            case ["if", test, then, other]:
                thunks = ["cons", ["lambda", [], then], ["lambda", [], other]]
                expression = [[test, thunks], EMPTY]
            case ["let", bindings, body]:
                outside = dict(self.names)
                for pattern, bound in bindings:
                    x = yield self.expression(bound)
                    self.destructure(pattern, x)
                found: str = yield self.expression(body)
                self.names = outside
                return found
            case [function, *arguments]:
                f = yield self.expression(function)
                x = yield self.expression(_tuple(arguments))
                return self.apply(f, x)
            case _:
                raise TypeMismatch(f"{expression!r} is no expression of VLAD")
        found = yield self.expression(expression)
        return found


def _constant(token: str) -> str:
    try:
        return token if token == EMPTY else repr(float(token))
    except ValueError:
        raise UnboundVariable(f"{token} is unbound") from None
