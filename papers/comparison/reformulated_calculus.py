"""The reformulated calculus (section 6.2): SOURCE and TARGET, ``la.d``, typing and evaluation.

    t, u ::= x | ⟨t, u⟩ | π₁ t | π₂ t | let x := u in t | f(t₁ … tₙ) | la.d      (SOURCE)
    d, e ::= 0 | d ⊕ e | x* t                                                   (TARGET)
    A, B ::= R | R^⊥D | D | A × B

Of ``x + x``, with ``x*`` the backpropagator that stays free: ``let y* := la. x* a ⊕ x* a in y* 1``
goes to ``x* 1 ⊕ x* 1``, to ``x* (1 + 1)`` and to ``x* 2``: the normal form is the gradient.

Three things are read into the rules. A backpropagator may be left out of one side of ⊕, or no
``x₁* a ⊕ x₂* a`` has a type; ⊕ is commutative and associative, with 0; and ``let x* := la.d in t``
with x* not in t is t, since rule 6 wants one occurrence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from combinators.literal import Literal
from combinators.objects import Object
from combinators.operation import Operation
from combinators.terms import Const, Lam, Prim, Term, Var
from combinators.type_folds import is_smooth
from papers.comparison import Outcome, Point, flat
from papers.comparison.forms import Form, form, replaced
from papers.comparison.graphs import Drawing, Graph, Hyperedge, graph_of, numbered
from papers.plain_functions import ADD, Numbers, evaluated, zero_of

D = "D"
"""``D ≅ Rⁿ``; ``R^⊥D`` is ``R ⊸ D``."""
ZERO = form("0", D)


# ---- the transformation: Definition 6.1 and the last remark of 6.2.4 -----------------------------


def transformed(graph: Graph) -> Form:
    """``D_l`` of a graph's term: ``let y := f(x) in let y* := la. ⊕ xᵢ* (∂ᵢf(x)·a) in …``.

    The inputs' numbers x and backpropagators x* are free; the result is ``⟨y, y* ȳ⟩``.
    """
    (y,) = graph.outputs
    result = form("⟨⟩", (form("x", y.name), form("x*", star(y), form("x", "ȳ"))))
    for i, edge in reversed(list(enumerate(graph.hyperedges))):
        if is_smooth(edge.target.type):
            negation = form("l", f"a{i}", edge.target.type, pulled(edge, f"a{i}"))
            result = form("let", star(edge.target).name, negation, result)
        result = form("let", edge.target.name, read(edge.term), result)
    return result


def star(z: Var) -> Form:
    """The variable of a node's backpropagator."""
    return form("x", f"{z.name}*")


def pulled(edge: Hyperedge, a: str) -> Form:
    """``⊕ xᵢ* (∂ᵢf(x)·a)``; what a derivative computes is drawn, and written as one term."""
    drawing, variable = Drawing(numbered(f"{a}.")), Var(a, edge.target.type)
    slopes = [(i, slope(variable, edge.sources, edge.target)) for i, slope in edge.slopes(drawing)]
    return summed(
        form("x*", star(edge.sources[i]), read(drawing.term(slope))) for i, slope in slopes
    )


def read(t: Term) -> Form:
    """``x``, ``r`` or ``f(t)``."""
    match t:
        case Const(literal):
            return form("r", literal, t.type)
        case Prim(f, args):
            return form("op", f, tuple(arg.type for arg in args), tuple(map(read, args)))
    assert isinstance(t, Var)
    return form("x", t.name)


def summed(calls: Iterable[Form]) -> Form:
    """``d ⊕ e``; 0 of none."""
    first, *rest = [*calls] or [ZERO]
    return reduce(lambda d, e: form("⊕", d, e), rest, first)


# ---- 6.2.4: evaluation rules ---------------------------------------------------------------------


EVALUATION = {
    "π₁": "π₁ ⟨t, u⟩ → t",
    "π₂": "π₂ ⟨t, u⟩ → u",
    "f": "f(r₁ … rₙ) → S, if S = f(r₁ … rₙ)",
    "let": "let x := r in t → t[r/x]",
    "⊕": "x* t ⊕ x* u → x* (t + u)",
    "let l": "let x* := la.d in C{x* u} → C{d[u/a]}, x* ∉ C",
}
"""The six; ``unused`` is the seventh, ``let x* := la.d in t → t, x* ∉ t``."""
See = Callable[[str, Any], None]


