"""All rules, by what stands at the head of a line; others' primitives are added by ``batched``."""

from __future__ import annotations

from collections.abc import Callable

from combinators.bulk import figure9, figure10, figure11, further
from combinators.bulk.rule import BuildRule, Carry, IndexRule, Rule

RULES: tuple[Rule, ...] = (
    *figure9.PUSHED,
    *figure9.RULES,
    *figure10.PUSHED,
    *figure10.RULES,
    *figure11.RULES,
    *further.RULES,
    *further.WALKED,
)
"""Every rule of the transform, one a line."""

BUILD: dict[str, BuildRule] = {
    head: rule for rule in (*figure9.RULES, *further.RULES) for head in rule.heads
}
INDEX: dict[str, IndexRule] = figure10.BY_HEAD
OP, INDEX_OP = figure9.RULES[0], figure10.RULES[0]


def batched(name: str) -> Callable[[Carry], Carry]:
    """Say what ``build1`` of the primitive ``name`` is: a function of the ``Site`` of a line.

    Without it, a primitive that is not elementwise stays in a map of its own.
    """

    def register(carry: Carry) -> Carry:
        left, right = f"build1 k (λi. {name} t)", f"{name} (build1 k (λi. t))"
        BUILD[name] = BuildRule(f"build1-{name}", "outside", left, right, (name,), carry)
        return carry

    return register
