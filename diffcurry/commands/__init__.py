"""The command line: ``diffcurry inspect``, ``explain``, ``museum`` and ``laws``.

It ends with 0 where all went well, with 1 where the user's program went wrong or a law fails, and
with 2 where the command was written wrongly. What is wrong is said in a line; ``--debug`` shows
where.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import diffcurry
from combinators.errors import NotDifferentiable
from combinators.type_folds import is_smooth
from diffcurry.commands import laws
from diffcurry.commands.targets import Misused, Subject, said, subject
from diffcurry.compare import compare
from diffcurry.derived import derived
from diffcurry.display import Report
from diffcurry.explain import LANGUAGES, code
from diffcurry.formula import formula_latex
from diffcurry.function import Function
from diffcurry.museum import museum
from diffcurry.picture import Picture
from diffcurry.program import Program
from diffcurry.transforms import grad
from interpreters.cost import Cost
from interpreters.cost.counted import number

_EXAMPLES = """
examples:
  diffcurry inspect model.py:loss --types "Real, Tensor[3]"
  diffcurry inspect model.py:loss --at "1.0, [1.0, 2.0, 3.0]" --json
  diffcurry inspect --expr "sin(x*y) + x**2" --emit latex
  diffcurry explain package.module:loss --types "{w: Tensor[3], b: Real} × Real"
  diffcurry compare --expr "(x - y) * (x - y)" --at "5.0, 2.0"
  diffcurry laws package.module:Interpreter --only closed,reverse --examples 200
  diffcurry laws --list
  diffcurry museum
