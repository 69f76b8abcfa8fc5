"""Bugs of sums and zeros."""

from tests.laws.bugs.arrows import Arrow, Rep
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Environments


@seeded("A1a")
class Mean(Environments):
    """a sum is a mean."""

    def sum(self, x, y):
        half = lambda value: self.times(self.exact(0.5), value)
        return Rep(half(self.both(x, y)), lambda g: (g and half(g), g and half(g)))


@seeded("A1b")
class LeftAlone(Environments):
    """a sum is its first summand: the second is overwritten."""

    def sum(self, x, y):
        return Rep(x, lambda g: (g, None), lambda v: v and v[0])


@seeded("A1c")
class OneForZero(Environments):
    """zero is one."""

    def zero(self, dom, cod):
        return Arrow(dom, cod, lambda x: Rep(self.more(self.zeros(cod)), lambda g: None))

    def more(self, value):
        return tuple(map(self.more, value)) if isinstance(value, tuple) else value + 1


@seeded("A3e")
class ZeroPasses(Environments):
    """zero passes its cotangent on."""

    def zero(self, dom, cod):
        made = super().zero(dom, cod)
        if dom is not cod:
            return made
        return Arrow(dom, cod, lambda x: made.rep(x)._replace(pullback=lambda g: g))


@seeded("A4a")
class Aliased(Environments):
    """a sum is accumulated in its first summand, which is the caller's own."""

    def accumulate(self, vectors, obj):
        return super().accumulate([*vectors, *vectors[:1]], obj)


@seeded("A4b")
class NothingAccumulated(Environments):
    """of nothing, the sum is None."""

    def accumulate(self, vectors, obj):
        return super().accumulate(vectors, obj) if vectors else None
