"""Bugs of recursive functions."""

from tests.laws.bugs.arrows import Arrow, Closure
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Calls, Environments
from tests.laws.bugs.variants import Quiet, reals


class Recursive(Environments):
    """Of recursive functions of real numbers and of lists of them."""

    signature = reals(sums=True, conditionals=True, functions=True, recursion=True)


@seeded("R-rec")
class SelfDropped(Recursive):
    """the cotangent of the function itself, which captures what its step does, is dropped."""

    def captured_again(self, environment, own):
        return environment


@seeded("fix-count")
class CaptureLost(Recursive):
    """a capture is lost by recursion: calls further in see zero."""

    def caught(self, itself):
        numbers = [x * 0 if hasattr(x, "denominator") else x for x in itself.captured]
        return Closure(itself.body, tuple(numbers))


@seeded("rec-cons")
class ArgumentDropped(Recursive):
    """what a recursive function is called with has no cotangent."""

    def further(self, argument):
        return None


@seeded("R-rec")
class DeepestResidual(Recursive):
    """the calls of a recursive function share a residual, that of the deepest call."""

    def fixed(self, step):
        kept = {}

        def rep(x):
            inner = step.body.rep(x)
            return kept.setdefault("deepest", inner)._replace(value=inner.value)

        return super().fixed(Closure(Arrow(step.body.dom, step.body.cod, rep), step.captured))


@seeded("D-rec")
class CaptureStill(Quiet):
    """a recursive function moves by what it captured in its first call alone."""

    signature = Recursive.signature

    def pushed_step(self, v, width):
        *captured, argument = v or (None,) * (width + 1)
        return (*captured, (None, argument))


@seeded("R-rec")
class FirstCallAlone(Calls):
    """of the calls of a recursive function those that it makes itself are not recorded."""

    signature = Recursive.signature

    def pulled_fixed(self, step, itself, g):
        return [((itself, x), w) for x, w in g or []]

    def captured_again(self, environment, own):
        return environment
