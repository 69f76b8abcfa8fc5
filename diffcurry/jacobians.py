"""Whole Jacobians: as programs, and of values that programs do not take a row at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from combinators.errors import NotDifferentiable
from combinators.objects import Fun, Object, Tensor, Vector
from combinators.tracing.faces import Face, put_together, take_apart
from combinators.type_folds import Layout
from diffcurry.composed import Composed, forward_jacobian, reverse_jacobian
from diffcurry.flat import basis, flattened, is_number, leaves
from diffcurry.forward import push
from diffcurry.modes import Mode, check_mode, pushforward
from diffcurry.reverse import as_function, run
from diffcurry.scalar import Argnums, chosen, is_many
from interpreters.tangents.cotangents import Cotangent

P = ParamSpec("P")
Blocks = dict[tuple[int, int], Any]
"""The derivative of result leaf i by argument leaf j, of the shape of both together."""


def jacrev(f: Callable[P, Any], argnums: Argnums = 0, *, mode: Mode = "dependent") -> Composed[P]:
    """The Jacobian, a pullback for each number of the result, all of them at once.

    It has the containers of the result, and in each leaf those of the argument; the arrays have
    the shape of the result's leaf followed by that of the argument's.

    >>> jacrev(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    check_mode(mode, reverse_only="jacrev")
    function = as_function(f)

    def blocks(function: Any, values: tuple[Any, ...], which: int) -> Jacobian:
        ran = run(function, values, mode)
        jacobian = Jacobian(ran.cod, ran.program.face, ran.program.types[which], ran.face(which))
        for at, index, unit in basis(ran.cod):
            (row,) = ran.gradients(_sparse(unit), (which,))
            for j, part in enumerate(flattened(row, ran.face(which))):
                if part is not None:
                    jacobian.block(at, j)[index] = part
        return jacobian

    written = reverse_jacobian(function, argnums, mode)
    return Composed(function, written, _numbers(argnums, blocks))


def jacfwd(f: Callable[P, Any], argnums: Argnums = 0) -> Composed[P]:
    """The Jacobian, a pushforward for each number of the argument; laid out as by ``jacrev``."""
    function = as_function(f)

    def blocks(function: Any, values: tuple[Any, ...], which: int) -> Jacobian:
        program = function.running(*values)
        lifted = function.lifted(program, values, pushforward().inner)
        face = take_apart(values[which])[0]
        jacobian = Jacobian(program.cod, program.face, program.types[which], face)
        result = Layout(program.cod)
        for j, index, unit in basis(program.types[which]):
            tangents = [unit if i == which else None for i in range(len(values))]
            _, column = push(program, lifted, tangents)
            for at, part in enumerate(result.flat(column)):
                if part is not None:
                    jacobian.block(at, j)[(..., *index)] = part
        return jacobian

    return Composed(function, forward_jacobian(function, argnums), _numbers(argnums, blocks))


def jacobian(f: Callable[P, Any], argnums: Argnums = 0, *, mode: Mode = "dependent") -> Composed[P]:
    """The Jacobian, in the given mode: see ``jacrev`` and ``jacfwd``."""
    check_mode(mode)
    return jacfwd(f, argnums) if mode == "forward" else jacrev(f, argnums, mode=mode)


class Jacobian:
    """The blocks of a Jacobian between two first-order objects."""

    def __init__(
        self, result: Object, result_face: Face | None, argument: Object, argument_face: Face | None
    ) -> None:
        self._rows, self._columns = leaves(result), leaves(argument)
        self._row_face, self._column_face = result_face, argument_face
        for leaf in (*self._rows, *self._columns):
            if isinstance(leaf, Fun | Vector):
                raise NotDifferentiable(
                    f"a Jacobian is between numbers, and {leaf!r} holds functions; use vjp or jvp"
                )
        self._blocks: Blocks = {}

    def block(self, i: int, j: int) -> Any:
        """The array of block (i, j), to be filled."""
        row, column = self._rows[i], self._columns[j]
        assert isinstance(row, Tensor)
        assert isinstance(column, Tensor)
        if (i, j) not in self._blocks:
            self._blocks[i, j] = np.zeros((*row.shape, *column.shape), dtype=column.dtype)
        return self._blocks[i, j]

    def shown(self) -> Any:
        """In the containers of the result, and inside in those of the argument."""
        rows = []
        for i, row in enumerate(self._rows):
            columns = [
                self.block(i, j)[()] if is_number(row) and is_number(column) else None
                for j, column in enumerate(self._columns)
            ]
            rows.append(put_together(self._column_face, iter(columns)))
        return put_together(self._row_face, iter(rows))


def _sparse(unit: Any) -> Cotangent:
    """A basis tangent as a cotangent: its place, and nothing else."""
    if type(unit) is not tuple:
        return unit
    return {i: _sparse(part) for i, part in enumerate(unit) if part is not None}


def _numbers(
    argnums: Argnums, blocks: Callable[[Any, tuple[Any, ...], int], Jacobian]
) -> Callable[[Any, tuple[Any, ...]], Any]:
    def numbers(function: Any, values: tuple[Any, ...]) -> Any:
        which = chosen(argnums, len(values))
        shown = [blocks(function, values, index).shown() for index in which]
        return tuple(shown) if is_many(argnums) else shown[0]

    return numbers
