"""The laws of a primitive, asked when it is declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from combinators.errors import DiffcurryError, DomainError, MissingRule, WrongDerivative
from combinators.morphisms import prod
from combinators.objects import Object, Unit
from combinators.operation import Operation
from combinators.type_folds import is_smooth
from diffcurry.models.explaining import explained
from diffcurry.models.primitives import PrimitiveModel
from diffcurry.models.ruling import check_rules
from laws.asking.scene import Scene
from laws.asking.tally import OUTSIDE, REFUSALS
from laws.asking.verdict import Counterexample
from laws.comparing.probes import Probes
from laws.law import Law
from laws.structures import primitive as said

if TYPE_CHECKING:
    from diffcurry.primitive import UserPrimitive

EXAMPLES, FIXED = 16, 8
SLOW, PATIENCE = 0.005, 2.0
"""Seconds: a function that takes longer is asked at fixed points, until the second is over."""
DECLARED = tuple(law for law in said.LAWS if law.name != "T6")
"""All but the absorption of infinities, which a rule may leave to its user."""
FIRST = ("T1", "T4")
"""What is asked first of a function that is slow."""


def checked(primitive: UserPrimitive) -> str:
    """Raise where a law of primitives fails or cannot be asked; say how they were asked.

    With hypothesis the points are random, and the counterexample is the smallest that was found;
    without it, and where the function is slow, they are fixed. A law that fails raises
    WrongDerivative; DomainError says that no point was found at which there is a value, or a law
    to ask; what a rule gives that is no value of the argument's type raises TypeMismatch.
    """
    operation, types = Operation(primitive.declared), primitive.types
    check_rules(operation, types)
    model = PrimitiveModel(operation, types, primitive.domain, made_of=primitive)
    if model.rows is not None:
        check_rules(operation, model.rows.types)
    smooth = is_smooth(operation.type(*types)) and any(map(is_smooth, types))
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

    verdict = check_law(law, model, examples=EXAMPLES)
    _hold(model, verdict.counterexample)
    if verdict.outcome != "passed":
        raise _unasked(model, law, verdict.reason, _UNASKED[verdict.outcome])


_UNASKED: dict[str, type[DiffcurryError]] = {
    "failed": WrongDerivative,
    "vacuous": DomainError,
    "unasked": MissingRule,
}
"""What is raised where no counterexample says why a law is not known to hold."""


def _unasked(
    model: PrimitiveModel, law: Law, why: str, error: type[DiffcurryError]
) -> DiffcurryError:
    return error(
        f"{model.operation.name}: law {law.name} ({law.statement}) could not be asked: {why}; mend "
        "that, say where its arguments lie, by domain=(low, high), or pass check=False"
    )


def _hold(model: PrimitiveModel, found: Counterexample | None) -> None:
    if found is not None:
        raise WrongDerivative(explained(model, found)) from found.error


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
    refused: dict[Law, Exception] = {}
    for seed in range(FIXED * len(model.arguments)):
        for law in sorted(asked, key=lambda law: law.name not in FIRST):
            if points and perf_counter() > until:
                break
            try:
                _hold(model, _broken(law, model, seed))
            except OUTSIDE as error:
                refused[law] = error
            else:
                points[law] += 1
    for law, why in refused.items():
        if not points[law]:
            kind = MissingRule if isinstance(why, REFUSALS) else DomainError
            raise _unasked(model, law, f"{type(why).__name__}: {why}", kind) from why
    return points


def _broken(law: Law, model: PrimitiveModel, seed: int) -> Counterexample | None:
    """The law at one fixed point, if it fails there; raises where the point lies outside."""
    instance = model.cast(law, _Fixed(seed))
    scene = Scene(law, model, instance, prod(Unit), Probes(_no_function, model.probe))
    try:
        difference, _ = scene.verdict()
    except OUTSIDE:
        raise
    except Exception as error:  # noqa: BLE001 (whatever the user's function raises)
        return Counterexample(scene, None, error)
    return difference and Counterexample(scene, difference)


def _no_function(obj: Object) -> Any:
    raise DiffcurryError(f"a primitive takes no functions, and {obj!r} is asked for")
