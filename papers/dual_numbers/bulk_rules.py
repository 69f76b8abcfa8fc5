"""The bulk-operation transform as it is printed: rules ``u ⇝ v`` (Figures 9, 10 and 11).

``rules`` gives each rule whose left side a term is, with its right side; ``steps`` does so anywhere
in a term, and ``normal_form`` goes on until no rule is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from papers.dual_numbers.core_language import (
    Form,
    form,
    free,
    names_of,
    renamed,
    shape,
    substituted,
    term,
    type_of,
    var,
)

Steps = Iterator[tuple[str, Form]]
Index = tuple[Form, ...]
SWAP = (1, 0)


def rules(t: Form) -> Steps:
    """Every rule whose left side is ``t``, by name, with its right side."""
    match t:
        case Form("build1", (k, i, body)):
            yield from of_build1(k, i, body)
        case Form("index", (head, ix)):
            yield from of_index(head, ix)


def of_build1(k: int, i: Form, body: Form) -> Steps:
    """Figures 9 and 11: ``build1`` is pushed down until it ends."""

    def build1(t: Form) -> Form:
        return form("build1", k, i, t)

    if body == i:
        yield "build1-itself", term(range(k))
    elif i.args[0] not in free(body):
        yield "build1-invariant", form("replicate", k, body)
    match body:
        case Form("let", (x, v, u)):
            x1 = Form("x", renamed(x, i).args, type_of(build1(v)))
            u1 = substituted(u, {x.args[0]: x1[i]})
            yield "build1-let", form("let", x1, build1(v), build1(u1))
        case Form("cond", (b, u, v)):
            chosen = form("[]", (u, v))[form("cond", b, term(0), term(1))]
            yield "build1-cond", build1(chosen)
        case Form("op", (name, *ts)):
            yield "build1-op", form("op", name, *map(build1, ts))
        case Form("sumOuter", (u,)):
            yield "build1-sumOuter", form("sumOuter", form("tr", SWAP, build1(u)))
        case Form("gather" | "scatter" as kind, (sh, u, names, ix)):
            j = renamed(i, names)
            moved = substituted(ix, {i.args[0]: j})
            yield f"build1-{kind}", form(kind, (k, *sh), build1(u), (j, *names), (j, *moved))
        case Form("[]", (ts,)):
            yield "build1-stack", form("tr", SWAP, form("[]", tuple(map(build1, ts))))
        case Form("replicate", (n, u)):
            yield "build1-replicate", form("tr", SWAP, form("replicate", n, build1(u)))
        case Form("tr", (axes, u)):
            yield "build1-tr", form("tr", (0, *(b + 1 for b in axes)), build1(u))
        case Form("reshape", (sh, u)):
            yield "build1-reshape", form("reshape", (k, *sh), build1(u))
        case Form("index", (Form("x" | "c" as kind) as x, ix)) if x != i:
            name = "build1-index-variable" if kind == "x" else "build1-index-constant"
            yield name, form("gather", (k, *shape(body)), x, (i,), ix)
        case Form("index", (Form("[]" | "scatter" as kind) as u, ix)) if ix:
            if kind == "scatter" or len(ix) == 1:
                name = "build1-index-stack" if kind == "[]" else "build1-index-scatter"
                yield name, form("gather", (k, *shape(body)), build1(u), (i,), (i, *ix))


def of_index(head: Form, ix: Index) -> Steps:
    """Figure 10: ``index`` is pushed down. One at ``[]`` has the first rule alone."""
    if not ix:
        yield "index-nothing", head
    match head if ix else None:
        case Form("index", (t, us)):
            yield "index-index", t[(*us, *ix)]
        case Form("let", (x, v, t)):
            y = renamed(x, ix)
            t = substituted(t, {x.args[0]: y})
            yield "index-let", form("let", y, v, t[ix])
        case Form("cond", (b, u, v)):
            scope = b, u, v
            yield "index-cond", named(ix, scope, lambda js: form("cond", b, u[js], v[js]))
        case Form("op", (name, t)):
            yield "index-op", form("op", name, t[ix])
        case Form("op", (name, t, u)):
            yield "index-op", named(ix, (t, u), lambda js: form("op", name, t[js], u[js]))
        case Form("sumOuter", (t,)):
            turned = form("tr", (*range(1, len(ix) + 1), 0), t)
            yield "index-sumOuter", form("sumOuter", turned[ix])
        case Form("[]", (ts,)) if len(ix) > 1:
            first, *rest = ix

            def stacked(js: Index) -> Form:
                return form("[]", tuple(t[js] for t in ts))[first]

            yield "index-stack", named(tuple(rest), (ts, first), stacked)
        case Form("replicate", (_, t)):
            yield "index-replicate", t[ix[1:]]
        case Form("tr", (axes, t)):
            js = variables(len(axes))
            yield "index-tr", form("gather", shape(head), t, tuple(js[b] for b in axes), js)[ix]
        case Form("reshape", (sh, t)):
            js = variables(len(sh))
            where = from_linear_index(shape(t), to_linear_index(sh, js))
            yield "index-reshape", form("gather", sh, t, js, where)[ix]
        case Form("gather", ((_, *sh), t, (i, *names), where)):

            def smaller(js: Index) -> Form:
                moved = substituted(where, dict(zip(names_of(i), js, strict=True)))
                return form("gather", tuple(sh), t, tuple(names), moved)[ix[1:]]

            yield "index-gather", named(ix[:1], (t, ix[1:], where, tuple(names)), smaller)
        case Form("gather", (_, t, (), where)):
            yield "index-gather-nothing", t[where][ix]


def named(ix: Index, scope: Any, body: Callable[[Index], Form]) -> Form:
    """``let i₁ = t₁ in … let iₙ = tₙ in body [i₁, …, iₙ]``; nothing in the scope is captured."""
    js = list[Form]()
    for n, _ in enumerate(ix):
        js.append(renamed(var(f"i{n + 1}", of=int), scope, ix, *js))
    return bound(zip(js, ix, strict=True), body(tuple(js)))


def bound(lets: Iterable[tuple[Form, Form]], t: Form) -> Form:
    """The term below its ``let``s."""
    for x, u in reversed(list(lets)):
        t = form("let", x, u, t)
    return t


def variables(n: int) -> Index:
    """Of a gather's own."""
    return tuple(var(f"i{m}", of=int) for m in range(n))


