"""Whether two numbers, arrays or expressions are equal, and how that was told: said aloud.

How far rounding may carry a float is seen by moving the problem a little and looking again. Where
both inputs and intermediate results move by ``√ε``, a result that moves by ``s`` has been given a
condition of ``s / √ε``, and ``n`` roundings may carry it by ``n ε`` times that. Every float
constant is moved by a relative amount of its own, and so is what every primitive gives, since
rounding moves it too. What is moved alike cancels: ``(x + y) - x`` would seem well conditioned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from fractions import Fraction
from numbers import Rational
from random import Random
from typing import Any

import numpy as np

from combinators.errors import DiffcurryError
from combinators.kit.quotient import Quotient
from combinators.kit.tree import Syntax
from combinators.literal import Literal
from combinators.morphisms import Constant, Id, Morphism, Primitive, interpret, prod
from combinators.objects import Object, Tensor
from combinators.operation import Operation, named
from laws.free import Free

Leaf = tuple[str, Any]
"""Where in an outcome something stands, and what stands there."""


class Level(IntEnum):
    """How two outcomes were compared, the strictest first."""

    NORMAL = 0
    """Their normal forms are identical: outcomes are syntax."""
    EXACT = 1
    """Their values are equal: rational, integer, boolean, or one expression."""
    QUOTIENT = 2
    """They are lists of calls that no tangent of a function can tell apart."""
    EXPANDED = 3
    """They are expressions that are one when expanded."""
    SAMPLED = 4
    """They are expressions that agree at random rational numbers."""
    FLOAT = 5
    """Their values are near each other, as near as floats and the condition of the problem let."""

    def __str__(self) -> str:
        """In a word or two."""
        return (
            "normal form",
            "exact",
            "modulo the quotient",
            "exact, expanded",
            "at random rationals",
            "floating point",
        )[self]


ROUNDINGS = 256
"""How many roundings of the larger of two floats they may be apart."""
DIGITS = 40
"""With how many digits expressions are evaluated."""
SAMPLES = 3


def equal(a: Any, b: Any, slack: Any = 0.0, epsilon: float = 0.0) -> tuple[bool, Level]:
    """Whether two leaves are equal, and how that was told. Two nans are equal.

    >>> equal(Fraction(1, 2), Fraction(2, 4))
    (True, <Level.EXACT: 1>)
    >>> equal(0.1 + 0.2, 0.3), equal(0.1, 0.2)
    ((True, <Level.FLOAT: 5>), (False, <Level.FLOAT: 5>))
    """
    if isinstance(a, Syntax) or isinstance(b, Syntax):
        return a == b, Level.NORMAL
    if isinstance(a, Quotient) or isinstance(b, Quotient):
        both = isinstance(a, Quotient) and isinstance(b, Quotient)
        return both and a.same(b), Level.QUOTIENT
    if _precision(a) or _precision(b):
        if _is_array(a) and _is_array(b) and a.dtype != b.dtype:
            return False, Level.EXACT
        return _near(a, b, slack, max(_precision(a), _precision(b), epsilon)), Level.FLOAT
    if a is b:
        return True, Level.EXACT
    x, y = np.asarray(a), np.asarray(b)
    if object not in (x.dtype, y.dtype):
        return bool(x.shape == y.shape and np.array_equal(x, y)), Level.EXACT
    if x.shape != y.shape:
        return False, Level.EXACT
    # Python's own numbers where NumPy's stand, which decimals are not compared with
    found = [_same(p, q) for p, q in zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)]
    return all(same for same, _ in found), max((how for _, how in found), default=Level.EXACT)


def _is_array(leaf: Any) -> bool:
    """Whether it is an array of more than one number, whose type is part of it."""
    return isinstance(leaf, np.ndarray) and leaf.ndim > 0 and leaf.dtype != object


def _precision(leaf: Any) -> float:
    """The relative rounding of a float, and 0 for what is none."""
    kind = np.dtype(float) if isinstance(leaf, float) else getattr(leaf, "dtype", None)
    return float(np.finfo(kind).eps) if getattr(kind, "kind", "") == "f" else 0.0


def _near(a: Any, b: Any, slack: Any, epsilon: float) -> bool:
    """Elementwise; infinities and nans have to be the same."""
    try:
        x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    except (TypeError, ValueError):
        return False
    if x.shape != y.shape:
        return False
    finite = np.isfinite(x) & np.isfinite(y)
    with np.errstate(all="ignore"):
        far = np.abs(x - y) - ROUNDINGS * epsilon * np.maximum(np.abs(x), np.abs(y)) > slack
    agree = (x == y) | (np.isnan(x) & np.isnan(y))
    return bool(np.all(np.where(finite, ~far, agree)))


def _same(a: Any, b: Any) -> tuple[bool, Level]:
    """Numbers exactly; expressions by what they say, expanded, or at random numbers."""
    if isinstance(a, Rational) and isinstance(b, Rational):
        return Fraction(a) == Fraction(b), Level.EXACT
    if a == b or (_is_nan(a) and _is_nan(b)):
        return True, Level.EXACT
    if not (_is_expression(a) or _is_expression(b)):
        return False, Level.EXACT
    try:
        difference = a - b
        if difference.expand() == 0:
            return True, Level.EXPANDED
    except (TypeError, AttributeError):
        return False, Level.EXACT
    return _vanishes(difference, abs(a) + abs(b)), Level.SAMPLED


def _is_nan(number: Any) -> bool:
    return isinstance(number, float) and number != number  # noqa: PLR0124 (nan differs from itself)


def _is_expression(leaf: Any) -> bool:
    return hasattr(leaf, "free_symbols") and hasattr(leaf, "evalf")


def _vanishes(difference: Any, size: Any) -> bool:
    """Whether an expression is 0, next to the size of its terms, at a few random numbers.

    Where it has no value, as the logarithm of a negative number among the reals, it is not asked.
    """
    random = Random(0)  # noqa: S311 (the same numbers every time)
    for _ in range(SAMPLES):
        symbols = sorted(difference.free_symbols | size.free_symbols, key=str)
        at = {symbol: Fraction(random.randint(-40, 40), 16) for symbol in symbols}
        far, large = (expression.subs(at).evalf(DIGITS) for expression in (difference, size))
        have_values = all(value.is_number and value.is_finite for value in (far, large))
        if have_values and abs(far) > 10.0 ** (10 - DIGITS) * max(1, abs(large)):
            return False
    return True


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
    largest = (magnitude(constant.array) for constant in constants)
    floor = ROUNDINGS * epsilon * max([1.0, *largest])
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
