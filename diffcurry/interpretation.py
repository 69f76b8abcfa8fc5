"""Derivatives at numbers by interpretation: the definition, and the way for what has no code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Object, Tensor
from combinators.spaces import Space
from combinators.tracing.faces import take_apart
from combinators.value_folds import map_leaves
from diffcurry.arguments import Argnums, check_scalar, chosen, face_at, is_many, of_pair
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

    return map_leaves(leaf, obj, value, tangent)


def _side(cotangent: Any, side: str) -> Any:
    """The sparse cotangent of the primals, or of the tangents, of one of duals."""
    if isinstance(cotangent, Dual):
        return getattr(cotangent, side)
    if type(cotangent) is dict:
        parts = {i: _side(part, side) for i, part in cotangent.items()}
        return {i: part for i, part in parts.items() if part is not None} or None
    return cotangent