def to_linear_index(sh: tuple[int, ...], ix: Index) -> Form:
    """``toLinearIdx``."""
    linear = term(0)
    for k, i in zip(sh, ix, strict=True):
        linear = linear * k + i
    return linear


def from_linear_index(sh: tuple[int, ...], linear: Form) -> Index:
    """``fromLinearIdx``."""
    inner = [math.prod(sh[n + 1 :]) for n in range(len(sh))]
    divided = [form("op", "floor_divide", linear, term(size)) for size in inner]
    return tuple(form("op", "mod", i, term(k)) for i, k in zip(divided, sh, strict=True))


def steps(t: Any) -> Iterator[tuple[str, Any]]:
    """Every term that one rule makes of a term, at its root first and then inside."""
    if isinstance(t, Form):
        yield from rules(t)
        for name, args in steps(t.args):
            yield name, Form(t.kind, args, t.of)
    elif isinstance(t, tuple):
        for n, part in enumerate(t):
            for name, made in steps(part):
                yield name, (*t[:n], made, *t[n + 1 :])


def derivation(t: Form) -> Steps:
    """By the first rule each time, until none is left."""
    while (step := next(steps(t), None)) is not None:
        yield step
        t = step[1]


def normal_form(t: Form) -> Form:
    """``BOT[t]``."""
    for _, made in derivation(t):
        t = made
    return t
