"""Laws: how do we know? Named, cited equations with both sides as arrows.

``laws.check(model)`` asks a model for every law that it claims, and gives a ``Report``;
docs/laws.md lists the laws and the ways in. Names are imported when they are used: only what draws
examples needs hypothesis.

A ``laws.py`` of your own that stands earlier on Python's path shadows this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laws import strategies
    from laws.checking import check, check_law
    from laws.claims import adapts, model_of, selected
    from laws.equality import Level
    from laws.law import Computed, Law, Structure
    from laws.model import Signature
    from laws.scene import Counterexample
    from laws.strategies import register
    from laws.structures import LAWS, STRUCTURES, laws_of
    from laws.suites import suite
    from laws.verdict import Report, Verdict, law_named, replay

__all__ = [
    "LAWS",
    "STRUCTURES",
    "Computed",
    "Counterexample",
    "Law",
    "Level",
    "Report",
    "Signature",
    "Structure",
    "Verdict",
    "adapts",
    "check",
    "check_law",
    "law_named",
    "laws_of",
    "model_of",
    "register",
    "replay",
    "selected",
    "strategies",
    "suite",
]

_NAMES = {
    "checking": "check check_law",
    "claims": "adapts model_of selected",
    "equality": "Level",
    "law": "Computed Law Structure",
    "model": "Signature",
    "scene": "Counterexample",
    "strategies": "register strategies",
    "structures": "LAWS STRUCTURES laws_of",
    "suites": "suite",
    "verdict": "Report Verdict law_named replay",
}
_FILES = {name: file for file, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """What is public, imported when it is first used."""
    if name not in _FILES:
        raise AttributeError(f"module 'laws' has no attribute {name!r}")
    try:
        module = import_module(f"laws.{_FILES[name]}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "hypothesis":
            raise
        raise ImportError(
            f"laws.{name} draws its examples with hypothesis, which is not installed; "
            "pip install 'diffcurry[laws]'"
        ) from None
    found = module if name == _FILES[name] else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """All that is public."""
    return sorted(__all__)
