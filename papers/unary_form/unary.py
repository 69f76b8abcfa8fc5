"""The unary form (Figs. 6 and 7): to it (Fig. 9), D on it (Fig. 8), and back (Fig. 10).

    var : T ⊢ T, Aᵢ        op : T, R^m ⊢ T, R^m, R     pair : T, A, B ⊢ T, A × B
    proj : T₁, T₂, T₃ ⊢ T₁, T₃        e₁ : T₁ ⊢ T₂ and e₂ : T₂ ⊢ T₃ give e₁;e₂ : T₁ ⊢ T₃

    D(e₁;e₂) = D(e₁);D(e₂),   D(p) = ⟨proj;p, proj ∘ (proj;Jᵀp)⟩ : T, T → ρ ⊢ T', T' → ρ

    UNF⁻¹(e₁;e₂) = let xₙ₊₁ = UNF⁻¹(e₁) in UNF⁻¹(e₂)      UNF⁻¹(var_i) = xᵢ
    UNF⁻¹(op)    = op(xₙ₊₁, …, xₙ₊ₘ)                       UNF⁻¹(pair)  = ⟨xₙ₊₁, xₙ₊₂⟩
    UNF⁻¹(e₁ ∘ e₂) = fun (y₁, …, yₘ) → UNF⁻¹(e₁)(UNF⁻¹(e₂))
    UNF⁻¹(Jᵀvar_i) = (y₁, …, yᵢ + yₙ₊₁, …, yₙ)             UNF⁻¹(Jᵀpair) = (y₁, …, π₁yₙ, π₂yₙ)
    UNF⁻¹(Jᵀop)    = (y₁, …, yₙ₊ₘ + ∂ₘop(x) * yₙ₊ₘ₊₁)       UNF⁻¹(Jᵀproj) = (y₁, …, 0, …, yₙ)

A term has one operand, its whole context, and hands it on, so that the flow is a line. A primitive
is what UNF⁻¹ makes of it: terms in variables of its context, most of them these variables alone;
``op`` is any operation of Source, map2 and reduce among them. Jᵀp is what ``transposed`` says of
these terms: one rule for all. The figures are read so that they type (docs/unary-form.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from combinators.errors import MissingRule, TypeMismatch
from combinators.kit.text import Names
from combinators.objects import Fun, Object
from combinators.terms import Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, pack, packed
from papers.unary_form import languages as la
from papers.unary_form.languages import types_of, variables
from papers.unary_form.reverse import applied, transposed

Types = tuple[Object, ...]


@dataclass(frozen=True)
class Primitive:
    """``p_T;… : T₁ ⊢ T₂``: terms in variables of T₁, one for each type of T₂."""

    name: str
    T: Types
    more: tuple[Any, ...]
    params: la.Context
    terms: tuple[Term, ...]
    bindings: la.Bindings = ()

    def __str__(self) -> str:
        """As the paper writes it."""
        more = self.more or ([x == self.terms[-1] for x in self.params].index(True),)
        listed = (
            ",".join(map(repr, one)) or "[]" if isinstance(one, tuple) else str(one)
            for one in (self.T, *more)
        )
        return f"{self.name}[{';'.join(listed)}]"


@dataclass(frozen=True)
class Compound:
    """``e₁; …; eₙ``, ``⟨e₁, e₂⟩`` or ``e₁ ∘ e₂``."""

    former: str
    parts: tuple[Unary, ...]

    def __str__(self) -> str:
        """As the paper writes it."""
        text = FORMERS[self.former].join(map(str, self.parts))
        return f"⟨{text}⟩" if self.former == "⟨⟩" else text


FORMERS = {";": " ; ", "⟨⟩": ", ", "∘": " ∘ "}
Unary = Primitive | Compound


def in_line(*steps: Unary) -> Unary:
    """``e₁;e₂;…``."""
    return Compound(";", steps) if len(steps) > 1 else steps[0]


def proj(T1: Types, T2: Types, T3: Types) -> Primitive:
    """``proj_T₁;T₂;T₃``."""
    xs = variables("x" * len((*T1, *T2, *T3)), (*T1, *T2, *T3))
    return Primitive("proj", T1, (T2, T3), xs, (*xs[: len(T1)], *xs[len((*T1, *T2)) :]))


def judgement(e: Unary) -> tuple[Types, Types]:
    """T₁ and T₂ of ``T₁ ⊢ e : T₂`` (Figs. 6 and 7); TypeMismatch where there are none."""
    if isinstance(e, Primitive):
        return types_of(e.params), types_of(e.terms)
    (T1, T2), *rest = map(judgement, e.parts)
    (T3, T4) = rest[-1]
    if e.former == ";" and [T2, *(T for _, T in rest[:-1])] == [T for T, _ in rest]:
        return T1, T4
    if e.former == "⟨⟩" and T1 == T3:
        return T1, (*T2, *T4)
    if e.former == "∘" and T3[: len(T1)] == T1:
        (continuation,) = T2
        if isinstance(continuation, Fun) and continuation.dom is packed(T4):
            return T1, (Fun(packed(T3[len(T1) :]), continuation.cod),)
    raise TypeMismatch(f"Figs. 6 and 7 of 000 do not type {e!s:.200}")


# ---- Fig. 9, and the weakening of 4.4 ------------------------------------------------------------


def UNF(gamma: la.Context, e: Term) -> Unary:
    """The form of ``Γ ⊢ e : B``: ``A₁, …, Aₙ ⊢ A₁, …, Aₙ, B`` (Lemma 4.4)."""
    T = types_of(gamma)
    match e:
        case Var():
            return Primitive("var", T, (), gamma, (*gamma, e))
        case Let(((x, e1),), e2):
            hidden = proj(T, (x.type,), (e2.type,))
            return in_line(UNF(gamma, e1), UNF((*gamma, x), e2), hidden)
        case Cond():
            raise MissingRule("000 has no unary form of a conditional: it stands in 7.2")
    operands = la.operands_of(e)
    types = types_of(operands)
    ys = variables("v" * len(types), types, *gamma)
    steps = [weakened(UNF(gamma, part), len(T), types[:i]) for i, part in enumerate(operands)]
    given, made = (*gamma, *ys), applied(e, ys)
    if isinstance(e, Tuple):
        return in_line(*steps, Primitive("pair", T, (types,), given, (*gamma, made)))
    name = e.operation.name if isinstance(e, Prim) else repr(made)
    acts = Primitive(name, T, (len(ys),), given, (*given, made))
    return in_line(*steps, acts, *[proj(T, types, (e.type,))][: len(ys)])


def weakened(e: Unary, k: int, A: Types) -> Unary:
    """``ẽ_A``: A is passed through, behind the first k types."""
    if isinstance(e, Compound):
        return replace(e, parts=tuple(weakened(part, k, A) for part in e.parts))
    passed = variables("a" * len(A), A, *e.params)

    def wider(given: Any, by: Sequence[Any] = passed) -> Any:
        return (*given[:k], *by, *given[k:])

    return replace(e, T=wider(e.T, A), params=wider(e.params), terms=wider(e.terms))


# ---- Fig. 8 --------------------------------------------------------------------------------------


def D(e: Unary, rho: Object) -> Unary:
    """Of ``T₁ ⊢ e : T₂`` it is ``T₁, T₁ → ρ ⊢ T₂, T₂ → ρ`` (Lemma 4.3)."""
    if isinstance(e, Compound):
        return in_line(*(D(part, rho) for part in e.parts))
    T, T2 = judgement(e)
    Y = Fun(packed(T), rho)
    back = in_line(proj(T, (Y,), T2), transposed_jacobian(e))
    forward = in_line(proj(T, (Y,), ()), e)
    return Compound("⟨⟩", (forward, Compound("∘", (proj((), T, (Y,)), back))))


def transposed_jacobian(p: Primitive) -> Primitive:
    """``Jᵀp : T₁, T₂ ⊢ T₁``, at the primals and the cotangents."""
    zs = variables("z" * len(p.terms), types_of(p.terms), *p.params)
    bindings, found = list[tuple[Var, Term]](), dict[str, Term]()
    for term, z in zip(p.terms, zs, strict=True):
        more, jacobian = transposed(term, la.operands_of(term))  # type: ignore[arg-type]
        bindings += more
        for x, g in jacobian(z):
            found[x.name] = la.plus(found[x.name], g) if x.name in found else g
    terms = tuple(found.get(x.name) or la.zero(x.type) for x in p.params)
    return Primitive(f"Jᵀ{p.name}", p.T, p.more, (*p.params, *zs), terms, bindings)


# ---- Fig. 10 -------------------------------------------------------------------------------------


def inverse(names: Names, e: Unary, xs: la.Context) -> tuple[la.Bindings, la.Context]:
    """``UNF⁻¹(e)`` at variables: what it names, and the variables that there are then."""
    bound: list[tuple[Var, Term]] = []

    def named(term: Term, wish: str = "x") -> Var:
        bound.append((Var(names.fresh(wish), term.type), term))
        return bound[-1][0]

    if isinstance(e, Primitive):
        env: dict[str, Term] = dict(zip((x.name for x in e.params), xs, strict=True))
        for x, term in e.bindings:
            env[x.name] = named(la.distinct(term, names, env), x.name)
        made = [la.distinct(term, names, env) for term in e.terms]
        known = [isinstance(term, Var) for term in e.terms[: len(xs)]] + [False]
        return bound, tuple([x if has else named(x) for x, has in zip(made, known, strict=False)])
    if e.former == "∘":
        first, before = e.parts
        more, (Y,) = inverse(names, first, xs)
        bound += more
        ys = tuple(Var(names.fresh("y"), obj) for obj in judgement(before)[0][len(xs) :])
        inside, zs = inverse(names, before, (*xs, *ys))
        return bound, (named(Lam(ys, la.lets(inside, la.call(Y, *zs))), "Y"),)
    reached = xs
    found: la.Context = ()
    for part in e.parts:
        more, reached = inverse(names, part, reached if e.former == ";" else xs)
        bound += more
        found += reached
    return bound, reached if e.former == ";" else found


def reversed_by_unary_form(gamma: la.Context, e: Term) -> Lam:
    """``fun (x, Y) → UNF⁻¹(D(UNF(e))) : Γ × (Γ → ρ) → A × (Γ × A → ρ)`` (Lemma 4.5)."""
    through = D(UNF(gamma, la.distinct(Lam(gamma, e)).body), packed(types_of(gamma)))
    given = variables([*(x.name for x in gamma), "Y"], judgement(through)[0])
    bound, reached = inverse(Names(x.name for x in given), through, given)
    return Lam(given, la.lets(bound, Tuple(reached[-2:])))


def let_normal(gamma: la.Context, e: Term) -> Term:
    """``UNF⁻¹(UNF(e))``, the A-normal form (4.4): each operation has a name."""
    line = UNF(gamma, la.distinct(Lam(gamma, e)).body)
    bound, reached = inverse(Names(x.name for x in gamma), line, gamma)
    return la.lets(bound, reached[-1])


def gradient_by_unary_form(gamma: la.Context, e: Term) -> Term:
    """``∇_Γ(e) = π₂ UNF⁻¹(D(UNF(e)))(0, 1)``, where Y is the identity of Γ."""
    types = types_of(gamma)
    identity = la.fun(types, lambda *ys: pack(ys), "y" * len(types))
    both = la.call(reversed_by_unary_form(gamma, e), *gamma, identity)
    return la.call(Proj(1, both), *map(la.zero, types), la.ONE)
