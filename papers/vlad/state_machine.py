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

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

State = list[float]


@dataclass(frozen=True)
class Transition:
    """``x[target] := f (x[source], …)``, with the partial derivatives of ``f``."""

    target: int
    sources: tuple[int, ...]
    f: Callable[..., float]
    partials: tuple[Callable[..., float], ...]

    def __call__(self, x: State) -> State:
        """``fi x`` (Fig. 1)."""
        return [self.f(*self.read(x)) if j == self.target else old for j, old in enumerate(x)]

    def read(self, x: State) -> list[float]:
        return [x[source] for source in self.sources]

    def slopes(self, x: State) -> list[tuple[int, float]]:
        """Each source with the partial derivative there."""
        partials = zip(self.sources, self.partials, strict=True)
        return [(source, partial(*self.read(x))) for source, partial in partials]

    def jacobian(self, x: State) -> list[State]:
        """``J fi x`` (Fig. 2); where two sources are one, their entries add up."""
        rows = [[float(j == k) for k in range(len(x))] for j in range(len(x))]
        rows[self.target] = [0.0] * len(x)
        for source, slope in self.slopes(x):
            rows[self.target][source] += slope
        return rows

    def forwards(self, x: State, moved: State) -> State:
        """``(J fi x) × →x`` (Fig. 3)."""
        after = list(moved)
        after[self.target] = sum(slope * moved[source] for source, slope in self.slopes(x))
        return after

    def backwards(self, x: State, sensitive: State) -> State:
        """``(J fi x)ᵀ × ↽x`` (Fig. 4)."""
        before = list(sensitive)
        given, before[self.target] = sensitive[self.target], 0.0
        for source, slope in self.slopes(x):
            before[source] += slope * given
        return before


Straight = Sequence[Transition]


def states(program: Straight, x: State) -> list[State]:
    """``x0, x1, …, xn``."""
    found = [x]
    for f in program:
        found.append(f(found[-1]))
    return found


def forward(program: Straight, x: State, moved: State) -> list[State]:
    """``→x0, …, →xn``, interleaved with the primal."""
    found = [moved]
    for f, before in zip(program, states(program, x), strict=False):
        found.append(f.forwards(before, found[-1]))
    return found


def reverse_mode(program: Straight, x: State, sensitive: State) -> list[State]:
    """``↽xn, …, ↽x0``, after the primal."""
    found = [sensitive]
    for f, before in reversed([*zip(program, states(program, x), strict=False)]):
        found.append(f.backwards(before, found[-1]))
    return found


def taped(program: Straight, x: State, sensitive: State) -> State:
    """``↽x0``: by one backpropagator that is updated by side effect, a chain of closures."""
    tape: list[Callable[[State], State]] = []
    for f in program:
        tape.append(lambda given, f=f, x=x: f.backwards(x, given))  # type: ignore[misc]
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

    moved: list[Any] = [lambda z, j=j: [z * (j == k) for k in range(len(x))] for j in range(len(x))]
    for f in program:
        parts = [times(slope, moved[source]) for source, slope in f.slopes(x)]
        moved[f.target] = lambda z, parts=parts: [
            *map(sum, zip(*[y(z) for y in parts], strict=True))
        ]
        x = f(x)
    found: State = moved[output](1.0)
    return found
