"""The reformulated calculus (section 6.2): SOURCE and TARGET, ``la.d``, and evaluation.

    t, u ::= x | ⟨t, u⟩ | π₁ t | π₂ t | let x := u in t | f(t₁ … tₙ) | la.d      (SOURCE)
    d, e ::= 0 | d ⊕ e | x* t                                                   (TARGET)

    π₁ ⟨t, u⟩ → t    π₂ ⟨t, u⟩ → u    f(r₁ … rₙ) → S, if S = f(r₁ … rₙ)    let x := r in t → t[r/x]
    x* t ⊕ x* u → x* (t + u)          let x* := la.d in C{x* u} → C{d[u/a]}, x* ∉ C

Its terms are those of the linear λ-calculus, and typed there. Of ``x + x``, with ``x*`` free:
``let y* := la. x* a ⊕ x* a in y* 1`` goes to ``x* 1 ⊕ x* 1``, to ``x* (1 + 1)`` and to ``x* 2``:
the normal form is the gradient. ⊕ is commutative here, with 0, and what is not used is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from combinators.kit.tree import remade
from combinators.objects import Fun, Object, Tensor
from combinators.primitives.structural import PLUS, ZEROS
from combinators.terms import App, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, let
from combinators.type_folds import is_smooth
from papers.comparison import Outcome, Point, flat
from papers.comparison.graphs import Drawing, Graph, graph_of
from papers.comparison.linear_lambda_calculus import pulled, summed
from papers.plain_functions import ADD, Numbers, evaluated, zero_of

# ---- the transformation: Definition 6.1 and the last remark of 6.2.4 -----------------------------


def transformed(graph: Graph) -> Lam:
    """``D_l`` of a graph's term: ``let y := f(x) in let y* := la. ⊕ xᵢ* (∂ᵢf(x)·a) in …``.

    The inputs' numbers x and backpropagators x*, of type R ⊸ D with D ≅ Rⁿ, and ȳ are arguments;
    the result is ``⟨y, y* ȳ⟩``.
    """
    (y,), d = graph.outputs, Tensor((len(graph.inputs),))
    lines = list[tuple[Var, Term]]()

    def star(z: Var) -> Var:
        return Var(f"{z.name}*", Fun(z.type, d))

    for number, (z, t) in enumerate(graph.hyperedges):
        lines.append((z, t))
        if is_smooth(z.type):
            a, stars = Var(f"a{number}", z.type), dict(enumerate(map(star, t.below())))
            lines.append((star(z), Lam((a,), summed(pulled(t, z, a, stars), d))))
    covector, moving = Var("ȳ", y.type), [star(x) for x in graph.inputs if is_smooth(x.type)]
    result = Tuple((y, App(star(y), covector)))
    return Lam((*graph.inputs, *moving, covector), let(tuple(lines), result))


# ---- 6.2.4: evaluation rules ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Evaluated(Term, of=()):
    """``r``: a number of the carrier."""

    obj: Object
    value: Any = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Γ ⊢ r : τ."""
        self.__dict__["type"] = self.obj


def replaced(t: Term, x: Var, u: Term) -> Any:
    """``t[u/x]``; every binder has a name of its own."""
    return remade(t, lambda node: u if isinstance(node, Var) and node.name == x.name else node)


