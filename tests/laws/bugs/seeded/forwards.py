"""Bugs of forward mode, which only derivatives show."""

from tests.laws.bugs.arrays import ARRAYS, changed
from tests.laws.bugs.arrows import Arrow
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Environments
from tests.laws.bugs.variants import Reals, reals


def pushing(arrow, push):
    """An arrow that moves otherwise: ``push(v, rep)``."""

    def rep(x):
        made = arrow.rep(x)
        return made._replace(pushforward=lambda v: push(v, made))

    return Arrow(arrow.dom, arrow.cod, rep)


@seeded("CD1a")
class SumMoves(Environments):
    """a sum moves by its first summand."""

    def sum(self, x, y):
        return super().sum(x, y)._replace(pushforward=lambda v: v and v[0])


@seeded("CD1b")
class ConstantMoves(Environments):
    """the tangent of a constant is one."""

    def zero(self, dom, cod):
        ones = self.map_number(self.zeros(cod), lambda zero: zero + 1)
        return pushing(super().zero(dom, cod), lambda v, rep: ones)

    def map_number(self, value, f):
        return tuple(self.map_number(v, f) for v in value) if isinstance(value, tuple) else f(value)


@seeded("CD2a")
class Absolute(Reals):
    """the tangents of products are taken without their signs."""

    signature = reals(operations={"multiply": 2})

    operations = changed("multiply", push=lambda *given: abs(ARRAYS["multiply"].push(*given)))


@seeded("CD3a")
class IdentityMoves(Environments):
    """the identity moves twice as fast as its argument."""

    def identity(self, dom):
        return pushing(super().identity(dom), lambda v, rep: self.both(v, v))


@seeded("CD3b")
class ProjectionMoves(Reals):
    """a projection moves by another component."""

    def proj(self, dom, index, cod):
        made = super().proj(dom, index, cod)
        alike = [i for i, part in enumerate(getattr(dom, "parts", ())) if part is cod]
        return pushing(made, lambda v, rep: v and v[alike[-1]]) if alike else made


@seeded("CD3c")
class ProjectionStays(Reals):
    """a projection moves by the first component that has its type."""

    def proj(self, dom, index, cod):
        made = super().proj(dom, index, cod)
        alike = [i for i, part in enumerate(getattr(dom, "parts", ())) if part is cod]
        return pushing(made, lambda v, rep: v and v[alike[0]]) if alike else made


@seeded("CD4a")
class PairMoves(Environments):
    """a pair of two types moves by its first component alone."""

    def prod(self, dom, arrows):
        made = super().prod(dom, arrows)
        still = (None,) * (len(arrows) - 1)
        return (
            pushing(made, lambda v, rep: (*rep.pushforward(v)[:1], *still))
            if len({arrow.cod for arrow in arrows}) > 1
            else made
        )


@seeded("CD5")
class ChainForgotten(Reals):
    """the chain rule takes the derivative of the second arrow at the point of the first."""

    def compose(self, arrows):
        made = super().compose(arrows)
        if any(arrow.dom is not arrows[0].cod for arrow in arrows[1:]):
            return made

        def rep(x):
            there = [arrow.rep(x) for arrow in arrows]
            return made.rep(x)._replace(pushforward=lambda v: self.pushed(there, v))

        return Arrow(made.dom, made.cod, rep) if arrows[0].dom is arrows[0].cod else made


@seeded("L3")
class CallMoves(Reals):
    """a call moves by its argument, and not by what its function captured."""

    signature = reals(functions=True, operations={})

    def pushed_call(self, closure, inner, v):
        return super().pushed_call(closure, inner, v and (None, v[1]))
