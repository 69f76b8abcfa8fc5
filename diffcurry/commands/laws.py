"""``diffcurry laws``: check a model, list the laws, or write a test file for a model."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from combinators.errors import TypeMismatch
from diffcurry.commands.models import load_model
from diffcurry.commands.problems import Misused, said
from diffcurry.commands.targets import found_at, keep_rooms

_TEST = '''"""The laws of {name}, a test each."""

from diffcurry import laws
from {module} import {head}

{constant} = {names}
"""What {about}."""


class Test{title}(laws.suite({asked})):
    """A test a law."""
'''

TAKES = {
    "--list": ("only", "json", "markdown"),
    "--write": ("only", "examples", "seed"),
    "": ("only", "examples", "seed", "json"),
}
"""Which options each of the three ways takes: to list, to write, and to check."""


def add_arguments(parser: ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("target", nargs="?", help="package.module:Thing, or path.py:Thing")
    parser.add_argument("--only", help="structures or laws, as closed,reverse,E1")
    parser.add_argument("--examples", type=int, help="how many examples a law (50)")
    parser.add_argument("--seed", type=int, help="where the examples start (0)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="for machines")
    form.add_argument("--markdown", action="store_true", help="with --list: as tables")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--list", action="store_true", help="the laws, and check none")
    way.add_argument("--write", metavar="FILE", help="write a test file for the model")
    parser.add_argument("--debug", action="store_true", help="errors with their tracebacks")


def run(options: Namespace) -> tuple[Any, int]:
    """What to print, and the exit code: 1 where a law fails, and nowhere else.

    Whatever keeps a law from being asked is ``Misused``, in the user's own model too.
    """
    try:
        return _run(options)
    except Misused:
        raise
    except Exception as error:
        raise Misused(said(error)) from error


def _run(options: Namespace) -> tuple[Any, int]:
    keep_rooms()
    _insist(options)
    if options.list:
        return _listed(options), 0
    if options.target is None:
        raise Misused("name a model, as package.module:Thing, or list the laws by --list")
    if options.write is not None:
        return _write(options), 0
    report = _checked(options)
    return (report.to_json() if options.json else report), int(not report)


def _insist(options: Namespace) -> None:
    """No option is passed over, and numbers are numbers of something."""
    way = "--list" if options.list else "--write" if options.write is not None else ""
    for name in ("only", "examples", "seed", "json", "markdown"):
        if getattr(options, name) not in (None, False) and name not in TAKES[way]:
            raise Misused(f"--{name} says nothing {f'with {way}' if way else 'without --list'}")
    for name, least in (("examples", 1), ("seed", 0)):
        number = getattr(options, name)
        if number is not None and number < least:
            raise Misused(f"--{name} is a number from {least}")


def needs_hypothesis() -> None:
    """``Misused`` says what to install, where there is nothing that draws examples."""
    try:
        from laws import check_law  # noqa: F401 (what draws examples is loaded with it)
    except ImportError as error:
        raise Misused(str(error)) from None


def _checked(options: Namespace) -> Any:
    needs_hypothesis()
    from laws import Report, check_law
    from laws.document import watched
    from laws.model import name_of

    model = load_model(options.target)
    asked = _selected(model, options.only)
    verdicts = [
        check_law(law, model, examples=options.examples, start=options.seed or 0)
        for law in watched(asked, name_of(model))
    ]
    return Report(name_of(model), tuple(verdicts))


def _selected(model: Any, only: str | None) -> tuple[Any, ...]:
    from laws import selected

    try:
        return selected(model, names(only))
    except TypeMismatch as error:
        raise Misused(error.args[0] if only is None else f"--only: {error.args[0]}") from None


def names(text: str | None) -> list[str] | None:
    """The names in a list with commas; None where none is given."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _listed(options: Namespace) -> str:
    from laws import LAWS
    from laws.claims import named_by
    from laws.law import law_record
    from laws.listing import listing, markdown

    model = None if options.target is None else load_model(options.target)
    asked = _selected(model, options.only) if model is not None else LAWS
    if model is None and options.only:
        try:
            asked = named_by(names(options.only) or ())
        except TypeMismatch as error:
            raise Misused(f"--only: {error.args[0]}") from None
    if options.json:
        return json.dumps([law_record(law) for law in asked], indent=2, ensure_ascii=False)
    return markdown(asked) if options.markdown else listing(asked)


def _write(options: Namespace) -> str:
    """Write a test file, and say so."""
    target, path = options.target, Path(options.write)
    module, _, name = target.rpartition(":")
    if module.endswith(".py") or "/" in module:
        raise Misused("--write takes package.module:Thing, which the test file can import")
    if path.exists():
        raise Misused(f"{path} is there already; nothing is overwritten")
    if not path.parent.is_dir():
        raise Misused(f"there is no folder {path.parent}")
    path.write_text(_test(options, module, name), encoding="utf-8")
    return f"wrote {path}: pytest {path}"


def _test(options: Namespace, module: str, name: str) -> str:
    """The test file: of all structures that the model claims, or of what is asked ``only``."""
    from laws.listing import by_structure

    asked = _selected(load_model(options.target), options.only)
    thing = found_at(options.target, "model")
    model = name if isinstance(thing, type) or not callable(thing) else f"{name}()"
    only = names(options.only)
    numbers = (("max_examples", options.examples), ("seed", options.seed))
    arguments = [
        model,
        "STRUCTURES" if only is None else "only=ONLY",
        *(f"{keyword}={number}" for keyword, number in numbers if number is not None),
    ]
    return _TEST.format(
        name=model,
        module=module,
        head=name.partition(".")[0],
        constant="STRUCTURES" if only is None else "ONLY",
        names=_tuple([above.name for above in by_structure(asked)] if only is None else only),
        about=f"{model} claims" if only is None else f"{model} is asked",
        asked=", ".join(arguments),
        title="".join(part[:1].upper() + part[1:] for part in re.split(r"[._]", name)),
    )


def _tuple(texts: list[str]) -> str:
    listed = ", ".join(json.dumps(text) for text in texts)
    line = f"({listed},)" if len(texts) == 1 else f"({listed})"
    if len(line) < 80:
        return line
    return "\n".join(["(", *(f"    {json.dumps(text)}," for text in texts), ")"])
