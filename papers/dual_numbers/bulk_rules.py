"""The bulk-operation transform as it is printed: rules ``u ⇝ v`` (Figures 9, 10 and 11).

``rules`` gives each rule whose left side a term is, with its right side; ``steps`` does so anywhere
in a term, and ``normal_form`` goes on until no rule is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from typing import Any

from papers.dual_numbers.core_language import Form, form, free, lam, opened, substituted, term, var

Steps = Iterator[tuple[str, Any]]
Index = tuple[Form, ...]
ENDS = {"x": "variable", "c": "constant", "[]": "stack", "scatter": "scatter"}
"""Figure 11: ``build1`` of an index of these is a gather."""


def rules(t: Form) -> Steps:
    """Every rule whose left side is ``t``, by name, with its right side."""
    match t:
        case Form("build1", (k, f)):
            (i,), body = f.args
            yield from of_build1(k, i, body, lambda u: form("build1", k, lam(i, u)))
        case Form("index", (head, ())):
            yield "index-nothing", head
        case Form("index", (head, ix)):
            yield from of_index(head, ix)


def of_build1(k: int, i: Form, body: Form, build1: Callable[[Form], Form]) -> Steps:
    """Figures 9 and 11: ``build1`` is pushed down until it ends."""
    swapped = partial(form, "tr", (1, 0))
    if body == i:
        yield "build1-itself", term(range(k))
    elif i.args[0] not in free(body):
        yield "build1-invariant", form("replicate", k, body)
    match body:
        case Form("let", (v, f)):
            (x,), u = opened(f, i)
            x1 = Form("x", x.args, build1(v).type)
            u1 = substituted(u, {x.args[0]: x1[i]})
            yield "build1-let", form("let", build1(v), lam(x1, build1(u1)))
        case Form("cond", (b, u, v)):
            yield "build1-cond", build1(chosen(b, u, v))
        case Form("op", (name, *ts)):
            yield "build1-op", form("op", name, *map(build1, ts))
        case Form("sumOuter", (u,)):
            yield "build1-sumOuter", form("sumOuter", swapped(build1(u)))
        case Form("gather" | "scatter" as kind, (sh, u, f)):
            names, ix = opened(f, i)
            moved = lam((i, *names), (i, *ix))
            yield f"build1-{kind}", form(kind, (k, *sh), build1(u), moved)
        case Form("[]", (ts,)):
            yield "build1-stack", swapped(form("[]", tuple(map(build1, ts))))
        case Form("replicate", (n, u)):
            yield "build1-replicate", swapped(form("replicate", n, build1(u)))
        case Form("tr", (axes, u)):
            yield "build1-tr", form("tr", (0, *(b + 1 for b in axes)), build1(u))
        case Form("reshape", (sh, u)):
            yield "build1-reshape", form("reshape", (k, *sh), build1(u))
        case Form("index", (Form(kind) as u, (_, *more) as ix)) if kind in ENDS:
            if not (kind == "[]" and more):
                built, where = (u, ix) if kind in ("x", "c") else (build1(u), (i, *ix))
                yield (
                    f"build1-index-{ENDS[kind]}",
                    form("gather", (k, *body.shape), built, lam((i,), where)),
                )


def chosen(b: Form, u: Form, v: Form) -> Form:
    """``cond b u v`` as an index, both being computed."""
    return form("[]", (u, v))[form("cond", b, term(0), term(1))]


def of_index(head: Form, ix: Index) -> Steps:
    """Figure 10: ``index`` is pushed down."""
    match head:
        case Form("index", (t, us)):
            yield "index-index", t[(*us, *ix)]
        case Form("let", (v, f)):
            x, t = opened(f, ix)
            yield "index-let", form("let", v, lam(x, t[ix]))
        case Form("op", (name, t)):
            yield "index-op", form("op", name, t[ix])
        case Form("op" | "cond" as kind, (first, *ts)):
            yield (
                f"index-{kind}",
                named(ix, head, lambda js: form(kind, first, *(t[js] for t in ts))),
            )
        case Form("sumOuter", (t,)):
            turned = form("tr", (*range(1, len(ix) + 1), 0), t)
            yield "index-sumOuter", form("sumOuter", turned[ix])
        case Form("[]", (ts,)) if len(ix) > 1:
            stack = named(
                ix[1:], (head, ix), lambda js: form("[]", tuple(t[js] for t in ts))[ix[0]]
            )
            yield "index-stack", stack
        case Form("replicate", (_, t)):
            yield "index-replicate", t[ix[1:]]
        case Form("tr", (axes, t)):
            js = variables(len(axes))
            f = lam(tuple(js[b] for b in axes), js)
            yield "index-tr", form("gather", head.shape, t, f)[ix]
        case Form("reshape", (sh, t)):
            js = variables(len(sh))
            f = lam(js, relinearized(sh, js, t.shape))
            yield "index-reshape", form("gather", sh, t, f)[ix]
        case Form("gather", (_, t, Form(_, ((), where)))):
            yield "index-gather-nothing", t[where][ix]
        case Form("gather", ((_, *sh), t, f)):
            (i, *names), where = opened(f, t, ix)
            below = form("gather", tuple(sh), t, lam(tuple(names), where))[ix[1:]]
            yield "index-gather", bound([(i, ix[0])], below)


def named(ix: Index, scope: Any, body: Callable[[Index], Form]) -> Form:
    """``let i₁ = t₁ in … let iₙ = tₙ in body [i₁, …, iₙ]``; nothing in the scope is captured."""
    js, _ = opened(lam(variables(len(ix)), ()), scope, ix)
    return bound(zip(js, ix, strict=True), body(js))


def bound(lets: Iterable[tuple[Form, Form]], t: Form) -> Form:
    """The term below its ``let``s."""
    return reduce(lambda t, one: form("let", one[1], lam(one[0], t)), reversed([*lets]), t)


def variables(n: int) -> Index:
    """Of integers."""
    return tuple(var(f"i{m + 1}", of=int) for m in range(n))


def relinearized(sh: tuple[int, ...], ix: Index, to: tuple[int, ...]) -> Index:
    """``fromLinearIdx to (toLinearIdx sh ix)``."""
    linear = reduce(lambda linear, at: linear * at[0] + at[1], zip(sh, ix, strict=True), term(0))
    return tuple(linear // math.prod(to[n + 1 :]) % k for n, k in enumerate(to))


def steps(t: Any) -> Steps:
    """Every term that one rule makes of a term, at its root first and then inside."""
    if isinstance(t, Form):
        yield from rules(t)
        for name, args in steps(t.args):
            yield name, Form(t.kind, args, t.of)
    elif isinstance(t, tuple):
        for n, part in enumerate(t):
            for name, made in steps(part):
                yield name, (*t[:n], made, *t[n + 1 :])


def normal_form(t: Form) -> Form:
    """``BOT[t]``: by the first rule each time, until none is left."""
    while (step := next(steps(t), None)) is not None:
        t = step[1]
    return t
