"""What a pullback keeps: of an activation its value alone."""

from __future__ import annotations

import pytest

from combinators.derivative_rules import pullback_rule
from combinators.objects import Real
from combinators.operation import named
from combinators.terms import captured


@pytest.mark.parametrize(
    "name", ["tanh", "sigmoid", "exp", "exp2", "sqrt", "cbrt", "tan", "reciprocal"]
)
def test_derivatives_use_their_values_so_that_pre_activations_are_not_kept(name: str) -> None:
    """Item 7: the rule reads the cotangent and the value ``y``, and not the argument."""
    rule = pullback_rule(named(name).plain, (Real,), (0,))
    assert rule is not None
    cotangent, _, value = rule.params
    assert set(captured(rule.body)[0]) <= {cotangent, value}
