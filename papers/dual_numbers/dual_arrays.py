"""Dual arrays: D and D′ on terms (Figures 12 to 15).

x₁ : τ₁, …, xₙ : τₙ ⊢ t : τ   ⇝   x₁ : D[τ₁], …, xₙ : D[τₙ] ⊢ D[t] : IdGen D[τ]
D[Array sh ℝ] = (Array sh ℝ, Delta sh)      D[Array sh Int] = Array sh Int
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from typing import Any

from combinators.errors import MissingRule
from combinators.kit.text import Names
from papers.dual_numbers.core_language import Form, form, free, shape, substituted, term, type_of
from papers.dual_numbers.evaluators import ZERO, Add, Scale, Share

LINEAR = ("index", "sumOuter", "gather", "scatter", "replicate", "tr", "reshape")
"""Each has a Delta constructor of its name (Fig. 12), which is ``of`` the shape of its array."""
PARTIALS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "add": lambda x, y: (None, None),
    "subtract": lambda x, y: (None, term(-1.0)),
    "multiply": lambda x, y: (y, x),
    "divide": lambda x, y: (1.0 / y, -x / (y * y)),
    "negative": lambda x: (term(-1.0),),
    "sin": lambda x: (form("op", "cos", x),),
    "cos": lambda x: (-form("op", "sin", x),),
    "exp": lambda x: (form("op", "exp", x),),
    "log": lambda x: (1.0 / x,),
}
"""What ``Scale`` scales by (Fig. 15), None where by nothing. A number stands for an array of it."""


def primal(t: Any) -> Any:
    """``D′_Γ[t]``: ``fst`` of a dual variable. It is free in ``t``, and what is in Γ is not."""
    real = {name: Form("x", (name,), obj) for name, obj in inputs_of(t).items()}
    return substituted(t, {name: form("fst", x) for name, x in real.items()})


def inputs_of(t: Any) -> dict[str, Any]:
    """The free variables that are real."""
    return {name: obj for name, obj in sorted(free(t).items()) if obj.is_smooth}


def D(t: Form) -> Form:
    """``D[t]``, a do-block of the dual variables that are those of ``t`` (Fig. 14 and 15)."""
    return Differentiation(Names(re.findall(r"\w+", f"{t}"))).D(t)


@dataclass
class Differentiation:
    """``D[-]``, with names and identifiers that are used once."""

    names: Names
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    def D(self, t: Form) -> Form:
        """The rules; those of linear operations are one."""
        match t:
            case Form("x"):
                return form("return", t)
            case Form("let", (x, u, v)):
                return form("do", (form("←", x, self.D(u)),), self.D(v))
            case _ if not type_of(t).is_smooth:
                return form("return", primal(t))
            case Form("c"):
                return form("return", form("pair", t, ZERO))
            case Form("op", (name, *ts)):
                return self.shared(ts, lambda xs: form("op", name, *xs), None, PARTIALS[name])
            case Form("[]", (ts,)):
                return self.shared(ts, lambda xs: form("[]", xs), lambda ds: form("LitArray", ds))
            case Form("cond", (b, u, v)):
                which = (form("cond", primal(b), term(0), term(1)),)
                return self.shared(
                    (u, v),
                    lambda xs: form("cond", primal(b), *xs),
                    lambda ds: Form("Index", (form("LitArray", ds), which), (2, *shape(t))),
                )
            case Form(kind, args) if kind in LINEAR:
                at = 0 if kind in ("index", "sumOuter") else 1
                before, u, after = primal(args[:at]), args[at], primal(args[at:][1:])
                delta = "Transpose" if kind == "tr" else kind[0].upper() + kind[1:]
                lets = list[Form]()
                if kind == "index":
                    lets = [form("let =", self.var("i", term(0)), i) for i in after[0]]
                    after = (tuple(line.args[0] for line in lets),)
                return self.shared(
                    (u,),
                    lambda xs: form(kind, *before, *xs, *after),
                    lambda ds: Form(delta, (*before, *ds, *after), shape(u)),
                    lets=lets,
                )
        raise MissingRule(f"Fig. 14 of 003 has no rule for {t}; build1 is taken away before")

    def shared(
        self, ts: Sequence[Form], value: Any, delta: Any, partials: Any = None, lets: Any = ()
    ) -> Form:
        """``do (x₁, d₁) ← D[t₁]; …; id ← genID; return (value, Share id delta)``."""
        xs, ds = (tuple(self.var(wish, t) for t in ts) for wish in "xd")
        pairs = [form("pair", x, d) for x, d in zip(xs, ds, strict=True)]
        lines = [form("←", pair, self.D(t)) for pair, t in zip(pairs, ts, strict=True)]
        id, scaled = next(self.ids), list[Form]()
        for p, d in zip(partials(*xs) if partials else (), ds, strict=False):
            factor = p if p is None or p.kind in ("x", "c") else self.var("p", p)
            lines += [] if factor is p else [form("let =", factor, p)]
            scaled.append(d if p is None else Scale(factor, d))
        whole = Share(id, reduce(Add, scaled) if partials else delta(ds))
        return form(
            "do", (*lines, *lets, form("genID", id)), form("return", form("pair", value(xs), whole))
        )

    def var(self, wish: str, like: Form) -> Form:
        """A new variable."""
        return Form("x", (self.names.fresh(wish),), type_of(like))
