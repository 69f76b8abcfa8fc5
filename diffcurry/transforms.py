"""``grad`` and its family, with JAX's signatures: each gives a function of the language."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, ParamSpec, TypeVar

import numpy as np

from combinators.errors import NotDifferentiable, TypeMismatch, WrongMode
from combinators.tracing.faces import put_together, take_apart
from combinators.tracing.scope import current
from diffcurry.arguments import Argnums
from diffcurry.derivative import Gradient, Pushed, transformed
from diffcurry.function import Function, as_function
from diffcurry.known import tangents_of
from diffcurry.modes import Mode, check_mode
from diffcurry.recent import Recent, identity
from diffcurry.rep_function import Linearized, Pulled

P = ParamSpec("P")
R = TypeVar("R")


def at_once(
    f: Any,
    kind: Callable[..., Any],
    primals: Any,
    tangents: Any = (),
    *,
    of: Callable[[Function[..., Any]], Function[..., Any]] = lambda function: function,
    **options: Any,
) -> Any:
    """What a transform ``of`` a function gives at ``primals`` and along ``tangents``."""
    if current() is not None:
        given = tangents_of(tuple(primals), tuple(tangents)) if tangents else ()
        return kind(of(as_function(f)), **options)(*primals, *given)
    known = function_at_once(f)
    if known is None:
        function = of(as_function(f))
        values = function.positional(tuple(primals), {})
        return kind(function, **options).evaluate((*values, *tangents))
    if tangents:  # they stand after all arguments, those of their defaults too
        primals = (*known.positional(tuple(primals), {}), *tangents)
    return transformed(of(known), kind, **options)(*primals)


def check_tuples(primals: Any, tangents: Any, name: str) -> None:
    """Raise unless these are two tuples of one length."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeMismatch(f"{name}(f, primals, tangents) takes two tuples, one entry an argument")
    if len(primals) != len(tangents):
        raise TypeMismatch(f"{name} was given {len(primals)} primals and {len(tangents)} tangents")


def value_and_grad(
    f: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    mode: Mode = "dependent",
) -> Gradient[P]:
    """The function that gives ``(value, gradient)`` of a function with a scalar result.

    The gradient is that of the argument ``argnums``, or a tuple of them; it mirrors the argument.
    With ``has_aux`` the function gives ``(value, aux)``, and so ``((value, aux), gradient)`` comes
    back. In ``mode="dependent"`` a function's gradient is that of what it captures, by name; in
    ``"simple"`` it is the list of its calls; ``"delta"`` takes no function arguments, and goes by
    dual arrays; ``"forward"`` runs once an input number.

    >>> import diffcurry as dc
    >>> value_and_grad(lambda x, y: x * y)(2.0, 5.0)
    (np.float64(10.0), np.float64(5.0))
    """
    check_mode(mode)
    return Gradient(as_function(f), argnums=argnums, has_aux=has_aux, mode=mode, with_value=True)


def grad(
    f: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    mode: Mode = "dependent",
) -> Gradient[P]:
    """The gradient of a function with a scalar result; see ``value_and_grad``.

    It is a function of the language as what ``fun`` gives is: it has a term, it is differentiated
    again, and it can be used while another function is traced. With ``has_aux`` it gives
    ``(gradient, aux)``.

    >>> import numpy as np
    >>> grad(lambda x: np.sin(x) * x)(0.0)
    np.float64(0.0)
    >>> grad(grad(lambda x: x * x * x))(2.0)
    np.float64(12.0)
    """
    check_mode(mode)
    return Gradient(as_function(f), argnums=argnums, has_aux=has_aux, mode=mode, with_value=False)


