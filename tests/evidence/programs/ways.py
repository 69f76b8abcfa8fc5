"""The ways of running a closed λ, and what must come out the same in each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import diffcurry as dc
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import interpret
from combinators.objects import Tensor, components
from combinators.simplify import simplify
from combinators.terms import Lam
from combinators.translate import translate
from interpreters.backends.python import compile_program
from interpreters.carriers.fractions import Fractions
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal
from tests.strategies.points import numbers

EXACT, FLOATS = Fractions(), NumPy()


def size(lam: Lam) -> int:
    """How many distinct nodes a program has."""
    return sum(1 for _ in distinct_nodes(lam))


def lifted(value: Any, obj: Any, carrier: Any) -> Any:
    """A first-order value as one of the carrier's."""
    product = components(obj)
    if product is not None:
        pairs = zip(value, product.parts, strict=True)
        return tuple(lifted(part, below, carrier) for part, below in pairs)
    return carrier.lift(np.asarray(value) if obj.shape else value, obj)


def run(lam: Lam, args: Any, carrier: Any = FLOATS) -> Any:
    """The value of a closed λ, by interpretation."""
    mode = Primal(carrier)
    values = [lifted(arg, p.type, carrier) for arg, p in zip(args, lam.params, strict=True)]
    with np.errstate(all="ignore"):
        arrow = interpret(translate(lam.params, lam.body), mode)
        return mode.value(arrow, tuple(values))


def outcome(lam: Lam, args: Any, carrier: Any = FLOATS) -> list[Any]:
    """The same, as a flat list of numbers."""
    return list(numbers(run(lam, args, carrier), lam.body.type))


def emitted(lam: Lam, args: Any) -> list[Any]:
    """What the emitted code gives."""
    code = compile_program(lam)
    with np.errstate(all="ignore"):
        found = code.function(
            *(plain(arg, p.type) for arg, p in zip(args, lam.params, strict=True))
        )
    return list(numbers(found, lam.body.type))


def plain(value: Any, obj: Any) -> Any:
    """A first-order value as emitted code takes it."""
    product = components(obj)
    if product is not None:
        return tuple(plain(part, below) for part, below in zip(value, product.parts, strict=True))
    assert isinstance(obj, Tensor)
    return np.asarray(value, dtype=obj.dtype) if obj.shape else float(value)


def close(found: Any, true: Any, rtol: float = 1e-8) -> None:
    """Equal up to rounding; where both are nan or the same infinity, too."""
    np.testing.assert_allclose(
        np.array(found, float), np.array(true, float), rtol=rtol, atol=rtol * scale(true)
    )


def scale(true: Any) -> float:
    """How large the finite numbers are."""
    found = np.array(true, float)
    return max(1.0, *np.abs(found[np.isfinite(found)]), 1.0)


def all_ways(lam: Lam, args: Any) -> list[Any]:
    """The value of a program, once interpreted, simplified, and emitted have given the same."""
    true = outcome(lam, args)
    made = simplify(lam)
    np.testing.assert_array_equal(np.array(outcome(made, args), float), np.array(true, float))
    close(emitted(lam, args), true, 1e-9)
    close(emitted(made, args), true, 1e-9)
    return true


def inner(x: Any, w: Any) -> Any:
    """⟨x, w⟩ of traced values in nested tuples and constants of the same structure."""
    if isinstance(w, tuple):
        return sum((inner(a, b) for a, b in zip(x, w, strict=True)), 0.0)
    return np.sum(x * w)


def reverse_over_reverse(f: Callable[..., Any], w: Any) -> Callable[..., Any]:
    """``x ↦ H(x) w``, by the gradient of ``⟨∇f, w⟩``."""
    which = tuple(range(len(w)))
    return dc.grad(lambda *x: inner(dc.grad(f, which)(*x), w), which)


def forward_over_reverse(f: Callable[..., Any], w: Any) -> Callable[..., Any]:
    """``x ↦ H(x) w``, by the tangent of ``∇f`` along ``w``."""
    which = tuple(range(len(w)))
    return dc.fun(lambda *x: dc.jvp(dc.grad(f, which), x, w)[1])


def reverse_over_forward(f: Callable[..., Any], w: Any) -> Callable[..., Any]:
    """``x ↦ H(x) w``, by the gradient of the tangent of ``f`` along ``w``."""
    return dc.grad(lambda *x: dc.jvp(f, x, w)[1], tuple(range(len(w))))


def forward_over_forward(f: Callable[..., Any], w: Any) -> Callable[..., Any]:
    """``x ↦ ⟨w, H(x) w⟩``, by two tangents along ``w``."""
    return dc.fun(lambda *x: dc.jvp(lambda *z: dc.jvp(f, z, w)[1], x, w)[1])


SECOND = [reverse_over_reverse, forward_over_reverse, reverse_over_forward]
