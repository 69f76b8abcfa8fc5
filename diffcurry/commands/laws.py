"""``diffcurry laws``, ``pytest --laws-model``: check a model, list the laws, write its tests.

Models are found by ``pkg.mod:Thing``: a class or a function that takes nothing, or what it gives.
What of this the pytest plugin needs is imported when it is used, and no earlier: a session of
somebody's that has the plugin installed and does not use it imports nothing of ours.
"""

from __future__ import annotations

import inspect
import json
import re
from argparse import ArgumentParser, Namespace
from importlib import import_module
from pathlib import Path
from typing import Any

from diffcurry.commands.targets import Misused, about, found_at, keep_rooms, said


def _kit(file: str) -> Any:
    """A file of the law kit, imported when a law is asked for: no other command needs it."""
    return import_module(f"laws.{file}")


def load_model(target: str) -> Any:
    """The model that ``target`` names; ``Misused`` says why it names none."""
    keep_rooms()
    import_module("diffcurry.models")  # our own things become models
    thing = found_at(target, "model")
    with about(target):
        model = _kit("claims").model_of(thing)
    module, _, name = target.rpartition(":")
    if not module.endswith(".py"):
        is_maker = inspect.isclass(thing) or inspect.isroutine(thing)
        _kit("snippet").remember(model, module, f"{name}()" if is_maker else name)
    return model


_TEST = '''"""The laws of {name}, a test each."""

from diffcurry import laws
from {module} import {head}

{constant} = (
{names})
"""What {what}."""


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
    needs_hypothesis()
    model = load_model(options.target)
    asked = [law.name for law in _asked(model, options.only)]
    report = _kit("checking").check(
        model, only=asked, max_examples=options.examples, seed=options.seed or 0
    )
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
        import_module("laws").check_law  # noqa: B018 (what draws examples is loaded with it)
    except ImportError as error:
        raise Misused(str(error)) from None


def _asked(model: Any, only: str | None) -> tuple[Any, ...]:
    """The laws that a model owes, or ``only`` those of some names; without a model, of all."""
    claims, given = _kit("claims"), names(only)
    with about("" if only is None else "--only"):
        if model is not None:
            return tuple(claims.selected(model, given))
        return tuple(claims.named_by(given) if given else _kit("structures").LAWS)


def names(text: str | None) -> list[str] | None:
    """The names in a list with commas; None where none is given."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _listed(options: Namespace) -> str:
    law = _kit("law")
    model = None if options.target is None else load_model(options.target)
    asked = _asked(model, options.only)
    if options.json:
        return json.dumps([law.law_record(one) for one in asked], indent=2, ensure_ascii=False)
    listed: str = law.markdown(asked) if options.markdown else law.listing(asked)
    return listed


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
    asked = _asked(load_model(options.target), options.only)
    thing = found_at(options.target, "model")
    model = name if isinstance(thing, type) or not callable(thing) else f"{name}()"
    only = names(options.only)
    structures = [above.name for above in _kit("law").by_structure(asked)]
    numbers = {"max_examples": options.examples, "seed": options.seed}
    given = [f"{keyword}={number}" for keyword, number in numbers.items() if number is not None]
    return _TEST.format(
        name=model,
        module=module,
        head=name.partition(".")[0],
        constant="STRUCTURES" if only is None else "ONLY",
        names="".join(
            f"    {json.dumps(one)},\n" for one in (structures if only is None else only)
        ),
        what=f"{model} claims" if only is None else f"{model} is asked",
        asked=", ".join([model, "STRUCTURES" if only is None else "only=ONLY", *given]),
        title="".join(part[:1].upper() + part[1:] for part in re.split(r"[._]", name)),
    )


def collected(session: Any) -> list[Any]:
    """The items of the models that the options name; ``Misused`` says what is wrong with them."""
    keep_rooms()
    needs_hypothesis()
    get = session.config.getoption
    if get("laws_examples") is not None and get("laws_examples") < 1:
        raise Misused("--laws-examples is a number from 1")
    failing = _failing(get("laws_xfail"))
    found: list[Any] = []
    known: set[str] = set()
    for target in get("laws_model"):
        model = load_model(target)
        short = (target, target.rpartition(":")[2])  # it is named with its module or without
        split = ((*entry.rpartition("::"), place) for entry, place in failing.items())
        lines = {law: place for name, _, law, place in split if name in short}
        owed = _kit("structures").laws_of(model)
        known.update(lines[law.name] for law in owed if law.name in lines)
        asked = {"examples": get("laws_examples"), "seed": get("laws_seed"), "must_fail": lines}
        only = names(get("laws_only"))
        with about("" if only is None else "--laws-only"):
            found += _kit("items").items(session, model, target, only=only, **asked)
    for entry, place in failing.items():
        if place not in known:
            raise Misused(f"{place}: {entry} is no law of a model that is asked; remove it")
    return found


def _failing(file: str | None) -> dict[str, str]:
    """The entries of an xfail file, ``Model::E1``, and where each stands."""
    if file is None:
        return {}
    if not Path(file).is_file():
        raise Misused(f"--laws-xfail: there is no file {file}")
    lines = enumerate(Path(file).read_text(encoding="utf-8").splitlines(), 1)
    found = {line.partition("#")[0].strip(): f"{file}:{number}" for number, line in lines}
    found.pop("", None)
    for entry, place in found.items():
        if "::" not in entry:
            raise Misused(f"{place}: an entry is Model::Law, as Mine::E1, not {entry!r}")
    return found
