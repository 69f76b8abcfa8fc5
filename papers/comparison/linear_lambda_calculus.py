"""The linear λ-calculus that CHAD translates into: Figures 3 and 4, Definition 5.4.

    Γ ⊢ t : τ           a program of Cartesian type: numbers, products, functions, and τ ⊸ σ
    Γ; v : τ ⊢ t : σ    a homomorphism of monoids in its linear variable

    case !t ⊗ s of !x ⊗ v → r  =  r[t/x, s/v]     (λv. t) • s = t[s/v]
    t[0/v] = 0,  t[s + r/v] = t[s/v] + t[r/v]

One syntax (``forms``) serves both judgements, and the calculus of 6.2, which is a part of this one:
``la.d`` is ``λv. t``, ``x* t`` is ``t • s``, and ``⊕`` is ``+``. A type is a tensor, a tuple of
types, or a form; a copower ``!σ ⊗ ρ`` is a formal sum of pairs, a list here; 0 is None, and a
cotangent of Γ a dict of its variables', those that are 0 left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from combinators.errors import TypeMismatch
from combinators.objects import Object, Tensor
from combinators.operation import Linear, Operation
from interpreters.carriers.carrier import Carrier
from papers.comparison.forms import Form, form
from papers.plain_functions import partials

# ---- Figure 3: typing ----------------------------------------------------------------------------

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
Types = dict[str, Any]
Used = frozenset[str] | None
"""The linear variables that a term is linear in; None of 0, which is linear in any."""
CARTESIAN = frozenset[str]()
BILINEAR = ("multiply", "scale")
QUOTIENTS = ("divide", "unscale")
"""Linear in the first argument alone."""
LINEAR = ("add", "subtract", "negative")


def typed(
    t: Any, gamma: Types, delta: Types | None = None, see: Callable[[str], None] = lambda _: None
) -> tuple[Any, Used]:
    """The type of ``Γ; Δ ⊢ t``, and what of Δ it uses; ``see`` is told the rules.

    TypeMismatch names the rule of which a premise fails.
    """
    delta = delta or {}

    def at(part: Any, more: Types | None = None, linear: Types | None = None) -> tuple[Any, Used]:
        return typed(part, gamma | (more or {}), delta | (linear or {}), see)

    def by(rule: str, *premises: bool) -> None:
        if not all(premises):
            raise TypeMismatch(f"the rule of {rule} (002, Fig. 3) does not type {t!s:.80}")
        see(rule)

    def alike(rule: str, parts: tuple[Any, ...]) -> tuple[tuple[Any, ...], Used]:
        found = [at(part) for part in parts]
        used = {use for _, use in found if use is not None}
        by(rule, len(used) < 2)
        return tuple(obj for obj, _ in found), next(iter(used), None if found else CARTESIAN)

    match t:
        case Form("x", (name,)):
            by("a" if name in delta else "x", name in delta or name in gamma)
            return (delta[name], frozenset({name})) if name in delta else (gamma[name], CARTESIAN)
        case Form("r", (literal, *obj)):
            return (obj[0] if obj else literal.type), CARTESIAN
        case Form("op", (f, types, args)):
            found = [at(arg) for arg in args]
            rule, linear, both = linear_in(f, [use or CARTESIAN for _, use in found])
            by(rule, linear, types == tuple(obj for obj, _ in found))
            return f.type(*types), both
        case Form("opᵗ", (f, types, args, cotangent)):
            obj, used = at(cotangent)
            by("lop", obj == cotangent_of(f.type(*types)))
            by("lop", [at(arg) for arg in args] == [(one, CARTESIAN) for one in types])
            return tuple(map(cotangent_of, types)), used
        case Form("let", (name, bound, body)):
            obj, used = at(bound)
            if used == CARTESIAN:
                by("let")
                return at(body, {name: obj})
            cod, rest = at(body, linear={name: obj})
            by("let", rest is None or name in rest)
            return cod, rest and (used or CARTESIAN) | (rest - {name})
        case Form("let⟨⟩", (first, second, bound, body)):
            pair, used = at(bound)
            by("let", used == CARTESIAN, isinstance(pair, tuple) and len(pair) == 2)
            return at(body, {first: pair[0], second: pair[1]})
        case Form("⟨⟩", (items,)):
            return alike("⟨⟩", items)
        case Form("π", (index, term)):
            product, used = at(term)
            by("π", isinstance(product, tuple) and index < len(product))
            return product[index], used
        case Form("λ", (name, obj, body)):
            cod, used = at(body, {name: obj})
            by("λ")
            return form("→", obj, cod), used
        case Form("λ⊸" | "l", (name, obj, body)):
            cod, used = at(body, linear={name: obj})
            by("λ⊸", used is None or name in used)
            return form("⊸", obj, cod), (used or CARTESIAN) - {name}
        case Form("@" | "•" | "x*" as kind, (function, argument)):
            (arrow, used), (obj, use) = at(function), at(argument)
            rule, sign = ("@", "→") if kind == "@" else ("•", "⊸")
            by(rule, (use if kind == "@" else used) == CARTESIAN)
            by(rule, isinstance(arrow, Form) and arrow.kind == sign and arrow.args[0] == obj)
            return arrow.args[1], used if kind == "@" else use
        case Form("0", (obj,)):
            by("0")
            return obj, None
        case Form("coproj", (name, context, term)):
            obj, used = at(term)
            by("⟨⟩", obj == dict(context)[name])
            return context, used
        case Form("fst" | "snd" as kind, (name, term)):
            context, used = at(term)
            by("π", context[-1][0] == name)
            return (context[:-1] if kind == "fst" else context[-1][1]), used
        case Form("+" | "⊕", sides):
            (obj, other), used = alike("+", sides)
            by("+", obj == other)
            return obj, used
        case Form("!⊗", (base, fibre)):
            (obj, use), (space, used) = at(base), at(fibre)
            by("!⊗", use == CARTESIAN)
            return form("!⊗", obj, space), used
        case Form("case", (term, base, fibre, body)):
            copower, used = at(term)
            by("case", isinstance(copower, Form) and copower.kind == "!⊗")
            cod, rest = at(body, {base: copower.args[0]}, {fibre: copower.args[1]})
            by("case", rest is None or fibre in rest)
            return cod, rest and (used or CARTESIAN) | (rest - {fibre})
    raise TypeMismatch(f"{t!r:.80} is no term of Fig. 3")


def linear_in(f: Operation, uses: list[frozenset[str]]) -> tuple[str, bool, frozenset[str]]:
    """The rule of an operation, whether it holds, and what the operation is linear in."""
    used = frozenset[str]().union(*uses)
    if not used:
        return "op", True, used
    if f.name in BILINEAR + QUOTIENTS:
        return "t · u", not uses[1] & (uses[0] if f.name in BILINEAR else used), used
    if f.name in LINEAR:
        return "t + u", all(use == used for use in uses), used
    linear = isinstance(f.primitive.derivative, Linear)
    return "t + u", linear and all(not use or use == used for use in uses), used


def cotangent_of(obj: Object) -> Any:
    """``D(realⁿ)₂ = realⁿ``; integers and booleans do not move, so that theirs is 1."""
    return obj if isinstance(obj, Tensor) and obj.is_smooth else ()


# ---- Figure 4: evaluation ------------------------------------------------------------------------


@dataclass
class ChadEvaluation:
    """``⟦t⟧``; ``visits`` counts the applications ``t • s``."""

    over: Carrier
    visits: int = 0

    def coproj(self, name: str, v: Any) -> Any:
        """``coproj_{idx(x;Γ)}(v)``: v in the place of x, and zeros."""
        return {name: v}

    def plus(self, x: Any, y: Any) -> Any:
        """The sum of two linear values: of copowers the formal one, of functions point by point."""
        if x is None or y is None:
            return y if x is None else x
        if isinstance(x, list):
            return x + y
        if isinstance(x, tuple):
            return tuple(map(self.plus, x, y))
        if isinstance(x, dict):
            return {name: self.plus(x.get(name), y.get(name)) for name in x | y}
        return (lambda a: self.plus(x(a), y(a))) if callable(x) else self.over.add(x, y)

    def value(self, t: Any, env: dict[Any, Any]) -> Any:
        """The value of a term, given those of its variables; linear terms of 0 are 0."""
        match t:
            case Form("x", (name,)):
                return env[name]
            case Form("r", (literal,)):
                return self.over.const(literal)
            case Form("op", (f, types, args)):
                xs = [self.value(arg, env) for arg in args]
                return self.over.operation(f, types, f.type(*types))(*xs)
            case Form("let", (name, bound, body)):
                return self.value(body, env | {name: self.value(bound, env)})
            case Form("let⟨⟩", (first, second, bound, body)):
                x, y = self.value(bound, env)
                return self.value(body, env | {first: x, second: y})
            case Form("⟨⟩", (items,)):
                return tuple([self.value(item, env) for item in items])
            case Form("λ" | "λ⊸", (name, _, body)):
                return lambda x: self.value(body, env | {name: x})
            case Form("@", (function, argument)):
                return self.value(function, env)(self.value(argument, env))
            case Form("0"):
                return None
            case Form("+", (left, right)):
                return self.plus(self.value(left, env), self.value(right, env))
            case Form("case", (term, base, fibre, body)):
                total = None
                for x, v in self.value(term, env) or ():
                    total = self.plus(total, self.value(body, env | {base: x, fibre: v}))
                return total
        v = self.value(t.args[-1], env)
        return None if v is None else self.linear(t, v, env)

    def linear(self, t: Any, v: Any, env: dict[Any, Any]) -> Any:
        """The value of a form that is linear in its last argument, which is ``v`` and not 0."""
        match t:
            case Form("π", (index, _)):
                return v[index]
            case Form("fst", (name, _)):
                return {x: w for x, w in v.items() if x != name}
            case Form("snd", (name, _)):
                return v.get(name)
            case Form("•", (function, _)):
                self.visits += 1
                return self.value(function, env)(v)
            case Form("coproj", (name, *_)):
                return self.coproj(name, v)
            case Form("!⊗", (base, _)):
                return [(self.value(base, env), v)]
            case Form("opᵗ", (f, types, args, _)):
                xs, cod = tuple(self.value(arg, env) for arg in args), f.type(*types)
                y = self.over.operation(f, types, cod)(*xs)
                found = {i: slope(v, xs, y) for i, slope in partials(f, types, cod, self.over)}
                return tuple(found.get(i) for i in range(len(types)))
        raise TypeError(t)
