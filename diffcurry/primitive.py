"""``primitive``: primitives of the user's own, in one decorator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from combinators.derivatives import Derivative, Pointwise
from combinators.errors import NameTaken, TypeMismatch
from combinators.objects import Object, Real
from combinators.operation import PRIMITIVES, Operation, Promotion, Typing, declare
from combinators.primitives.typing import common_float, pointwise
from combinators.tracing.emit import apply
from combinators.tracing.functions import check_takes
from combinators.tracing.scope import current
from diffcurry.function import Function
from interpreters.carriers.carrier import computes
from interpreters.carriers.numpy import NumPy

_OURS = frozenset(PRIMITIVES)


class UserPrimitive:
    """A declared primitive: a function of the language, with values in one carrier or more."""

    checked: str
    """Which laws it was asked for when it was declared, and where; empty if for none."""

    def __init__(
        self,
        function: Callable[..., Any],
        types: tuple[Object, ...],
        domain: tuple[float, float] | None = None,
        checked: str = "",
    ) -> None:
        """The primitive whose NumPy value is ``function``, asked at ``types`` in a ``domain``."""
        self.declared, self.types = PRIMITIVES[function.__name__], types
        self.domain, self.checked = domain, checked
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__

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
    domain: tuple[float, float] | None = None,
    check: bool = True,
) -> Callable[[Callable[..., Any]], UserPrimitive]:
    """Declare a primitive whose NumPy value is the decorated function.

    ``derivative`` is one of the forms of ``combinators.derivatives``, or the rule of a pointwise
    function, ``rule(v, *xs, y)``: what ``∂y/∂xᵢ · v`` is, for each argument, written in the
    language itself and linear in ``v``. ``typing`` gives the result's type from the arguments'.
    The laws of primitives are asked at points of ``types`` (by default numbers): the value has the
    type that ``typing`` says, the transpose is linear, forward and reverse are each other's
    transposes, the pushforward is how the value changes, and the rationals agree where they have
    the primitive. The numbers are of both signs, from 0.3 to 4 in size, or lie in ``domain``; a
    point at which the value raises or is not finite is left out, and where that is every point,
    DomainError says so. They are random, and a counterexample is the smallest that was found; where
    hypothesis is not installed, or the function is slow, they are fixed and few, and ``checked``
    says so. A law that fails raises WrongDerivative. Declaring it again replaces it; a name of the
    language's own raises NameTaken.

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
        said = ""
        if domain is not None and not -np.inf < domain[0] < domain[1] < np.inf:
            raise TypeMismatch(f"domain is two numbers, (low, high), and not {domain!r}")
        with _withdrawn_on_failure(name):
            declared = declare(name, typing, form, promote=promote, kink=kink)
            computes(declared, NumPy)(lambda: function)
            numbers = (Real,) * len(inspect.signature(function).parameters)
            if check:
                from diffcurry.models.declaring import checked

                if callable(derivative):
                    check_takes(derivative, (Real, *numbers, Real))
                said = checked(Operation(declared), types or numbers, domain)
        return UserPrimitive(function, types or numbers, domain, said)

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
