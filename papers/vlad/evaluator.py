"""The evaluator, E and A, and programs of VLAD.

::

    E σ x       = σ x                           A t v           = t v
    E σ (e1 e2) = A (E σ e1) (E σ e2)           A ⟨σ, λx e⟩ v   = E σ[x ↦ v] e
    E σ (λx e)  = ⟨σ, λx e⟩

(The paper prints ``E σ e1`` twice in the second line.) In A-normal form E is a loop, and A of a
closure a frame on a stack, unless it is the last that a body does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from combinators.errors import TypeMismatch, UnboundVariable
from combinators.kit.memory import uncollected
from papers.vlad.basis import basis
from papers.vlad.reader import EMPTY, definitions, parsed, read
from papers.vlad.syntax import Access, Application, Cons, Lambda
from papers.vlad.transform import Transformer
from papers.vlad.values import EMPTY as NOTHING
from papers.vlad.values import Conjunction, FunctionValue, Primitive, force, show

PRELUDE = """
(define (gradient f) (lambda (x) (cdr ((cdr ((*j f) (*j x))) 1))))
"""


class TopLevel(dict[str, Any]):
    """σ0: what is defined, the empty list, and every number."""

    def __missing__(self, x: str) -> Any:
        if x == EMPTY:
            return NOTHING
        try:
            return float(x)
        except ValueError:
            raise UnboundVariable(f"{x} is unbound") from None


class Vlad:
    """A session: definitions, and how often each primitive on reals was applied.

    >>> Vlad().run("((gradient (lambda (x) (* x x))) 3)")
    6.0
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.top = TopLevel()
        transformer = Transformer(self.top, self._transform)
        self.top.update(basis(transformer.j, transformer.j_inverse))
        self.run(PRELUDE)

    def run(self, text: str) -> Any:
        """Define what ``text`` defines; the value of its last expression."""
        value: Any = NOTHING
        with uncollected():
            for name, expression in definitions(text):
                value = self.evaluated(expression)
                if name is not None:
                    self.top[name] = value
        return value

    def evaluated(self, expression: Any) -> Any:
        """The value of an s-expression that is read."""
        return self.apply(self._closed(parsed(expression, set(self.top))), NOTHING)

    def _closed(self, lam: Lambda) -> FunctionValue:
        return FunctionValue({x: self.top[x] for x in lam.free}, lam)

    def _transform(self, t: Primitive) -> FunctionValue:
        """``↼t``, which has no base free variables."""
        made = self.evaluated(read(t.transform)[0])
        return FunctionValue(made.environment, replace(made.code, of=t, images={}))

    def apply(self, function: Any, argument: Any) -> Any:
        """``A v1 v2``."""
        closed = force(function)
        if not isinstance(closed, FunctionValue):
            return self._given(closed, force(argument))
        frames: list[tuple[dict[str, Any], Lambda, int]] = []
        code, at = closed.code, 0
        env = {**closed.environment, code.parameter: argument}
        while True:
            if at == len(code.bindings):
                value = force(env[code.result])
                if not frames:
                    return value
                env, code, at = frames.pop()
                env[code.bindings[at - 1][0]] = value
                continue
            x, form = code.bindings[at]
            at += 1
            match form:
                case Application(f, y):
                    called = force(env[f])
                    if isinstance(called, FunctionValue):
                        if at < len(code.bindings):
                            frames.append((env, code, at))
                        env = {**called.environment, called.code.parameter: env[y]}
                        code, at = called.code, 0
                    else:
                        env[x] = self._given(called, force(env[y]))
                case Access(y):
                    env[x] = env[y]
                case Cons(y, z):
                    env[x] = Conjunction(env[y], env[z])
                case Lambda():
                    env[x] = FunctionValue({y: env[y] for y in form.free}, form)

    def _given(self, t: Any, v: Any) -> Any:
        """``A t v``."""
        if not isinstance(t, Primitive):
            raise TypeMismatch(f"{show(t)} is applied, and is no function")
        self.counts[t.name] += t.counted
        return t.apply(v)
