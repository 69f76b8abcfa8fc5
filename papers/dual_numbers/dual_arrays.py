"""Dual arrays: D and D′ on terms, and a gradient that is a program (Figures 12 to 15, 17 to 21).

x₁ : τ₁, …, xₙ : τₙ ⊢ t : τ   ⇝   x₁ : D[τ₁], …, xₙ : D[τₙ] ⊢ D[t] : IdGen D[τ]
D[Array sh ℝ] = (Array sh ℝ, Delta sh)      D[Array sh Int] = Array sh Int

IdGen is a monad of state, for which Python has its own. So ``D`` gives what the laws of the monad
make of the paper's nested do-blocks: value and Delta term are apart (Eq. 6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import MissingRule
from combinators.kit.text import Names
from papers.dual_numbers.bulk_rules import bound, chosen, normal_form
from papers.dual_numbers.core_language import (
    Form,
    form,
    free,
    mapped,
    renamed,
    substituted,
    term,
    var,
)
from papers.dual_numbers.scalars import PARTIALS, ZERO, Input, Share, handed, moved, reverse_pass

Gamma = Mapping[str, tuple[Form, Form]]
DELTAS = {kind: kind[0].upper() + kind[1:] for kind in ("index", "sumOuter", "gather", "scatter")}
DELTAS |= {"replicate": "Replicate", "tr": "Transpose", "reshape": "Reshape"}
"""What is linear in its first term has a Delta constructor (Fig. 12), ``of`` that one's shape."""


class Separated(NamedTuple):
    """``do let binds; ids ← genID; return (value, delta)`` (Eq. 6)."""

    binds: list[tuple[Form, Form]]
    ids: int
    value: Form
    delta: Form

    def __repr__(self) -> str:
        lets = [f"let {x!s} = {u!s}" for x, u in self.binds]
        ids = [f"id{n + 1} ← genID" for n in range(self.ids)]
        return "do " + "\n   ".join([*lets, *ids, f"return {form('pair', *self[2:])}"])


def primal(t: Any, gamma: Gamma) -> Any:
    """``D′_Γ[t]``: the first half of a dual variable (Fig. 13)."""
    return substituted(t, {name: x for name, (x, _) in gamma.items()})


def inputs_of(t: Any) -> dict[str, Any]:
    """The free variables that are real."""
    return {name: obj for name, obj in sorted(free(t).items()) if obj.is_smooth}


def D(t: Form, *others: Form) -> Separated:
    """``D[t]``, of the variables of ``t``; what it names is not in the others (Fig. 14 and 15)."""
    names, binds, ids = Names(free((t, others))), list[tuple[Form, Form]](), count(1)

    def let(wish: str, t: Any) -> Any:
        """A variable for ``t``; an atom stands for itself, and a number."""
        if not isinstance(t, Form) or t.kind in ("x", "c"):
            return t
        binds.append((Form("x", (names.fresh(wish),), t.type), t))
        return binds[-1][0]

    def D(t: Form, gamma: Gamma, wish: str = "x") -> tuple[Form, Form]:
        match t:
            case Form("x", (name,)) if name in gamma:
                return gamma[name]
            case Form("let", (u, Form(_, ((x,), v)))):
                return D(v, {**gamma, x.args[0]: D(u, gamma, *x.args)}, wish)
            case Form("c"):
                return t, ZERO
            case _ if not t.type.is_smooth:
                return let(wish, primal(t, gamma)), ZERO
            case Form("cond", (b, u, v)):
                return D(chosen(b, u, v), gamma, wish)
            case Form("op", (name, *ts)) if name in PARTIALS:
                xs, ds = zip(*[D(t, gamma) for t in ts], strict=True)
                delta = moved(name, xs, ds, partial(let, "p"))
                return let(wish, form("op", name, *xs)), Share(next(ids), delta)
            case Form("[]", (ts,)):
                xs, ds = zip(*[D(t, gamma) for t in ts], strict=True)
                return let(wish, form("[]", xs)), Share(next(ids), form("LitArray", ds))
            case Form(kind, args) if kind in DELTAS:
                at = next(n for n, part in enumerate(args) if isinstance(part, Form))
                (x, d), first, last = D(args[at], gamma), args[:at], primal(args[at + 1 :], gamma)
                if kind == "index":
                    last = (tuple(let("i", i) for i in last[0]),)
                delta = Form(DELTAS[kind], (*first, d, *last), x.shape)
                return let(wish, form(kind, *first, x, *last)), Share(next(ids), delta)
        raise MissingRule(f"Fig. 14 of 003 has no rule for {t!s}; build1 is taken away before")

    inputs = inputs_of(t).items()
    result = D(t, {name: (Form("x", (name,), obj), Input(name)) for name, obj in inputs})
    return Separated(binds, next(ids) - 1, *result)


TRANSPOSED: dict[str, Callable[..., Form]] = {
    "Index": lambda c, sh, d, ix: form("oneHot", sh, ix, c),
    "SumOuter": lambda c, sh, d: form("replicate", sh[0], c),
    "Gather": lambda c, sh, _, d, f: form("scatter", sh, c, f),
    "Scatter": lambda c, sh, _, d, f: form("gather", sh, c, f),
    "Replicate": lambda c, sh, _, d: form("sumOuter", c),
    "Transpose": lambda c, sh, b, d: form("tr", tuple(map(b.index, range(len(b)))), c),
    "Reshape": lambda c, sh, _, d: form("reshape", sh, c),
}
"""What a linear operation hands on of the cotangent ``c`` to its array, of a shape (Fig. 17)."""


def symbolic_pass(c: Form, delta: Form) -> dict[str, Form]:
    """``reversePass``, on terms; a cotangent that goes several ways is in ``share`` (Fig. 19)."""
    ids = count(1)

    def linear(c: Form, d: Form) -> Any:
        if d.kind in TRANSPOSED:
            below = next(part for part in d.args if isinstance(part, Form))
            return [(TRANSPOSED[d.kind](c, d.of, *d.args), below)]
        return handed(form("share", next(ids), c) if d.kind in ("Add", "LitArray") else c, d)

    return reverse_pass(c, delta, handed=linear)


Shared = dict[int, tuple[Form, Form]]


def unshare(m: Shared, t: Any, whole: Any = None) -> Any:
    """``t`` with a variable for each ``share``, which ``m`` says what it stands for (Fig. 20)."""
    below = partial(unshare, m, whole=whole or t)
    if not isinstance(t, Form) or t.kind != "share":
        return mapped(below, t)
    i, u = t.args
    if i not in m:
        m[i] = renamed(var(f"shared{i}", *u.shape), whole or t), below(u)
    return m[i][0]


def share_to_let(t: Form) -> Form:
    """``shareToLet``: the lets stand in the order of the identifiers (``stackLets``)."""
    m = Shared()
    t = unshare(m, t)
    return bound([m[i] for i in sorted(m)], t)


def wrapper(t: Form) -> Form:
    """The program ``(t, gradient of t)`` of the variables and the cotangent ``c`` (Fig. 21)."""
    c = renamed(var("c", *t.shape), t)
    binds, _, value, delta = D(normal_form(t), t, c)
    zero = {name: term(np.zeros(obj.shape)) for name, obj in inputs_of(t).items()}
    slopes = form("pair", *(zero | symbolic_pass(c, delta)).values())
    return bound(binds, form("pair", value, share_to_let(slopes)))
