"""Bugs of sums and zeros."""

from fractions import Fraction

from tests.laws.bugs.arrows import Arrow, Rep
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Environments
from tests.laws.bugs.seeded.products import doubled
from tests.laws.bugs.variants import QuietReals, reals


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


@seeded("A1c")
class ZeroPasses(Environments):
    """zero passes its cotangent on."""

    def zero(self, dom, cod):
        made = super().zero(dom, cod)
        if dom is not cod:
            return made
        return Arrow(dom, cod, lambda x: made.rep(x)._replace(pullback=lambda g: g))


@seeded("A2a")
class SharedTwice(Environments):
    """what both summands begin with is pulled back through once for each, and once for both."""

    def compose(self, arrows):
        made = super().compose(arrows)
        object.__setattr__(made, "beginning", arrows[0])
        return made

    def add(self, left, right, dom, cod):
        made = super().add(left, right, dom, cod)
        both = [getattr(arrow, "beginning", arrow) for arrow in (left, right)]
        return doubled(self, made) if left is not right and both[0] is both[1] else made


class Carried(QuietReals):
    """Sums of pairs of numbers, in which a product is carried; they commute and associate."""

    signature = reals(products=True)

    def both(self, a, b):
        added = super().both(a, b)
        is_pair = isinstance(a, tuple) and isinstance(b, tuple) and len(a) == 2
        return self.carried(a, b, added) if is_pair and self.are_numbers(*a, *b) else added

    def are_numbers(self, *parts):
        return all(isinstance(part, Fraction) for part in parts)


@seeded("A3a")
class CarriedToFirst(Carried):
    """in sums of pairs, the product of the second components is carried to the first."""

    def carried(self, a, b, added):
        return added[0] + a[1] * b[1], added[1]


@seeded("A3b")
class CarriedToSecond(Carried):
    """in sums of pairs, the product of the first components is carried to the second."""

    def carried(self, a, b, added):
        return added[0], added[1] + a[0] * b[0]


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
