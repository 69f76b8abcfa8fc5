"""Derivatives at numbers by interpretation: the definition, and the way for what has no code.

Whole Jacobians are made of derivatives along a basis, in a program and at numbers alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import NotDifferentiable, TypeMismatch, WrongMode
from combinators.objects import Mu, Object, Sum, Tensor
from combinators.operation import check_size
from combinators.spaces import SPACES, Space, coordinates_of
from combinators.tracing.control import map as map_rows
from combinators.tracing.faces import Face, flattened, paths, put_together, take_apart
from combinators.tracing.functions import natural
from combinators.tracing.scope import current
from combinators.tracing.traced import LIBRARY
from combinators.type_folds import columns_of, cotangent_of
from combinators.value_folds import map_leaves
from diffcurry.arguments import (
    Argnums,
    check_scalar,
    chosen,
    face_at,
    is_many,
    leaves,
    numbers_along,
    of_pair,
)
from diffcurry.closures import lower
from diffcurry.function import Function
from diffcurry.modes import Mode, pushforward, reverse, second_order
from diffcurry.tangents import read, read_tangent, show, show_tangent
from interpreters.carriers.duals import Dual
from interpreters.deltas.lines import check_first_order
from interpreters.modes.delta import Deltas
from interpreters.sparse_cotangents import Cotangent

# ---- reverse mode --------------------------------------------------------------------------------


class Ran(NamedTuple):
    """A function that was run once, forwards: its value, and its pullback there."""

    value: Any
    """As the user gets it."""
    obj: Object
    """The type of what is differentiated: without what is auxiliary."""
    read: Callable[[Any], Cotangent]
    """From a user's cotangent to that of the mode."""
    pull: Callable[..., tuple[Any, ...]]
    """From that to the cotangents of arguments, each in its argument's containers."""


def run(function: Function[..., Any], args: tuple[Any, ...], mode: str, *, has_aux: bool) -> Ran:
    """A function at ``args`` in a reverse mode."""
    program = function.running(*args)
    category, types = reverse(mode), program.types
    if isinstance(category, Deltas):
        for obj in (*types, program.cod):
            check_first_order(obj)
    values = program.lifted(args, category.inner if isinstance(category, Deltas) else category)
    with np.errstate(all="ignore"):
        result, pull = category.rep(program.arrow(category), values)
    obj, _ = of_pair(program.cod, program.face, has_aux)

    def given(cotangent: Any) -> Cotangent:
        return read(cotangent, obj, result[0] if has_aux else result, "the result", category)

    def pulled(seed: Cotangent, which: Sequence[int] = range(len(args))) -> tuple[Any, ...]:
        with np.errstate(all="ignore"):
            found = pull({0: seed} if has_aux and seed is not None else seed) or {}
        faces = [face_at(args[i], types[i]) for i in which]
        return tuple(
            show(found.get(i), types[i], face, values[i], category)
            for i, face in zip(which, faces, strict=True)
        )

    return Ran(lower(result, program.cod, program.face), obj, given, pulled)


def vjp(
    function: Function[..., Any], primals: tuple[Any, ...], *, has_aux: bool, mode: Mode
) -> tuple[Any, ...]:
    """The value and the pullback there, and the auxiliary result where there is one."""
    ran = run(function, primals, mode, has_aux=has_aux)

    def pullback(*cotangents: Any) -> tuple[Any, ...]:
        check_one_cotangent(cotangents)
        return ran.pull(ran.read(cotangents[0]))

    return (ran.value[0], pullback, ran.value[1]) if has_aux else (ran.value, pullback)


def check_one_cotangent(cotangents: tuple[Any, ...]) -> None:
    """Raise unless a pullback is given one argument."""
    if len(cotangents) != 1:
        raise TypeMismatch(
            "a pullback takes one argument, the cotangent of the result, which mirrors it; "
            f"it was given {len(cotangents)}"
        )


def gradient(
    function: Function[..., Any],
    args: tuple[Any, ...],
    which: tuple[int, ...],
    mode: str,
    *,
    has_aux: bool,
) -> tuple[Any, tuple[Any, ...]]:
    """``(value, gradients)`` of a scalar function in the arguments ``which``."""
    if mode == "forward":
        return _forward_gradient(function, args, which, has_aux=has_aux)
    ran = run(function, args, mode, has_aux=has_aux)
    check_scalar(ran.obj)
    return ran.value, ran.pull(np.ones((), getattr(ran.obj, "dtype", None))[()], which)


# ---- forward mode --------------------------------------------------------------------------------


