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
back (section 5, AnyDerivative). ``checked`` casts remember τ♭ and refuse another closure's;
``erased`` ones forget it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from combinators.errors import TypeMismatch
from combinators.literal import Literal
from combinators.morphisms import Label, Morphism, interpret
from combinators.objects import Fun, Object, Product
from combinators.operation import Operation
from combinators.primitives.structural import FIX
from interpreters.carriers.carrier import Carrier
from papers.rep_functions.functions import written_out
from papers.rep_functions.library import Arrow, RepFunctions
from papers.rep_functions.tangents import (
    AnyDerivative,
    Closed,
    Erase,
    Pullback,
    T,
    dependently,
    exT,
    plus,
    zero,
)

Pulled = tuple[Any, Pullback]


def checked(environment: Any, tangent: Any) -> AnyDerivative:
    """An AnyDerivative that remembers of which τ♭ it is."""
    return AnyDerivative(environment, tangent)


def erased(_: Any, tangent: Any) -> AnyDerivative:
    """The reinterpret cast."""
    return AnyDerivative(None, tangent)


def cast(environment: Any, derivative: AnyDerivative) -> Any:
    """The tangent, as one of τ♭; raises TypeMismatch where it is known to be of another."""
    given = derivative.environment
    if given is not None and given != environment:
        raise TypeMismatch(
            f"a tangent of a closure that captured {given!r} is no tangent of one that captured "
            f"{environment!r}: their code differs"
        )
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
class DependentlyTyped:
    """Rep-functions with environments; over the library of Fig. 2, which captures nothing."""

    over: Carrier
    erase: Erase = checked

    @property
    def library(self) -> RepFunctions:
        """Fig. 2."""
        return RepFunctions(self.over, dependently, self.erase)

    def lifted(self, f: Arrow) -> exT:
        """A rep-function that captures nothing."""

        def h(a: Any) -> Pulled:
            b, pb = f(a)[:2]
            return b, lambda g: ((), pb(g))

        return exT((), h)

    def identity(self, dom: Object) -> exT:
        return self.lifted(self.library.identity(dom))

    def proj(self, dom: Object, index: int, cod: Object) -> exT:
        return self.lifted(self.library.proj(dom, index, cod))

    def const(self, dom: Object, value: Literal) -> exT:
        return self.lifted(self.library.const(dom, value))

    def compose(self, arrows: Sequence[exT]) -> exT:
        return comp(*arrows)

    def prod(self, dom: Object, arrows: Sequence[exT]) -> exT:
        def h(y: Any) -> Pulled:
            reps = [f(y) for f in arrows]

            def pullback(gs: Any) -> Any:
                pulled = [rep.pullback(g) for rep, g in zip(reps, gs, strict=True)]
                parts = [part for _, part in pulled]
                total = reduce(self.library.plus, parts) if parts else self.library.zero(dom, y)
                return tuple([environment for environment, _ in pulled]), total

            return tuple([rep.value for rep in reps]), pullback

        return exT(tuple([f.environment for f in arrows]), h)

    def extend(self, context: Product, arrow: exT) -> exT:
        def h(y: Any) -> Pulled:
            e, pb = arrow.f(y)

            def pullback(g: Any) -> Any:
                environment, part = pb(g[-1])
                return environment, self.library.plus(g[:-1], part)

            return (*y, e), pullback

        return exT(arrow.environment, h)

    def cond(self, dom: Object, then: exT, other: exT) -> exT:
        """The environment's part of the branch that is not taken is zero."""

        def h(pair: Any) -> Pulled:
            b = self.over.truth(pair[0])
            y, pb = (then if b else other).f(pair[1])
            rest = zero((other if b else then).environment, self.over, self.erase)

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

            env_t = T(captured, t, dependently)
            environment = Closed(label.body, label.names, body.environment, env_t)
            return exT(environment, gf), lambda env: cast(environment, env)

        return exT(body.environment, new_f)

    def eval(self, function: Fun) -> exT:
        def new_f(pair: Any) -> Pulled:
            f, x = pair
            y, pb = f.f(x)

            def pullback(g: Any) -> Any:
                environment, part = pb(g)
                return (), (self.erase(f.environment, environment), part)

            return y, pullback

        return exT((), new_f)

    def fix(self) -> exT:
        """``fix s = (exT τ♭ f, λenv. env)`` of ``s = exT τ♭ _``, where ``f x = s (f, x)``."""

        def new_f(s: exT) -> Pulled:
            def f(x: Any) -> Pulled:
                y, pb = s.f((exT(s.environment, f), x))

                def pullback(g: Any) -> Any:
                    environment, (of_f, part) = pb(g)
                    below = cast(s.environment, of_f)
                    return plus(environment, below, self.over), part

                return y, pullback

            return exT(s.environment, f), lambda env: ((), env)

        return exT((), new_f)

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> exT:
        if operation == FIX:
            return self.fix()
        wider = written_out(operation, dom)
        if wider is not None:
            return self.of(wider)
        return self.lifted(self.library.declared(operation, dom, cod))

    def of(self, program: Morphism) -> exT:
        """The program as a rep-function."""
        return interpret(program, self)
