"""Whole Jacobians and second derivatives: as programs, and of values that programs do not take."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec

from combinators.errors import NotDifferentiable
from combinators.kit.memory import Remembered
from combinators.kit.tree import size
from combinators.objects import Fun, Vector
from combinators.simplify import simplify
from combinators.terms import Lam
from combinators.tracing.definition import Definition
from combinators.tracing.faces import Face, take_apart
from combinators.tracing.functions import Faces, Specialised, Types, call
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
from diffcurry.derivative import Derivative, Gradient, Pushed, tangents_by, transformed
from diffcurry.function import Function, as_function
from diffcurry.interpretation import columns, rows
from diffcurry.known import Known, NotKnown
from diffcurry.modes import Mode, check_mode
from diffcurry.program import Program, folded
from diffcurry.rep_function import Pulled
from diffcurry.transforms import at_once, check_tuples, jvp

P = ParamSpec("P")
Found = tuple[list[Any], Callable[[], Face | None]]

LONG = 1_000
"""The derivatives of a program of more nodes take longer to write than to compute once."""


class Jacobian(Derivative[P, Any]):
    """A derivative along a basis: written in the language, or a row or a column at a time."""

    about = "The Jacobian"
    verb = "jacobian of"
    is_program = True
    argnums: Argnums

    def __init__(self, inner: Function[..., Any], argnums: Argnums, **options: Any) -> None:
        which = tuple(argnums) if is_many(argnums) else argnums
        self._simplified: Remembered[Lam, Lam] = Remembered()
        self._asked = 0
        super().__init__(inner, argnums=which, **options)
        self._signature = inner._signature
        self.__name__, self.__doc__ = inner.__name__, inner.__doc__

    @abstractmethod
    def written(self, args: tuple[Any, ...], which: tuple[int, ...]) -> Found:
        """The Jacobians by the arguments ``which`` in a trace, and the result's containers."""

    @abstractmethod
    def numbers(self, args: tuple[Any, ...], which: tuple[int, ...]) -> list[Any]:
        """The Jacobians by the arguments ``which``, by interpretation."""

    def python(self) -> Callable[..., Any]:
        """What is traced: a pullback, or a pushforward, of every basis vector, in a ``map``."""

        def jacobian(*args: Any) -> Any:
            found, face = self.written(args, chosen(self.argnums, len(args)))
            return beside(found, face()) if is_many(self.argnums) else found[0]

        jacobian.__signature__ = self.inner._signature  # type: ignore[attr-defined]  # inspect asks
        return jacobian

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """The numbers, a row or a column at a time."""
        program, which = self.inner.running(*args), chosen(self.argnums, len(args))
        for obj in (program.cod, *(program.types[i] for i in which)):
            for leaf in leaves(obj):
                if isinstance(leaf, Fun | Vector):
                    raise NotDifferentiable(
                        f"a Jacobian is between numbers, and {leaf!r} holds functions; "
                        "use vjp or jvp"
                    )
        found = self.numbers(args, which)
        return beside(found, self.face(args)) if is_many(self.argnums) else found[0]

    def face(self, args: tuple[Any, ...]) -> Face | None:
        """The containers of what is differentiated."""
        return self.inner.running(*args).face

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The program, made simpler: one that is closed."""
        made = Definition.specialise(self, types, faces)
        if made.captured:
            return made
        lam = self._simplified.of(made.lam, lambda: simplify(made.lam, fold=folded))
        return made._replace(lam=lam)

    def computed(self, values: tuple[Any, ...]) -> Any:
        """The value at numbers, arrays and functions."""
        self._asked += 1
        if not holds_functions(values) and not self._is_written(self.inner.program(*values)):
            return self.otherwise(values)
        return super().computed(values)

    def _is_written(self, program: Program) -> bool:
        """Whether every leaf has a block of numbers; a long program is written when asked again."""
        if self._asked == 1 and size(program.lam) > LONG:
            return False
        return all(is_number(leaf) for obj in (*program.types, program.cod) for leaf in leaves(obj))

    def of_known(self, known: Known[Function[..., Any]], values: tuple[Any, ...]) -> Any:
        """The derivative by data; by a function's there is none."""
        which = chosen(self.argnums, len(values))
        if not all(isinstance(known.places[i], int) for i in which):
            raise NotKnown
        data = tuple(known.indices(*which))
        argnums = data if is_many(self.argnums) else data[0]
        return self.on(known.function, argnums=argnums)(*known.data)


class Forward(Jacobian[P]):
    """A pushforward for each number of the argument."""

    def written(self, args: tuple[Any, ...], which: tuple[int, ...]) -> Found:
        """Column by column."""
        of = self.differentiated()
        found = [columns(args, i, lambda moved: jvp(of, args, moved)[1]) for i in which]
        return found, lambda: take_apart(call(of, args))[0]

    def numbers(self, args: tuple[Any, ...], which: tuple[int, ...]) -> list[Any]:
        """Column by column."""
        push, face = interpretation.pushing(self.inner, args), self.face(args)
        return [columns(args, i, lambda moved: push(moved)[1], face) for i in which]

    def differentiated(self) -> Function[..., Any]:
        """What it is the Jacobian of."""
        return self.inner


