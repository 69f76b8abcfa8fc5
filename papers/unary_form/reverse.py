"""Pure reverse mode, from Source to Target (Fig. 5), with Figs. 13, 16 and 17 and section 7.2.

    D_Γ,Y(A) = A × (Γ × A → ρ)                                for a continuation Y : Γ → ρ
    D_Γ,Y(c) = ⟨c, fun (x, z) → Y(x)⟩
    D_Γ,Y(x) = ⟨x, fun (x, z) → Y(x +̂ [pos(x)]z)⟩
    D_Γ,Y(let x = e₁ in e₂) = let x, Y₁ = D_Γ,Y(e₁) in
                              let y, Y₂ = D_Γ,x,Y₁(e₂) in ⟨y, fun (x, z) → Y₂(x, 0, z)⟩
    D_Γ,Y(e₁ op2 e₂) = let x₁, Y₁ = D_Γ,Y(e₁) in
                       let x₂, Y₂ = D_Γ,x₁,Y₁(e₂) in ⟨x₁ op2 x₂, fun (x, z) → Y₂(x, Jᵀop2 z)⟩
    D_Γ,Y(if e₁ then e₂ else e₃) = let b = e₁ in ⟨if b then e₂ else e₃, fun (x, z) →
                                   let g = if b then ∇_Γ(e₂) * z else ∇_Γ(e₃) * z in Y(x +̂ g)⟩
    ∇_Γ(e) = π₂ D_Γ,Id(e)(0, 1)

    Jᵀop2 z = ∂₁op2(x₁, x₂) * z, ∂₂op2(x₁, x₂) * z        Jᵀpair z = π₁z, π₂z      Jᵀπ₁ z = (z, 0)
    Jᵀmap2 (x, y. e₁) Z:  G = map2 *̂ Z (map2 (a, b. (∇_Γ e₁)[a/x, b/y]) A B),  x +̂ reduce +̂ 0̂ G,
                          map2 * (map2 (a, b. (∇_{x} e₁)[a/x, b/y]) A B) Z,  and so for y
    Jᵀreduce (x, y. e₁) z:  A₀ = shift1R (scanl (x, y. e₁) y₁ A)             what stands before each
                            A₁ = shift1L (map2 (a, b. (∇_{x} e₁)[a/x, b/y]) A₀ A)
                            A₂ = map2 (a, b. (∇_{y} e₁)[a/x, b/y]) A₀ A
                            A₃ = scanr * 1 A₁                                what comes after each
                            B₀ = map2 (a, b. (∇_Γ e₁)[a/x, b/y]) A₀ A
                            x +̂ z * reduce +̂ 0̂ (map2 *̂ A₃ B₀),  0,  map2 (x, y. x * y * z) A₂ A₃

All are one rule, ``D``: operands from left to right, each of which Γ has from then on, then the
operation, of which ``transposed`` says Jᵀ. Of foldl (Fig. 16), whose y₁ is no unit, it has
``z * reduce * 1`` of the slopes A₁ before they are shifted. ∇_Γ is taken in the variables of e₁.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce

from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.objects import Bool, Fun, Real
from combinators.operation import Operation
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, pack, packed
from combinators.type_folds import columns_of, row_of
from papers.unary_form import languages as la

Cotangents = Sequence[tuple[Var, Term]]
"""What is added to variables of Γ, and what the operands get."""
Transposed = tuple[la.Bindings, Callable[[Term], Cotangents]]
"""What is named first, and ``Jᵀop`` as a function of z."""


def D(gamma: la.Context, Y: Term, e: Term) -> Term:
    """Of type ``A × (Γ × A → ρ)``, in ``Γ, Y : Γ → ρ`` (Lemma 3.2)."""
    match e:
        case Let(((x, e1),), e2) if x.type is Bool:
            return la.let(x, e1, D(gamma, Y, e2))  # "external to the language" (7.3)
        case Cond():
            return conditional(gamma, Y, e)
    operands = la.operands_of(e)
    ys = la.variables("v" * len(operands), la.types_of(operands), *gamma, e)
    if isinstance(e, Let):
        ys = (e.bindings[0][0], *la.variables("v", [e.type], *gamma, e))
    scopes = [(*gamma, *ys[:i]) for i in range(len(ys) + 1)]
    rho = Y.type.cod  # type: ignore[attr-defined]  # a function
    Ys = [
        la.variables([f"Y{len(s)}"], [Fun(packed(la.types_of(s)), rho)], *s, e)[0] for s in scopes
    ]
    bindings, jacobian = transposed(e, ys)

    def back(*given: Term) -> Term:
        *xs, z = given
        found = {x.name: g for x, g in jacobian(z)}
        last = Ys[-1] if ys else Y
        return la.call(last, *moved(gamma, xs, found), *(found[y.name] for y in ys))

    made = la.lets(bindings, Tuple((applied(e, ys), backwards(gamma, Y, e, back))))
    for i in reversed(range(len(ys))):
        made = App(Lam((ys[i], Ys[i + 1]), made), D(scopes[i], Ys[i] if i else Y, operands[i]))
    return made


def conditional(gamma: la.Context, Y: Term, e: Cond) -> Term:
    """``let b = … in ⟨if b …, fun (x, z) → Y(x +̂ (if b then ∇_Γ(e₂) else ∇_Γ(e₃)) * z)⟩``."""
    held = tuple(x for x in la.free_variables(pack((e.then, e.other))) if x in gamma)
    b, g = la.variables("bg", [Bool, packed(la.types_of(held))], *gamma, e)

    def back(*given: Term) -> Term:
        *xs, z = given
        slopes = Cond(b, nabla(held, e.then, held, z), nabla(held, e.other, held, z))
        rows = rows_of(g, len(held))
        found = {x.name: row for x, row in zip(held, rows, strict=True)}
        return la.let(g, slopes, la.call(Y, *moved(gamma, xs, found)))

    chosen = Cond(b, e.then, e.other)
    return la.let(b, e.test, Tuple((chosen, backwards(gamma, Y, e, back))))


def backwards(gamma: la.Context, Y: Term, e: Term, back: Callable[..., Term]) -> Lam:
    """``fun (x, z) → …``."""
    wishes = [*(f"y{i + 1}" for i in range(len(gamma))), "z"]
    return la.fun([*la.types_of(gamma), e.type], back, wishes, *gamma, Y)


def moved(gamma: la.Context, xs: Sequence[Term], found: dict[str, Term]) -> Iterator[Term]:
    """``x +̂ …``."""
    pairs = zip(gamma, xs, strict=True)
    return (la.plus(x, found[y.name]) if y.name in found else x for y, x in pairs)


def applied(e: Term, ys: la.Context) -> Term:
    """The operation of other operands."""
    functions = (part for part in e.below() if isinstance(part, Lam))
    return ys[-1] if isinstance(e, Let) else la.rebuilt(e, (*functions, *ys))


def nabla(gamma: la.Context, e: Term, wanted: la.Context, z: Term = la.ONE) -> Term:
    """``∇_ρ(e) = π₂ D_Γ,Y(e)(0_Γ, 1)``, where Y projects to the variables that are wanted."""
    types, places = la.types_of(gamma), [gamma.index(x) for x in wanted]
    Y = la.fun(types, lambda *ys: pack(tuple(ys[i] for i in places)), "y" * len(types))
    return la.call(Proj(1, D(gamma, Y, e)), *map(la.zero, types), z)


def gradient(gamma: la.Context, e: Term, wanted: la.Context | None = None) -> Term:
    """``∇_Γ(e)``, of ``Γ ⊢ e : R``."""
    return nabla(gamma, la.distinct(Lam(gamma, e)).body, wanted or gamma)


def transposed(e: Term, ys: la.Context) -> Transposed:
    """``z ↦ Jᵀop z`` at ``ys``."""
    match e:
        case Var():
            return (), lambda z: [(e, z)]
        case Let():
            return (), lambda z: [(ys[0], la.zero(ys[0].type)), (ys[1], z)]
        case Tuple():
            return (), lambda z: [(y, la.component_of(z, i)) for i, y in enumerate(ys)]
        case Proj(i, product):
            zeros = [*map(la.zero, columns_of(product.type) or ())]
            return (), lambda z: [(ys[0], Tuple((*zeros[:i], z, *zeros[i + 1 :])))]
        case Prim(f, (Lam() as e1, *_)) if f == la.MAP2:
            return of_map2(e1, *ys)
        case Prim(f, (Lam() as e1, *_)) if f in (la.REDUCE, la.FOLDL):
            return of_fold(f, e1, *ys)
        case Prim(f) if {e.type, *la.types_of(ys)} == {Real}:
            slopes = [la.derivative(f, i, ys) for i in range(len(ys))]
            return (), lambda z: [(y, la.times(d, z)) for y, d in zip(ys, slopes, strict=True)]
        case _ if not e.below():
            return (), lambda z: ()
    raise MissingRule(f"Fig. 5 of 000 has no rule for {e!r:.80}")


def of_map2(e1: Lam, a: Var, b: Var) -> Transposed:
    """``Jᵀmap2``: three series of gradients of e₁."""
    held, slopes = nablas(e1)
    *of_gamma, of_x, of_y = (la.op(la.MAP2, d, a, b) for d in slopes)

    def back(z: Term) -> Cotangents:
        more = [(x, summed(la.map2(by, d, z))) for x, d in zip(held, of_gamma, strict=True)]
        return [*more, (a, la.map2(by, of_x, z)), (b, la.map2(by, of_y, z))]

    return (), back


def of_fold(f: Operation, e1: Lam, y1: Var, a: Var) -> Transposed:
    """``Jᵀreduce`` and ``Jᵀfoldl``."""
    held, (*in_gamma, in_x, in_y) = nablas(e1)
    one, k = la.identity(y1.type), len(la.numbers_of(y1))
    names, bound = Names(x.name for x in (*held, y1, a)), list[tuple[Var, Term]]()
    later = la.times if k == 1 else partial(matmul, k=k)
    product = la.fun((one.type,) * 2, later)

    def named(wish: str, term: Term) -> Var:
        bound.append((Var(names.fresh(wish), term.type), term))
        return bound[-1][0]

    A0 = named("A0", la.op(la.SHIFT1R, la.op(la.SCANL, e1, y1, a)))
    slopes: Term = la.op(la.MAP2, in_x, A0, a)
    slopes = named("A", slopes) if f == la.FOLDL else slopes
    A1 = named("A1", la.op(la.SHIFT1L, slopes))
    A2 = named("A2", la.op(la.MAP2, in_y, A0, a))
    A3 = named("A3", la.op(la.SCANR, product, one, A1))
    B0 = [named("B0", la.op(la.MAP2, d, A0, a)) for d in in_gamma]

    def back(z: Term) -> Cotangents:
        rows = (la.map2(lambda g, m: matmul(g, m, k), d, A3) for d in B0)
        more = [(x, by(summed(d), z)) for x, d in zip(held, rows, strict=True)]
        start = la.zero(y1.type)
        if f == la.FOLDL:
            start = by(la.op(la.REDUCE, product, one, slopes), z)
        return [*more, (y1, start), (a, la.map2(lambda x, y: by(x, by(y, z)), A2, A3))]

    return bound, back


def nablas(e1: Lam) -> tuple[la.Context, list[Lam]]:
    """``a, b. (∇_{…} e₁)[a/x, b/y]``, for each variable of Γ that e₁ has, for x and for y."""
    held = tuple(x for x in la.free_variables(e1) if la.numbers_of(x))
    numbers = la.numbers_of(e1.body)
    gamma = (*held, *e1.params)
    rows = ([nabla(gamma, number, (x,)) for number in numbers] for x in gamma)
    return held, [Lam(e1.params, pack(tuple(row))) for row in rows]


def rows_of(g: Term, k: int) -> list[Term]:
    """The rows of a Jacobian, of which one stands for itself."""
    return [g] if k == 1 else [la.component_of(g, j) for j in range(k)]


def by(g: Term, z: Term) -> Term:
    """``g *̂ z``: of a Jacobian a row a number of z (Fig. 17)."""
    zs, held = la.numbers_of(z), la.free_variables(z)

    def scaled(row: Term, number: Term) -> Term:
        return la.by_component(lambda u, _: la.times(u, number), row, row, *held)

    return reduce(la.plus, map(scaled, rows_of(g, len(zs)), zs))


def matmul(g: Term, m: Term, k: int) -> Term:
    """``m *̃ g``: each of k rows of m by g."""
    return pack(tuple(by(g, row) for row in rows_of(m, k)))


def summed(a: Term) -> Term:
    """``reduce +̂ 0̂ A``."""
    row = row_of(a.type)
    return la.op(la.REDUCE, la.fun((row, row), la.plus), la.zero(row), a)
