"""A seeded bug: a model that is wrong in one way, and the first law that says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from laws.checking import check_law
from laws.structures import laws_of
from laws.verdict import Verdict, law_named

EXAMPLES = 50
"""At most, of a law: what ``laws.check`` asks by default; the ``ci`` profile asks twice as many."""


@dataclass(frozen=True)
class Bug:
    """``law`` catches what is wrong; ``first`` asks whether one before it does."""

    name: str
    what: str
    model: Callable[[], Any]
    law: str

    @property
    def is_own(self) -> bool:
        """Whether the law is asked without any of our interpreters, and without differences."""
        return not getattr(self.model, "uses_ours", False)

    def caught(self) -> Verdict:
        """What the law finds."""
        return check_law(law_named(self.law), self.model(), examples=EXAMPLES)

    def first(self) -> Verdict | None:
        """What the first law finds that fails."""
        model = self.model()
        verdicts = (check_law(law, model, examples=EXAMPLES) for law in laws_of(model))
        return next((verdict for verdict in verdicts if verdict.outcome == "failed"), None)


BUGS: list[Bug] = []


def seeded(law: str) -> Callable[[Any], Any]:
    """Seed a model as a bug: its name is that of the class, what is wrong the docstring."""

    def register(model: Any) -> Any:
        BUGS.append(Bug(model.__name__, (model.__doc__ or "").strip().rstrip("."), model, law))
        return model

    return register


def ours(model: Any) -> Any:
    """Mark a model that is our own interpreter with something wrong put into it."""
    model.uses_ours = True
    return model
