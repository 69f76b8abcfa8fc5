"""How far rounding may carry a float: seen by moving the problem a little and looking again.

Where both inputs and intermediate results move by ``√ε``, a result that moves by ``s`` has been
given a condition of ``s / √ε``, and ``n`` roundings may carry it by ``n ε`` times that. Every float
constant is moved by a relative amount of its own, and so is what every primitive gives, since
rounding moves it too. What is moved alike cancels: ``(x + y) - x`` would seem well conditioned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError
from combinators.literal import Literal
from combinators.morphisms import Constant, Id, Morphism, Primitive, interpret, prod
from combinators.objects import Object, Tensor
from combinators.operation import Operation, named
from laws.equality import ROUNDINGS
from laws.free import Free
from laws.observation import Leaf

SEEDS = (1, 2, 3, 4, 5)
"""How often the problem is moved."""
TORN = 2.0**16
"""Who moves by so many times more than what moved it is torn: a branch was changed, say."""


class IllConditioned(Exception):
    """Two floats that cannot be compared, since the least rounding carries them far apart."""


def precision(constants: Iterable[Literal]) -> float:
    """The coarsest relative rounding of some constants."""
    kinds = (constant.array.dtype for constant in constants if constant.type.is_smooth)
    return max((float(np.finfo(kind).eps) for kind in kinds), default=2.0**-52)


def slack(
    left: Sequence[Leaf],
    constants: Sequence[Literal],
    moved: Callable[[Nudge], Mapping[str, Any]],
    *,
    primitives: bool,
) -> dict[str, Any]:
    """By place, how far apart two sides may be; raises IllConditioned where that says nothing.

    ``moved`` is what the left side gives where all is moved a little, ``primitives`` too. There is
    a floor of some roundings of the largest of the ``constants``.
    """
    epsilon = precision(constants)
    floor = ROUNDINGS * epsilon * max([1.0, *map(_largest, constants)])
    seen: list[Mapping[str, Any]] = []
    for seed in SEEDS:
        try:
            seen.append(moved(Nudge(epsilon**0.5, seed, primitives=primitives)))
        except DiffcurryError:
            seen.append({})
    found: dict[str, Any] = {}
    for place, leaf in left:
        x = np.asarray(leaf)
        if x.dtype.kind == "f":
            far = np.zeros(x.shape)
            for leaves in seen:
                far = np.maximum(far, _apart(x, leaves.get(place, leaf)))
            scale = np.abs(np.where(np.isfinite(x), x, 0)) + 1
            if np.any(far > TORN * epsilon**0.5 * scale):
                raise IllConditioned(f"at {place} the least rounding carries floats far apart")
            found[place] = floor + ROUNDINGS * epsilon**0.5 * far
    return found


def _apart(x: Any, leaf: Any) -> Any:
    """How far ``leaf`` is from x; infinitely where one of them is not finite and the other is."""
    y = np.asarray(leaf, dtype=float)
    if x.shape != y.shape:
        return np.full(x.shape, np.inf)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(all="ignore"):
        far = np.abs(x - y)
    return np.where(same, 0.0, np.where(np.isfinite(far), far, np.inf))


def magnitude(leaf: Any) -> float:
    """The largest finite number of a leaf; 0 where it holds none."""
    x = np.asarray(leaf)
    return float(np.abs(x[np.isfinite(x)]).max(initial=0.0)) if x.dtype.kind == "f" else 0.0


def _largest(constant: Literal) -> float:
    return magnitude(constant.array) if constant.type.is_smooth else 0.0


class Nudge(Free):
    """The free category, but for its constants and primitives."""

    def __init__(self, amount: float, seed: int, *, primitives: bool = True) -> None:
        """``amount`` is relative: far above rounding, far below what bends a smooth function.

        ``primitives`` are moved where the model can multiply.
        """
        self._random = Random(seed)  # noqa: S311 (the same amounts every time)
        self._amount, self._primitives = amount, primitives

    def __call__(self, arrow: Morphism) -> Morphism:
        """``arrow``, moved."""
        return interpret(arrow, self)

    def const(self, dom: Object, value: Literal) -> Morphism:
        """The constant, each of its numbers moved by an amount of its own."""
        return super().const(dom, self.literal(value))

    def literal(self, value: Literal) -> Literal:
        """The same of a literal alone."""
        if not value.type.is_smooth:
            return value
        with np.errstate(all="ignore"):
            return Literal(value.array * self._factors(value.type), value.array.dtype)

    def primitive(self, operation: Operation, dom: Object, cod: Object) -> Morphism:
        """The primitive, and then each number of its result times an amount of its own."""
        made = super().primitive(operation, dom, cod)
        if not (self._primitives and isinstance(cod, Tensor) and cod.is_smooth):
            return made
        factors = Constant(cod, Literal(self._factors(cod), cod.dtype))
        times = Primitive(Operation(named("multiply")), (cod, cod))
        return made >> prod(cod, Id(cod), factors) >> times

    def _factors(self, obj: Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        signed = [
            self._random.choice((-1, 1)) * self._random.uniform(0.5, 1) for _ in range(obj.size)
        ]
        return (1 + self._amount * np.array(signed, dtype=float)).reshape(obj.shape)
