"""The linear λ-calculus of 002: Figures 3, 4 and 6, Definition 5.4, the typing rules of 6.2.3.

    Γ ⊢ t : τ           a program: numbers, products, functions, and τ ⊸ σ
    Γ; v : τ ⊢ t : σ    a homomorphism of monoids in its linear variable

    case !t ⊗ s of !x ⊗ v → r  =  r[t/x, s/v]     (λv. t) • s = t[s/v]
    t[0/v] = 0,  t[s + r/v] = t[s/v] + t[r/v]

It is the language, read so: a function to a ``space`` of cotangents is linear, τ ⊸ σ, and ``t • s``
is its application. 0 and + are the language's own, of any type. Besides there are copowers
``!σ ⊗ ρ``, which are formal sums of pairs, and the cotangents of an environment Γ, a record of its
variables', into which ``coproj`` leads. So terms have their types by construction, and what is left
to ask is linearity. What BMP20, CHAD and 6.2 make are such terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial, reduce
from typing import Any

from combinators.errors import TooManyCalls, TypeMismatch
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import Label
from combinators.objects import Fun, Object, Product, Record, Tensor, components
from combinators.operation import Linear, Operation, Primitive, declare
from combinators.primitives.structural import PLUS, ZEROS
from combinators.terms import App, Lam, Let, Prim, Proj, Term, Tuple, Var
from interpreters.carriers.carrier import Carrier
from papers.comparison.graphs import Drawing, numbered
from papers.plain_functions import PlainFunctions, partials, zero_of

# ---- types and terms -----------------------------------------------------------------------------


class FormalSum(Object):
    """The copower ``!σ ⊗ ρ``."""

    __match_args__ = ("base", "fibre")
    base: Object
    fibre: Object

    def __new__(cls, base: Object, fibre: Object) -> FormalSum:
        """``!base ⊗ fibre``."""
        return cls._intern(base, fibre)

    @property
    def name(self) -> str:
        """How it is printed."""
        return f"(!{self.base!r} ⊗ {self.fibre!r})"


def is_space(obj: Object) -> bool:
    """Whether its values are cotangents: numbers, copowers, and products of such."""
    parts = components(obj)
    if parts is not None:
        return all(map(is_space, parts))
    return isinstance(obj, FormalSum) or (isinstance(obj, Tensor) and obj.is_smooth)


class Coprojection(Primitive):
    """``coproj_{idx(x;Γ)}(v)``: v in the place of x, and zeros."""

    variable = ""


@cache
def coproj(gamma: Record, x: str) -> Operation:
    """The coprojection of x into the cotangents of Γ."""
    made = Coprojection(f"coproj[{x}]", lambda v: gamma, None)
    made.variable = x
    return made.plain


TIMES = declare("copower", FormalSum, None, public=False, infix="⊗").plain
"""``!t ⊗ s``."""
CASE = declare("case", lambda copower, function: function.cod, None, public=False).plain
"""``case t of !x ⊗ v → s``, with s as a function of x and v."""
FST = declare(
    "fst", lambda env: Record.of(env.names[:-1], env.product.init), None, public=False
).plain
"""From the cotangents of Γ, x to those of Γ."""
SND = declare("snd", lambda env: env.product.last, None, public=False).plain
"""From the cotangents of Γ, x to that of x."""


def zero(space: Object) -> Term:
    """``0``."""
    return Prim(Operation(ZEROS, (("of", space),)), ())


def summed(terms: Iterable[Term], space: Object) -> Term:
    """``t + s``; 0 of none."""
    first, *rest = [*terms] or [zero(space)]
    return reduce(lambda t, s: Prim(PLUS.plain, (t, s)), rest, first)


def pulled(
    f: Operation, xs: Sequence[Var], y: Var, v: Var, stars: Mapping[int, Term], space: Object
) -> Term:
    """``x₁* (∂₁f(x)·v) + … + xₖ* (∂ₖf(x)·v)``, in which the xᵢ* pull back to ``space``.

    ⟨∂₁f(x)·v, …⟩ is ``Dfᵗ(x; v)``. What a derivative computes is drawn, and written as one term.
    """
    drawing = Drawing(numbered(f"{v.name}."))
    slopes = partials(f, [x.type for x in xs], y.type, drawing)
    calls = [App(stars[i], drawing.term(slope(v, tuple(xs), y))) for i, slope in slopes]
    return summed(calls, space)


def names_beside(t: Term) -> Names:
    """Names that no variable of a program has."""
    return Names(node.name for node in distinct_nodes(t) if isinstance(node, Var))


# ---- Figure 3: what is linear --------------------------------------------------------------------

SECTION_6_2_3 = {
    "0": "Γ ⊢ 0 : D",
    "x": "Γ; x : R ⊢ x : R",
    "a": "Γ; a : R ⊢ a : R",
    "t + u": "Γ;Δ ⊢ t : R   Γ;Δ ⊢ u : R   /   Γ;Δ ⊢ t + u : R",
    "t · u": "Γ;Δ₁ ⊢ t : R   Γ;Δ₂ ⊢ u : R   /   Γ;Δ₁;Δ₂ ⊢ t · u : R",
    "•": "Γ;Δ ⊢ t : R   /   Γ;Δ; x* : R^⊥D ⊢ x* t : D",
    "λ⊸": "Γ;Δ; a : R ⊢ d : D   /   Γ;Δ ⊢ la.d : R^⊥D",
    "+": "Γ;Δ ⊢ d : D   Γ;Δ ⊢ e : D   /   Γ;Δ ⊢ d ⊕ e : D",
    "let": "Γ;Δ₁ ⊢ u : A   Γ;Δ₂; x : A ⊢ t : C   /   Γ;Δ₁;Δ₂ ⊢ let x := u in t : C",
}
"""The nine rules of 6.2.3; ``t + u`` and ``t · u`` are its linear operations, Fig. 3's ``lop``."""
Used = frozenset[str] | None
"""The linear variables that a term is linear in; None of 0, which is linear in any."""
CARTESIAN = frozenset[str]()
BILINEAR = ("multiply", "scale")
QUOTIENTS = ("divide", "unscale")
"""Linear in the first argument alone."""
LINEAR = ("add", "subtract", "negative")