def pushing(
    function: Function[..., Any], values: tuple[Any, ...], *, has_aux: bool = False
) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """From tangents of ``values`` to the value, the tangent, and what is auxiliary."""
    program, mode = function.running(*values), pushforward()
    lifted = program.lifted(values, mode.inner)
    obj, face = of_pair(program.cod, program.face, has_aux)

    def push(tangents: Sequence[Any]) -> tuple[Any, ...]:
        given = zip(tangents, program.lam.params, lifted, strict=True)
        read = tuple(read_tangent(t, param.type, param.name, value) for t, param, value in given)
        with np.errstate(all="ignore"):
            result, moved = mode.push(program.arrow(mode), lifted, read)
        value = lower(result, program.cod, program.face)
        if has_aux:
            return value[0], show_tangent(moved and moved[0], obj, face, result[0]), value[1]
        return value, show_tangent(moved, obj, face, result)

    return push


def _forward_gradient(
    function: Function[..., Any], values: tuple[Any, ...], which: tuple[int, ...], *, has_aux: bool
) -> tuple[Any, tuple[Any, ...]]:
    """A pushforward for each number of an argument."""
    program = function.running(*values)
    check_scalar(of_pair(program.cod, program.face, has_aux)[0])
    for i in which:
        each = leaves(program.types[i])
        if not all(isinstance(leaf, Tensor) or numbers_along(leaf) for leaf in each):
            raise WrongMode(
                f"argument {i} is of type {program.types[i]!r}, and forward mode gives gradients "
                "by numbers only; for those by functions, sums and lists use "
                'mode="dependent" or "simple"'
            )
    push = pushing(function, values, has_aux=has_aux)
    value, _, *aux = push((None,) * len(values))
    found = tuple(
        _tangents(values[i], columns(values, i, lambda *along: push(along)[1])) for i in which
    )
    return (value, *aux) if has_aux else value, found


def _tangents(value: Any, numbers: Any) -> Any:
    """The tangent of ``value`` that is made of these numbers."""
    face, given = take_apart(value)
    pairs = zip(flattened(numbers, face), given, strict=True)
    return put_together(face, (x if x is None else _as_tangent(x, leaf) for x, leaf in pairs))


def pushing_gradient(
    function: Function[..., Any], args: tuple[Any, ...], argnums: Argnums
) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """From tangents to the gradient of a scalar function and how it moves: reverse over forward."""
    program, mode = function.running(*args), second_order()
    check_scalar(program.cod)
    still, types = program.lifted(args, mode), program.types
    seed = Dual(np.ones((), dtype=getattr(program.cod, "dtype", "float64"))[()])

    def push(tangents: Sequence[Any]) -> tuple[Any, ...]:
        given = zip(tangents, program.lam.params, strict=True)
        read = [read_tangent(tangent, param.type, param.name) for tangent, param in given]
        values = tuple(map(_moving, still, read, types))
        with np.errstate(all="ignore"):
            _, pull = mode.rep(program.arrow(mode), values)
            pulled = pull(seed) or {}

        def shown(side: str) -> Any:
            found = tuple(
                show(_side(pulled.get(i), side), types[i], take_apart(args[i])[0], values[i], mode)
                for i in chosen(argnums, len(args))
            )
            return found if is_many(argnums) else found[0]

        return shown("primal"), shown("tangent")

    return push


def _moving(value: Any, tangent: Any, obj: Object) -> Any:
    """``value``, whose numbers do not move, moving along ``tangent``."""
    if tangent is None:
        return value

    def leaf(obj: Object, value: Any, tangent: Any) -> Any:
        if tangent is not None and not isinstance(obj, Tensor | Space):
            raise TypeMismatch(f"hvp moves numbers; the tangent of {obj!r} is None")
        return value if tangent is None else Dual(value.primal, tangent)

    return map_leaves(leaf, obj, value, tangent, parts=columns_of)


def _side(cotangent: Any, side: str) -> Any:
    """The sparse cotangent of the primals, or of the tangents, of one of duals."""
    if isinstance(cotangent, Dual):
        return getattr(cotangent, side)
    if type(cotangent) is dict:
        parts = {i: _side(part, side) for i, part in cotangent.items()}
        return {i: part for i, part in parts.items() if part is not None} or None
    return cotangent


# ---- along a basis -------------------------------------------------------------------------------


def between_numbers(types: Iterable[Object]) -> None:
    """What a Jacobian is by, and of, holds no functions."""
    for obj in types:
        for leaf in leaves(obj):
            if not isinstance(leaf, Tensor) and numbers_along(leaf) is None:
                holds = "adds as it says" if isinstance(leaf, Space) else "holds functions"
                holds = "has alternatives" if isinstance(leaf, Sum | Mu) else holds
                raise NotDifferentiable(
                    f"a Jacobian is between numbers, and {leaf!r} {holds}; use vjp or jvp"
                )