@dataclass
class CalculusEvaluation:
    """Terms to normal form, from the inside: by ``steps``, each a rule and what it made."""

    over: Numbers
    steps: list[tuple[str, Any]] = field(default_factory=list)

    def used(self, rule: str, made: Any) -> Any:
        """A step."""
        self.steps.append((rule, made))
        return self.normal(made)

    def normal(self, t: Term) -> Any:
        """The normal form: of a gradient, ``⟨y, x₁* g₁ ⊕ … ⊕ xₙ* gₙ⟩`` with numbers gᵢ."""
        match t:
            case Const(literal):
                return Evaluated(t.type, self.over.const(literal))
            case Tuple(items):
                return Tuple(tuple(map(self.normal, items)))
            case Proj(index, pair):
                return self.used(("π₁", "π₂")[index], self.normal(pair).items[index])
            case Evaluated():
                return t
            case Prim(f) if f.primitive in (PLUS, ZEROS):
                return self.sum(t)
            case Prim(f, args):
                numbers = [self.normal(arg) for arg in args]
                types = [number.type for number in numbers]
                made = self.over.operation(f, types, t.type)(*[r.value for r in numbers])
                return self.used("f", Evaluated(t.type, made))
            case Let(((x, Lam((a,), d)), *rest), body):
                inside = self.normal(let(tuple(rest), body))  # x* occurs once, or not at all
                made = remade(inside, lambda call: unfolded(call, x, a, d))
                return self.used("unused" if made is inside else "let l", made)
            case Let(((x, bound), *rest), body):
                return self.used("let", replaced(let(tuple(rest), body), x, self.normal(bound)))
            case App(x_star, u):
                return App(x_star, self.normal(u))
        return t

    def sum(self, t: Term) -> Any:
        """Rule 5, up to the order of summands."""
        calls: dict[str, Any] = {}
        for call in [call for part in summands(t) for call in summands(self.normal(part))]:
            x = call.function.name
            if x in calls:
                both = Prim(ADD, (calls[x].argument, call.argument))
                calls[x] = self.used("⊕", App(call.function, both))
            else:
                calls[x] = call
        return summed(calls.values(), t.type)


def unfolded(call: Any, x: Var, a: Var, d: Term) -> Any:
    """``d[u/a]`` for ``x* u``."""
    if isinstance(call, App) and isinstance(call.function, Var) and call.function.name == x.name:
        return replaced(d, a, call.argument)
    return call


def summands(d: Term) -> list[Any]:
    """The calls of a sum."""
    if isinstance(d, Prim) and d.operation.primitive in (PLUS, ZEROS):
        return [part for side in d.args for part in summands(side)]
    return [d]


def normal_form(graph: Graph, point: Point, covector: Any, over: Numbers) -> Any:
    """The value, what each input's backpropagator is called with, or None, and the steps."""
    made, evaluation = transformed(graph), CalculusEvaluation(over)
    term = made.body
    for x, r in (*zip(graph.inputs, point, strict=True), (made.params[-1], covector)):
        term = replaced(term, x, Evaluated(x.type, r))
    value, calls = evaluation.normal(term).items
    slopes = {call.function.name: call.argument.value for call in summands(calls)}
    return value.value, [slopes.get(f"{x.name}*") for x in graph.inputs], evaluation.steps


def gradient(lam: Lam, point: Point, covector: Any, over: Numbers) -> Outcome:
    """By the normal form; its visits are steps."""
    value, slopes, steps = normal_form(graph_of(lam), point, covector, over)
    return Outcome(value, flat(lam, point, slopes), len(steps))


# ---- 3.1, 5.1: linear factoring ------------------------------------------------------------------


def factored(lam: Lam) -> tuple[Lam, list[str]]:
    """BMP20's gradient term in factored form, and the rules in the order in which they were used.

    Backpropagators are linear, so that two calls of one are one call; called once, it is unfolded.
    Functions are unfolded by drawing the program's graph; where numbers are nodes, the rules draw
    what they make of them. The term is as long as the program.
    """
    graph, drawing = graph_of(lam), Drawing("v")
    covector = Var("ȳ", lam.body.type)
    value, slopes, steps = normal_form(graph, graph.inputs, covector, drawing)
    both = zip(graph.inputs, slopes, strict=True)
    found = [slope or drawing.const(zero_of(x.type)) for x, slope in both]
    made = Graph((*graph.inputs, covector), tuple(drawing.lines), (value, *found))
    return made.term(), [rule for rule, _ in steps]


def factored_gradient(lam: Lam, point: Point, covector: Any, over: Numbers) -> Outcome:
    """By the term; its visits are backpropagators unfolded."""
    term, steps = factored(lam)
    value, *slopes = evaluated(term, over)(*point, covector)
    return Outcome(value, flat(lam, point, slopes), steps.count("let l"))
