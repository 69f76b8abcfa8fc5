"""``check_grads``: every mode against central differences, and against each other."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from combinators.errors import DomainError, TooManyCalls, WrongDerivative, WrongMode
from combinators.tracing.faces import put_together, take_apart
from diffcurry.arguments import flattened
from diffcurry.function import Function, as_function
from diffcurry.jacobians import hvp
from diffcurry.modes import Mode
from diffcurry.transforms import grad, jvp, vjp


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float = 1e-5,
    rtol: float = 1e-5,
    eps: float = 1e-5,
) -> None:
    """Raise WrongDerivative where a derivative of ``f`` at ``args`` is not what differences say.

    ``"rev"`` checks both forms of the pullback, but for the simply-typed one where that would run
    too many calls again: a warning says so. ``order=2`` checks the Hessian of a function with a
    scalar result too. Functions among ``args`` stand still.

    >>> check_grads(lambda x, y: np.sin(x) * y, (0.3, 2.0), order=2)
    """
    if order not in (1, 2) or not set(modes) <= {"fwd", "rev"}:
        raise WrongMode("check_grads knows order 1 and 2, and the modes 'fwd' and 'rev'")
    function = as_function(f)
    random = np.random.default_rng(0)
    tangents = tuple(_direction(arg, random) for arg in args)
    slopes = _settled(function, args, tangents, eps, (atol, rtol))
    if "fwd" in modes:
        _, tangent = jvp(function, tuple(args), tangents)
        _compare("jvp", _numbers(tangent), slopes, atol, rtol)
    if "rev" in modes:
        _check_reverse(function, args, tangents, slopes, random, (atol, rtol))
    if order == 2:
        which = tuple(i for i, tangent in enumerate(tangents) if tangent is not None)
        gradient = grad(function, argnums=which)
        numeric = _settled(gradient, args, tangents, eps, (atol, rtol))
        second = hvp(function, tuple(args), tangents, argnums=which)
        _compare("hvp", _numbers(second), numeric, atol, rtol)


def _settled(
    function: Function[..., Any],
    args: Sequence[Any],
    tangents: tuple[Any, ...],
    eps: float,
    tolerance: tuple[float, float],
) -> list[Any]:
    """The slopes along ``tangents``, by a step so small that half of it gives the same.

    Near the end of a domain, as of log at 1e-6, a step of 1e-5 leaves it; a smaller one does not.
    """
    atol, rtol = tolerance

    def by(step: float) -> list[Any]:
        there, back = (_moved(args, tangents, s * step) for s in (1, -1))
        return _slopes(function(*there), function(*back), step)

    widest = by(eps)
    for step in (eps, eps / 10, eps / 100, eps / 1000):
        wide, narrow = widest if step == eps else by(step), by(step / 2)
        if all(np.allclose(x, y, atol=atol, rtol=rtol) for x, y in zip(wide, narrow, strict=True)):
            return wide
    if all(np.all(np.isfinite(x)) for x in widest):
        return widest
    raise DomainError(
        f"a step of {eps:g} leaves the domain of the function, and smaller ones give no slope that "
        "settles; ask further inside, or give a smaller eps"
    )


def _check_reverse(
    function: Function[..., Any],
    args: Sequence[Any],
    tangents: tuple[Any, ...],
    slopes: list[Any],
    random: np.random.Generator,
    tolerance: tuple[float, float],
) -> None:
    forms: tuple[Mode, ...] = ("dependent", "simple")
    for form in forms:
        value, pullback = vjp(function, *args, mode=form)
        weights = _direction(value, random)
        expected = sum(np.sum(w * s) for w, s in zip(_numbers(weights), slopes, strict=True))
        try:
            pulled = pullback(weights)
        except TooManyCalls as error:
            warnings.warn(f"check_grads leaves a form out: {error.args[0]}", stacklevel=3)
            continue
        found = sum(
            np.sum(np.asarray(v) * np.asarray(g))
            for tangent, cotangent in zip(tangents, pulled, strict=True)
            if tangent is not None
            for v, g in zip(_numbers(tangent), _numbers(cotangent), strict=True)
        )
        _compare(f"vjp in the {form} form", [found], [expected], *tolerance)
    if np.ndim(value) == 0 and _is_number(value):
        which = tuple(i for i, tangent in enumerate(tangents) if tangent is not None)
        moved = [v for i in which for v in _numbers(tangents[i])]
        written = [g for found in grad(function, argnums=which)(*args) for g in _numbers(found)]
        along = sum(np.sum(v * g) for v, g in zip(moved, written, strict=True))
        _compare("grad", [along], slopes, *tolerance)


def _is_number(leaf: Any) -> bool:
    return not callable(leaf) and np.asarray(leaf).dtype.kind == "f"


def _direction(value: Any, random: np.random.Generator) -> Any:
    """A random tangent of ``value``; None where it has none."""
    face, leaves = take_apart(value)
    drawn = [
        random.standard_normal(np.shape(x)).astype(np.asarray(x).dtype)[()]
        if _is_number(x)
        else None
        for x in leaves
    ]
    return put_together(face, iter(drawn)) if any(d is not None for d in drawn) else None


def _moved(args: Sequence[Any], tangents: tuple[Any, ...], step: float) -> tuple[Any, ...]:
    moved = []
    for arg, tangent in zip(args, tangents, strict=True):
        if tangent is None:
            moved.append(arg)
            continue
        face, leaves = take_apart(arg)
        steps = flattened(tangent, face)
        parts = [
            x if v is None else (np.asarray(x) + step * v).astype(np.asarray(x).dtype)[()]
            for x, v in zip(leaves, steps, strict=True)
        ]
        moved.append(put_together(face, iter(parts)))
    return tuple(moved)


def _numbers(value: Any) -> list[Any]:
    return [np.asarray(x) for x in take_apart(value)[1] if x is not None and _is_number(x)]


def _slopes(there: Any, back: Any, eps: float) -> list[Any]:
    pairs = zip(_numbers(there), _numbers(back), strict=True)
    return [(x - y) / (2 * eps) for x, y in pairs]


def _compare(what: str, found: list[Any], expected: list[Any], atol: float, rtol: float) -> None:
    for x, y in zip(found, expected, strict=True):
        if not np.allclose(x, y, atol=atol, rtol=rtol, equal_nan=True):
            raise WrongDerivative(f"{what} gives {x}, where differences of the value give {y}")
