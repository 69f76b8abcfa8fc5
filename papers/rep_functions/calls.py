"""Figure 3: simply-typed differentiable curry and eval; ``T[τ ⇝ σ] = [(τ, T[σ])]``.

::

    curry f = new_f where
      new_f t  = let new_g s = let (r, pb) = f (t, s) in (r, λgr. snd (pb gr))
                     new_pb grs = let aux (s, gr) = fst (snd (f (t, s)) gr) in sum (map aux grs)
                 in (new_g, new_pb)
    eval (f, x) = let (y, pb) = f x in (y, λg. ([(x, g)], pb g))

``new_pb`` runs ``f`` again for every call that was recorded. A recursive function (6.2) is called
as its step calls it: ``fix`` pulls calls of ``f`` back to calls of the step, and to those that they
make in turn, until there are none.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from combinators.morphisms import Label
from combinators.objects import Fun, Product
from papers.rep_functions.library import Arrow, RepFunctions
from papers.rep_functions.tangents import Rep


class SimplyTyped(RepFunctions):
    """Fig. 2 with the ``curry`` and the ``eval`` of Fig. 3."""

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        def new_f(t: Any) -> Rep:
            def new_g(s: Any) -> Rep:
                r, pb, _ = body((*t, s))
                return Rep(r, lambda gr: pb(gr)[-1])

            def new_pb(grs: Any) -> Any:
                def aux(s: Any, gr: Any) -> Any:
                    return body((*t, s)).pullback(gr)[:-1]

                return reduce(self.plus, [aux(*call) for call in grs], self.zero(captured, t))

            return Rep(new_g, new_pb)

        return new_f

    def eval(self, function: Fun) -> Arrow:
        def new_f(pair: Any) -> Rep:
            f, x = pair
            y, pb, _ = f(x)
            return Rep(y, lambda g: ([(x, g)], pb(g)))

        return new_f

    def fix(self) -> Arrow:
        """``fix s = f where f x = s (f, x)``."""

        def new_f(s: Arrow) -> Rep:
            def f(x: Any) -> Rep:
                y, pb, _ = s((f, x))
                return Rep(y, lambda g: pb(g)[1])

            def new_pb(grs: Any) -> Any:
                calls = list(grs)
                for x, g in calls:
                    calls += s((f, x)).pullback(g)[0]
                return [((f, x), g) for x, g in calls]

            return Rep(f, new_pb)

        return new_f
