"""The laws of a primitive, asked when it is declared, and explained where they fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from combinators.derivative_rules import pullback_rule, pushforward_rule
from combinators.errors import (
    DiffcurryError,
    DomainError,
    MissingRule,
    ShapeMismatch,
    TypeMismatch,
    WrongDerivative,
)
from combinators.kit.text import brief
from combinators.morphisms import prod
from combinators.objects import Fun, Object, Unit, components
from combinators.operation import Operation
from combinators.spaces import Space
from combinators.terms import packed
from combinators.type_folds import cotangent_of, holds_space, is_smooth
from diffcurry.models.primitives import PrimitiveModel
from diffcurry.models.spaces import OnSpaces, SpaceModel, adds_in_its_own_way, primitive_model
from laws.law import Law
from laws.observation import Probes
from laws.scene import Counterexample, Scene, ones, simplest
from laws.structures import laws_of
from laws.structures import primitive as said
from laws.tally import OUTSIDE, REFUSALS

_brief = partial(brief, digits=9, between=", ")
_ZERO = "a derivative of zero is dc.scale(v, 0.0)"


def check_rules(operation: Operation, types: tuple[Object, ...]) -> None:
    """Write both rules down at ``types``, and let through what they raise.

    Raises TypeMismatch where a rule gives nothing, or no value of the type that is expected.
    """
    smooth = tuple(i for i, obj in enumerate(types) if is_smooth(obj))
    try:
        pushforwards = {i: pushforward_rule(operation, types, i) for i in smooth}
        pullback = pullback_rule(operation, types, smooth)
    except (ShapeMismatch, TypeMismatch) as error:
        at = ", ".join(map(repr, types))
        message = f"the rule of {operation.name}, at {at}: {error.args[0]}; {_ZERO}"
        raise type(error)(message, error.place) from None
    for index, rule in pushforwards.items():
        if rule is not None:
            _check(operation, types, index, rule.body.type, cotangent_of(operation.type(*types)))
    product = None if pullback is None else components(pullback.body.type)
    if product is not None:
        for index, part in zip(smooth, product.parts, strict=True):
            _check(operation, types, index, part, cotangent_of(types[index]))


def _check(
    operation: Operation, types: tuple[Object, ...], index: int, given: Object, wanted: Object
) -> None:
    if given is not wanted:
        what = "no number (is a return missing?)" if given is Unit else repr(given)
        if any(map(holds_space, (*types, operation.type(*types)))):
            shown = Fun(packed(types), operation.type(*types))
            raise TypeMismatch(
                f"the rule of {operation.name} : {shown!r} gives {what} for argument {index}, "
                f"where {wanted!r} is expected: the derivative speaks of tangents as they are "
                "declared, and not of coordinates"
            )
        raise TypeMismatch(
            f"the rule of {operation.name} gives {what} for argument {index}, where {wanted!r} is "
            f"expected; write it with dc.scale(v, ...); {_ZERO}"
        )


_AT_ARRAYS = (
    "write it so that arrays are taken element by element, as by NumPy's own functions, or say at "
    "which types= it is meant"
)
_ADVICE = {
    "T1": "mend typing=, or the value",
    "T5": "mend what was registered for Fractions",
    "T7a": _AT_ARRAYS,
    "T7b": _AT_ARRAYS,
}
_TRANSPOSES = "pushforward and pullback are not transposes: is the rule linear in v?"
_WRITES = "it writes into its argument: give a new array"


def explained(model: PrimitiveModel, found: Counterexample) -> str:
    """The law, the smallest arguments, and both sides."""
    law, scene = found.scene.law, found.scene
    drawn = {g: scene.at(g) for g in law.generators if g is not said.p}
    which = f"for argument {model.moved(drawn[said.v])}, " if said.v in drawn else ""
    at = "at " + ", ".join(f"{g.name} = {_brief(value)}" for g, value in drawn.items())
    head = f"{model.operation.name}: {which}"
    if found.difference is None:
        advice = f"; {_ADVICE[law.name]}" if law.name in _ADVICE else ""
        return f"{head}law {law.name} ({law.statement}) raises {found.error!r}, {at}{advice}"
    if law.name == "T4":
        x, v = drawn[said.x], drawn[said.v]
        pushed = model.run(scene.arrow(said.pushed), (x, v))
        return (
            f"{head}the rule gives {_brief(pushed)} where the value changes by "
            f"{_brief(model.slope(x, v)[0])}, {at} (law T4: {law.statement}); "
            "mend the rule, or pass check=False if it is meant so"
        )
    place, left, right = found.difference
    advice = _WRITES if "afterwards" in place else _ADVICE.get(law.name, _TRANSPOSES)
    return (
        f"{head}law {law} fails, {law.statement}: the left side gives {_brief(left)}, the "
        f"right {_brief(right)}, {at}; {advice}"
    )


EXAMPLES, FIXED = 16, 8
SLOW, PATIENCE = 0.005, 2.0
"""Seconds: a function that takes longer is asked at fixed points, until the second is over."""
DECLARED = tuple(law for law in said.LAWS if law.name != "T6")
"""All but the absorption of infinities, which a rule may leave to its user."""
FIRST = ("T1", "T4")
"""What is asked first of a function that is slow."""


def checked(primitive: Any) -> str:
    """Raise where a law of primitives fails or cannot be asked; say how they were asked.

    With hypothesis the points are random, and the counterexample is the smallest that was found;
    without it, and where the function is slow, they are fixed. A law that fails raises
    WrongDerivative; DomainError says that no point was found at which there is a value, or a law
    to ask; what a rule gives that is no value of the argument's type raises TypeMismatch.
    """
    if isinstance(primitive, Space):
        return asked_of(SpaceModel(primitive), laws_of(SpaceModel(primitive)))
    operation, types = Operation(primitive.declared), primitive.types
    check_rules(operation, types)
    model = primitive_model(operation, types, primitive.domain, made_of=primitive)
    if model.rows is not None:
        check_rules(operation, model.rows.types)
    smooth = is_smooth(operation.type(*types)) and any(map(is_smooth, types))
    laws = [law for law in DECLARED if law.structure.name in ("primitive", *model.structures)]
    if any(map(adds_in_its_own_way, (*types, operation.type(*types)))):
        laws = [law for law in laws if law.name in ("T1", "T2a")]
    asked = laws if smooth else [said.TYPING]
    point, began = model.cast(said.TYPING, _Fixed(1)).arrows[said.x], perf_counter()
    model.refusal(point)
    return asked_of(model, asked, perf_counter() - began)


def asked_of(model: Any, asked: Sequence[Law], seconds: float = 0.0) -> str:
    """Ask a model for laws, where a call takes so many ``seconds``; say how they were asked."""
    kit = find_spec("hypothesis") is not None
    with np.errstate(all="ignore"):
        if isinstance(model, SpaceModel | OnSpaces):
            points = Counter[Law]()
            for law in asked:
                points += _at_fixed_points([law], model, _Growing, np.inf)
        elif kit and seconds < SLOW:
            for law in asked:
                _at_random(law, model)
            return f"{_names(asked)} at {EXAMPLES} random points"
        else:
            points = _at_fixed_points(asked, model)
    most = max(points.values(), default=0)
    where = f"{_names(points)} at {most} fixed point{'s' if most > 1 else ''}"
    late = [law for law in asked if not points[law]]
    reasons = [] if kit or isinstance(model, SpaceModel | OnSpaces) else ["without hypothesis"]
    reasons += [f"a call takes {seconds:.2g} s"] if seconds >= SLOW else []
    reasons += [f"there was no time for {_names(late)}"] if late else []
    return ", ".join([where, *reasons])


def _names(laws: Iterable[Law]) -> str:
    return ", ".join(law.name for law in laws)


def _at_random(law: Law, model: Any) -> None:
    from laws.checking import check_law

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


def _unasked(model: Any, law: Law, why: str, error: type[DiffcurryError]) -> DiffcurryError:
    return error(
        f"{model.subject}: law {law.name} ({law.statement}) could not be asked: {why}; mend "
        "that, say where its arguments lie, by domain=(low, high), or pass check=False"
    )


def _hold(model: Any, found: Counterexample | None) -> None:
    if found is not None:
        told = (
            explained(model, found) if isinstance(model, PrimitiveModel) else model.explained(found)
        )
        raise WrongDerivative(told) from found.error


class _Fixed:
    """Choices of a generator with a fixed seed; of the first point, all are the simplest."""

    points = FIXED

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed) if seed else None

    def below(self, count: int) -> int:
        return 0 if self._random is None else int(self._random.integers(count))


class _Growing(_Fixed):
    """Few of the choices are others than the simplest, and more from seed to seed."""

    points = 32

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._share = seed / self.points

    def below(self, count: int) -> int:
        found = super().below(count)
        return found if super().below(1 << 10) < self._share * (1 << 10) else 0


def _at_fixed_points(
    asked: Sequence[Law], model: Any, choices: type[_Fixed] = _Fixed, patience: float = PATIENCE
) -> Counter[Law]:
    """At how many points each law was asked, as long as there was time."""
    until = perf_counter() + patience
    points: Counter[Law] = Counter()
    refused: dict[Law, Exception] = {}
    for seed in range(choices.points * len(model.arguments)):
        for law in sorted(asked, key=lambda law: law.name not in FIRST):
            if points and perf_counter() > until:
                break
            try:
                _hold(model, _broken(law, model, choices(seed)))
            except OUTSIDE as error:
                refused[law] = error
            else:
                points[law] += 1
    for law, why in refused.items():
        if not points[law]:
            kind = MissingRule if isinstance(why, REFUSALS) else DomainError
            raise _unasked(model, law, f"{type(why).__name__}: {why}", kind) from why
    return points


def _broken(law: Law, model: Any, choices: _Fixed) -> Counterexample | None:
    """The law at one fixed point, if it fails there; raises where the point lies outside."""
    instance = model.cast(law, choices)
    scene = Scene(law, model, instance, prod(Unit), Probes(simplest, ones))
    try:
        difference, _ = scene.verdict()
    except OUTSIDE:
        raise
    except Exception as error:  # noqa: BLE001 (whatever the user's function raises)
        return Counterexample(scene, None, error)
    return difference and Counterexample(scene, difference)
