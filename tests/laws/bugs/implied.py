"""Why a law may be the first to catch no bug, where the law itself does not say what implies it."""

LINEAR = ("RD2a", "RD2b")

IMPLIED: dict[str, tuple[str, ...]] = {
    "P2": ("P3", "P4", "C2"),
    "S5b": ("S5a", "S5d"),
    "S2": ("S5a", "S5b"),
    "S3": ("S5a", "S5b"),
    "S4": ("S5a", "S5b"),
    "S5e": ("S5a", "S5b"),
    "A2a": ("P3", "C3"),
    "A3a": ("A3d", "P1a", "P2"),
    "A3b": ("A3d", "P1b", "P2"),
    "A3d": ("A3a", "A3b", "P2"),
    "CD2b": ("CD2a",),
    "L1a": LINEAR,
    "L1b": LINEAR,
    "L2": LINEAR,
    "L6-C": ("C3", "RD5"),
    "L6-P": ("P1a", "RD4a"),
    "L6-β": ("E7",),
    "L6-η": ("E2",),
    "L6-S": ("S5c",),
    "L6-true": ("S5a",),
    "H1b": ("H2a", "H2b", "E1"),
    "H2b": ("H2a",),
    "H4a": ("E1",),
    "H4b": ("E1",),
    "H5": ("E1",),
    "F1a": ("F3",),
    "F2a": ("F3",),
    "F2b": ("F3",),
    "F2c": ("F3",),
    "F2d": ("F3",),
    "F2e": ("F3",),
    "T2b": ("T2a",),
}
"""Laws from which a law follows, over the rationals: there what is additive is homogeneous."""

NESTED = "asked of programs whose derivatives nest"

OURS_ALONE: dict[str, str] = {
    "closed differential": "asked of forward mode, where tangents of functions are values",
    "primal": "asked of modes that keep a primal value beside a derivative",
    "symbolic": "asked of formulas",
    "algorithms": "asked of models that know several algorithms",
    "nesting": NESTED,
    "cost": "asked of carriers that count",
    "cost of programs": "asked of carriers that count",
    "primitive on carriers": "asked of primitives that several carriers have",
}
"""Of a structure that no seeded model has: what its laws are asked of."""

OPEN = frozenset(
    (
        "E1-two",
        "fold-fusion",
        "fold-part",
        "map-map",
        "map-join",
        "CD7",
        "RD9a",
        "RD7",
        "RD8",
        "H3b",
        "CD4b",
        "RD4b",
        "A2b",
        "P5b",
        "CD3c",
    )
)
"""Laws that are neither known to follow from others nor the first to catch a bug yet."""
