"""Why a law fails: its words, the smallest example, both sides step by step, and a script.

Text, terminals and notebooks show the same sections.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from combinators.morphisms import Morphism
from combinators.objects import Unit
from laws.asking.replaying import answers, settled
from laws.asking.verdict import Counterexample, Verdict
from laws.comparing.leaves import equal
from laws.rendering.notation import equation, quantifiers
from laws.rendering.sides import write
from laws.rendering.snippet import snippet
from laws.rendering.steps import Step, difference_at, said, steps
from laws.rendering.symbols import TEXT
from laws.rendering.values import shown, visible

Kind = Literal["words", "steps", "python", "difference"]
_LONG = 200


@dataclass(frozen=True)
class Section:
    """A paragraph of a failure."""

    title: str
    kind: Kind
    lines: tuple[str, ...]

    def __post_init__(self) -> None:
        """What models and their errors say acts on no terminal."""
        object.__setattr__(self, "lines", tuple(map(visible, self.lines)))


def headline(verdict: Verdict) -> str:
    """What was found, on one line."""
    what = {
        "passed": "holds",
        "failed": "fails",
        "vacuous": "was asked in vain",
        "unasked": "was not asked",
    }
    return f"{verdict.law.name} {what[verdict.outcome]} in {visible(verdict.model)}"


def sections(verdict: Verdict) -> Iterator[Section]:
    """All that there is to say of a law that does not hold."""
    law = verdict.law
    quantified = quantifiers(law)
    said_of = [
        law.statement,
        equation(law),
        *([f"for all {quantified}"] if quantified else []),
        f"source: {law.source}",
    ]
    yield Section("the law", "words", tuple(said_of))
    if verdict.reason:
        yield Section("why", "words", (verdict.reason, *_refusals(verdict)))
    if verdict.counterexample is not None:
        yield from _example(verdict, verdict.counterexample)


def _example(verdict: Verdict, found: Counterexample) -> Iterator[Section]:
    law, scene = verdict.law, settled(found.scene)
    size = f"the smallest example found ({found.size} combinators)"
    yield Section(size, "words", tuple(_chosen(found)))
    yield Section("left, step by step", "steps", _lines(steps(scene, law.lhs)))
    if law.relation != "raises":
        yield Section("right, step by step", "steps", _lines(steps(scene, law.rhs)))
    yield Section("where they differ", "difference", (differs(found, verdict),))
    yield Section("to see it again", "python", tuple(snippet(found).splitlines()))


def _refusals(verdict: Verdict) -> Iterator[str]:
    """What the model said of examples that it did not take."""
    for text, count in verdict.rejections.items():
        yield _cut(f"{count} examples were refused: {text}")


def differs(found: Counterexample, verdict: Verdict) -> str:
    """The first difference, or the error that was raised, on one line."""
    if found.error is not None:
        return f"it raises {said(found.error)}"
    assert found.difference is not None
    if verdict.law.relation == "raises":
        return f"it gives {shown(found.difference.left)}, where an error is due"
    sign = ">" if verdict.law.relation == "≤" else "≠"
    _, level = equal(found.difference.left, found.difference.right)
    return f"{difference_at(found.difference, sign)} (compared: {level})"


def chosen(found: Counterexample) -> dict[str, dict[str, str]]:
    """The objects, arrows and point of an example, as they are written."""
    instance, scene = found.scene.instance, found.scene
    return {
        "objects": {v.name: repr(obj) for v, obj in instance.objects.items()},
        "arrows": {g.name: _cut(write(arrow, TEXT)) for g, arrow in instance.arrows.items()},
        "point": {"": _cut(write(scene.point, TEXT))},
    }


def _chosen(found: Counterexample) -> Iterator[str]:
    texts = chosen(found)
    if texts["objects"]:
        yield ", ".join(f"{name} = {text}" for name, text in texts["objects"].items())
    for generator, arrow in found.scene.instance.arrows.items():
        start = "" if generator.sort == "point" else f"{arrow.dom!r} → "
        type_ = f"{start}{arrow.cod!r}"
        yield f"{generator.name} = {texts['arrows'][generator.name]} : {_cut(type_)}"
    if found.scene.point.cod is not Unit:
        yield f"at {texts['point']['']}"
    for place, argument in answers(found.scene.probes, "argument").items():
        yield f"{place} is applied to {_cut(write(argument, TEXT))}"
    for place, covector in answers(found.scene.probes, "cotangent").items():
        yield f"{place} of {_cut(_covector(covector))}"


def _covector(covector: Any) -> str:
    match covector:
        case tuple() | list():
            left, right = "()" if isinstance(covector, tuple) else "[]"
            return f"{left}{', '.join(map(_covector, covector))}{right}"
        case Morphism():
            return write(covector, TEXT)
        case _:
            return "nothing" if covector is None else repr(covector)


def _lines(found: list[Step]) -> tuple[str, ...]:
    """The steps in two columns."""
    width = min(max((len(step.text) for step in found), default=0), 60)
    return tuple(f"{step.text:<{width}}  ↦  {step.gives}" for step in found)


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"
