"""Whole Jacobians and second derivatives: as programs, and of values that programs do not take."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, get_args

import numpy as np

from combinators.errors import NotDifferentiable
from combinators.kit.memory import Remembered
from combinators.kit.tree import size
from combinators.objects import Object, Tensor
from combinators.simplify import simplify
from combinators.terms import Lam
from combinators.tracing.control import map as map_rows
from combinators.tracing.faces import Face, put_together, take_apart
from combinators.tracing.functions import Faces, Specialised, Types, call, natural
from combinators.tracing.scope import current
from combinators.tracing.traced import LIBRARY
from diffcurry import interpretation
from diffcurry.arguments import (
    Argnums,
    beside,
    chosen,
    holds_functions,
    is_many,
    is_number,
    leaves,
)
from diffcurry.derivative import Gradient, Pushed, transformed
from diffcurry.function import Function, as_function
from diffcurry.known import Data, Known, NotKnown
from diffcurry.modes import Mode, check_mode
from diffcurry.program import Program, folded
from diffcurry.readings import Readings
from diffcurry.rep_function import Pulled
from diffcurry.transforms import check_tuples, function_at_once, jvp

P = ParamSpec("P")
Numbers = Callable[..., Any]

LONG = 1_000
"""The derivatives of a program of more nodes take longer to write than to compute once."""


class Composed(Function[P, Any]):
    """A function of the language, written in it, that computes some numbers in another way."""

    is_simple = True

    def __init__(
        self,
        inner: Function[..., Any],
        written: Callable[..., Any],
        numbers: Numbers,
        argnums: Argnums,
        again: Callable[[Function[..., Any], Argnums], Any],
        verb: str = "jacobian of",
    ) -> None:
        """``written`` is its program; ``numbers`` serves values that the program does not take.

        ``again`` gives the same derivative of another function.
        """
        self.argnums: Argnums = tuple(argnums) if is_many(argnums) else argnums
        self._again = again
        if inner._signature is not None:
            written.__signature__ = inner._signature  # type: ignore[attr-defined]  # inspect asks
        self.inner, self._numbers = inner, numbers
        self._simplified: Remembered[Lam, Lam] = Remembered()
        self._asked = 0
        super().__init__(written, inner.types)
        self.is_of_data = inner.is_of_data
        self._signature = inner._signature
        self.__name__, self.__doc__ = inner.__name__, inner.__doc__
        self.verb = verb

    def read_by(self) -> Readings:
        """What the function that it is the derivative of reads."""
        return self.inner.read_by()

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The program, made simpler: one that is closed."""
        made = super().specialise(types, faces)
        if made.captured:
            return made
        lam = self._simplified.of(made.lam, lambda: simplify(made.lam, fold=folded))
        return made._replace(lam=lam)

    def computed(self, values: tuple[Any, ...]) -> Any:
        """The value at numbers, arrays and functions."""
        self._asked += 1
        is_known = holds_functions(values)
        if not is_known and not self._is_written(self.inner.program(*values)):
            return self.otherwise(values)
        return super().computed(values)

    @property
    def base(self) -> Function[..., Any]:
        """The function whose arguments it takes."""
        return self.inner

    def of_known(self, known: Known[Function[..., Any]], values: tuple[Any, ...]) -> Any:
        """The derivative by data; by a function's there is none."""
        which = [known.places[i] for i in chosen(self.argnums, len(values))]
        if not all(isinstance(place, Data) for place in which):
            raise NotKnown
        data = tuple(known.indices(*chosen(self.argnums, len(values))))
        argnums = data if is_many(self.argnums) else data[0]
        return self.remade(known.function, argnums)(*known.data)

    def remade(self, function: Function[..., Any], argnums: Argnums) -> Composed[Any]:
        """The same derivative of another function."""
        key = (self.verb, self._again, argnums)
        if key not in function.transforms:
            function.transforms[key] = self._again(function, argnums)
        made: Composed[Any] = function.transforms[key]
        return made

    def naming(
        self, count: int, names: tuple[str, ...], settings: dict[str, Any]
    ) -> Function[..., Any]:
        """The derivative of the function of arguments by name."""
        return self.on(self.inner.naming(count, names, settings))

    def on(self, inner: Function[..., Any]) -> Composed[Any]:
        """The same derivative of another function."""
        return self.remade(inner, self.argnums)

    def evaluate(self, values: tuple[Any, ...]) -> Any:
        """The numbers, a row or a column at a time."""
        return self._numbers(self.inner, values, argnums=self.argnums)

    def _is_written(self, program: Program) -> bool:
        """Whether every leaf has a block of numbers; a long program is written when asked again."""
        if self._asked == 1 and size(program.lam) > LONG:
            return False
        return all(is_number(leaf) for obj in (*program.types, program.cod) for leaf in leaves(obj))


