"""``jvp``: forward mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.errors import WrongMode
from combinators.objects import Object, Tensor
from combinators.tracing.faces import put_together, take_apart
from combinators.tracing.scope import current
from diffcurry.closures import lower
from diffcurry.flat import basis, leaves
from diffcurry.function import Function
from diffcurry.modes import pushforward
from diffcurry.program import Program
from diffcurry.pushed import Pushed, check_tuples, tangents_of
from diffcurry.reverse import as_function, auxiliary
from diffcurry.scalar import check_scalar
from diffcurry.tangents import read_tangent, show_tangent


def jvp(f: Any, primals: Any = None, tangents: Any = None, *, has_aux: bool = False) -> Any:
    """``(value, tangent)`` of ``f`` at ``primals`` along ``tangents``, tuples of equal length.

    A tangent mirrors its argument; None is zero at any level, and an integer's has to be None.
    Without both, ``jvp(f)`` is the function of the arguments and then their tangents.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (np.float64(6.0), np.float64(3.0))
    """
    function = as_function(f)
    if primals is None and tangents is None:
        return Pushed(function, has_aux=has_aux)
    check_tuples(primals, tangents, "jvp")
    if current() is not None:
        given = tangents_of(tuple(primals), tuple(tangents))
        return Pushed(function, has_aux=has_aux)(*primals, *given)
    values = function.positional(tuple(primals), {})
    program = function.running(*values)
    lifted = function.lifted(program, values, pushforward().inner)
    read = [
        read_tangent(tangent, param.type, param.name, value)
        for tangent, param, value in zip(tangents, program.lam.params, lifted, strict=True)
    ]
    result, tangent = push(program, lifted, read)
    value = lower(result, program.cod, program.face)
    obj, face = auxiliary(program, has_aux)
    if has_aux:
        return value[0], show_tangent(tangent and tangent[0], obj, face), value[1]
    return value, show_tangent(tangent, obj, face)


def push(program: Program, values: Any, tangents: Any) -> tuple[Any, Any]:
    """The value and the tangent of a program, both as the carrier's."""
    mode = pushforward()
    with np.errstate(all="ignore"):
        return mode.push(program.arrow(mode), values, tuple(tangents))


def forward_gradient(
    function: Function[..., Any],
    values: tuple[Any, ...],
    which: tuple[int, ...],
    *,
    has_aux: bool,
) -> tuple[Any, tuple[Any, ...]]:
    """``(value, gradients)`` of a scalar function, a pushforward for each number of an argument."""
    program = function.running(*values)
    obj, _ = auxiliary(program, has_aux)
    check_scalar(obj)
    lifted = function.lifted(program, values, pushforward().inner)
    seed: list[Any] = [None] * len(values)
    result, _ = push(program, lifted, seed)
    gradients = []
    for i in which:
        arrays: list[Any] = [
            np.zeros(leaf.shape, leaf.dtype) if leaf.is_smooth else None
            for leaf in _numbers(program.types[i], i)
        ]
        for at, index, unit in basis(program.types[i]):
            _, moved = push(program, lifted, [*seed[:i], unit, *seed[i + 1 :]])
            moved = moved[0] if has_aux and moved is not None else moved
            arrays[at][index] = 0.0 if moved is None else moved
        parts = (None if array is None else array[()] for array in arrays)
        gradients.append(put_together(take_apart(values[i])[0], parts))
    return lower(result, program.cod, program.face), tuple(gradients)


def _numbers(obj: Object, index: int) -> list[Tensor]:
    """The leaves of the argument ``index``, which have to be tensors."""
    found = [leaf for leaf in leaves(obj) if isinstance(leaf, Tensor)]
    if len(found) != len(leaves(obj)):
        raise WrongMode(
            f"argument {index} is of type {obj!r}, and forward mode gives gradients of numbers "
            'only; for those of functions use mode="dependent" or "simple"'
        )
    return found
