"""Sums, recursive types and recursive functions of the naive interpreter.

A tangent of a sum is None, which is zero, or ``Injected`` of the alternative that the value is.
"""

from __future__ import annotations

from typing import Any

from combinators.objects import Mu, Object, Product, Sum
from combinators.operation import Operation
from combinators.value_folds import Injected
from tests.laws.bugs.arrows import Arrow, Closure, Rep, derived
from tests.laws.bugs.cotangents import Cotangents


class Sums(Cotangents):
    """Each is a method, by the name of its primitive."""

    def of_sums(self, operation: Operation, dom: Any, cod: Object) -> Arrow:
        index = operation.keywords.get("index")
        alone = dom.parts[0] if isinstance(dom, Product) else dom
        made: Arrow = getattr(self, operation.name)(alone, cod, index)
        if alone is dom:
            return made
        return self.compose([self.proj(dom, 0, alone), made])

    def inject(self, dom: Object, cod: Any, index: int) -> Arrow:
        def rep(x: Any) -> Rep:
            value = Injected(self.tag_of(index, cod), x)
            return Rep(value, lambda g: self.untagged(g, index), lambda v: self.tagged(v, index))

        return Arrow(dom, cod, rep)

    tag = inject

    def tag_of(self, index: int, of: Sum) -> int:
        return index

    def payload(self, dom: Any, cod: Object, index: int) -> Arrow:
        def rep(s: Any) -> Rep:
            value = self.opened(s, index, cod)
            return Rep(value, lambda g: self.tagged(g, index), lambda v: self.untagged(v, index))

        return Arrow(dom, cod, rep)

    untag = payload

    def opened(self, s: Any, index: int, obj: Object) -> Any:
        return self.zeros(obj) if s is None else s.value

    def is_alternative(self, dom: Object, cod: Object, index: int) -> Arrow:
        return Arrow(dom, cod, lambda s: Rep(self.is_one(s, index), lambda g: None, lambda v: None))

    def is_one(self, s: Any, index: int) -> bool:
        return bool(s.tag == index)

    def tagged(self, g: Any, index: int) -> Any:
        """The tangent of a sum whose value is the alternative ``index``."""
        return None if g is None else Injected(index, g)

    def untagged(self, g: Any, index: int) -> Any:
        """The tangent of the alternative ``index``."""
        return None if g is None else g.value

    def roll(self, dom: Object, cod: Object, _: None) -> Arrow:
        return Arrow(dom, cod, lambda x: Rep(x, self.rolled_back, lambda v: v))

    def unroll(self, dom: Mu, cod: Object, _: None) -> Arrow:
        return Arrow(dom, cod, lambda x: Rep(x, lambda g: g, lambda v: v))

    def rolled_back(self, g: Any) -> Any:
        return g

    def fix(self, dom: Any, cod: Object) -> Arrow:
        def rep(step: Closure) -> Rep:
            itself = self.fixed(step)
            return Rep(itself, lambda g: self.pulled_fixed(step, itself, g), lambda v: v)

        return Arrow(dom, cod, rep)

    def fixed(self, step: Closure) -> Closure:
        """``λx. step (itself, x)``, which captures what the step does."""
        context, given = step.body.dom.init, step.body.dom.last

        def rep(x: Any) -> Rep:
            *captured, argument = x
            itself = self.caught(Closure(arrow, tuple(captured)))
            inner = step.body.rep((*captured, (itself, argument)))
            pull = lambda g: self.pulled_step(itself, inner.pullback(g), len(captured))
            push = lambda v: inner.pushforward(self.pushed_step(v, len(captured)))
            return derived([inner], inner.value, pull, push)

        arrow = Arrow(context.snoc(given.parts[1]), step.body.cod, rep)
        return Closure(arrow, step.captured)

    def caught(self, itself: Closure) -> Closure:
        """What a step is given as the function itself."""
        return itself

    def pulled_step(self, itself: Closure, pulled: Any, width: int) -> Any:
        """The cotangent of what is captured, by the step and by its calls of itself; and of x."""
        *environment, pair = pulled or (None,) * (width + 1)
        again, argument = pair or (None, None)
        own = None if again is None else self.pulled_closure(itself, again)
        return (*self.captured_again(tuple(environment), own), self.further(argument))

    def captured_again(self, environment: Any, own: Any) -> Any:
        return environment if own is None else self.both(environment, tuple(own))

    def further(self, argument: Any) -> Any:
        """The cotangent of a step's argument."""
        return argument

    def pushed_step(self, v: Any, width: int) -> Any:
        *captured, argument = v or (None,) * (width + 1)
        return (*captured, (tuple(captured), argument))
