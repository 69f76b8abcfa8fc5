"""Bugs of reverse mode in models that show values alone, so that only derivatives tell."""

from combinators.objects import Tensor
from tests.laws.bugs.arrays import ARRAYS, changed, pointwise
from tests.laws.bugs.arrows import Arrow
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.variants import Quiet, QuietReals, reals


def pulling(arrow, pull):
    """An arrow that pulls back otherwise: ``pull(g, rep)``."""

    def rep(x):
        made = arrow.rep(x)
        return made._replace(pullback=made.pullback and (lambda g: pull(g, made)))

    return Arrow(arrow.dom, arrow.cod, rep)


@seeded("RD1a")
class SumPulls(Quiet):
    """a sum hands its cotangent to its first summand."""

    def sum(self, x, y):
        return super().sum(x, y)._replace(pullback=lambda g: (g, None))


@seeded("RD1b")
class ZeroPulls(Quiet):
    """zero passes its cotangent on where the types allow it."""

    def zero(self, dom, cod):
        made = super().zero(dom, cod)
        return pulling(made, lambda g, rep: g) if dom is cod else made


@seeded("RD2a")
class SquarePulls(QuietReals):
    """the pullback of a negation squares its cotangent."""

    signature = reals(operations={"negative": 1})

    operations = changed("negative", pull=lambda g, *rest: ARRAYS["negative"].pull(g * g, *rest))


@seeded("RD2a")
class OneAdded(QuietReals):
    """the pullback of a difference adds one."""

    signature = reals(operations={"subtract": 2})

    operations = changed("subtract", pull=lambda g, *rest: ARRAYS["subtract"].pull(g + 1, *rest))


@seeded("RD3a")
class Doubled(Quiet):
    """the identity doubles its cotangent."""

    def identity(self, dom):
        return pulling(super().identity(dom), lambda g, rep: self.both(g, g))


@seeded("RD3b")
class ByType(QuietReals):
    """a projection hands its cotangent to the last component that has its type."""

    def proj(self, dom, index, cod):
        alike = [i for i, part in enumerate(getattr(dom, "parts", ())) if part is cod]
        made = super().proj(dom, index, cod)
        if not alike:
            return made
        return pulling(made, lambda g, rep: self.injected(g, alike[-1], dom.width))


@seeded("RD3c")
class ByFirstType(QuietReals):
    """a projection hands its cotangent to the first component that has its type."""

    def proj(self, dom, index, cod):
        alike = [i for i, part in enumerate(getattr(dom, "parts", ())) if part is cod]
        made = super().proj(dom, index, cod)
        return (
            pulling(made, lambda g, rep: self.injected(g, alike[0], dom.width)) if alike else made
        )


@seeded("RD4a")
class PairPulls(Quiet):
    """of a pair of two types, the cotangent of the first component is overwritten."""

    def prod(self, dom, arrows):
        made = super().prod(dom, arrows)
        if len({arrow.cod for arrow in arrows}) < 2:
            return made
        last = lambda g: (*(None,) * (len(arrows) - 1), g[-1])
        return pulling(made, lambda g, rep: g and rep.pullback(last(g)))


@seeded("RD4b")
class DiscardedPulls(QuietReals):
    """what is discarded has the cotangent one."""

    def prod(self, dom, arrows):
        made = super().prod(dom, arrows)
        if arrows or not isinstance(dom, Tensor):
            return made
        return pulling(made, lambda g, rep: self.zeros(dom) + 1)


@seeded("RD5")
class ChainPulls(QuietReals):
    """the chain rule pulls back through all arrows at the first point, if it has their type."""

    signature = reals(operations={"multiply": 2})

    def compose(self, arrows):
        made = super().compose(arrows)
        if len({obj for arrow in arrows for obj in (arrow.dom, arrow.cod)}) > 1:
            return made

        def rep(x):
            there = [arrow.rep(x) for arrow in arrows]
            return made.rep(x)._replace(pullback=lambda g: self.pulled(there, g))

        return Arrow(made.dom, made.cod, rep)


@seeded("L3")
class QuietCapture(QuietReals):
    """the cotangent of a captured variable is dropped, and only values are shown."""

    signature = reals(functions=True, operations={})

    def halves(self, function, argument):
        return None, argument


@seeded("L3")
class LetForgotten(QuietReals):
    """what a let names has no cotangent."""

    signature = reals(lets=True, operations={})

    def extend(self, context, arrow):
        return pulling(super().extend(context, arrow), lambda g, rep: g and g[:-1])


@seeded("L3")
class LetShadowed(QuietReals):
    """a let that shadows a variable of its type takes its cotangent."""

    signature = reals(lets=True, operations={})

    def extend(self, context, arrow):
        made = super().extend(context, arrow)
        alike = [i for i, part in enumerate(context.parts) if part is arrow.cod]
        if not alike:
            return made
        hidden = lambda g: tuple(None if i == alike[-1] else part for i, part in enumerate(g))
        return pulling(made, lambda g, rep: g and rep.pullback(hidden(g)))


@seeded("L5a")
class BothWrong(QuietReals):
    """multiply derives to twice what it should in its first argument, both ways."""

    signature = reals(operations={"multiply": 2})
    wrong = pointwise(ARRAYS["multiply"].value, lambda x, y: 2 * y, lambda x, y: x)

    operations = changed("multiply", pull=wrong.pull, push=wrong.push)
