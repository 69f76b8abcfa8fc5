"""Comparisons and logic."""

from __future__ import annotations

from combinators.primitives.family import comparison

less = comparison("less", "<")
less_equal = comparison("less_equal", "<=")
greater = comparison("greater", ">")
greater_equal = comparison("greater_equal", ">=")
equal = comparison("equal", "==")
not_equal = comparison("not_equal", "!=")
