"""What the kit asks of the naive interpreter: to run, to observe, and derivatives of arrows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from combinators.objects import Fun, Mu, Object, Product, Real, Sum, Tensor, components
from combinators.type_folds import tangent_of, unfolded
from laws.equality import Leaf
from laws.model import Signature
from laws.observation import IF, at_value, leaves
from tests.laws.bugs.arrows import Arrow, Outcome, Rep
from tests.laws.bugs.cotangents import Cotangents


class Asked(Cotangents):
    """A model's methods besides its combinators."""

    signature = Signature()

    @property
    def category(self) -> Any:
        return self

    def types(self, arrow: Arrow) -> tuple[Object, Object]:
        return arrow.dom, arrow.cod

    def run(self, arrow: Arrow, point: Any) -> Outcome:
        return Outcome(arrow.rep(point), arrow.dom, point)

    def value(self, outcome: Outcome) -> Any:
        return outcome.rep.value

    def observe(self, cod: Object, outcome: Outcome, probes: Any) -> Iterator[Leaf]:
        rep, dom, point = outcome
        yield from leaves(self, cod, rep.value, probes)
        if rep.pullback is not None:
            probe = at_value(self, probes.cotangent("pullback", cod), cod, rep.value)
            g = self.covector(probe, cod)
            pulled = rep.pullback(self.at(g, cod, rep.value))
            yield from self.told(pulled, dom, point, probes, "pullback(…)")

    def told(
        self, cotangent: Any, obj: Object, point: Any, probes: Any, place: str = "cotangent"
    ) -> Iterator[Leaf]:
        """The numbers of a cotangent; of a function's, those of its environment."""
        obj = unfolded(obj) if isinstance(obj, Mu) else obj
        product = components(obj)
        if isinstance(obj, Sum):
            if cotangent is not None:
                tag, inner = cotangent
                part, at = obj.parts[tag], point and point.value
                yield from self.told(inner, part, at, probes, f"{place}{IF}{tag}")
        elif product is not None:
            parts, points = cotangent or (None,) * product.width, point or (None,) * product.width
            for i, part in enumerate(product.parts):
                yield from self.told(parts[i], part, points[i], probes, f"{place}[{i}]")
        elif isinstance(obj, Tensor) and obj.is_smooth:
            yield place, self.dense(cotangent, obj)
        elif isinstance(obj, Fun):
            inner, context = self.pulled_closure(point, cotangent), point.body.dom.init
            yield from self.told(inner, context, point.captured, probes, f"{place}.captured")

    def D(self, arrow: Arrow, dom: Object, cod: Object) -> Arrow:
        def rep(pair: Any) -> Rep:
            return Rep(self.dense(arrow.rep(pair[0]).pushforward(pair[1]), cod))

        return Arrow(Product(dom, tangent_of(dom)), tangent_of(cod), rep)

    def R(self, arrow: Arrow, dom: Object, cod: Object) -> Arrow:
        def rep(pair: Any) -> Rep:
            return Rep(self.dense(arrow.rep(pair[0]).pullback(pair[1]), dom))

        return Arrow(Product(dom, tangent_of(cod)), tangent_of(dom), rep)

    def add(self, left: Arrow, right: Arrow, dom: Object, cod: Object) -> Arrow:
        plus = Arrow(Product(cod, cod), cod, lambda pair: self.sum(*pair))
        return self.compose([self.prod(dom, [left, right]), plus])

    def zero(self, dom: Object, cod: Object) -> Arrow:
        zero = self.zeros(cod)
        return Arrow(dom, cod, lambda x: Rep(zero, lambda g: None, lambda v: None))

    def scale(self, number: Arrow, arrow: Arrow, dom: Object, cod: Object) -> Arrow:
        return Arrow(dom, cod, lambda x: Rep(self.times(number.rep(x).value, arrow.rep(x).value)))

    def inner(self, left: Arrow, right: Arrow, dom: Object, obj: Object) -> Arrow:
        return Arrow(dom, Real, lambda x: Rep(self.paired(left.rep(x).value, right.rep(x).value)))
