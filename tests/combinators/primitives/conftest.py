"""Running a function of the language over NumPy, in the primal mode and in both pullbacks."""

import numpy as np
import pytest

from combinators.morphisms import interpret
from combinators.objects import Tensor
from combinators.tracing.functions import Draft
from combinators.translate import translate
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from interpreters.modes.reverse import Dependent, Pullback


class Compiled:
    """``function`` at the types of arrays like ``likes``."""

    modes = (Pullback, Dependent)

    def __init__(self, function, *likes):
        self.types = tuple(Tensor(np.shape(x), np.asarray(x).dtype) for x in likes)
        self.lam = Draft(function, self.types, (None,) * len(likes)).finish().lam
        self.arrow = translate(self.lam.params, self.lam.body)
        self.primal = interpret(self.arrow, Primal(NumPy()))
        self.reverse = [
            (mode, interpret(self.arrow, mode)) for mode in (m(NumPy()) for m in self.modes)
        ]

    def lift(self, xs):
        return tuple(NumPy().lift(x, obj) for x, obj in zip(xs, self.types, strict=True))

    def value(self, *xs):
        with np.errstate(all="ignore"):
            return Primal(NumPy()).value(self.primal, self.lift(xs))

    def gradients(self, *xs, g=1.0):
        """The cotangents of all arguments, in each mode; None where nothing arrives."""
        results = []
        for mode, arrow in self.reverse:
            with np.errstate(all="ignore"):
                y, pullback = mode.rep(arrow, self.lift(xs))
                g = np.broadcast_to(np.asarray(g, dtype=y.dtype), y.shape)[()]
                pulled = pullback(g) or {}
            results.append([pulled.get(i) for i in range(len(xs))])
        return results


@pytest.fixture(scope="session")
def compiled():
    return Compiled


@pytest.fixture(scope="session")
def value():
    """``value(f, *xs)``: what ``f`` gives at arrays."""
    return lambda function, *xs: Compiled(function, *xs).value(*xs)


@pytest.fixture(scope="session")
def gradients():
    """``gradients(f, *xs)``: the one result that both pullbacks give, as they must."""

    def both(function, *xs, g=1.0):
        simple, dependent = Compiled(function, *xs).gradients(*xs, g=g)
        for a, b in zip(simple, dependent, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_array_equal(a, b)
        return simple

    return both
