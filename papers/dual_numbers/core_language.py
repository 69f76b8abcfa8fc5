"""The core language, of arrays alone (Figures 7 and 8, section 3.3).

    s, t, u, v ::= c | x | let x = u in v | cond t u v | op u v | op t | index t ix | sumOuter t
                 | gather sh t (λis. ix) | scatter sh t (λis. ix) | [t₁, …, tₙ] | replicate k t
                 | tr_b t | reshape sh t | build1 k (λi. t)

Delta terms, ``oneHot`` and ``share`` are forms as well. Operations have NumPy's names.

>>> a, i = var("a", 4), var("i", of=int)
>>> t = form("sumOuter", form("build1", 4, i, a[i] * a[3 - i]))
>>> t, t.type, evaluate(t, {"a": np.array([1.0, 2.0, 3.0, 4.0])})
(sumOuter (build1 4 (λi. (index a [i]) × (index a [3 - i]))), Real, np.float64(20.0))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from combinators.errors import MissingRule
from combinators.literal import Literal
from combinators.objects import Tensor

BINDERS = {"let": (0, 2), "build1": (1, 2), "gather": (2, 3), "scatter": (2, 3)}
BINDERS |= {"Gather": (2, 3), "Scatter": (2, 3)}
"""Which argument is bound, and in which."""
ATOMS = ("c", "x", "[]", "pair", "Zero")
WRITTEN = {
    **dict.fromkeys(("c", "x", "[]"), "{0!s}"),
    "let": "let {0!s} = {1!s} in {2!s}",
    "build1": "build1 {0} (λ{1!s}. {2!s})",
    "Share": "Share id{0} {1}",
    **{kind: kind + " {0} {1} (λ{2}. {3})" for kind in BINDERS if BINDERS[kind] == (2, 3)},
}
"""How a form is written, if not as its kind and its arguments; one with ``!s`` stands bare."""
INFIX = {"add": "+", "subtract": "-", "multiply": "×", "divide": "÷", "less": "<", "equal": "=="}
INFIX |= {"remainder": "mod", "floor_divide": "div"}


@dataclass(frozen=True, repr=False)
class Form(NDArrayOperatorsMixin):
    """A term: its kind, and its arguments. A variable has its name, and is ``of`` a type."""

    kind: str
    args: tuple[Any, ...]
    of: Any = None

    def __array_ufunc__(self, operation: Any, method: str, *args: Any) -> Form:
        """``op t u``, or ``op t``."""
        return form("op", operation.__name__, *map(term, args))

    def __getitem__(self, ix: Any) -> Form:
        """``index t ix``."""
        return form("index", self, tuple(map(term, ix if isinstance(ix, tuple) else (ix,))))

    @cached_property
    def type(self) -> Tensor:
        """Its shape and what it is of, which no values of its variables change (Fig. 8)."""
        zeros = {name: np.zeros(obj.shape, obj.dtype) for name, obj in free(self).items()}
        with np.errstate(all="ignore"):
            array = np.asarray(evaluate(self, zeros))
        return Tensor(array.shape, array.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """``shape t``."""
        return self.type.shape

    def __repr__(self) -> str:
        """As the paper writes it."""
        args = [[*arg] if isinstance(arg, tuple) else arg for arg in self.args]
        if self.kind == "pair":
            return f"({', '.join(map(str, args))})"
        if self.kind == "op":
            name, *ts = self.args
            sign = f" {INFIX.get(name, name)} "
            return sign.join(map(format, ts)) if len(ts) == 2 else f"{name} {ts[0]}"
        usual = " ".join([self.kind, *["{}"] * len(args)])
        return WRITTEN.get(self.kind, usual).format(*args)

    def __format__(self, _: str) -> str:
        """In parentheses, if it is no atom."""
        return str(self) if self.kind in ATOMS else f"({self!s})"


def form(kind: str, *args: Any) -> Form:
    """The term of these arguments."""
    return Form(kind, args)


def var(name: str, *shape: int, of: Any = float) -> Form:
    """A variable; ``i`` of the paper is ``var("i", of=int)``."""
    return Form("x", (name,), Tensor(shape, np.dtype(of)))


def term(value: Any) -> Form:
    """A term as it is, a value as a constant literal."""
    return value if isinstance(value, Form) else form("c", Literal(value))


def place(array: Any, ix: Any) -> tuple[int, ...]:
    """An index; one that is out of range is the nearest in range: conditionals are strict (5.2)."""
    return tuple(min(max(int(i), 0), n - 1) for i, n in zip(ix, array.shape, strict=False))


def gathered(at: Any, sh: Any, t: Form, names: Any, ix: Any) -> Any:
    """``[index t ix, …]``, for each value of the names."""
    array, every = at(t), np.ndindex(*sh[: len(names)])
    return np.array([array[place(array, at(ix, names, n))] for n in every]).reshape(sh)


def scattered(at: Any, sh: Any, t: Form, names: Any, ix: Any) -> Any:
    """What is sent to one place is added."""
    array = np.asarray(at(t))
    made = np.zeros(sh, array.dtype)
    for n in np.ndindex(*array.shape[: len(names)]):
        made[place(made, at(ix, names, n))] += array[n]
    return made


MEANING: dict[str, Callable[..., Any]] = {
    "c": lambda at, c: c.array,
    "let": lambda at, x, u, v: at(v, x, (at(u),)),
    "cond": lambda at, b, u, v: np.where(at(b), at(u), at(v)),
    "op": lambda at, name, *ts: getattr(np, name)(*at(ts)),
    "index": lambda at, t, ix: (array := at(t))[place(array, at(ix))],
    "sumOuter": lambda at, t: at(t).sum(axis=0),
    "gather": gathered,
    "scatter": scattered,
    "oneHot": lambda at, sh, ix, t: scattered(at, sh, t, (), ix),
    "[]": lambda at, ts: np.stack(at(ts)),
    "replicate": lambda at, k, t: np.stack([at(t)] * k),
    "tr": lambda at, axes, t: np.moveaxis(at(t), axes, range(len(axes))),
    "reshape": lambda at, sh, t: at(t).reshape(sh),
    "build1": lambda at, k, i, t: np.stack([at(t, i, (n,)) for n in range(k)]),
    "share": lambda at, _, t: at(t),
    "pair": lambda at, *ts: at(ts),
}
"""What each form means, given the meanings ``at`` of its parts."""


def evaluate(t: Any, env: Mapping[str, Any]) -> Any:
    """What a term, or each of a list, means where its variables have the values ``env``."""

    def at(part: Any, names: Any = (), values: Any = ()) -> Any:
        return evaluate(part, {**env, **dict(zip(names_of(names), values, strict=True))})

    if isinstance(t, tuple):
        return tuple(map(at, t))
    if t.kind == "x":
        return np.asarray(env[t.args[0]])
    if t.kind not in MEANING:
        raise MissingRule(f"{t!s} is no term of the core language (003, Fig. 7)")
    return MEANING[t.kind](at, *t.args)


def names_of(xs: Any) -> tuple[str, ...]:
    """Of what is bound: a variable, or a list of them."""
    return tuple(x.args[0] for x in (xs if isinstance(xs, tuple) else (xs,)))


def free(t: Any) -> dict[str, Tensor]:
    """``FV(t)``, with their types."""
    match t:
        case Form("x", (name,), obj):
            return {name: obj}
        case Form(kind, args) if kind in BINDERS:
            at, scope = BINDERS[kind]
            within = free(args[scope]).items()
            rest, bound = free((*args[:at], *args[at + 1 : scope])), names_of(args[at])
            return rest | {name: obj for name, obj in within if name not in bound}
        case Form(_, parts) | tuple(parts):
            return {name: obj for part in parts for name, obj in free(part).items()}
    return {}


def renamed(x: Form, *others: Any) -> Form:
    """``x`` by a name that nothing in the others has."""
    (name,), taken = x.args, free(others)
    while name in taken:
        name += "′"
    return Form("x", (name,), x.of)


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
        case Form(kind, args) if kind in BINDERS:
            at, scope = BINDERS[kind]
            bound, names = args[at], names_of(args[at])
            inner = {x: env[x] for x in free(args[scope]) if x in env and x not in names}
            new = mapped(
                lambda x: renamed(x, tuple(inner.values()), t),
                bound if isinstance(bound, tuple) else (bound,),
            )
            inner |= dict(zip(names, new, strict=True))
            made = {at: new if isinstance(bound, tuple) else new[0]}
            made[scope] = substituted(args[scope], inner)
            parts = [made.get(n) or substituted(arg, env) for n, arg in enumerate(args)]
            return Form(kind, tuple(parts), t.of)
    return mapped(lambda part: substituted(part, env), t)
