"""A textbook interpreter of its own, on Python's functions and the rationals, to plant bugs in.

An arrow gives a value, a pullback and a pushforward at once (Fig. 2, 3 and 5 of 004, without the
machine that makes ours fast). It shares no code with ``interpreters``. Its methods are small, so
that a bug is one of them written otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from combinators.errors import MissingRule, NotComposable
from combinators.literal import Literal
from combinators.morphisms import Label
from combinators.objects import Fun, Object, Product, Vector, components
from combinators.operation import Operation
from combinators.primitives.sums import SUMS
from tests.laws.bugs.arrays import ARRAYS, Known
from tests.laws.bugs.arrows import Arrow, Closure, Rep, derived
from tests.laws.bugs.asked import Asked
from tests.laws.bugs.loops import Loops
from tests.laws.bugs.sums import Sums


class Naive(Asked, Loops, Sums):
    """The combinators, but for what a function's cotangent is (``forms``)."""

    operations: Mapping[str, Known] = ARRAYS

    def identity(self, dom: Object) -> Arrow:
        return Arrow(dom, dom, lambda x: Rep(x, lambda g: g, lambda v: v))

    def relabel(self, dom: Object, cod: Object) -> Arrow:
        return Arrow(dom, cod, self.identity(dom).rep)

    def compose(self, arrows: Any) -> Arrow:
        for pair in pairwise(arrows):
            if not self.fits(*pair):
                raise NotComposable("one arrow ends where the next does not start")

        def rep(x: Any) -> Rep:
            reps: list[Rep] = []
            for arrow in arrows:
                reps.append(arrow.rep(x))
                x = reps[-1].value
            pull, push = lambda g: self.pulled(reps, g), lambda v: self.pushed(reps, v)
            return derived(reps, x, pull, push)

        return Arrow(arrows[0].dom, arrows[-1].cod, rep)

    def fits(self, arrow: Arrow, later: Arrow) -> bool:
        return arrow.cod is later.dom

    def pulled(self, reps: list[Rep], g: Any) -> Any:
        for rep in reversed(reps):
            g = rep.pullback(g)
        return g

    def pushed(self, reps: list[Rep], v: Any) -> Any:
        for rep in reps:
            v = rep.pushforward(v)
        return v

    def prod(self, dom: Object, arrows: Any) -> Arrow:
        def rep(x: Any) -> Rep:
            reps = [arrow.rep(x) for arrow in arrows]

            def pullback(g: Any) -> Any:
                parts = g or (None,) * len(reps)
                return self.total([r.pullback(p) for r, p in zip(reps, parts, strict=True)])

            value = self.tupled([r.value for r in reps])
            return derived(reps, value, pullback, lambda v: tuple(r.pushforward(v) for r in reps))

        return Arrow(dom, Product(*(arrow.cod for arrow in arrows)), rep)

    def tupled(self, values: list[Any]) -> Any:
        return tuple(values)

    def proj(self, dom: Object, index: int, cod: Object) -> Arrow:
        width = dom.length if isinstance(dom, Vector) else components(dom).width

        def rep(x: Any) -> Rep:
            push = lambda v: None if v is None else v[index]
            return Rep(self.picked(x, index), lambda g: self.injected(g, index, width), push)

        return Arrow(dom, cod, rep)

    def picked(self, x: Any, index: int) -> Any:
        return x[index]

    def injected(self, g: Any, index: int, width: int) -> Any:
        """The transpose of a projection."""
        return tuple(g if i == index else None for i in range(width))

    def extend(self, context: Product, arrow: Arrow) -> Arrow:
        def rep(x: Any) -> Rep:
            inner = arrow.rep(x)
            none = (None,) * context.width

            def pullback(g: Any) -> Any:
                *old, new = g or (*none, None)
                return self.both(tuple(old), inner.pullback(new))

            push = lambda v: (*(v or none), inner.pushforward(v))
            return derived([inner], self.extended(x, inner.value), pullback, push)

        return Arrow(context, context.snoc(arrow.cod), rep)

    def extended(self, context: Any, value: Any) -> Any:
        return (*context, value)

    def const(self, dom: Object, value: Literal) -> Arrow:
        number = self.number(value)
        return Arrow(dom, value.type, lambda x: Rep(number, lambda g: None, lambda v: None))

    def number(self, value: Literal) -> Any:
        return self.exact(value.array) if value.type.is_smooth else value.array[()]

    def curry(self, captured: Product, function: Fun, body: Arrow, label: Label) -> Arrow:
        def rep(x: Any) -> Rep:
            closure = self.closure(body, x)
            return Rep(closure, lambda g: self.pulled_closure(closure, g), lambda v: v)

        return Arrow(captured, function, rep)

    def closure(self, body: Arrow, captured: Any) -> Closure:
        return Closure(body, captured)

    def eval(self, function: Fun) -> Arrow:
        def rep(pair: Any) -> Rep:
            closure, x = pair
            inner = self.enter(closure, x)
            pull = lambda g: self.pulled_call(closure, x, g, inner.pullback(g))
            push = lambda v: self.pushed_call(closure, inner, v)
            return derived([inner], inner.value, pull, push)

        return Arrow(Product(function, function.dom), function.cod, rep)

    def enter(self, closure: Closure, x: Any) -> Rep:
        return closure.body.rep((*closure.captured, x))

    def halves(self, function: Any, argument: Any) -> Any:
        return function, argument

    def pushed_call(self, closure: Closure, inner: Rep, v: Any) -> Any:
        moved, argument = v or (None, None)
        return inner.pushforward((*(moved or (None,) * len(closure.captured)), argument))

    def cond(self, dom: Object, then: Arrow, other: Arrow) -> Arrow:
        def rep(pair: Any) -> Rep:
            test, x = pair
            return self.chosen(then.rep, other.rep, self.taken(test), x)

        return Arrow(dom, then.cod, rep)

    def taken(self, test: Any) -> bool:
        return bool(test)

    def chosen(self, then: Any, other: Any, test: bool, x: Any) -> Rep:
        inner = (then if test else other)(x)
        push = lambda v: inner.pushforward(None if v is None else v[1])
        return derived([inner], inner.value, lambda g: (None, inner.pullback(g)), push)

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        match operation.name:
            case "fold" | "scan" | "map" | "reduce" | "scanl" | "scanr" as loop:
                reverse = {"reverse": True} if operation.keywords.get("reverse") else {}
                return getattr(self, loop)(dom, cod, **reverse)
            case _ if operation.primitive in SUMS:
                return self.of_sums(operation, dom, cod)
            case "fix":
                return self.fix(dom, cod)
            case "plus":
                return Arrow(dom, cod, lambda pair: self.sum(*pair))
            case "zeros":
                return self.zero(dom, cod)
        known = self.known(operation.name)
        parts = components(dom)
        types = (dom,) if parts is None else parts.parts

        def rep(x: Any) -> Rep:
            xs = (x,) if parts is None else x
            y = known.value(xs, **operation.keywords)

            def pullback(g: Any) -> Any:
                if g is None or not cod.is_smooth:
                    return None
                pulled = known.pull(g, xs, y, types, **operation.keywords)
                return pulled[0] if parts is None else tuple(pulled)

            def pushforward(v: Any) -> Any:
                if v is None or not cod.is_smooth:
                    return None
                vs = self.dense((v,) if parts is None else v, Product(*types))
                return known.push(vs, xs, y, **operation.keywords)

            return Rep(y, pullback, pushforward)

        return Arrow(dom, cod, rep)

    def known(self, name: str) -> Known:
        if name not in self.operations:
            raise MissingRule(f"the naive interpreter has no {name}")
        return self.operations[name]

    def sum(self, x: Any, y: Any) -> Rep:
        return Rep(self.both(x, y), lambda g: (g, g), lambda v: v and self.both(*v))
