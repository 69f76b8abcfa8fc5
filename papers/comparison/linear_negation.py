"""BMP20: linear negation (Definitions 3.1, 5.1 to 5.3), and the calculus that factors it (6.2).

    D(R) = R × R^⊥E    D(A → B) = D(A) → D(B)    D(A × B) = D(A) × D(B)        R^⊥E = R ⊸ E

    D(x) = x        D(λx. t) = λx. D(t)      D(t u) = D(t) D(u)       D(⟨t, u⟩) = ⟨D(t), D(u)⟩
    D(r) = ⟨r, λa. 0⟩                        D(t[x := u]) = D(t)[x := D(u)]
    D(f(t)) = ⟨f(x), λa. x₁* (∂₁f(x)·a) + … + xₖ* (∂ₖf(x)·a)⟩ [⟨x, x*⟩ := D(t)]

E = Rᵈ is a record of the inputs' cotangents, and the gradient is what the result's backpropagator
gives of 1, with ιᵢ the inputs'. Where a backpropagator stands in two places it is called twice.

    t, u ::= x | ⟨t, u⟩ | π₁ t | π₂ t | let x := u in t | f(t₁ … tₙ) | la.d      (SOURCE)
    d, e ::= 0 | d ⊕ e | x* t                                                   (TARGET)

    π₁ ⟨t, u⟩ → t    π₂ ⟨t, u⟩ → u    f(r₁ … rₙ) → S, if S = f(r₁ … rₙ)    let x := r in t → t[r/x]
    x* t ⊕ x* u → x* (t + u)          let x* := la.d in C{x* u} → C{d[u/a]}, x* ∉ C

In 6.2 it is called once: of ``x + x``, with ``x*`` free, ``let y* := la. x* a ⊕ x* a in y* 1`` goes
to ``x* 1 ⊕ x* 1``, to ``x* (1 + 1)`` and to ``x* 2``. Its terms are those that D makes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from combinators.block import Block
from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.morphisms import Label
from combinators.objects import Fun, Object, Product, Record, Tensor
from combinators.operation import Operation
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import FIX, RECOMPUTE, VECTOR
from combinators.primitives.sums import SUMS
from combinators.terms import App, Const, Lam, Prim, Proj, Term, Tuple, Var, pack
from combinators.type_folds import is_smooth, map_type
from papers.comparison import Outcome, Point, flat
from papers.comparison.graphs import Drawing
from papers.comparison.linear_lambda_calculus import (
    LinearFunctions,
    is_space,
    linear,
    names_beside,
    pulled,
    summed,
)
from papers.plain_functions import Arrow, Numbers, evaluated, meaning, rounds, zero_of

MOST = 100_000
"""Calls of backpropagators, of which there may be exponentially many (3.1)."""
OF_ANY_TYPE = SUMS | {FIX.primitive, RECOMPUTE.primitive, VECTOR}
"""What moves values about, and means the same of pairs."""

# ---- the transformation --------------------------------------------------------------------------


@dataclass(frozen=True)
class LinearNegation:
    """``D``, to backpropagators to ``space``."""

    space: Object
    names: Names

    def type(self, obj: Object) -> Object:
        """``D(R) = R × R^⊥E``, and so on through the types; what does not move stays (5.2)."""

        def at(leaf: Object) -> Object | None:
            moves = isinstance(leaf, Tensor) and leaf.is_smooth
            return Product(leaf, Fun(leaf, self.space)) if moves else None

        return map_type(obj, "", at)

    def term(self, t: Any) -> Any:
        """``D(t)`` (5.3): where no rule is written out, ``D`` of the parts."""
        match t:
            case Var(name):
                return Var(name, self.type(t.type))
            case Const():
                zeros = linear(self.names, "a", t.type, lambda _: summed((), self.space))
                return Tuple((t, zeros)) if is_smooth(t.type) else t
            case Prim(f, args) if f.primitive is LOOP:
                return self.term(App(rounds(f, tuple(arg.type for arg in args)), pack(args)))
            case Prim(f, args) if f.primitive not in OF_ANY_TYPE:
                return self.operation(f, args, t.type)
            case Operation():
                return Operation(t.primitive, self.term(t.parameters))
            case Object():
                return self.type(t)
            case Term():
                return t.builder()(*map(self.term, t.arguments()), **t.remarks())
            case tuple():
                return tuple(map(self.term, t))
        return t

    def operation(self, f: Operation, args: tuple[Term, ...], cod: Object) -> Term:
        """``⟨f(x), λa. Σ xᵢ* (∂ᵢf(x)·a)⟩ [⟨x, x*⟩ := D(t)]``."""
        if not all(isinstance(obj, Tensor) for obj in (*(arg.type for arg in args), cod)):
            raise MissingRule(f"BMP20 (002, Def. 5.3) has no rule for {f.name}")
        block, xs, stars = Block(names=self.names), list[Var](), dict[int, Term]()
        for i, arg in enumerate(args):
            xs.append(block.bind(self.term(arg), "p"))
            if is_smooth(arg.type):
                pair, xs[i] = xs[i], block.bind(Proj(0, xs[i]), "x")
                stars[i] = block.bind(Proj(1, pair), "x*")
        y = block.bind(made := Prim(f, tuple(xs)), "y")
        if not is_smooth(cod):
            return block.term(y)
        back = linear(self.names, "a", cod, lambda a: summed(pulled(made, y, a, stars), self.space))
        return block.term(Tuple((y, back)))


def negation(lam: Lam) -> LinearNegation:
    """``D`` for the inputs of a program, of numbers and arrays to one."""
    inputs = [x for x in lam.params if is_smooth(x.type)]
    space = Record.of(tuple(x.name for x in inputs), Product(*(x.type for x in inputs)))
    return LinearNegation(space, names_beside(lam))


def transformed(lam: Lam) -> Lam:
    """``D(λx. t)``."""
    made: Lam = negation(lam).term(lam)
    return made


def given(lam: Lam, point: Point, star: Callable[[str], Any]) -> list[Any]:
    """``⟨x, x*⟩`` of each input that moves."""
    both = zip(lam.params, point, strict=True)
    return [(x, star(p.name)) if is_smooth(p.type) else x for p, x in both]


def gradient(lam: Lam, point: Point, covector: Any, over: Numbers) -> Outcome:
    """``y* ȳ`` of ``⟨y, y*⟩ = D(f) ⟨x, ι⟩``; its visits are calls of backpropagators."""
    evaluation = LinearFunctions(over, most=MOST)
    pairs = given(lam, point, lambda x: lambda a: {x: a})
    value, back = meaning(transformed(lam), evaluation)(*pairs)
    return Outcome(value, flat(lam, point, back(covector)), evaluation.visits["•"])


# ---- 6.2: linear factoring -----------------------------------------------------------------------


@dataclass(frozen=True)
class LinearFactoring(LinearFunctions):
    """6.2.4: ``la.d`` is bound to a name, and what is of type E is a sum of calls, ``{x*: t}``.

    What is bound is a number here, and the inputs' x* are free. Of the rules the first four are
    those of every evaluation.
    """

    in_place: bool = True
    bound: list[Arrow] = field(default_factory=list)

    def curry(self, captured: Product, function: Fun, body: Any, label: Label) -> Any:
        """``let x* := la.d in``."""
        make = super().curry(captured, function, body, label)
        if not is_space(function.cod):
            return make

        def named(context: Any) -> int:
            self.bound.append(make(context))
            return len(self.bound) - 1

        return named

    def eval(self, function: Fun) -> Arrow:
        """``x* t``."""
        if is_space(function.cod):
            return lambda pair: {pair[0]: pair[1]}
        return super().eval(function)

    def unfolding(self, d: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
        """``let x* := la.d in C{x* u} → C{d[u/a]}``: the sum of calls, after each step."""
        yield d
        for x in reversed(range(len(self.bound))):
            if x in d:
                u = d.pop(x)
                d = self.plus(d, self.bound[x](u))
                yield d


def normal_form(lam: Lam, point: Point, covector: Any, over: Numbers) -> Any:
    """The value, ``x₁* g₁ ⊕ … ⊕ xₙ* gₙ`` as ``{x: g}``, and how often each rule was used."""
    evaluation = LinearFactoring(over)
    value, y = meaning(transformed(lam), evaluation)(*given(lam, point, str))
    *_, calls = evaluation.unfolding({y: covector})
    return value, calls, evaluation.visits


def reformulated(lam: Lam, point: Point, covector: Any, over: Numbers) -> Outcome:
    """The gradient by the normal form; its visits are uses of the two rules that are new."""
    value, slopes, steps = normal_form(lam, point, covector, over)
    return Outcome(value, flat(lam, point, slopes), steps.total())


def factored(lam: Lam) -> tuple[Lam, Counter[str]]:
    """BMP20's gradient as a term in factored form, and how often the rules were used.

    Where numbers are nodes, the rules draw what they make of them. The term is as long as the
    program, whose functions are unfolded.
    """
    drawing, covector = Drawing("v"), Var("ȳ", lam.body.type)
    value, slopes, steps = normal_form(lam, lam.params, covector, drawing)
    found = [slopes.get(x.name) or drawing.const(zero_of(x.type)) for x in lam.params]
    return Lam((*lam.params, covector), drawing.term(Tuple((value, Tuple(tuple(found)))))), steps


def factored_gradient(lam: Lam, point: Point, covector: Any, over: Numbers) -> Outcome:
    """By the term; its visits are backpropagators unfolded."""
    term, steps = factored(lam)
    value, slopes = evaluated(term, over)(*point, covector)
    found = zip((x.name for x in lam.params), slopes, strict=True)
    return Outcome(value, flat(lam, point, dict(found)), steps["•"])
