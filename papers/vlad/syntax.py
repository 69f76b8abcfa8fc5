"""S-expressions, as the authors write VLAD, into A-normal form, α-converted on the way.

::

    (lambda (x y) e)   (let ((x e) …) e)   (if e e e)   (define (f x) e)   (cons e e …)
    (list e …)   '()   (f e e)                                          are read, and become

    λx0 let x1 = e1; …; xn = en in xn end      ei is  xj,  (xj xk),  (xj , xk)  or  λx e

A function takes one argument: several are a tuple, of pairs to the right. A parameter may be
``(cons p q)`` or ``(*j p)``, which take a pair or a reverse value apart. ``if`` chooses between two
thunks by t or f, which are CAR and CDR; a function that is defined by itself is a fixed point. What
nothing binds is a constant, or unbound, as the top level says.

A variable is a string, with its tags at its end: a reverse variable ``x↼``, a sensitivity ``x↽`` or
a backpropagator ``x¯``. The paper encodes pairs as functions; then ``0`` of a pair is a list, while
the transformed ``+`` gives a pair. Here they are native, as in the authors' implementation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from combinators.errors import TypeMismatch
from combinators.kit.text import Names

EMPTY = "'()"


@dataclass(frozen=True, eq=False)
class Lambda:
    """``λx0 let x1 = e1; …; xn = en in xn end``; of what it is the transform; its own, if made."""

    parameter: str
    bindings: tuple[tuple[str, Form], ...]
    of: Any = None
    image: list[Lambda] = field(default_factory=list)

    @property
    def result(self) -> str:
        """``xn``."""
        return self.bindings[-1][0]

    @cached_property
    def free(self) -> tuple[str, ...]:
        """``F (λx e)``, in the order ≺."""
        bound, free = {self.parameter}, set[str]()
        for x, e in self.bindings:
            free |= {*(e.free if isinstance(e, Lambda) else atoms(e))} - bound
            bound.add(x)
        return tuple(sorted(free))

    @cached_property
    def base_free(self) -> tuple[str, ...]:
        """``B (λx e)``: those of the λ that was transformed; none of a transformed primitive."""
        if self.of is None:
            return self.free
        return tuple([f"{x}↼" for x in getattr(self.of, "base_free", ())])

    @property
    def tags(self) -> int:
        """How often it was transformed."""
        return 0 if self.of is None else 1 + getattr(self.of, "tags", 0)

    def __repr__(self) -> str:
        lines = [f"{x} = {written(e)}" for x, e in self.bindings]
        return f"λ{self.parameter} let {'; '.join(lines)} in {self.result} end"


Form = str | tuple[str, str] | tuple[str, str, str] | Lambda
"""``xj``, ``(xj xk)``, ``("cons", xj, xk)``, or a λ."""


def atoms(form: str | tuple[str, ...]) -> tuple[str, ...]:
    """Its variables."""
    return (form,) if isinstance(form, str) else form[-2:]


def written(form: Form) -> str:
    """As the paper writes it."""
    match form:
        case (_, x, y):
            return f"({x}, {y})"
        case (f, x):
            return f"{f} {x}"
    return str(form)


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


def plain(e: Any) -> Any:
    """Without ``list``, ``if``, several arguments, and functions defined by themselves."""
    match e:
        case ["define", [name, *parameters], body]:
            return ["define", name, [Y, ["lambda", [name], ["lambda", parameters, body]]]]
        case ["list", *parts]:
            return plain(["cons", *parts, EMPTY])
        case ["cons", first]:
            return plain(first)
        case ["cons", first, *rest]:
            return ["cons", first, plain(["cons", *rest])]
        case ["if", test, then, other]:
            return [[test, ["cons", ["lambda", [], then], ["lambda", [], other]]], EMPTY]
        case ["lambda" | "let" | "define", _, _]:
            return e
        case [f, *arguments]:
            return [f, plain(["cons", *arguments]) if arguments else EMPTY]
    return e


def abstraction(
    parameters: list[Any], body: Any, names: Mapping[str, str] | None = None, of: Any = None
) -> Lambda:
    """``λ(parameters) body``, where ``names`` stand for variables."""
    sight, bindings = dict(names or {}), list[tuple[str, Form]]()
    fresh = Names(sight.values()).fresh

    def held(form: Form, name: str = "") -> str:
        """A variable that holds its value, a new one if it has a name."""
        if isinstance(form, str) and not name:
            return form
        bindings.append((fresh(name or "t"), form))
        return bindings[-1][0]

    def define(pattern: Any, form: Form) -> None:
        """``let pattern = form``: what is no name is taken apart, ``'()`` is not looked at."""
        match plain(pattern):
            case "'()":
                pass
            case str() as name:
                sight[name] = held(form, name)
            case ["*j", below]:
                define(below, ("*j-inverse", held(form)))
            case ["cons", left, right]:
                whole = held(form)
                define(left, ("car", whole))
                define(right, ("cdr", whole))
            case _:
                raise TypeMismatch(f"{pattern!r} is no parameter")

    def form_of(expression: Any) -> Form:
        """What to bind a variable to, so that it holds the value of ``expression``."""
        match plain(expression):
            case str() as name:
                return sight.get(name, name)
            case Lambda() as e:
                return e
            case ["lambda", parameters, body]:
                return abstraction(parameters, body, sight)
            case ["let", lets, body]:
                outside = dict(sight)
                for pattern, bound in lets:
                    define(pattern, form_of(bound))
                found = form_of(body)
                sight.clear()
                sight.update(outside)
                return found
            case ["cons", left, right]:
                return "cons", held(form_of(left)), held(form_of(right))
            case [function, argument]:
                return held(form_of(function)), held(form_of(argument))
        raise TypeMismatch(f"{expression!r} is no expression of VLAD")

    match plain(["cons", *parameters]) if parameters else EMPTY:
        case str() as name if name != EMPTY:
            parameter = sight[name] = fresh(name)
        case pattern:
            parameter = fresh("t")
            define(pattern, parameter)
    held(form_of(body), "t")
    return Lambda(parameter, tuple(bindings), of)
