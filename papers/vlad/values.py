"""Values, conformance, and the vector space that they make: ``0`` and ``⊕``.

::

    v ::= [] | r | ↼v | (v , v) | t | ⟨σ, λx e⟩           ↼v of [], of a real, or of such

    0 []  = []     0 ↼v = ↼(0 v)     0 (v1 , v2) = (0 v1 , 0 v2)
    0 r   = 0      0 t  = []         0 ⟨σ, λx e⟩ = [0 (σ x'1), …, 0 (σ x'l)]   x' of B (λx e), by ≺

``0``, ``⊕``, ``J`` and ``J⁻¹`` are lazy below pairs and environments, and remember what they gave
for a value that is the same one, so that what shares its parts is met once (section 4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import Any

from combinators.errors import TypeMismatch
from papers.vlad.syntax import Lambda


@dataclass(frozen=True, eq=False)
class ReverseValue:
    """``↼v``."""

    value: Any


@dataclass(frozen=True, eq=False)
class Primitive:
    """``t``, of one value or of a pair, of real numbers or of any; and the text of ``↼t``."""

    name: str
    apply: Callable[..., Any]
    transform: str
    binary: bool
    real: bool


@dataclass(frozen=True, eq=False)
class Conjunction:
    """``(v1 , v2)``."""

    left: Any
    right: Any

    def map(self, f: Any) -> Conjunction:
        """``(f v1 , f v2)``, later."""
        return Conjunction(Delayed(f, (self.left,)), Delayed(f, (self.right,)))


@dataclass(frozen=True, eq=False)
class FunctionValue:
    """``⟨σ, λx e⟩``."""

    environment: Mapping[str, Any]
    code: Lambda


@dataclass(eq=False)
class Delayed:
    """What an AD primitive gives, when it is asked for."""

    function: Any
    arguments: tuple[Any, ...]
    value: Any = None


def force(v: Any) -> Any:
    """The value; with a stack of its own, since delayed sums stand in one another."""
    if type(v) is not Delayed:
        return v
    todo = [v]
    while todo:
        here = todo.pop()
        if here.function:
            waiting = [x for x in here.arguments if type(x) is Delayed and x.function]
            if waiting:
                todo += [here, *waiting]
            else:
                here.value = here.function(*map(force, here.arguments))
                here.function, here.arguments = None, ()
    return v.value


remembered = lru_cache(maxsize=100_000, typed=True)
"""Makes nothing twice of the same values: pairs and functions are, if they are one."""


@remembered
def zero(v: Any) -> Any:
    """``0 v``."""
    match v:
        case Real():
            return type(v)()
        case ReverseValue(below):
            return ReverseValue(zero(below))
        case Conjunction():
            return v.map(zero)
        case FunctionValue(environment, code):
            made: Any = ()
            for _ in range(code.tags):
                made = ReverseValue(made)
            for x in reversed(code.base_free):
                made = Conjunction(Delayed(zero, (environment[x],)), made)
            return made
    return ()


@remembered
def plus(v1: Any, v2: Any) -> Any:
    """``v1 ⊕ v2``; raises TypeMismatch where they do not conform."""
    match v1, v2:
        case (Real(), Real()):
            return v1 + v2
        case (ReverseValue(x), ReverseValue(y)):
            return ReverseValue(plus(x, y))
        case ((), ()):
            return ()
        case (Conjunction(a, b), Conjunction(c, d)):
            return Conjunction(Delayed(plus, (a, c)), Delayed(plus, (b, d)))
        case (Primitive(), Primitive()) if v1 is v2:
            return v1
        case (FunctionValue(s1, e1), FunctionValue(s2, e2)) if e1 is e2:
            return FunctionValue({x: Delayed(plus, (s1[x], s2[x])) for x in e1.free}, e1)
    raise TypeMismatch(f"{show(v1)} and {show(v2)} do not conform")


def show(v: Any, depth: int = 6) -> str:
    """A value as the paper writes it."""
    match force(v):
        case Real() as r:
            return str(r).removesuffix(".0")
        case ReverseValue(below):
            return f"↼{show(below)}"
        case Conjunction(left, right):
            return f"({show(left, depth - 1)}, {show(right, depth - 1)})" if depth else "…"
        case Primitive(name):
            return str(name)
        case FunctionValue(_, code):
            return f"⟨λ{code.parameter}⟩"
    return "[]"
