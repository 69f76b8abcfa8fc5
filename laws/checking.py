"""Checking a law: random scenes, and the smallest one in which the sides differ."""

from __future__ import annotations

import time
import unittest
import warnings
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, assume, currently_in_test_context, given, settings
from hypothesis.errors import Flaky, HypothesisException, HypothesisWarning, Unsatisfiable

from combinators.errors import TypeMismatch
from laws.claims import Names, model_of, selected
from laws.document import watched
from laws.law import Law
from laws.model import name_of, signature_of
from laws.scene import Counterexample, Scene, found_at
from laws.shrinking import smaller
from laws.strategies.choices import AFRESH
from laws.strategies.instances import scenes
from laws.tally import OUTSIDE, LawTally
from laws.verdict import Outcome, Report, Verdict

EXAMPLES = 50
"""How many examples a law is asked at, where no profile of hypothesis is loaded."""
SMALL, BEGINNINGS = 8, 4
"""A counterexample of so many combinators is small; of a larger one, so many others are shrunk."""

Progress = Callable[[int, int, Law], None]
"""Told before each law: how many were asked, of how many, and which is next."""


class _Broken(AssertionError):
    """A law does not hold at this scene."""


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
    tally = LawTally(
        _whole(examples_by_profile() if examples is None else examples, "max_examples", 1)
    )
    seed = zlib.crc32(law.name.encode()) ^ _whole(start, "seed", 0)
    fickle = _apart(lambda: _search(law, model, tally, seed))
    broken = tally.broken if fickle or tally.broken is None else _smallest(tally.broken, tally.met)
    outcome: Outcome
    if fickle or tally.broken is not None:
        outcome, reason = "failed", fickle
    else:
        own_cast = hasattr(model, "cast")
        outcome, reason = tally.finding(law, None if own_cast else signature_of(model))
    return Verdict(
        law=law,
        model=name_of(model),
        outcome=outcome,
        examples=tally.examples,
        seconds=time.perf_counter() - began,
        level=tally.level,
        levels=dict(tally.levels),
        extensional=tally.held["function"] > 0,
        shares=tally.shares(),
        counterexample=broken,
        reason=reason,
        rejected=tally.rejected,
        rejections=dict(tally.rejections),
    )


def _whole(number: Any, name: str, least: int) -> int:
    if not isinstance(number, int) or number < least:
        raise TypeMismatch(f"{name} is a whole number from {least} on, not {number!r}")
    return number


def _search(law: Law, model: Any, tally: LawTally, start: int) -> str:
    """Leave the smallest broken scene in the tally; say so where the model is fickle."""

    @hypothesis.seed(start)
    @settings(
        max_examples=tally.wanted,
        backend=AFRESH,
        deadline=None,
        database=None,
        derandomize=False,
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=hypothesis.Verbosity.quiet,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(scenes(law, model))
    def ask(scene: Scene) -> None:
        look(scene, tally)

    with _quietly():
        try:
            ask()
        except (_Broken, _Enough, Unsatisfiable):
            return ""
        except Flaky as flaky:
            return f"the model is not deterministic: one example held, and failed ({_line(flaky)})"
    return ""


def _smallest(broken: Counterexample, met: dict[int, Counterexample]) -> Counterexample:
    """The smallest that is found from ``broken``, or, while that is no small one, from another."""
    found, kind = _least(broken), type(broken.error)
    others = [met[size] for size in sorted(met) if type(met[size].error) is kind]
    for other in others[:BEGINNINGS]:
        if found.size <= SMALL:
            break
        found = min(found, _least(other), key=lambda one: one.size)
    return found


def _least(broken: Counterexample) -> Counterexample:
    """The same failure, at arrows that are smaller still: where sides differed, they differ."""
    kind = type(broken.error)

    def breaks(scene: Scene) -> bool:
        again, _ = found_at(scene)
        return again is not None and type(again.error) is kind

    return found_at(smaller(broken.scene, breaks))[0] or broken


def _apart(search: Callable[[], str]) -> str:
    """Search; within a test of hypothesis's on a thread of its own, which knows nothing of it."""
    if not currently_in_test_context():
        return search()
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(search).result()


@contextmanager
def _quietly() -> Iterator[None]:
    """What hypothesis has to say is nothing to the user."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HypothesisWarning)
        yield


def _line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


def look(scene: Scene, tally: LawTally) -> None:
    """Raise where the law fails in ``scene``."""
    try:
        difference, level = scene.verdict()
    except OUTSIDE as error:
        tally.refuse(error)
        if tally.is_hopeless:
            raise _Enough("hopeless") from error
        assume(False)
        raise
    except HypothesisException:
        raise
    except Exception as error:
        tally.fail(Counterexample(scene, None, error))
        _stop(tally)
        raise _Broken(repr(error)) from error
    if difference is not None:
        tally.fail(Counterexample(scene, difference))
        _stop(tally)
        raise _Broken(str(difference))
    if tally.broken is None:
        tally.note(scene, level)


def _stop(tally: LawTally) -> None:
    if tally.is_small_enough:
        raise _Enough("small")
