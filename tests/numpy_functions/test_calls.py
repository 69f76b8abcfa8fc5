"""NumPy's functions of traced values, each as it is called."""

import pytest

from tests.numpy_functions.asking import check_derivatives, check_value
from tests.numpy_functions.calls import CALLS


@pytest.mark.parametrize("call", CALLS)
def test_of_traced_values_it_is_what_numpy_gives(call):
    check_value(call)


@pytest.mark.parametrize("call", CALLS)
def test_its_derivatives_are_how_it_changes(call):
    check_derivatives(call)
