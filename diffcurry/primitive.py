"""``primitive``: primitives of the user's own, in one decorator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from combinators.errors import NameTaken, TypeMismatch
from combinators.objects import Object, Real
from combinators.operation import PRIMITIVES, Derivative, Pointwise, Promotion, Typing, declare
from combinators.primitives.signatures import common_float, pointwise
from combinators.tracing.emit import apply
from combinators.tracing.functions import check_takes
from combinators.tracing.scope import current
from diffcurry.function import Function
from interpreters.carriers.carrier import computes
from interpreters.carriers.numpy import NumPy

Domain = tuple[float, float]
_OURS = frozenset(PRIMITIVES)


class UserPrimitive:
    """A declared primitive: a function of the language, with values in one carrier or more."""

    checked: str
    """Which laws it was asked for when it was declared, and where; empty if for none."""

    def __init__(
        self,
        function: Callable[..., Any],
        types: tuple[Object, ...],
        domain: Domain | None = None,
        *,
        pinned: bool = False,
    ) -> None:
        """The primitive whose NumPy value is ``function``, asked at ``types`` in a ``domain``.

        One that is ``pinned`` is meant for those types alone.
        """
        self.declared, self.types = PRIMITIVES[function.__name__], types
        self.domain, self.pinned, self.checked = domain, pinned, ""
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
    domain: Domain | None = None,
    check: bool = True,
) -> Callable[[Callable[..., Any]], UserPrimitive]:
    """Declare a primitive whose NumPy value is the decorated function.

    ``derivative`` is one of the forms of ``combinators.operation``, or the rule of a pointwise
    function, ``rule(v, *xs, y)``: what ``∂y/∂xᵢ · v`` is, for each argument, written in the
    language itself and linear in ``v``. ``typing`` gives the result's type from the arguments'.
    The laws of primitives are asked at points of ``types`` (by default numbers): the value has the
    type that ``typing`` says, the transpose is linear, forward and reverse are each other's
    transposes, the pushforward is how the value changes, and the rationals agree where they have
    the primitive. What is ``pointwise`` is asked at arrays too, where it has to be element by
    element and to leave its arguments alone; ``types`` pins it to the types that they say. The
    numbers are of both signs, from 0.3 to 4 in size, or lie in ``domain``; a point at which the
    value raises or is not finite is left out, and where that is every point, DomainError says so.
    They are random, and a counterexample is the smallest that was found; where hypothesis is not
    installed, or the function is slow, they are fixed and few, and ``checked`` says so.

    A law that fails raises WrongDerivative, and one that could not be asked DomainError or
    MissingRule. TypeMismatch says what is no derivative, no domain, or not of the types. Declaring
    it again replaces it; a name of the language's own raises NameTaken.

    >>> import diffcurry as dc, numpy as np
    >>> @primitive(lambda v, x, y: dc.scale(v, dc.cos(x)))
    ... def sine(x):
    ...     return np.sin(x)
    >>> dc.grad(sine)(0.0)
    np.float64(1.0)
    """
    form = _form(derivative)
    _check_domain(domain)
    if not callable(typing):
        raise TypeMismatch(
            f"typing is a function, from the types of arguments to a result's, and not {typing!r}"
        )

    def register(function: Callable[..., Any]) -> UserPrimitive:
        name = _name(function)
        _refuse_ours(name)
        asked = _arguments(function, types)
        with _withdrawn_on_failure(name):
            declared = declare(name, typing, form, promote=promote, kink=kink)
            computes(declared, NumPy)(lambda: function)
            made = UserPrimitive(function, asked, domain, pinned=types is not None)
            if check:
                from diffcurry.models.declaring import checked

                if isinstance(form, Pointwise):
                    _check_takes(form.rule, (Real, *asked, Real), "a rule takes v, all xs, and y")
                made.checked = checked(made)
        return made

    return register


def _form(derivative: Any) -> Derivative:
    """A form of derivatives; a function is the rule of a pointwise one."""
    if isinstance(derivative, Derivative):
        return derivative
    if callable(derivative) and not isinstance(derivative, type):
        return Pointwise(derivative)
    raise TypeMismatch(
        "derivative is a rule, as in lambda v, x, y: dc.scale(v, 2.0 * x), or a form of "
        f"combinators.operation, as in Linear(transpose), and not {derivative!r}"
    )


def _check_domain(domain: Any) -> None:
    if domain is None:
        return
    try:
        low, high = domain
        if -np.inf < low < high < np.inf:
            return
    except (TypeError, ValueError):
        pass
    raise TypeMismatch(f"domain is two numbers, (low, high), the lower first, and not {domain!r}")


def _name(function: Any) -> str:
    name = getattr(function, "__name__", None)
    if callable(function) and isinstance(name, str):
        return name
    raise TypeMismatch(
        f"a primitive is declared of a function with a name, and this is {function!r}; "
        "write a def that calls it"
    )


def _arguments(function: Callable[..., Any], types: Any) -> tuple[Object, ...]:
    """The types of the arguments: numbers, where none are said."""
    said = (Real,) * _count(function) if types is None else types
    if not isinstance(said, tuple | list) or not all(isinstance(obj, Object) for obj in said):
        raise TypeMismatch(
            f"types is a tuple of a type for each argument, as in types=(Real,), and not {said!r}"
        )
    if not said:
        raise TypeMismatch(
            f"a primitive has one argument or more, and {function.__name__} has none; "
            "a constant needs no primitive"
        )
    _check_takes(function, said, "a primitive is called with an argument for each of its types")
    return tuple(said)


def _check_takes(function: Callable[..., Any], types: Sequence[Object], because: str) -> None:
    try:
        check_takes(function, types)
    except TypeMismatch as error:
        raise TypeMismatch(f"{error.args[0]}; {because}", error.place) from None


def _count(function: Callable[..., Any]) -> int:
    """How many arguments it takes by position."""
    try:
        kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
    except ValueError:  # a function of C without a signature
        kinds = [_MANY]
    if _MANY in kinds:
        raise TypeMismatch(
            f"how many arguments {function.__name__} takes cannot be told; say their types, as in "
            "types=(Real, Real)"
        )
    return sum(kind in _ONE for kind in kinds)


_MANY = inspect.Parameter.VAR_POSITIONAL
_ONE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


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
