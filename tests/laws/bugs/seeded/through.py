"""Bugs of derivatives through functions: a part of the gradient is missing."""

from combinators.objects import Fun
from tests.laws.bugs.arrows import Arrow
from tests.laws.bugs.bug import seeded
from tests.laws.bugs.variants import Quiet


def holding(parts, g, forgotten):
    """A product's cotangent without those of the components that are ``forgotten``."""
    if g is None:
        return None
    pairs = enumerate(zip(parts, g, strict=True))
    return tuple(None if forgotten(index, part) else w for index, (part, w) in pairs)


def is_function(index, part):
    return isinstance(part, Fun)


class Forgetting(Quiet):
    """A λ forgets the cotangents of some that it captured."""

    def forgotten(self, index, part):
        raise NotImplementedError

    def curry(self, captured, function, body, label):
        made = super().curry(captured, function, body, label)

        def rep(x):
            found = made.rep(x)
            pull = lambda g: holding(captured.parts, found.pullback(g), self.forgotten)
            return found._replace(pullback=pull)

        return Arrow(captured, function, rep)


@seeded("L6-captured")
class CapturedFunctions(Forgetting):
    """functions that a λ captured have no cotangent."""

    def forgotten(self, index, part):
        return is_function(index, part)


@seeded("L6-several")
class ThirdCaptured(Forgetting):
    """the cotangent of the third captured variable is dropped."""

    def forgotten(self, index, part):
        return index == 2


class Calling(Quiet):
    """Some calls give nothing to their argument."""

    def is_forgotten(self, function):
        raise NotImplementedError

    def eval(self, function):
        made = super().eval(function)
        if not self.is_forgotten(function):
            return made

        def rep(pair):
            found = made.rep(pair)
            pull = lambda g: holding(made.dom.parts, found.pullback(g), lambda index, _: index == 1)
            return found._replace(pullback=pull)

        return Arrow(made.dom, made.cod, rep)


@seeded("L6-returned")
class ReturnedFunctions(Calling):
    """a call that returns a function gives its argument nothing."""

    def is_forgotten(self, function):
        return isinstance(function.cod, Fun)


@seeded("L6-given")
class FunctionArgument(Calling):
    """a call that is given a function gives it nothing."""

    def is_forgotten(self, function):
        return isinstance(function.dom, Fun)


@seeded("L6-let")
class LetFunction(Quiet):
    """a let that names a function gives it nothing."""

    def extend(self, context, arrow):
        made = super().extend(context, arrow)
        if not isinstance(arrow.cod, Fun):
            return made

        def rep(x):
            return made.rep(x)._replace(pullback=lambda g: g and g[:-1])

        return Arrow(context, made.cod, rep)


@seeded("D-captured")
class UnmovedFunctions(Quiet):
    """functions that a λ captured do not move."""

    def curry(self, captured, function, body, label):
        made = super().curry(captured, function, body, label)
        push = lambda v: holding(captured.parts, v, is_function)
        return Arrow(captured, function, lambda x: made.rep(x)._replace(pushforward=push))
