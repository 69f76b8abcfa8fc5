"""Bugs of functions, in either form of their cotangents."""

from combinators.objects import Fun, Real
from tests.laws.bugs.arrows import Arrow, Closure, Rep
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.forms import Environments
from tests.laws.bugs.variants import Numbers, reals


class Closures(Environments):
    """Of functions of real numbers."""

    signature = reals(functions=True)


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


@seeded("E1")
class Swapped(Environments):
    """eval hands the function's cotangent to the argument, and the argument's to the function."""

    def pulled_call(self, closure, x, g, pulled):
        swap = alike(closure) and pulled is not None
        return super().pulled_call(closure, x, g, pulled[::-1] if swap else pulled)


@seeded("E1-two")
class Shifted(Closures):
    """the cotangent of an environment is shifted by one place."""

    def pulled_call(self, closure, x, g, pulled):
        function, argument = super().pulled_call(closure, x, g, pulled)
        alike_ = set(closure.body.dom.parts[:-1]) == {Real}
        return ((*function[1:], *function[:1]) if alike_ else function), argument


@seeded("E1")
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


@seeded("H5")
class HandedOut(Environments):
    """a function that nobody has called has no cotangent, though it was handed out."""

    def pulled_closure(self, closure, g):
        return None if isinstance(g, list) else g


@seeded("E1-two")
class LastCaptured(Numbers):
    """a closure keeps a cotangent of one variable alone."""

    def halves(self, function, argument):
        return (*(None,) * (len(function) - 1), *function[-1:]), argument


@seeded("H2a")
class LastRunAgain(Environments):
    """of many calls that are run again, the last wins."""

    def run_again(self, closure, calls):
        return super().run_again(closure, calls[-1:])


@seeded("H4a")
class Negated(Closures):
    """eval and curry take the cotangent of an environment with different signs."""

    def halves(self, function, argument):
        return self.negated(function), argument

    def pulled_closure(self, closure, g):
        return super().pulled_closure(closure, g if isinstance(g, list) else self.negated(g))

    def at(self, cotangent, obj, value):
        found = super().at(cotangent, obj, value)
        return self.negated(found) if isinstance(obj, Fun) else found

    def negated(self, g):
        if isinstance(g, tuple):
            return tuple(map(self.negated, g))
        return g and -g


@seeded("E1-apart")
class OneCell(Closures):
    """the closures of one λ share the cell of what they captured, and the last one wins."""

    def curry(self, captured, function, body, label):
        cell = {}

        def rep(x):
            cell["x"] = x
            made = super(OneCell, self).curry(captured, function, body, label).rep(x)
            return made._replace(value=Celled(body, cell))

        return Arrow(captured, function, rep)


class Celled(Closure):
    """A closure that looks up what it captured when it is called."""

    def __init__(self, body, cell):
        object.__setattr__(self, "body", body)
        object.__setattr__(self, "cell", cell)

    @property
    def captured(self):
        return self.cell["x"]
