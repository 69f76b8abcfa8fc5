"""Derivatives at numbers by interpretation: the definition, and the way for what has no code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import NotDifferentiable, TypeMismatch, WrongMode
from combinators.objects import Fun, Object, Tensor, Vector, components
from combinators.tracing.faces import Face, put_together, take_apart
from combinators.type_folds import Layout
from diffcurry.arguments import (
    Argnums,
    basis,
    beside,
    check_scalar,
    chosen,
    flattened,
    is_many,
    is_number,
    leaves,
    of_pair,
)
from diffcurry.closures import lower
from diffcurry.cotangents import read, show
from diffcurry.function import Function, as_function
from diffcurry.modes import Mode, Pulling, pushforward, reverse, second_order
from diffcurry.program import Program
from diffcurry.tangents import read_tangent, show_tangent
from interpreters.carriers.duals import Dual
from interpreters.deltas.lines import check_first_order
from interpreters.execution.running import Running
from interpreters.modes.delta import Deltas
from interpreters.sparse_cotangents import Cotangent

Blocks = dict[tuple[int, int], Any]
"""The derivative of result leaf i by argument leaf j, of the shape of both together."""


class Ran(NamedTuple):
    """A function that was run once, forwards, and its pullback there."""

    program: Program
    mode: Pulling
    args: tuple[Any, ...]
    values: tuple[Any, ...]
    result: Any
    pull: Callable[[Cotangent], Cotangent]

    @property
    def cod(self) -> Object:
        """The type of the result."""
        return self.program.cod

    def value(self) -> Any:
        """The result as the user gets it."""
        return lower(self.result, self.cod, self.program.face)

    def gradients(self, cotangent: Cotangent, which: tuple[int, ...]) -> tuple[Any, ...]:
        """The cotangents of the arguments ``which``, each in its argument's containers."""
        with np.errstate(all="ignore"):
            pulled = self.pull(cotangent) or {}
        types, values, mode = self.program.types, self.values, self.mode
        return tuple(show(pulled.get(i), types[i], self.face(i), values[i], mode) for i in which)

    def face(self, index: int) -> Face | None:
        """The containers of argument ``index``."""
        if components(self.program.types[index]) is None:
            return None
        return take_apart(self.args[index])[0]


def run(f: Any, args: tuple[Any, ...], mode: str) -> Ran:
    """``f`` at ``args`` in a reverse mode."""
    function = as_function(f)
    program = function.running(*args)
    category = reverse(mode)
    if isinstance(category, Deltas):
        for obj in (*program.types, program.cod):
            check_first_order(obj)
    values = program.lifted(args, values_of(category))
    with np.errstate(all="ignore"):
        result, pull = category.rep(program.arrow(category), values)
    return Ran(program, category, args, values, result, pull)


def values_of(category: Pulling) -> Running:
    """The mode of the values that ``rep`` takes."""
    return category.inner if isinstance(category, Deltas) else category


def auxiliary(program: Program, has_aux: bool) -> tuple[Object, Face | None]:
    """The type and the face of the differentiated result, of which ``(result, aux)`` may hold."""
    return of_pair(program.cod, program.face, has_aux)


