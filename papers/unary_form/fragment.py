"""The terms of the house that Source holds (Fig. 2), written in it.

    a * b, of arrays    map2 (x, y. x * y) a b           np.sum a     reduce (x, y. x + y) 0 a
    sin a               map2 (x, y. sin x) a a           np.prod a    reduce (x, y. x * y) 1 a
    a[i]                reduce (x, y. x + y) 0 (map2 (x, y. x * y) a eᵢ)
    dc.map f a          map2 (x, y. f x) a a             dc.reduce    reduce;   dc.fold    foldl

A conditional is kept (7.2). What Source has no form for raises MissingRule, with its name.
"""

from __future__ import annotations

import numpy as np

from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.objects import Bool, Object, Product, Real
from combinators.operation import CONSTANT, Operation, Pointwise
from combinators.primitives.loops import LoopTerm, loop_of
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, const
from combinators.type_folds import length_of, row_of
from papers.unary_form.languages import (
    ADD,
    FOLDL,
    MAP2,
    MULTIPLY,
    ONE,
    REDUCE,
    Context,
    component_of,
    distinct,
    fun,
    let,
    lets,
    names_of,
    op,
)

LINEAR = ("add", "subtract", "negative")
UNITS = {"sum": (ADD, const(0.0)), "prod": (MULTIPLY, ONE)}


def source(lam: Lam) -> tuple[Context, Term]:
    """``Γ ⊢ e`` of ``λΓ. e``."""
    names = names_of(lam)
    return lam.params, written(names, distinct(lam.body, names))


def written(names: Names, t: Term) -> Term:
    """``e``, in Source."""
    match t:
        case Var() | Const():
            return t
        case Let(((x, bound),), body) if x.type is not Bool:
            return let(x, written(names, bound), written(names, body))
        case App(Lam(params, body), argument):
            return written(names, lets(taken(params, argument), body))
        case Cond(Prim(f, args) as test, then, other) if (
            f.primitive.derivative is CONSTANT and t.type is Real
        ):
            compared = test.with_parts(tuple(written(names, arg) for arg in args))
            return Cond(compared, written(names, then), written(names, other))
        case Prim(f, (Prim(g, (array,)),)) if (f.name, g.name, t.type) == (
            "reshape",
            "slice",
            Real,
        ) and row_of(array.type) is Real:
            basis = np.zeros(length_of(array.type))
            basis[g.keywords["start"]] = 1.0
            joining = fun(names, (Real, Real), lambda x, y: op(ADD, x, y), "ab")
            chosen = by_rows(names, MULTIPLY, [written(names, array), const(basis)], array.type)
            return op(REDUCE, joining, const(0.0), chosen)
        case Tuple() | Proj(_, Term(type=Product())):
            made: Term = t.with_parts(tuple(written(names, part) for part in t.below()))
            return made
        case Prim(f, args) if isinstance(f.primitive.derivative, Pointwise) or f.name in LINEAR:
            return by_rows(names, f, [written(names, arg) for arg in args], t.type)
        case Prim(f, (array,)) if f.name in UNITS and row_of(array.type) is Real:
            of, unit = UNITS[f.name]
            joining = fun(names, (Real, Real), lambda x, y: op(of, x, y), "ab")
            return op(REDUCE, joining, unit, written(names, array))
    loop = loop_of(t)
    if loop is not None:
        return of_loop(names, loop)
    raise MissingRule(f"Source (000, Fig. 2) has no form for {t!r:.80}")


def taken(params: Context, argument: Term) -> list[tuple[Var, Term]]:
    """The parameters of a λ, bound to its argument or to parts of it."""
    if len(params) == 1:
        return [(params[0], argument)]
    return [(x, component_of(argument, i)) for i, x in enumerate(params)]


def by_rows(names: Names, f: Operation, args: list[Term], obj: Object) -> Term:
    """``e op2 e``; of arrays, by map2, in which a number is a variable of the context."""
    if obj is Real:
        return op(f, *args)
    held = [Var(names.fresh("s"), Real) if arg.type is Real else None for arg in args]
    arrays = [arg for arg in args if arg.type is obj]
    if len(arrays) + sum(x is not None for x in held) < len(args) or len(args) > 2:
        raise MissingRule(
            f"Source (000, Fig. 2) has arrays of one length and one axis, not {obj!r}"
        )

    def row(x: Term, y: Term) -> Term:
        rows = iter((x, y))
        return op(f, *(s or next(rows) for s in held))

    bound = [(s, arg) for s, arg in zip(held, args, strict=True) if s is not None]
    return lets(bound, op(MAP2, fun(names, (Real, Real), row, "ab"), arrays[0], arrays[-1]))


def of_loop(names: Names, loop: LoopTerm) -> Term:
    """``map2``, ``reduce`` and ``foldl``, of rows of numbers."""
    lam, types, xs = loop.function, loop.types, written(names, loop.xs)
    arrays = [component_of(xs, i) for i in (0, 1)] if isinstance(xs.type, Product) else [xs, xs]
    numbers = all(row_of(array.type) is Real for array in arrays)
    carries = types.carry is not None
    if (
        not isinstance(lam, Lam)
        or not numbers
        or types.reverse
        or (types.item if not carries else types.carry) is not Real
        or (carries and (types.item is not None or isinstance(xs.type, Product)))
    ):
        raise MissingRule(f"Source (000, Fig. 2) has no form for {loop.term!r:.80}")

    def row(x: Term, y: Term) -> Term:
        both = carries or isinstance(xs.type, Product)
        return written(names, lets(taken(lam.params, Tuple((x, y)) if both else x), lam.body))

    function = fun(names, (Real, Real), row, "ab")
    if loop.init is None:
        return op(MAP2, function, *arrays)
    which = REDUCE if types.is_associative else FOLDL
    return op(which, function, written(names, loop.init), xs)
