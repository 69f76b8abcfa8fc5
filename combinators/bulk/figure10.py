"""Figure 10 of 003: ``index`` is pushed down to what it takes from.

Only what the index asks for is computed then. That is so where the term depends on a build, or
nothing around the index does; a term that all indices of a build share is computed once instead.
An index that may lie outside is masked, once, since ``op`` of what reads 0 need not be 0.

Normal forms: ``index`` of a variable, a constant, a stack at its own axis, and a scatter, as in
Theorem 5.1; of our other operations, ``index`` of a matrix product, a running sum or product, a
padding, a loop, a call, and of a reshape where it splits what was one axis.
"""

from __future__ import annotations

from combinators.bulk import pushing
from combinators.bulk.elementwise import is_elementwise
from combinators.bulk.rule import IndexRule, Rule
from combinators.primitives.loops import MAP
from combinators.terms import Prim

FIGURE = "Fig. 10"


def pushes(term: Prim) -> bool:
    """Whether the index of this line is pushed down."""
    primitive = term.operation.primitive
    return primitive is MAP.primitive or primitive.name in BY_HEAD or is_elementwise(primitive)


PUSHED = (
    Rule("index-nothing", FIGURE, "index t []", "t"),
    Rule(
        "index-index",
        FIGURE,
        "index (index t [u₁, …, uₘ]) [t₁, …, tₙ]",
        "index t [u₁, …, uₘ, t₁, …, tₙ]",
    ),
    Rule("index-let", FIGURE, "index (let x = v in t) ix", "let x = v in index t ix"),
    Rule(
        "index-cond",
        FIGURE,
        "index (cond b u v) [t₁, …, tₙ]",
        "let i₁ = t₁ in … cond b (index u [i₁, …]) (index v [i₁, …])",
    ),
    Rule(
        "index-build1",
        "ours",
        "index (build1 k (λi. t)) (u ::: ix)",
        "let i = u in index t ix",
    ),
    Rule(
        "gather-build1",
        "section 3.3",
        "gather sh t (λis. ix)  (build1 in t, sh is smaller)",
        "build sh (λis. index t ix)",
    ),
)
"""Those that belong to the walk over terms: an index is a key that goes down with it."""

RULES = (
    IndexRule(
        "index-op",
        FIGURE,
        "index (op t u) [t₁, …, tₙ]",
        "let i₁ = t₁ in … op (index t [i₁, …]) (index u [i₁, …])",
        (),
        pushing.operation,
    ),
    IndexRule(
        "index-sumOuter",
        FIGURE,
        "index (sumOuter t) ix",
        "sumOuter (index (tr_{1, …, n, 0} t) ix)",
        ("sum", "max", "min", "prod", "logsumexp", "argmax", "argmin"),
        pushing.reduction,
    ),
    IndexRule(
        "index-stack",
        FIGURE,
        "index [t₁, …, tₖ] [u₁, …, uₙ]  (n > 1)",
        "let i₂ = u₂ in … index [index t₁ [i₂, …], …, index tₖ [i₂, …]] [u₁]",
        ("concatenate",),
        pushing.stack,
    ),
    IndexRule(
        "index-replicate",
        FIGURE,
        "index (replicate k t) [u₁, …, uₙ]  (n > 0)",
        "index t [u₂, …, uₙ]",
        ("broadcast_to",),
        pushing.replicate,
    ),
    IndexRule(
        "index-tr",
        FIGURE,
        "index (tr_b t) ix",
        "index (gather sh t (λ[i_b]. [i₀, …, iₖ])) ix",
        ("transpose",),
        pushing.tr,
    ),
    IndexRule(
        "index-reshape",
        FIGURE,
        "index (reshape sh t) ix",
        "index (gather sh t (λis. fromLinearIdx (shape t) (toLinearIdx sh is))) ix",
        ("reshape",),
        pushing.reshape,
    ),
    IndexRule(
        "index-gather",
        FIGURE,
        "index (gather (k ::: sh) t (λ(i ::: is). ix)) (u ::: ix')",
        "index (gather sh t (λis. let i = u in ix)) ix'",
        ("take",),
        pushing.gather,
    ),
    IndexRule(
        "index-slice",
        "ours",
        "index (slice start step t) [u]",
        "index t [start + step * u]",
        ("slice",),
        pushing.window,
    ),
)

BY_HEAD = {head: rule for rule in RULES for head in rule.heads}
