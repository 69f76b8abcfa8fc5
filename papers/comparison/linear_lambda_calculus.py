"""The linear λ-calculus of 002: Figures 3, 4 and 6, Definition 5.4, the typing rules of 6.2.3.

    Γ ⊢ t : τ           a program: numbers, products, functions, and τ ⊸ σ
    Γ; v : τ ⊢ t : σ    a homomorphism of monoids in its linear variable

    case !t ⊗ s of !x ⊗ v → r  =  r[t/x, s/v]     (λv. t) • s = t[s/v]
    t[0/v] = 0,  t[s + r/v] = t[s/v] + t[r/v]

It is the language, read so: a function to a ``space`` of cotangents is linear, τ ⊸ σ, and ``t • s``
is its application; 0 and + are of any type. Besides there are copowers ``!σ ⊗ ρ``, and the
cotangents of an environment Γ, a record of its variables', into which ``coproj`` leads. Terms have
their types by construction, and what is left to ask is linearity.
"""

from __future__ import annotations

import math
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
from papers.comparison.graphs import Drawing, slopes
from papers.plain_functions import Numbers, PlainFunctions, zero_of

# ---- types and terms -----------------------------------------------------------------------------


class FormalSum(Object):
    """The copower ``!σ ⊗ ρ``."""

    __match_args__ = ("base", "fibre")

    @property
    def name(self) -> str:
        """How it is printed."""
        base, fibre = self.arguments()
        return f"(!{base!r} ⊗ {fibre!r})"


def copower(base: Object, fibre: Object) -> Object:
    """``!base ⊗ fibre``."""
    return FormalSum._intern(base, fibre)


def is_space(obj: Object) -> bool:
    """Whether its values are cotangents: numbers, copowers, and products of such."""
    parts = components(obj)
    if parts is not None:
        return all(map(is_space, parts))
    return isinstance(obj, FormalSum) or (isinstance(obj, Tensor) and obj.is_smooth)


COPROJECTIONS: dict[Primitive, str] = {}
"""The variable of each."""


@cache
def coproj(gamma: Record, x: str) -> Operation:
    """``coproj_{idx(x;Γ)}(v)``: v in the place of x among the cotangents of Γ, and zeros."""
    made = _linear(f"coproj[{x}]", lambda v: gamma)
    COPROJECTIONS[made] = x
    return made.plain


def _linear(name: str, typing: Callable[[Any], Object]) -> Primitive:
    """A homomorphism of one argument."""
    return declare(name, typing, Linear(lambda v: ()), public=False)


FST = _linear("fst", lambda env: Record.of(env.names[:-1], env.product.init))
"""From the cotangents of Γ, x to those of Γ."""
SND = _linear("snd", lambda env: env.product.last)
"""From the cotangents of Γ, x to that of x."""
TIMES = declare("copower", copower, None, public=False, infix="⊗")
"""``!t ⊗ s``."""
CASE = declare("case", lambda copower, function: function.cod, None, public=False)
"""``case t of !x ⊗ v → s``, with s as a function of x and v."""


def call(f: Primitive, *args: Term) -> Term:
    """``f(t, s)``."""
    return Prim(f.plain, args)


def zero(space: Object) -> Term:
    """``0``."""
    return Prim(Operation(ZEROS, (("of", space),)), ())


def summed(terms: Iterable[Term], space: Object) -> Term:
    """``t + s``; 0 of none."""
    first, *rest = [*terms] or [zero(space)]
    return reduce(partial(call, PLUS), rest, first)


def pulled(t: Term, y: Var, v: Var, stars: Mapping[int, Term]) -> list[Term]:
    """``x₁* (∂₁f(x)·v)``, …, ``xₖ* (∂ₖf(x)·v)`` of ``y = f(x)``.

    ⟨∂₁f(x)·v, …⟩ is ``Dfᵗ(x; v)``. What a derivative computes is drawn, and written as one term.
    """
    drawing = Drawing("d")
    found = [(stars[i], slope(v, t.below(), y)) for i, slope in slopes(t, drawing)]
    return [App(x_star, drawing.written(d)) for x_star, d in found]


def linear(names: Names, v: str, obj: Object, body: Callable[[Var], Term]) -> Lam:
    """``λv. …``, with a name of its own for v."""
    variable = Var(names.fresh(v), obj)
    return Lam((variable,), body(variable))


def names_beside(t: Term) -> Names:
    """Names that no variable of a program has."""
    return Names(node.name for node in distinct_nodes(t) if isinstance(node, Var))


# ---- Figure 3: what is linear --------------------------------------------------------------------

Used = frozenset[str] | None
"""The linear variables that a term is linear in; None of 0, which is linear in any."""
CARTESIAN = frozenset[str]()
ADDITIVE = {"plus": "+", "add": "t + u", "subtract": "t + u", "negative": "t + u"}
IN_ONE = {"copower": ("!⊗", 1), "case": ("case", 0), "divide": ("÷", 0), "unscale": ("÷", 0)}
"""What is linear in one of its two arguments, and in which; those of addition are so together."""
BILINEAR = ("multiply", "scale")


