"""Bugs of conditionals."""

from tests.laws.bugs.arrays import changed
from tests.laws.bugs.arrows import Arrow, Rep
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Environments
from tests.laws.bugs.variants import Floats, Numbers, reals


class Branches(Environments):
    """Of conditionals on real numbers."""

    signature = reals(conditionals=True)


@seeded("S5a")
class Inverted(Environments):
    """a conditional takes the other branch."""

    def taken(self, test):
        return not test


@seeded("S5b")
class AlwaysFirst(Environments):
    """a conditional takes its first branch, whatever the test gives."""

    def taken(self, test):
        return True


@seeded("S5a")
class OtherBackwards(Branches):
    """a conditional takes the other branch on its way back."""

    def chosen(self, then, other, test, x):
        forth, back = (
            super(OtherBackwards, self).chosen(then, other, t, x) for t in (test, not test)
        )
        return Rep(forth.value, back.pullback, forth.pushforward)


@seeded("S5a")
class BothBranches(Branches):
    """both branches of a conditional contribute to the gradient."""

    def chosen(self, then, other, test, x):
        made = super().chosen(then, other, test, x)
        beside = super().chosen(then, other, not test, x)
        both = lambda g: self.both(made.pullback(g), beside.pullback(g))
        return made._replace(pullback=made.pullback and both)


@seeded("S5c")
class SameBranch(Numbers):
    """a choice between equals is folded into a constant."""

    def cond(self, dom, then, other):
        made = super().cond(dom, then, other)
        if then is not other:
            return made
        return Arrow(dom, made.cod, lambda x: made.rep(x)._replace(pullback=lambda g: None))


@seeded("S5d")
class Negation(Environments):
    """not is written ~, and ~True is -2, which is true."""

    operations = changed("logical_not", value=lambda xs: ~xs[0])

    def number(self, value):
        return super().number(value) if value.type.is_smooth else value.array.tolist()


@seeded("P3")
class Masked(Floats):
    """both branches are run, and the gradient of the other one is multiplied by 0."""

    signature = reals(operations={"multiply": 2}, special=True)

    def chosen(self, then, other, test, x):
        made = super().chosen(then, other, test, x)
        beside = super().chosen(then, other, not test, x)

        def pullback(g):
            return self.both(made.pullback(g), self.masked(beside.pullback(g)))

        return made._replace(pullback=made.pullback and pullback)

    def masked(self, g):
        if isinstance(g, tuple):
            return tuple(map(self.masked, g))
        return None if g is None else g * 0.0
