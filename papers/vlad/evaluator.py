"""The evaluator, E and A, and programs of VLAD.

::

    E σ x       = σ x                           A t v           = t v
    E σ (e1 e2) = A (E σ e1) (E σ e2)           A ⟨σ, λx e⟩ v   = E σ[x ↦ v] e
    E σ (λx e)  = ⟨σ, λx e⟩

(The paper prints ``E σ e1`` twice in the second line.) What a body does last needs no stack.
"""

from __future__ import annotations

from collections import Counter
from numbers import Real
from pathlib import Path
from typing import Any

from combinators.errors import TypeMismatch, UnboundVariable
from combinators.kit.memory import uncollected
from combinators.kit.recursion import Recursive, recurse
from papers.vlad.basis import basis
from papers.vlad.reader import EMPTY, abstraction, definition, read
from papers.vlad.syntax import Access, Application, Cons, Lambda
from papers.vlad.transform import transforms
from papers.vlad.values import Conjunction, FunctionValue, Primitive, force, show

PRELUDE = "(define gradient (lambda (f) (lambda (x) (cdr ((cdr ((*j f) (*j x))) 1)))))"
SECTION_5 = Path(__file__).with_name("section_5.vlad").read_text("utf-8")


class TopLevel(dict[str, Any]):
    """σ0: what is defined, the empty list, and every number."""

    def __init__(self, real: type) -> None:
        super().__init__()
        self.real = real

    def __missing__(self, x: str) -> Any:
        try:
            return () if x == EMPTY else self.real(x)
        except ValueError:
            raise UnboundVariable(f"{x} is unbound") from None


class Vlad:
    """A session: definitions, and how often each primitive on reals was applied.

    >>> Vlad().run("((gradient (lambda (x) (* x x))) 3)")
    6.0
    """

    def __init__(self, real: type = float) -> None:
        self.counts: Counter[str] = Counter()
        self.top = TopLevel(real)
        self.top.update(basis(*transforms(self.top)))
        self.run(PRELUDE)

    def run(self, text: str) -> Any:
        """Define what ``text`` defines; the value of its last expression."""
        value: Any = ()
        with uncollected():
            for name, expression in map(definition, read(text)):
                program = abstraction([], expression, {x: x for x in self.top})
                closure = FunctionValue({x: self.top[x] for x in program.free}, program)
                value = recurse(self.apply(closure, ()))
                if name is not None:
                    self.top[name] = value
        return value

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
                            env[x] = self.given(called, force(env[y]))
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

    def given(self, t: Any, v: Any) -> Any:
        """``A t v``."""
        if not isinstance(t, Primitive):
            raise TypeMismatch(f"{show(t)} is applied, and is no function")
        if t.binary and not isinstance(v, Conjunction):
            raise TypeMismatch(f"{t.name} takes a pair, and {show(v)} is none")
        arguments = (v.left, v.right) if t.binary else (v,)
        if t.real:
            arguments = tuple(map(force, arguments))
            self.counts[t.name] += 1
            if not all(isinstance(x, Real) for x in arguments):
                raise TypeMismatch(f"{t.name} takes real numbers, and is given {show(v)}")
        return t.apply(*arguments)
