"""``jvp``: forward mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.errors import TypeMismatch, WrongMode
from combinators.objects import Tensor
from combinators.tracing.trees import put_together, take_apart
from diffcurry.closures import lower
from diffcurry.function import Function
from diffcurry.modes import pushforward
from diffcurry.program import Program
from diffcurry.reverse import as_function, auxiliary, refuse_to_trace
from diffcurry.scalar import check_scalar
from diffcurry.tangents import basis, leaves, read_tangent, show_tangent, smooth_leaves


def jvp(f: Any, primals: Any, tangents: Any, *, has_aux: bool = False) -> tuple[Any, ...]:
    """``(value, tangent)`` of ``f`` at ``primals`` along ``tangents``, tuples of equal length.

    A tangent mirrors its argument; None is zero at any level, and an integer's has to be None.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (np.float64(6.0), np.float64(3.0))
    """
    refuse_to_trace("jvp")
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeMismatch("jvp(f, primals, tangents) takes two tuples, one entry an argument")
    if len(primals) != len(tangents):
        raise TypeMismatch(f"jvp was given {len(primals)} primals and {len(tangents)} tangents")
    function = as_function(f)
    values = function.positional(tuple(primals), {})
    program = function.program(*values)
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
    program = function.program(*values)
    obj, _ = auxiliary(program, has_aux)
    check_scalar(obj)
    lifted = function.lifted(program, values, pushforward().inner)
    result, _ = push(program, lifted, [None] * len(values))
    gradients = []
    for i in which:
        if not all(isinstance(leaf, Tensor) for leaf in leaves(program.types[i])):
            raise WrongMode(
                f"argument {i} is of type {program.types[i]!r}, and forward mode gives gradients "
                'of numbers only; for those of functions use mode="dependent" or "simple"'
            )
        face, _ = take_apart(values[i])
        arrays = {
            at: np.zeros(leaf.shape, leaf.dtype) for at, leaf in smooth_leaves(program.types[i])
        }
        for at, _, index, unit in basis(program.types[i]):
            tangents = [unit if n == i else None for n in range(len(values))]
            _, moved = push(program, lifted, tangents)
            moved = moved[0] if has_aux and moved is not None else moved
            arrays[at][index] = 0.0 if moved is None else moved
        count = len(list(leaves(program.types[i])))
        parts = [arrays[at][()] if at in arrays else None for at in range(count)]
        gradients.append(put_together(face, iter(parts)))
    return lower(result, program.cod, program.face), tuple(gradients)