def forward_jacobian(f: Function[..., Any], argnums: Argnums) -> Callable[..., Any]:
    """The Jacobian, written: a pushforward of every basis vector, in a ``map``."""

    def jacobian(*args: Any) -> Any:
        which = chosen(argnums, len(args))
        found = [_columns(f, args, index) for index in which]
        return beside(found, _result_face(f, args)) if is_many(argnums) else found[0]

    return jacobian


def _result_face(f: Function[..., Any], args: tuple[Any, ...]) -> Face | None:
    """The containers of the result, which is traced for them and not used."""
    return take_apart(call(f, args))[0]


def _columns(f: Function[..., Any], args: tuple[Any, ...], which: int) -> Any:
    face, given = take_apart(args[which])
    blocks: list[list[Any]] = []
    shown: Any = None
    for at, leaf in enumerate(given):
        obj = _smooth(leaf)
        if obj is None:
            blocks.append([])
            continue

        def column(unit: Any, at: int = at) -> Any:
            moved = [unit if i == at else _rest(other) for i, other in enumerate(given)]
            tangents: list[Any] = [None] * len(args)
            tangents[which] = put_together(face, iter(moved))
            return jvp(f, args, tuple(tangents))[1]

        stacked = map_rows(column, _basis(obj))
        shown, parts = take_apart(stacked)
        blocks.append([_last(part, obj.shape) for part in parts])
    if not any(blocks):
        raise NotDifferentiable("a Jacobian is by numbers, and this argument holds none")
    count = max(map(len, blocks))
    rows = [
        put_together(face, iter([block[row] if block else None for block in blocks]))
        for row in range(count)
    ]
    return put_together(shown, iter(rows))


def reverse_jacobian(
    f: Function[..., Any], argnums: Argnums, mode: Mode = "dependent"
) -> Callable[..., Any]:
    """The Jacobian, written: the pullback of every basis cotangent, in a ``map``."""

    def jacobian(*args: Any) -> Any:
        which = chosen(argnums, len(args))
        value, pullback = Pulled(f, has_aux=False, mode=mode)(*args)
        found = [_rows(value, pullback, index) for index in which]
        return beside(found, take_apart(value)[0]) if is_many(argnums) else found[0]

    return jacobian


def _rows(value: Any, pullback: Any, which: int) -> Any:
    face, given = take_apart(value)
    rows: list[Any] = []
    for at, leaf in enumerate(given):
        obj = _smooth(leaf)
        if obj is None:
            rows.append(None)
            continue

        def row(unit: Any, at: int = at) -> Any:
            seeds = [unit if i == at else _rest(other) for i, other in enumerate(given)]
            return pullback(put_together(face, iter(seeds)))[which]

        stacked = map_rows(row, _basis(obj))
        below, parts = take_apart(stacked)
        first = [LIBRARY["reshape"](part, (*obj.shape, *part.shape[1:])) for part in parts]
        rows.append(put_together(below, iter(first)))
    return put_together(face, iter(rows))


def _smooth(leaf: Any) -> Tensor | None:
    """The type of a leaf that is made of reals."""
    obj: Object = natural(leaf).type
    return obj if isinstance(obj, Tensor) and obj.is_smooth else None


def _rest(leaf: Any) -> Any:
    obj = natural(leaf).type
    return np.zeros(obj.shape, obj.dtype)[()] if isinstance(obj, Tensor) and obj.is_smooth else ()


def _basis(obj: Tensor) -> Any:
    return np.eye(obj.size, dtype=obj.dtype).reshape((obj.size, *obj.shape))


