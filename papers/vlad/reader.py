"""S-expressions, as the authors write VLAD, into A-normal form, α-converted on the way.

::

    (lambda (x y) e)   (let ((x e) …) e)   (if e e e)   (define (f x) e)   (cons e e …)
    (list e …)   '()   (f e e)

A function takes one argument: several are a tuple, of pairs to the right. A parameter may be
``(cons p q)`` or ``(*j p)``, which take a pair or a reverse value apart. ``if`` chooses between two
thunks by t or f, which are CAR and CDR; a function that is defined by itself is a fixed point. What
nothing binds is a constant, or unbound, as the top level says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from combinators.errors import TypeMismatch
from papers.vlad.syntax import Access, Application, Cons, Form, Lambda

EMPTY = "'()"


def read(text: str) -> list[Any]:
    """The s-expressions in ``text``: nested lists of strings."""
    text = re.sub(";.*", "", text)
    words = iter(re.findall(r"'\(\)|[()]|[^\s()]+", f"({text})"))

    def expression(word: str) -> Any:
        return [*map(expression, iter(words.__next__, ")"))] if word == "(" else word

    found: list[Any] = expression(next(words))
    if text.count("(") != text.count(")") or [*words]:
        raise TypeMismatch(f"parentheses do not match in {text!r:.60}")
    return found


(Y,) = read("""(lambda (f) ((lambda (x) (f (lambda (y) ((x x) y))))
                            (lambda (x) (f (lambda (y) ((x x) y))))))""")


def definition(expression: Any) -> tuple[str | None, Any]:
    """What is defined, if anything is, and the expression that says it."""
    match expression:
        case ["define", [str() as name, *parameters], body]:
            return name, [Y, ["lambda", [name], ["lambda", parameters, body]]]
        case ["define", str() as name, body]:
            return name, body
    return None, expression


def abstraction(
    parameters: list[Any], body: Any, names: Mapping[str, str] | None = None, of: Any = None
) -> Lambda:
    """``λ(parameters) body``, where ``names`` stand for variables."""
    scope = _Scope(names or {})
    match parameters:
        case [str() as name]:
            parameter = scope.names[name] = scope.variable(name)
        case _:
            parameter = scope.variable("t")
            scope.define(["cons", *parameters] if parameters else EMPTY, Access(parameter))
    scope.bind(scope.form(body))
    return Lambda(parameter, tuple(scope.bindings), of)


class _Scope:
    """The bindings of a λ that is being read, and the variables that names stand for."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names, self.taken = dict(names), set(names.values())
        self.renamed: Counter[str] = Counter()
        self.bindings: list[tuple[str, Form]] = []

    def variable(self, name: str) -> str:
        """``name``, α-converted where another variable that is in sight has it."""
        x = name
        while x in self.taken:
            self.renamed[name] += 1
            x = f"{name}.{self.renamed[name]}"
        self.taken.add(x)
        return x

    def bind(self, form: Form, name: str = "t") -> str:
        """The variable that stands for ``form``."""
        x = self.variable(name)
        self.bindings.append((x, form))
        return x

    def define(self, pattern: Any, form: Form) -> None:
        """``let pattern = form``: what is no name is taken apart, ``'()`` is not looked at."""
        match pattern:
            case "'()":
                pass
            case str():
                self.names[pattern] = self.bind(form, pattern)
            case ["*j", below]:
                self.define(below, Application("*j-inverse", self.held(form)))
            case ["list", *parts]:
                self.define(["cons", *parts, EMPTY], form)
            case ["cons", *parts, last]:
                for part in parts:
                    x = self.held(form)
                    self.define(part, Application("car", x))
                    form = Application("cdr", x)
                self.define(last, form)
            case _:
                raise TypeMismatch(f"{pattern!r} is no parameter")

    def form(self, expression: Any) -> Form:
        """What to bind a variable to, so that it holds the value of ``expression``."""
        match expression:
            case str():
                return Access(self.names.get(expression, expression))
            case Lambda():
                return expression
            case ["lambda", parameters, body]:
                return abstraction(parameters, body, self.names)
            case ["list", *parts]:
                return self.form(["cons", *parts, EMPTY])
            case ["cons", *parts, last]:
                variables = [self.variable_of(part) for part in parts]
                form = self.form(last)
                for x in reversed(variables):
                    form = Cons(x, self.held(form))
                return form
            case ["if", test, then, other]:
                thunks = ["cons", ["lambda", [], then], ["lambda", [], other]]
                return self.form([[test, thunks], EMPTY])
            case ["let", bindings, body]:
                outside = dict(self.names)
                for pattern, bound in bindings:
                    self.define(pattern, self.form(bound))
                found, self.names = self.form(body), outside
                return found
            case [function, *arguments]:
                given = ["cons", *arguments] if arguments else EMPTY
                return Application(self.variable_of(function), self.variable_of(given))
        raise TypeMismatch(f"{expression!r} is no expression of VLAD")

    def variable_of(self, expression: Any) -> str:
        """The variable that holds the value of ``expression``."""
        return self.held(self.form(expression))

    def held(self, form: Form) -> str:
        return form.variable if isinstance(form, Access) else self.bind(form)
