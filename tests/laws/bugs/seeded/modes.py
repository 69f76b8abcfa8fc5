"""Bugs of our own modes: forward mode of functions, and ways to one value that differ."""

from combinators.literal import Literal
from combinators.morphisms import interpret
from diffcurry.models.modes import ForwardModel, PrimalModel
from diffcurry.models.reverse import ReverseModel
from interpreters.carriers.fractions import Fractions
from interpreters.execution.running import Running
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import FunctionTangent, Pushforward
from interpreters.modes.reverse import Dependent
from laws.free import Free
from tests.laws.bugs.bug import ours, seeded
from tests.laws.bugs.seeded.rewriting import Swapped
from tests.laws.bugs.variants import reals


class Forwards(ForwardModel):
    """Forward mode over the rationals, of functions of real numbers."""

    structures = ("closed differential",)
    signature = reals(functions=True)
    pushforward = Pushforward

    def __init__(self):
        super().__init__(self.pushforward(Fractions()))


class _Still(Pushforward):
    def _velocity(self, obj, value):
        found = super()._velocity(obj, value)
        return None if isinstance(found, FunctionTangent) else found


@seeded("D-curry")
@ours
class CapturedStill(Forwards):
    """a function does not move by what it captured."""

    pushforward = _Still


class _Unmoved(Pushforward):
    def entering(self, function):
        return Running.entering(self, function)


@seeded("D-ev")
@ours
class CalledStill(Forwards):
    """a call moves by its argument, and not by its function."""

    pushforward = _Unmoved


@seeded("D-along")
@ours
class AlongStill(Forwards):
    """a function that is taken for a tangent gives zero."""

    def at(self, vector, argument, dom, function):
        found = super().at(vector, argument, dom, function)
        still = self.zero(dom, found.cod)

        def at(point):
            return (found if isinstance(vector.at(point), FunctionTangent) else still).at(point)

        return type(found)(found.dom, found.cod, at)


class Reverses(ReverseModel):
    """The dependently typed pullback over the rationals."""

    signature = reals(products=True)

    def __init__(self):
        super().__init__(Dependent(Fractions()))


@seeded("G1")
@ours
class ToldInReverse(Reverses):
    """forward mode gives the numbers of a gradient from the last to the first."""

    structures = ("algorithms",)

    def gradients(self, program, point, vector):
        found = super().gradients(program, point, vector)
        return {**found, "Pushforward": list(found["Pushforward"])[::-1]}


class _Whole(Free):
    def const(self, dom, value):
        return super().const(dom, Literal(value.array.astype(int).astype(value.type.dtype)))


@seeded("L4")
@ours
class WholePrimal(Reverses):
    """where nothing is differentiated, constants are rounded to whole numbers."""

    structures = ("primal",)

    def _primal(self, program):
        return super()._primal(interpret(program, _Whole()))


@seeded("F4")
@ours
class OtherFormula(PrimalModel):
    """formulas have the operands of x - y in the other order."""

    structures = ("symbolic",)
    signature = reals(operations={"subtract": 2})

    def __init__(self):
        super().__init__(Primal(Fractions()))

    @property
    def ways(self):
        known = super().ways
        return {**known, "sympy": lambda program: known["sympy"](interpret(program, Swapped()))}
