"""Bugs of functions, in either form of their cotangents."""

from tests.laws.bugs.arrows import Closure, Rep
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Environments
from tests.laws.bugs.variants import Numbers


@seeded("E1")
class CaptureDropped(Environments):
    """the cotangent of a captured variable is dropped."""

    def halves(self, function, argument):
        return None, argument


@seeded("E1")
class CapturedTwice(Environments):
    """the cotangent of a captured variable is counted twice."""

    def halves(self, function, argument):
        return self.both(function, function), argument


def alike(closure):
    """Whether what a closure captured and its argument are all of one type."""
    return len(set(closure.body.dom.parts)) == 1


@seeded("E4")
class Swapped(Environments):
    """eval hands the function's cotangent to the argument, and the argument's to the function."""

    def pulled_call(self, closure, x, g, pulled):
        swap = alike(closure) and pulled is not None
        return super().pulled_call(closure, x, g, pulled[::-1] if swap else pulled)


@seeded("E2")
class Shifted(Numbers):
    """the cotangent of an environment is shifted by one place."""

    def pulled_call(self, closure, x, g, pulled):
        function, argument = super().pulled_call(closure, x, g, pulled)
        alike_ = len(set(closure.body.dom.parts[:-1])) == 1
        return ((*function[1:], *function[:1]) if alike_ else function), argument


@seeded("E4")
class FirstComponent(Environments):
    """curry splits off the first component of its context, where all are of one type."""

    def enter(self, closure, x):
        if not alike(closure):
            return super().enter(closure, x)
        inner = closure.body.rep((x, *closure.captured))
        pull = lambda g: (pulled := inner.pullback(g)) and (*pulled[1:], pulled[0])
        return Rep(inner.value, inner.pullback and pull, inner.pushforward)


@seeded("E8")
class LateBinding(Environments):
    """closures see their variables as they are when called: the last ones that were captured."""

    def __init__(self):
        self.current = {}

    def closure(self, body, captured):
        self.current[body.dom] = captured
        return super().closure(body, captured)

    def enter(self, closure, x):
        body = closure.body
        return super().enter(Closure(body, self.current[body.dom]), x)


@seeded("H7")
class HandedOut(Environments):
    """a function that nobody has called has no cotangent, though it was handed out."""

    def pulled_closure(self, closure, g):
        return None if isinstance(g, list) else g


@seeded("E2")
class LastCaptured(Numbers):
    """a closure keeps a cotangent of one variable alone."""

    def halves(self, function, argument):
        return (*(None,) * (len(function) - 1), *function[-1:]), argument
