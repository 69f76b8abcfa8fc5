"""``grad`` and its family, with JAX's signatures: each gives a function of the language.

Whole Jacobians are programs too; of values that programs do not take they are computed by rows or
by columns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any, ClassVar, ParamSpec

import numpy as np

from combinators.errors import NotDifferentiable, TypeMismatch, WrongMode
from combinators.kit.memory import Remembered
from combinators.objects import Object, Product
from combinators.simplify import simplify
from combinators.terms import Lam
from combinators.tracing.classes import holds_sum
from combinators.tracing.definition import Definition, argument_types
from combinators.tracing.faces import put_together, take_apart
from combinators.tracing.functions import Faces, Specialised, Types
from combinators.tracing.scope import current
from diffcurry.arguments import (
    Argnums,
    chosen,
    holds_functions,
    is_many,
    leaves,
    numbers_along,
    of_coordinates,
)
from diffcurry.decorator import fun
from diffcurry.derivative import LONG, Derivative, Gradient, transformed
from diffcurry.dual_function import ForwardGradient, Pushed
from diffcurry.function import Function
from diffcurry.known import Known, tangents_of
from diffcurry.modes import Mode, check_mode
from diffcurry.program import Program, folded
from diffcurry.recent import Recent, identity
from diffcurry.rep_function import Linearized, Pulled
from diffcurry.tangent_basis import Basis, columns, rows

P = ParamSpec("P")


def at_once(
    f: Any,
    kind: Callable[..., Any],
    primals: Any,
    tangents: Any = (),
    *,
    of: Callable[[Function[..., Any]], Function[..., Any]] = lambda function: function,
    **options: Any,
) -> Any:
    """What a transform ``of`` a function gives at ``primals`` and along ``tangents``."""
    if current() is not None:
        given = tangents_of(tuple(primals), tuple(tangents)) if tangents else ()
        return kind(of(as_function(f)), **options)(*primals, *given)
    known = function_at_once(f)
    if known is None:
        function = of(as_function(f))
        values = function.positional(tuple(primals), {})
        return kind(function, **options).evaluate((*values, *tangents))
    if tangents:  # they stand after all arguments, those of their defaults too
        primals = (*known.positional(tuple(primals), {}), *tangents)
    return transformed(of(known), kind, **options)(*primals)


def check_tuples(primals: Any, tangents: Any, name: str) -> None:
    """Raise unless these are two tuples of one length."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeMismatch(f"{name}(f, primals, tangents) takes two tuples, one entry an argument")
    if len(primals) != len(tangents):
        raise TypeMismatch(f"{name} was given {len(primals)} primals and {len(tangents)} tangents")


def value_and_grad(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, mode: Mode = "dependent"
) -> Gradient[P]:
    """The function that gives ``(value, gradient)`` of a function with a scalar result.

    The gradient is that of the argument ``argnums``, or a tuple of them; it mirrors the argument.
    With ``has_aux`` the function gives ``(value, aux)``, and so ``((value, aux), gradient)`` comes
    back. In ``mode="dependent"`` a function's gradient is that of what it captures, by name; in
    ``"simple"`` it is the list of its calls; ``"delta"`` takes no function arguments, and goes by
    dual arrays; ``"forward"`` runs once an input number.

    >>> import diffcurry as dc
    >>> value_and_grad(lambda x, y: x * y)(2.0, 5.0)
    (np.float64(10.0), np.float64(5.0))
    """
    check_mode(mode)
    kind = ForwardGradient if mode == "forward" else Gradient
    return kind(as_function(f), argnums=argnums, has_aux=has_aux, mode=mode, with_value=True)


def grad(
    f: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, mode: Mode = "dependent"
) -> Gradient[P]:
    """The gradient of a function with a scalar result; see ``value_and_grad``.

    It is a function of the language as what ``fun`` gives is: it has a term, it is differentiated
    again, and it can be used while another function is traced. With ``has_aux`` it gives
    ``(gradient, aux)``.

    >>> import numpy as np
    >>> grad(lambda x: np.sin(x) * x)(0.0)
    np.float64(0.0)
    >>> grad(grad(lambda x: x * x * x))(2.0)
    np.float64(12.0)
    """
    check_mode(mode)
    kind = ForwardGradient if mode == "forward" else Gradient
    return kind(as_function(f), argnums=argnums, has_aux=has_aux, mode=mode, with_value=False)


