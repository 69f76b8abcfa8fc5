"""How a function changes along a vector: as precisely as it lets itself be computed.

Where it takes mpmath's numbers, by differences in 60 digits; where it takes NumPy's long doubles,
or else doubles, by central differences, extrapolated once (Richardson 1911).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

DIGITS, STEP = 60, 1e-20
WIDE, WIDE_STEP = 1e-8, 2.0**-11
PLAIN, PLAIN_STEP = 1e-6, 2.0**-9
NARROW, NARROW_STEP = 1e-3, 2.0**-5
"""Of functions that give narrower floats than they take."""
EXACT = 1e-11

_SAME = "sin cos tan exp expm1 log log1p log10 sqrt cbrt sinh cosh tanh erf"
_MPMATH = {
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: name for name in _SAME.split()},
}
"""The names in mpmath of the language's own primitives."""


def slope(
    name: str, compute: Callable[..., Any], xs: Sequence[Any], vs: Sequence[Any]
) -> tuple[Any, float]:
    """The derivative along ``vs`` at ``xs``, and how far off it may be."""
    pairs = zip(xs, vs, strict=True)
    moving = [np.asarray(x).dtype.kind == "f" and np.shape(v) == np.shape(x) for x, v in pairs]
    with np.errstate(all="ignore"):
        found, off = (
            _in_digits(_precise(name, compute), xs, vs, moving)
            or _in_floats(compute, xs, vs, moving, np.longdouble, WIDE_STEP, WIDE)
            or _in_floats(compute, xs, vs, moving, np.float64, PLAIN_STEP, PLAIN)
            or _in_floats(compute, xs, vs, moving, np.float64, NARROW_STEP, NARROW, any_result=True)
            or (np.nan, 0.0)
        )
        size = np.max(np.abs(np.asarray(found, float)), initial=1.0)
    return found, off * float(size)


def _mpmath() -> Any:
    """The library, where it is installed."""
    try:
        import mpmath
    except ImportError:
        return None
    return mpmath


def _precise(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The function on mpmath's numbers: its own, where the name is known."""
    mpmath = _mpmath()
    own = getattr(mpmath, _MPMATH.get(name, ""), None)
    return compute if own is None else np.frompyfunc(own, 1, 1)


def _in_digits(
    compute: Callable[..., Any], xs: Sequence[Any], vs: Sequence[Any], moving: Sequence[bool]
) -> tuple[Any, float] | None:
    mpmath = _mpmath()
    if mpmath is None:
        return None
    of = np.frompyfunc(lambda number: mpmath.mpf(float(number)), 1, 1)

    def value(step: Any) -> Any:
        triples = zip(xs, vs, moving, strict=True)
        moved = [of(x) + step * of(v) if moves else x for x, v, moves in triples]
        return np.asarray(compute(*moved))

    try:
        with mpmath.workdps(DIGITS):
            step = mpmath.mpf(STEP)
            there, back = value(step), value(-step)
            difference = (there - back) / (2 * step)
    except Exception:  # noqa: BLE001 (whatever a function of floats raises at other numbers)
        return None
    if there.dtype != object or not all(
        isinstance(number, mpmath.mpf) for number in np.ravel(there)
    ):
        return None
    return np.asarray(difference).astype(float), EXACT


def _in_floats(
    compute: Callable[..., Any],
    xs: Sequence[Any],
    vs: Sequence[Any],
    moving: Sequence[bool],
    dtype: Any,
    step: float,
    off: float,
    *,
    any_result: bool = False,
) -> tuple[Any, float] | None:
    def value(step: float) -> Any:
        moved = [
            np.asarray(x, dtype)[()] + dtype(step) * np.asarray(v, dtype)[()] if moves else x
            for x, v, moves in zip(xs, vs, moving, strict=True)
        ]
        y = compute(*moved)
        if np.asarray(y).dtype != dtype and not any_result:
            raise TypeError(f"it gives {np.asarray(y).dtype}")
        return y

    def difference(step: float) -> Any:
        return (value(step) - value(-step)) / dtype(2 * step)

    try:
        coarse, fine = difference(step), difference(step / 2)
    except Exception:  # noqa: BLE001 (whatever a function of floats raises at wider ones)
        return None
    return np.asarray((4 * fine - coarse) / 3).astype(float), off
