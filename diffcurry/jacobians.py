"""Whole Jacobians and second derivatives: as programs, and of values that programs do not take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec

from combinators.errors import NotDifferentiable
from combinators.kit.memory import Remembered
from combinators.kit.tree import size
from combinators.objects import Fun, Vector
from combinators.simplify import simplify
from combinators.terms import Lam
from combinators.tracing.definition import Definition
from combinators.tracing.faces import take_apart
from combinators.tracing.functions import Faces, Specialised, Types
from combinators.tracing.scope import current
from diffcurry.arguments import (
    Argnums,
    beside,
    chosen,
    holds_functions,
    is_many,
    is_number,
    leaves,
)
from diffcurry.derivative import Derivative, Gradient, Pushed, transformed
from diffcurry.function import Function, as_function
from diffcurry.interpretation import columns, rows
from diffcurry.modes import Mode, check_mode
from diffcurry.program import Program, folded
from diffcurry.rep_function import Linearized, Pulled
from diffcurry.transforms import at_once, check_tuples

P = ParamSpec("P")

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

    def _linear(self) -> Derivative[..., Any]:
        """What gives the value, and the linear map there."""
        return transformed(self.inner, Linearized, has_aux=False, mode="dependent")

    @staticmethod
    def _block(args: tuple[Any, ...], which: int, value: Any, linear: Callable[..., Any]) -> Any:
        """The Jacobian by one argument."""
        return columns(args, which, linear, take_apart(value)[0])

    def along(self, args: tuple[Any, ...]) -> Any:
        """The linear map along every basis vector, in a ``map`` in a trace."""
        made = self._linear()
        value, linear = made(*args) if current() is not None else made.evaluate(args)
        found = [self._block(args, i, value, linear) for i in chosen(self.argnums, len(args))]
        return beside(found, take_apart(value)[0]) if is_many(self.argnums) else found[0]

    def _python(self) -> Callable[..., Any]:

        def jacobian(*args: Any) -> Any:
            return self.along(args)

        jacobian.__signature__ = self.inner._signature  # type: ignore[attr-defined]  # inspect asks
        return jacobian

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """The numbers, a row or a column at a time."""
        program = self.inner.running(*args)
        which = chosen(self.argnums, len(args))
        for obj in (program.cod, *(program.types[i] for i in which)):
            for leaf in leaves(obj):
                if isinstance(leaf, Fun | Vector):
                    raise NotDifferentiable(
                        f"a Jacobian is between numbers, and {leaf!r} holds functions; "
                        "use vjp or jvp"
                    )
        return self.along(args)

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The program, made simpler: one that is closed."""
        made = Definition.specialise(self, types, faces)
        if made.captured:
            return made
        lam = self._simplified.of(made.lam, lambda: simplify(made.lam, fold=folded))
        return made._replace(lam=lam)

    def _computed(self, values: tuple[Any, ...]) -> Any:
        self._asked += 1
        if not holds_functions(values) and not self._is_written(self.inner.program(*values)):
            return self.otherwise(values)
        return super()._computed(values)

    def _is_written(self, program: Program) -> bool:
        """Whether every leaf has a block of numbers; a long program is written when asked again."""
        if self._asked == 1 and size(program.lam) > LONG:
            return False
        return all(is_number(leaf) for obj in (*program.types, program.cod) for leaf in leaves(obj))

    @property
    def base(self) -> Function[..., Any]:
        """Itself: what is traced takes functions as they are."""
        return self

    _in_trace, _of_known = Function._in_trace, Function._of_known


class Backward(Jacobian[P]):
    """A pullback for each number of the result, and not a pushforward for each of the argument."""

    def _linear(self) -> Derivative[..., Any]:
        return transformed(self.inner, Pulled, has_aux=False, mode=self.mode)

    @staticmethod
    def _block(args: tuple[Any, ...], which: int, value: Any, linear: Callable[..., Any]) -> Any:
        return rows(value, linear, which, take_apart(args[which])[0])


class Hessian(Jacobian[P]):
    """The Jacobian of the gradient."""

    about = "The Hessian"
    verb = "hessian of"

    def _linear(self) -> Derivative[..., Any]:
        gradient = gradient_of(self.inner, self.argnums)
        return transformed(gradient, Linearized, has_aux=False, mode="dependent")


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
    return Jacobian(as_function(f), argnums)


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
    return at_once(
        f,
        Pushed,
        primals,
        tangents,
        of=lambda function: gradient_of(function, argnums),
        has_aux=False,
        with_value=False,
    )


def gradient_of(function: Function[..., Any], argnums: Argnums) -> Gradient[Any]:
    """The gradient in the arguments ``argnums``."""
    which = tuple(argnums) if is_many(argnums) else argnums
    return transformed(
        function, Gradient, argnums=which, has_aux=False, mode="dependent", with_value=False
    )
