"""Bugs of derivatives as programs, which nest: our own pushforwards and pullbacks, patched."""

from combinators.morphisms import Primitive, Projection, interpret, prod
from combinators.objects import Product
from combinators.operation import Operation, named
from diffcurry.models.programs import Programs
from interpreters.carriers.fractions import Fractions
from laws.free import Free
from laws.scene import nodes
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.variants import reals


class Nested(Programs):
    """Over the rationals; it knows which arrows are derivatives."""

    uses_ours = True
    signature = reals()

    def __init__(self):
        super().__init__(Fractions())
        self.made, self.parts = {}, {}

    def kept(self, derivative):
        """It is known from now on for a derivative."""
        self.made[id(derivative)] = derivative
        self.parts.update({id(node): node for node in nodes(derivative)})
        return derivative

    def is_derivative(self, arrow):
        return id(arrow) in self.made

    def has_derivative(self, arrow):
        """Whether one is a part of it."""
        return any(id(node) in self.parts for node in nodes(arrow))


@seeded("CD6")
class Confused(Nested):
    """a derivative in a derivative has the outer one's tangent: perturbations are confused."""

    def D(self, arrow, dom, cod):
        found = self.kept(super().D(arrow, dom, cod))
        if not self.is_derivative(arrow):
            return found
        both = Product(dom, dom)
        point, moved = Projection(both, 0), Projection(both, 1)
        first = moved >> Projection(dom, 0)
        return prod(both, point, prod(both, first, first)) >> found


@seeded("RD6")
class NestedReverse(Nested):
    """a reverse derivative in a reverse derivative is counted twice."""

    def R(self, arrow, dom, cod):
        found = self.kept(super().R(arrow, dom, cod))
        if not self.is_derivative(arrow):
            return found
        return self.add(found, found, found.dom, found.cod)


@seeded("CD7")
class OneWay(Nested):
    """a derivative in a derivative moves besides by what the outer one moves its point by."""

    def D(self, arrow, dom, cod):
        found = self.kept(super().D(arrow, dom, cod))
        if not self.is_derivative(arrow):
            return found
        both = Product(dom, dom)
        moved = Projection(both, 1)
        point, vector = moved >> Projection(dom, 0), moved >> Projection(dom, 1)
        added = self.add(point, vector, both, vector.cod)
        return prod(both, Projection(both, 0), prod(both, point, added)) >> found


class _Added(Free):
    def primitive(self, operation, dom, cod):
        plus = Operation(named("add"))
        subtracts = operation.name == "subtract"
        return Primitive(plus, dom.parts) if subtracts else super().primitive(operation, dom, cod)


@seeded("RD8")
class SubtractMoves(Nested):
    """x - y is right in reverse mode, and moves forwards as x + y does."""

    signature = reals(operations={"subtract": 2})

    def D(self, arrow, dom, cod):
        return super().D(interpret(arrow, _Added()), dom, cod)


@seeded("G4a")
class OneTag(Nested):
    """a derivative in a program that is derived has the outer one's tag: both tangents count."""

    structures = ("nesting",)

    def D(self, arrow, dom, cod):
        found = self.kept(super().D(arrow, dom, cod))
        if self.is_derivative(arrow) or not self.has_derivative(arrow):
            return found
        return self.kept(self.add(found, found, found.dom, found.cod))
