"""The core language, of arrays alone (Figures 7 and 8, section 3.3).

    s, t, u, v ::= c | x | let x = u in v | cond t u v | op u v | op t | index t ix | sumOuter t
                 | gather sh t (λis. ix) | scatter sh t (λis. ix) | [t₁, …, tₙ] | replicate k t
                 | tr_b t | reshape sh t | build1 k (λi. t)

A λ is a form as well, and alone binds: ``let x = u in v`` holds ``u`` and ``λx. v``. Delta terms,
``oneHot`` and ``share`` are forms, too. Operations have NumPy's names.

>>> a, i = var("a", 4), var("i", of=int)
>>> form("sumOuter", form("build1", 4, lam(i, a[i] * a[3 - i])))
sumOuter (build1 4 (λi. (index a [i]) × (index a [3 - i])))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from combinators.errors import MissingRule, TypeMismatch
from combinators.literal import Literal
from combinators.objects import Tensor

ATOMS = ("c", "x", "[]", "pair", "Zero")
INFIX = {"add": "+", "subtract": "-", "multiply": "×", "divide": "÷", "less": "<", "equal": "=="}
INFIX |= {"remainder": "mod", "floor_divide": "div"}


@dataclass(frozen=True, repr=False)
class Form(NDArrayOperatorsMixin):
    """A term: its kind, and its arguments. A variable has its name, and is ``of`` a type."""

    kind: str
    args: tuple[Any, ...]
    of: Any = None

    def __array_ufunc__(self, operation: Any, method: str, *args: Any) -> Form:
        """``op t u``, or ``op t``; a number is the array of it."""
        ts = (x if isinstance(x, Form) else term(np.full(self.shape, x)) for x in args)
        return form("op", operation.__name__, *ts)

    def __getitem__(self, ix: Any) -> Form:
        """``index t ix``."""
        return form("index", self, tuple(map(term, ix if isinstance(ix, tuple) else (ix,))))

    @cached_property
    def type(self) -> Tensor:
        """Its shape and what it is of, which no values of its variables change (Fig. 8)."""
        ones = {name: np.ones(obj.shape, obj.dtype) for name, obj in free(self).items()}
        array = np.asarray(evaluate(self, ones))
        return Tensor(array.shape, array.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """``shape t``."""
        return self.type.shape

    def __repr__(self) -> str:
        """As the paper writes it."""
        match self:
            case Form("c" | "x", (atom,)):
                return str(atom)
            case Form("[]", (ts,)):
                return str([*ts])
            case Form("pair", ts):
                return f"({', '.join(map(str, ts))})"
            case Form("let", (u, Form(_, ((x,), v)))):
                return f"let {x!s} = {u!s} in {v!s}"
            case Form("λ", (xs, tuple(ix))):
                return f"λ{[*xs]}. {[*ix]}"
            case Form("λ", ((x,), body)):
                return f"λ{x!s}. {body!s}"
            case Form("op", (name, t, u)):
                return f"{t} {INFIX.get(name, name)} {u}"
            case Form("op", (name, t)):
                return f"{name} {t}"
            case Form("Share", (i, d)):
                return f"Share id{i} {d}"
        args = [[*arg] if isinstance(arg, tuple) else arg for arg in self.args]
        return " ".join(map(format, [self.kind, *args]))

    def __format__(self, _: str) -> str:
        """In parentheses, if it is no atom."""
        return str(self) if self.kind in ATOMS else f"({self!s})"


def form(kind: str, *args: Any) -> Form:
    """The term of these arguments."""
    return Form(kind, args)


def lam(xs: Any, body: Any) -> Form:
    """``λi. t``, or of lists ``λis. ix``."""
    return form("λ", xs if isinstance(xs, tuple) else (xs,), body)


def var(name: str, *shape: int, of: Any = float) -> Form:
    """A variable; ``i`` of the paper is ``var("i", of=int)``."""
    return Form("x", (name,), Tensor(shape, np.dtype(of)))


def term(value: Any) -> Form:
    """A term as it is, a value as a constant literal."""
    return value if isinstance(value, Form) else form("c", Literal(value))


def elementwise(f: Callable[..., Any], *arrays: Any) -> Any:
    """Of arrays of one shape: nothing is broadcast."""
    if len({np.shape(array) for array in arrays}) > 1:
        raise ValueError("the shapes differ")
    return f(*arrays)


def inside(array: Any, ix: Any) -> bool:
    """Whether an index is in range."""
    return all(0 <= i < n for i, n in zip(ix, array.shape, strict=False))


def taken(array: Any, ix: Any) -> Any:
    """An element; 0 out of range, since conditionals are strict and nothing may crash (5.2)."""
    return array[ix] if inside(array, ix) else np.zeros(array.shape[len(ix) :], array.dtype)


def gathered(at: Any, sh: Any, t: Form, f: Form) -> Any:
    """``[index t ix, …]``, for each value of the variables."""
    array, every = at(t), np.ndindex(*sh[: len(f.args[0])])
    return np.array([taken(array, at(f, *n)) for n in every], array.dtype).reshape(sh)


def scattered(at: Any, sh: Any, t: Form, f: Form) -> Any:
    """What is sent to one place is added, and what is sent out of range is lost."""
    array = at(t)
    made = np.zeros(sh, array.dtype)
    for n in np.ndindex(*array.shape[: len(f.args[0])]):
        if inside(made, ix := at(f, *n)):
            made[ix] += array[n]
    return made


MEANING: dict[str, Callable[..., Any]] = {
    "c": lambda at, c: c.array,
    "let": lambda at, u, f: at(f, at(u)),
    "cond": lambda at, b, u, v: elementwise(lambda *both: both[not at(b)], *at((u, v))),
    "op": lambda at, name, *ts: elementwise(getattr(np, name), *at(ts)),
    "index": lambda at, t, ix: taken(at(t), at(ix)),
    "sumOuter": lambda at, t: at(t)[:].sum(axis=0),
    "gather": gathered,
    "scatter": scattered,
    "oneHot": lambda at, sh, ix, t: scattered(at, sh, t, lam((), ix)),
    "[]": lambda at, ts: np.stack(at(ts)),
    "replicate": lambda at, k, t: np.stack([at(t)] * max(k, 1))[:k],
    "tr": lambda at, b, t: np.moveaxis(at(t), b, range(len(b))),
    "reshape": lambda at, sh, t: at(t).reshape(sh),
    "build1": lambda at, k, f: np.stack([at(f, n) for n in range(max(k, 1))])[:k],
    "share": lambda at, _, t: at(t),
    "pair": lambda at, *ts: at(ts),
}
"""What each form means, given the meanings ``at`` of its parts."""


def evaluate(t: Any, env: Mapping[str, Any], *values: Any) -> Any:
    """What a term means where its variables have the values ``env``; of a λ, at values."""
    match t:
        case tuple():
            return tuple(evaluate(part, env) for part in t)
        case Form("λ", (xs, body)):
            inner = {x.args[0]: value for x, value in zip(xs, values, strict=True)}
            return evaluate(body, {**env, **inner})
        case Form("x", (name,), obj):
            return np.broadcast_to(env[name], obj.shape).astype(obj.dtype)
    if t.kind not in MEANING:
        raise MissingRule(f"{t!s} is no term of the core language (003, Fig. 7)")
    try:
        return MEANING[t.kind](lambda part, *values: evaluate(part, env, *values), *t.args)
    except (ValueError, IndexError) as why:
        raise TypeMismatch(f"{t!s} has no type (003, Fig. 8): {why}") from why


def free(t: Any) -> dict[str, Tensor]:
    """``FV(t)``, with their types."""
    match t:
        case Form("x", (name,), obj):
            return {name: obj}
        case Form("λ", (xs, body)):
            bound = free(xs)
            return {name: obj for name, obj in free(body).items() if name not in bound}
        case Form(_, parts) | tuple(parts):
            return {name: obj for part in parts for name, obj in free(part).items()}
    return {}


def renamed(x: Form, *others: Any) -> Form:
    """``x`` by a name that nothing in the others has."""
    (name,), known = x.args, free(others)
    while name in known:
        name += "′"
    return Form("x", (name,), x.of)


def opened(f: Form, *others: Any) -> tuple[tuple[Form, ...], Any]:
    """The variables of a λ, by names that nothing in the others has, and its body."""
    xs, body = f.args
    new: tuple[Form, ...] = ()
    for x in xs:
        new = (*new, renamed(x, others, f, new))
    changed = {x.args[0]: y for x, y in zip(xs, new, strict=True) if x != y}
    return new, substituted(body, changed)


def mapped(f: Callable[[Any], Any], t: Any) -> Any:
    """``t`` with ``f`` of each part."""
    if isinstance(t, tuple):
        return tuple(map(f, t))
    return Form(t.kind, mapped(f, t.args), t.of) if isinstance(t, Form) else t


def substituted(t: Any, env: Mapping[str, Form]) -> Any:
    """``t[u/x, …]``; what would capture is renamed."""
    match t:
        case Form("x", (name,)):
            return env.get(name, t)
        case Form("λ"):
            env = {name: env[name] for name in free(t) if name in env}
            xs, body = opened(t, *env.values()) if env else t.args
            return lam(xs, substituted(body, env) if env else body)
    return mapped(partial(substituted, env=env), t)
