"""The modes by name, over NumPy: one instance each, so that a program is interpreted once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal, get_args

from combinators.errors import WrongMode
from interpreters.carriers.carrier import Carrier
from interpreters.carriers.numpy import NumPy
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Pullback, Reverse
from interpreters.staging.terms import TERMS

Mode = Literal["dependent", "simple", "delta", "forward"]

Pulling = Reverse | Deltas
"""A mode whose ``rep`` gives a value and the pullback there."""

CARRIER = NumPy()


@cache
def primal() -> Primal:
    """Values."""
    return Primal(CARRIER)


@cache
def pushforward() -> Pushforward:
    """Forward mode."""
    return Pushforward(CARRIER)


@cache
def reverse(mode: str) -> Pulling:
    """One of the two forms of reverse mode, or dual arrays."""
    return _REVERSE[mode](CARRIER)


_REVERSE: dict[str, Callable[[Carrier], Pulling]] = {
    "dependent": Dependent,
    "simple": Pullback,
    "delta": Deltas,
}


def written(mode: str) -> Pulling:
    """A reverse mode over the Terms carrier, for one program: what it runs is written down."""
    if mode == "forward":
        raise WrongMode(
            'a gradient in mode="forward" computes numbers and is not written as a program; '
            "leave mode= out, or write jvp"
        )
    return _REVERSE[mode](TERMS)


@cache
def second_order() -> Dependent:
    """Reverse mode over forward mode: second derivatives."""
    return Dependent(pushforward())


def check_mode(mode: str, *, reverse_only: str = "") -> None:
    """Raise where ``mode`` is no mode, or is forward where only a pullback will do."""
    if mode not in get_args(Mode):
        raise WrongMode(f"mode is one of {', '.join(map(repr, get_args(Mode)))}, not {mode!r}")
    if mode == "forward" and reverse_only:
        raise WrongMode(
            f"{reverse_only} needs a pullback, and forward mode has none; "
            "use jvp(f, primals, tangents) instead"
        )
