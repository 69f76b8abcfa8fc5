"""What a timed program is: written once for any NumPy-like module, with a derivative by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

Derivative = Literal["gradient", "jacobian", "hessian", "hvp"]

AXES = "it has no arrays of three axes, and does not broadcast"
MINUTES = "it compiles for more than a minute"
SCALARS = "its programs are of scalars: more than 10,000 make it slow"


class Workload(NamedTuple):
    """A program, and its derivative written by hand."""

    name: str
    program: Callable[..., Any]
    """Of a NumPy-like module and the arguments."""
    args: tuple[Any, ...]
    by_hand: Callable[..., Any]
    argnums: int | tuple[int, ...] = 0
    derivative: Derivative = "gradient"
    """Of a scalar; or the Jacobian of a vector; ``hvp`` takes a vector beside the argument."""
    own: Callable[[str], Callable[..., Any] | None] = lambda system: None
    """How a system's users would write it, where that is not ``program``."""
    refused: dict[str, str] = {}  # noqa: RUF012 (nobody writes into it)
    """Why a system is left out."""

    def written_for(self, system: str, module: Any) -> Callable[..., Any]:
        """The program in the words of a system."""
        return self.own(system) or partial(self.program, module)

    @property
    def which(self) -> tuple[int, ...]:
        """The arguments that it is differentiated in."""
        return (self.argnums,) if isinstance(self.argnums, int) else self.argnums

    @property
    def size(self) -> int:
        """How many numbers the first argument holds, if it is an array."""
        return int(np.size(self.args[0]))
