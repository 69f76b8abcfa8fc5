"""Formulas: a program run on symbols, whose open conditionals become ``Piecewise``."""

from interpreters.modes.formula.mode import Formula, check_effort
from interpreters.modes.formula.symbols import Symbols, expressions_in

__all__ = ["Formula", "Symbols", "check_effort", "expressions_in"]