def vjp(
    f: Callable[..., Any], *primals: Any, has_aux: bool = False, mode: Mode = "dependent"
) -> Any:
    """``(value, pullback)``, and ``aux`` where the function has one.

    ``pullback(cotangent)`` gives a tuple, the cotangent of each argument; it can be called again.
    The cotangent of a function-typed result is a list of ``(argument, cotangent)`` pairs or a
    mapping of what the function captured, by name. Without ``primals``, ``vjp(f)`` is the
    function that gives both.

    >>> value, pullback = vjp(lambda x, y: (x * y, x), 2.0, 3.0)
    >>> pullback((1.0, 10.0))
    (np.float64(13.0), np.float64(2.0))
    """
    check_mode(mode, reverse_only="vjp")
    if not primals:
        return Pulled(as_function(f), has_aux=has_aux, mode=mode)
    return at_once(f, Pulled, primals, has_aux=has_aux, mode=mode)


def jvp(f: Any, primals: Any = None, tangents: Any = None, *, has_aux: bool = False) -> Any:
    """``(value, tangent)`` of ``f`` at ``primals`` along ``tangents``, tuples of equal length.

    A tangent mirrors its argument; None is zero at any level, and an integer's has to be None.
    Without both, ``jvp(f)`` is the function of the arguments and then their tangents.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (np.float64(6.0), np.float64(3.0))
    """
    if primals is None and tangents is None:
        return Pushed(as_function(f), has_aux=has_aux)
    check_tuples(primals, tangents, "jvp")
    return at_once(f, Pushed, primals, tangents, has_aux=has_aux)


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """``(value, derivative)``, where ``derivative(*tangents)`` is the result's tangent there.

    The value is computed once, and with it what the derivative needs: each tangent runs the linear
    part alone.

    >>> value, derivative = linearize(lambda x: x * x * x, 2.0)
    >>> derivative(1.0), derivative(0.5)
    (np.float64(12.0), np.float64(6.0))
    """
    value, derivative = at_once(f, Linearized, primals, has_aux=False, mode="dependent")
    return value, derivative


def linear_transpose(f: Callable[..., Any], *primals: Any) -> Callable[[Any], tuple[Any, ...]]:
    """The transpose of ``f``, which is linear in all its arguments together.

    ``primals`` only say the types. Raises NotDifferentiable where ``f`` is seen not to be linear,
    which is looked at in numbers: in a program, WrongMode.

    >>> linear_transpose(lambda x, y: 2.0 * x + 3.0 * y, 0.0, 0.0)(1.0)
    (np.float64(2.0), np.float64(3.0))
    """
    if current() is not None:
        raise WrongMode(
            "linear_transpose looks whether f is linear, in numbers, which a trace does not have; "
            "write vjp(f, x)[1], which is the transpose of a linear f"
        )
    argument_types(primals)  # it says which are no values
    random = np.random.default_rng(0)
    face, leaves = take_apart(primals)
    of_coordinates(leaves, "linear_transpose")
    arrays = [np.asarray(leaf) for leaf in leaves]
    drawn = [random.uniform(0.5, 1.5, x.shape).astype(x.dtype)[()] for x in arrays]
    points, doubled = (put_together(face, iter(xs)) for xs in (drawn, [2 * x for x in drawn]))
    pullback: Callable[[Any], tuple[Any, ...]]
    once, pullback = vjp(f, *points)
    twice, _ = vjp(f, *doubled)
    for x, y in zip(take_apart(once)[1], take_apart(twice)[1], strict=True):
        if not np.allclose(2 * np.asarray(x), y, rtol=1e-4, atol=1e-6, equal_nan=True):
            raise NotDifferentiable(
                "linear_transpose takes a linear function, and this one maps 2x not to twice "
                f"what it maps x to: {y} and {x}; for the transpose of a derivative use vjp"
            )
    return pullback


def as_function(f: Any) -> Function[..., Any]:
    """``f``, which is or becomes a function of the language."""
    if not callable(f):
        raise TypeMismatch(f"a function was expected, and this is {f!r:.60}")
    function: Function[..., Any] = Function(f) if isinstance(f, FunctionType) else fun(f)
    return function


RECENT: Recent[Function[..., Any]] = Recent()
"""Plain functions that were given to ``vjp`` and the like, which are called at once."""


def function_at_once(f: Any) -> Function[..., Any] | None:
    """``f`` as a function that is called at once; None where it is not worth compiling yet."""
    plain = f.__func__ if isinstance(f, MethodType) else f
    if not isinstance(plain, FunctionType | np.ufunc):
        return as_function(f)
    code = getattr(plain, "__code__", plain)
    return RECENT.of(code, identity(f), f, lambda: as_function(f).watched())


