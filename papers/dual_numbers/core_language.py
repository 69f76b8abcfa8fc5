"""The core language, of arrays alone (Figures 7 and 8, section 3.3).

    s, t, u, v ::= c | x | let x = u in v | cond t u v | op u v | op t | index t ix | sumOuter t
                 | gather sh t (λis. ix) | scatter sh t (λis. ix) | [t₁, …, tₙ] | replicate k t
                 | tr_b t | reshape sh t | build1 k (λi. t)

Delta terms, do-blocks, ``oneHot`` and ``share`` are forms as well.

>>> a, i = var("a", 4), var("i", of=int)
>>> t = form("sumOuter", form("build1", 4, i, a[i] * a[3 - i]))
>>> t, type_of(t), evaluate(t, {"a": np.array([1.0, 2.0, 3.0, 4.0])})
(sumOuter (build1 4 (λi. (index a [i]) × (index a [3 - i]))), Real, np.float64(20.0))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.literal import Literal
from combinators.objects import Tensor

GRAMMAR = {
    "let": "let {0} = {1!s} in {2!s}",
    "gather": "gather {0} {1} (λ{2}. {3})",
    "scatter": "scatter {0} {1} (λ{2}. {3})",
    "build1": "build1 {0} (λ{1}. {2!s})",
    "←": "{0!s} ← {1!s}",
    "let =": "let {0} = {1!s}",
    "genID": "id{0} ← genID",
    "Share": "Share id{0} {1}",
    "Gather": "Gather {0} {1} (λ{2}. {3})",
    "Scatter": "Scatter {0} {1} (λ{2}. {3})",
}
"""How a form is written, if not as its kind and its arguments; one with ``!s`` stands bare."""
ATOMS = ("c", "x", "[]", "pair", "Zero")
BINDERS = {"let": (0, 2), "build1": (1, 2), "gather": (2, 3), "scatter": (2, 3)}
BINDERS |= {"Gather": (2, 3), "Scatter": (2, 3)}
"""Which argument is bound, and in which."""
INFIX = {"add": "+", "subtract": "-", "multiply": "×", "divide": "÷", "less": "<", "equal": "=="}
"""Operations have NumPy's names."""
Env = Mapping[str, Any]


def operator(name: str) -> Any:
    """``op t u``, or ``op t``."""
    return lambda *args: form("op", name, *map(term, args))


def reflected(operation: Any) -> Any:
    """With what stands on the left as the second argument."""
    return lambda u, t: operation(t, u)


@dataclass(frozen=True, repr=False)
class Form:
    """A term: its kind, and its arguments. A variable has its name, and is ``of`` a type."""

    kind: str
    args: tuple[Any, ...]
    of: Any = None

    def __repr__(self) -> str:
        """As the paper writes it."""
        args = [Written(arg) for arg in self.args]
        match self.kind:
            case "c" | "x" | "[]":
                return str(args[0])
            case "pair":
                return f"({', '.join(map(str, args))})"
            case "op" if len(args) == 3:
                return f"{args[1]} {INFIX.get(self.args[0], self.args[0])} {args[2]}"
            case "op":
                return f"{args[0]} {args[1]}"
            case "do":
                lines = "\n".join(map(str, (*self.args[0], self.args[1])))
                return "do " + lines.replace("\n", "\n   ")
        text = GRAMMAR.get(self.kind)
        return text.format(*args) if text else " ".join([self.kind, *map(format, args)])

    def __getitem__(self, ix: Any) -> Form:
        """``index t ix``."""
        return form("index", self, tuple(map(term, ix if isinstance(ix, tuple) else (ix,))))

    __add__, __sub__ = operator("add"), operator("subtract")
    __mul__, __truediv__, __neg__ = operator("multiply"), operator("divide"), operator("negative")
    __rsub__, __rtruediv__ = reflected(__sub__), reflected(__truediv__)


@dataclass(frozen=True)
class Written:
    """An argument; formatted, it is in parentheses where it is no atom."""

    part: Any

    def __str__(self) -> str:
        many = isinstance(self.part, tuple)
        return f"[{', '.join(str(Written(p)) for p in self.part)}]" if many else str(self.part)

    def __format__(self, _: str) -> str:
        bare = not isinstance(self.part, Form) or self.part.kind in ATOMS
        return str(self) if bare else f"({self!s})"


def form(kind: str, *args: Any) -> Form:
    """The term of these arguments."""
    return Form(kind, args)


def var(name: str, *shape: int, of: Any = float) -> Form:
    """A variable; ``i`` of the paper is ``var("i", of=int)``."""
    return Form("x", (name,), Tensor(shape, np.dtype(of)))