def linear_in(
    t: Term, delta: frozenset[str] = CARTESIAN, see: Callable[[str], None] = lambda _: None
) -> Used:
    """What of Δ a term ``Γ; Δ ⊢ t`` uses: it is linear in that; ``see`` is told the rules.

    TypeMismatch names the rule of which a premise fails.
    """

    def at(part: Term, more: Iterable[Var] = ()) -> Used:
        return linear_in(part, delta | {x.name for x in more}, see)

    def by(rule: str, *premises: bool) -> None:
        if not all(premises):
            raise TypeMismatch(f"the rule of {rule} (002, Fig. 3) does not type {t!r:.80}")
        see(rule)

    def alike(rule: str, parts: Sequence[Term]) -> Used:
        found = [at(part) for part in parts]
        used = {use for use in found if use is not None}
        by(rule, len(used) < 2)
        return next(iter(used), None if found else CARTESIAN)

    def without(rule: str, x: Var, inside: Used) -> frozenset[str]:
        by(rule, inside is None or x.name in inside)
        return (inside or CARTESIAN) - {x.name}

    match t:
        case Var(name):
            by("a" if name in delta else "x")
            return delta & {name}
        case Let(bindings, body):
            uses = list[tuple[Var, Used]]()
            for x, bound in bindings:
                use = at(bound)
                if use != CARTESIAN:
                    delta |= {x.name}
                    uses.append((x, use))
            inside = at(body)
            by("let")
            for x, use in reversed(uses):
                rest = without("let", x, inside)
                inside = None if inside is None else rest.union(use or CARTESIAN)
            return inside
        case Tuple(items):
            return alike("⟨⟩", items)
        case Proj(_, product):
            return at(product)
        case Lam((v,), body) if is_space(body.type):
            return without("λ⊸", v, at(body, [v]))
        case Lam(_, body):
            return at(body)
        case App(function, argument) if is_space(t.type):
            by("•", at(function) == CARTESIAN)
            return at(argument)
        case App(function, argument):
            by("@", at(argument) == CARTESIAN)
            return at(function)
        case Prim(f) if f.primitive is ZEROS:
            by("0")
            return None
        case Prim(f, args) if f.primitive is PLUS:
            return alike("+", args)
        case Prim(f, (base, fibre)) if f == TIMES:
            by("!⊗", at(base) == CARTESIAN)
            return at(fibre)
        case Prim(f, (copower, Lam((_, v), body))) if f == CASE:
            return (at(copower) or CARTESIAN) | without("case", v, at(body, [v]))
        case Prim(f, (part,)) if f in (FST, SND) or isinstance(f.primitive, Coprojection):
            return at(part)
        case Prim(f, args):
            rule, holds, used = linear_operation(f, [at(arg) or CARTESIAN for arg in args])
            by(rule, holds)
            return used
    return CARTESIAN


