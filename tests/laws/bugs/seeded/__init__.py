"""The bugs, each a model that is right but for a method or two."""

from importlib import import_module

from tests.laws.bugs.bug import BUGS

KINDS = (
    "products",
    "closures",
    "through",
    "calls",
    "branches",
    "loops",
    "monoids",
    "sums",
    "forwards",
    "transposes",
    "arrays",
    "rewriting",
    "numbers",
    "primitives",
    "spaces",
    "programs",
    "modes",
    "shown",
    "costs",
    "alternatives",
    "recursion",
)
for kind in KINDS:
    import_module(f"{__name__}.{kind}")

__all__ = ["BUGS"]
