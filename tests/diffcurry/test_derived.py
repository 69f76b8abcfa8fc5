"""What is explained and counted is the program that ``grad`` gives."""

import numpy as np
import pytest

import diffcurry as dc
from combinators.objects import Real
from diffcurry.derived import derived


def cube(x):
    return x**3.0 + (x * x) / 2.0


def looped(x):
    return dc.fold(lambda c, i: c * np.sin(x) + i**2.0, x, np.arange(3.0))


@pytest.mark.parametrize("f", [cube, looped])
def test_the_gradient_that_is_shown_is_the_one_that_runs(f):
    made = derived(dc.fun(f, Real).program().lam)
    both = dc.value_and_grad(dc.fun(f, Real), argnums=(0,)).program()
    assert str(made.alone.lam) == str(dc.grad(dc.fun(f, Real)).program().lam)
    assert str(made.both.lam) == str(both.lam)
    assert made.fired
