"""Values, the vector space that they make, ``0`` and ``⊕``; and ``J`` and ``J⁻¹`` (section 4).

::

    v ::= [] | r | ↼v | (v , v) | t | ⟨σ, λx e⟩           ↼v of [], of a real, or of such

    0 []  = []     0 ↼v = ↼(0 v)     0 (v1 , v2) = (0 v1 , 0 v2)
    0 r   = 0      0 t  = []         0 ⟨σ, λx e⟩ = [0 (σ x'1), …, 0 (σ x'l)]   x' of B (λx e), by ≺

    J ⟨σ, e⟩ = ⟨↼σ, ↼e⟩   where  ↼σ ↼x = J (σ x)  for x in F e,  and  ↼σ x = σ0 x  else

``0``, ``⊕``, ``J`` and ``J⁻¹`` are lazy below pairs and environments, and remember what they gave
for a value that is the same one, so that what shares its parts is met once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import Any

from combinators.errors import TypeMismatch
from papers.vlad.syntax import Lambda, abstraction, read
from papers.vlad.transform import transformed


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
class Pair:
    """``(v1 , v2)``."""

    left: Any
    right: Any


@dataclass(frozen=True, eq=False)
class FunctionValue:
    """``⟨σ, λx e⟩``."""

    environment: Mapping[str, Any]
    code: Lambda


class Delayed:
    """What an AD primitive gives, when it is asked for."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.function, self.arguments, self.value = function, arguments, None


def force(v: Any) -> Any:
    """The value; with a stack of its own, since delayed sums stand in one another."""
    todo = [v] if type(v) is Delayed else []
    while todo:
        here = todo.pop()
        waiting = [x for x in here.arguments if type(x) is Delayed and x.function]
        if waiting:
            todo += [here, *waiting]
        elif here.function:
            here.value = here.function(*map(force, here.arguments))
            here.function, here.arguments = None, ()
    return v.value if type(v) is Delayed else v


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
        case Pair(left, right):
            return Pair(Delayed(zero, left), Delayed(zero, right))
        case FunctionValue(environment, code):
            made: Any = ()
            for _ in range(code.tags):
                made = ReverseValue(made)
            for x in reversed(code.base_free):
                made = Pair(Delayed(zero, environment[x]), made)
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
        case (Pair(a, b), Pair(c, d)):
            return Pair(Delayed(plus, a, c), Delayed(plus, b, d))
        case (FunctionValue(s1, e1), FunctionValue(s2, e2)) if e1 is e2:
            return FunctionValue({x: Delayed(plus, s1[x], s2[x]) for x in s1}, e1)
        case _ if v1 is v2:  # [], and primitives
            return v1
    raise TypeMismatch(f"{show(v1)} and {show(v2)} do not conform")


@remembered
def j(v: Any) -> Any:
    """``J v``."""
    match v:
        case Pair(left, right):
            return Pair(Delayed(j, left), Delayed(j, right))
        case FunctionValue(environment, e):
            moved = {f"{x}↼": Delayed(j, v) for x, v in environment.items()}
            return FunctionValue(moved, transformed(e))
        case Primitive():
            ((_, parameters, body),) = read(v.transform)
            return FunctionValue({}, abstraction(parameters, body, of=v))
    return ReverseValue(v)


@remembered
def j_inverse(v: Any) -> Any:
    """``J⁻¹ v``; raises TypeMismatch where ``J`` did not give it."""
    match v:
        case ReverseValue(below):
            return below
        case Pair(left, right):
            return Pair(Delayed(j_inverse, left), Delayed(j_inverse, right))
        case FunctionValue(moved, Lambda(of=Lambda() as e)):
            return FunctionValue({x[:-1]: Delayed(j_inverse, v) for x, v in moved.items()}, e)
        case FunctionValue(_, Lambda(of=Primitive() as t)):
            return t
    raise TypeMismatch(f"J⁻¹ takes what J gave, and {show(v)} is none")


def show(v: Any, depth: int = 6) -> str:
    """A value as the paper writes it."""
    match force(v):
        case Real() as r:
            return str(r).removesuffix(".0")
        case ReverseValue(below):
            return f"↼{show(below)}"
        case Pair(left, right):
            return f"({show(left, depth - 1)}, {show(right, depth - 1)})" if depth else "…"
        case Primitive(name):
            return str(name)
        case FunctionValue(_, code):
            return f"⟨λ{code.parameter}⟩"
    return "[]"
