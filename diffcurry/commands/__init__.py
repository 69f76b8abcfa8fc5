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
from collections.abc import Callable, Sequence
from typing import Any

import diffcurry
from diffcurry.commands import laws
from diffcurry.commands.inspection import EMITTERS, inspect
from diffcurry.commands.subject import subject
from diffcurry.commands.targets import Misused, said

_EXAMPLES = """
examples:
  diffcurry inspect model.py:loss --types "Real, Tensor[3]"
  diffcurry inspect model.py:loss --at "1.0, [1.0, 2.0, 3.0]" --json
  diffcurry inspect --expr "sin(x*y) + x**2" --emit latex
  diffcurry explain package.module:loss --types "{w: Tensor[3], b: Real} × Real"
  diffcurry laws package.module:Interpreter --only closed,reverse --examples 200
  diffcurry laws --list
"""

_TEXTS = ("--expr", "--at")
"""The options that take a text which may begin with a minus."""


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
    run: Callable[[Namespace], tuple[Any, int]] = options.run
    try:
        return run(options)
    except SystemExit as end:
        raise Misused(f"{options.target} calls sys.exit({end.code!r}) when it is run") from end


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
    _add_subject(shows)
    shows.add_argument(
        "--grad",
        action=BooleanOptionalAction,
        default=None,
        help="the gradient too, or not; with --emit, the gradient instead of the program",
    )
    shows.add_argument("--emit", choices=sorted(EMITTERS), help="only this, and nothing else")
    shows.add_argument("--json", action="store_true", help="for machines")
    shows.set_defaults(run=_inspect)
    walks = commands.add_parser("explain", help="a program, from its term to its gradient's cost")
    _add_subject(walks)
    walks.set_defaults(run=_explain)
    asks = commands.add_parser("laws", help="the laws that an interpreter of yours has to obey")
    laws.add_arguments(asks)
    asks.set_defaults(run=laws.run)
    return parser


def _joined(arguments: Sequence[str]) -> list[str]:
    """``--expr -x`` as ``--expr=-x``: argparse takes what begins with a minus for an option."""
    joined: list[str] = []
    for argument in arguments:
        is_text = argument.startswith("-") and not argument.startswith("--")
        if is_text and joined and joined[-1] in _TEXTS:
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _add_subject(parser: ArgumentParser) -> None:
    parser.add_argument(
        "target", nargs="?", help="path.py:function or package.module:function; it is imported"
    )
    parser.add_argument("--expr", help="an expression, which is parsed and never run as Python")
    parser.add_argument("--types", help='the arguments\' types, as "Real, Tensor[3; float32]"')
    parser.add_argument("--at", help="the arguments, as \"1.0, [1.0, 2.0], {'w': 3.0}\"")
    parser.add_argument("--debug", action="store_true", help="errors with their tracebacks")


def _inspect(options: Namespace) -> tuple[Any, int]:
    return inspect(subject(options), options), 0


def _explain(options: Namespace) -> tuple[Any, int]:
    found = subject(options)
    return found.function.explain(*found.given), 0


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
