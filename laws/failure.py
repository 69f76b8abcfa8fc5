"""Why a law fails: its words, the smallest example, both sides step by step, and a script.

A step is what a prefix of a side's composites gives. Text, terminals and notebooks show the same
sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from combinators.morphisms import Compose, Morphism, Prod
from combinators.objects import Unit
from laws.equality import Leaf, equal
from laws.language import Operator
from laws.law import Computed, Law, Side, equation, quantifiers
from laws.notation import is_capture, side_text
from laws.observation import observed, point_of, value_in
from laws.scene import Counterexample, Scene
from laws.snippet import snippet

WIDTH = 120


def visible(text: str) -> str:
    r"""Text in which nothing acts on a terminal or a page: control characters as Python escapes.

    >>> visible("red \x1b[31m, and \u202e backwards")
    'red \\x1b[31m, and \\u202e backwards'
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def shown(value: Any) -> str:
    """A value on one line.

    >>> shown(Fraction(1, 2)), shown(np.float64(2.0)), shown(np.array([1.0, 2.0]))
    ('1/2', '2', '[1, 2]')
    """
    text = " ".join(_shown(value).split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _shown(value: Any) -> str:
    match value:
        case str():
            return value
        case np.ndarray() if value.ndim:
            if not value.size:
                return f"an empty array of shape {value.shape}"
            return f"[{', '.join(_shown(part) for part in value)}]"
        case np.ndarray() | np.generic():
            return _shown(value.item())
        case Fraction():
            return str(value)
        case float():
            return repr(value).removesuffix(".0")
        case tuple() | list():
            return f"({', '.join(map(_shown, value))})"
        case _ if " at 0x" in repr(value):
            return f"<{type(value).__name__}>"
        case _:
            return repr(value)


MOST = 12
"""How many leaves of an outcome are shown."""


@dataclass(frozen=True)
class SideStep:
    """What one prefix of a side gives: leaves by place, or an error."""

    text: str
    leaves: tuple[tuple[str, str], ...]
    error: str = ""

    @property
    def gives(self) -> str:
        """On one line."""
        if self.error:
            return f"raises {self.error}"
        nested = tupled(self.leaves)
        if nested is not None:
            return nested
        listed = [f"{place.removeprefix('value') or 'value'} = {v}" for place, v in self.leaves]
        more = [f"… {len(listed) - MOST} more"] if len(listed) > MOST else []
        return ", ".join([*listed[:MOST], *more]) or "()"


def steps(scene: Scene, side: Side) -> list[SideStep]:
    """Every step of a side; it ends after the first that raises."""
    found: list[SideStep] = []
    seen: set[int] = set()
    for prefix in [side] if isinstance(side, Computed) else prefixes(side):
        if id(prefix) not in seen:
            seen.add(id(prefix))
            found.append(_step(scene, prefix))
            if found[-1].error:
                break
    return found


_JOINING = ("add", "inner", "scale")


def prefixes(side: Morphism) -> Iterator[Morphism]:
    """What is run on the way to ``side``, from the same point."""
    match side:
        case Compose(arrows):
            if not is_capture(arrows[0], arrows[1:2]):
                yield from prefixes(arrows[0])
            for n in range(2, len(arrows) + 1):
                if not is_capture(arrows[n - 1], arrows[n : n + 1]):
                    yield Compose(arrows[:n]) if n < len(arrows) else side
        case Prod(_, arrows) | Operator("add" | "inner" | "scale", arrows):
            for part in arrows:
                if isinstance(part, Compose | Prod) or getattr(part, "method", "") in _JOINING:
                    yield from prefixes(part)
            yield side
        case _:
            yield side


def _step(scene: Scene, prefix: Side) -> SideStep:
    text = prefix.text if isinstance(prefix, Computed) else side_text(prefix)
    try:
        found = _observed(scene, prefix)
    except Exception as error:  # noqa: BLE001 (whatever a model raises is shown)
        return SideStep(text, (), said(error))
    return SideStep(text, tuple((place, shown(leaf)) for place, leaf in found))


def _observed(scene: Scene, prefix: Side) -> list[Leaf]:
    """What can be told of it; of what is no value of its type, as it prints."""
    if isinstance(prefix, Computed):
        return scene.observed(prefix)
    model = scene.model
    outcome = model.run(scene.arrow(prefix), point_of(model, scene.point))
    try:
        return observed(model, scene.obj(prefix.cod), outcome, scene.probes)
    except Exception as error:  # noqa: BLE001 (the outcome is shown instead)
        value = shown(value_in(model, outcome))
        return [("value", f"{value}, at which observing raises {said(error)}")]


def tupled(leaves: tuple[tuple[str, str], ...]) -> str | None:
    """``(0, (1, 2))``, where leaves are only the components of a value; else None."""
    tree: dict[int, Any] = {}
    for place, text in leaves:
        if not re.fullmatch(r"value(\[\d+\])*", place):
            return None
        below, (*path, last) = tree, [0, *map(int, re.findall(r"\d+", place))]
        for index in path:
            below = below.setdefault(index, {})
        below[last] = text
    return _nested(tree.get(0, {}))


def _nested(tree: Any) -> str:
    if isinstance(tree, str):
        return tree
    parts = [_nested(tree.get(index, {})) for index in range(max(tree, default=-1) + 1)]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def said(error: BaseException) -> str:
    """An error on one line."""
    text = " ".join(str(error.args[0] if error.args else error).split())
    return f"{type(error).__name__}: {text}"[:300]


Kind = Literal["words", "steps", "python", "difference"]
_LONG = 200


@dataclass(frozen=True)
class FailureSection:
    """A paragraph of a failure."""

    title: str
    kind: Kind
    lines: tuple[str, ...]

    def __post_init__(self) -> None:
        """What models and their errors say acts on no terminal."""
        object.__setattr__(self, "lines", tuple(map(visible, self.lines)))


def sections(
    law: Law, reason: str, refusals: Mapping[str, int], found: Counterexample | None
) -> Iterator[FailureSection]:
    """All that there is to say of a law that does not hold.

    ``refusals`` are what the model said of examples that it did not take, and how often.
    """
    quantified = quantifiers(law)
    said_of = [
        law.statement,
        equation(law),
        *([f"for all {quantified}"] if quantified else []),
        f"source: {law.source}",
    ]
    yield FailureSection("the law", "words", tuple(said_of))
    if reason:
        refused = (
            _cut(f"{count} examples were refused: {text}") for text, count in refusals.items()
        )
        yield FailureSection("why", "words", (reason, *refused))
    if found is not None:
        yield from _example(found)


def _example(found: Counterexample) -> Iterator[FailureSection]:
    scene = found.scene.settled()
    law = scene.law
    size = f"the smallest example found ({found.size} combinators)"
    yield FailureSection(size, "words", tuple(_chosen(found)))
    yield FailureSection("left, step by step", "steps", _lines(steps(scene, law.lhs)))
    if law.relation != "raises":
        yield FailureSection("right, step by step", "steps", _lines(steps(scene, law.rhs)))
    yield FailureSection("where they differ", "difference", (differs(found),))
    yield FailureSection("to see it again", "python", tuple(snippet(found).splitlines()))


def example_record(found: Counterexample) -> dict[str, Any]:
    """An example as dicts and lists: ``laws.verdict.Report.to_json`` documents it."""
    scene, difference = found.scene.settled(), found.difference
    law, instance = scene.law, scene.instance

    def told(side: Side) -> list[dict[str, str]]:
        return [{"arrow": step.text, "gives": step.gives} for step in steps(scene, side)]

    return {
        "objects": {v.name: repr(obj) for v, obj in instance.objects.items()},
        "arrows": {g.name: _cut(repr(arrow)) for g, arrow in instance.arrows.items()},
        "point": _cut(repr(scene.point)),
        "size": found.size,
        "left": told(law.lhs),
        "right": [] if law.relation == "raises" else told(law.rhs),
        "difference": difference
        and {
            "place": difference.place,
            "left": shown(difference.left),
            "right": shown(difference.right),
        },
        "error": None if found.error is None else said(found.error),
        "says": differs(found),
        "snippet": snippet(found),
    }


def differs(found: Counterexample) -> str:
    """The first difference, or the error that was raised, on one line."""
    if found.error is not None:
        return f"it raises {said(found.error)}"
    assert found.difference is not None
    if found.scene.law.relation == "raises":
        return f"it gives {shown(found.difference.left)}, where an error is due"
    place, left, right = found.difference
    sign = ">" if found.scene.law.relation == "≤" else "≠"
    where = "" if place == "value" else f"at {place}: "
    return f"{where}{shown(left)} {sign} {shown(right)} (compared: {equal(left, right)[1]})"


def _chosen(found: Counterexample) -> Iterator[str]:
    objects, arrows = found.scene.instance.objects, found.scene.instance.arrows
    if objects:
        yield ", ".join(f"{variable.name} = {obj!r}" for variable, obj in objects.items())
    for generator, arrow in arrows.items():
        start = "" if generator.sort == "point" else f"{arrow.dom!r} → "
        yield f"{generator.name} = {_cut(repr(arrow))} : {_cut(f'{start}{arrow.cod!r}')}"
    if found.scene.point.cod is not Unit:
        yield f"at {_cut(repr(found.scene.point))}"
    for place, argument in found.scene.probes.answers("argument").items():
        yield f"{place} is applied to {_cut(repr(argument))}"
    for place, covector in found.scene.probes.answers("cotangent").items():
        yield f"{place} of {_cut(_covector(covector))}"


def _covector(covector: Any) -> str:
    match covector:
        case tuple() | list():
            left, right = "()" if isinstance(covector, tuple) else "[]"
            return f"{left}{', '.join(map(_covector, covector))}{right}"
        case _:
            return "nothing" if covector is None else repr(covector)


def _lines(found: list[SideStep]) -> tuple[str, ...]:
    """The steps in two columns."""
    width = min(max((len(step.text) for step in found), default=0), 60)
    return tuple(f"{step.text:<{width}}  ↦  {step.gives}" for step in found)


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"
