"""BMP20: backpropagation with linear negation (Definitions 3.1, 5.1 to 5.3), on values and terms.

    D(R) = R × R^⊥d    D(A → B) = D(A) → D(B)    D(A × B) = D(A) × D(B)        R^⊥d = R ⊸ R^d

    D(x) = x        D(λx. t) = λx. D(t)      D(t u) = D(t) D(u)       D(⟨t, u⟩) = ⟨D(t), D(u)⟩
    D(r) = ⟨r, λa. 0⟩                        D(t[x := u]) = D(t)[x := D(u)]
    D(f(t)) = ⟨f(x), λa. x₁* (∂₁f(x)·a) + … + xₖ* (∂ₖf(x)·a)⟩ [⟨x, x*⟩ := D(t)]

On values it is a carrier: ``PlainFunctions`` over pairs ⟨x, x*⟩ runs a program of any order,
differentiated. What R^⊥ is, a system says by ``moved``: here Python functions. With ιᵢ the
injection into the i-th component, the gradient is what the result's backpropagator gives of 1.
Where a backpropagator stands in two places it is called twice: ``visits`` counts.

On terms the types of the house hold it: ``R^⊥d`` is ``R ⇒ R^d``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from combinators.errors import MissingRule, TooManyCalls
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.literal import Literal
from combinators.objects import Fun, Object, Product, Tensor, Vector
from combinators.operation import Operation, named
from combinators.terms import App, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, const, pack
from combinators.type_folds import is_smooth, map_type
from interpreters.carriers.carrier import Carrier
from papers.comparison import Outcome, Point, flat
from papers.comparison.graphs import Drawing, numbered
from papers.plain_functions import ADD, Numbers, Partial, evaluated, partials

Linear = Callable[[Any], Any]
Moves = list[tuple[Linear, Any]]
"""Per argument that moves: ``a ↦ ∂ᵢf(x)·a``, and its second half."""
MOST = 100_000
"""Calls of backpropagators, of which there may be exponentially many."""


# ---- on values -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BackpropagatedNumber:
    """``⟨x, x*⟩``; of an integer or a constant x* is None, which is λa. 0."""

    primal: Any
    star: Any = None


class Pairs:
    """The carrier of pairs over another's numbers."""

    def __init__(self, over: Numbers) -> None:
        self.over = over

    def moved(self, y: Any, moves: Moves) -> Any:
        """The second half of a result: what the system at hand makes of its arguments'."""
        raise NotImplementedError

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Any:
        """``D(f(t))``."""
        compute = self.over.operation(operation, types, cod)
        slopes = partials(operation, types, cod, self.over)

        def dual(*args: BackpropagatedNumber) -> BackpropagatedNumber:
            xs = tuple(arg.primal for arg in args)
            y = compute(*xs)

            def along(slope: Partial) -> Linear:
                return lambda a: slope(a, xs, y)

            stars = [(along(slope), args[i].star) for i, slope in slopes]
            moves = [(linear, star) for linear, star in stars if star is not None]
            return BackpropagatedNumber(y, self.moved(y, moves) if moves else None)

        return dual

    def const(self, literal: Literal) -> BackpropagatedNumber:
        """``D(r) = ⟨r, λa. 0⟩``."""
        return BackpropagatedNumber(self.over.const(literal))

    def truth(self, number: BackpropagatedNumber) -> bool:
        """Branches look at primals."""
        return self.over.truth(number.primal)


def inputs(lam: Lam, point: Point, star: Callable[[int], Any]) -> tuple[BackpropagatedNumber, ...]:
    """The arguments as pairs: the i-th, if it moves, with ``star(i)``."""
    moving = [is_smooth(param.type) for param in lam.params]
    given = enumerate(zip(point, moving, strict=True))
    return tuple(BackpropagatedNumber(x, star(i) if moves else None) for i, (x, moves) in given)


class Negation(Pairs):
    """``D(R) = R × R^⊥d``; R^d is one flat array of all numbers that the program is given."""

    visits = 0

    def __init__(self, over: Carrier) -> None:
        super().__init__(over)
        self.plus = over.add

    def moved(self, y: Any, moves: Moves) -> Linear:
        """``λa. Σᵢ xᵢ* (∂ᵢf(x)·a)``."""

        def back(a: Any) -> Any:
            self.visits += 1
            if self.visits > MOST:
                raise TooManyCalls(f"linear negation (002, 3.1) calls more than {MOST} times")
            return reduce(self.plus, [star(linear(a)) for linear, star in moves])

        return back


def gradient(lam: Lam, point: Point, covector: Any, over: Carrier) -> Outcome:
    """``y* ȳ`` of ``⟨y, y*⟩ = D(f) ⟨x, ι⟩``."""

    def iota(i: int) -> Linear:
        """``ιᵢ : R ⊸ R^d``."""
        return lambda a: flat(lam, point, [a if i == j else None for j in range(len(point))])

    pairs = Negation(over)
    y = evaluated(lam, pairs)(*inputs(lam, point, iota))
    zero = flat(lam, point, [None] * len(point))
    return Outcome(y.primal, y.star(covector) if y.star else zero, pairs.visits)


