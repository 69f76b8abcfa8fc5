"""The laws of a primitive, asked when it is declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError, DomainError, WrongDerivative
from combinators.morphisms import prod
from combinators.objects import Object, Unit, is_smooth
from combinators.operation import Operation
from diffcurry.models.primitives import Domain, PrimitiveModel
from laws.asking.scene import Scene
from laws.asking.verdict import Counterexample
from laws.comparing.equality import Difference
from laws.comparing.probes import Probes
from laws.law import Law
from laws.structures import primitive as said

EXAMPLES, FIXED = 16, 8
SLOW, PATIENCE = 0.005, 2.0
"""Seconds: a function that takes longer is asked at fixed points, until the second is over."""
DECLARED = tuple(law for law in said.LAWS if law.name != "T6")
"""All but the absorption of infinities, which a rule may leave to its user."""
FIRST = ("T1", "T4")
"""What is asked first of a function that is slow."""


def checked(operation: Operation, types: tuple[Object, ...], domain: Domain | None = None) -> str:
    """Raise WrongDerivative where a law of primitives fails; say how they were asked.

    With hypothesis the points are random, and the counterexample is the smallest that was found;
    without it, and where the function is slow, they are fixed. DomainError says that none was found
    at which there is a value.
    """
    cod = operation.type(*types)
    model = PrimitiveModel(operation, types, domain)
    smooth = is_smooth(cod) and any(map(is_smooth, types))
    laws = [law for law in DECLARED if law.structure.name in ("primitive", *model.structures)]
    asked = laws if smooth else [said.TYPING]
    seconds = _seconds(model)
    kit = find_spec("hypothesis") is not None
    with np.errstate(all="ignore"):
        if kit and seconds < SLOW:
            for law in asked:
                _at_random(law, model)
            return f"{_names(asked)} at {EXAMPLES} random points"
        points = _at_fixed_points(asked, model)
    most = max(points.values(), default=0)
    where = f"{_names(points)} at {most} fixed point{'s' if most > 1 else ''}"
    late = [law for law in asked if not points[law]]
    reasons = [] if kit else ["without hypothesis"]
    reasons += [f"a call takes {seconds:.2g} s"] if seconds >= SLOW else []
    reasons += [f"there was no time for {_names(late)}"] if late else []
    return ", ".join([where, *reasons])


def _names(laws: Iterable[Law]) -> str:
    return ", ".join(law.name for law in laws)


def _seconds(model: PrimitiveModel) -> float:
    """How long a value takes, at a point of the domain, when it is not the first."""
    point = model.cast(said.TYPING, _Fixed(1)).arrows[said.x]
    began = perf_counter()
    model.refusal(point)
    return perf_counter() - began


def _at_random(law: Law, model: PrimitiveModel) -> None:
    from laws.asking.checking import check_law

    _hold(model, check_law(law, model, examples=EXAMPLES).counterexample)


def _hold(model: PrimitiveModel, found: Counterexample | None) -> None:
    if found is not None:
        raise WrongDerivative(_explained(model.operation, model, found)) from found.error


class _Fixed:
    """Choices of a generator with a fixed seed; of the first point, all are the simplest."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed) if seed else None

    def below(self, count: int) -> int:
        return 0 if self._random is None else int(self._random.integers(count))


def _at_fixed_points(asked: Sequence[Law], model: PrimitiveModel) -> Counter[Law]:
    """At how many points each law was asked, as long as there was time."""
    until = perf_counter() + PATIENCE
    points: Counter[Law] = Counter()
    for seed in range(FIXED * len(model.arguments)):
        for law in sorted(asked, key=lambda law: law.name not in FIRST):
            if points and perf_counter() > until:
                return points
            try:
                scene = Scene(
                    law,
                    model,
                    model.cast(law, _Fixed(seed)),
                    prod(Unit),
                    Probes(_no_function, model.probe),
                )
                difference, _ = scene.verdict()
            except DomainError:
                continue
            except Exception as error:  # noqa: BLE001 (whatever the user's function raises)
                _hold(model, Counterexample(scene, None, error))
            else:
                _hold(model, difference and Counterexample(scene, difference))
                points[law] += 1
    return points


def _no_function(obj: Object) -> Any:
    raise DiffcurryError(f"a primitive takes no functions, and {obj!r} is asked for")


def _explained(operation: Operation, model: PrimitiveModel, found: Counterexample) -> str:
    """The law, the smallest arguments, and both sides."""
    law, scene = found.scene.law, found.scene
    drawn = {g: scene.at(g) for g in law.generators if g is not said.p}
    which = f"for argument {model.moved(drawn[said.v])}, " if said.v in drawn else ""
    at = "at " + ", ".join(f"{g.name} = {_shown(value)}" for g, value in drawn.items())
    head = f"{operation.name}: {which}"
    if found.difference is None:
        return f"{head}law {law.name} ({law.statement}) raises {found.error!r}, {at}"
    if law.name == "T4":
        x, v = drawn[said.x], drawn[said.v]
        pushed = model.run(scene.arrow(said.pushed), (x, v))
        return (
            f"{head}the rule gives {_shown(pushed)} where the value changes by "
            f"{_shown(model.slope(x, v)[0])}, {at} (law T4: {law.statement}); "
            "mend the rule, or pass check=False if it is meant so"
        )
    return head + _sides(law, found.difference, at)


def _sides(law: Law, difference: Difference, at: str) -> str:
    advice = {
        "T1": "mend typing=, or the value",
        "T5": "mend what was registered for Fractions",
    }.get(law.name, "pushforward and pullback are not transposes: is the rule linear in v?")
    return (
        f"law {law} fails, {law.statement}: the left side gives {_shown(difference.left)}, the "
        f"right {_shown(difference.right)}, {at}; {advice}"
    )


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    if isinstance(value, np.ndarray):
        return np.array2string(value, threshold=6, separator=", ").replace("\n", "")
    return f"{value:.9g}" if isinstance(value, float | np.floating) else str(value)
