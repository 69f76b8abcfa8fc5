"""CHAD: ``D_Γ``, from programs to the linear λ-calculus (Definitions 5.5 to 5.7).

    D(τ → σ)₁ = D(τ)₁ → D(σ)₁ × (D(σ)₂ ⊸ D(τ)₂)          D(τ → σ)₂ = !D(τ)₁ ⊗ D(σ)₂

    D_Γ(x) = ⟨x, λv. coprojₓ(v)⟩
    D_Γ(let x = t in s) = let ⟨x, x'⟩ = D_Γ(t) in let ⟨y, y'⟩ = D_Γ,x(s) in
                          ⟨y, λv. let v* = y' • v in fst v* + x' • (snd v*)⟩

Γ ⊢ t : τ becomes ``D(Γ)₁ ⊢ D_Γ(t) : D(τ)₁ × (D(τ)₂ ⊸ D(Γ)₂)``; ``fst`` and ``snd`` part D(Γ, x)₂
into Γ's and x's. No cotangent is passed twice; but each ``+`` is of whole environments.

``accumulated`` reads the same term in state: ``D(τ)₂ ⊸ D(Γ)₂`` is what adds to Γ's cotangents, so
that ``coproj`` adds to one of them, ``+`` is "then", and ``snd v*`` takes x's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add
from typing import Any

from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.kit.tree import remade
from combinators.objects import Fun, Object, Tensor
from combinators.terms import App, Const, Lam, Let, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import columns_of
from interpreters.carriers.carrier import Carrier
from papers.comparison import Outcome, Point, flat
from papers.comparison.forms import Form, form
from papers.comparison.linear_lambda_calculus import ChadEvaluation, cotangent_of
from papers.comparison.linear_negation import names_beside

Context = tuple[tuple[str, Object], ...]
"""Γ."""
Rule = tuple[list[tuple[Any, ...]], Form, Callable[[Form], Form]]
"""``let … in ⟨t, λv. s⟩``: the lets, t, and s of v."""


def primal(obj: Object) -> Any:
    """``D(τ)₁`` (5.5 and 5.6)."""
    parts = columns_of(obj)
    match obj:
        case Tensor():
            return obj
        case Fun(dom, cod):
            back = form("⊸", cotangent(cod), cotangent(dom))
            return form("→", primal(dom), (primal(cod), back))
    if parts is None:
        raise MissingRule(f"CHAD (002, Def. 5.6) has no type {obj!r}: realⁿ, 1, × and → alone")
    return tuple(map(primal, parts))


def cotangent(obj: Object) -> Any:
    """``D(τ)₂``."""
    if isinstance(obj, Fun):
        return form("!⊗", primal(obj.dom), cotangent(obj.cod))
    parts = columns_of(obj)
    return cotangent_of(obj) if parts is None else tuple(map(cotangent, parts))


def cotangents(gamma: Context) -> Context:
    """Γ, with ``D(τ)₂`` for τ."""
    return tuple((x, cotangent(obj)) for x, obj in gamma)


@dataclass
class Chad:
    """``D_Γ`` (5.7)."""

    names: Names

    def term(self, t: Term, gamma: Context) -> Form:
        """``D_Γ(t)``."""
        lets, x, back = self.rule(t, gamma)
        made = self.pair(x, t.type, back)
        for let in reversed(lets):
            made = form(*let, made)
        return made

    def rule(self, t: Term, gamma: Context) -> Rule:
        """The rules of Definition 5.7."""
        zero = form("0", cotangents(gamma))
        match t:
            case Var(name):
                return [], form("x", name), partial(form, "coproj", name, cotangents(gamma))
            case Const(literal):
                return [], form("r", literal), lambda _: zero
            case Let(((x, bound), *rest), body):
                return self.let(x, bound, Let(tuple(rest), body) if rest else body, gamma)
            case Tuple(items):
                lets, xs, backs = self.named(items, gamma)
                return lets, form("⟨⟩", xs), partial(summed, backs, zero)
            case Proj(index, product):
                lets, (x,), (back,) = self.named((product,), gamma)
                zeros = [form("0", cotangent(obj)) for obj in columns_of(product.type) or ()]
                before, after = zeros[:index], zeros[index + 1 :]
                return lets, form("π", index, x), lambda v: back @ form("⟨⟩", (*before, v, *after))
            case Lam():
                return self.abstraction(*desugared(t, self.names), gamma)
            case App(function, argument):
                lets, (x, y), (ctx, y_) = self.named((function, argument), gamma)
                z, arg = self.fresh("z", "x'arg")
                lets.append(("let⟨⟩", z.name, arg.name, form("@", x, y)))
                return lets, z, lambda v: ctx @ form("!⊗", y, v) + y_ @ (arg @ v)
            case Prim(f, args) if all(isinstance(a.type, Tensor) for a in (t, *args)):
                lets, xs, backs = self.named(args, gamma)
                (star,) = self.fresh("v*")
                f_x, pulled = (f, tuple(a.type for a in args), xs), summed(backs, zero, star)
                return lets, form("op", *f_x), lambda v: let(star, form("opᵗ", *f_x, v), pulled)
        raise MissingRule(f"CHAD (002, Def. 5.7) has no rule for {t!r:.80}")

    def let(self, x: Var, t: Term, s: Term, gamma: Context) -> Rule:
        """``let x = t in s``: the chain rule, in the docstring of this file."""
        x, s = apart(x, s, gamma, self.names)
        x_, y, y_, star = self.fresh(f"{x.name}'", "y", "y'", "v*")
        inside = self.term(s, (*gamma, (x.name, x.type)))
        lets: Any = [("let⟨⟩", x.name, x_.name, self.term(t, gamma))]
        lets.append(("let⟨⟩", y.name, y_.name, inside))
        both = form("fst", x.name, star) + x_ @ form("snd", x.name, star)
        return lets, y, lambda v: let(star, y_ @ v, both)

    def abstraction(self, x: Var, t: Term, gamma: Context) -> Rule:
        """``let y = λx. D_Γ,x(t) in ⟨λx. let ⟨z, z'⟩ = y x in ⟨z, λv. snd (z' • v)⟩, …⟩``."""
        x, t = apart(x, t, gamma, self.names)
        y, z, z_, x2, x3, w = self.fresh("y", "z", "z'", x.name, x.name, "v")
        closure = form("λ", x.name, primal(x.type), self.term(t, (*gamma, (x.name, x.type))))
        pair = self.pair(z, t.type, lambda v: form("snd", x.name, z_ @ v))
        called = form("let⟨⟩", z.name, z_.name, form("@", y, x2), pair)
        context = form("fst", x.name, form("π", 1, form("@", y, x3)) @ w)
        function = form("λ", x2.name, primal(x.type), called)
        return (
            [("let", y.name, closure)],
            function,
            lambda v: form("case", v, x3.name, w.name, context),
        )

    def fresh(self, *wishes: str) -> tuple[Form, ...]:
        """Variables of their own names."""
        return tuple(form("x", self.names.fresh(wish)) for wish in wishes)

    def pair(self, x: Form, obj: Object, back: Callable[[Form], Form]) -> Form:
        """``⟨x, λv. …⟩``, with v : D(τ)₂."""
        (v,) = self.fresh("v")
        return form("⟨⟩", (x, form("λ⊸", v.name, cotangent(obj), back(v))))

    def named(self, items: Sequence[Term], gamma: Context) -> tuple[list[Any], Any, Any]:
        """``let ⟨x, x'⟩ = D_Γ(t) in let ⟨y, y'⟩ = D_Γ(s) in``, and x, y and x', y'."""
        pairs = [self.fresh("x", "x'") for _ in items]
        both = zip(pairs, items, strict=True)
        lets = [("let⟨⟩", x.name, x_.name, self.term(item, gamma)) for (x, x_), item in both]
        return lets, tuple(x for x, _ in pairs), tuple(x_ for _, x_ in pairs)


def let(v: Form, t: Form, s: Form) -> Form:
    """``let v = t in s``."""
    return form("let", v.name, t, s)


def summed(backs: Sequence[Form], zero: Form, v: Form) -> Form:
    """``x' • (fst v) + y' • (snd v)``."""
    parts = [back @ form("π", i, v) for i, back in enumerate(backs)]
    return reduce(add, parts) if parts else zero


def apart(x: Var, t: Term, gamma: Context, names: Names) -> tuple[Var, Term]:
    """``Γ, x ⊢ t`` with x renamed where Γ has it."""
    if x.name not in dict(gamma):
        return x, t
    new = Var(names.fresh(x.name), x.type)
    return new, remade(
        t, lambda node: new if isinstance(node, Var) and node.name == x.name else node
    )


def desugared(t: Lam, names: Names) -> tuple[Var, Term]:
    """``λ(x, y). t`` as ``λp. let x = fst p in let y = snd p in t``."""
    if len(t.params) == 1:
        return t.params[0], t.body
    p = Var(names.fresh("p"), t.dom)
    parts = tuple((x, Proj(i, p)) for i, x in enumerate(t.params))
    return p, Let(parts, t.body) if parts else t.body


def chad(lam: Lam) -> tuple[Form, Context]:
    """``D_Γ(t)`` of ``λΓ. t``, and Γ."""
    gamma = tuple((x.name, x.type) for x in lam.params)
    return Chad(names_beside(lam)).term(lam.body, gamma), gamma


def gradient(
    lam: Lam,
    point: Point,
    covector: Any,
    over: Carrier,
    reading: Callable[[Carrier], ChadEvaluation] = ChadEvaluation,
) -> Outcome:
    """``y' • ȳ`` of ``⟨y, y'⟩ = D_Γ(t)``."""
    (term, gamma), evaluation = chad(lam), reading(over)
    names = [x for x, _ in gamma]
    y, back = evaluation.value(term, dict(zip(names, point, strict=True)))
    found = back(covector) or {}
    return Outcome(y, flat(lam, point, [found.get(x) for x in names]), evaluation.visits)


# ---- the state-passing reading ------------------------------------------------------------------


@dataclass
class Accumulating(ChadEvaluation):
    """``D(Γ)₂`` is a state, which ``coproj`` adds to and ``snd`` takes from."""

    state: dict[str, Any] = field(default_factory=dict)

    def coproj(self, name: str, v: Any) -> Any:
        """An addition to one variable's cotangent, which is a visit too."""
        self.visits += 1
        self.state[name] = super().plus(self.state.get(name), v)
        return self.state

    def plus(self, x: Any, y: Any) -> Any:
        """Of states: both have been added."""
        return x if x is self.state else super().plus(x, y)

    def value(self, t: Form, env: dict[str, Any]) -> Any:
        """``fst`` and ``snd`` of what a function adds; ``snd`` alone leaves Γ as it was."""
        match t:
            case Form("fst", (name, term)):
                state = self.value(term, env)
                if term.kind == "•":
                    self.state.pop(name, None)
                return state
            case Form("snd", (name, Form("x") as v)):
                state = self.value(v, env)
                return state and state.pop(name, None)
            case Form("snd", (name, term)):
                outside, self.state = self.state, {}
                state, self.state = self.value(term, env), outside
                return state and state.get(name)
        return super().value(t, env)


accumulated = partial(gradient, reading=Accumulating)
"""The gradient by the state-passing reading."""
