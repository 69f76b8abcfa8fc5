"""Linear factoring on the terms of BMP20: what makes symbolic backpropagation linear (3.1, 5.1).

    x* t + x* u                      →  x* (t + u)
    let x* := λa. d in C{x* u}       →  C{d[u/a]}        provided that x* ∉ C

Backpropagators are linear, so that the two calls of one are one call; called once, it is unfolded.
The rule is sound at the type R^⊥d alone ("type-sensitive", says Def. 5.1): an ordinary function has
``f t + f u ≠ f (t + u)``. Of ``x + x`` with ``x* = λa. z* (a · c)``:

    λb. x* b + x* b   →   λb. x* (b + b)   →   λb. z* ((b + b) · c)

Before, the term is brought to straight line by the rules of the λ-calculus: functions are unfolded,
pairs taken apart, numbers and backpropagators named.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.kit.text import Names
from combinators.objects import Fun, Object, Tensor, component
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, const, let
from papers.comparison.negation_on_terms import ADD, gradient_term
from papers.comparison.substitution import Env, renamed, substituted


@dataclass(frozen=True)
class FactoringRule:
    """A rule, by its two sides."""

    name: str
    left: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} → {self.right}"


BETA = FactoringRule("β", "(λx. t) u", "t[u/x]")
PAIR = FactoringRule("π", "πᵢ ⟨t₁, t₂⟩", "tᵢ")
FACTORING = FactoringRule("linear factoring", "x* t + x* u", "x* (t + u)")
UNFOLDING = FactoringRule("linear let", "let x* := λa. d in C{x* u}", "C{d[u/a]}, x* ∉ C")
RULES = (BETA, PAIR, FACTORING, UNFOLDING)

Value = Any  # an atom, a pair of values, or a λ with what its variables are


@dataclass(frozen=True)
class UnfoldedFunction:
    """A λ, and the values of its free variables."""

    lam: Lam
    env: dict[str, Value]


@dataclass
class Factoring:
    """A run: the lines that are written, and which rule was used when."""

    space: Tensor
    names: Names
    lines: list[tuple[Var, Term]] = field(default_factory=list)
    backpropagators: dict[str, Lam] = field(default_factory=dict)
    steps: list[FactoringRule] = field(default_factory=list)

    def bound(self, term: Term, wish: str = "v") -> Term:
        """A name for a number."""
        if isinstance(term, Var | Const):
            return term
        var = Var(self.names.fresh(wish), term.type)
        self.lines.append((var, term))
        return var

    def is_linear(self, obj: Object) -> bool:
        """Whether it is ``R^⊥d``."""
        return isinstance(obj, Fun) and obj.cod is self.space

    def value(self, t: Term, env: dict[str, Value]) -> Value:
        """``t`` in straight line: numbers and backpropagators are named, all else is unfolded."""
        match t:
            case Var(name):
                return env.get(name, t)
            case Const():
                return t
            case Tuple(items):
                return tuple(self.value(item, env) for item in items)
            case Proj(index, product):
                self.steps.append(PAIR)
                return self.value(product, env)[index]
            case Let(bindings, body):
                for x, u in bindings:
                    env = env | {x.name: self.value(u, env)}
                return self.value(body, env)
            case Lam() if self.is_linear(t.type):
                return self.backpropagator(t, env)
            case Lam():
                return UnfoldedFunction(t, env)
            case App(function, argument):
                return self.call(self.value(function, env), self.value(argument, env))
            case Prim(operation, args):
                return self.bound(Prim(operation, tuple(self.value(arg, env) for arg in args)))
            case Cond():
                raise MissingRule(
                    "linear factoring (002, section 5.1) is of terms without branches"
                )
        raise MissingRule(f"linear factoring has no rule for {t!r:.80}")

    def backpropagator(self, t: Lam, env: dict[str, Value]) -> Var:
        """A name for ``λa. d``; d stays as it is."""
        known: Env = {name: x for name, x in env.items() if isinstance(x, Term)}
        made = substituted(t, known, self.names)
        assert isinstance(made, Lam)
        var = Var(self.names.fresh("x*"), t.type)
        self.backpropagators[var.name] = made
        return var

    def call(self, function: Value, argument: Value) -> Value:
        """β, or ``x* u``."""
        if isinstance(function, Var):
            return App(function, argument)
        self.steps.append(BETA)
        params = function.lam.params
        given = (argument,) if len(params) == 1 else argument
        inside = {x.name: value for x, value in zip(params, given, strict=True)}
        return self.value(function.lam.body, function.env | inside)

    def factored(self, back: Term) -> Term:
        """The normal form of ``y* ȳ``: backpropagators are unfolded from the last to the first."""
        calls: dict[str, Term] = {}
        self.collect(back, calls)
        leaves: list[Term] = []
        for name, lam in reversed(self.backpropagators.items()):
            if name not in calls:
                continue
            self.steps.append(UNFOLDING)
            d = substituted(lam.body, {lam.params[0].name: calls.pop(name)}, self.names)
            if not self.collect(d, calls):
                leaves.append(self.value(d, {}))
        return self.summed(leaves)

    def collect(self, d: Term, calls: dict[str, Term]) -> bool:
        """Add the calls ``x* t`` of a sum to those there are; False where it is no sum of calls."""
        match d:
            case App(Var(name), t):
                t = self.value(t, {})
                if name in calls:
                    self.steps.append(FACTORING)
                    t = self.bound(Prim(ADD, (calls[name], t)))
                calls[name] = t
                return True
            case Prim(operation, (left, right)) if operation == ADD and d.type is self.space:
                return self.collect(left, calls) and self.collect(right, calls)
            case Const():
                return True
        return False

    def summed(self, leaves: Iterable[Term]) -> Term:
        """The sum over the inputs."""
        total: Term | None = None
        for leaf in leaves:
            total = leaf if total is None else self.bound(Prim(ADD, (total, leaf)))
        return const(np.zeros(self.space.shape)) if total is None else total


def factored(lam: Lam) -> tuple[Lam, list[FactoringRule]]:
    """BMP20's gradient term in factored form, and the rules in the order in which they were used.

    Each backpropagator is unfolded once: the term is as long as the program.
    """
    term = gradient_term(lam)
    space = component(term.body.type, 1)
    assert isinstance(space, Tensor)
    run = Factoring(space, names := Names())
    term = renamed(term, names)
    y, back = run.value(term.body, {})
    gradient = run.factored(back)
    return Lam(term.params, let(tuple(run.lines), Tuple((y, gradient)))), run.steps
