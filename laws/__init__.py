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
    from laws.asking.checking import check, check_law
    from laws.asking.replaying import law_named, replay
    from laws.asking.report import Report
    from laws.asking.selecting import selected
    from laws.asking.verdict import Counterexample, Verdict
    from laws.comparing.equality import Level
    from laws.law import Computed, Law
    from laws.model import Signature, adapts, model_of
    from laws.strategies import register
    from laws.structure import Structure
    from laws.structures import LAWS, STRUCTURES, laws_of
    from laws.testing.suites import suite

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

_FILES = {
    "LAWS": "structures",
    "STRUCTURES": "structures",
    "Computed": "law",
    "Counterexample": "asking.verdict",
    "Law": "law",
    "Level": "comparing.equality",
    "Report": "asking.report",
    "Signature": "model",
    "Structure": "structure",
    "Verdict": "asking.verdict",
    "adapts": "model",
    "check": "asking.checking",
    "check_law": "asking.checking",
    "law_named": "asking.replaying",
    "laws_of": "structures",
    "model_of": "model",
    "register": "strategies",
    "replay": "asking.replaying",
    "selected": "asking.selecting",
    "strategies": "strategies",
    "suite": "testing.suites",
}


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