pullback = vjp
pushforward = jvp


# ---- Jacobians -----------------------------------------------------------------------------------


class Jacobian(Derivative[P, Any]):
    """A derivative along a basis: written in the language, or a row or a column at a time."""

    about = "The Jacobian"
    verb = "jacobian of"
    is_program = True
    at_once = False
    argnums: Argnums
    _kind: ClassVar[type[Pulled[Any]]] = Linearized
    """What gives the value, and the linear map there."""
    _blocks = staticmethod(columns)

    def __init__(self, inner: Function[..., Any], argnums: Argnums, **options: Any) -> None:
        which = tuple(argnums) if is_many(argnums) else argnums
        self._simplified: Remembered[Lam, Lam] = Remembered()
        self._asked = 0
        super().__init__(inner, argnums=which, **options)
        self._signature, self.returns = inner._signature, None
        self.__name__, self.__doc__ = inner.__name__, inner.__doc__

    @property
    def _moves(self) -> Function[..., Any]:
        """What is differentiated."""
        return self.inner

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """The linear map along every basis vector: at numbers, or in a ``map`` in a trace."""
        which, many = chosen(self.argnums, len(args)), is_many(self.argnums)
        made = transformed(self._moves, self._kind, has_aux=False, mode=self.mode)
        program = self.inner.running(*args) if current() is None else None
        taken: Any = self.inner.types_of(args)[0] if program is None else program.types
        types, given = [taken[i] for i in which], [args[i] for i in which]
        each = list(map(Basis, types, given))
        if program is None or any(map(holds_sum, (*program.types, program.cod))):
            value, linear = made(*args)
        else:
            value, linear = made.evaluate(args)
        obj = argument_types((value,))[0][0] if program is None else program.cod
        if self._moves is not self.inner:  # a gradient is at arguments
            obj, value = (Product(*types), tuple(given)) if many else (types[0], given[0])
        of, found = Basis(obj, value), []
        for i, by in zip(which, each, strict=True):
            blocks = self._blocks(linear, i, len(args), by, of)
            found.append([by.built(block) for block in blocks])
        shown = list(zip(*found, strict=True)) or [()] * len(of.types)
        return of.built(shown if many else [row for (row,) in shown])

    def _python(self) -> Callable[..., Any]:
        def jacobian(*args: Any) -> Any:
            return self.evaluate(args)

        jacobian.__signature__ = self.inner._signature  # type: ignore[attr-defined]  # inspect asks
        return jacobian

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
        if self._asked == 1 and program.survey.size > LONG:
            return False
        return all(
            numbers_along(leaf) for obj in (*program.types, program.cod) for leaf in leaves(obj)
        )

    def _of_known(self, known: Known[Any], values: tuple[Any, ...], data: list[Any]) -> Any:
        found = known.whole(*chosen(self.argnums, len(values)))
        argnums = found if is_many(self.argnums) else found[0]
        return self.on(known.function, argnums=argnums)(*data)

    def _in_trace(self, values: tuple[Any, ...]) -> Any:
        """An application; by a sum, whose alternative is known here, the blocks of its numbers."""
        types = self.inner.types_of(values)[0]
        by = (types[i] for i in chosen(self.argnums, len(values)))
        if any(isinstance(obj, Object) and holds_sum(obj) for obj in by):
            return self.evaluate(values)
        return Function._in_trace(self, values)

    otherwise = evaluate  # type: ignore[assignment]  # at data, too


class Backward(Jacobian[P]):
    """A pullback for each number of the result, and not a pushforward for each of the argument."""

    _kind, _blocks = Pulled, staticmethod(rows)


class Hessian(Jacobian[P]):
    """The Jacobian of the gradient."""

    about = "The Hessian"
    verb = "hessian of"

    @property
    def _moves(self) -> Function[..., Any]:
        return gradient_of(self.inner, self.argnums)


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
    of = partial(gradient_of, argnums=argnums)
    return at_once(f, Pushed, primals, tangents, of=of, has_aux=False, with_value=False)


def gradient_of(function: Function[..., Any], argnums: Argnums) -> Gradient[Any]:
    """The gradient in the arguments ``argnums``."""
    which = tuple(argnums) if is_many(argnums) else argnums
    return transformed(
        function, Gradient, argnums=which, has_aux=False, mode="dependent", with_value=False
    )