"""

EMITTERS: dict[str, Callable[[Program], str]] = {
    **{language: partial(code, language=language) for language in LANGUAGES},
    "combinators": lambda program: str(program.combinators),
    "dot": lambda program: Picture(program.lam).dot,
    "latex": lambda program: formula_latex(program.lam, program.face),
    "svg": lambda program: Picture(program.lam).svg,
    "term": str,
}
"""From the name of a language to what writes a program in it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code."""
    options = _parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what a user's file prints is no result
            shown, code = _run(options)
        _show(shown)
    except Exception as error:
        if options.debug:
            raise
        sys.stderr.write(f"diffcurry: {said(error)}\n")
        return 2 if isinstance(error, Misused) else 1
    return code


def _run(options: Namespace) -> tuple[Any, int]:
    try:
        shown: tuple[Any, int] = options.run(options)
    except SystemExit as end:
        raise Misused(f"{options.target} calls sys.exit({end.code!r}) when it is run") from end
    return shown


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="diffcurry",
        description="Look at programs and their gradients, and check interpreters.",
        epilog=_EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"diffcurry {diffcurry.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    shows = commands.add_parser("inspect", help="a program, its value, its gradient and its cost")
    walks = commands.add_parser("explain", help="a program, from its term to its gradient's cost")
    sides = commands.add_parser("compare", help="its gradient in the systems of 002, side by side")
    for command in (shows, walks, sides):
        add = command.add_argument
        add("target", nargs="?", help="path.py:function or package.module:function; it is imported")
        add("--expr", help="an expression, which is parsed and never run as Python")
        add("--types", help='the arguments\' types, as "Real, Tensor[3; float32]"')
        add("--at", help="the arguments, as \"1.0, [1.0, 2.0], {'w': 3.0}\"")
        add("--debug", action="store_true", help="errors with their tracebacks")
    shows.add_argument(
        "--grad",
        action=BooleanOptionalAction,
        default=None,
        help="the gradient too, or not; with --emit, the gradient instead of the program",
    )
    shows.add_argument("--emit", choices=sorted(EMITTERS), help="only this, and nothing else")
    shows.add_argument("--json", action="store_true", help="for machines")
    shows.set_defaults(run=lambda options: (inspect(subject(options), options), 0))
    walks.set_defaults(run=_explain)
    sides.set_defaults(run=lambda options: _explain(options, compare))
    visits = commands.add_parser("museum", help="how differentiation goes wrong")
    visits.set_defaults(run=lambda options: (museum(), 0))
    asks = commands.add_parser("laws", help="the laws that an interpreter of yours has to obey")
    laws.add_arguments(asks)
    asks.set_defaults(run=laws.run)
    return parser


def _explain(options: Namespace, show: Callable[..., Any] = Function.explain) -> tuple[Any, int]:
    found = subject(options)
    return show(found.function, *found.given), 0


def _joined(arguments: Sequence[str]) -> list[str]:
    """``--expr -x`` as ``--expr=-x``: argparse takes what begins with a minus for an option."""
    joined: list[str] = []
    for argument in arguments:
        is_text = argument.startswith("-") and not argument.startswith("--")
        if is_text and joined and joined[-1] in ("--expr", "--at"):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _show(shown: Any) -> None:
    """Print, in colour where a terminal reads and ``rich`` is there."""
    try:
        show = print
        if sys.stdout.isatty() and not isinstance(shown, str):
            with contextlib.suppress(ImportError):
                show = import_module("rich.console").Console().print
        show(shown)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_BITS = 63


def inspect(found: Subject, options: Namespace) -> str:
    """The text that the command prints."""
    record: Mapping[str, Any]
    if options.emit is not None:
        program = derived(found.program.lam).alone if options.grad else found.program
        text = EMITTERS[options.emit](program).rstrip()
        record = {"emit": options.emit, "text": text}
    else:
        report = found.function.cost(*found.given)
        if options.grad and report.derived is None:
            raise NotDifferentiable(report.remark)
        if options.grad is False:
            report = Report(report.name, report.program)
        record = _record(found, report)
        text = _text(record, report)
    if not options.json:
        return text
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)


def _record(found: Subject, report: Report) -> dict[str, Any]:
    """All that is to be seen of a subject, for JSON."""
    program, values = found.program, found.values
    lam = program.lam
    record: dict[str, Any] = {
        "name": lam.name or "λ",
        "type": repr(lam.type),
        "parameters": [{"name": var.name, "type": repr(var.type)} for var in lam.params],
        "term": str(program),
        "combinators": str(program.combinators),
        "cost": _cost(report.program),
    }
    if values is not None:
        record["value"] = _plain(found.function(*values))
    if report.derived is not None:
        record["gradient_term"] = str(report.derived.alone)
    if values is not None and report.derived is not None:
        smooth = tuple(i for i, obj in enumerate(program.types) if is_smooth(obj))
        gradients = map(_plain, grad(found.function, argnums=smooth)(*values))
        names = [lam.params[i].name for i in smooth]
        record["gradient"] = dict(zip(names, gradients, strict=True))
    if report.gradient is not None and report.certificate is not None:
        record["gradient_cost"], bounds = _cost(report.gradient), report.certificate.bounds
        record["certificate"] = {
            **_fields(report.certificate, "holds exact ratio"),
            "bounds": [_fields(one, "law says left right holds exact") for one in bounds],
            "remarks": list(report.certificate.remarks),
        }
    return record


def _text(record: Mapping[str, Any], report: Report) -> str:
    """The same, a paragraph each."""
    parts = [f"{record['name']} : {record['type']}", record["term"]]
    if "value" in record:
        parts.append(f"value: {_line(record['value'])}")
    elif "gradient_term" in record:
        parts.append(f"∇{record['name']} = {record['gradient_term']}")
    if "gradient" in record:
        lines = [f"  {name}: {_line(value)}" for name, value in record["gradient"].items()]
        parts.append("\n".join(["gradient:", *lines]))
    return "\n\n".join([*parts, str(report.certificate or report.program)])


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cost(found: Cost) -> dict[str, Any]:
    return {
        "operations": _plain(found.total),
        **_fields(found, "exact counts moved lines"),
        "unknown_calls": _plain(found.unknown),
    }


def _fields(thing: Any, names: str) -> dict[str, Any]:
    return {name: _plain(getattr(thing, name)) for name in names.split()}


def _plain(value: Any) -> Any:
    """A value as JSON has it: nan, inf and astronomical integers as text."""
    match value:
        case np.ndarray() | np.generic():
            return _plain(value.tolist())
        case bool() | None | str():
            return value
        case int():
            return value if value.bit_length() <= _BITS else number(value)
        case float():
            return value if math.isfinite(value) else str(value)
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case tuple() | list():
            return [_plain(item) for item in value]
        case _:
            return repr(value)
