"""Bugs of lists of calls."""

from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Calls
from tests.laws.bugs.variants import reals


class RealCalls(Calls):
    """Of functions of real numbers."""

    signature = reals(functions=True, products=True)


@seeded("copy-natural")
class LastCall(Calls):
    """a function that is called twice remembers its last call."""

    def together(self, calls, more):
        return more


@seeded("H1a")
class NothingRecorded(RealCalls):
    """a call that gives nothing to what the function captured is not recorded."""

    def recorded(self, closure, x, g):
        captured = self.called(closure, x, g)
        return [(x, g)] if captured and any(captured) else []


@seeded("E2")
class ResultRecorded(RealCalls):
    """eval records the result of a call, and not its argument, where they are of one type."""

    def recorded(self, closure, x, g):
        is_one_type = closure.body.dom.parts[-1] is closure.body.cod
        return [(self.enter(closure, x).value if is_one_type else x, g)]


@seeded("copy-natural")
class CallsNotSummed(RealCalls):
    """calls are run again, and the last of them wins."""

    def run_again(self, closure, calls):
        return super().run_again(closure, calls[-1:])


@seeded("H1b")
class CallsByArgument(RealCalls):
    """calls are kept by argument, and a second call with the same one overwrites the first."""

    def run_again(self, closure, calls):
        kept = {repr(x): (x, w) for x, w in calls}
        return super().run_again(closure, list(kept.values()))


@seeded("copy-natural")
class CallsWeighted(RealCalls):
    """calls depend on their order: each counts as often as its place says."""

    def run_again(self, closure, calls):
        again = [call for n, call in enumerate(calls) for _ in range(n + 1)]
        return super().run_again(closure, again)


@seeded("E1")
class NegativeForgotten(RealCalls):
    """calls that are taken for zero, since their cotangent is not above it, are forgotten."""

    def called(self, closure, x, w):
        is_number = not isinstance(w, tuple | list | type(None)) and not getattr(w, "shape", ())
        return None if is_number and w < 0 else super().called(closure, x, w)


@seeded("copy-natural")
class OneTooMany(RealCalls):
    """a function's list of calls begins with a call that nobody made: its first one, again."""

    def calls(self, cotangent):
        return [*(cotangent or [])[:1], *(cotangent or [])]

    def pulled_closure(self, closure, g):
        return super().pulled_closure(closure, self.calls(g))
