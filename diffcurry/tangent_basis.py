"""A basis of the tangents at a value, whatever its type, and derivatives along it: whole Jacobians.

A value says which alternatives it is of and how long its lists are, so that there is a unit for
each of its numbers. A Jacobian is in the containers of the result, and in each leaf in those of the
argument:

    squares : List[Real] ⇒ List[Real]    jacobian(squares)([1.0, 3.0]) = [[2.0, 0.0], [0.0, 6.0]]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from combinators.errors import NotDifferentiable
from combinators.objects import Mu, Object, Sum, Tensor
from combinators.operation import check_size
from combinators.spaces import SPACES, Space
from combinators.tracing.control import map as map_rows
from combinators.tracing.emit import unpack
from combinators.tracing.faces import face_of, take_apart
from combinators.tracing.functions import natural
from combinators.tracing.scope import current
from combinators.tracing.traced import LIBRARY, Traced
from combinators.type_folds import (
    cotangent_of,
    is_first_order,
    is_smooth,
    parts_of,
    tangent_of,
    unfolded,
)
from combinators.value_folds import map_leaves, zip_leaves
from diffcurry.arguments import face_at, numbers_along
from diffcurry.known import zeros_in_trace
from diffcurry.leaves import MIRRORED
from diffcurry.values import Inwards, NotThese, Outwards, opened_as

_FORM = Inwards(lambda obj: lambda x, at, meet: None)
"""The alternatives and lengths of a value."""


class Basis:
    """The tangent space at a value, which says which alternatives it is and how long its lists are.

    So there is a unit for each of its numbers, whatever its type.
    """

    def __init__(self, obj: Any, value: Any) -> None:
        """At a value of type ``obj``; of what is traced in it the type says what that holds."""
        obj = obj if isinstance(obj, Object) else natural(value).type
        self._obj, self._face = obj, face_at(value, obj)
        try:
            form = None if is_first_order(obj) else _FORM.step(obj)(value, None, _FORM.deep)
        except NotThese:
            raise NotDifferentiable(
                f"a Jacobian is between numbers, and how many {value!r:.60} holds is known when it "
                "runs; use vjp or jvp there, or take the Jacobian at a value whose "
                "alternatives and lengths are known while tracing, as [x, y] and Circle(x) are"
            ) from None
        self._parts: Sequence[Any] = ()
        places = count()
        self._form = map_leaves(lambda *_: next(places), obj, form)
        self._leaves = [leaf for leaf, _ in zip_leaves(obj, form)]
        self.types = [_moving_as(leaf) for leaf in self._leaves]
        """What the tangents of each leaf are made of; None of one that has none."""

    @cached_property
    def _worn(self) -> Outwards:
        return Outwards(lambda obj, face: lambda i, at, meet: None if i == () else self._parts[i])

    def built(self, leaves: Sequence[Any]) -> Any:
        """The containers of the value, with these leaves."""
        self._parts = leaves
        return self._worn(self._form, self._obj, self._face) if self._form != 0 else leaves[0]

    def tangent(self, parts: Sequence[Any]) -> Any:
        """The tangent of these numbers, a part a leaf; in a program zeros are written."""
        return self.built(list(map(_as_tangent, parts, self._leaves)))

    def along(self, moved: Callable[[Any], Any], to: Basis, *, last: bool) -> Iterator[list[Any]]:
        """For each leaf what moves along its units, by the leaves of that; None is none.

        The axes of the leaf are the ``last``, or the first.
        """
        sizes = (sum(obj.size for obj in of.types if obj is not None) for of in (to, self))
        check_size("a Jacobian", Tensor(tuple(sizes)))
        still = [None] * len(self.types)
        for at, obj in enumerate(self.types):

            def along(unit: Any, at: int = at) -> Any:
                return to.numbers(moved(self.tangent([*still[:at], unit, *still[at + 1 :]])))

            stacks = iter(() if obj is None else _along_basis(along, obj))
            yield [obj and part and _shaped(next(stacks), obj, last=last) for part in to.types]

    def numbers(self, tangent: Any) -> Any:
        """Those of a tangent, one for each leaf that has any; in a program in their containers."""
        found: dict[int, Any] = {}
        todo = [(self._obj, tangent, self._form)]
        if current() is None:
            read = MIRRORED.step(self._obj)(tangent, self._form, MIRRORED.deep)
            found, todo = {i: x for _, i, x in zip_leaves(self._obj, self._form, read)}, []
        while todo:
            obj, x, form = todo.pop()
            types = parts_of(obj)
            if not is_smooth(obj):
                continue
            if isinstance(obj, Mu):
                todo.append((unfolded(obj), LIBRARY["unroll"](x), form))
            elif isinstance(obj, Sum):
                todo.append((obj.parts[form.tag], LIBRARY["payload"](x, form.tag), form.value))
            elif types is None:
                found[form] = LIBRARY["coordinates"](x) if type(x) in SPACES else x
            else:
                whole = unpack(face_of(x.type), x) if type(x) is Traced else x
                todo += zip(types, opened_as(obj, whole)[1], form, strict=True)
        if current() is not None and is_first_order(self._obj):
            return self.built([found.get(i) for i, _ in enumerate(self.types)])
        each = ((found[i], obj) for i, obj in enumerate(self.types) if obj is not None)
        return tuple([np.zeros(obj.shape, obj.dtype) if x is None else x for x, obj in each])


def _moving_as(leaf: Object) -> Tensor | None:
    """What the tangents of a leaf are made of, if of anything."""
    obj = numbers_along(leaf)
    if obj is not None or isinstance(leaf, Tensor):
        return obj
    holds = "adds as it says" if isinstance(leaf, Space) else "holds functions"
    raise NotDifferentiable(
        f"a Jacobian is between numbers, and {leaf!r} {holds}; use vjp or jvp, or grad in "
        'mode="dependent" or "simple"'
    )


def columns(
    moved: Callable[..., Any], at: int, count: int, by: Basis, of: Basis
) -> list[list[Any]]:
    """How a result moves along every basis tangent of one of ``count`` arguments.

    For each leaf of the result there is a block for each of the argument.
    """
    before, after = [None] * at, [None] * (count - at - 1)
    found = list(by.along(lambda tangent: moved(*before, tangent, *after), of, last=True))
    if current() is not None and by.types and not any(by.types):
        raise NotDifferentiable("a Jacobian is by numbers, and this argument holds none")
    return [[block[row] for block in found] for row, _ in enumerate(of.types)]


def rows(moved: Callable[..., Any], at: int, count: int, by: Basis, of: Basis) -> list[list[Any]]:
    """The same, by the pullback of every basis cotangent of the result."""
    return list(of.along(lambda cotangent: moved(cotangent)[at], by, last=False))


def _as_tangent(part: Any, leaf: Object) -> Any:
    """Numbers as a tangent of a leaf, which may be of a class of the user's; None is zero."""
    if part is None:
        return None if current() is None else zeros_in_trace(tangent_of(leaf))
    space = cotangent_of(leaf)
    if not isinstance(space, Space):
        return part
    declared = space.declared
    return declared.shown(part) if current() is None else LIBRARY["value_of"](declared, part)


def _along_basis(along: Callable[[Any], Any], obj: Tensor) -> Sequence[Any]:
    """What is found along each unit of ``obj``, stacked."""
    check_size("a Jacobian", Tensor((obj.size, obj.size), obj.dtype))
    if current() is not None:
        basis = np.eye(obj.size, dtype=obj.dtype).reshape((obj.size, *obj.shape))
        return take_apart(map_rows(along, basis))[1]
    zero, each = np.zeros(obj.shape, obj.dtype), []
    for index in np.ndindex(obj.shape):
        unit = zero.copy()
        unit[index] = 1
        each.append(along(unit[()]))
    return [np.stack(x)[: len(each)] for x in zip(*(each or [along(zero)]), strict=True)]


def _shaped(stack: Any, obj: Tensor, *, last: bool) -> Any:
    """Give the axis of the basis the shape of a leaf, and move it to the end where it is last."""
    here = current() is not None
    if last:
        stack = np.moveaxis(stack if here else stack.astype(obj.dtype), 0, -1)
    around = stack.shape[:-1] if last else stack.shape[1:]
    found = np.reshape(stack, (*around, *obj.shape) if last else (*obj.shape, *around))
    return found if here else found[()]
