"""Figure 5: dependently-typed differentiable curry and eval; ``T[g]`` is τ♭ of ``g = exT τ♭ _``.

::

    curry (exT τ♭ f) = exT τ♭ new_f where
      new_f t = let gf s = let (r, pullback) = f (t, s)
                           in (r, λgr. let (cte, (ctt, cts)) = pullback gr in ((cte, ctt), cts))
                    g = exT (τ♭, T[t]) gf
                in (g, λenv. env)
    eval = exT () new_f where new_f (exT τ♭ f, x) = let (y, pb) = f x in (y, λg. ((), pb g))
    comp (exT τf f) (exT τg g) = exT (τf, τg) h where
      h a = let (b, pbf) = f a; (c, pbg) = g b
            in (c, λgc. let (envg, gb) = pbg gc; (envf, ga) = pbf gb in ((envf, envg), ga))

The figure writes ``curry (exT τ♭ f) = exT () new_f``, and types ``new_f`` with τ♭: so it is here.
In a weaker type system ``eval`` casts ``pb g`` to a tangent of any function, and ``curry`` casts it
back (section 5, AnyDerivative). A ``checked`` cast refuses a tangent of another τ♭; an ``erased``
one does not ask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from combinators.errors import TypeMismatch
from combinators.morphisms import Label
from combinators.objects import Fun, Object, Product
from papers.rep_functions.library import Arrow, RepFunctions
from papers.rep_functions.tangents import (
    AnyDerivative,
    Closed,
    Pullback,
    T,
    exT,
    plus,
    zero,
)

Pulled = tuple[Any, Pullback]


def checked(environment: Any, derivative: AnyDerivative) -> Any:
    """The tangent, as one of τ♭; raises TypeMismatch where it is of another."""
    if derivative.environment != environment:
        raise TypeMismatch(
            f"a tangent of a closure that captured {derivative.environment!r} is no tangent of one "
            f"that captured {environment!r}: their code differs"
        )
    return derivative.tangent


def erased(_: Any, derivative: AnyDerivative) -> Any:
    """The reinterpret cast."""
    return derivative.tangent


def comp(*arrows: exT) -> exT:
    """``comp``, of two or more: first the first."""

    def h(a: Any) -> Pulled:
        pullbacks = []
        for f in arrows:
            a, pb = f.f(a)
            pullbacks.append(pb)

        def pullback(g: Any) -> Any:
            environments = []
            for pb in reversed(pullbacks):
                environment, g = pb(g)
                environments.append(environment)
            return tuple(reversed(environments)), g

        return a, pullback

    return exT(tuple([f.environment for f in arrows]), h)


@dataclass(frozen=True)
class DependentlyTyped(RepFunctions):
    """Rep-functions with environments; what Fig. 2 has captures nothing."""

    cast: Callable[[Any, AnyDerivative], Any] = checked

    def lifted(self, f: Arrow) -> exT:
        def h(a: Any) -> Pulled:
            b, pb = f(a)[:2]
            return b, lambda g: ((), pb(g))

        return exT((), h)

    def compose(self, arrows: Sequence[exT]) -> exT:
        return comp(*arrows)

    def prod(self, dom: Object, arrows: Sequence[exT]) -> exT:
        def h(y: Any) -> Pulled:
            reps = [f(y) for f in arrows]

            def pullback(gs: Any) -> Any:
                pulled = [rep.pullback(g) for rep, g in zip(reps, gs, strict=True)]
                parts = [part for _, part in pulled]
                total = reduce(self.plus, parts) if parts else self.zero(dom, y)
                return tuple([environment for environment, _ in pulled]), total

            return tuple([rep.value for rep in reps]), pullback

        return exT(tuple([f.environment for f in arrows]), h)

    def cond(self, dom: Object, then: exT, other: exT) -> exT:
        """The environment's part of the branch that is not taken is zero."""

        def h(pair: Any) -> Pulled:
            b = self.over.truth(pair[0])
            y, pb = (then if b else other).f(pair[1])
            rest = zero((other if b else then).environment, self.over)

            def pullback(g: Any) -> Any:
                environment, part = pb(g)
                return (environment, rest) if b else (rest, environment), ((), part)

            return y, pullback

        return exT((then.environment, other.environment), h)

    def curry(self, captured: Product, function: Fun, body: exT, label: Label) -> exT:
        def new_f(t: Any) -> Pulled:
            def gf(s: Any) -> Pulled:
                r, pullback = body.f((*t, s))

                def split(gr: Any) -> Any:
                    cte, ct = pullback(gr)
                    return (cte, ct[:-1]), ct[-1]

                return r, split

            env_t = T(captured, t)
            environment = Closed(label.body, label.names, body.environment, env_t)
            return exT(environment, gf), lambda env: self.cast(environment, env)

        return exT(body.environment, new_f)

    def eval(self, function: Fun) -> exT:
        def new_f(pair: Any) -> Pulled:
            f, x = pair
            y, pb = f.f(x)

            def pullback(g: Any) -> Any:
                environment, part = pb(g)
                return (), (AnyDerivative(f.environment, environment), part)

            return y, pullback

        return exT((), new_f)

    def fix(self) -> exT:
        """``fix s = (exT τ♭ f, λenv. env)`` of ``s = exT τ♭ _``, where ``f x = s (f, x)``."""

        def new_f(s: exT) -> Pulled:
            def f(x: Any) -> Pulled:
                y, pb = s.f((exT(s.environment, f), x))

                def pullback(g: Any) -> Any:
                    environment, (of_f, part) = pb(g)
                    below = self.cast(s.environment, of_f)
                    return plus(environment, below, self.over), part

                return y, pullback

            return exT(s.environment, f), lambda env: ((), env)

        return exT((), new_f)
