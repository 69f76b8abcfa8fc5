"""Bugs of derivatives as programs, which nest: our own pushforwards and pullbacks, patched."""

from combinators.morphisms import Projection, prod
from combinators.objects import Product
from diffcurry.models.programs import Programs
from interpreters.carriers.fractions import Fractions
from tests.laws.bugs.bug import seeded


class Nested(Programs):
    """Over the rationals."""

    uses_ours = True

    def __init__(self):
        super().__init__(Fractions())


def is_pair(dom):
    """Whether ``dom`` is ``A × A``, as that of a derivative is."""
    return isinstance(dom, Product) and dom.width == 2 and dom.parts[0] is dom.parts[1]


@seeded("CD6")
class Confused(Nested):
    """a derivative in a derivative has the outer one's tangent: perturbations are confused."""

    def D(self, arrow, dom, cod):
        found = super().D(arrow, dom, cod)
        if not is_pair(dom):
            return found
        both = Product(dom, dom)
        point, moved = Projection(both, 0), Projection(both, 1)
        first = moved >> Projection(dom, 0)
        return prod(both, point, prod(both, first, first)) >> found


@seeded("RD6")
class NestedReverse(Nested):
    """a reverse derivative in a reverse derivative is counted twice."""

    def R(self, arrow, dom, cod):
        found = super().R(arrow, dom, cod)
        if not is_pair(dom):
            return found
        return self.add(found, found, found.dom, found.cod)
