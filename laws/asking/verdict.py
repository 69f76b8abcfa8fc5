"""What checking a law found: passed, failed with the smallest example, or vacuous."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from laws.asking.scene import Scene
from laws.comparing.equality import Difference, Level
from laws.law import Law

Outcome = Literal["passed", "failed", "vacuous", "unasked"]


@dataclass(frozen=True, repr=False)
class Counterexample:
    """The smallest scene in which a law fails, and how."""

    scene: Scene
    difference: Difference | None
    error: BaseException | None = None
    """What was raised instead of an outcome."""

    def __repr__(self) -> str:
        """One line: its arrows, and what differs."""
        arrows = self.scene.instance.arrows.items()
        drawn = "; ".join(f"{generator.name} = {arrow!r}" for generator, arrow in arrows)
        return f"<{drawn}: {self.difference or self.error!r}>"

    @property
    def size(self) -> int:
        """How many combinators its arrows hold."""
        from laws.asking.features import size

        return sum(size(arrow) for arrow in self.scene.instance.arrows.values())


@dataclass(frozen=True, repr=False)
class Verdict:
    """What was found of one law in one model."""

    law: Law
    model: str
    outcome: Outcome
    examples: int
    """How many instances were looked at."""
    seconds: float
    level: Level = Level.NORMAL
    """The weakest comparison that was needed."""
    levels: Mapping[Level, int] = field(default_factory=dict)
    """How many examples needed each."""
    extensional: bool = False
    """Whether functions were compared by applying them."""
    shares: Mapping[str, float] = field(default_factory=Counter)
    """The share of examples that hold each feature."""
    counterexample: Counterexample | None = None
    """Of a law that fails; None where a model is so fickle that none can be kept."""
    reason: str = ""
    """Why it is vacuous, or was not asked, or fails only at times."""
    rejected: int = 0
    """How many examples the model refused."""
    rejections: Mapping[str, int] = field(default_factory=dict)
    """What it said when it refused, and how often."""

    def __bool__(self) -> bool:
        """False where the law fails, or was asked in vain."""
        return self.outcome in ("passed", "unasked")

    def __repr__(self) -> str:
        """One line."""
        return f"<{self.law.name} {self.outcome} in {self.model} at {self.examples} examples>"

    def __str__(self) -> str:
        """One line where it holds, else the smallest example, step by step."""
        from laws.rendering.text import verdict_text

        return verdict_text(self)

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """In a terminal."""
        from laws.rendering.console import verdict_parts

        return verdict_parts(self)

    def _repr_html_(self) -> str:
        """In a notebook."""
        from laws.rendering.page import verdict_html

        return verdict_html(self)
