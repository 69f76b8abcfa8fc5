"""What the naive interpreter's arrows are, and what they give at a point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from combinators.objects import Object

Pulls = Callable[[Any], Any]


class Rep(NamedTuple):
    """A value, and the two derivatives there; a derivative's own value has none."""

    value: Any
    pullback: Pulls | None = None
    pushforward: Pulls | None = None


@dataclass(frozen=True, eq=False)
class Arrow:
    """``dom → cod``: what it gives at a point."""

    dom: Object
    cod: Object
    rep: Callable[[Any], Rep]


@dataclass(frozen=True, eq=False)
class Closure:
    """A body and the values that it captured."""

    body: Arrow
    captured: tuple[Any, ...]


class Outcome(NamedTuple):
    """What an arrow gave, and where."""

    rep: Rep
    dom: Object
    point: Any


def derived(reps: list[Rep], value: Any, pullback: Pulls, pushforward: Pulls) -> Rep:
    """What is made of ``reps``; it has derivatives where all of them have."""
    return Rep(value, pullback, pushforward) if all(r.pullback for r in reps) else Rep(value)
