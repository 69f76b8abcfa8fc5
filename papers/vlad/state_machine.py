"""Section 2: programs as compositions of machine-state transitions; forward, reverse, the tape.

::

    xi = fi xi-1,  fi:  x[L] := u x[R]   or   x[L] := b (x[R], x[S])             Figure 1
    J fi xi-1 is the identity, but for the row L, which holds D u, or D1 b and D2 b   Figure 2
    →xi = (J fi xi-1) × →xi-1                                                    Figure 3
    ↽xi-1 = (J fi xi-1)ᵀ × ↽xi                                                   Figure 4

Indices may coincide. Section 6 compares R̃ numbers: perturbations as functions, that are called at
1 when all is done.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

State = Any  # an array


class Transition(NamedTuple):
    """``x[target] := f (x[source], …)``, with the partial derivatives of ``f``."""

    target: int
    sources: tuple[int, ...]
    f: Callable[..., float]
    partials: tuple[Callable[..., float], ...]

    def __call__(self, x: State) -> State:
        """``fi x`` (Fig. 1)."""
        y = np.array(x)
        y[self.target] = self.f(*y[[*self.sources]])
        return y

    def jacobian(self, x: State) -> Any:
        """``J fi x`` (Fig. 2); where two sources are one, their entries add up."""
        rows, read = np.eye(len(x)), [x[source] for source in self.sources]
        rows[self.target] = 0
        for source, d in zip(self.sources, self.partials, strict=True):
            rows[self.target, source] += d(*read)
        return rows


Straight = Sequence[Transition]


def states(program: Straight, x: State) -> list[State]:
    """``x0, x1, …, xn``."""
    return [*accumulate(program, lambda x, f: f(x), initial=np.array(x))]


def jacobians(program: Straight, x: State) -> list[Any]:
    """``J f1 x0, …, J fn xn-1``."""
    return [f.jacobian(x) for f, x in zip(program, states(program, x), strict=False)]


def forward(program: Straight, x: State, moved: State) -> list[State]:
    """``→x0, …, →xn``, interleaved with the primal (Fig. 3)."""
    return [*accumulate(jacobians(program, x), lambda v, jf: jf @ v, initial=np.array(moved))]


def reverse_mode(program: Straight, x: State, sensitive: State) -> list[State]:
    """``↽xn, …, ↽x0``, after the primal (Fig. 4)."""
    back = reversed(jacobians(program, x))
    return [*accumulate(back, lambda v, jf: jf.T @ v, initial=np.array(sensitive))]


def taped(program: Straight, x: State, sensitive: State) -> State:
    """``↽x0``: by one backpropagator that is updated by side effect, a chain of closures."""
    tape = [partial(operator.matmul, jf.T) for jf in jacobians(program, x)]
    while tape:
        sensitive = tape.pop()(sensitive)
    return sensitive


def r_tilde(program: Straight, x: State, output: int, counts: Counter[str]) -> State:
    """The gradient of ``x[output]`` by R̃ numbers (section 6); products counted.

    ``x ×̃ y = λz y (x × z)`` and ``x +̃ y = λz (x z) + (y z)``: what fans in is called again.
    """

    def times(slope: float, y: Any, z: float) -> Any:
        counts["×"] += 1
        return y(slope * z)

    moved: list[Any] = [partial(operator.mul, e) for e in np.eye(len(x))]
    for f in program:
        read = [x[source] for source in f.sources]
        both = zip(f.sources, f.partials, strict=True)
        parts = [partial(times, d(*read), moved[source]) for source, d in both]
        moved[f.target] = lambda z, parts=parts: sum(y(z) for y in parts)
        x = f(x)
    return moved[output](1.0)
