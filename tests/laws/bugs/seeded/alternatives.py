"""Bugs of sums, of their tangents, and of recursive types."""

from combinators.value_folds import Injected
from tests.laws.bugs.arrows import Arrow, Rep
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Environments
from tests.laws.bugs.variants import Quiet, reals


class Alternatives(Environments):
    """Of sums of real numbers."""

    signature = reals(sums=True, conditionals=True)


class Cells(Environments):
    """Of lists of real numbers."""

    signature = reals(sums=True, conditionals=True, functions=True, recursion=True)


@seeded("sum-β-right")
class TagLost(Alternatives):
    """the tag of a value is lost: each is the first alternative."""

    def tag_of(self, index, of):
        return 0


@seeded("sum-is")
class OneOfBoth(Alternatives):
    """a value is taken for either alternative."""

    def is_one(self, s, index):
        return True


@seeded("sum-η")
class OtherAlternative(Alternatives):
    """a case keeps the cotangent of the alternative that was not taken."""

    def payload(self, dom, cod, index):
        made = super().payload(dom, cod, index)
        other = 1 - index
        return Arrow(
            dom, cod, lambda s: made.rep(s)._replace(pullback=lambda g: self.tagged(g, other))
        )


@seeded("R-out")
class FirstAlternative(Quiet):
    """what is taken out of a sum is tagged as its first alternative, whichever it is."""

    signature = Alternatives.signature

    def payload(self, dom, cod, index):
        made = super().payload(dom, cod, index)
        return Arrow(dom, cod, lambda s: made.rep(s)._replace(pullback=lambda g: self.tagged(g, 0)))


@seeded("R-in")
class SignOfTags(Quiet):
    """a cotangent changes its sign as it is tagged, and again as it is untagged."""

    signature = Alternatives.signature

    def tagged(self, g, index):
        return None if g is None else Injected(index, self.times(-1, g))

    def untagged(self, g, index):
        return None if g is None else self.times(-1, g.value)


@seeded("D-in")
class MovesAsTheOther(Quiet):
    """an injection moves as the other alternative, and what is taken out as well."""

    signature = Alternatives.signature

    def inject(self, dom, cod, index):
        made = super().inject(dom, cod, index)
        moved = lambda v: self.tagged(v, 1 - index)
        return Arrow(dom, cod, lambda x: made.rep(x)._replace(pushforward=moved))


@seeded("tag-plus")
class FirstTagged(Alternatives):
    """of two tangents of a sum the first is kept."""

    def both_alternatives(self, a, b):
        return a


@seeded("cells-plus")
class TagsAdded(Cells):
    """tags are added, as if they were numbers of one bit."""

    def both_alternatives(self, a, b):
        return Injected(a.tag ^ b.tag, self.both(a.value, b.value))


@seeded("untag-tag")
class CountedAgain(Alternatives):
    """a tangent is counted again as it is tagged."""

    def tag(self, dom, cod, index):
        made = self.inject(dom, cod, index)
        return Arrow(dom, cod, lambda x: made.rep(self.both(x, x)))


@seeded("untag-zero")
class ZeroOpened(Alternatives):
    """of zero the tangent of an alternative is one."""

    def opened(self, s, index, obj):
        return self.exact(1.0) if s is None else super().opened(s, index, obj)


@seeded("roll-unroll")
class RolledAway(Cells):
    """roll has zero as its derivative."""

    def rolled_back(self, g):
        return None


@seeded("unroll-roll")
class FromTheEnd(Cells):
    """a list is opened from its end, and so a fold over it begins there."""

    def unroll(self, dom, cod, _):
        made = super().unroll(dom, cod, _)
        return Arrow(dom, cod, lambda x: self.turned(x, made.rep(x)))

    def turned(self, x, rep):
        items, rest = [], x
        while isinstance(rest, Injected) and rest.tag == 1:
            item, rest = rest.value
            items.append(item)
        if len(items) < 2 or rest.value != ():
            return rep
        cells = rest
        for item in items[-2::-1]:
            cells = Injected(1, (item, cells))
        return Rep(Injected(1, (items[-1], cells)), lambda g: g, lambda v: v)
