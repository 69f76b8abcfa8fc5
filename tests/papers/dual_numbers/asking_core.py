"""Programs asked of the systems of 003, and of the fast modes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import diffcurry as dc
from papers.dual_numbers.core_language import Form, evaluate
from papers.dual_numbers.dual_arrays import inputs_of, wrapper
from tests.papers.dual_numbers.core_terms import house_function

Values = Mapping[str, Any]


def by_the_program(t: Form, at: Values) -> tuple[Any, dict[str, Any]]:
    """Section 7: the program of the gradient, run."""
    value, slopes = evaluate(wrapper(t), {**at, "c": 1.0})
    return value, dict(zip(sorted(inputs_of(t)), slopes, strict=True))


def by_the_fast_mode(t: Form, at: Values, mode: str = "delta") -> tuple[Any, dict[str, Any]]:
    """What the house gives."""
    f, args = house_function(t, tuple(at)), tuple(at.values())
    value, slopes = dc.value_and_grad(f, argnums=tuple(range(len(args))), mode=mode)(*args)
    return value, dict(zip(at, slopes, strict=True))
