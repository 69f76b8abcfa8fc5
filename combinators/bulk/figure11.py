"""Figure 11 of 003: ``build1`` of an ``index`` in normal form is a ``gather``.

They are carried out by ``selected``: where indices are affine, a gather is a slice, a transpose or
a replication, which has no table; and where it takes each element in its place, it is nothing.
"""

from __future__ import annotations

from combinators.bulk.rule import Rule
from combinators.terms import Const, Prim, Term

FIGURE = "Fig. 11"

RULES = (
    Rule(
        "build1-index-variable",
        FIGURE,
        "build1 k (λi. index x ix)",
        "gather (k ::: sh) x (λ[i]. ix)",
    ),
    Rule(
        "build1-index-constant",
        FIGURE,
        "build1 k (λi. index c ix)",
        "gather (k ::: sh) c (λ[i]. ix)",
    ),
    Rule(
        "build1-index-stack",
        FIGURE,
        "build1 k (λi. index [t₁, …, tₖ] [t])",
        "gather (k ::: sh) (build1 k (λi. [t₁, …, tₖ])) (λ[i]. [i, t])",
    ),
    Rule(
        "build1-index-scatter",
        FIGURE,
        "build1 k (λi. index (scatter sh t (λis₂. ix₂)) ix)",
        "gather (k ::: sh) (build1 k (λi. scatter sh t (λis₂. ix₂))) (λ[i]. i :: ix)",
    ),
    Rule(
        "gather-affine",
        "ours",
        "gather sh x (λis. a + B · is)",
        "replicate, tr and slice of x, among zeros where it sticks out",
    ),
)

_HEADS = {"concatenate": "stack", "put": "scatter"}


def of_what(term: Term) -> str:
    """The rule for an index of ``term``."""
    if isinstance(term, Const):
        return "build1-index-constant"
    head = term.operation.name if isinstance(term, Prim) else ""
    return f"build1-index-{_HEADS.get(head, 'variable')}"
