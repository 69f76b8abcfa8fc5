"""``grad`` and its family, with JAX's signatures."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from combinators.objects import Tensor
from diffcurry.cotangents import read
from diffcurry.forward import forward_gradient, jvp
from diffcurry.modes import Mode, check_mode
from diffcurry.reverse import Ran, as_function, auxiliary, refuse_to_trace, run
from diffcurry.scalar import Argnums, check_scalar, chosen

P = ParamSpec("P")


def value_and_grad(
    f: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    mode: Mode = "dependent",
) -> Callable[P, tuple[Any, Any]]:
    """The function that gives ``(value, gradient)`` of a function with a scalar result.

    The gradient is that of the argument ``argnums``, or a tuple of them; it mirrors the argument.
    With ``has_aux`` the function gives ``(value, aux)``, and so ``((value, aux), gradient)`` comes
    back. In ``mode="dependent"`` a function's gradient is that of what it captures, by name; in
    ``"simple"`` it is the list of its calls; ``"forward"`` runs once an input number.

    >>> import diffcurry as dc
    >>> value_and_grad(lambda x, y: x * y)(2.0, 5.0)
    (np.float64(10.0), np.float64(5.0))
    """
    check_mode(mode)
    function = as_function(f)

    @functools.wraps(function)
    def transformed(*args: P.args, **kwargs: P.kwargs) -> tuple[Any, Any]:
        refuse_to_trace("grad")
        values = function.positional(args, kwargs)
        which = chosen(argnums, len(values))
        if mode == "forward":
            value, gradients = forward_gradient(function, values, which, has_aux=has_aux)
        else:
            ran = run(function, values, mode)
            gradients = _gradients(ran, which, has_aux=has_aux)
            value = ran.value()
        return value, gradients if isinstance(argnums, tuple) else gradients[0]

    return transformed


def grad(
    f: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    mode: Mode = "dependent",
) -> Callable[P, Any]:
    """The gradient of a function with a scalar result; see ``value_and_grad``.

    With ``has_aux`` it gives ``(gradient, aux)``.

    >>> import numpy as np
    >>> grad(lambda x: np.sin(x) * x)(0.0)
    np.float64(0.0)
    """
    both = value_and_grad(f, argnums, has_aux=has_aux, mode=mode)

    @functools.wraps(both)
    def transformed(*args: P.args, **kwargs: P.kwargs) -> Any:
        value, gradient = both(*args, **kwargs)
        return (gradient, value[1]) if has_aux else gradient

    return transformed


def vjp(
    f: Callable[..., Any], *primals: Any, has_aux: bool = False, mode: Mode = "dependent"
) -> tuple[Any, ...]:
    """``(value, pullback)``, and ``aux`` where the function has one.

    ``pullback(cotangent)`` gives a tuple, the cotangent of each argument; it can be called again.
    The cotangent of a function-typed result is a list of ``(argument, cotangent)`` pairs or a
    mapping of what the function captured, by name.

    >>> value, pullback = vjp(lambda x, y: (x * y, x), 2.0, 3.0)
    >>> pullback((1.0, 10.0))
    (np.float64(13.0), np.float64(2.0))
    """
    check_mode(mode, reverse_only="vjp")
    refuse_to_trace("vjp")
    ran = run(f, as_function(f).positional(primals, {}), mode)
    obj, _ = auxiliary(ran.program, has_aux)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        result = ran.result[0] if has_aux else ran.result
        given = read(cotangent, obj, result, "the result", ran.mode)
        seed = {0: given} if has_aux and given is not None else given
        return ran.gradients(seed, tuple(range(len(primals))))

    value = ran.value()
    return (value[0], pullback, value[1]) if has_aux else (value, pullback)


pullback = vjp
pushforward = jvp


def _gradients(ran: Ran, which: tuple[int, ...], *, has_aux: bool) -> tuple[Any, ...]:
    obj, _ = auxiliary(ran.program, has_aux)
    check_scalar(obj)
    assert isinstance(obj, Tensor)
    seed = np.ones((), dtype=obj.dtype)[()]
    return ran.gradients({0: seed} if has_aux else seed, which)
