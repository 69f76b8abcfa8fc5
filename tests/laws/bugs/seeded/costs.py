"""Bugs of cost: programs and gradients of our own that give what they should, and dearly."""

from combinators.literal import Literal
from combinators.morphisms import (
    Compose,
    Constant,
    Id,
    Primitive,
    Prod,
    Projection,
    interpret,
    prod,
)
from combinators.operation import Operation, named
from diffcurry.models.reverse import CostModel
from interpreters.carriers.counting import Counting
from interpreters.carriers.fractions import Fractions
from interpreters.modes.reverse import Dependent
from laws.free import Free
from laws.model import Signature
from laws.writing import REWRITINGS
from tests.laws.bugs.bug import ours, seeded
from tests.laws.bugs.variants import reals


class Costs(CostModel):
    """The dependently typed pullback, counted."""

    structures = ("cost",)
    signature = reals(operations={"multiply": 2}, lets=True)

    def __init__(self):
        super().__init__(Dependent(Counting(Fractions())))

    def unshared(self, arrow):
        return interpret(interpret(arrow.program, Unshared()), self.category)


class Unshared(Free):
    """What several components need is computed for each."""

    def compose(self, arrows):
        steps = [step for a in arrows for step in (a.arrows if isinstance(a, Compose) else [a])]
        made = steps[0]
        for step in steps[1:]:
            if isinstance(step, Prod):
                made = prod(made.dom, *(self.compose([made, part]) for part in step.arrows))
            else:
                made = super().compose([made, step])
        return made

    def extend(self, context, arrow):
        known = (Projection(context, i) for i in range(context.width))
        return prod(context, *known, arrow)


@seeded("K1")
@ours
class OneByOne(Costs):
    """the pullback runs the program anew, for each of ten directions."""

    def operations(self, arrow, point, cotangent=None):
        spent = super().operations(arrow, point, cotangent)
        return spent if cotangent is None else spent + 10 * super().operations(arrow, point)


@seeded("K2")
@ours
class Inlined(Costs):
    """nothing in a gradient program has a name: what is used again is written again."""

    structures = ("cost of programs",)
    signature = Signature()

    def gradient_lines(self, program):
        return 4 ** super().gradient_lines(program)


@seeded("K3a")
@ours
class SharingLost(Costs):
    """what is named is computed wherever it is used."""

    def operations(self, arrow, point, cotangent=None):
        return super().operations(self.unshared(arrow), point, cotangent)


@seeded("K3b")
@ours
class SharingLostBackwards(Costs):
    """what is named is pulled back for each of its uses, and not once by the sum."""

    def operations(self, arrow, point, cotangent=None):
        run = arrow if cotangent is None else self.unshared(arrow)
        return super().operations(run, point, cotangent)


@seeded("K4a")
@ours
class ZerosWritten(Costs):
    """the pullback of a projection computes zeros for the other components."""

    def operations(self, arrow, point, cotangent=None):
        projects = isinstance(arrow.program, Projection) and cotangent is not None
        return super().operations(arrow, point, cotangent) + projects


@seeded("K4b")
@ours
class WholeArray(Costs):
    """the pullback of an index goes through the whole array."""

    def operations(self, arrow, point, cotangent=None):
        through = 0 if cotangent is None else getattr(arrow.dom, "size", 0)
        return super().operations(arrow, point, cotangent) + through


class _Padded(Free):
    def primitive(self, operation, dom, cod):
        made = super().primitive(operation, dom, cod)
        if operation.name != "multiply":
            return made
        zero = Constant(cod, Literal.filled(0.0, cod))
        return made >> prod(cod, Id(cod), zero) >> Primitive(Operation(named("add")), (cod, cod))


@seeded("K5")
@ours
class ZeroAdded(Costs):
    """a simplifier writes x * y as x * y + 0."""

    @property
    def ways(self):
        def simplified(program):
            small = REWRITINGS["simplified"](program)
            return interpret(interpret(small, _Padded()), self.category)

        return {**super().ways, "simplified": simplified}
