"""Compile-time differentiation: value and Delta term apart, and a gradient that is a program.

Equation 6, Figures 17, 19, 20 and 21 of 003.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from combinators.kit.text import Names
from papers.dual_numbers.bulk_rules import bound, normal_form
from papers.dual_numbers.core_language import Form, form, free, substituted, term, type_of, var
from papers.dual_numbers.dual_arrays import D, inputs_of
from papers.dual_numbers.evaluators import Input, reverse_pass


@dataclass
class Separation:
    """``do let binds; ids ← genID; return (value, delta)``, as D[t] is run on terms (7.6)."""

    names: Names
    binds: list[tuple[Form, Form]] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)

    def bind(self, x: Form, t: Form) -> Form:
        """``let x = t``, but for a variable or a literal."""
        if t.kind in ("x", "c"):
            return t
        self.binds.append((Form("x", (self.names.fresh(*x.args),), x.of), t))
        return self.binds[-1][0]

    def run(self, t: Form, env: Mapping[str, Form]) -> Form:
        """What a do-block returns; its statements go before."""
        if t.kind == "return":
            result: Form = substituted(t.args[0], env)
            return result
        env = dict(env)
        for statement in t.args[0]:
            match statement:
                case Form("←", (Form("pair", (Form(_, (x,)) as left, Form(_, (d,)))), u)):
                    value, env[d] = self.run(u, env).args
                    env[x] = self.bind(left, value)
                case Form("←", (Form(_, (x,)) as left, u)):
                    given = self.run(u, env)
                    dual = given.kind == "pair"
                    value = self.bind(left, given.args[0] if dual else given)
                    env[x] = form("pair", value, given.args[1]) if dual else value
                case Form("let =", (Form(_, (x,)) as left, u)):
                    env[x] = self.bind(left, substituted(u, env))
                case Form("genID", (id,)):
                    self.ids.append(id)
        return self.run(t.args[1], env)


def separated(t: Form) -> tuple[Separation, Form]:
    """``D[t]``'s statements, and the pair of its value and its Delta term (Eq. 6)."""
    env = {name: Form("x", (name,), obj) for name, obj in free(t).items()}
    duals = {name: form("pair", env[name], Input(name)) for name in inputs_of(t)}
    run = Separation(Names(env))
    return run, run.run(D(t), env | duals)


def simplified(t: Form) -> Form:
    """``D[t]`` in the form of Equation 6."""
    run, result = separated(t)
    lets = [form("let =", x, u) for x, u in run.binds]
    return form("do", (*lets, *(form("genID", id) for id in run.ids)), form("return", result))


def transposed(c: Form, d: Form) -> list[tuple[Form, Form]]:
    """What a linear operation hands on of the cotangent ``c`` to what is below (Fig. 17)."""
    match d:
        case Form("LitArray", (ds,)):
            return [(c[n], d) for n, d in reversed(list(enumerate(ds)))]
        case Form("Index", (below, ix), sh):
            return [(form("oneHot", sh, ix, c), below)]
        case Form("SumOuter", (below,), sh):
            return [(form("replicate", sh[0], c), below)]
        case Form("Gather", (_, below, names, ix), sh):
            return [(form("scatter", sh, c, names, ix), below)]
        case Form("Scatter", (_, below, names, ix), sh):
            return [(form("gather", sh, c, names, ix), below)]
        case Form("Replicate", (_, below)):
            return [(form("sumOuter", c), below)]
        case Form("Transpose", (axes, below)):
            return [(form("tr", tuple(map(axes.index, range(len(axes)))), c), below)]
        case Form("Reshape", (_, below), sh):
            return [(form("reshape", sh, c), below)]
    return []


def symbolic_pass(c: Form, delta: Form) -> dict[str, Form]:
    """``reversePass``, whose cotangents are terms; one that goes several ways is in ``share``."""
    ids = count(1)

    def share(c: Form) -> Form:
        return form("share", next(ids), c)

    def linear(c: Form, d: Form) -> list[tuple[Form, Form]]:
        return transposed(share(c) if d.kind == "LitArray" else c, d)

    return reverse_pass(c, delta, share=share, linear=linear)


Shared = dict[int, tuple[Form, Form]]


def unshare(m: Shared, t: Any) -> tuple[Shared, Any]:
    """``t`` with a variable for each ``share``, and what the variables stand for (Fig. 20)."""
    match t:
        case Form("share", (i, u)):
            if i not in m:
                m, u = unshare(m, u)
                m = m | {i: (Form("x", (f"shared{i}",), type_of(u)), u)}
            return m, m[i][0]
        case Form(kind, args):
            m, args = unshare(m, args)
            return m, Form(kind, args, t.of)
        case tuple():
            parts = []
            for part in t:
                m, made = unshare(m, part)
                parts.append(made)
            return m, tuple(parts)
    return m, t


def share_to_let(t: Form) -> Form:
    """``shareToLet``: the lets stand in the order of the identifiers (``stackLets``)."""
    m, t = unshare({}, t)
    return bound([m[i] for i in sorted(m)], t)


def wrapper(t: Form) -> Form:
    """The program ``(t, gradient of t)`` of the variables and the cotangent ``c`` (Fig. 21)."""
    run, result = separated(normal_form(t))
    value, delta = result.args
    zero = {name: term(np.zeros(obj.shape)) for name, obj in inputs_of(t).items()}
    slopes = form("pair", *(zero | symbolic_pass(var("c"), delta)).values())
    return bound(run.binds, form("pair", value, share_to_let(slopes)))
