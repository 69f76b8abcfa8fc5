"""Checking a law: random scenes, and the smallest one in which the sides differ.

Hypothesis draws; what breaks is made smaller where its types are known (``laws.shrinking``).
"""

from __future__ import annotations

import time
import unittest
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, assume, currently_in_test_context, given, settings
from hypothesis.errors import HypothesisException, HypothesisWarning, Unsatisfiable

from combinators.errors import TypeMismatch
from laws.claims import Names, model_of, selected
from laws.document import watched
from laws.equality import Level
from laws.law import Law
from laws.model import name_of, signature_of
from laws.scene import Counterexample, Scene, found_at
from laws.shrinking import smaller
from laws.strategies.choices import AFRESH
from laws.strategies.instances import scenes
from laws.tally import OUTSIDE, LawTally
from laws.verdict import Report, Verdict

EXAMPLES = 50
"""How many examples a law is asked at, where no profile of hypothesis is loaded."""
SMALL, BEGINNINGS = 2, 6
"""A counterexample of so many combinators is small; until one is, so many are looked for."""
MUCH = 2
"""Where one breaks, examples so many times larger are not looked at: they may take for ever."""
FICKLE = "the model is not deterministic: one example held, and failed"

Progress = Callable[[int, int, Law], None]
"""Told before each law: how many were asked, of how many, and which is next."""


class _Enough(unittest.SkipTest):
    """More examples would tell no more: hypothesis lets a skip through at once."""


def check(
    thing: Any,
    structures: Names | None = None,
    *,
    only: Names | None = None,
    max_examples: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Ask a model for all laws of the ``structures`` that it claims; by default all.

    ``only`` are names of laws or structures among those. The same ``seed`` gives the same examples
    of a law, whichever other laws are asked. ``max_examples`` is by default that of hypothesis's
    profile, or 50. Raises TypeMismatch where ``thing`` is no model or a name is not known.
    """
    model = model_of(thing)
    asked = selected(model, only, structures)
    verdicts = []
    for index, law in enumerate(watched(asked, name_of(model))):
        if progress is not None:
            progress(index, len(asked), law)
        verdicts.append(check_law(law, model, examples=max_examples, start=seed))
    return Report(name_of(model), tuple(verdicts))


def examples_by_profile() -> int:
    """How many examples hypothesis's profile asks for; EXAMPLES where none was loaded."""
    is_default = settings.get_current_profile_name() == "default"
    return EXAMPLES if is_default else int(settings().max_examples)


def check_law(law: Law, thing: Any, *, examples: int | None = None, start: int = 0) -> Verdict:
    """Ask whether ``law`` holds in a model at so many random scenes, from the seed ``start``."""
    model, began = model_of(thing), time.perf_counter()
    wanted = examples_by_profile() if examples is None else examples
    tally = LawTally(law, _whole(wanted, "max_examples", 1))
    seed = zlib.crc32(law.name.encode()) ^ _whole(start, "seed", 0)
    if currently_in_test_context():  # another thread knows nothing of the test around this one
        with ThreadPoolExecutor(max_workers=1) as pool:
            pool.submit(_search, model, tally, seed).result()
    else:
        _search(model, tally, seed)
    outcome, reason = tally.finding(None if hasattr(model, "cast") else signature_of(model))
    return Verdict(
        law=law,
        model=name_of(model),
        outcome=outcome,
        examples=tally.examples,
        seconds=time.perf_counter() - began,
        level=max(tally.levels, default=Level.NORMAL),
        levels=dict(tally.levels),
        extensional=tally.held["function"] > 0,
        shares=tally.shares(),
        counterexample=min(tally.broken, key=lambda found: found.size, default=None),
        reason=reason,
        rejected=tally.rejections.total(),
        rejections=dict(tally.rejections),
    )


def _whole(number: Any, name: str, least: int) -> int:
    if not isinstance(number, int) or number < least:
        raise TypeMismatch(f"{name} is a whole number from {least} on, not {number!r}")
    return number


def _search(model: Any, tally: LawTally, start: int) -> None:
    """Fill the tally, until enough is known."""

    @hypothesis.seed(start)
    @settings(
        max_examples=tally.wanted,
        backend=AFRESH,
        deadline=None,
        database=None,
        derandomize=False,
        verbosity=hypothesis.Verbosity.quiet,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(scenes(tally.law, model))
    def ask(scene: Scene) -> None:
        if tally.broken and scene.size > MUCH * tally.met:
            return
        try:
            found, level = found_at(scene, (*OUTSIDE, HypothesisException))
        except OUTSIDE as error:
            tally.refuse(error)
            if tally.is_hopeless:
                raise _Enough("hopeless") from error
            assume(False)
            raise
        if found is not None:
            _fail(found, tally)
        elif not tally.broken:
            tally.note(scene, level)

    with warnings.catch_warnings(), suppress(_Enough, Unsatisfiable):
        warnings.simplefilter("ignore", HypothesisWarning)
        ask()


def _fail(found: Counterexample, tally: LawTally) -> None:
    """Keep the smallest that fails in the same way: where sides differed, they differ."""
    kind = type(found.error)
    tally.met = min(tally.met, found.size)

    def breaks(scene: Scene) -> bool:
        again, _ = found_at(scene)
        return again is not None and type(again.error) is kind

    scene = found.scene.settled()
    if breaks(scene):
        tally.broken.append(found_at(smaller(scene, breaks))[0] or found)
    elif not tally.broken:
        tally.broken, tally.fickle = [found], FICKLE
    if tally.fickle or tally.broken[-1].size <= SMALL or len(tally.broken) == BEGINNINGS:
        raise _Enough("broken")
