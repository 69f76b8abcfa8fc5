"""Rules of ours, for the operations that the language of 003 has not.

Normal forms: none contains ``build1``.
"""

from __future__ import annotations

from combinators.bulk.moving import along
from combinators.bulk.operations import added, embedded, matmul, windowed
from combinators.bulk.reducing import reduced
from combinators.bulk.rule import BuildRule, Rule

FIGURE = "ours"

RULES = (
    BuildRule(
        "build1-reduce",
        FIGURE,
        "build1 k (λi. max_axes t)",
        "max_{axes+1} (build1 k (λi. t))",
        ("max", "min", "prod", "logsumexp", "argmax", "argmin"),
        reduced,
    ),
    BuildRule(
        "build1-along",
        FIGURE,
        "build1 k (λi. cumsum_axis t)",
        "cumsum_{axis+1} (build1 k (λi. t))",
        ("cumsum", "exclusive_cumprod", "recurrence"),
        along,
    ),
    BuildRule(
        "build1-slice",
        FIGURE,
        "build1 k (λi. slice t)",
        "slice (build1 k (λi. t))",
        ("slice",),
        windowed,
    ),
    BuildRule(
        "build1-embed",
        FIGURE,
        "build1 k (λi. embed sh t)",
        "embed (k ::: sh) (build1 k (λi. t))",
        ("embed",),
        embedded,
    ),
    BuildRule(
        "build1-matmul",
        FIGURE,
        "build1 k (λi. t @ u)",
        "(build1 k (λi. t)) @ (build1 k (λi. u))",
        ("matmul",),
        matmul,
    ),
    BuildRule(
        "build1-plus",
        FIGURE,
        "build1 k (λi. plus t u)",
        "plus (build1 k (λi. t)) (build1 k (λi. u))",
        ("plus",),
        added,
    ),
)

WALKED = (
    Rule(
        "build1-build1",
        FIGURE,
        "build1 k (λi. build1 n (λj. t))",
        "tr (build1 n (λj. build1 k (λi. t)))",
    ),
    Rule(
        "sum-product",
        FIGURE,
        "sumOuter (replicate t * replicate u)",
        "a matrix product of t and u",
    ),
    Rule(
        "build1-fold",
        FIGURE,
        "build1 k (λi. fold f t u)",
        "fold (build1 k f) (build1 k (λi. t)) (tr (build1 k (λi. u)))",
    ),
    Rule(
        "build1-app",
        FIGURE,
        "build1 k (λi. f t)",
        "f' (build1 k (λi. t)), with f' = λx. build1 k (λi. f (index x [i]))",
    ),
    Rule(
        "build1-split",
        FIGURE,
        "build1 k (λi. u[e])  (e has no bulk form)",
        "let y = map (λrow. e) rows in build1 k (λi. u[index y [i]])",
    ),
)
"""Those that belong to the walk over terms."""
