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
from dataclasses import dataclass, field
from typing import Any

from combinators.errors import TypeMismatch
from papers.vlad.syntax import Lambda


@dataclass(frozen=True)
class Empty:
    """``[]``."""


EMPTY = Empty()


@dataclass(frozen=True)
class ReverseValue:
    """``↼v``."""

    value: Any


@dataclass(frozen=True, eq=False)
class Primitive:
    """``t``, and the text of its transform ``↼t``."""

    name: str
    apply: Callable[[Any], Any]
    transform: str
    counted: bool = False
    known: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Conjunction:
    """``(v1 , v2)``."""

    left: Any
    right: Any
    known: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class FunctionValue:
    """``⟨σ, λx e⟩``."""

    environment: Mapping[str, Any]
    code: Lambda
    known: dict[Any, Any] = field(default_factory=dict)


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
        here = todo[-1]
        waiting = [x for x in here.arguments if type(x) is Delayed and x.function is not None]
        if here.function is None or not waiting:
            todo.pop()
            if here.function is not None:
                arguments = [x.value if type(x) is Delayed else x for x in here.arguments]
                here.value, here.function = here.function(*arguments), None
                here.arguments = ()
        else:
            todo += waiting
    return v.value


def mapped(f: Any, v: Any) -> Any:
    """``f`` of a part, later."""
    return Delayed(f, (v,))


def remembered(f: Any, v: Any, make: Callable[[], Any]) -> Any:
    """What ``f`` gives for this very value."""
    if f not in v.known:
        v.known[f] = make()
    return v.known[f]


def listed(values: list[Any], tags: int) -> Any:
    """``[v1, …, vl]`` of a λ that was transformed so often."""
    made: Any = EMPTY
    for _ in range(tags):
        made = ReverseValue(made)
    for v in reversed(values):
        made = Conjunction(v, made)
    return made


def zero(v: Any) -> Any:
    """``0 v``."""
    match v:
        case float():
            return 0.0
        case ReverseValue(below):
            return ReverseValue(zero(below))
        case Conjunction(left, right):
            return remembered("0", v, lambda: Conjunction(mapped(zero, left), mapped(zero, right)))
        case FunctionValue(environment, code):
            return remembered(
                "0",
                v,
                lambda: listed([mapped(zero, environment[x]) for x in code.base_free], code.tags),
            )
    return EMPTY


def plus(v1: Any, v2: Any) -> Any:
    """``v1 ⊕ v2``; raises TypeMismatch where they do not conform."""
    match v1, v2:
        case (float(), float()):
            return v1 + v2
        case (Empty(), Empty()):
            return EMPTY
        case (ReverseValue(x), ReverseValue(y)):
            return ReverseValue(plus(x, y))
        case (Conjunction(a, b), Conjunction(c, d)):
            key = ("⊕", id(v2))
            if key not in v1.known:
                both = Conjunction(Delayed(plus, (a, c)), Delayed(plus, (b, d)))
                v1.known[key] = both, v2
            return v1.known[key][0]
        case (Primitive(), Primitive()) if v1 is v2:
            return v1
        case (FunctionValue(s1, e1), FunctionValue(s2, e2)) if e1 is e2:
            return FunctionValue({x: Delayed(plus, (s1[x], s2[x])) for x in e1.free}, e1)
    raise TypeMismatch(f"{show(v1)} and {show(v2)} do not conform")


def show(v: Any, depth: int = 6) -> str:
    """A value as the paper writes it."""
    v = force(v)
    match v:
        case float():
            return repr(v).removesuffix(".0")
        case ReverseValue(below):
            return f"↼{show(below)}"
        case Conjunction(left, right):
            return f"({show(left, depth - 1)}, {show(right, depth - 1)})" if depth else "…"
        case Primitive(name):
            return str(name)
        case FunctionValue(_, code):
            return f"⟨λ{code.parameter}⟩"
    return "[]"


def numbers(v: Any) -> Any:
    """Pairs and lists of reals as nested tuples; a list as far as it goes."""
    v = force(v)
    match v:
        case Conjunction(left, right):
            rest = numbers(right)
            return (numbers(left), *rest) if isinstance(rest, tuple) else (numbers(left), rest)
        case Empty():
            return ()
    return v
