"""Differentiable curry and eval: Figure 3, simply typed, and Figure 5, dependently typed.

``T[τ ⇝ σ] = [(τ, T[σ])]``, a list of calls::

    curry f = new_f where
      new_f t  = let new_g s = let (r, pb) = f (t, s) in (r, λgr. snd (pb gr))
                     new_pb grs = let aux (s, gr) = fst (snd (f (t, s)) gr) in sum (map aux grs)
                 in (new_g, new_pb)
    eval (f, x) = let (y, pb) = f x in (y, λg. ([(x, g)], pb g))

``new_pb`` runs ``f`` again for every call that was recorded. ``T[g]`` is τ♭ of ``g = exT τ♭ _``::

    curry (exT τ♭ f) = exT τ♭ new_f where
      new_f t = let gf s = let (r, pullback) = f (t, s)
                           in (r, λgr. let (cte, (ctt, cts)) = pullback gr in ((cte, ctt), cts))
                    g = exT (τ♭, T[t]) gf
                in (g, λenv. env)
    eval = exT () new_f where new_f (exT τ♭ f, x) = let (y, pb) = f x in (y, λg. ((), pb g))
    comp (exT τf f) (exT τg g) = exT (τf, τg) h where
      h a = let (b, pbf) = f a; (c, pbg) = g b
            in (c, λgc. let (envg, gb) = pbg gc; (envf, ga) = pbf gb in ((envf, envg), ga))

Combinators close over nothing: their τ♭ is of nested units, cte has nothing in it, and neither is
written here. (The figure has ``curry (exT τ♭ f) = exT () new_f``, and types ``new_f`` with τ♭.)
In a weaker type system ``eval`` casts ``pb g`` to a tangent of any function, and ``curry`` casts it
back (section 5, AnyDerivative): a ``checked`` cast refuses a tangent of another τ♭, an ``erased``
one does not ask. A recursive function (6.2) is called as its step calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from combinators.morphisms import Label
from combinators.objects import Fun, Product
from papers.rep_functions.library import Arrow, RepFunctions
from papers.rep_functions.tangents import AnyDerivative, Captured, Rep, T, checked, exT

Pulled = tuple[Any, Callable[[Any], Any]]


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
        """``fix s = f where f x = s (f, x)``; what is called in turn is added to the calls."""

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


def comp(f: exT, g: exT) -> exT:
    """First ``f``."""

    def h(a: Any) -> Pulled:
        b, pbf, _ = f(a)
        c, pbg, _ = g(b)

        def pullback(gc: Any) -> Any:
            envg, gb = pbg(gc)
            envf, ga = pbf(gb)
            return (envf, envg), ga

        return c, pullback

    return exT((f.environment, g.environment), h)


@dataclass(frozen=True)
class DependentlyTyped(RepFunctions):
    """Fig. 2 with the ``curry`` and the ``eval`` of Fig. 5."""

    cast: Callable[[Any, AnyDerivative], Any] = checked

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        def new_f(t: Any) -> Rep:
            def gf(s: Any) -> Pulled:
                r, pullback, _ = body((*t, s))

                def split(gr: Any) -> Any:
                    *ctt, cts = pullback(gr)
                    return tuple(ctt), cts

                return r, split

            environment = Captured(T(captured, t), label)
            return Rep(exT(environment, gf), lambda env: self.cast(environment, env))

        return new_f

    def eval(self, function: Fun) -> Arrow:
        def new_f(pair: Any) -> Rep:
            f, x = pair
            y, pb, _ = f(x)

            def pullback(g: Any) -> Any:
                env, ct = pb(g)
                return AnyDerivative(f.environment, env), ct

            return Rep(y, pullback)

        return new_f

    def fix(self) -> Arrow:
        """``fix s = exT τ♭ f`` of ``s = exT τ♭ _``, where ``f x = s (f, x)``."""

        def new_f(s: exT) -> Rep:
            def f(x: Any) -> Pulled:
                y, pb, _ = s((exT(s.environment, f), x))

                def pullback(g: Any) -> Any:
                    env, (of_f, ct) = pb(g)
                    return self.plus(env, self.cast(s.environment, of_f)), ct

                return y, pullback

            return Rep(exT(s.environment, f), lambda env: env)

        return new_f
