"""There is one path: ``grad`` and its family go through curry and eval of the chosen mode."""

import functools
from collections import Counter

import numpy as np
import pytest

import diffcurry as dc
import diffcurry.derivative
import diffcurry.interpretation
import diffcurry.rep_function
from diffcurry import Real
from diffcurry.modes import CARRIER
from interpreters.execution.machine import Arrow
from interpreters.modes.reverse import Dependent, Pullback
from interpreters.staging.terms import TERMS


def counting(base, carrier=CARRIER):
    """The mode ``base``, which counts how often an arrow of its curry and of its eval is run."""

    class Counting(base):
        def __init__(self):
            super().__init__(carrier)
            self.runs = Counter()

        def _counted(self, name, arrow):
            def note(_):
                self.runs[name] += 1

            return Arrow(arrow.dom, arrow.cod, (note, arrow))

        def curry(self, *args):
            return self._counted("curry", super().curry(*args))

        def eval(self, *args):
            return self._counted("eval", super().eval(*args))

    return Counting()


def swap(monkeypatch, mode):
    monkeypatch.setattr(diffcurry.interpretation, "reverse", lambda _: mode)
    return mode


def swap_written(monkeypatch, mode):
    for module in (diffcurry.derivative, diffcurry.rep_function):
        monkeypatch.setattr(module, "written", lambda _: mode)
    return mode


def interpreted(function, *args):
    return diffcurry.interpretation.vjp(dc.fun(function), args, has_aux=False, mode="dependent")


def program(w, xs):
    scaled = dc.fun(lambda z: np.sin(z * w), Real)
    return dc.fold(lambda c, x: c + scaled(x), 0.0, xs)


POINT = 0.5, np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("base", [Dependent, Pullback])
def test_it_goes_through_curry_and_eval(base, monkeypatch):
    mode = swap(monkeypatch, counting(base))
    _, pullback = interpreted(program, *POINT)
    # curry: the fold's function and ``scaled``; eval: three rounds, in each a call. The simple form
    # runs the three rounds again, and the calls in them, when it pulls back.
    assert mode.runs == {"curry": 2, "eval": 6}
    pullback(1.0)
    assert mode.runs["eval"] == (9 if base is Pullback else 6)


@pytest.mark.parametrize("verb", ["grad", "value_and_grad", "vjp", "jacrev"])
def test_programs_go_through_curry_and_eval(verb, monkeypatch):
    mode = swap_written(monkeypatch, counting(Dependent, TERMS))
    getattr(dc, verb)(program).program(*POINT)
    # curry as above; the fold's function stands in the loop, and eval is the call inside it.
    assert mode.runs == {"curry": 2, "eval": 1}


def test_another_eval_gives_another_gradient(monkeypatch):
    class Forgetful(Dependent):
        """Its eval forgets what the closure captured."""

        def eval(self, function):
            def forget(machine):
                if machine.stack[-1] is not None:
                    machine.stack[-1].pop(0, None)

            def note(machine):
                self.leave(machine, forget)

            return Arrow(
                dc.Product(function, function.dom), function.cod, (note, super().eval(function))
            )

    call = lambda w, x: dc.fun(lambda z: z * w, Real)(x)
    assert dc.grad(call, argnums=(0, 1))(3.0, 5.0) == (5.0, 3.0)
    swap(monkeypatch, Forgetful(CARRIER))
    assert interpreted(call, 3.0, 5.0)[1](1.0) == (0.0, 3.0)
    swap_written(monkeypatch, Forgetful(TERMS))
    assert dc.grad(call, argnums=(0, 1))(3.0, 5.0) == (0.0, 3.0)


def test_another_curry_gives_another_gradient(monkeypatch):
    class Doubling(Dependent):
        """Its curry doubles what it passes to the first captured variable."""

        def curry(self, captured, function, body, label):
            def double(machine):
                captured = machine.stack[-1]
                if captured and 0 in captured:
                    captured[0] = self.over.add(captured[0], captured[0])

            def note(machine):
                self.leave(machine, double)

            curried = super().curry(captured, function, body, label)
            return Arrow(captured, function, (note, curried))

    call = lambda w, x: dc.fun(lambda z: z * w, Real)(x)
    swap(monkeypatch, Doubling(CARRIER))
    assert interpreted(call, 3.0, 5.0)[1](1.0) == (10.0, 3.0)
    swap_written(monkeypatch, Doubling(TERMS))
    assert dc.grad(call, argnums=(0, 1))(3.0, 5.0) == (10.0, 3.0)


def test_what_a_partial_captures_is_curried_too(monkeypatch):
    mode = swap(monkeypatch, counting(Dependent))
    dc.grad(lambda f, x: f(x), mode="simple")(functools.partial(lambda a, z: a * z, 2.0), 3.0)
    assert mode.runs == {"curry": 1, "eval": 1}
