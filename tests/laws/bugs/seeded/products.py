"""Bugs of composition and of products."""

from combinators.objects import Tensor, Unit, components
from tests.laws.bugs.arrows import Arrow, Rep
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Environments
from tests.laws.bugs.variants import Quiet, Reals, reals


class Identity(Arrow):
    """An arrow that is known to do nothing."""


class Composite(Arrow):
    """An arrow that is known to be composed."""


def astuple(arrow):
    return arrow.dom, arrow.cod, arrow.rep


def doubled(model, arrow):
    """Its cotangents count twice."""

    def rep(x):
        value, pull, push = arrow.rep(x)
        return Rep(value, pull and (lambda g: twice(model, pull(g))), push)

    return type(arrow)(arrow.dom, arrow.cod, rep)


def twice(model, g):
    return model.both(g, g)


@seeded("C1")
class LastSkipped(Environments):
    """the pullback of a composite forgets its last arrow."""

    def pulled(self, reps, g):
        return super().pulled(reps[:-1], g)


@seeded("C2")
class TrailingIdentity(Environments):
    """an identity that comes last passes its cotangent on, and the arrow before it does so too."""

    def identity(self, dom):
        return Identity(*astuple(super().identity(dom)))

    def compose(self, arrows):
        made = super().compose(arrows)
        trailing = isinstance(arrows[-1], Identity) and not isinstance(arrows[0], Identity)
        return doubled(self, made) if trailing else made


@seeded("C3")
class Nested(TrailingIdentity):
    """a composite in a composite counts twice what comes before it, unless that is an identity."""

    signature = reals()

    def compose(self, arrows):
        made = Composite(*astuple(Environments.compose(self, arrows)))
        first, *later = map(type, arrows)
        return doubled(self, made) if first is not Identity and Composite in later else made


@seeded("C1")
class Accumulating(Environments):
    """gradients add up from run to run: nobody zeroes them."""

    def compose(self, arrows):
        made = super().compose(arrows)
        found = [None]

        def rep(x):
            value, pull, push = made.rep(x)

            def pullback(g):
                found[0] = self.both(found[0], pull(g))
                return found[0]

            return Rep(value, pull and pullback, push)

        return Arrow(made.dom, made.cod, rep)


@seeded("P1a")
class FirstForgotten(Environments):
    """a tuple forgets the cotangent of its first component, where there are more."""

    def total(self, cotangents):
        return super().total(cotangents[1:] if len(cotangents) > 1 else cotangents)


@seeded("P1b")
class LastForgotten(Environments):
    """a tuple forgets the cotangent of its last component, where there are more."""

    def total(self, cotangents):
        return super().total(cotangents[:1] + cotangents[1:-1])


@seeded("L6-wide")
class FourthForgotten(Quiet):
    """a tuple forgets the cotangent of its fourth component."""

    def total(self, cotangents):
        return super().total(cotangents[:3] + cotangents[4:])


@seeded("L6-long")
class OneSkipped(Quiet):
    """a composite of four or more skips the third on its way back, where that is of one type."""

    def compose(self, arrows):
        made = super().compose(arrows)
        if len(arrows) < 4 or arrows[2].dom is not arrows[2].cod:
            return made

        def rep(x):
            steps = [x]
            for arrow in arrows:
                steps.append(arrow.rep(steps[-1]).value)
            kept = [arrow.rep(at) for arrow, at in zip(arrows, steps, strict=False)]
            del kept[2]
            return made.rep(x)._replace(pullback=lambda g: self.pulled(kept, g))

        return Arrow(made.dom, made.cod, rep)


@seeded("P1a")
class Reversed(Environments):
    """a tuple holds its components in reverse, where they are of one type."""

    def prod(self, dom, arrows):
        alike = len({arrow.cod for arrow in arrows}) == 1
        return super().prod(dom, arrows[::-1] if alike else arrows)


@seeded("P1b")
class Parallel(Environments):
    """parallel arrows of a tuple are merged: those of one type are taken for one."""

    def prod(self, dom, arrows):
        merged = {arrow.cod: arrow for arrow in reversed(arrows)}
        return super().prod(dom, [merged[arrow.cod] for arrow in arrows])


@seeded("P1b")
class Injected(Environments):
    """the cotangent of a projection goes to the first component that has its type."""

    def proj(self, dom, index, cod):
        parts = getattr(dom, "parts", ())
        to = parts.index(cod) if cod in parts else index
        made = super().proj(dom, index, cod)
        into = lambda g: self.injected(g, to, components(dom).width)
        return Arrow(dom, cod, lambda x: made.rep(x)._replace(pullback=into))


@seeded("P4")
class Overwritten(Environments):
    """what the components of a tuple give is overwritten, not summed."""

    def total(self, cotangents):
        return next((g for g in reversed(cotangents) if g is not None), None)


@seeded("P5a")
class Discarded(Reals):
    """what is discarded has the cotangent one."""

    def prod(self, dom, arrows):
        made = super().prod(dom, arrows)
        if arrows or not isinstance(dom, Tensor):
            return made
        return Arrow(dom, made.cod, lambda x: Rep((), lambda g: self.zeros(dom) + 1, lambda v: ()))


@seeded("P5b")
class NothingToDiscard(Environments):
    """the empty tuple starts from something: from the unit, it raises."""

    signature = reals()

    def prod(self, dom, arrows):
        if dom is Unit and not arrows:
            raise IndexError("there is nothing to discard")
        return super().prod(dom, arrows)


@seeded("P8")
class Constant(Environments):
    """a constant passes its cotangent on to what comes before."""

    def const(self, dom, value):
        made = super().const(dom, value)
        if dom is not value.type:
            return made
        return Arrow(dom, made.cod, lambda x: made.rep(x)._replace(pullback=lambda g: g))


@seeded("C4a")
class WrongEnd(Environments):
    """a composite is said to end where its first arrow ends."""

    def types(self, arrow):
        return arrow.dom, getattr(arrow, "middle", arrow.cod)

    def compose(self, arrows):
        made = super().compose(arrows)
        object.__setattr__(made, "middle", arrows[0].cod)
        return made


@seeded("C4b")
class Unchecked(Environments):
    """arrows that do not fit are composed."""

    def fits(self, arrow, later):
        return True
