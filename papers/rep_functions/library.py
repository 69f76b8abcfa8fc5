"""Figure 2: the library of combinators, whose arrows are rep-functions ``a → (b, T b → T a)``.

::

    mult (x1, x2)    = (x1 * x2, λg. (x2 * g, x1 * g))
    proj_left (a, b) = (a, λg. (g, 0))
    prod f g y       = let (a, pbf) = f y; (b, pbg) = g y in ((a, b), λ(ga, gb). pbf ga + pbg gb)
    (f ∘ g) a        = let (b, pbf) = f a; (c, pbg) = g b in (c, λgc. pbf (pbg gc))

What a primitive derives to is its own declaration. Contexts are flat, so ``proj`` and ``prod`` are
of any width, and ``extend e`` is ``prod id e``, flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from combinators.errors import MissingRule
from combinators.literal import Literal
from combinators.morphisms import Morphism, interpret
from combinators.objects import Object, Product
from combinators.operation import Operation
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import FIX, RECOMPUTE
from interpreters.carriers.carrier import Carrier
from papers.plain_functions import PlainFunctions, types_of
from papers.rep_functions.primitives import pullback_of, written_out
from papers.rep_functions.tangents import Rep, T, plus, zero

Arrow = Any
"""``a ⇝ b``: a function that gives a ``Rep``; with an environment, an ``exT``."""


def vjp(f: Arrow, x: Any, gb: Any) -> Any:
    """``vjp f x gb = snd (f x) gb``."""
    return f(x).pullback(gb)


@dataclass(frozen=True)
class RepFunctions:
    """All but ``curry`` and ``eval``."""

    over: Carrier

    def zero(self, obj: Object, v: Any) -> Any:
        """``0_T[v]``."""
        return zero(T(obj, v), self.over)

    def plus(self, x: Any, y: Any) -> Any:
        return plus(x, y, self.over)

    def lifted(self, f: Arrow) -> Arrow:
        """A rep-function that captures nothing."""
        return f

    def identity(self, dom: Object) -> Arrow:
        return self.lifted(lambda a: Rep(a, lambda g: g))

    def const(self, dom: Object, value: Literal) -> Arrow:
        return self.lifted(lambda a: Rep(self.over.const(value), lambda g: self.zero(dom, a)))

    def proj(self, dom: Object, index: int, cod: Object) -> Arrow:
        def proj(a: Any) -> Rep:
            def pullback(g: Any) -> Any:
                zeros = self.zero(dom, a)
                return (*zeros[:index], g, *zeros[index + 1 :])

            return Rep(a[index], pullback)

        return self.lifted(proj)

    def prod(self, dom: Object, arrows: Sequence[Arrow]) -> Arrow:
        def prod(y: Any) -> Rep:
            reps = [f(y) for f in arrows]

            def pullback(gs: Any) -> Any:
                parts = [rep.pullback(g) for rep, g in zip(reps, gs, strict=True)]
                return reduce(self.plus, parts) if parts else self.zero(dom, y)

            return Rep(tuple([rep.value for rep in reps]), pullback)

        return prod

    def extend(self, context: Product, arrow: Arrow) -> Arrow:
        flat = self.lifted(lambda ye: Rep((*ye[0], ye[1]), lambda g: (g[:-1], g[-1])))
        return self.compose([self.prod(context, [self.identity(context), arrow]), flat])

    def compose(self, arrows: Sequence[Arrow]) -> Arrow:
        def compose(a: Any) -> Rep:
            pullbacks = []
            for f in arrows:
                a, pb = f(a)[:2]
                pullbacks.append(pb)
            return Rep(a, lambda g: reduce(lambda g, pb: pb(g), reversed(pullbacks), g))

        return compose

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        def cond(pair: Any) -> Rep:
            b, pb = (then if self.over.truth(pair[0]) else other)(pair[1])[:2]
            return Rep(b, lambda g: ((), pb(g)))

        return cond

    def fix(self) -> Arrow:
        raise MissingRule("the library of Fig. 2 has no functions")

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        types = types_of(dom)
        if operation == FIX:
            return self.fix()
        if operation == RECOMPUTE or operation.primitive is LOOP:
            return self.of(written_out(operation, types))
        pull = pullback_of(operation, types, self.over)
        compute = PlainFunctions(self.over).primitive(operation, dom, cod)

        def declared(x: Any) -> Rep:
            y = compute(x)
            if pull is None:
                return Rep(y, lambda g: self.zero(dom, x))
            if isinstance(dom, Product):
                return Rep(y, lambda g: pull(g, *x, y))
            return Rep(y, lambda g: pull(g, x, y)[0])

        return self.lifted(declared)

    def of(self, program: Morphism) -> Arrow:
        """The program as a rep-function."""
        return interpret(program, self)  # type: ignore[arg-type]  # with curry and eval
