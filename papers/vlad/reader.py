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
from itertools import count
from typing import Any

from combinators.errors import TypeMismatch, UnboundVariable
from combinators.kit.recursion import Recursive, recurse
from papers.vlad.syntax import Access, Application, Cons, Form, Lambda

_WORD = re.compile(r"'\(\)|[()]|[^\s()]+")
_FRESH = count()

EMPTY, CAR, CDR = "'()", "car", "cdr"
Y = """(lambda (f) ((lambda (x) (f (lambda (y) ((x x) y))))
                    (lambda (x) (f (lambda (y) ((x x) y))))))"""


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


def fresh(stem: str = "t") -> str:
    """A variable that occurs nowhere else."""
    return f"{stem.split('.', maxsplit=1)[0]}.{next(_FRESH)}"


class _Block:
    """The bindings of a λ that is being read."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names, self.bindings = dict(names), list[tuple[str, Form]]()

    def bind(self, form: Form, stem: str = "t") -> str:
        x = fresh(stem)
        self.bindings.append((x, form))
        return x

    def apply(self, function: str, argument: str) -> str:
        return self.bind(Application(function, argument))

    def destructure(self, pattern: Any, x: str) -> None:
        """Bind what a parameter names."""
        match pattern:
            case [] | "'()":
                pass
            case str():
                self.names[pattern] = x
            case ["list", *parts]:
                self.destructure(_listed(parts), x)
            case ["*j", below]:
                self.destructure(below, self.apply("*j-inverse", x))
            case ["cons", left, right]:
                self.destructure(left, self.apply(CAR, x))
                self.destructure(right, self.apply(CDR, x))
            case _:
                raise TypeMismatch(f"{pattern!r} is no parameter")


def _tuple(parts: list[Any]) -> Any:
    """``(e1, (e2, …))``; one is itself, none the empty list."""
    if len(parts) < 2:
        return parts[0] if parts else EMPTY
    return ["cons", parts[0], _tuple(parts[1:])]


def parsed(expression: Any, known: set[str]) -> Lambda:
    """``λ() e``, closed but for ``known``, the variables of the top level, and constants."""
    block = _Block({x: x for x in known})
    return recurse(_lambda([], expression, block.names))


def _lambda(pattern: Any, body: Any, names: dict[str, str]) -> Recursive[Lambda]:
    block = _Block(names)
    parameter = fresh(pattern if isinstance(pattern, str) else "x")
    block.destructure(pattern, parameter)
    result = yield _expression(body, block)
    if not block.bindings or block.bindings[-1][0] != result:
        block.bind(Access(result))
    return Lambda(parameter, tuple(block.bindings))


def _expression(expression: Any, block: _Block) -> Recursive[str]:
    """The variable that holds its value, bound in ``block``."""
    found: str
    match expression:
        case str():
            if expression in block.names or expression == EMPTY:
                return block.names.get(expression, EMPTY)
            return _number(expression)
        case ["lambda", parameters, body]:
            lam = yield _lambda(_tuple(parameters), body, block.names)
            return block.bind(lam)
        case ["cons", left, right]:
            x = yield _expression(left, block)
            y = yield _expression(right, block)
            return block.bind(Cons(x, y))
        case ["list", *parts]:
            found = yield _expression(_listed(parts), block)
            return found
        case ["if", test, then, other]:
            thunks = ["cons", ["lambda", [], then], ["lambda", [], other]]
            found = yield _expression([[test, thunks], EMPTY], block)
            return found
        case ["let", bindings, body]:
            outside = dict(block.names)
            for pattern, bound in bindings:
                x = yield _expression(bound, block)
                block.destructure(pattern, x)
            found = yield _expression(body, block)
            block.names = outside
            return found
        case ["rec", name, bound]:
            step = ["lambda", [name], bound]
            found = yield _expression([_FIXED_POINT, step], block)
            return found
        case [function, *arguments]:
            f = yield _expression(function, block)
            x = yield _expression(_tuple(arguments), block)
            return block.apply(f, x)
    raise TypeMismatch(f"{expression!r} is no expression of VLAD")


_FIXED_POINT = read(Y)[0]


def _listed(parts: list[Any]) -> Any:
    return ["cons", parts[0], _listed(parts[1:])] if parts else EMPTY


def _number(token: str) -> str:
    try:
        return repr(float(token))
    except ValueError:
        raise UnboundVariable(f"{token} is unbound") from None


def definitions(text: str) -> Iterator[tuple[str | None, Any]]:
    """The names and the expressions of a program; that of what is not defined is None."""
    for expression in read(text):
        match expression:
            case ["define", [str() as name, *parameters], body]:
                yield name, ["rec", name, ["lambda", parameters, body]]
            case ["define", str() as name, body]:
                yield name, body
            case _:
                yield None, expression
