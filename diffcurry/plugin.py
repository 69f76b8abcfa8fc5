"""What the pytest plugin does where ``--laws-model`` is given; ``pytest_diffcurry`` calls it.

It is imported then, and no earlier: a session of somebody's that has the plugin installed and does
not use it imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from combinators.errors import TypeMismatch
from diffcurry.commands.laws import names, needs_hypothesis
from diffcurry.commands.models import load_model
from diffcurry.commands.problems import Misused
from diffcurry.commands.targets import keep_rooms


def collected(session: Any) -> list[Any]:
    """The items of the models that the options name; ``Misused`` says what is wrong with them."""
    keep_rooms()
    needs_hypothesis()
    from laws import laws_of
    from laws.items import items

    get = session.config.getoption
    if get("laws_examples") is not None and get("laws_examples") < 1:
        raise Misused("--laws-examples is a number from 1")
    failing = _lines(get("laws_xfail"))
    found: list[Any] = []
    known: set[str] = set()
    for target in get("laws_model"):
        model = load_model(target)
        lines = _of(target, failing)
        known.update(lines[law.name] for law in laws_of(model) if law.name in lines)
        try:
            found += items(
                session,
                model,
                target,
                only=names(get("laws_only")),
                must_fail=lines,
                examples=get("laws_examples"),
                seed=get("laws_seed"),
            )
        except TypeMismatch as error:
            about = "" if get("laws_only") is None else "--laws-only: "
            raise Misused(f"{about}{error.args[0]}") from None
    for entry, place in failing.items():
        if place not in known:
            raise Misused(f"{place}: {entry} is no law of a model that is asked; remove it")
    return found


def _lines(file: str | None) -> dict[str, str]:
    """The entries of an xfail file, ``Model::E1``, and where each stands."""
    if file is None:
        return {}
    if not Path(file).is_file():
        raise Misused(f"--laws-xfail: there is no file {file}")
    text = Path(file).read_text(encoding="utf-8")
    return dict(_entries(text, file))


def _entries(text: str, file: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        if "::" not in entry:
            raise Misused(f"{file}:{number}: an entry is Model::Law, as Mine::E1, not {entry!r}")
        yield entry, f"{file}:{number}"


def _of(target: str, failing: dict[str, str]) -> dict[str, str]:
    """By law, where an entry about ``target`` stands; it is named with its module or without."""
    found = {}
    for entry, place in failing.items():
        model, _, law = entry.rpartition("::")
        if model in (target, target.rpartition(":")[2]):
            found[law] = place
    return found