def columns(
    args: Sequence[Any], which: int, moved: Callable[..., Any], shown: Face | None = None
) -> Any:
    """The Jacobian by argument ``which``: how the result moves along every basis tangent of it.

    At numbers the result has the containers ``shown``.
    """
    face, given = take_apart(args[which])
    blocks: list[list[Any] | None] = []
    for at, leaf in enumerate(given):
        obj = _smooth(leaf)
        if obj is None:
            blocks.append(None)
            continue

        def column(unit: Any, at: int = at) -> Any:
            along = put_together(face, _one_moving(given, at, unit))
            return _as_numbers(moved(*(along if i == which else None for i in range(len(args)))))

        shown, parts = _along_basis(column, obj, shown)
        blocks.append([_last(part, obj) for part in parts])
    if current() is not None and not any(blocks):
        raise NotDifferentiable("a Jacobian is by numbers, and this argument holds none")
    found = [
        put_together(face, iter([block and block[row] for block in blocks]))
        for row, _ in enumerate(paths(shown, ""))
    ]
    return put_together(shown, iter(found))


def rows(value: Any, pullback: Callable[[Any], Any], which: int, shown: Face | None = None) -> Any:
    """The Jacobian by argument ``which``: the pullback of every basis cotangent of ``value``.

    At numbers the argument has the containers ``shown``.
    """
    face, given = take_apart(value)
    found: list[Any] = []
    for at, leaf in enumerate(given):
        obj = _smooth(leaf)
        if obj is None:
            found.append(put_together(shown, repeat(None)))
            continue

        def row(unit: Any, at: int = at) -> Any:
            return _as_numbers(pullback(put_together(face, _one_moving(given, at, unit)))[which])

        below, parts = _along_basis(row, obj, shown)
        first = [_shaped(p, (*obj.shape, *p.shape[1:])) if p is not None else p for p in parts]
        found.append(put_together(below, iter(first)))
    return put_together(face, iter(found))


def _smooth(leaf: Any) -> Tensor | None:
    """The type of a leaf that is made of reals."""
    return numbers_along(natural(leaf).type)


def _as_tangent(unit: Any, leaf: Any) -> Any:
    """Numbers as a tangent of ``leaf``, which may be of a class of the user's."""
    obj = cotangent_of(natural(leaf).type)
    if not isinstance(obj, Space):
        return unit
    declared = obj.declared
    return declared.shown(unit) if current() is None else LIBRARY["value_of"](declared, unit)


def _as_numbers(tangent: Any) -> Any:
    """A tangent, of which those of classes of the user's are their coordinates."""
    face, given = take_apart(tangent)
    of = LIBRARY["coordinates"] if current() is not None else coordinates_of
    return put_together(face, (of(x) if type(x) in SPACES else x for x in given))


def _one_moving(given: list[Any], at: int, unit: Any) -> Iterator[Any]:
    """Tangents of leaves, of which one moves; zeros in a program are written."""
    along = _as_tangent(unit, given[at])
    return (along if i == at else _at_rest(leaf) for i, leaf in enumerate(given))


def _at_rest(leaf: Any) -> Any:
    if current() is None:
        return None
    obj = _smooth(leaf)
    return () if obj is None else _as_tangent(np.zeros(obj.shape, obj.dtype)[()], leaf)


def _along_basis(
    along: Callable[[Any], Any], obj: Tensor, shown: Face | None
) -> tuple[Face | None, list[Any]]:
    """What is found along each unit of ``obj``, stacked: its containers, and its leaves."""
    check_size("a Jacobian", Tensor((obj.size, obj.size), obj.dtype))
    if current() is not None:
        basis = np.eye(obj.size, dtype=obj.dtype).reshape((obj.size, *obj.shape))
        return take_apart(map_rows(along, basis))
    zero, found = np.zeros(obj.shape, obj.dtype), []
    for index in np.ndindex(obj.shape):
        unit = zero.copy()
        unit[index] = 1
        found.append(flattened(along(unit[()]), shown))
    stacks = zip(*(found or [flattened(along(zero), shown)]), strict=True)
    return shown, [None if x[0] is None else np.stack(x)[: len(found)] for x in stacks]


def _last(stack: Any, obj: Tensor) -> Any:
    """Move the axis of the basis to the end, and give it the shape of the argument."""
    if stack is None:
        return None
    moved = np.moveaxis(stack if current() is not None else stack.astype(obj.dtype), 0, -1)
    return _shaped(moved, (*moved.shape[:-1], *obj.shape))


def _shaped(array: Any, shape: tuple[int, ...]) -> Any:
    found = np.reshape(array, shape)
    return found if current() is not None else found[()]