# ---- on terms ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LinearNegation:
    """``D_d``, for d numbers that the program is given."""

    d: int
    names: Names

    def type(self, obj: Object) -> Object:
        """``D(R) = R × R^⊥d``, and so on through the types; what does not move stays (5.2)."""

        def at(leaf: Object) -> Object | None:
            moves = isinstance(leaf, Tensor) and leaf.is_smooth
            return Product(leaf, Fun(leaf, Tensor((self.d,)))) if moves else None

        return map_type(obj, f"negation_{self.d}", at)

    def var(self, wish: str, obj: Object) -> Var:
        """A variable of its own name."""
        return Var(self.names.fresh(wish), obj)

    def term(self, t: Any) -> Any:
        """``D(t)`` (5.3): where no rule is written out, ``D`` of the parts."""
        match t:
            case Var(name):
                return Var(name, self.type(t.type))
            case Const():
                zero = Lam((self.var("a", t.type),), const(np.zeros(self.d)))
                return Tuple((t, zero)) if is_smooth(t.type) else t
            case Prim(f, args):
                return self.operation(f, args, t.type)
            case Proj(_, product) if isinstance(product.type, Vector):
                raise MissingRule(f"BMP20 (002, Def. 5.3) has no rule for {t!r:.80}")
            case Term():
                return t.builder()(*map(self.term, t.arguments()), **t.remarks())
            case tuple():
                return tuple(map(self.term, t))
        return t

    def operation(self, f: Operation, args: tuple[Term, ...], cod: Object) -> Term:
        """``⟨f(x), λa. Σ xᵢ* (∂ᵢf(x)·a)⟩ [⟨x, x*⟩ := D(t)]``."""
        types = tuple(arg.type for arg in args)
        if not all(isinstance(obj, Tensor) for obj in (*types, cod)):
            raise MissingRule(f"BMP20 (002, Def. 5.3) has no rule for {f.name}")
        lines: list[tuple[Var, Term]] = []
        xs, stars = list[Var](), dict[int, Var]()
        for i, arg in enumerate(args):
            pair = self.var("p", self.type(arg.type))
            lines.append((pair, self.term(arg)))
            if not is_smooth(arg.type):
                xs.append(pair)
                continue
            xs.append(self.var("x", arg.type))
            stars[i] = self.var("x*", Fun(arg.type, Tensor((self.d,))))
            lines += [(xs[i], Proj(0, pair)), (stars[i], Proj(1, pair))]
        y, a = self.var("y", cod), self.var("a", cod)
        lines.append((y, Prim(f, tuple(xs))))
        drawing = Drawing(numbered("d"))
        slopes = [(i, df(a, tuple(xs), y)) for i, df in partials(f, types, cod, drawing)]
        calls: list[Term] = [App(stars[i], drawing.term(slope)) for i, slope in slopes]
        back = reduce(lambda d, e: Prim(ADD, (d, e)), calls) if calls else const(np.zeros(self.d))
        pair_of = Tuple((y, Lam((a,), back)))
        return Let(tuple(lines), pair_of if is_smooth(cod) else y)

    def injection(self, obj: Any, start: int) -> Lam:
        """``ιᵢ : R ⊸ R^d``."""
        a = self.var("a", obj)
        flat = Prim(Operation(named("reshape"), (("shape", (obj.size,)),)), (a,))
        where = (("start", (start,)), ("step", (1,)), ("shape", (self.d,)))
        return Lam((a,), Prim(Operation(named("embed"), where), (flat,)))


def gradient_term(lam: Lam) -> Lam:
    """``λ(x, ȳ). (y, y* ȳ)`` of ``⟨y, y*⟩ = D(f) ⟨x, ι⟩``, of numbers and arrays to one.

    >>> from combinators.objects import Real
    >>> from combinators.operation import Operation, named
    >>> x = Var("x", Real)
    >>> gradient_term(Lam((x,), Prim(Operation(named("sin")), (x,)))).type
    Real × Real ⇒ Real × Tensor[1]
    """
    d, starts = 0, []
    for x in lam.params:
        starts.append(d)
        d += x.type.size if isinstance(x.type, Tensor) and x.type.is_smooth else 0
    negation = LinearNegation(d, names_beside(lam))
    pairs = tuple(
        Tuple((x, negation.injection(x.type, start))) if is_smooth(x.type) else x
        for x, start in zip(lam.params, starts, strict=True)
    )
    w, r = negation.var("w", lam.body.type), negation.var("r", negation.type(lam.body.type))
    both = Tuple((Proj(0, r), App(Proj(1, r), w)))
    return Lam((*lam.params, w), Let(((r, App(negation.term(lam), pack(pairs))),), both))


def names_beside(lam: Lam) -> Names:
    """Names that no variable of a program has."""
    return Names(node.name for node in distinct_nodes(lam) if isinstance(node, Var))
