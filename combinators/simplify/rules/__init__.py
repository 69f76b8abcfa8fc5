"""The rules, a file a group, a line a rule; and the steps, which look at more than one line."""

from combinators.simplify.rule import Rule, Step
from combinators.simplify.rules.algebra import (
    ALGEBRA,
    CHOICES,
    COTANGENTS,
    FIELD,
    INJECTIONS,
    SCALING,
    TUPLES,
)
from combinators.simplify.rules.arrays import ARRAYS, CONSTANTS, SUMS

RULES: tuple[Rule, ...] = (
    *TUPLES,
    *COTANGENTS,
    *INJECTIONS,
    *ALGEBRA,
    *SCALING,
    *CHOICES,
    *CONSTANTS,
    *ARRAYS,
)
"""The rules that hold for all numbers, inf, nan and signed zeros among them."""
FAST: tuple[Rule, ...] = (*FIELD, *SUMS)
"""What holds for real numbers and not for floating-point ones: only under ``fast_math``."""

FIG = "000, Fig. 12"
CLASSIC = "Muchnick, Advanced Compiler Design and Implementation"
ADDING = "distributivity: Σ aᵢᵀ bᵢ = Aᵀ B of the stacks"
ZERO = "linear dependence: 0 in, 0 out"

STEPS = (
    Step("beta", "inlining", FIG, "(λx. e) a ⇝ let x = a in e, of a λ that stands there"),
    Step("inline-once", "inlining", FIG, "a function that is called in one place, there"),
    Step("inline-small", "inlining", FIG, "a function of at most four operations, at every call"),
    Step("cond-known", "conditionals", FIG, "if true then a else b ⇝ a"),
    Step("cond-same", "conditionals", FIG, "if p then a else a ⇝ a, also in one component"),
    Step("cond-parts", "conditionals", FIG, "πᵢ (if p then a else b) ⇝ if p then πᵢ a else πᵢ b"),
    Step("cond-fusion", "conditionals", CLASSIC, "two choices by one test are one, if they can"),
    Step("cond-numbers", "conditionals", FIG, "f (if p then 1 else 2) ⇝ if p then f 1 else f 2"),
    Step("map-fusion", "loops", FIG, "a map that only one loop reads runs inside it"),
    Step("loop-empty", "loops", CLASSIC, "a loop over no rows is where it starts"),
    Step("loop-known", "constants", CLASSIC, "a fold over numbers, each of which is known"),
    Step("loop-parts", "loops", CLASSIC, "carries, results and rows that nothing needs go"),
    Step("loop-steady", "loops", CLASSIC, "a carry that every step passes on is no carry"),
    Step("loop-zero", "loops", ZERO, "a carry that begins at zero and stays there is zero"),
    Step("scan-fold", "loops", CLASSIC, "a scan that keeps nothing is a fold"),
    Step("scan-map", "loops", CLASSIC, "a scan that carries nothing is a map"),
    Step("stack-steady", "loops", CLASSIC, "what every step gives alike, or passes on, is spread"),
    Step("row-steady", "loops", CLASSIC, "a row that is the same at every step is no row"),
    Step("hoist", "loops", CLASSIC, "what a step computes from outside only, before the loop"),
    Step("loop-sums", "loops", ADDING, "cotangents that a loop only adds up, after the loop"),
    Step("loop-adds", "fast_math", ADDING, "numbers that a loop only adds up, after the loop"),
    Step("fix-once", "inlining", FIG, "fix (λ(f, x). e) ⇝ λx. e, where e does not use f"),
    Step("call-parts", "inlining", CLASSIC, "what a known function takes or gives unneeded goes"),
    Step("common", "sharing", CLASSIC, "one name for equal terms that the second sees"),
    Step("fold-constants", "constants", CLASSIC, "a primitive of numbers is a number"),
    Step("zeros-number", "constants", "000, Fig. 4", "the zero of a tensor type is the number 0"),
)
"""The simplifications that look at more than one line, by name; the passes carry them out."""

__all__ = ["FAST", "RULES", "STEPS"]