def term(value: Any) -> Form:
    """A term as it is, a value as a constant literal."""
    return value if isinstance(value, Form) else form("c", Literal(value))


def evaluate(t: Form, env: Env) -> Any:
    """What a term means where its variables have the values ``env``.

    An index out of range is taken to the nearest in range, since conditionals are strict (5.2).
    """

    def at(part: Form, names: Any = (), values: Any = ()) -> Any:
        return evaluate(part, {**env, **dict(zip(names_of(names), values, strict=True))})

    def place(array: Any, ix: tuple[Form, ...], names: Any = (), values: Any = ()) -> Any:
        each = [int(at(i, names, values)) for i in ix]
        return tuple(min(max(i, 0), n - 1) for i, n in zip(each, array.shape, strict=False))

    match t:
        case Form("c", (literal,)):
            return literal.array
        case Form("x", (name,)):
            return np.asarray(env[name])
        case Form("let", (x, u, v)):
            return at(v, x, (at(u),))
        case Form("cond", (b, u, v)):
            return np.where(at(b), at(u), at(v))
        case Form("op", (name, *args)):
            return getattr(np, name)(*map(at, args))
        case Form("index", (u, ix)):
            array = at(u)
            return array[place(array, ix)]
        case Form("sumOuter", (u,)):
            return at(u).sum(axis=0)
        case Form("gather", (sh, u, names, ix)):
            array, where = at(u), np.ndindex(*sh[: len(names)])
            return np.array([array[place(array, ix, names, n)] for n in where]).reshape(sh)
        case Form("scatter", (sh, u, names, ix)):
            array = at(u)
            made = np.zeros(sh, array.dtype)
            for n in np.ndindex(*array.shape[: len(names)]):
                made[place(made, ix, names, n)] += array[n]
            return made
        case Form("oneHot", (sh, ix, u)):
            return at(form("scatter", sh, u, (), ix))
        case Form("[]", (items,)):
            return np.stack([at(item) for item in items])
        case Form("replicate", (k, u)):
            return np.stack([at(u)] * k)
        case Form("tr", (axes, u)):
            array = at(u)
            return array.transpose(*axes, *range(len(axes), array.ndim))
        case Form("reshape", (sh, u)):
            return at(u).reshape(sh)
        case Form("build1", (k, i, u)):
            return np.stack([at(u, i, (n,)) for n in range(k)])
        case Form("share", (_, u)):
            return at(u)
        case Form("pair", parts):
            return tuple(map(at, parts))
    raise MissingRule(f"{t} is no term of the core language (003, Fig. 7)")


def type_of(t: Form) -> Tensor:
    """Its shape and what it is of, which no values of its variables change (Fig. 8)."""
    zeros = {name: np.zeros(obj.shape, obj.dtype) for name, obj in free(t).items()}
    with np.errstate(all="ignore"):
        array = np.asarray(evaluate(t, zeros))
    return Tensor(array.shape, array.dtype)


def shape(t: Form) -> tuple[int, ...]:
    """``shape t``."""
    return type_of(t).shape


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
            inside = free(args[scope])
            for name in names_of(args[at]):
                inside.pop(name, None)
            return free((*args[:at], *args[at + 1 : scope])) | inside
        case Form(_, parts) | tuple(parts):
            return {name: obj for part in parts for name, obj in free(part).items()}
    return {}


def renamed(x: Form, *others: Any) -> Form:
    """``x`` by a name that nothing in the others has."""
    (name,), taken = x.args, free(others)
    while name in taken:
        name += "′"
    return Form("x", (name,), x.of)


def substituted(t: Any, env: Mapping[str, Form]) -> Any:
    """``t[u/x, …]``; what would capture is renamed."""
    match t:
        case Form("x", (name,)):
            return env.get(name, t)
        case Form("fst", (Form("x", (name,)),)) if name in env:
            return env[name].args[0] if env[name].kind == "pair" else env[name]
        case Form(kind, args) if kind in BINDERS:
            at, scope = BINDERS[kind]
            bound, many = args[at], isinstance(args[at], tuple)
            inside = free(args[scope]).keys() - set(names_of(bound))
            inner = {name: u for name, u in env.items() if name in inside}
            given = tuple(inner.values())
            new = tuple(renamed(x, given, t) for x in (bound if many else (bound,)))
            made = [substituted(arg, env) for arg in args]
            made[at] = new if many else new[0]
            names = dict(zip(names_of(bound), new, strict=True))
            made[scope] = substituted(args[scope], inner | names)
            return Form(kind, tuple(made), t.of)
        case Form(kind, args):
            return Form(kind, substituted(args, env), t.of)
        case tuple():
            return tuple(substituted(part, env) for part in t)
    return t
