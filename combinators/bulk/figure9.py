"""Figure 9 of 003: ``build1`` is pushed down, and ends where its index is not used.

The rules are carried out on labelled arrays, all builds around a line at once. So ``tr``,
``replicate`` and the axes that go in front change labels only. A ``cond`` whose test depends on the
index is ``where`` of both branches: ``index [u, v] [cond b 0 1]``, element by element, without the
stack. Normal forms: none contains ``build1``.
"""

from __future__ import annotations

from combinators.bulk.elementwise import elementwise
from combinators.bulk.gathering import gathered, scattered
from combinators.bulk.moving import along, broadcasted, reshaped, transposed
from combinators.bulk.reducing import summed
from combinators.bulk.rule import BuildRule, Rule

FIGURE = "Fig. 9"

PUSHED = (
    Rule("build1-itself", FIGURE, "build1 k (λi. i)", "[0, …, k-1]"),
    Rule("build1-invariant", FIGURE, "build1 k (λi. t)  (i ∉ FV(t))", "replicate k t"),
    Rule(
        "build1-let",
        FIGURE,
        "build1 k (λi. let x = v in u)",
        "let x = build1 k (λi. v) in build1 k (λi. u[index x [i]/x])",
    ),
    Rule(
        "build1-cond",
        FIGURE,
        "build1 k (λi. cond b u v)",
        "build1 k (λi. index [u, v] [cond b 0 1])",
    ),
)
"""Those that belong to the walk over terms: variables, lets, conditionals."""

RULES = (
    BuildRule(
        "build1-op",
        FIGURE,
        "build1 k (λi. op t u)",
        "op (build1 k (λi. t)) (build1 k (λi. u))",
        (),
        elementwise,
    ),
    BuildRule(
        "build1-sumOuter",
        FIGURE,
        "build1 k (λi. sumOuter t)",
        "sumOuter (tr (build1 k (λi. t)))",
        ("sum",),
        summed,
    ),
    BuildRule(
        "build1-gather",
        FIGURE,
        "build1 k (λi. gather sh t (λis. ix))",
        "gather (k ::: sh) (build1 k (λi. t)) (λ(i ::: is). i ::: ix)",
        ("take",),
        gathered,
    ),
    BuildRule(
        "build1-scatter",
        FIGURE,
        "build1 k (λi. scatter sh t (λis. ix))",
        "scatter (k ::: sh) (build1 k (λi. t)) (λ(i ::: is). i ::: ix)",
        ("put",),
        scattered,
    ),
    BuildRule(
        "build1-stack",
        FIGURE,
        "build1 k (λi. [t₁, …, tₙ])",
        "tr [build1 k (λi. t₁), …, build1 k (λi. tₙ)]",
        ("concatenate",),
        along,
    ),
    BuildRule(
        "build1-replicate",
        FIGURE,
        "build1 k (λi. replicate n t)",
        "tr (replicate n (build1 k (λi. t)))",
        ("broadcast_to",),
        broadcasted,
    ),
    BuildRule(
        "build1-tr",
        FIGURE,
        "build1 k (λi. tr_b t)",
        "tr_{0, b+1} (build1 k (λi. t))",
        ("transpose",),
        transposed,
    ),
    BuildRule(
        "build1-reshape",
        FIGURE,
        "build1 k (λi. reshape sh t)",
        "reshape (k ::: sh) (build1 k (λi. t))",
        ("reshape",),
        reshaped,
    ),
)
