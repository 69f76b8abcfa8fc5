"""The rules, a file a group, a line a rule."""

from combinators.simplify.rule import Rule
from combinators.simplify.rules.algebra import ALGEBRA, CHOICES
from combinators.simplify.rules.arrays import ARRAYS, CONSTANTS
from combinators.simplify.rules.cotangents import COTANGENTS
from combinators.simplify.rules.fast import FAST
from combinators.simplify.rules.scaling import SCALING
from combinators.simplify.rules.steps import STEPS
from combinators.simplify.rules.tuples import TUPLES

RULES: tuple[Rule, ...] = (*TUPLES, *COTANGENTS, *ALGEBRA, *SCALING, *CHOICES, *CONSTANTS, *ARRAYS)
"""The rules that hold for all numbers, inf, nan and signed zeros among them."""

__all__ = ["FAST", "RULES", "STEPS"]
