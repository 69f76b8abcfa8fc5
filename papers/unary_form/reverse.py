"""Pure reverse mode, from Source to Target (Fig. 5), with Figs. 13 and 16.

    D_Γ,Y(A) = A × (Γ × A → ρ)                                for a continuation Y : Γ → ρ
    D_Γ,Y(c) = ⟨c, fun (x, z) → Y(x)⟩
    D_Γ,Y(x) = ⟨x, fun (x, z) → Y(x +̂ [pos(x)]z)⟩
    D_Γ,Y(let x = e₁ in e₂) = let x, Y₁ = D_Γ,Y(e₁) in
                              let y, Y₂ = D_Γ,x,Y₁(e₂) in ⟨y, fun (x, z) → Y₂(x, 0, z)⟩
    D_Γ,Y(e₁ op2 e₂) = let x₁, Y₁ = D_Γ,Y(e₁) in
                       let x₂, Y₂ = D_Γ,x₁,Y₁(e₂) in ⟨x₁ op2 x₂, fun (x, z) → Y₂(x, Jᵀop2 z)⟩
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

All that has operands, or none as c, is written as op2 is: of pairs, projections and op1 the figure
calls Y where Y₁ or Y₂ is meant. It leaves the 0 of reduce's y₁ out, which Example 3.1 has; foldl
(Fig. 16), whose y₁ is no unit, has ``z * reduce * 1`` of the slopes A₁ before they are shifted. Of
Fig. 13 the B₂ that is printed is no derivative. ∇_Γ is taken in the variables that e₁ has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.terms import Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, captured, pack
from combinators.type_folds import row_of
from papers.unary_form import languages as la

Rest = Callable[..., Term]
Cotangents = tuple[dict[str, Term], tuple[Term, ...]]
"""What is added to variables of Γ, and what the operands get."""
Bindings = list[tuple[Var, Term]]
Transposed = tuple[Bindings, Callable[[Term], Cotangents]]
"""What is named first, and ``Jᵀop`` as a function of z."""


@dataclass(frozen=True)
class Reverse:
    """``D``, with names that nothing has."""

    names: Names

    def D(self, gamma: la.Context, Y: Term, e: Term) -> Term:
        """Of type ``A × (Γ × A → ρ)``, in ``Γ, Y : Γ → ρ`` (Lemma 3.2)."""
        match e:
            case Var(name):
                return self.pair(
                    gamma, e, lambda *xs: self.onward(gamma, Y, xs[:-1], {name: xs[-1]})
                )
            case Let(((x, e1),), e2):

                def after(x: Var, Y1: Var) -> Term:
                    return self.bound("v", self.D((*gamma, x), Y1, e2), without)

                def without(y: Var, Y2: Var) -> Term:
                    return self.pair(
                        gamma, y, lambda *xs: la.call(Y2, *xs[:-1], la.zero(x.type), xs[-1])
                    )

                return self.bound(x, self.D(gamma, Y, e1), after)
            case Cond():
                return self.choice(gamma, Y, e)
        return self.operation(gamma, Y, e, ())

    def operation(self, gamma: la.Context, Y: Term, e: Term, ys: la.Context) -> Term:
        """The operands from left to right, each of which Γ has from then on; then ``op``."""
        operands = la.operands_of(e)
        if len(ys) < len(operands):
            return self.bound(
                "v",
                self.D((*gamma, *ys), Y, operands[len(ys)]),
                lambda y, Y1: self.operation(gamma, Y1, e, (*ys, y)),
            )
        bindings, transposed = self.transposed(e, ys)

        def back(*xs: Term) -> Term:
            more, found = transposed(xs[-1])
            return self.onward(gamma, Y, xs[:-1], more, found)

        return la.lets(bindings, self.pair(gamma, la.applied(e, ys), back))

    def choice(self, gamma: la.Context, Y: Term, e: Cond) -> Term:
        """``⟨if b then e₂ else e₃, fun (x, z) → Y(x +̂ (∇e₂ * b +̂ ∇e₃ * (1 - b)) * z)⟩``.

        The solution of section 7.2; a branch that is not taken is not computed.
        """
        b = Var(self.names.fresh("b"), e.test.type)

        def back(*xs: Term) -> Term:
            copies = [la.distinct(part, self.names) for part in (e.then, e.other)]
            then, other = (self.gradient(gamma, part, gamma) for part in copies)
            chosen = Var(self.names.fresh("g"), then.type)
            parts = [chosen] if len(gamma) == 1 else [Proj(i, chosen) for i in range(len(gamma))]
            scaled = [self.by(part, xs[-1]) for part in parts]
            more = {x.name: g for x, g in zip(gamma, scaled, strict=True)}
            return la.let(chosen, Cond(b, then, other), self.onward(gamma, Y, xs[:-1], more))

        return la.let(b, e.test, self.pair(gamma, Cond(b, e.then, e.other), back))

    def pair(self, gamma: la.Context, value: Term, back: Rest) -> Term:
        """``⟨e, fun (x, z) → …⟩``."""
        types = [*(x.type for x in gamma), value.type]
        return Tuple((value, la.fun(self.names, types, back, "y" * len(gamma) + "z")))

    def bound(self, wish: str | Var, d: Term, rest: Rest) -> Term:
        """``let y, Y = D(e) in …``."""
        p = Var(self.names.fresh("p"), d.type)
        y = wish if isinstance(wish, Var) else Var(self.names.fresh(wish), Proj(0, d).type)
        Y = Var(self.names.fresh("Y"), Proj(1, d).type)
        return la.let(p, d, la.let(y, Proj(0, p), la.let(Y, Proj(1, p), rest(y, Y))))

    def onward(
        self,
        gamma: la.Context,
        Y: Term,
        xs: tuple[Term, ...],
        more: dict[str, Term],
        found: tuple[Term, ...] = (),
    ) -> Term:
        """``Y(x +̂ …, …)``; a term is added where it belongs, and no zeros elsewhere (2.4)."""
        added = (
            la.plus(self.names, x, more[y.name]) if y.name in more else x
            for x, y in zip(xs, gamma, strict=True)
        )
        return la.call(Y, *added, *found)

    def gradient(self, gamma: la.Context, e: Term, wanted: la.Context, unit: Term = la.ONE) -> Term:
        """``∇_ρ(e) = π₂ D_Γ,Y(e)(0_Γ, 1)``, where Y projects to the variables that are wanted."""
        places = [[x.name for x in gamma].index(x.name) for x in wanted]
        types = [x.type for x in gamma]
        Y = la.fun(self.names, types, lambda *ys: pack(tuple(ys[i] for i in places)))
        return la.call(Proj(1, self.D(gamma, Y, e)), *map(la.zero, types), unit)

    def transposed(self, e: Term, ys: Sequence[Var]) -> Transposed:
        """``z ↦ Jᵀop z`` at ``ys``."""
        match e:
            case Const():
                return [], lambda z: ({}, ())
            case Tuple():
                return [], lambda z: ({}, tuple(la.component_of(z, i) for i in range(len(ys))))
            case Proj(i, product):
                zeros = [la.zero(y) for y in product.type.parts]  # type: ignore[attr-defined]
                return [], lambda z: ({}, (Tuple((*zeros[:i], z, *zeros[i + 1 :])),))
            case Prim(f, (Lam() as e1, *_)) if f == la.MAP2:
                return self.of_map2(e1, *ys)
            case Prim(f, (Lam() as e1, *_)) if f in (la.REDUCE, la.FOLDL):
                return self.of_fold(e1, *ys, is_foldl=f == la.FOLDL)
            case Prim(f) if f not in la.SECOND_ORDER:
                slopes = [la.derivative(f, i, ys) for i in range(len(ys))]
                return [], lambda z: ({}, tuple(la.times(slope, z) for slope in slopes))
        raise MissingRule(f"Fig. 5 of 000 has no rule for {e!r:.80}")

    def of_map2(self, e1: Lam, a: Var, b: Var) -> Transposed:
        """``Jᵀmap2``: three series of gradients of e₁."""
        *of_gamma, of_x, of_y = (la.op(la.MAP2, d, a, b) for d in self.nablas(e1))

        def back(z: Term) -> Cotangents:
            more = [self.summed(self.scaled(d, z)) for d in of_gamma]
            return self.to(e1, more), (self.scaled(of_x, z), self.scaled(of_y, z))

        return [], back

    def of_fold(self, e1: Lam, y1: Var, a: Var, *, is_foldl: bool) -> Transposed:
        """``Jᵀreduce`` and ``Jᵀfoldl``."""
        *in_gamma, in_x, in_y = self.nablas(e1)
        k, one = len(la.units(y1.type)), pack(tuple(la.units(y1.type)))
        later = la.times if k == 1 else lambda m, j: self.matmul(j, m, k)
        sooner = la.times if k == 1 else lambda m, j: self.matmul(m, j, k)
        after, before = (la.fun(self.names, (one.type,) * 2, f, "ab") for f in (later, sooner))
        bound: Bindings = []

        def named(term: Term) -> Var:
            bound.append((Var(self.names.fresh("A"), term.type), term))
            return bound[-1][0]

        a0 = named(la.op(la.SHIFT1R, la.op(la.SCANL, la.distinct(e1, self.names), y1, a)))
        slopes: Term = la.op(la.MAP2, in_x, a0, a)
        slopes = named(slopes) if is_foldl else slopes
        a1 = named(la.op(la.SHIFT1L, slopes))
        a2 = named(la.op(la.MAP2, in_y, a0, a))
        a3 = named(la.op(la.SCANR, after, one, a1))
        b0 = [named(la.op(la.MAP2, d, a0, a)) for d in in_gamma]

        def back(z: Term) -> Cotangents:
            b2 = [self.by(self.summed(self.products(d, a3, k)), z) for d in b0]
            start = la.zero(y1.type)
            if is_foldl:
                start = self.by(la.op(la.REDUCE, before, one, slopes), z)
            types = row_of(a2.type), one.type
            by_z = la.fun(self.names, types, lambda x, y: self.by(x, self.by(y, z)), "ab")
            return self.to(e1, b2), (start, la.op(la.MAP2, by_z, a2, a3))

        return bound, back

    def nablas(self, e1: Lam) -> list[Lam]:
        """``a, b. (∇_{…} e₁)[a/x, b/y]``, for each variable of Γ that e₁ has, for x and for y."""
        held, found = captured(e1)[0], []
        for i in range(len(held) + 2):
            copy = la.distinct(e1, self.names)
            gamma = (*held, *copy.params)
            rows = (
                self.gradient(gamma, la.distinct(copy.body, self.names), (gamma[i],), unit)
                for unit in la.units(copy.body.type)
            )
            found.append(Lam(copy.params, pack(tuple(rows))))
        return found

    def to(self, e1: Lam, more: Sequence[Term]) -> dict[str, Term]:
        """What is added to the variables of Γ that e₁ has."""
        return {x.name: g for x, g in zip(captured(e1)[0], more, strict=True)}

    def by(self, g: Term, z: Term) -> Term:
        """``g *̂ z``: of a Jacobian a row a number of z (Fig. 17), or of one row and a number."""
        zs = la.numbers_of(z)
        if len(zs) > 1:
            rows = (self.by(la.component_of(g, j), one) for j, one in enumerate(zs))
            return reduce(lambda x, y: la.plus(self.names, x, y), rows)
        return la.by_component(self.names, lambda u, _: la.times(u, z), g.type, g, g)

    def scaled(self, a: Term, z: Term) -> Term:
        """``map2 *̂ A Z``."""
        types = row_of(a.type), row_of(z.type)
        return la.op(la.MAP2, la.fun(self.names, types, self.by, "ab"), a, z)

    def matmul(self, g: Term, m: Term, k: int) -> Term:
        """``m *̃ g``: each of k rows of m by g."""
        return pack(tuple(self.by(g, la.component_of(m, j) if k > 1 else m) for j in range(k)))

    def products(self, d: Term, a3: Term, k: int) -> Term:
        """``map2 ×̂ A₃ B₀``."""
        types = row_of(d.type), row_of(a3.type)
        times = la.fun(self.names, types, lambda g, m: self.matmul(g, m, k), "ab")
        return la.op(la.MAP2, times, d, a3)

    def summed(self, a: Term) -> Term:
        """``reduce +̂ 0̂ A``."""
        row = row_of(a.type)
        adding = la.fun(self.names, (row, row), lambda x, y: la.plus(self.names, x, y), "ab")
        return la.op(la.REDUCE, adding, la.zero(row), a)


def gradient(gamma: la.Context, e: Term, wanted: la.Context | None = None) -> Term:
    """``∇_Γ(e)``, of ``Γ ⊢ e : R``.

    >>> from combinators.objects import Real
    >>> from combinators.operation import Operation, named
    >>> from combinators.terms import Prim
    >>> x = Var("x", Real)
    >>> gradient((x,), Prim(Operation(named("sin")), (x,))).type
    Real
    """
    names = la.names_of(e, *gamma)
    return Reverse(names).gradient(gamma, la.distinct(e, names), wanted or gamma)