def linear_in(
    t: Term, delta: frozenset[str] = CARTESIAN, see: Callable[[str], None] = lambda _: None
) -> Used:
    """What of Δ a term ``Γ; Δ ⊢ t`` uses: it is linear in that; ``see`` is told the rules.

    TypeMismatch names the rule of which a premise fails.
    """

    def at(part: Term, *more: Var) -> Used:
        return linear_in(part, delta | {x.name for x in more}, see)

    def by(rule: str, premise: bool, used: Used) -> Used:
        if not premise:
            raise TypeMismatch(f"the rule of {rule} (002, Fig. 3) does not type {t!r:.80}")
        see(rule)
        return used

    def alike(rule: str, parts: Sequence[Term]) -> Used:
        found = [at(part) for part in parts]
        used = {use for use in found if use is not None}
        return by(rule, len(used) < 2, next(iter(used), None if found else CARTESIAN))

    def in_one(rule: str, part: Term, cartesian: Term) -> Used:
        return by(rule, at(cartesian) == CARTESIAN, at(part))

    def without(rule: str, x: Var, inside: Used) -> frozenset[str]:
        by(rule, inside is None or x.name in inside, inside)
        return (inside or CARTESIAN) - {x.name}

    match t:
        case Var(name):
            return by("a" if name in delta else "x", True, delta & {name})
        case Let(bindings, body):
            uses = dict[Var, Used]()
            for x, bound in bindings:
                if (use := at(bound)) != CARTESIAN:
                    delta, uses[x] = delta | {x.name}, use
            inside = by("let", True, at(body))
            for x in reversed(uses):
                rest = without("let", x, inside)
                inside = None if inside is None else rest.union(uses[x] or CARTESIAN)
            return inside
        case Tuple(items):
            return alike("⟨⟩", items)
        case Proj(_, product):
            return at(product)
        case Lam((*_, v), body) if is_space(body.type):
            return without("λ⊸", v, at(body, v))
        case Lam(_, body):
            return at(body)
        case App(f, x):
            return in_one("•", x, f) if is_space(t.type) else in_one("@", f, x)
        case Prim(f) if f.primitive is ZEROS:
            return by("0", True, None)
        case Prim(f, args) if f.name in ADDITIVE:
            return alike(ADDITIVE[f.name], args)
        case Prim(f, args) if f.name in IN_ONE:
            rule, which = IN_ONE[f.name]
            return in_one(rule, args[which], args[1 - which])
        case Prim(f, args):
            found = [at(arg) or CARTESIAN for arg in args]
            used = CARTESIAN.union(*found)
            if f.name in BILINEAR:
                return by("t · u", not found[0] & found[1], used)
            is_linear = isinstance(f.primitive.derivative, Linear)
            is_linear = is_linear and all(not use or use == used for use in found)
            return by("op", is_linear or not used, used)
    return CARTESIAN


# ---- Figure 4: evaluation ------------------------------------------------------------------------


@dataclass(frozen=True)
class LinearFunctions(PlainFunctions):
    """``⟦t⟧``; ``visits`` counts the applications ``t • s``.

    A linear value is used once, so that a sum of environments may be made ``in_place``: then only
    what a ``coproj`` adds is added. It is a visit too.
    """

    over: Numbers
    in_place: bool = False
    most: float = math.inf
    visits: Counter[str] = field(default_factory=Counter)

    def see(self, what: str) -> None:
        """A visit."""
        self.visits[what] += 1
        if self.visits[what] > self.most:
            raise TooManyCalls(f"linear negation (002, 3.1) calls more than {self.most} times")

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
        x = dom.names[-1] if isinstance(dom, Record) and dom.names else ""
        algebra: dict[Primitive, Callable[..., Any]] = {
            ZEROS: lambda: self.zero(cod),
            PLUS: self.plus,
            FST: lambda env: self.without(x, env),
            SND: lambda env: env[x] if x in env else self.zero(cod),
            TIMES: lambda x, v: {object(): (x, v)},
            CASE: lambda sum_, f: reduce(self.plus, map(f, sum_.values()), self.zero(cod)),
        }
        f = operation.primitive
        if f in COPROJECTIONS:
            return partial(self.coproj, COPROJECTIONS[f])
        return algebra.get(f) or super().computation(operation, dom, cod)

    def coproj(self, x: str, v: Any) -> Any:
        """The cotangents of Γ, of which those that are 0 are left out."""
        if self.in_place:
            self.see("coproj")
        return {x: v}

    def without(self, x: str, env: dict[Any, Any]) -> dict[Any, Any]:
        """The cotangents of Γ, of those of Γ, x: the rules ask for x's before."""
        left = env if self.in_place else dict(env)
        left.pop(x, None)
        return left

    def zero(self, obj: Object) -> Any:
        """``0``: of a copower, and of an environment, the empty sum."""
        if isinstance(obj, Product):
            return tuple(map(self.zero, obj))
        return self.over.const(zero_of(obj)) if isinstance(obj, Tensor) else {}

    def plus(self, x: Any, y: Any) -> Any:
        """``x + y``: of copowers the formal sum, of environments that of each variable."""
        if isinstance(x, tuple):
            return tuple(map(self.plus, x, y))
        if not isinstance(x, dict):
            return self.over.add(x, y)
        small, large = sorted((x, y), key=len)
        made = large if self.in_place else dict(large)
        for name, v in small.items():
            if name in made:
                self.see("⊕")
            made[name] = self.plus(made[name], v) if name in made else v
        return made
