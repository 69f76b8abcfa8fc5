"""Source and Target step by step, call by value (Figs. 14 and 15).

    op1 c ⇝ op1(c)      let x = v in e ⇝ e[v/x]      (fun (x₁, …) → e)(v₁, …) ⇝ e[v₁/x₁, …]
    πᵢ ⟨v₁, v₂⟩ ⇝ vᵢ    shift1L [v₁, …, vₙ₊₁] ⇝ [v₂, …, vₙ₊₁]      if true then e₁ else e₂ ⇝ e₁
    reduce (x, y. e) v [] ⇝ v,    reduce (x, y. e) v [v₁, …] ⇝ reduce (x, y. e) e[v/x, v₁/y] [v₂, …]
    scanl (x, y. e) v [v₁, …] ⇝ v :: scanl (x, y. e) e[v/x, v₁/y] [v₂, …]
    scanr (x, y. e) v [v₁, …, vₙ] ⇝ scanr (x, y. e) e[v/x, vₙ/y] [v₁, …, vₙ₋₁] :: v
    map2 (x, y. e) [v₁₁, …] [v₂₁, …] ⇝ [e[v₁₁/x, v₂₁/y], …]

Of scanr the figure goes on with a scanl, from the left; what it means is said in section 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from combinators.objects import Object, Tensor
from combinators.operation import declare, free
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, const, pack
from interpreters.carriers.numpy import NumPy
from papers.unary_form import languages as la
from papers.unary_form.partial_evaluation import conditionals, strict_parts, tuples, with_part


def _joined(*parts: Object) -> Object:
    return Tensor((sum(part.size for part in parts if isinstance(part, Tensor)),))


ARRAY = declare("[…]", _joined, None, public=False, cost=free).plain
"""``[e₁, …, eₙ]``, and ``v :: e``: numbers and arrays, one after the other."""


def is_value(t: Term) -> bool:
    """``v ::= c | ⟨v, v⟩ | true | false | fun … | [v, …, v]``."""
    return isinstance(t, Const | Lam) or (isinstance(t, Tuple) and all(map(is_value, t.items)))


def step(t: Term) -> Any:
    """One step: ``E[e] ⇝ E[e']``, of what is computed first (Fig. 14)."""
    for i, part in enumerate(strict_parts(t)):
        if not is_value(part):
            return with_part(t, i, step(part))
    return redex(t)


def redex(t: Term) -> Any:
    """A line of Fig. 15."""
    match t:
        case Let(((x, v),), e):
            return called(Lam((x,), e), v)
        case Proj() | Cond():
            return tuples(t) or conditionals(t)
        case App(Lam() as e1, v):
            return called(e1, v)
        case Prim(f, (Lam() as e1, a, b)) if f == la.MAP2:
            pairs = zip(numbers(a), numbers(b), strict=True)
            return la.op(ARRAY, *(called(e1, *pair) for pair in pairs))
        case Prim(f, (Lam() as e1, v, a)):
            keeps, rows = f in (la.SCANL, la.SCANR), numbers(a)
            if not rows:
                return la.op(ARRAY, v) if keeps else v
            first = rows.pop(-1 if f == la.SCANR else 0)
            others = np.array([row.literal.array for row in rows])
            more = la.op(f, e1, called(e1, v, first), const(others))
            return la.op(ARRAY, *((more, v) if f == la.SCANR else (v, more))) if keeps else more
        case Prim(f, args) if f == ARRAY:
            return const(np.array([x.literal.array for arg in args for x in numbers(arg)]))
        case Prim():
            return const(la.meaning((), t, NumPy())())
    raise AssertionError(f"{t!r} is stuck")


def called(e1: Lam, *values: Term) -> Any:
    """``e[v₁/x, v₂/y]``."""
    return la.replaced(e1.body, {x.name: v for x, v in la.taken(e1.params, pack(values))})


def numbers(v: Term) -> list[Const]:
    """``v₁, …, vₙ`` of an array, or of a number."""
    assert isinstance(v, Const)
    return [const(float(x)) for x in np.ravel(v.literal.array)]


def steps(t: Term) -> Iterator[Term]:
    """All terms on the way to a value."""
    while not is_value(t):
        t = step(t)
        yield t
