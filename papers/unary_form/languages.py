"""Source and Target (Figs. 2 and 3), and notation for what is made of them (Fig. 4).

    τ ::= R | τ × τ | A[R]^n                            Γ, x:R, y:R ⊢ e₁ : R   Γ ⊢ e₂, e₃ : A[R]^n
    e ::= x | c | let x = e in e | ⟨e, e⟩ | πᵢ e        ──────────────────────────────────────────
        | e op2 e | op1 e                                    Γ ⊢ map2 (x, y. e₁) e₂ e₃ : A[R]^n
        | map2 (x, y. e) e e | reduce (x, y. e) e e
    Target besides: fun (x₁, …, xₙ) → e, e(e₁ … eₙ), ⟨e, …, e⟩, scanl, scanr, shift1L, shift1R

The terms of the house say the same, and are typed when they are built. An operation of arrays is a
word of the house, kept as one form. A name may be bound again further in; ``distinct`` parts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial, reduce
from typing import Any

import numpy as np

from combinators.derivative_rules import pullback_rule
from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes, remade
from combinators.objects import Object, Real, Tensor
from combinators.operation import Operation, declare, free, named
from combinators.terms import App, Lam, Let, Prim, Proj, Term, Tuple, Var, captured, const, pack
from combinators.tracing import associative, control
from combinators.tracing.faces import face_of
from combinators.tracing.functions import traced
from combinators.type_folds import columns_of, row_of
from papers.plain_functions import evaluated

Types = Sequence[Object]
Context = tuple[Var, ...]
Bindings = Sequence[tuple[Var, Term]]
ONE = const(1.0)

WORDS: dict[str, Callable[..., Any]] = {
    "map2": associative.map2,
    "reduce": partial(associative.reduce, check=False),
    "foldl": control.fold,
    "scanl": partial(associative.scanl, check=False),
    "scanr": lambda f, v, xs: associative.scanr(lambda x, v: f(v, x), v, xs, check=False),
    "shift1L": associative.shift_left,
    "shift1R": associative.shift_right,
}
"""What the operations of arrays are called in the house; scanr is a fold from the right (3.2)."""


@cache
def word(name: str, *types: Object) -> Lam:
    """An operation of arrays at its types, as a closed function of the house."""
    return traced(WORDS[name], types, tuple(map(face_of, types)))


def _typed(name: str, *types: Object) -> Object:
    return word(name, *types).body.type


def _slope(*types: Object, of: Operation, index: int) -> Object:
    return of.type(*types)


ARRAYS = MAP2, REDUCE, FOLDL, SCANL, SCANR, SHIFT1L, SHIFT1R = tuple(
    declare(name, partial(_typed, name), None, public=False, cost=free).plain for name in WORDS
)
SECOND_ORDER = ARRAYS[:5]
PARTIAL = declare(
    "∂", _slope, None, public=False, cost=free, word=lambda of, index: f"∂{index + 1}{of.name}"
)
"""``∂op1``, ``∂₁op2`` and ``∂₂op2``: operations of Target, of the price of ``op``."""
ADD, MULTIPLY, COS = (Operation(named(name)) for name in ("add", "multiply", "cos"))
LINEAR = {"add": (1.0, 1.0), "subtract": (1.0, -1.0), "negative": (-1.0,)}


def op(operation: Operation, *args: Term) -> Prim:
    """``e op2 e``, ``op1 e``, and all else that has a name."""
    return Prim(operation, args)


def times(a: Term, b: Term) -> Term:
    """``a * b``."""
    return op(MULTIPLY, a, b)


def derivative(f: Operation, i: int, args: Sequence[Term]) -> Term:
    """``∂ᵢop (x₁, …)``; of some it is known, "e.g. ∂sin = cos"."""
    if f.name == "multiply":
        return args[1 - i]
    if f.name in LINEAR:
        return const(LINEAR[f.name][i])
    return op(COS if f.name == "sin" else Operation(PARTIAL, (("of", f), ("index", i))), *args)


def let(x: Var, bound: Term, body: Term) -> Term:
    """``let x = e₁ in e₂``."""
    return Let(((x, bound),), body)


def lets(bindings: Bindings, body: Term) -> Term:
    """``let x₁ = e₁, …, xₙ = eₙ in e`` (Fig. 4)."""
    return reduce(lambda t, bound: Let((bound,), t), reversed(bindings), body)


def taken(params: Context, argument: Term) -> Bindings:
    """The variables of a function, and what each is for an argument."""
    several = [component_of(argument, i) for i in range(len(params))] if len(params) != 1 else ()
    return [*zip(params, several or [argument], strict=bool(params))]


def call(function: Term, *args: Term) -> Term:
    """``e(e₁ … eₙ)``."""
    return App(function, pack(args))


def types_of(terms: Iterable[Term]) -> tuple[Object, ...]:
    """The types of terms, of variables say."""
    return tuple(t.type for t in terms)


def variables(wishes: Iterable[str], types: Types, *beside: Term) -> Context:
    """Variables that are called as is wished, or nearly so where one in what is beside them is."""
    names = Names(x.name for e in beside for x in distinct_nodes(e) if isinstance(x, Var))
    return tuple(Var(names.fresh(wish), obj) for wish, obj in zip(wishes, types, strict=False))


def fun(types: Types, body: Callable[..., Term], wishes: Iterable[str] = "ab", *in_: Term) -> Lam:
    """``fun (x₁, …, xₙ) → e``, of names that nothing of the context has."""
    params = variables(wishes, types, *in_)
    return Lam(params, body(*params))


def map2(body: Callable[..., Term], a: Term, b: Term, *in_: Var) -> Term:
    """``map2 (x, y. e) a b``."""
    return op(MAP2, fun((row_of(a.type), row_of(b.type)), body, "ab", *in_), a, b)


def free_variables(t: Term) -> Context:
    """``FV(e)``."""
    return captured(t)[0]


def operands_of(e: Term) -> tuple[Term, ...]:
    """What is computed before an operation: all below it but the function that it binds."""
    return tuple(part for part in e.below() if not isinstance(part, Lam))


def rebuilt(t: Term, parts: Sequence[Term]) -> Any:
    """The node of other parts."""
    if all(a is b for a, b in zip(parts, t.below(), strict=True)):
        return t
    return let(t.bindings[0][0], *parts) if isinstance(t, Let) else t.with_parts(tuple(parts))


def replaced(t: Any, env: dict[str, Term]) -> Any:
    """``e[a/x, b/y]``, where names are distinct."""
    return remade(t, lambda node: env.get(node.name, node) if isinstance(node, Var) else node)


def distinct(t: Term, names: Names | None = None, env: dict[str, Term] | None = None) -> Any:
    """``e[a/x, b/y]``, and a name of its own for each variable that e binds."""
    names, env = names or Names(x.name for x in free_variables(t)), env or {}
    bound = t.params if isinstance(t, Lam) else ()
    match t:
        case Var(name):
            return env.get(name, t)
        case Let(((x, e1), *more), e2):
            new = Var(names.fresh(x.name), x.type)
            rest = Let(tuple(more), e2) if more else e2
            return let(new, distinct(e1, names, env), distinct(rest, names, env | {x.name: new}))
    inside = {x.name: Var(names.fresh(x.name), x.type) for x in bound}
    parts = [distinct(part, names, env | inside) for part in t.below()]
    return Lam(tuple(inside.values()), *parts) if bound else rebuilt(t, parts)


# ---- Fig. 4: the monoid (G, +̂, 0) of a ground type; Fig. 17: A ⊗ G, a G for each number of A -----


def by_component(leaf: Callable[..., Term], a: Term, b: Term, *in_: Var) -> Term:
    """``leaf`` of all numbers of two terms of a ground type; in an array, ``map2``."""
    parts = columns_of(a.type)
    if parts is not None:
        each = ((component_of(a, i), component_of(b, i)) for i in range(len(parts)))
        return Tuple(tuple(by_component(leaf, *both, *in_) for both in each))
    if a.type is Real:
        return leaf(a, b)
    return map2(lambda x, y: by_component(leaf, x, y, *in_), a, b, *in_)


def component_of(t: Term, i: int) -> Term:
    """``πᵢ t``, where it is not written out."""
    return t.items[i] if isinstance(t, Tuple) else Proj(i, t)


plus = partial(by_component, lambda x, y: op(ADD, x, y))
"""``a +̂ b``."""


def zero(obj: Object) -> Term:
    """``0_G``; that of an array is ZerosLike(n)."""
    parts = columns_of(obj)
    if parts is not None:
        return Tuple(tuple(map(zero, parts)))
    if not isinstance(obj, Tensor) or not obj.is_smooth:
        raise MissingRule(f"000 has no zero of {obj!r}: ground types are R, products, A[R]^n")
    return const(np.zeros(obj.shape))


def identity(obj: Object) -> Term:
    """``1`` of ``G ⊗ G``, for products of numbers."""
    zeros = zero(obj)
    rows = (lambda z, one=one: ONE if z is one else z for one in numbers_of(zeros))
    return pack(tuple(remade(zeros, row) for row in rows))


def numbers_of(t: Term) -> list[Term]:
    """The numbers of a product of numbers."""
    parts = columns_of(t.type)
    if parts is None:
        return [t]
    return [x for i in range(len(parts)) for x in numbers_of(component_of(t, i))]


# ---- what terms mean (section 6.1) ---------------------------------------------------------------


def in_house(t: Term) -> Any:
    """A term of Target with the operations of the house, which can be run, priced and derived."""

    def at(node: Any) -> Any:
        f, args = (node.operation, node.args) if isinstance(node, Prim) else (None, ())
        types = types_of(args)
        if f in ARRAYS:
            return call(word(f.name, *types), *args)
        if f is None or f.primitive is not PARTIAL:
            return node
        of, index = f.keywords["of"], f.keywords["index"]
        rule = pullback_rule(of, types, (index,))
        return const(0.0) if rule is None else Proj(0, call(rule, ONE, *args, op(of, *args)))

    return remade(t, at)


def meaning(gamma: Context, t: Term, over: Any) -> Callable[..., Any]:
    """``⟦Γ ⊢ e : A⟧ : ⟦Γ⟧ → ⟦A⟧``, over the numbers of a carrier."""
    return evaluated(Lam(gamma, in_house(t)), over)
