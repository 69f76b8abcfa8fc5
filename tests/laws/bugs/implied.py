"""Why a law may be the first to catch no bug, where the law itself does not say what implies it.

Besides the laws named, it is used that operators respect equality (``R[f] = R[g]`` where
``f = g``), that sums cancel and are of rationals (what is additive gives zero of zero and is
homogeneous), that a truth value is true or false, that an array is the join of its parts, and that
a linear map is its own derivative.
"""

from __future__ import annotations

UNROLLED = ("fold-one", "fold-cons", "fold-join")

IMPLIED: dict[str, tuple[str, ...]] = {
    "P2": ("P3", "P4", "C2"),
    "S2": ("S5a", "S5b"),
    "S3": ("S5a", "S5b"),
    "S4": ("S5a", "S5b"),
    "S5e": ("S5a", "S5b"),
    "fold-steady": (*UNROLLED, "E1"),
    "fold-fusion": (*UNROLLED, "E1", "P1a"),
    "fold-part": (*UNROLLED, "E1", "P1a"),
    "A2b": ("A1c", "A2a"),
    "A3d": ("A3a", "A3b", "P2"),
    "A3e": ("A1b", "A1c", "A3a", "A3b", "P2"),
    "CD2b": ("CD2a",),
    "CD4b": ("P5a", "P5b", "C2"),
    "RD2b": ("RD2a",),
    "RD9a": ("RD5", "RD1b", "RD3a", "RD4a", "RD8"),
    "RD7": ("CD7", "RD8"),
    "L1a": ("RD2a",),
    "L1b": ("RD2b",),
    "L2": ("RD2a",),
    "L6-C": ("C3",),
    "L6-P": ("P1a",),
    "L6-β": ("E7",),
    "L6-η": ("E2",),
    "D-β": ("E7",),
    "D-η": ("E2",),
    "D-given": ("E7",),
    "D-returned": ("E7",),
    "D-several": ("L6-several", "L3"),
    "D-let": ("L6-let", "L3"),
    "L6-S": ("S5c",),
    "L6-true": ("S5a",),
    "H2b": ("H2a",),
    "H2c": ("H2a", "A1b"),
    "H3a": ("H2a", "H5", "E1", "L1a"),
    "H3b": ("H2b", "H5", "E1", "L1b"),
    "H4b": ("H4a", "E1"),
    "H7": ("H2a", "H5", "E1", "L3"),
    "F1a": ("F3",),
    "F2a": ("F3",),
    "F2b": ("F3",),
    "F2c": ("F3",),
    "F2d": ("F3",),
    "F2e": ("F3",),
    "G4b": ("CD2b", "CD3a", "CD4a", "CD5", "T4"),
    "G4c": ("CD2b", "CD3a", "CD4a", "CD5", "T4"),
    "G4d": ("CD1a", "CD2b", "CD3a", "CD3b", "CD3c", "CD4a", "CD5", "T4"),
    "G6a": ("L3", "CD7"),
    "G6b": ("L3", "CD7"),
    "T2b": ("T2a",),
}
"""Laws from which a law follows."""
