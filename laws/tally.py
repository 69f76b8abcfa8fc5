"""What was seen while a law was asked: the examples, what they held, and what was refused.

Of some things a law needs to see enough: of closures, conditionals, loops, and of covectors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from sys import maxsize

from combinators.errors import DiffcurryError, DomainError, MissingRule, NotDifferentiable
from combinators.morphisms import Choice, Constant, Curry, Morphism, Primitive, Prod
from combinators.objects import Unit
from combinators.primitives.loops import LOOP
from combinators.primitives.structural import FIX
from combinators.primitives.sums import IS
from laws.equality import IllConditioned, Level
from laws.language import Operator, tangent
from laws.law import Law
from laws.model import Signature
from laws.observation import has_room
from laws.scene import Counterexample, Scene, nodes
from laws.verdict import Outcome

FLOORS = {
    "closure": 0.05,
    "conditional": 0.03,
    "fold": 0.03,
    "case": 0.05,
    "recursion": 0.03,
    "non-zero cotangent": 0.3,
}
"""The share of examples below which a law is asked in vain."""
ENOUGH = 100
"""So many examples are needed to tell a small share."""
SOME = 30
"""So many examples with a covector are needed to tell how many of them are zero."""


def features(arrows: Iterable[Morphism]) -> set[str]:
    """What stands in ``arrows``: closures, conditionals, loops and further forms."""
    found = set()
    for node in (node for arrow in arrows for node in nodes(arrow)):
        match node:
            case Curry():
                found.add("closure")
            case Choice():
                found.add("conditional")
            case Primitive(operation) if operation.primitive is LOOP:
                found.add("fold" if operation.keywords.get("sequential", True) else "reduce")
            case Primitive(operation) if operation.primitive is IS:
                found.add("case")
            case Primitive(operation) if operation == FIX:
                found.add("recursion")
    return found


def held(scene: Scene) -> set[str]:
    """What an example held, after it was looked at: in its arrows, and as covectors."""
    found = features([*scene.instance.arrows.values(), scene.point]) | scene.probes.features()
    for element in _pulled(scene):
        if has_room(element.cod):
            found.add("cotangent")
            constants = (n.literal for n in nodes(element) if isinstance(n, Constant))
            if any(literal.array.any() for literal in constants):
                found.add("non-zero cotangent")
    return found


def wanted(law: Law, signature: Signature) -> set[str]:
    """What examples of a law have to hold, so far as its arrows and the model can."""
    if not any(generator.sort == "arrow" for generator in law.generators):
        return {"non-zero cotangent"}
    has_choices = signature.conditionals and signature.operations
    can = {
        "closure": signature.functions,
        "conditional": has_choices,
        "fold": signature.loops,
        "case": signature.sums,
        "recursion": signature.recursion,
    }
    return {"non-zero cotangent", *(name for name, there in can.items() if there)}


def scarce(law: Law, signature: Signature, counts: Mapping[str, int], examples: int) -> str:
    """What too few of the examples held, with the numbers; nothing where there was enough.

    Covectors are wanted of the examples where they were asked for and had room not to be zero.
    """
    missing = []
    for name in sorted(wanted(law, signature)):
        is_covector = name == "non-zero cotangent"
        count, of = counts.get(name, 0), counts.get("cotangent", 0) if is_covector else examples
        if of >= (SOME if is_covector else ENOUGH) and count < FLOORS[name] * of:
            missing.append(f"{name} in {count} of {of} examples, and {FLOORS[name]:.0%} are needed")
    return "; ".join(missing)


def _pulled(scene: Scene) -> Iterator[Morphism]:
    """The elements of a scene that stand where a covector of some ``R[f]`` does."""
    law = scene.law
    reversed_ = [n for n in law.nodes if isinstance(n, Operator) and n.method == "R"]
    spaces = {tangent(reverse.about[1]) for reverse in reversed_}
    methods = {name for above in law.structure.lineage() for name in above.methods}
    if methods & {"R", "pull"} and len(law.sides) < 2:  # it computes, of a model that pulls back
        spaces |= {tangent(g.cod) for g in law.generators if g.sort != "point"}
    for generator, arrow in scene.instance.arrows.items():
        if generator.sort == "point" and generator.cod in spaces:
            yield arrow
    doms = {side.dom for side in law.sides}
    if doms & {reverse.dom for reverse in reversed_} and isinstance(scene.point, Prod):
        yield scene.point.arrows[-1]
    elif doms & spaces:
        yield scene.point


REFUSALS = (MissingRule, NotDifferentiable)
"""What a model raises that has no such thing."""
OUTSIDE = (DomainError, *REFUSALS, IllConditioned)
"""What an example may end in that a model does not claim: another is drawn instead."""
PATIENCE = 30
"""So many refusals, for each example that was taken and one, are enough."""
WASTE = 4
"""So many times more refusals than wanted examples are enough."""
RARE = 0.1
"""A law is asked in vain of a model that takes a smaller share of the wanted examples."""
MOSTLY = 0.9
"""Where so many of the refusals say that the model has no such thing, it is not asked at all."""


class LawTally:
    """The count of one law in one model."""

    def __init__(self, law: Law, wanted: int) -> None:
        self.law, self.wanted = law, wanted
        self.examples = 0
        self.levels: Counter[Level] = Counter()
        self.held: Counter[str] = Counter()
        self.rejections: Counter[str] = Counter()
        self.broken: list[Counterexample] = []
        self.met = maxsize
        """The size of the smallest broken example as it was drawn."""
        self.fickle = ""
        """Why no broken example can be relied on."""
        self._refused = 0

    @property
    def is_hopeless(self) -> bool:
        """Whether more examples would be refused as these were."""
        some = PATIENCE * (self.examples + 1)
        return self.rejections.total() >= min(some, PATIENCE + WASTE * self.wanted)

    def note(self, scene: Scene, level: Level) -> None:
        """An example that was looked at."""
        self.examples += 1
        self.levels[level] += 1
        self.held.update(held(scene))
        self.held["leaf"] += any(scene.seen)

    def refuse(self, error: Exception) -> None:
        """An example that the model does not take."""
        said = error.args[0] if isinstance(error, DiffcurryError) else error
        self.rejections[f"{type(error).__name__}: {said}"] += 1
        self._refused += isinstance(error, REFUSALS)

    def shares(self) -> dict[str, float]:
        """The share of examples that held each feature."""
        return {name: self.held[name] / max(self.examples, 1) for name in FLOORS}

    def finding(self, signature: Signature | None) -> tuple[Outcome, str]:
        """What was found, and why, where the law does not hold or was not asked.

        ``signature`` is None where the model casts its own examples.
        """
        rejected, lhs = self.rejections.total(), self.law.lhs
        if self.broken:
            return "failed", self.fickle
        if self.examples < RARE * self.wanted and rejected:
            is_lacking = self._refused >= MOSTLY * rejected
            return "unasked" if is_lacking else "vacuous", (
                f"{self.examples} examples were taken and {rejected} refused, "
                f"most often by {self.rejections.most_common(1)[0][0]}"
            )
        if not self.examples:
            return "vacuous", "no example was found"
        if not self.held["leaf"] and isinstance(lhs, Morphism) and lhs.cod is not Unit:
            return "vacuous", "nothing was compared: what was observed held no number"
        reason = scarce(self.law, signature, self.held, self.examples) if signature else ""
        return ("vacuous", reason) if reason else ("passed", "")
