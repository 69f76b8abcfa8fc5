"""The reformulated calculus (section 6.2): SOURCE and TARGET, ``la.d``, typing and evaluation.

    t, u ::= x | ⟨t, u⟩ | π₁ t | π₂ t | let x := u in t | f(t₁ … tₙ) | la.d      (SOURCE)
    d, e ::= 0 | d ⊕ e | x* t                                                   (TARGET)
    A, B ::= R | R^⊥D | D | A × B

    x* t ⊕ x* u                    →  x* (t + u)
    let x* := la.d in C{x* u}      →  C{d[u/a]}       provided that x* ∉ C

Of ``x + x``, with ``x*`` the backpropagator that stays free: ``let y* := la. x* a ⊕ x* a in y* 1``
goes to ``x* 1 ⊕ x* 1``, to ``x* (1 + 1)`` and to ``x* 2``: the normal form is the gradient.

Three things are read into the rules. A backpropagator may be left out of one side of ⊕, or no
``x₁* a ⊕ x₂* a`` has a type; ⊕ is commutative and associative, with 0; and ``let x* := la.d in t``
with x* not in t is t, since rule 6 wants one occurrence. These, pairs and ``f``, are ``added``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from combinators.errors import TypeMismatch
from combinators.literal import Literal
from combinators.objects import Object
from combinators.operation import Linear, Operation
from combinators.type_folds import is_smooth
from interpreters.carriers.carrier import Carrier
from papers.comparison.forms import Form, form, occurs, replaced
from papers.comparison.graphs import ADD, Drawing, Graph, GraphNode, Hyperedge, numbered

ZERO = form("0")
BILINEAR = ("multiply", "scale")
QUOTIENTS = ("divide", "unscale")
"""Linear in the first argument alone."""
LINEAR = ("add", "subtract", "negative")


# ---- the transformation: Definition 6.1 and the last remark of 6.2.4 -----------------------------


def transformed(graph: Graph) -> Form:
    """``D_l`` of a graph's term: ``let y := f(x) in let y* := la. ⊕ xᵢ* (∂ᵢf(x)·a) in …``.

    The inputs' numbers x and backpropagators x* are free; the result is ``⟨y, y* ȳ⟩``.
    """
    (y,) = graph.outputs
    result = form("⟨⟩", (number(y), form("x*", star(y), form("x", "ȳ"))))
    for i, edge in reversed(list(enumerate(graph.hyperedges))):
        if is_smooth(edge.target.obj):
            negation = form("l", f"a{i}", pulled(edge, GraphNode(f"a{i}", edge.target.obj)))
            result = form("let", f"{edge.target.name}*", negation, result)
        result = form("let", edge.target.name, right_hand_side(edge, number), result)
    return result


def number(z: GraphNode) -> Form:
    """The variable of a number."""
    return form("x", z.name)


def star(z: GraphNode) -> Form:
    """That of its backpropagator."""
    return form("x", f"{z.name}*")


def right_hand_side(edge: Hyperedge, source: Callable[[GraphNode], Form]) -> Form:
    """``f(x)``."""
    if isinstance(edge.label, Literal):
        return form("r", edge.label, edge.label.type)
    return form("op", edge.label, edge.types, tuple(map(source, edge.sources)))


def pulled(edge: Hyperedge, a: GraphNode) -> Form:
    """``⊕ xᵢ* (∂ᵢf(x)·a)``; what a derivative computes is drawn, and written as one term."""
    drawing = Drawing(numbered(f"{a.name}."))

    def source(z: GraphNode) -> Form:
        made = next((e for e in drawing.hyperedges if e.target is z), None)
        return number(z) if made is None else right_hand_side(made, source)

    return summed(
        form("x*", star(edge.sources[i]), source(slope(a, edge.sources, edge.target)))
        for i, slope in edge.slopes(drawing)
    )


def summed(calls: Iterable[Form]) -> Form:
    """``d ⊕ e``; 0 of none."""
    first, *rest = [*calls] or [ZERO]
    return reduce(lambda d, e: form("⊕", d, e), rest, first)


# ---- 6.2.3: typing rules -------------------------------------------------------------------------


@dataclass(frozen=True)
class CalculusRule:
    """A rule by its name and how it reads; ``added`` where the paper has none."""

    name: str
    says: str
    added: bool = False

    def __str__(self) -> str:
        return self.says


TYPING = {
    rule.name: rule
    for rule in (
        CalculusRule("0", "Γ ⊢ 0 : D"),
        CalculusRule("x", "Γ; x : R ⊢ x : R"),
        CalculusRule("a", "Γ; a : R ⊢ a : R"),
        CalculusRule("+", "Γ;Δ ⊢ t : R   Γ;Δ ⊢ u : R   /   Γ;Δ ⊢ t + u : R"),
        CalculusRule("·", "Γ;Δ₁ ⊢ t : R   Γ;Δ₂ ⊢ u : R   /   Γ;Δ₁;Δ₂ ⊢ t · u : R"),
        CalculusRule("x* t", "Γ;Δ ⊢ t : R   /   Γ;Δ; x* : R^⊥D ⊢ x* t : D"),
        CalculusRule("la.d", "Γ;Δ; a : R ⊢ d : D   /   Γ;Δ ⊢ la.d : R^⊥D"),
        CalculusRule("⊕", "Γ;Δ ⊢ d : D   Γ;Δ ⊢ e : D   /   Γ;Δ ⊢ d ⊕ e : D"),
        CalculusRule(
            "let", "Γ;Δ₁ ⊢ u : A   Γ;Δ₂; x : A ⊢ t : C   /   Γ;Δ₁;Δ₂ ⊢ let x := u in t : C"
        ),
        CalculusRule("⟨⟩", "Γ;Δ₁ ⊢ t : A   Γ;Δ₂ ⊢ u : B   /   Γ;Δ₁;Δ₂ ⊢ ⟨t, u⟩ : A × B", True),
        CalculusRule("π", "Γ;Δ ⊢ t : A₁ × A₂   /   Γ;Δ ⊢ πᵢ t : Aᵢ", True),
        CalculusRule("f", "Γ ⊢ tᵢ : R   /   Γ ⊢ f(t₁ … tₙ) : R", True),
    )
}
R, D, NEGATION = "R", "D", "R^⊥D"
CalculusType = str | tuple[Any, Any]
Typed = tuple[CalculusType, frozenset[str]]
"""A type, and which linear numbers ``a`` of Δ are used."""


def typed(
    t: Any, gamma: dict[str, CalculusType], see: Callable[[CalculusRule], None] = lambda _: None
) -> Typed:
    """The type of a term; TypeMismatch names the rule that fails. ``a``s of Δ are typed "a"."""

    def at(part: Any, **more: CalculusType) -> Typed:
        return typed(part, gamma | more, see)

    def by(name: str, holds: bool, obj: CalculusType, used: frozenset[str] = frozenset()) -> Typed:
        rule = TYPING[name]
        if not holds:
            raise TypeMismatch(f"the rule {rule} does not type {t}")
        see(rule)
        return obj, used

    match t:
        case Form("0"):
            return by("0", True, D)
        case Form("r"):
            return by("f", True, R)
        case Form("x", (name,)):
            if gamma.get(name) == "a":
                return by("a", True, R, frozenset({name}))
            return by("x", name in gamma, gamma.get(name, R))
        case Form("⟨⟩", ((first, second),)):
            (a, da), (b, db) = at(first), at(second)
            return by("⟨⟩", not da & db, (a, b), da | db)
        case Form("π", (index, pair)):
            product, used = at(pair)
            return by("π", isinstance(product, tuple), product[index], used)
        case Form("let", (name, bound, body)):
            a, d1 = at(bound)
            c, d2 = at(body, **{name: "a" if d1 else a})
            return by("let", not d1 & d2, c, d1 | (d2 - {name}))
        case Form("l", (name, body)):
            d, used = at(body, **{name: "a"})
            return by(
                "la.d", d == D and (name in used or body.kind == "0"), NEGATION, used - {name}
            )
        case Form("⊕", (left, right)):
            (d, d1), (e, d2) = at(left), at(right)
            same = d1 == d2 or "0" in (left.kind, right.kind)
            return by("⊕", d == e == D and same, D, d1 | d2)
        case Form("x*", (star, argument)):
            (negation, _), (r, used) = at(star), at(argument)
            return by("x* t", negation == NEGATION and r == R, D, used)
        case Form("op", (operation, _, args)):
            found = [at(arg) for arg in args]
            used = frozenset[str]().union(*(delta for _, delta in found))
            numbers = all(obj == R for obj, _ in found)
            if not used:
                return by("f", numbers, R)
            if operation.name in BILINEAR:
                return by("·", numbers and not found[0][1] & found[1][1], R, used)
            if operation.name in QUOTIENTS:
                return by("·", numbers and not found[1][1], R, used)
            linear = isinstance(operation.primitive.derivative, Linear) or operation.name in LINEAR
            same = all(delta == used for _, delta in found if delta)
            return by("+", numbers and linear and same, R, used)
    raise TypeMismatch(f"{t!r:.80} is no term of 6.2")


# ---- 6.2.4: evaluation rules ---------------------------------------------------------------------

PROJECT_FIRST = CalculusRule("π₁", "π₁ ⟨t, u⟩ → t")
PROJECT_SECOND = CalculusRule("π₂", "π₂ ⟨t, u⟩ → u")
COMPUTE = CalculusRule("f", "f(r₁ … rₙ) → S, if S = f(r₁ … rₙ)")
LET = CalculusRule("let", "let x := r in t → t[r/x]")
FACTOR = CalculusRule("⊕", "x* t ⊕ x* u → x* (t + u)")
UNFOLD = CalculusRule("let l", "let x* := la.d in C{x* u} → C{d[u/a]}, x* ∉ C")
EVALUATION = (PROJECT_FIRST, PROJECT_SECOND, COMPUTE, LET, FACTOR, UNFOLD)
UNUSED = CalculusRule("unused", "let x* := la.d in t → t, x* ∉ t", added=True)


@dataclass
class CalculusEvaluation:
    """Terms to normal form, from the inside; ``see`` is told each rule, with what it makes."""

    over: Carrier
    see: Callable[[CalculusRule, Any], None] = lambda rule, made: None

    def used(self, rule: CalculusRule, made: Any) -> Any:
        """A step."""
        self.see(rule, made)
        return self.normal(made)

    def normal(self, t: Any) -> Any:
        """The normal form: of a gradient, ``⟨y, x₁* g₁ ⊕ … ⊕ xₙ* gₙ⟩`` with numbers gᵢ."""
        match t:
            case Form("r", (Literal() as literal, obj)):
                return form("r", self.over.const(literal), obj)
            case Form("⟨⟩", ((first, second),)):
                return form("⟨⟩", (self.normal(first), self.normal(second)))
            case Form("π", (index, pair)):
                (parts,) = self.normal(pair).args
                return self.used((PROJECT_FIRST, PROJECT_SECOND)[index], parts[index])
            case Form("op", (operation, types, args)):
                return self.computed(operation, types, tuple(map(self.normal, args)))
            case Form("let", (star, Form("l", (a, d)), body)):
                body = self.normal(body)  # in which x* occurs once, or not at all
                found = occurs(star, body)
                return self.used(*((UNFOLD, filled(body, star, a, d)) if found else (UNUSED, body)))
            case Form("let", (name, bound, body)):
                return self.used(LET, replaced(body, name, self.normal(bound)))
            case Form("⊕", (left, right)):
                return self.sum([*summands(self.normal(left)), *summands(self.normal(right))])
            case Form("x*", (star, argument)):
                return form("x*", star, self.normal(argument))
        return t

    def computed(self, f: Operation, types: tuple[Object, ...], args: tuple[Any, ...]) -> Any:
        """Rule 3."""
        if not all(arg.kind == "r" for arg in args):
            return form("op", f, types, args)
        cod = f.type(*types)
        value = self.over.operation(f, types, cod)(*(arg.args[0] for arg in args))
        made = form("r", value, cod)
        self.see(COMPUTE, made)
        return made

    def sum(self, terms: list[Any]) -> Any:
        """Rule 5, up to the order of summands."""
        calls: dict[str, Any] = {}
        for term in terms:
            x, u = term.args
            star = x.args[0]
            if star in calls:
                both = form("op", ADD, (u.args[1],) * 2, (calls[star].args[1], u))
                calls[star] = self.used(FACTOR, form("x*", x, both))
            else:
                calls[star] = term
        return summed(calls.values())


def filled(t: Any, name: str, a: str, d: Form) -> Any:
    """``C{d[u/a]}`` of ``C{x* u}``."""
    match t:
        case Form("x*", (Form("x", (star,)), u)) if star == name:
            return replaced(d, a, u)
        case Form("⊕" | "⟨⟩", args):
            return Form(t.kind, filled(args, name, a, d))
        case tuple():
            return tuple(filled(part, name, a, d) for part in t)
    return t


def summands(d: Any) -> list[Any]:
    """The calls of a sum."""
    if d.kind == "⊕":
        return [part for side in d.args for part in summands(side)]
    return [] if d.kind == "0" else [d]


def gradient(
    graph: Graph,
    point: tuple[Any, ...],
    covector: Any,
    over: Carrier,
    see: Callable[[CalculusRule, Any], None] = lambda rule, made: None,
) -> tuple[Any, dict[str, Any]]:
    """The value, and what each input's backpropagator is called with in the normal form."""
    term: Any = transformed(graph)
    (y,) = graph.outputs
    given = zip((*graph.inputs, replace(y, name="ȳ")), (*point, covector), strict=True)
    for node, value in given:
        term = replaced(term, node.name, form("r", value, node.obj))
    ((value, calls),) = CalculusEvaluation(over, see).normal(term).args
    slopes = {x.args[0][:-1]: u.args[0] for x, u in (call.args for call in summands(calls))}
    return value.args[0], slopes