class Backward(Jacobian[P]):
    """A pullback for each number of the result."""

    def written(self, args: tuple[Any, ...], which: tuple[int, ...]) -> Found:
        """Row by row."""
        value, pullback = Pulled(self.inner, has_aux=False, mode=self.mode)(*args)
        return [rows(value, pullback, i) for i in which], lambda: take_apart(value)[0]

    def numbers(self, args: tuple[Any, ...], which: tuple[int, ...]) -> list[Any]:
        """Row by row."""
        value, pullback = interpretation.vjp(self.inner, args, has_aux=False, mode=self.mode)
        return [rows(value, pullback, i, take_apart(args[i])[0]) for i in which]


class Hessian(Forward[P]):
    """The Jacobian of the gradient."""

    about = "The Hessian"
    verb = "hessian of"

    def numbers(self, args: tuple[Any, ...], which: tuple[int, ...]) -> list[Any]:
        """Reverse over forward mode."""
        moved, face = interpretation.moving_gradient(self.inner, args, which), self.face(args)
        one = moved if is_many(self.argnums) else lambda tangents: moved(tangents)[0]
        return [columns(args, i, one, face) for i in which]

    def differentiated(self) -> Function[..., Any]:
        """The gradient."""
        return gradient_of(self.inner, self.argnums)

    def face(self, args: tuple[Any, ...]) -> Face | None:
        """The containers of the gradient."""
        faces = tuple(take_apart(args[i])[0] for i in chosen(self.argnums, len(args)))
        return Face(tuple, (), faces) if is_many(self.argnums) else faces[0]


def jacrev(f: Callable[P, Any], argnums: Argnums = 0, *, mode: Mode = "dependent") -> Jacobian[P]:
    """The Jacobian, a pullback for each number of the result, all of them at once.

    It has the containers of the result, and in each leaf those of the argument; the arrays have
    the shape of the result's leaf followed by that of the argument's.

    >>> import numpy as np
    >>> jacrev(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    check_mode(mode, reverse_only="jacrev")
    return Backward(as_function(f), argnums, mode=mode)


def jacfwd(f: Callable[P, Any], argnums: Argnums = 0) -> Jacobian[P]:
    """The Jacobian, a pushforward for each number of the argument; laid out as by ``jacrev``."""
    return Forward(as_function(f), argnums)


def jacobian(f: Callable[P, Any], argnums: Argnums = 0, *, mode: Mode = "dependent") -> Jacobian[P]:
    """The Jacobian, in the given mode: see ``jacrev`` and ``jacfwd``."""
    check_mode(mode)
    return jacfwd(f, argnums) if mode == "forward" else jacrev(f, argnums, mode=mode)


def hessian(f: Callable[P, Any], argnums: Argnums = 0) -> Jacobian[P]:
    """The Hessian of a scalar function: the Jacobian of its gradient, laid out as by ``jacrev``.

    With a tuple of ``argnums``, a tuple of tuples.

    >>> import numpy as np
    >>> hessian(lambda x: x[0] * x[1] * x[1])(np.array([2.0, 3.0]))
    array([[0., 6.],
           [6., 4.]])
    """
    return Hessian(as_function(f), argnums)


def hvp(f: Callable[..., Any], primals: Any, tangents: Any, argnums: Argnums = 0) -> Any:
    """The Hessian of a scalar function times a vector: how its gradient moves along ``tangents``.

    ``primals`` and ``tangents`` are tuples, as for ``jvp``; the result mirrors argument
    ``argnums``, of which the gradient is taken.

    >>> hvp(lambda x: x * x * x, (2.0,), (1.0,))
    np.float64(12.0)
    """
    check_tuples(primals, tangents, "hvp")
    return at_once(f, partial(moved_gradient, argnums=argnums), primals, tangents)


class MovedGradient(Pushed[Any]):
    """How a gradient moves: ``(x…, ẋ…)`` to the tangent of the gradient."""

    inner: Gradient[Any]

    def on(self, inner: Function[..., Any], **options: Any) -> Any:
        """The same of another function's gradient."""
        return moved_gradient(inner, **{"argnums": self.inner.argnums} | options)

    @property
    def base(self) -> Function[..., Any]:
        """The function that the gradient is of."""
        base: Function[..., Any] = self.inner.inner
        return base

    def of_known(self, known: Known[Function[..., Any]], values: tuple[Any, ...]) -> Any:
        """How the gradient in what the functions captured moves."""
        half = len(values) // 2
        which = chosen(self.inner.argnums, half)
        made = self.on(known.function, argnums=tuple(known.indices(*which)))
        found = made(*known.data, *tangents_by(known, values[half:]))
        moved = known.gradients(which, found)
        return moved if is_many(self.inner.argnums) else moved[0]

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions, and their tangents."""
        half, argnums = len(args) // 2, self.inner.argnums
        which = chosen(argnums, half)
        found = interpretation.moving_gradient(self.base, args[:half], which)(args[half:])
        return found if is_many(argnums) else found[0]


def gradient_of(function: Function[..., Any], argnums: Argnums) -> Gradient[Any]:
    """The gradient in the arguments ``argnums``."""
    which = tuple(argnums) if is_many(argnums) else argnums
    return transformed(
        function, Gradient, argnums=which, has_aux=False, mode="dependent", with_value=False
    )


def moved_gradient(function: Function[..., Any], argnums: Argnums) -> MovedGradient:
    """How the gradient in the arguments ``argnums`` moves."""
    gradient = gradient_of(function, argnums)
    return transformed(gradient, MovedGradient, has_aux=False, with_value=False)
