"""The evaluator, E and A, and programs of VLAD.

::

    E σ x       = σ x                           A t v           = t v
    E σ (e1 e2) = A (E σ e1) (E σ e2)           A ⟨σ, λx e⟩ v   = E σ[x ↦ v] e
    E σ (λx e)  = ⟨σ, λx e⟩

(The paper prints ``E σ e1`` twice in the second line.) What a body does last needs no stack.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from combinators.errors import TypeMismatch, UnboundVariable
from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, recurse
from papers.vlad import reader
from papers.vlad.basis import basis
from papers.vlad.syntax import Access, Application, Cons, Lambda
from papers.vlad.transform import transforms
from papers.vlad.values import EMPTY, Conjunction, FunctionValue, Primitive, force, show

PRELUDE = "(define gradient (lambda (f) (lambda (x) (cdr ((cdr ((*j f) (*j x))) 1)))))"


class TopLevel(dict[str, Any]):
    """σ0: what is defined, the empty list, and every number."""

    def __missing__(self, x: str) -> Any:
        try:
            return EMPTY if x == reader.EMPTY else float(x)
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
        self.top.update(basis(*transforms(self.top, self._transform)))
        self.run(PRELUDE)

    def run(self, text: str) -> Any:
        """Define what ``text`` defines; the value of its last expression."""
        value: Any = EMPTY
        with uncollected():
            for name, expression in reader.definitions(text):
                value = self.evaluated(expression)
                if name is not None:
                    self.top[name] = value
        return value

    def evaluated(self, expression: Any) -> Any:
        """The value of an s-expression that is read."""
        lam = reader.parsed(expression, set(self.top))
        return recurse(self.apply(FunctionValue({x: self.top[x] for x in lam.free}, lam), EMPTY))

    def _transform(self, t: Primitive) -> FunctionValue:
        """``↼t``, which has no base free variables."""
        made = self.evaluated(reader.read(t.transform)[0])
        return FunctionValue(made.environment, replace(made.code, of=t, images={}))

    def apply(self, closure: FunctionValue, v: Any) -> Recursive[Any]:
        """``A ⟨σ, λx e⟩ v``."""
        while True:
            code = closure.code
            env = {**closure.environment, code.parameter: v}
            for x, form in code.bindings:
                match form:
                    case Application(f, y):
                        called = force(env[f])
                        if not isinstance(called, FunctionValue):
                            env[x] = self._given(called, force(env[y]))
                        elif x != code.result:
                            env[x] = yield self.apply(called, env[y])
                        else:
                            closure, v = called, env[y]
                            break
                    case Access(y):
                        env[x] = env[y]
                    case Cons(y, z):
                        env[x] = Conjunction(env[y], env[z])
                    case Lambda():
                        env[x] = FunctionValue({y: env[y] for y in form.free}, form)
            else:
                return force(env[code.result])

    def _given(self, t: Any, v: Any) -> Any:
        """``A t v``."""
        if not isinstance(t, Primitive):
            raise TypeMismatch(f"{show(t)} is applied, and is no function")
        self.counts[t.name] += t.counted
        return t.apply(v)