def jvp(
    function: Function[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    has_aux: bool,
) -> tuple[Any, ...]:
    """The value and the tangent, and the auxiliary result where there is one."""
    values = function.positional(tuple(primals), {})
    program = function.running(*values)
    lifted = program.lifted(values, pushforward().inner)
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
    lifted = program.lifted(values, pushforward().inner)
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


def reverse_jacobian(
    function: Function[..., Any], values: tuple[Any, ...], *, argnums: Argnums, mode: str
) -> Any:
    """The Jacobian, a pullback for each number of the result."""
    ran = run(function, values, mode)

    def blocks(which: int) -> Jacobian:
        jacobian = Jacobian(ran.cod, ran.program.face, ran.program.types[which], ran.face(which))
        for at, index, unit in basis(ran.cod):
            (row,) = ran.gradients(_sparse(unit), (which,))
            for j, part in enumerate(flattened(row, ran.face(which))):
                if part is not None:
                    jacobian.block(at, j)[index] = part
        return jacobian

    return _of_each(argnums, len(values), blocks, ran.program.face)


def forward_jacobian(
    function: Function[..., Any], values: tuple[Any, ...], *, argnums: Argnums
) -> Any:
    """The Jacobian, a pushforward for each number of the argument."""
    program = function.running(*values)
    lifted = program.lifted(values, pushforward().inner)
    result = Layout(program.cod)

    def blocks(which: int) -> Jacobian:
        face = take_apart(values[which])[0]
        jacobian = Jacobian(program.cod, program.face, program.types[which], face)
        for j, index, unit in basis(program.types[which]):
            tangents = [unit if i == which else None for i in range(len(values))]
            _, column = push(program, lifted, tangents)
            for at, part in enumerate(result.flat(column)):
                if part is not None:
                    jacobian.block(at, j)[(..., *index)] = part
        return jacobian

    return _of_each(argnums, len(values), blocks, program.face)


def _of_each(
    argnums: Argnums, count: int, blocks: Callable[[int], Jacobian], face: Face | None
) -> Any:
    shown = [blocks(index).shown() for index in chosen(argnums, count)]
    return beside(shown, face) if is_many(argnums) else shown[0]


def hvp(
    function: Function[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    argnums: Argnums,
) -> Any:
    """How the gradient of a scalar function moves: reverse mode over forward mode."""
    values = function.positional(primals, {})
    program = function.running(*values)
    which = chosen(argnums, len(values))
    read = [
        read_tangent(tangent, param.type, param.name)
        for tangent, param in zip(tangents, program.lam.params, strict=True)
    ]
    moved = _moving_gradients(program, values, read, which)
    return moved if is_many(argnums) else moved[0]


def hessian(function: Function[..., Any], values: tuple[Any, ...], *, argnums: Argnums) -> Any:
    """The Hessian of a scalar function, a moving gradient for each number of the argument."""
    program = function.running(*values)
    which = chosen(argnums, len(values))
    rows = [[_hessian_block(program, values, i, j) for j in which] for i in which]
    return tuple(map(tuple, rows)) if is_many(argnums) else rows[0][0]


def _hessian_block(program: Program, values: tuple[Any, ...], i: int, j: int) -> Any:
    """The derivative by argument j of the gradient of argument i."""
    faces = [take_apart(value)[0] for value in values]
    jacobian = Jacobian(program.types[i], faces[i], program.types[j], faces[j])
    for at, index, unit in basis(program.types[j]):
        tangents = [unit if n == j else None for n in range(len(values))]
        (column,) = _moving_gradients(program, values, tangents, (i,))
        for row, part in enumerate(flattened(column, faces[i])):
            if part is not None:
                jacobian.block(row, at)[(..., *index)] = part
    return jacobian.shown()


def _moving_gradients(
    program: Program,
    args: tuple[Any, ...],
    tangents: list[Any],
    which: tuple[int, ...],
) -> tuple[Any, ...]:
    """How the gradients of the arguments ``which`` move along ``tangents``."""
    check_scalar(program.cod)
    mode = second_order()
    still = program.lifted(args, mode)
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


def vjp(
    function: Function[..., Any], primals: tuple[Any, ...], *, has_aux: bool, mode: Mode
) -> tuple[Any, ...]:
    """The value and the pullback there, and the auxiliary result where there is one."""
    ran = run(function, primals, mode)
    obj, _ = auxiliary(ran.program, has_aux)

    def pullback(*cotangents: Any) -> tuple[Any, ...]:
        check_one_cotangent(cotangents)
        (cotangent,) = cotangents
        result = ran.result[0] if has_aux else ran.result
        given = read(cotangent, obj, result, "the result", ran.mode)
        seed = {0: given} if has_aux and given is not None else given
        return ran.gradients(seed, tuple(range(len(primals))))

    value = ran.value()
    return (value[0], pullback, value[1]) if has_aux else (value, pullback)


def gradients(ran: Ran, which: tuple[int, ...], *, has_aux: bool) -> tuple[Any, ...]:
    """The gradients of a function that was run, in the arguments ``which``."""
    obj, _ = auxiliary(ran.program, has_aux)
    check_scalar(obj)
    assert isinstance(obj, Tensor)
    seed = np.ones((), dtype=obj.dtype)[()]
    return ran.gradients({0: seed} if has_aux else seed, which)


def check_one_cotangent(cotangents: tuple[Any, ...]) -> None:
    """Raise unless a pullback is given one argument."""
    if len(cotangents) != 1:
        raise TypeMismatch(
            "a pullback takes one argument, the cotangent of the result, which mirrors it; "
            f"it was given {len(cotangents)}"
        )