def vjp(
    f: Callable[..., Any], *primals: Any, has_aux: bool = False, mode: Mode = "dependent"
) -> Any:
    """``(value, pullback)``, and ``aux`` where the function has one.

    ``pullback(cotangent)`` gives a tuple, the cotangent of each argument; it can be called again.
    The cotangent of a function-typed result is a list of ``(argument, cotangent)`` pairs or a
    mapping of what the function captured, by name. Without ``primals``, ``vjp(f)`` is the
    function that gives both.

    >>> value, pullback = vjp(lambda x, y: (x * y, x), 2.0, 3.0)
    >>> pullback((1.0, 10.0))
    (np.float64(13.0), np.float64(2.0))
    """
    check_mode(mode, reverse_only="vjp")
    if not primals:
        return Pulled(as_function(f), has_aux=has_aux, mode=mode)
    return at_once(f, Pulled, primals, has_aux=has_aux, mode=mode)


def jvp(f: Any, primals: Any = None, tangents: Any = None, *, has_aux: bool = False) -> Any:
    """``(value, tangent)`` of ``f`` at ``primals`` along ``tangents``, tuples of equal length.

    A tangent mirrors its argument; None is zero at any level, and an integer's has to be None.
    Without both, ``jvp(f)`` is the function of the arguments and then their tangents.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (np.float64(6.0), np.float64(3.0))
    """
    if primals is None and tangents is None:
        return Pushed(as_function(f), has_aux=has_aux)
    check_tuples(primals, tangents, "jvp")
    return at_once(f, Pushed, primals, tangents, has_aux=has_aux)


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """``(value, derivative)``, where ``derivative(*tangents)`` is the result's tangent there.

    The value is computed once, and with it what the derivative needs: each tangent runs the linear
    part alone.

    >>> value, derivative = linearize(lambda x: x * x * x, 2.0)
    >>> derivative(1.0), derivative(0.5)
    (np.float64(12.0), np.float64(6.0))
    """
    value, derivative = at_once(f, Linearized, primals, has_aux=False, mode="dependent")
    return value, derivative


def linear_transpose(f: Callable[..., Any], *primals: Any) -> Callable[[Any], tuple[Any, ...]]:
    """The transpose of ``f``, which is linear in all its arguments together.

    ``primals`` only say the types. Raises NotDifferentiable where ``f`` is seen not to be linear,
    which is looked at in numbers: in a program, WrongMode.

    >>> linear_transpose(lambda x, y: 2.0 * x + 3.0 * y, 0.0, 0.0)(1.0)
    (np.float64(2.0), np.float64(3.0))
    """
    if current() is not None:
        raise WrongMode(
            "linear_transpose looks whether f is linear, in numbers, which a trace does not have; "
            "write vjp(f, x)[1], which is the transpose of a linear f"
        )
    random = np.random.default_rng(0)

    def drawn(leaf: Any) -> Any:
        array = np.asarray(leaf)
        return random.uniform(0.5, 1.5, array.shape).astype(array.dtype)[()]

    points = tuple(_map_leaves(p, drawn) for p in primals)
    doubled = tuple(_map_leaves(p, lambda x: 2 * x) for p in points)
    pullback: Callable[[Any], tuple[Any, ...]]
    once, pullback = vjp(f, *points)
    twice, _ = vjp(f, *doubled)
    for x, y in zip(take_apart(once)[1], take_apart(twice)[1], strict=True):
        if not np.allclose(2 * np.asarray(x), y, rtol=1e-4, atol=1e-6, equal_nan=True):
            raise NotDifferentiable(
                "linear_transpose takes a linear function, and this one maps 2x not to twice "
                f"what it maps x to: {y} and {x}; for the transpose of a derivative use vjp"
            )
    return pullback


def _map_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    face, leaves = take_apart(value)
    return put_together(face, iter([change(leaf) for leaf in leaves]))


RECENT: Recent[Function[..., Any]] = Recent()
"""Plain functions that were given to ``vjp`` and the like, which are called at once."""


def function_at_once(f: Any) -> Function[..., Any] | None:
    """``f`` as a function that is called at once; None where it is not worth compiling yet."""
    plain = f.__func__ if isinstance(f, MethodType) else f
    if not isinstance(plain, FunctionType | np.ufunc):
        return as_function(f)
    code = getattr(plain, "__code__", plain)
    return RECENT.of(code, identity(f), f, lambda: as_function(f).watched())


pullback = vjp
pushforward = jvp
