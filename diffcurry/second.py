"""Second derivatives: reverse mode over forward mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Object, Tensor
from combinators.tracing.faces import take_apart
from combinators.tracing.scope import current
from combinators.type_folds import Layout
from diffcurry.composed import Composed, forward_jacobian
from diffcurry.cotangents import show
from diffcurry.flat import basis, flattened
from diffcurry.forward import jvp
from diffcurry.function import Function
from diffcurry.jacobians import Jacobian
from diffcurry.modes import second_order
from diffcurry.program import Program
from diffcurry.pushed import check_tuples
from diffcurry.reverse import as_function
from diffcurry.scalar import Argnums, check_scalar, chosen, is_many
from diffcurry.tangents import read_tangent
from diffcurry.transforms import Gradient
from interpreters.carriers.duals import Dual

P = ParamSpec("P")


def hvp(f: Callable[..., Any], primals: Any, tangents: Any, argnums: Argnums = 0) -> Any:
    """The Hessian of a scalar function times a vector: how its gradient moves along ``tangents``.

    ``primals`` and ``tangents`` are tuples, as for ``jvp``; the result mirrors argument
    ``argnums``, of which the gradient is taken.

    >>> hvp(lambda x: x * x * x, (2.0,), (1.0,))
    np.float64(12.0)
    """
    check_tuples(primals, tangents, "hvp")
    function = as_function(f)
    if current() is not None:
        return jvp(gradient_of(function, argnums), primals, tangents)[1]
    values = function.positional(tuple(primals), {})
    program = function.running(*values)
    which = chosen(argnums, len(values))
    read = [
        read_tangent(tangent, param.type, param.name)
        for tangent, param in zip(tangents, program.lam.params, strict=True)
    ]
    moved = _gradients_tangent(function, program, values, read, which)
    return moved if is_many(argnums) else moved[0]


def hessian(f: Callable[P, Any], argnums: Argnums = 0) -> Composed[P]:
    """The Hessian of a scalar function: the Jacobian of its gradient, laid out as by ``jacrev``.

    With a tuple of ``argnums``, a tuple of tuples.

    >>> hessian(lambda x: x[0] * x[1] * x[1])(np.array([2.0, 3.0]))
    array([[0., 6.],
           [6., 4.]])
    """
    function = as_function(f)

    def numbers(function: Function[..., Any], values: tuple[Any, ...]) -> Any:
        which = chosen(argnums, len(values))
        rows = [[_block(function, values, i, j) for j in which] for i in which]
        return tuple(map(tuple, rows)) if is_many(argnums) else rows[0][0]

    written = forward_jacobian(gradient_of(function, argnums), argnums)
    return Composed(function, written, numbers)


def gradient_of(function: Function[..., Any], argnums: Argnums) -> Gradient[Any]:
    """The gradient in the arguments ``argnums``."""
    return Gradient(function, argnums, has_aux=False, mode="dependent", with_value=False)


def _block(function: Function[..., Any], values: tuple[Any, ...], i: int, j: int) -> Any:
    """The derivative by argument j of the gradient of argument i."""
    program = function.running(*values)
    faces = [take_apart(value)[0] for value in values]
    jacobian = Jacobian(program.types[i], faces[i], program.types[j], faces[j])
    for at, index, unit in basis(program.types[j]):
        tangents = [unit if n == j else None for n in range(len(values))]
        (column,) = _gradients_tangent(function, program, values, tangents, (i,))
        for row, part in enumerate(flattened(column, faces[i])):
            if part is not None:
                jacobian.block(row, at)[(..., *index)] = part
    return jacobian.shown()


def _gradients_tangent(
    function: Function[..., Any],
    program: Program,
    args: tuple[Any, ...],
    tangents: list[Any],
    which: tuple[int, ...],
) -> tuple[Any, ...]:
    """How the gradients of the arguments ``which`` move along ``tangents``."""
    check_scalar(program.cod)
    mode = second_order()
    still = function.lifted(program, args, mode)
    values = tuple(map(_moving, still, tangents, program.types))
    seed = Dual(np.ones((), dtype=getattr(program.cod, "dtype", "float64"))[()])
    with np.errstate(all="ignore"):
        _, pull = mode.rep(program.arrow(mode), values)
        pulled = pull(seed) or {}
    moved = {i: _tangent_part(pulled.get(i)) for i in which}
    faces = {i: take_apart(args[i])[0] for i in which}
    return tuple(show(moved[i], program.types[i], faces[i], values[i], mode) for i in which)


def _moving(value: Any, tangent: Any, obj: Object) -> Any:
    """``value``, whose numbers do not move, moving along ``tangent``."""
    layout = Layout(obj)
    parts = zip(layout.flat(value), layout.flat(tangent), layout.leaves, strict=True)
    return layout.nested(_moving_leaf(*part) for part in parts)


def _moving_leaf(value: Any, tangent: Any, obj: Object) -> Any:
    if tangent is None:
        return value
    if not isinstance(obj, Tensor):
        raise TypeMismatch(f"hvp moves numbers; the tangent of {obj!r} is None")
    return Dual(value.primal, tangent)


def _tangent_part(cotangent: Any) -> Any:
    """The sparse cotangent that holds the tangents of a sparse cotangent of duals."""
    if isinstance(cotangent, Dual):
        return cotangent.tangent
    if type(cotangent) is dict:
        parts = {i: _tangent_part(part) for i, part in cotangent.items()}
        return {i: part for i, part in parts.items() if part is not None} or None
    return cotangent
