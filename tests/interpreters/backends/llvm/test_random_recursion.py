"""Random programs with recursion, lists and functions: machine code gives what Python gives."""

import numpy as np
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

pytest.importorskip("llvmlite", reason="LLVM is not installed: pip install 'diffcurry[native]'")

import diffcurry as dc
from combinators.errors import MissingRule
from interpreters.backends.llvm.native_program import NativeProgram
from tests.interpreters.backends.llvm.comparing import Bare, not_called, same
from tests.strategies.language import R
from tests.strategies.meanings import function_of
from tests.strategies.points import arguments, thousandths
from tests.strategies.programs import programs


def squares(function, places):
    return lambda *xs: sum(np.sum(g * g) for g in dc.grad(function, argnums=places)(*xs))


WAYS = {
    "value": lambda f, places: f,
    "gradient": lambda f, places: dc.value_and_grad(f, argnums=places),
    "pullback": lambda f, places: lambda *xs: dc.vjp(f, *xs)[1](1.0),
    "second derivative": lambda f, places: dc.grad(squares(f, places), argnums=places),
}


def holds(data, way):
    """A random program in a way, guarded and at its entry; one without code says what it lacks."""
    program = data.draw(programs(result=R, depth=5))
    drawn = (np.asarray(x, float) for x in data.draw(arguments(program, thousandths)))
    point = [x if x.shape else x.item() for x in drawn]
    function = WAYS[way](function_of(program), tuple(range(len(point))))
    whole = dc.fun(function).program(*point)
    try:
        native, guarded = NativeProgram(whole._compiled, not_called), Bare(whole._compiled)
    except MissingRule as error:
        event(f"no code: {error.args[0]:.70}")
        return
    event("recursion" if "recursive" in native.text else "plain")
    true = whole.compiled("f").function(*point)
    same(native.function(*point), true, rtol=1e-8)
    same(guarded(*point), true, rtol=1e-8)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_programs_with_recursion_and_lists(way, data):
    holds(data, way)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_many_random_programs_with_recursion_and_lists(way, data):
    holds(data, way)
