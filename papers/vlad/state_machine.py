"""Section 2: programs as compositions of machine-state transitions; forward, reverse, the tape.

::

    xi = fi xi-1,  fi:  x[L] := u x[R]   or   x[L] := b (x[R], x[S])             Figure 1
    J fi xi-1 is the identity, but for the row L, which holds D u, or D1 b and D2 b   Figure 2
    →xi = (J fi xi-1) × →xi-1                                                    Figure 3
    ↽xi-1 = (J fi xi-1)ᵀ × ↽xi :  ↽x[R] += D u × ↽x[L], …, and ↽x[L] is zeroed     Figure 4

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

State = list[float]


class Transition(NamedTuple):
    """``x[target] := f (x[source], …)``, with the partial derivatives of ``f``."""

    target: int
    sources: tuple[int, ...]
    f: Callable[..., float]
    partials: tuple[Callable[..., float], ...]

    def __call__(self, x: State) -> State:
        """``fi x`` (Fig. 1)."""
        read = [x[source] for source in self.sources]
        return [self.f(*read) if j == self.target else old for j, old in enumerate(x)]

    def slopes(self, x: State) -> list[tuple[int, float]]:
        """Each source with the partial derivative there."""
        read = [x[source] for source in self.sources]
        return [(source, d(*read)) for source, d in zip(self.sources, self.partials, strict=True)]

    def jacobian(self, x: State) -> list[State]:
        """``J fi x`` (Fig. 2); where two sources are one, their entries add up."""
        rows = [[float(j == k != self.target) for k in range(len(x))] for j in range(len(x))]
        for source, slope in self.slopes(x):
            rows[self.target][source] += slope
        return rows

    def forwards(self, moved: State, x: State) -> State:
        """``(J fi x) × →x`` (Fig. 3)."""
        after = sum(slope * moved[source] for source, slope in self.slopes(x))
        return [after if j == self.target else old for j, old in enumerate(moved)]

    def backwards(self, sensitive: State, x: State) -> State:
        """``(J fi x)ᵀ × ↽x`` (Fig. 4)."""
        before = [0.0 if j == self.target else later for j, later in enumerate(sensitive)]
        for source, slope in self.slopes(x):
            before[source] += slope * sensitive[self.target]
        return before


Straight = Sequence[Transition]


def states(program: Straight, x: State) -> list[State]:
    """``x0, x1, …, xn``."""
    return [*accumulate(program, lambda x, f: f(x), initial=x)]


def forward(program: Straight, x: State, moved: State) -> list[State]:
    """``→x0, …, →xn``, interleaved with the primal."""
    steps = zip(program, states(program, x), strict=False)
    return [*accumulate(steps, lambda v, step: step[0].forwards(v, step[1]), initial=moved)]


def reverse_mode(program: Straight, x: State, sensitive: State) -> list[State]:
    """``↽xn, …, ↽x0``, after the primal."""
    steps = reversed([*zip(program, states(program, x), strict=False)])
    return [*accumulate(steps, lambda v, step: step[0].backwards(v, step[1]), initial=sensitive)]


def taped(program: Straight, x: State, sensitive: State) -> State:
    """``↽x0``: by one backpropagator that is updated by side effect, a chain of closures."""
    tape: list[Callable[[State], State]] = []
    for f in program:
        tape.append(partial(f.backwards, x=x))
        x = f(x)
    while tape:
        sensitive = tape.pop()(sensitive)
    return sensitive


def r_tilde(program: Straight, x: State, output: int, counts: Counter[str]) -> State:
    """The gradient of ``x[output]`` by R̃ numbers (section 6), each ``λz →v × z``; products counted.

    ``x ×̃ y = λz y (x × z)`` and ``x +̃ y = λz (x z) + (y z)``: what fans in is called again.
    """

    def times(slope: float, y: Any) -> Any:
        def called(z: float) -> Any:
            counts["×"] += 1
            return y(slope * z)

        return called

    moved: list[Any] = [partial(operator.mul, e) for e in np.eye(len(x))]
    for f in program:
        parts = [times(slope, moved[source]) for source, slope in f.slopes(x)]
        moved[f.target] = lambda z, parts=parts: sum(y(z) for y in parts)
        x = f(x)
    return list(moved[output](1.0))
