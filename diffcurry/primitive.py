"""``primitive``: primitives of the user's own, in one decorator."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.derivatives import Derivative, Pointwise
from combinators.errors import NameTaken, WrongDerivative
from combinators.objects import Object, Real, Tensor, is_smooth
from combinators.operation import PRIMITIVES, Operation, Promotion, Typing, declare
from combinators.primitives.typing import common_float, pointwise
from combinators.tracing.emit import apply
from combinators.tracing.functions import check_takes
from combinators.tracing.scope import current
from diffcurry.function import Function
from diffcurry.modes import CARRIER
from interpreters.carriers.carrier import computes
from interpreters.carriers.numpy import NumPy
from interpreters.rules import pullback_of, pushforward_of

_OURS = frozenset(PRIMITIVES)


class UserPrimitive:
    """A declared primitive: a function of the language, with values in one carrier or more."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        """The primitive ``name``, whose NumPy value is ``function``."""
        self.declared = PRIMITIVES[name]
        self.__name__, self.__doc__ = name, function.__doc__

    def __call__(self, *args: Any) -> Any:
        """A node while tracing; elsewhere the value."""
        if current() is not None:
            return apply(self.declared, *args)
        return Function(lambda: apply(self.declared, *args))()

    def __repr__(self) -> str:
        """Its name."""
        return f"<primitive {self.__name__}>"

    def on(self, carrier: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register the value in another carrier: ``@f.on(Fractions)``."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            computes(self.declared, carrier)(lambda: function)
            return function

        return register


def primitive(
    derivative: Derivative | Callable[..., Any],
    *,
    typing: Typing = pointwise,
    promote: Promotion | None = common_float,
    kink: str = "",
    types: tuple[Object, ...] | None = None,
    check: bool = True,
) -> Callable[[Callable[..., Any]], UserPrimitive]:
    """Declare a primitive whose NumPy value is the decorated function.

    ``derivative`` is one of the forms of ``combinators.derivatives``, or the rule of a pointwise
    function, ``rule(v, *xs, y)``: what ``∂y/∂xᵢ · v`` is, for each argument, written in the
    language itself and linear in ``v``. ``typing`` gives the result's type from the arguments'.
    The rule is checked at random points of ``types`` (by default numbers): forward and reverse are
    each other's transposes, and agree with differences of the value.

    >>> import diffcurry as dc, numpy as np
    >>> @primitive(lambda v, x, y: dc.scale(v, dc.cos(x)))
    ... def sine(x):
    ...     return np.sin(x)
    >>> dc.grad(sine)(0.0)
    np.float64(1.0)
    """

    def register(function: Callable[..., Any]) -> UserPrimitive:
        name = function.__name__
        form = Pointwise(derivative) if callable(derivative) else derivative
        if name in _OURS:
            raise NameTaken(
                f"the language has a primitive named {name} already, by which its programs and "
                "pickles know it; give yours another name"
            )
        before = PRIMITIVES.get(name)
        declared = declare(name, typing, form, promote=promote, kink=kink)
        computes(declared, NumPy)(lambda: function)
        try:
            if check:
                count = len(inspect.signature(function).parameters)
                if callable(derivative):
                    check_takes(derivative, (Real,) * (count + 2))
                check_rules(Operation(declared), types or (Real,) * count)
        except BaseException:
            if before is None:
                del PRIMITIVES[name]
            else:
                PRIMITIVES[name] = before
            raise
        return UserPrimitive(name, function)

    return register


def check_rules(operation: Operation, types: tuple[Object, ...], *, step: float = 1e-6) -> None:
    """Raise where a declared derivative breaks law L3, or is not that of the value.

    L3: ``⟨D[f](x, v), w⟩ = ⟨v, R[f](x, w)⟩``. The value is compared by central differences, at
    points between 1/2 and 3/2.
    """
    from combinators.objects import Product

    random = np.random.default_rng(0)
    cod = operation.type(*types)
    if not is_smooth(cod):
        return
    dom = types[0] if len(types) == 1 else Product(*types)
    compute = CARRIER.operation(operation, types, cod)
    pull = pullback_of(operation, dom, tuple(range(len(types))), CARRIER)
    for _ in range(3):
        xs = [_sample(obj, random) for obj in types]
        with np.errstate(all="ignore"):
            y = compute(*xs)
            w = _sample(cod, random)
            pulled = None if pull is None else pull(w, xs[0] if len(types) == 1 else xs, y)
            for i, obj in enumerate(types):
                if not (isinstance(obj, Tensor) and obj.is_smooth):
                    continue
                v = _sample(obj, random)
                push = pushforward_of(operation, dom, i, CARRIER)
                forward = np.sum(w * push(v, *xs, y)) if push else 0.0
                found = pulled if len(types) == 1 or pulled is None else pulled.get(i)
                back = 0.0 if found is None else np.sum(v * found)
                moved = [
                    compute(*(x + s * step * v if j == i else x for j, x in enumerate(xs)))
                    for s in (1, -1)
                ]
                slope = np.sum(w * (moved[0] - moved[1])) / (2 * step)
                _compare(operation.name, i, forward, back, slope)


def _compare(name: str, index: int, forward: Any, back: Any, slope: Any) -> None:
    scale = max(1.0, abs(slope))
    if abs(forward - back) > 1e-9 * max(1.0, abs(forward)):
        raise WrongDerivative(
            f"{name}: for argument {index}, pushforward and pullback are not transposes: "
            f"⟨ẏ, w⟩ = {forward:.9g}, ⟨v, x̄⟩ = {back:.9g}; is the rule linear in v?"
        )
    if not np.isfinite(slope) or abs(back - slope) > 1e-5 * scale:
        raise WrongDerivative(
            f"{name}: for argument {index}, the rule gives {back:.9g} where the value changes by "
            f"{slope:.9g}; mend the rule, or pass check=False if it is meant so"
        )


def _sample(obj: Object, random: np.random.Generator) -> Any:
    assert isinstance(obj, Tensor)
    if not obj.is_smooth:
        return np.ones(obj.shape, dtype=obj.dtype)[()]
    return random.uniform(0.5, 1.5, obj.shape).astype(obj.dtype)[()]
