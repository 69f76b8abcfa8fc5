"""The reformulated calculus (section 6.2): SOURCE and TARGET, ``la.d``, and evaluation.

    t, u ::= x | ⟨t, u⟩ | π₁ t | π₂ t | let x := u in t | f(t₁ … tₙ) | la.d      (SOURCE)
    d, e ::= 0 | d ⊕ e | x* t                                                   (TARGET)
    A, B ::= R | R^⊥D | D | A × B

Of ``x + x``, with ``x*`` the backpropagator that stays free: ``let y* := la. x* a ⊕ x* a in y* 1``
goes to ``x* 1 ⊕ x* 1``, to ``x* (1 + 1)`` and to ``x* 2``: the normal form is the gradient.

Its terms are those of the linear λ-calculus, and typed there. Three things are read into the rules.
A backpropagator may be left out of one side of ⊕, or no ``x₁* a ⊕ x₂* a`` has a type; ⊕ is
commutative and associative, with 0; and ``let x* := la.d in t`` with x* not in t is t, since rule 6
wants one occurrence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from combinators.kit.tree import remade
from combinators.objects import Fun, Object, Tensor
from combinators.primitives.structural import PLUS, ZEROS
from combinators.terms import App, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, let
from combinators.type_folds import is_smooth
from papers.comparison import Outcome, Point, flat
from papers.comparison.graphs import Drawing, Graph, graph_of, numbered
from papers.comparison.linear_lambda_calculus import pulled, summed, zero
from papers.plain_functions import ADD, Numbers, evaluated, zero_of

# ---- the transformation: Definition 6.1 and the last remark of 6.2.4 -----------------------------


@dataclass(frozen=True)
class Reformulated:
    """``D_l`` of a graph's term: ``let y := f(x) in let y* := la. ⊕ xᵢ* (∂ᵢf(x)·a) in …``."""

    graph: Graph

    @property
    def space(self) -> Object:
        """``D ≅ Rⁿ``."""
        return Tensor((len(self.graph.inputs),))

    def star(self, z: Var) -> Var:
        """The variable of a node's backpropagator, of type ``R^⊥D``."""
        return Var(f"{z.name}*", Fun(z.type, self.space))

    @property
    def covector(self) -> Var:
        """``ȳ``."""
        return Var("ȳ", self.graph.outputs[0].type)

    def term(self) -> Lam:
        """``⟨y, y* ȳ⟩``, of the inputs' numbers x, their backpropagators x*, and ȳ."""
        lines, ((y,), inputs) = list[tuple[Var, Term]](), (self.graph.outputs, self.graph.inputs)
        for i, edge in enumerate(self.graph.hyperedges):
            z = edge.target
            lines.append((z, edge.term))
            if is_smooth(z.type):
                a, stars = Var(f"a{i}", z.type), dict(enumerate(map(self.star, edge.sources)))
                d = zero(self.space)
                if isinstance(edge.term, Prim):
                    d = pulled(edge.term.operation, edge.sources, z, a, stars, self.space)
                lines.append((self.star(z), Lam((a,), d)))
        result = Tuple((y, App(self.star(y), self.covector)))
        moving = [self.star(x) for x in inputs if is_smooth(x.type)]
        return Lam((*inputs, *moving, self.covector), let(tuple(lines), result))


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
    """Terms to normal form, from the inside; ``see`` is told each rule, with what it makes."""

    over: Numbers
    see: See = lambda rule, made: None

    def used(self, rule: str, made: Any) -> Any:
        """A step."""
        self.see(rule, made)
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
            case Prim(f) if f.primitive in (PLUS, ZEROS):
                return self.sum(t)
            case Prim(_, args):
                return self.computed(t, [*map(self.normal, args)])
            case Let(((x, Lam((a,), d)), *rest), body):
                inside = self.normal(let(tuple(rest), body))  # x* occurs once, or not at all
                made = remade(inside, lambda call: unfolded(call, x, a, d))
                return self.used("unused" if made is inside else "let l", made)
            case Let(((x, bound), *rest), body):
                return self.used("let", replaced(let(tuple(rest), body), x, self.normal(bound)))
            case App(x_star, u):
                return App(x_star, self.normal(u))
        return t

    def computed(self, t: Prim, args: list[Any]) -> Any:
        """Rule 3."""
        if not all(isinstance(arg, Evaluated) for arg in args):
            return Prim(t.operation, tuple(args))
        f = self.over.operation(t.operation, [arg.type for arg in args], t.type)
        made = Evaluated(t.type, f(*[arg.value for arg in args]))
        self.see("f", made)
        return made

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


def normal_form(
    graph: Graph, point: Point, covector: Any, over: Numbers, see: See = lambda rule, made: None
) -> tuple[Any, list[Any]]:
    """The value, and what each input's backpropagator is called with; None of one that is not."""
    d_l = Reformulated(graph)
    term = d_l.term().body
    for x, value in zip((*graph.inputs, d_l.covector), (*point, covector), strict=True):
        term = replaced(term, x, Evaluated(x.type, value))
    value, calls = CalculusEvaluation(over, see).normal(term).items
    slopes = {call.function.name: call.argument.value for call in summands(calls)}
    return value.value, [slopes.get(d_l.star(x).name) for x in graph.inputs]


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
