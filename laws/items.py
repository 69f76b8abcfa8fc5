"""Laws as items of a pytest session: ``laws::pkg.mod:Thing::E1``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from laws.checking import check_law
from laws.claims import selected
from laws.law import Law
from laws.verdict import Verdict


class Broken(Exception):
    """A law that does not hold."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(str(verdict))
        self.verdict = verdict


class LawItem(pytest.Item):
    """One law of one model; ``must_fail`` is the line of an xfail file that names it."""

    law: Law
    model: Any
    target: str
    examples: int | None
    seed: int
    must_fail: str

    def runtest(self) -> None:
        """Ask."""
        verdict = check_law(self.law, self.model, examples=self.examples, start=self.seed)
        if self.must_fail and verdict:
            pytest.fail(
                f"{self.law.name} holds in {self.target}, and {self.must_fail} says that it "
                "fails: remove that line",
                pytrace=False,
            )
        if self.must_fail:
            pytest.xfail(f"{self.must_fail} says so")
        if not verdict:
            raise Broken(verdict)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The verdict, and no traceback."""
        if isinstance(excinfo.value, Broken):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """What it is called."""
        return self.path, None, f"{self.law.name} of {self.target}"


def items(
    session: pytest.Session,
    model: Any,
    target: str,
    *,
    only: list[str] | None,
    must_fail: dict[str, str],
    **asked: Any,
) -> Iterator[LawItem]:
    """An item for each law that ``model`` owes, or for those ``only``."""
    for law in selected(model, only):
        name, place = f"{target}::{law.name}", must_fail.get(law.name, "")
        item = LawItem.from_parent(session, name=name, nodeid=f"laws::{name}")
        vars(item).update(law=law, model=model, target=target, must_fail=place, **asked)
        item.add_marker("laws")
        yield item
