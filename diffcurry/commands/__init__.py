"""The command line: ``diffcurry inspect``, ``diffcurry explain`` and ``diffcurry laws``.

It ends with 0 where all went well, with 1 where the user's program went wrong or a law fails, and
with 2 where the command was written wrongly. What is wrong is said in a line; ``--debug`` shows
where.
"""

from __future__ import annotations

import contextlib
import os
import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from typing import Any

import diffcurry
from diffcurry.commands import laws
from diffcurry.commands.inspection import EMITTERS, inspect
from diffcurry.commands.targets import Misused, said, subject

_EXAMPLES = """
examples:
  diffcurry inspect model.py:loss --types "Real, Tensor[3]"
  diffcurry inspect model.py:loss --at "1.0, [1.0, 2.0, 3.0]" --json
  diffcurry inspect --expr "sin(x*y) + x**2" --emit latex
  diffcurry explain package.module:loss --types "{w: Tensor[3], b: Real} × Real"
  diffcurry laws package.module:Interpreter --only closed,reverse --examples 200
  diffcurry laws --list
"""


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
    for command in (shows, walks):
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
    asks = commands.add_parser("laws", help="the laws that an interpreter of yours has to obey")
    laws.add_arguments(asks)
    asks.set_defaults(run=laws.run)
    return parser


def _explain(options: Namespace) -> tuple[Any, int]:
    found = subject(options)
    return found.function.explain(*found.given), 0


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
        console = _console() if sys.stdout.isatty() and not isinstance(shown, str) else None
        if console is not None:
            console.print(shown)
        else:
            sys.stdout.write(f"{shown}\n")
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _console() -> Any:
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console()