def linear_operation(f: Operation, uses: list[frozenset[str]]) -> tuple[str, bool, frozenset[str]]:
    """The rule of an operation, whether it holds, and what the operation is linear in."""
    used = CARTESIAN.union(*uses)
    if not used:
        return "op", True, used
    if f.name in BILINEAR + QUOTIENTS:
        return "t · u", not uses[1] & (uses[0] if f.name in BILINEAR else used), used
    if f.name in LINEAR:
        return "t + u", all(use == used for use in uses), used
    linear = isinstance(f.primitive.derivative, Linear)
    return "t + u", linear and all(not use or use == used for use in uses), used


# ---- Figure 4: evaluation ------------------------------------------------------------------------

MOST = 100_000
"""Calls of backpropagators, of which there may be exponentially many (3.1)."""


@dataclass(frozen=True)
class LinearFunctions(PlainFunctions):
    """``⟦t⟧``; ``visits`` counts the applications ``t • s``.

    A linear value is used once, so that a sum of environments may be made ``in_place``: then only
    what a ``coproj`` adds is added. It is a visit too.
    """

    over: Carrier
    in_place: bool = False
    visits: Counter[str] = field(default_factory=Counter)

    def see(self, what: str) -> None:
        """A visit."""
        self.visits[what] += 1
        if self.visits[what] > MOST:
            raise TooManyCalls(f"linear negation (002, 3.1) calls more than {MOST} times")

    def curry(self, captured: Product, function: Fun, body: Any, label: Label) -> Any:
        """A closure; ``λv. t``."""

        def applied(context: Any, v: Any) -> Any:
            self.see("•")
            return body((*context, v))

        if is_space(function.cod):
            return lambda context: partial(applied, context)
        return super().curry(captured, function, body, label)

    def computation(self, operation: Operation, dom: Object, cod: Object) -> Callable[..., Any]:
        """What is linear, and the rest as it is."""
        match operation.primitive:
            case p if p is ZEROS:
                return lambda: self.zero(cod)
            case p if p is PLUS:
                return self.plus
            case Coprojection() as p:
                return lambda v: self.coproj(p.variable, v)
        match dom:
            case Record((*_, x)) if operation == FST:
                return lambda env: {name: v for name, v in env.items() if name != x}
            case Record((*_, x)) if operation == SND:
                return lambda env: env[x] if x in env else self.zero(cod)
        if operation == TIMES:
            return lambda x, v: [(x, v)]
        if operation == CASE:
            return lambda pairs, f: reduce(self.plus, map(f, pairs), self.zero(cod))
        return super().computation(operation, dom, cod)

    def coproj(self, x: str, v: Any) -> Any:
        """The cotangents of Γ, of which those that are 0 are left out."""
        if self.in_place:
            self.see("coproj")
        return {x: v}

    def zero(self, obj: Object) -> Any:
        """``0``: of a copower the empty sum."""
        if isinstance(obj, Product):
            return tuple(map(self.zero, obj))
        empty: Any = {} if isinstance(obj, Record) else []
        return self.over.const(zero_of(obj)) if isinstance(obj, Tensor) else empty

    def plus(self, x: Any, y: Any) -> Any:
        """``x + y``: of copowers the formal sum, of environments that of each variable."""
        match x:
            case tuple():
                return tuple(map(self.plus, x, y))
            case list():
                return x + y
            case dict():
                small, large = sorted((x, y), key=len)
                made = large if self.in_place else dict(large)
                for name, v in small.items():
                    made[name] = self.plus(made[name], v) if name in made else v
                return made
        return self.over.add(x, y)
