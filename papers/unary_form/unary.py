"""The unary form (Figs. 6 and 7): to it (Fig. 9), D on it (Fig. 8), and back (Fig. 10).

    var : T ⊢ T, Aᵢ        op : T, R^m ⊢ T, R^m, R     pair : T, A, B ⊢ T, A × B
    proj : T₁, T₂, T₃ ⊢ T₁, T₃        e₁ : T₁ ⊢ T₂ and e₂ : T₂ ⊢ T₃ give e₁;e₂ : T₁ ⊢ T₃

    D(e₁;e₂) = D(e₁);D(e₂),   D(p) = ⟨proj;p, proj ∘ (proj;Jᵀp)⟩ : T, T → ρ ⊢ T', T' → ρ

    UNF⁻¹(e₁;e₂) = let xₙ₊₁ = UNF⁻¹(e₁) in UNF⁻¹(e₂)      UNF⁻¹(var_i) = xᵢ
    UNF⁻¹(op)    = op(xₙ₊₁, …, xₙ₊ₘ)                       UNF⁻¹(pair)  = ⟨xₙ₊₁, xₙ₊₂⟩
    UNF⁻¹(e₁ ∘ e₂) = fun (y₁, …, yₘ) → UNF⁻¹(e₁)(UNF⁻¹(e₂))
    UNF⁻¹(Jᵀvar_i) = (y₁, …, yᵢ + yₙ₊₁, …, yₙ)             UNF⁻¹(Jᵀpair) = (y₁, …, π₁yₙ, π₂yₙ)
    UNF⁻¹(Jᵀop)    = (y₁, …, yₙ₊ₘ + ∂ₘop(x) * yₙ₊ₘ₊₁)       UNF⁻¹(Jᵀproj) = (y₁, …, 0, …, yₙ)

A term has one operand, its whole context, and hands it on, so that the flow is a line. ``op`` is
any operation of Source, map2 and reduce among them: it holds the term of its context and operands.
The figures are read so that they type: ``;`` composes all arrows, not those alone that add a type;
Jᵀp has the primals before the cotangents, which Fig. 10 gives one name; weakening puts A behind the
context that the term began with, since at the end, where 4.4 has it, ẽ₁;ẽ₂ would not compose.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

from combinators.errors import MissingRule, TypeMismatch
from combinators.kit.text import Names
from combinators.objects import Fun, Object, Product
from combinators.terms import Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, pack, packed
from papers.unary_form import languages as la
from papers.unary_form.reverse import Bindings, Reverse

Types = tuple[Object, ...]
Terms = tuple[Term, ...]


@dataclass(frozen=True)
class Unary:
    """A term of the grammar of Fig. 7: its former, and what that takes."""

    former: str
    of: tuple[Any, ...]

    def __str__(self) -> str:
        """As the paper writes it."""
        if self.former == "op":
            T, lam = self.of
            body = lam.body
            name = body.operation.name if isinstance(body, Prim) else repr(body)
            return f"{name}[{listed(T)};{len(lam.params) - len(T)}]"
        return FORMERS[self.former].format(*map(listed, self.of))


FORMERS = {
    "var": "var[{};{}]",
    "pair": "pair[{};{}]",
    "proj": "proj[{};{};{}]",
    ";": "{} ; {}",
    "Jᵀ": "Jᵀ{}",
    "⟨⟩": "⟨{}, {}⟩",
    "∘": "{} ∘ ({})",
}


def listed(part: Any) -> str:
    """``A₁, …, Aₙ``."""
    return ",".join(map(repr, part)) or "[]" if isinstance(part, tuple) else str(part)


def unary(former: str, *of: Any) -> Unary:
    """The term of a former."""
    return Unary(former, of)


def in_line(*steps: Unary) -> Unary:
    """``e₁;e₂;…``."""
    return reduce(lambda first, then: unary(";", first, then), steps)


def judgement(e: Unary) -> tuple[Types, Types]:
    """T₁ and T₂ of ``T₁ ⊢ e : T₂`` (Figs. 6 and 7); TypeMismatch where there are none."""
    match e.former, *e.of:
        case "var", T, i:
            return T, (*T, T[i])
        case "op", T, lam:
            given = tuple(x.type for x in lam.params)
            return given, (*given, lam.body.type)
        case "pair", T, parts:
            return (*T, *parts), (*T, Product(*parts))
        case "proj", T1, T2, T3:
            return (*T1, *T2, *T3), (*T1, *T3)
        case "Jᵀ", p:
            T1, T2 = judgement(p)
            return (*T1, *T2), T1
    (T1, T2), (T3, T4) = map(judgement, e.of)
    if e.former == ";" and T2 == T3:
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
    T = tuple(x.type for x in gamma)
    match e:
        case Const():
            return unary("op", T, Lam(gamma, e))
        case Var(name):
            return unary("var", T, [x.name for x in gamma].index(name))
        case Let(((x, e1),), e2):
            hidden = unary("proj", T, (x.type,), (e2.type,))
            return in_line(UNF(gamma, e1), UNF((*gamma, x), e2), hidden)
        case Cond():
            raise MissingRule("000 has no unary form of a conditional: it stands in 7.2")
    operands = la.operands_of(e)
    types = tuple(part.type for part in operands)
    steps = [weakened(UNF(gamma, part), len(T), types[:i]) for i, part in enumerate(operands)]
    if isinstance(e, Tuple):
        return in_line(*steps, unary("pair", T, types))
    ys = tuple(Var(f"operand {i}", obj) for i, obj in enumerate(types))
    acts = unary("op", T, Lam((*gamma, *ys), la.applied(e, ys)))
    return in_line(*steps, acts, unary("proj", T, types, (e.type,)))


def weakened(e: Unary, k: int, A: Types) -> Unary:
    """``ẽ_A``: A is passed through, behind the first k types."""
    T, *rest = e.of
    if e.former == ";":
        return in_line(*(weakened(part, k, A) for part in e.of))
    wider = (*T[:k], *A, *T[k:])
    if e.former == "var" and rest[0] >= k:
        return unary("var", wider, rest[0] + len(A))
    if e.former == "op":
        (lam,) = rest
        passed = tuple(Var(f"passed {i}", obj) for i, obj in enumerate(A, len(lam.params)))
        return unary("op", wider, Lam((*lam.params[:k], *passed, *lam.params[k:]), lam.body))
    return unary(e.former, wider, *rest)


# ---- Fig. 8 --------------------------------------------------------------------------------------


def D(e: Unary, rho: Object) -> Unary:
    """Of ``T₁ ⊢ e : T₂`` it is ``T₁, T₁ → ρ ⊢ T₂, T₂ → ρ`` (Lemma 4.3)."""
    if e.former == ";":
        return in_line(*(D(part, rho) for part in e.of))
    return F(e, unary("Jᵀ", e), rho)


def F(A: Unary, B: Unary, rho: Object) -> Unary:
    """``⟨proj;A, proj ∘ (proj;B)⟩``."""
    T, T2 = judgement(A)
    Y = Fun(packed(T), rho)
    back = in_line(unary("proj", T, (Y,), T2), B)
    forward = in_line(unary("proj", T, (Y,), ()), A)
    return unary("⟨⟩", forward, unary("∘", unary("proj", (), T, (Y,)), back))


# ---- Fig. 10 -------------------------------------------------------------------------------------


Reached = tuple[Bindings, Terms]
"""What UNF⁻¹ names, and the terms that are there then, one a type."""


def inverse(names: Names, e: Unary, xs: Terms) -> Reached:
    """``UNF⁻¹(e)`` at the variables ``xs``."""

    def named(known: Terms, term: Term) -> Reached:
        x = Var(names.fresh("x"), term.type)
        return [(x, term)], (*known, x)

    match e.former, *e.of:
        case "var", _, i:
            return named(xs, xs[i])
        case "op", _, lam:
            return named(xs, instance(names, lam, xs))
        case "pair", T, _:
            return named(xs[: len(T)], Tuple(xs[len(T) :]))
        case "proj", T1, T2, _:
            return [], (*xs[: len(T1)], *xs[len(T1) + len(T2) :])
        case ";", first, then:
            before, ys = inverse(names, first, xs)
            after, zs = inverse(names, then, ys)
            return before + after, zs
        case "⟨⟩", left, right:
            (one, ys), (other, zs) = inverse(names, left, xs), inverse(names, right, xs)
            return one + other, (*ys, *zs)
        case "∘", continuation, before:
            bound, (Y,) = inverse(names, continuation, xs)

            def back(*ys: Term) -> Term:
                inside, zs = inverse(names, before, (*xs, *ys))
                return la.lets(inside, la.call(Y, *zs))

            own, reached = named((), la.fun(names, judgement(before)[0][len(xs) :], back))
            return bound + own, reached
    (p,) = e.of  # Jᵀp
    width = len(judgement(p)[0])
    return transposed(names, p, xs[:width], xs[width:])


def instance(names: Names, lam: Lam, xs: Terms) -> Term:
    """The term of an operation, at these variables."""
    copy = la.distinct(lam, names)
    body: Term = la.replaced(copy.body, {y.name: x for y, x in zip(copy.params, xs, strict=True)})
    return body


def transposed(names: Names, p: Unary, xs: Terms, ys: Terms) -> Reached:
    """``UNF⁻¹(Jᵀp)`` at the primals ``xs`` and the cotangents ``ys``."""
    match p.former, *p.of:
        case "var", _, i:
            return [], (*ys[:i], la.plus(names, ys[i], ys[-1]), *ys[i + 1 : -1])
        case "pair", _, parts:
            return [], (*ys[:-1], *(la.component_of(ys[-1], i) for i in range(len(parts))))
        case "proj", T1, T2, _:
            return [], (*ys[: len(T1)], *map(la.zero, T2), *ys[len(T1) :])
    e = instance(names, p.of[1], xs)
    operands = [x for x in la.operands_of(e) if isinstance(x, Var)]
    bindings, jacobian = Reverse(names).transposed(e, operands)
    more, found = jacobian(ys[-1])
    for x, cotangent in zip(operands, found, strict=True):
        more[x.name] = la.plus(names, more[x.name], cotangent) if x.name in more else cotangent
    pairs = zip((x for x in xs if isinstance(x, Var)), ys[:-1], strict=True)
    return bindings, tuple(
        la.plus(names, y, more[x.name]) if x.name in more else y for x, y in pairs
    )


def reversed_by_unary_form(gamma: la.Context, e: Term) -> Lam:
    """``fun (x, Y) → UNF⁻¹(D(UNF(e))) : Γ × (Γ → ρ) → A × (Γ × A → ρ)`` (Lemma 4.5)."""
    names = la.names_of(e, *gamma)
    rho = packed(tuple(x.type for x in gamma))
    through = D(UNF(gamma, la.distinct(e, names)), rho)
    given = tuple(Var(names.fresh("x"), obj) for obj in judgement(through)[0])
    bound, reached = inverse(names, through, given)
    return Lam(given, la.lets(bound, Tuple(reached[-2:])))


def let_normal(gamma: la.Context, e: Term) -> Term:
    """``UNF⁻¹(UNF(e))``, the A-normal form (4.4): each operation has a name."""
    names = la.names_of(e, *gamma)
    bound, reached = inverse(names, UNF(gamma, la.distinct(e, names)), gamma)
    return la.lets(bound, reached[-1])


def gradient_by_unary_form(gamma: la.Context, e: Term) -> Term:
    """``∇_Γ(e) = π₂ UNF⁻¹(D(UNF(e)))(0, 1)``, where Y is the identity of Γ."""
    lam = reversed_by_unary_form(gamma, e)
    names = la.names_of(lam, *gamma)
    identity = la.fun(names, [x.type for x in gamma], lambda *ys: pack(ys))
    zeros = [la.zero(x.type) for x in gamma]
    return la.call(Proj(1, la.call(lam, *gamma, identity)), *zeros, la.ONE)
