"""A side of a law, run step by step: what each prefix of its composites gives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from combinators.morphisms import Compose, Morphism, Prod
from laws.asking.scene import Scene
from laws.comparing.equality import Difference, observed, point_of, value_in
from laws.language.operators import Inner, Plus, Scaled
from laws.law import Computed, Side
from laws.model import Leaf
from laws.rendering.sides import is_capture, write
from laws.rendering.symbols import TEXT
from laws.rendering.values import shown

MOST = 12
"""How many leaves of an outcome are shown."""


@dataclass(frozen=True)
class Step:
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


def steps(scene: Scene, side: Side) -> list[Step]:
    """Every step of a side; it ends after the first that raises."""
    found: list[Step] = []
    seen: set[int] = set()
    for prefix in [side] if isinstance(side, Computed) else prefixes(side):
        if id(prefix) not in seen:
            seen.add(id(prefix))
            found.append(_step(scene, prefix))
            if found[-1].error:
                break
    return found


def prefixes(side: Morphism) -> Iterator[Morphism]:
    """What is run on the way to ``side``, from the same point."""
    match side:
        case Compose(arrows):
            if not is_capture(arrows[0], arrows[1:2]):
                yield from prefixes(arrows[0])
            for n in range(2, len(arrows) + 1):
                if not is_capture(arrows[n - 1], arrows[n : n + 1]):
                    yield Compose(arrows[:n]) if n < len(arrows) else side
        case Prod(_, arrows):
            yield from _parts(side, arrows)
        case Plus(left, right) | Inner(left, right):
            yield from _parts(side, (left, right))
        case Scaled(number, arrow):
            yield from _parts(side, (number, arrow))
        case _:
            yield side


def _parts(side: Morphism, parts: tuple[Morphism, ...]) -> Iterator[Morphism]:
    for part in parts:
        if isinstance(part, (Compose, Prod, Plus, Inner, Scaled)):
            yield from prefixes(part)
    yield side


def _step(scene: Scene, prefix: Side) -> Step:
    text = prefix.text if isinstance(prefix, Computed) else write(prefix, TEXT)
    try:
        found = _observed(scene, prefix)
    except Exception as error:  # noqa: BLE001 (whatever a model raises is shown)
        return Step(text, (), said(error))
    return Step(text, tuple((place, shown(leaf)) for place, leaf in found))


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
        path = [-1, *map(int, re.findall(r"\d+", place))]
        below = tree
        for index in path[:-1]:
            below = below.setdefault(index, {})
        below[path[-1]] = text
    return _nested(tree.get(-1, {}))


def _nested(tree: Any) -> str:
    if isinstance(tree, str):
        return tree
    parts = [_nested(tree.get(index, {})) for index in range(max(tree, default=-1) + 1)]
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def said(error: BaseException) -> str:
    """An error on one line."""
    text = " ".join(str(error.args[0] if error.args else error).split())
    return f"{type(error).__name__}: {text}"[:300]


def difference_at(found: Difference, sign: str = "≠") -> str:
    """The first place where the sides differ."""
    where = "" if found.place == "value" else f"at {found.place}: "
    return f"{where}{shown(found.left)} {sign} {shown(found.right)}"
