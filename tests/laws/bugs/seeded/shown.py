"""Bugs of what our own front door shows of tangents and cotangents, and reads back."""

from diffcurry.function_cotangents import Calls, Captured
from diffcurry.models.modes import ForwardModel
from diffcurry.models.reverse import ReverseModel
from diffcurry.tangents import TangentFunction
from interpreters.carriers.numpy import NumPy
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback
from tests.laws.bugs.bug import ours, seeded


def replaced(shown, kind, instead):
    """What is shown, with another thing in place of each that is of a ``kind``."""
    if isinstance(shown, kind):
        return instead(shown)
    if type(shown) is tuple:
        return tuple(replaced(part, kind, instead) for part in shown)
    return shown


@seeded("U1")
@ours
class FirstCallHidden(ReverseModel):
    """the first call of a function is not shown."""

    structures = ("shown cotangents",)

    def __init__(self):
        super().__init__(Pullback(NumPy()))

    def show(self, cotangent, obj, value):
        shown = super().show(cotangent, obj, value)
        return replaced(shown, Calls, lambda calls: Calls(calls[1:]))


@seeded("U1")
@ours
class OtherNames(ReverseModel):
    """what a function captured is shown under the names in the other order."""

    structures = ("shown cotangents",)

    def __init__(self):
        super().__init__(Dependent(NumPy()))

    def show(self, cotangent, obj, value):
        shown = super().show(cotangent, obj, value)
        return replaced(shown, Captured, self.renamed)

    def renamed(self, captured):
        names = sorted(captured)
        return Captured(
            {name: captured[other] for name, other in zip(names, names[::-1], strict=True)}
        )


@seeded("U2")
@ours
class ReadAsStill(ForwardModel):
    """the tangent of a function that is handed back is read as zero."""

    structures = ("shown tangents",)

    def __init__(self):
        super().__init__(Pushforward(NumPy()))

    def read_tangent(self, shown, obj, value):
        still = lambda tangent: TangentFunction(None, tangent.function)
        return super().read_tangent(replaced(shown, TangentFunction, still), obj, value)
