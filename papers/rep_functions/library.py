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

from combinators.literal import Literal
from combinators.morphisms import Morphism, interpret
from combinators.objects import Object, Product
from combinators.operation import Operation
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import FIX, RECOMPUTE, VECTOR
from combinators.translate import translate
from interpreters.carriers.carrier import Carrier
from papers.plain_functions import PlainFunctions, partials, rounds
from papers.rep_functions.tangents import Rep, T, plus, zero

Arrow = Any
"""``a ⇝ b``: a function that gives a ``Rep``."""


def vjp(f: Arrow, x: Any, gb: Any) -> Any:
    """``vjp f x gb = snd (f x) gb``."""
    return f(x).pullback(gb)


@dataclass(frozen=True)
class RepFunctions:
    """All but ``curry``, ``eval`` and ``fix``."""

    over: Carrier

    def of(self, program: Morphism) -> Arrow:
        """The program as a rep-function."""
        return interpret(program, self)  # type: ignore[arg-type]  # with curry and eval

    def zero(self, obj: Object, v: Any) -> Any:
        """``0_T[v]``."""
        return zero(T(obj, v), self.over)

    def plus(self, x: Any, y: Any) -> Any:
        return plus(x, y, self.over)

    def identity(self, dom: Object) -> Arrow:
        return lambda a: Rep(a, lambda g: g)

    def const(self, dom: Object, value: Literal) -> Arrow:
        return lambda a: Rep(self.over.const(value), lambda g: self.zero(dom, a))

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
            e, pb, _ = arrow(y)
            return Rep((*y, e), lambda g: self.plus(g[:-1], pb(g[-1])))

        return extend

    def compose(self, arrows: Sequence[Arrow]) -> Arrow:
        def then(f: Arrow, g: Arrow) -> Arrow:
            def h(a: Any) -> Rep:
                b, pbf, _ = f(a)
                c, pbg, _ = g(b)
                return Rep(c, lambda gc: pbf(pbg(gc)))

            return h

        return reduce(then, arrows)

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        def cond(pair: Any) -> Rep:
            b, pb, _ = (then if self.over.truth(pair[0]) else other)(pair[1])
            return Rep(b, lambda g: ((), pb(g)))

        return cond

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        if operation == FIX:
            return self.fix()  # type: ignore[attr-defined]  # of functions, as curry and eval
        if not isinstance(dom, Product):
            alone = self.prod(dom, [self.identity(dom)])
            return self.compose([alone, self.primitive(operation, Product(dom), cod)])
        if operation.primitive is VECTOR:
            return self.identity(dom)
        if operation == RECOMPUTE or operation.primitive is LOOP:
            lam = rounds(operation, dom.parts)
            return self.of(translate(lam.params, lam.body))
        compute = PlainFunctions(self.over).primitive(operation, dom, cod)
        slopes = dict(partials(operation, dom.parts, cod, self.over))

        def declared(xs: Any) -> Rep:
            y, still = compute(xs), self.zero(dom, xs)

            def part(i: int, g: Any) -> Any:
                return slopes[i](g, xs, y) if i in slopes else still[i]

            return Rep(y, lambda g: tuple([part(i, g) for i in range(len(xs))]))

        return declared
