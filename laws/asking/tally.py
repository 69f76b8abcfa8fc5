"""What was seen while a law was asked: the examples, what they held, and what was refused."""

from __future__ import annotations

from collections import Counter

from combinators.errors import DiffcurryError, DomainError, MissingRule, NotDifferentiable
from combinators.morphisms import Morphism
from combinators.objects import Unit
from laws.asking.features import FLOORS, held, scarce
from laws.asking.scene import Scene
from laws.asking.verdict import Counterexample, Outcome
from laws.comparing.condition import IllConditioned
from laws.comparing.leaves import Level
from laws.law import Law
from laws.model import Signature

REFUSALS = (MissingRule, NotDifferentiable)
"""What a model raises that has no such thing."""
OUTSIDE = (DomainError, *REFUSALS, IllConditioned)
"""What an example may end in that a model does not claim: another is drawn instead."""
PATIENCE = 30
"""So many refusals in a row, with no example before them, are enough."""
WASTE = 4
"""So many times more refusals than wanted examples are enough."""
SHRINKS = 1000
"""So many broken examples are looked at on the way to a small one."""
RARE = 0.1
"""A law is asked in vain of a model that takes a smaller share of the wanted examples."""


class Tally:
    """The count of one law in one model."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.examples = 0
        self.levels: Counter[Level] = Counter()
        self.held: Counter[str] = Counter()
        self.rejections: Counter[str] = Counter()
        self.broken: Counterexample | None = None
        self.failures = 0
        self.met: dict[int, Counterexample] = {}
        """The first broken example of each size."""
        self._least: Counterexample | None = None
        self._refused = 0

    @property
    def rejected(self) -> int:
        """How many examples the model refused."""
        return self.rejections.total()

    @property
    def level(self) -> Level:
        """The weakest comparison that was needed."""
        return max(self.levels, default=Level.NORMAL)

    @property
    def is_hopeless(self) -> bool:
        """Whether more examples would be refused as these were."""
        first = not self.examples and self.rejected >= PATIENCE
        return first or self.rejected >= PATIENCE + WASTE * self.wanted

    def note(self, scene: Scene, level: Level) -> None:
        """An example that was looked at."""
        self.examples += 1
        self.levels[level] += 1
        self.held.update(held(scene))
        self.held["leaf"] += any(scene.seen)

    def fail(self, found: Counterexample) -> None:
        """An example that breaks the law: hypothesis looks last at the smallest."""
        self.failures += 1
        self.broken = found
        self.met.setdefault(found.size, found)
        if self._least is None or found.size <= self._least.size:
            self._least = found
        if self.is_small_enough:
            self.broken = self._least

    @property
    def is_small_enough(self) -> bool:
        """Whether so many examples broke the law that smaller ones are not worth the wait."""
        return self.failures > SHRINKS

    def refuse(self, error: Exception) -> None:
        """An example that the model does not take."""
        said = error.args[0] if isinstance(error, DiffcurryError) else error
        self.rejections[f"{type(error).__name__}: {said}"] += 1
        self._refused += isinstance(error, REFUSALS)

    def shares(self) -> dict[str, float]:
        """The share of examples that held each feature."""
        return {name: self.held[name] / max(self.examples, 1) for name in FLOORS}

    def finding(self, law: Law, signature: Signature | None) -> tuple[Outcome, str]:
        """Passed, vacuous or not asked, and why, where no example broke the law.

        ``signature`` is None where the model casts its own examples.
        """
        if not self.examples and self.rejected and self._refused == self.rejected:
            return "unasked", f"the model refuses it: {self._commonest()}"
        if self.examples < RARE * self.wanted and self.rejected:
            return "vacuous", (
                f"{self.examples} examples were taken and {self.rejected} refused, "
                f"most often by {self._commonest()}"
            )
        if not self.examples:
            return "vacuous", "no example was found"
        if not self.held["leaf"] and isinstance(law.lhs, Morphism) and law.lhs.cod is not Unit:
            return "vacuous", "nothing was compared: what was observed held no number"
        reason = scarce(law, signature, self.held, self.examples) if signature else ""
        return ("vacuous", reason) if reason else ("passed", "")

    def _commonest(self) -> str:
        ((said, _),) = self.rejections.most_common(1)
        return said
