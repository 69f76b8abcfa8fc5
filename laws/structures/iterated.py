"""What a reverse derivative that iterates gives: a derivative (Cockett et al. 2019)."""

from __future__ import annotations

from laws.language import D
from laws.law import Law, Structure
from laws.structures.differential import DIFFERENTIAL, Stated, axioms, f, second_axioms
from laws.structures.reverse import PAPER, TWICE, forward

AGREEING = Structure("both derivatives", "Forward from reverse", (DIFFERENTIAL, TWICE))

RD = ("RD1a", "RD1b", "RD2a", "RD2b", "RD3a", "RD3b", "RD3c", "RD4a", "RD4b", "RD5")


def derived(stated: Stated) -> Law:
    """A law of ``D``, of the one that reverse derivatives give; the last of them is RD7."""
    name, words, lhs, rhs = stated
    is_axiom = name == "CD7"
    return Law(
        "RD7" if is_axiom else f"RD8-{name}",
        f"{words}, of the derivative that reverse derivatives give",
        lhs,
        rhs,
        TWICE,
        f"{PAPER}, RD.7" if is_axiom else f"{PAPER}: a reverse derivative gives a derivative",
        tame=True,
        implied_by=() if is_axiom else (*RD, "RD6"),
    )


LAWS = (
    *map(derived, (*axioms(forward), *second_axioms(forward))),
    Law(
        "RD8",
        "forward mode is what reverse mode, twice, gives",
        forward(f),
        D(f),
        AGREEING,
        f"{PAPER}: a reverse derivative gives a derivative",
        tame=True,
    ),
)
