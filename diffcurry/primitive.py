"""``primitive``: primitives of the user's own, in one decorator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from combinators.derivatives import Derivative, Pointwise
from combinators.errors import NameTaken, TypeMismatch, WrongDerivative
from combinators.objects import Object, Product, Real, is_smooth
from combinators.operation import PRIMITIVES, Operation, Promotion, Typing, declare
from combinators.primitives.typing import common_float, pointwise
from combinators.tracing.emit import apply
from combinators.tracing.functions import check_takes
from combinators.tracing.scope import current
from diffcurry.flat import is_number, sample
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

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """A node while tracing; elsewhere the value. Raises TypeMismatch for keywords."""
        if keywords:
            raise TypeMismatch(
                f"the primitive {self.__name__} takes no keywords, and was given "
                f"{', '.join(keywords)}; pass its arguments by position"
            )
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
    each other's transposes, and agree with differences of the value. Declaring it again replaces
    it; a name of the language's own raises NameTaken.

    >>> import diffcurry as dc, numpy as np
    >>> @primitive(lambda v, x, y: dc.scale(v, dc.cos(x)))
    ... def sine(x):
    ...     return np.sin(x)
    >>> dc.grad(sine)(0.0)
    np.float64(1.0)
    """

    def register(function: Callable[..., Any]) -> UserPrimitive:
        name = function.__name__
        _refuse_ours(name)
        form = Pointwise(derivative) if callable(derivative) else derivative
        with _withdrawn_on_failure(name):
            declared = declare(name, typing, form, promote=promote, kink=kink)
            computes(declared, NumPy)(lambda: function)
            if check:
                numbers = (Real,) * len(inspect.signature(function).parameters)
                if callable(derivative):
                    check_takes(derivative, (Real, *numbers, Real))
                check_rules(Operation(declared), types or numbers)
        return UserPrimitive(name, function)

    return register


def _refuse_ours(name: str) -> None:
    if name in _OURS:
        raise NameTaken(
            f"the language has a primitive named {name} already, by which its programs and "
            "pickles know it; give yours another name"
        )


@contextmanager
def _withdrawn_on_failure(name: str) -> Iterator[None]:
    """Declare ``name`` wholly or not at all: what was declared before it comes back."""
    before = PRIMITIVES.get(name)
    try:
        yield
    except BaseException:
        PRIMITIVES.pop(name, None)
        if before is not None:
            PRIMITIVES[name] = before
        raise


def check_rules(operation: Operation, types: tuple[Object, ...], *, step: float = 1e-6) -> None:
    """Raise where a declared derivative breaks law L3, or is not that of the value.

    L3: ``⟨D[f](x, v), w⟩ = ⟨v, R[f](x, w)⟩``. The value is compared by central differences, at
    points between 1/2 and 3/2.
    """
    if is_smooth(operation.type(*types)):
        checked = _Checked(operation, types, step)
        random = np.random.default_rng(0)
        for _ in range(3):
            checked.at_random(random)


class _Checked:
    """A primitive's value, its pullback and its pushforwards, to be compared."""

    def __init__(self, operation: Operation, types: tuple[Object, ...], step: float) -> None:
        self.name, self.types, self.step = operation.name, types, step
        self.cod = operation.type(*types)
        self.compute = CARRIER.operation(operation, types, self.cod)
        self.active = [i for i, obj in enumerate(types) if is_number(obj)]
        self.pull = pullback_of(operation, Product(*types), tuple(range(len(types))), CARRIER)
        self.push = {i: pushforward_of(operation, Product(*types), i, CARRIER) for i in self.active}

    def at_random(self, random: np.random.Generator) -> None:
        """Compare them at one point, along one tangent an argument."""
        xs = [sample(obj, random) for obj in self.types]
        with np.errstate(all="ignore"):
            y, w = self.compute(*xs), sample(self.cod, random)
            pulled = (self.pull(w, xs, y) if self.pull else None) or {}
            for i in self.active:
                v, push, found = sample(self.types[i], random), self.push[i], pulled.get(i)
                forward = np.sum(w * push(v, *xs, y)) if push else 0.0
                back = 0.0 if found is None else np.sum(v * found)
                _compare(self.name, i, forward, back, np.sum(w * self._slope(xs, i, v)))

    def _slope(self, xs: list[Any], index: int, v: Any) -> Any:
        """How the value changes along ``v``, by a central difference."""
        there, back = (
            self.compute(*xs[:index], xs[index] + step * v, *xs[index + 1 :])
            for step in (self.step, -self.step)
        )
        return (there - back) / (2 * self.step)


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
