"""Programs as machine code give what emitted Python gives."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

import diffcurry as dc
from combinators.errors import MissingRule, TypeMismatch
from tests.interpreters.backends.llvm.comparing import Bare, agrees, same
from tests.interpreters.backends.programs import drawn

X = np.array([0.3, -1.5, 2.0, 0.7, 1.1, -0.2, 0.9, 4.0, -3.0])


@settings(suppress_health_check=list(HealthCheck))
@given(st.data())
def test_gradients_of_random_programs_and_nothing_outside_their_arrays(data):
    function, given_point = drawn(data)
    point = tuple(np.array(x) if isinstance(x, list) else x for x in given_point)
    program = dc.value_and_grad(function, argnums=(0, 1, 2)).program(*point)
    try:
        found = Bare(program.lam)(*point)
    except MissingRule as error:
        event(f"no code: {error.args[0]:.70}")
        assume(False)
    same(found, program.compiled("f").function(*point), rtol=1e-9)


def test_chains_of_arrays():
    agrees(dc.grad(lambda x: np.sum(np.tanh(np.sin(x) * x) / (1 + x * x))), X)


def test_the_pieces_of_an_array_are_written_behind_its_zeros():
    def turned(t):
        rows = dc.map(lambda s: np.stack([np.cos(s), np.sin(s), 0.0, 0.0]), t)
        return dc.fold(lambda c, row: c * row[0] + row[1] + row[3], 1.0, rows)

    agrees(dc.value_and_grad(turned), X)


def test_what_a_nest_writes_in_pieces_is_read_whole_by_a_later_one():
    def reversed_columns(x):
        whole = np.stack([np.sin(x), np.cos(x), x], axis=1)
        return whole[:, 2] * whole[:, 0] + (whole @ np.ones((3, 3)))[:, 1]

    agrees(reversed_columns, X)


def test_the_backend_is_chosen_in_a_context():
    def f(x):
        return np.sin(x) * x

    with dc.backend("llvm"):
        assert dc.grad(f)(0.5) == pytest.approx(np.cos(0.5) * 0.5 + np.sin(0.5), rel=1e-15)
    with (
        pytest.raises(TypeMismatch, match="a backend is one of 'python', 'llvm', not 'gcc'"),
        dc.backend("gcc"),
    ):
        pass