@dataclass
class CalculusEvaluation:
    """Terms to normal form, from the inside; ``see`` is told each rule, with what it makes."""

    over: Numbers
    see: See = lambda rule, made: None

    def used(self, rule: str, made: Any) -> Any:
        """A step."""
        self.see(rule, made)
        return self.normal(made)

    def normal(self, t: Any) -> Any:
        """The normal form: of a gradient, ``⟨y, x₁* g₁ ⊕ … ⊕ xₙ* gₙ⟩`` with numbers gᵢ."""
        match t:
            case Form("r", (Literal() as literal, obj)):
                return form("r", self.over.const(literal), obj)
            case Form("⟨⟩", (items,)):
                return form("⟨⟩", tuple(map(self.normal, items)))
            case Form("π", (index, pair)):
                (parts,) = self.normal(pair).args
                return self.used(("π₁", "π₂")[index], parts[index])
            case Form("op", (operation, types, args)):
                return self.computed(operation, types, tuple(map(self.normal, args)))
            case Form("let", (x, Form("l", (a, _, d)), body)):
                body = self.normal(body)  # in which x* occurs once, or not at all
                made = filled(body, x, a, d)
                return self.used("unused" if made == body else "let l", made)
            case Form("let", (name, bound, body)):
                return self.used("let", replaced(body, name, self.normal(bound)))
            case Form("⊕", (left, right)):
                return self.sum([*summands(self.normal(left)), *summands(self.normal(right))])
            case Form("x*", (x, argument)):
                return form("x*", x, self.normal(argument))
        return t

    def computed(self, f: Operation, types: tuple[Object, ...], args: tuple[Any, ...]) -> Any:
        """Rule 3."""
        if not all(arg.kind == "r" for arg in args):
            return form("op", f, types, args)
        cod = f.type(*types)
        made = form("r", self.over.operation(f, types, cod)(*(arg.args[0] for arg in args)), cod)
        self.see("f", made)
        return made

    def sum(self, terms: list[Any]) -> Any:
        """Rule 5, up to the order of summands."""
        calls: dict[str, Any] = {}
        for call in terms:
            x, u = call.args
            if x.name in calls:
                both = form("op", ADD, (u.args[1],) * 2, (calls[x.name].args[1], u))
                call = self.used("⊕", form("x*", x, both))  # noqa: PLW2901
            calls[x.name] = call
        return summed(calls.values())


def filled(t: Any, name: str, a: str, d: Form) -> Any:
    """``C{d[u/a]}`` of ``C{x* u}``."""
    match t:
        case Form("x*", (Form("x", (x,)), u)) if x == name:
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


def normal_form(
    graph: Graph, point: Point, covector: Any, over: Numbers, see: See = lambda rule, made: None
) -> tuple[Any, list[Any]]:
    """The value, and what each input's backpropagator is called with; None of one that is not."""
    term, (y,) = transformed(graph), graph.outputs
    given = [(x.name, x.type, value) for x, value in zip(graph.inputs, point, strict=True)]
    for name, obj, value in (*given, ("ȳ", y.type, covector)):
        term = replaced(term, name, form("r", value, obj))
    ((value, calls),) = CalculusEvaluation(over, see).normal(term).args
    slopes = {x.name: u.args[0] for x, u in (call.args for call in summands(calls))}
    return value.args[0], [slopes.get(star(x).name) for x in graph.inputs]


def gradient(lam: Lam, point: Point, covector: Any, over: Numbers) -> Outcome:
    """By the normal form; its visits are steps."""
    steps = list[str]()
    value, slopes = normal_form(
        graph_of(lam), point, covector, over, lambda rule, _: steps.append(rule)
    )
    return Outcome(value, flat(lam, point, slopes), len(steps))


# ---- 3.1, 5.1: linear factoring ------------------------------------------------------------------


def factored(lam: Lam) -> tuple[Lam, list[str]]:
    """BMP20's gradient term in factored form, and the rules in the order in which they were used.

    Backpropagators are linear, so that two calls of one are one call; called once, it is unfolded.
    Functions are unfolded by drawing the program's graph; where numbers are nodes, the rules draw
    what they make of them. The term is as long as the program.
    """
    graph, drawing, steps = graph_of(lam), Drawing(numbered("v")), list[str]()
    covector = Var("ȳ", lam.body.type)
    value, slopes = normal_form(
        graph, graph.inputs, covector, drawing, lambda rule, _: steps.append(rule)
    )
    both = zip(graph.inputs, slopes, strict=True)
    found = [slope or drawing.const(zero_of(x.type)) for x, slope in both]
    made = Graph((*graph.inputs, covector), tuple(drawing.hyperedges), (value, *found))
    return made.term(), steps


def factored_gradient(lam: Lam, point: Point, covector: Any, over: Numbers) -> Outcome:
    """By the term; its visits are backpropagators unfolded."""
    term, steps = factored(lam)
    value, *slopes = evaluated(term, over)(*point, covector)
    return Outcome(value, flat(lam, point, slopes), steps.count("let l"))
