"""Source and Target (Figs. 2 and 3), and notation for what is made of them (Fig. 4).

    τ ::= R | τ × τ | A[R]^n                            Γ, x:R, y:R ⊢ e₁ : R   Γ ⊢ e₂, e₃ : A[R]^n
    e ::= x | c | let x = e in e | ⟨e, e⟩ | πᵢ e        ──────────────────────────────────────────
        | e op2 e | op1 e                                    Γ ⊢ map2 (x, y. e₁) e₂ e₃ : A[R]^n
        | map2 (x, y. e) e e | reduce (x, y. e) e e
    Target besides: fun (x₁, …, xₙ) → e, e(e₁ … eₙ), ⟨e, …, e⟩, scanl, scanr, shift1L, shift1R

The terms of the house say the same, and are typed when they are built. Only the array operations
have to be declared: what means the same in the house goes by other names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from combinators.derivative_rules import pullback_rule
from combinators.errors import TypeMismatch
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes, remade
from combinators.objects import Fun, Object, Product, Real, Tensor, components
from combinators.operation import Operation, Primitive, declare, free, named
from combinators.primitives.loops import function_type
from combinators.terms import App, Lam, Let, Prim, Proj, Term, Tuple, Var, const, pack
from combinators.tracing import associative, control
from combinators.tracing.emit import unpack
from combinators.tracing.faces import face_of
from combinators.tracing.functions import traced
from combinators.type_folds import length_of, row_of, stack_of
from papers.plain_functions import evaluated

Context = tuple[Var, ...]
ONE = const(1.0)


def _map2(f: Object, a: Object, b: Object) -> Object:
    """``Γ ⊢ map2 (x, y. e₁) e₂ e₃ : A[R]^n``."""
    if length_of(a) != length_of(b):
        raise TypeMismatch(f"map2 takes arrays of one length, and these are {a!r} and {b!r}")
    return stack_of(function_type(f, Product(row_of(a), row_of(b)), "map2").cod, length_of(a))


def _fold(word: str, more: int | None, f: Object, start: Object, a: Object) -> Object:
    """``reduce (x, y. e₁) e₂ e₃ : R``; of a scan ``A[R]^(n+1)``."""
    if function_type(f, Product(start, row_of(a)), word).cod is not start:
        raise TypeMismatch(f"{word} goes on with what its function gives, which is not {start!r}")
    return start if more is None else stack_of(start, length_of(a) + more)


def _shift(a: Object) -> Object:
    """``A[R]^(n+1)`` to ``A[R]^n``, and ``A[R]^0`` to itself."""
    return stack_of(row_of(a), max(length_of(a) - 1, 0))


def _slope(*types: Object, of: Operation, index: int) -> Object:
    return of.type(*types)


def _declared(name: str, typing: Callable[..., Object], **said: Any) -> Primitive:
    return declare(name, typing, None, public=False, cost=free, **said)


MAP2 = _declared("map2", _map2).plain
REDUCE, FOLDL = (_declared(word, partial(_fold, word, None)).plain for word in ("reduce", "foldl"))
SCANL, SCANR = (_declared(word, partial(_fold, word, 1)).plain for word in ("scanl", "scanr"))
SHIFT1L, SHIFT1R = (_declared(word, _shift).plain for word in ("shift1L", "shift1R"))
SECOND_ORDER = (MAP2, REDUCE, FOLDL, SCANL, SCANR)

PARTIAL = _declared("∂", _slope, word=lambda of, index: f"∂{index + 1}{of.name}")
"""``∂op1``, ``∂₁op2`` and ``∂₂op2``: operations of Target, of the price of ``op``."""
ADD, MULTIPLY, COS, EXP = (Operation(named(name)) for name in ("add", "multiply", "cos", "exp"))


def op(operation: Operation, *args: Term) -> Prim:
    """``e op2 e``, ``op1 e``, and all else that has a name."""
    return Prim(operation, args)


def times(a: Term, b: Term) -> Term:
    """``a * b``."""
    return op(MULTIPLY, a, b)


def derivative(operation: Operation, i: int, args: Sequence[Term]) -> Term:
    """``∂ᵢop (x₁, …)``; of some it is known, "e.g. ∂sin = cos"."""
    if operation.name == "multiply":
        return args[1 - i]
    if operation.name in ("add", "subtract", "negative"):
        return const(
            1.0 if operation.name == "add" or (operation.name, i) == ("subtract", 0) else -1.0
        )
    if operation.name == "sin":
        return op(Operation(named("cos")), *args)
    return op(Operation(PARTIAL, (("of", operation), ("index", i))), *args)


def let(x: Var, bound: Term, body: Term) -> Term:
    """``let x = e₁ in e₂``."""
    return Let(((x, bound),), body)


def lets(bindings: Sequence[tuple[Var, Term]], body: Term) -> Term:
    """``let x₁ = e₁, …, xₙ = eₙ in e`` (Fig. 4)."""
    return reduce(lambda t, binding: let(binding[0], binding[1], t), reversed(bindings), body)


def fun(names: Names, types: Sequence[Object], body: Callable[..., Term], wishes: str = "") -> Lam:
    """``fun (y₁, …, yₙ) → e``, of these names if they are free."""
    wished = zip(wishes or "y" * len(types), types, strict=True)
    params = tuple(Var(names.fresh(wish), obj) for wish, obj in wished)
    return Lam(params, body(*params))


def call(function: Term, *args: Term) -> Term:
    """``e(e₁ … eₙ)``."""
    return App(function, pack(args))


def operands_of(e: Term) -> tuple[Term, ...]:
    """What is computed before an operation: all below it but the function that it binds."""
    return tuple(part for part in e.below() if not isinstance(part, Lam))


def applied(e: Term, ys: Sequence[Term]) -> Term:
    """The operation of other operands."""
    made: Term = e.with_parts((*(part for part in e.below() if isinstance(part, Lam)), *ys))
    return made


# ---- binders: each has a name of its own, so that nothing is captured ----------------------------


def replaced(t: Any, env: dict[str, Term]) -> Any:
    """``e[a/x, b/y]``."""
    return remade(t, lambda node: env.get(node.name, node) if isinstance(node, Var) else node)


def distinct(t: Term, names: Names, env: dict[str, Term] | None = None) -> Any:
    """``t`` with new names for all that it binds, one variable a let."""
    env = env or {}
    match t:
        case Var(name):
            return env.get(name, t)
        case Let(((x, bound), *more), body):
            new = Var(names.fresh(x.name), x.type)
            rest = Let(tuple(more), body) if more else body
            return let(new, distinct(bound, names, env), distinct(rest, names, env | {x.name: new}))
        case Lam(params, body):
            inside = {x.name: Var(names.fresh(x.name), x.type) for x in params}
            return Lam(tuple(inside.values()), distinct(body, names, env | inside))
    parts = tuple(distinct(part, names, env) for part in t.below())
    return t.with_parts(parts) if parts else t


def names_of(*terms: Term) -> Names:
    """Names that no variable has."""
    nodes = (node for t in terms for node in distinct_nodes(t))
    return Names(node.name for node in nodes if isinstance(node, Var))


# ---- Fig. 4: the monoid (G, +̂, 0) of a ground type -----------------------------------------------


def by_component(names: Names, leaf: Callable[..., Term], obj: Object, a: Term, b: Term) -> Term:
    """``leaf`` of all numbers of two terms of a ground type; in an array, ``map2``."""
    parts = components(obj)
    if parts is not None:
        each = (
            (part, component_of(a, i), component_of(b, i)) for i, part in enumerate(parts.parts)
        )
        return Tuple(tuple(by_component(names, leaf, *one) for one in each))
    if obj is Real:
        return leaf(a, b)
    row = row_of(obj)
    inner = fun(names, (row, row), lambda x, y: by_component(names, leaf, row, x, y), "ab")
    return op(MAP2, inner, a, b)


def component_of(t: Term, i: int) -> Term:
    """``πᵢ t``, where it is not written out."""
    return t.items[i] if isinstance(t, Tuple) else Proj(i, t)


def plus(names: Names, a: Term, b: Term) -> Term:
    """``a +̂ b``."""
    return by_component(names, lambda x, y: op(ADD, x, y), a.type, a, b)


def zero(obj: Object) -> Term:
    """``0_G``; that of an array is ZerosLike(n)."""
    parts = components(obj)
    if parts is not None:
        return Tuple(tuple(map(zero, parts.parts)))
    assert isinstance(obj, Tensor)
    return const(np.zeros(obj.shape))


# ---- what terms mean (section 6.1) ---------------------------------------------------------------

WORDS: dict[Operation, Callable[..., Any]] = {
    MAP2: associative.map2,
    REDUCE: partial(associative.reduce, check=False),
    FOLDL: control.fold,
    SCANL: partial(associative.scanl, check=False),
    SCANR: partial(associative.scanr, check=False),
    SHIFT1L: associative.shift_left,
    SHIFT1R: associative.shift_right,
}
"""What they are called in the house."""


def in_house(t: Term) -> Term:
    """A term of Target with the operations of the house, which can be run, priced and derived."""
    names = names_of(t)

    def at(node: Any) -> Any:
        if not isinstance(node, Prim):
            return node
        types = tuple(arg.type for arg in node.args)
        if node.operation in WORDS:
            word = distinct(traced(partial(opened, WORDS[node.operation]), types), names)
            return replaced(
                word.body, {x.name: y for x, y in zip(word.params, node.args, strict=True)}
            )
        if node.operation.primitive is PARTIAL:
            return slope(names, types, node.args, **node.operation.keywords)
        return node

    made: Term = remade(t, at)
    return made


def opened(word: Callable[..., Any], *args: Any) -> Any:
    """A word at its arguments, of which products are tuples, as functions give them too."""

    def parts(x: Any) -> Any:
        if isinstance(x, tuple):
            return x
        if isinstance(x.type, Fun):
            return lambda *given: parts(x(*given))
        return unpack(face_of(x.type), x)

    return word(*map(parts, args))


def slope(
    names: Names, types: tuple[Object, ...], xs: tuple[Term, ...], of: Operation, index: int
) -> Term:
    """``∂ᵢop``, of the derivative that the primitive declares."""
    rule = pullback_rule(of, types, (index,))
    return (
        zero(Real)
        if rule is None
        else Proj(0, App(distinct(rule, names), Tuple((ONE, *xs, op(of, *xs)))))
    )


def meaning(gamma: Context, t: Term, over: Any) -> Callable[..., Any]:
    """``⟦Γ ⊢ e : A⟧ : ⟦Γ⟧ → ⟦A⟧``, over the numbers of a carrier."""
    return evaluated(Lam(gamma, in_house(t)), over)


# ---- Fig. 17: ``A ⊗ G``, a tuple of an A for each number of G ------------------------------------


def units(obj: Object) -> list[Term]:
    """``[j]1``, for each number of a product of numbers."""
    parts = components(obj)
    if parts is None:
        return [ONE]
    zeros = [zero(part) for part in parts.parts]
    return [
        Tuple((*zeros[:i], unit, *zeros[i + 1 :]))
        for i, part in enumerate(parts.parts)
        for unit in units(part)
    ]


def numbers_of(t: Term) -> list[Term]:
    """The numbers of a term of such a type."""
    parts = components(t.type)
    if parts is None:
        return [t]
    return [x for i in range(parts.width) for x in numbers_of(component_of(t, i))]