def _last(stack: Any, shape: tuple[int, ...]) -> Any:
    """Move the axis of the basis to the end, and give it the shape of the argument."""
    moved = LIBRARY["moveaxis"](stack, 0, -1)
    return LIBRARY["reshape"](moved, (*stack.shape[1:], *shape))


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
    written = reverse_jacobian(function, argnums, mode)
    numbers = partial(interpretation.reverse_jacobian, mode=mode)
    return Composed(function, written, numbers, argnums, _REVERSE[mode])


_REVERSE = {mode: partial(jacrev, mode=mode) for mode in get_args(Mode)}


def jacfwd(f: Callable[P, Any], argnums: Argnums = 0) -> Composed[P]:
    """The Jacobian, a pushforward for each number of the argument; laid out as by ``jacrev``."""
    function = as_function(f)
    written = forward_jacobian(function, argnums)
    return Composed(function, written, interpretation.forward_jacobian, argnums, jacfwd)


def jacobian(f: Callable[P, Any], argnums: Argnums = 0, *, mode: Mode = "dependent") -> Composed[P]:
    """The Jacobian, in the given mode: see ``jacrev`` and ``jacfwd``."""
    check_mode(mode)
    return jacfwd(f, argnums) if mode == "forward" else jacrev(f, argnums, mode=mode)


def hvp(f: Callable[..., Any], primals: Any, tangents: Any, argnums: Argnums = 0) -> Any:
    """The Hessian of a scalar function times a vector: how its gradient moves along ``tangents``.

    ``primals`` and ``tangents`` are tuples, as for ``jvp``; the result mirrors argument
    ``argnums``, of which the gradient is taken.

    >>> hvp(lambda x: x * x * x, (2.0,), (1.0,))
    np.float64(12.0)
    """
    check_tuples(primals, tangents, "hvp")
    if current() is not None:
        return jvp(gradient_of(as_function(f), argnums), primals, tangents)[1]
    function = function_at_once(f)
    if function is None:
        return interpretation.hvp(as_function(f), tuple(primals), tuple(tangents), argnums)
    values = function.positional(tuple(primals), {})
    return transformed(gradient_of(function, argnums), MovedGradient)(*values, *tangents)


class MovedGradient(Pushed[Any]):
    """How a gradient moves: ``(x…, ẋ…)`` to the tangent of the gradient."""

    inner: Gradient[Any]

    def __init__(self, inner: Gradient[Any]) -> None:
        """Of a gradient."""
        super().__init__(inner, has_aux=False, with_value=False)

    def on(self, inner: Function[..., Any]) -> MovedGradient:
        """The same of another function's gradient."""
        return MovedGradient(self.inner.on(inner))

    @property
    def base(self) -> Function[..., Any]:
        """The function that the gradient is of."""
        base: Function[..., Any] = self.inner.inner
        return base

    def of_known(self, known: Known[Function[..., Any]], values: tuple[Any, ...]) -> Any:
        """How the gradient in what the functions captured moves."""
        half = len(values) // 2
        which = chosen(self.inner.argnums, half)
        gradient = gradient_of(known.function, tuple(known.indices(*which)))
        tangents = known.tangents(values[half:])
        found = transformed(gradient, MovedGradient)(*known.data, *tangents)
        moved = known.gradients(which, found)
        return moved if is_many(self.inner.argnums) else moved[0]

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions, and their tangents."""
        half = len(args) // 2
        return interpretation.hvp(self.base, args[:half], args[half:], self.inner.argnums)


def hessian(f: Callable[P, Any], argnums: Argnums = 0) -> Composed[P]:
    """The Hessian of a scalar function: the Jacobian of its gradient, laid out as by ``jacrev``.

    With a tuple of ``argnums``, a tuple of tuples.

    >>> hessian(lambda x: x[0] * x[1] * x[1])(np.array([2.0, 3.0]))
    array([[0., 6.],
           [6., 4.]])
    """
    function = as_function(f)
    written = forward_jacobian(gradient_of(function, argnums), argnums)
    return Composed(function, written, interpretation.hessian, argnums, hessian, "hessian of")


def gradient_of(function: Function[..., Any], argnums: Argnums) -> Gradient[Any]:
    """The gradient in the arguments ``argnums``."""
    which = tuple(argnums) if is_many(argnums) else argnums
    return transformed(
        function, Gradient, argnums=which, has_aux=False, mode="dependent", with_value=False
    )
