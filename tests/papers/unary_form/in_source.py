"""The terms of the house that Source holds (Fig. 2), written in it.

    a * b, of arrays    map2 (x, y. x * y) a b           np.sum a     reduce (x, y. x + y) 0 a
    sin a               map2 (x, y. sin x) a a           np.prod a    reduce (x, y. x * y) 1 a
    a[i]                reduce (x, y. x + y) 0 (map2 (x, y. x * y) a eᵢ)
    dc.map f a          map2 (x, y. f x) a a             dc.reduce    reduce;   dc.fold    foldl

A conditional is kept (7.2). What Source has no form for raises MissingRule, with its name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.objects import Bool, Product, Real
from combinators.operation import CONSTANT, Operation, Pointwise
from combinators.primitives.loops import LoopTerm, loop_of
from combinators.terms import (
    App,
    Cond,
    Const,
    Lam,
    Let,
    Prim,
    Proj,
    Term,
    Tuple,
    Var,
    const,
)
from combinators.type_folds import length_of, row_of
from papers.unary_form import languages as la

UNITS = {"sum": (la.ADD, const(0.0)), "prod": (la.MULTIPLY, la.ONE)}


def source(lam: Lam) -> tuple[la.Context, Term]:
    """``Γ ⊢ e`` of ``λΓ. e``."""
    return lam.params, written(la.distinct(lam).body)


def written(t: Term) -> Any:
    """``e``, in Source."""
    match t:
        case App(Lam(params, body), argument):
            return written(la.lets(la.taken(params, argument), body))
        case Prim(f, (Prim(g, (array,)),)) if (f.name, g.name) == ("reshape", "slice"):
            if t.type is Real and row_of(array.type) is Real:
                basis = np.eye(length_of(array.type))[g.keywords["start"][0]]
                chosen = by_rows(la.MULTIPLY, [written(array), const(basis)], array.type)
                return total("sum", chosen)
        case Prim(f, args) if isinstance(f.primitive.derivative, Pointwise) or f.name in la.LINEAR:
            return by_rows(f, [*map(written, args)], t.type)
        case Prim(f, (array,)) if f.name in UNITS and row_of(array.type) is Real:
            return total(f.name, written(array))
    compared = isinstance(t, Prim) and t.operation.primitive.derivative is CONSTANT
    kept = isinstance(t, Var | Const | Tuple) or (compared and t.type is Bool)
    kept = kept or (isinstance(t, Let) and t.bindings[0][0].type is not Bool)
    kept = kept or (isinstance(t, Cond) and t.type is Real)
    kept = kept or (isinstance(t, Proj) and isinstance(t.product.type, Product))
    if kept:
        return la.rebuilt(t, [*map(written, t.below())])
    loop = loop_of(t)
    made = of_loop(loop) if loop is not None else None
    if made is None:
        raise MissingRule(f"Source (000, Fig. 2) has no form for {t!r:.80}")
    return made


def total(name: str, array: Term) -> Term:
    """``reduce (x, y. x + y) 0 a``, and with ``*`` and 1."""
    f, unit = UNITS[name]
    return la.op(la.REDUCE, la.fun((Real, Real), lambda x, y: la.op(f, x, y)), unit, array)


def by_rows(f: Operation, args: list[Term], obj: Any) -> Term:
    """``e op2 e``; of arrays, by map2, in which a number is a variable of the context."""
    if obj is Real:
        return la.op(f, *args)
    numbers = [arg for arg in args if arg.type is Real]
    arrays = [arg for arg in args if arg.type is obj]
    if len(arrays) + len(numbers) < len(args) or len(args) > 2:
        raise MissingRule(
            f"Source (000, Fig. 2) has arrays of one length and one axis, not {obj!r}"
        )
    held = la.variables("s" * len(numbers), la.types_of(numbers), *args)

    def row(*rows: Term) -> Term:
        left, right = iter(held), iter(rows)
        return la.op(f, *(next(left if arg.type is Real else right) for arg in args))

    return la.lets([*zip(held, numbers, strict=True)], la.map2(row, arrays[0], arrays[-1]))


def of_loop(loop: LoopTerm) -> Term | None:
    """``map2``, ``reduce`` and ``foldl``, of rows of numbers."""
    lam, types, xs = loop.function, loop.types, written(loop.xs)
    pair = isinstance(xs.type, Product)
    arrays = [la.component_of(xs, i) for i in (0, 1)] if pair else [xs, xs]
    row = [row_of(array.type) for array in arrays]
    carry = types.carry or types.item
    if not isinstance(lam, Lam) or types.reverse or {*row, carry} != {Real}:
        return None
    if types.carry is not None and (types.item is not None or pair):
        return None
    a, b = la.variables("ab", (Real, Real), lam)
    given = Tuple((a, b)) if pair or types.carry is not None else a
    function = Lam((a, b), written(la.distinct(App(lam, given))))
    if loop.init is None:
        return la.op(la.MAP2, function, *arrays)
    which = la.REDUCE if types.is_associative else la.FOLDL
    return la.op(which, function, written(loop.init), xs)
