"""Figure 2: the library of combinators, whose arrows are rep-functions ``a → (b, T b → T a)``.

::

    mult (x1, x2)    = (x1 * x2, λg. (x2 * g, x1 * g))
    proj_left (a, b) = (a, λg. (g, 0))
    prod f g y       = let (a, pbf) = f y; (b, pbg) = g y in ((a, b), λ(ga, gb). pbf ga + pbg gb)
    (f ∘ g) a        = let (b, pbf) = f a; (c, pbg) = g b in (c, λgc. pbf (pbg gc))

What a primitive derives to is its own declaration. Contexts are flat, so ``proj`` and ``prod`` are
of any width, and ``extend e`` is ``prod id e``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from combinators.errors import MissingRule
from combinators.literal import Literal
from combinators.morphisms import Morphism, interpret
from combinators.objects import Object, Product
from combinators.operation import Operation
from combinators.primitives.structural import FIX
from interpreters.carriers.carrier import Carrier
from papers.rep_functions.functions import pullback_of, value_of, written_out
from papers.rep_functions.tangents import (
    AnyDerivative,
    Erase,
    OfFunction,
    Rep,
    T,
    plus,
    simply,
    zero,
)

Arrow = Callable[[Any], Rep]


def vjp(f: Arrow, x: Any, gb: Any) -> Any:
    """``vjp f x gb = snd (f x) gb``."""
    return f(x).pullback(gb)


@dataclass(frozen=True)
class RepFunctions:
    """All but ``curry`` and ``eval``; of a function's tangents it only needs to know T."""

    over: Carrier
    of_function: OfFunction = simply
    erase: Erase = AnyDerivative

    def zero(self, obj: Object, v: Any) -> Any:
        """``0_T[v]``."""
        return zero(T(obj, v, self.of_function), self.over, self.erase)

    def plus(self, x: Any, y: Any) -> Any:
        return plus(x, y, self.over)

    def identity(self, dom: Object) -> Arrow:
        return lambda a: Rep(a, lambda g: g)

    def proj(self, dom: Object, index: int, cod: Object) -> Arrow:
        def proj(a: Any) -> Rep:
            zeros = self.zero(dom, a)
            return Rep(a[index], lambda g: (*zeros[:index], g, *zeros[index + 1 :]))

        return proj

    def prod(self, dom: Object, arrows: Sequence[Arrow]) -> Arrow:
        def prod(y: Any) -> Rep:
            reps = [f(y) for f in arrows]

            def pullback(gs: Any) -> Any:
                parts = [rep.pullback(g) for rep, g in zip(reps, gs, strict=True)]
                return reduce(self.plus, parts) if parts else self.zero(dom, y)

            return Rep(tuple([rep.value for rep in reps]), pullback)

        return prod

    def extend(self, context: Product, arrow: Arrow) -> Arrow:
        def extend(y: Any) -> Rep:
            e, pb = arrow(y)[:2]
            return Rep((*y, e), lambda g: self.plus(g[:-1], pb(g[-1])))

        return extend

    def compose(self, arrows: Sequence[Arrow]) -> Arrow:
        def compose(a: Any) -> Rep:
            pullbacks = []
            for f in arrows:
                a, pb = f(a)[:2]
                pullbacks.append(pb)
            return Rep(a, lambda g: reduce(lambda g, pb: pb(g), reversed(pullbacks), g))

        return compose

    def const(self, dom: Object, value: Literal) -> Arrow:
        return lambda a: Rep(self.over.const(value), lambda g: self.zero(dom, a))

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        def cond(pair: Any) -> Rep:
            b, pb = (then if self.over.truth(pair[0]) else other)(pair[1])[:2]
            return Rep(b, lambda g: ((), pb(g)))

        return cond

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Any:
        if operation == FIX:
            return self.fix()
        wider = written_out(operation, dom)
        if wider is not None:
            return interpret(wider, self)  # type: ignore[arg-type]  # with curry and eval
        return self.declared(operation, dom, cod)

    def declared(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        """A primitive, with the pullback that it declares."""
        compute = value_of(operation, dom, cod, self.over)
        pull = pullback_of(operation, dom, self.over)

        def declared(x: Any) -> Rep:
            y = compute(x)
            if pull is None:
                return Rep(y, lambda g: self.zero(dom, x))
            return Rep(y, lambda g: pull(g, x, y))

        return declared

    def fix(self) -> Any:
        raise MissingRule("a library without functions has no recursive ones")

    def of(self, program: Morphism) -> Any:
        """The program as a rep-function."""
        return interpret(program, self)  # type: ignore[arg-type]  # with curry and eval
