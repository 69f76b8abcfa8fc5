"""``grad`` and its family, with JAX's signatures: each gives a function of the language."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from combinators.bulk import bulk
from combinators.errors import TypeMismatch, UnknownCode
from combinators.kit.memory import Remembered
from combinators.objects import Object, Tensor, Unit
from combinators.terms import Lam, Proj, Term, Tuple, Var
from combinators.tracing.definition import traced_apart
from combinators.tracing.faces import Face
from combinators.tracing.functions import Faces, Specialised, Types, argument_types
from combinators.tracing.scope import Scope, current, entered
from combinators.tracing.traced import LIBRARY
from combinators.type_folds import velocity
from diffcurry import interpretation
from diffcurry.arguments import Argnums, check_scalar, chosen, is_many
from diffcurry.cotangents import read
from diffcurry.derived import Written, applied, finished, result, tangent_face
from diffcurry.function import Function
from diffcurry.interpretation import (
    Ran,
    as_function,
    auxiliary,
    forward_gradient,
    of_pair,
    run,
)
from diffcurry.modes import Mode, check_mode, written
from diffcurry.program import Program
from interpreters.staging import programs

P = ParamSpec("P")
R = TypeVar("R")


class Derivative(Function[P, R]):
    """The function that a transform makes of ``inner``."""

    is_simple = True
    about: str = "The derivative"
    """What it is, in words."""

    def __init__(self, inner: Function[..., Any], types: tuple[Object, ...] | None = None) -> None:
        """Of a function of the language; its parameters have ``types``, or those of ``inner``."""
        self.inner = inner
        self._derived: Remembered[Lam, Written] = Remembered()
        self._running: Remembered[Lam, Program] = Remembered()
        super().__init__(inner.function, inner.types if types is None else types)
        named = self.__name__ if self.__name__.isidentifier() else "a function"
        self.__doc__ = f"{self.about} of {named}."

    @abstractmethod
    def derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """The derivative of a closed λ, of which the first ``captured`` parameters stand still."""

    def computed(self, values: tuple[Any, ...]) -> Any:
        """The derivative at numbers, arrays and functions."""
        if not self.is_program:
            return self.evaluate(values)
        try:
            return super().computed(values)
        except UnknownCode:
            return self.evaluate(values)  # where every function is a closure, whose code is known

    @property
    def is_program(self) -> bool:
        """Whether it is written as a program, which runs as Python."""
        return True

    def running(self, *args: Any) -> Program:
        """The program; functions among the arguments are given as they are."""
        if not any(map(callable, args)):
            return self.program(*args)
        types, faces = self._types_of(args)
        made = traced_apart(lambda: self._given_functions(types, faces))
        return self._running.of(made.lam, lambda: Program(made, simple=True))

    def _given_functions(self, types: Types, faces: Faces) -> Specialised:
        with entered(Scope(None, "the caller")):
            return self.specialise(types, faces)

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The derivative at these argument types: of what the function captures it is a λ too."""
        made = self.inner.specialise(types, faces)
        written = self._derived.of(made.lam, lambda: self._write(made, faces))
        return applied(written, made, made.lam.params)

    def _write(self, made: Specialised, faces: Faces) -> Written:
        closed = Lam((*made.captured, *made.lam.params), made.lam.body, made.lam.name)
        return self.derive(bulk(closed), len(made.captured), made.face, faces)


class Pulled(Derivative[P, Any]):
    """The rep-function of a function: ``x ↦ (y, pullback)``."""

    about = "The value and the pullback"

    def __init__(self, inner: Function[..., Any], *, has_aux: bool, mode: Mode) -> None:
        """Of ``inner``."""
        self.has_aux, self.mode = has_aux, mode
        super().__init__(inner)

    def derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """``λ(x…). (y, λȳ. (x̄, …))``."""
        _, of_value = of_pair(closed.body.type, face, self.has_aux)
        which = range(captured, len(closed.params))
        both = programs.pullback(closed, which, written(self.mode), has_aux=self.has_aux, flat=True)
        lam = finished(both, self._results, f"vjp_{closed.name}" if closed.name else "vjp")
        aux = (face.children[1],) if self.has_aux and face is not None else ()
        return Written(lam, Face(tuple, (), (of_value, None, *aux)))

    def _results(self, both: Var) -> Term:
        value, function = Proj(0, both), Proj(1, both)
        if self.has_aux:
            return Tuple((Proj(0, value), function, Proj(1, value)))
        return Tuple((value, function))

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions."""
        return vjp(self.inner, *args, has_aux=self.has_aux, mode=self.mode)


class Pushed(Derivative[P, Any]):
    """The dual function of a function: ``(x…, ẋ…) ↦ (y, ẏ)``."""

    about = "The value and the tangent"

    def __init__(self, inner: Function[..., Any], *, has_aux: bool) -> None:
        """Of ``inner``."""
        self.has_aux = has_aux
        types = inner.types
        super().__init__(inner, None if types is None else (*types, *map(velocity, types)))
        self._signature = None

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The dual function at these types of arguments and of tangents."""
        half = len(types) // 2
        made = self.inner.specialise(types[:half], faces[:half])
        written = self._derived.of(made.lam, lambda: self._write(made, faces[:half]))
        tangents = written.lam.params[len(made.captured) + half :]
        return applied(written, made, (*made.lam.params, *tangents))

    def derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """``λ(x…, ẋ…). (y, ẏ)``."""
        obj, of_value = of_pair(closed.body.type, face, self.has_aux)
        both = programs.pushforward(closed, captured, flat=True)
        shown = [of_value, tangent_face(of_value, obj)]
        if self.has_aux:
            shown += [face.children[1] if face is not None else None]

        def results(whole: Var) -> Term:
            y, dy = result(Proj(0, whole), Proj(1, whole), closed.body.type)
            return Tuple((Proj(0, y), Proj(0, dy), Proj(1, y)) if self.has_aux else (y, dy))

        lam = finished(both, results, f"jvp_{closed.name}" if closed.name else "jvp")
        return Written(lam, Face(tuple, (), tuple(shown)))

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions, and their tangents."""
        half = len(args) // 2
        primals, tangents = args[:half], args[half:]
        return interpretation.jvp(self.inner, primals, tangents, has_aux=self.has_aux)


def tangents_of(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tangents, with zeros for None."""
    types, _ = argument_types(primals)
    return tuple(
        tangent if tangent is not None or not isinstance(obj, Object) else _zero(obj)
        for tangent, obj in zip(tangents, types, strict=True)
    )


def _zero(obj: Object) -> Any:
    at_rest = velocity(obj)
    return () if at_rest is Unit else LIBRARY["zeros_of_type"](at_rest)


def check_tuples(primals: Any, tangents: Any, name: str) -> None:
    """Raise unless these are two tuples of one length."""
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeMismatch(f"{name}(f, primals, tangents) takes two tuples, one entry an argument")
    if len(primals) != len(tangents):
        raise TypeMismatch(f"{name} was given {len(primals)} primals and {len(tangents)} tangents")


class Gradient(Derivative[P, Any]):
    """What ``grad`` and ``value_and_grad`` give."""

    def __init__(
        self,
        inner: Function[..., Any],
        argnums: Argnums,
        *,
        has_aux: bool,
        mode: Mode,
        with_value: bool,
    ) -> None:
        """The gradient of ``inner`` in the arguments ``argnums``."""
        self.argnums, self.has_aux, self.mode = argnums, has_aux, mode
        self.with_value = with_value
        self.about = "The value and the gradient" if with_value else "The gradient"
        super().__init__(inner)

    def derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """``λ(x…). x̄``, or ``(y, x̄)`` with the value."""
        obj, _ = of_pair(closed.body.type, face, self.has_aux)
        check_scalar(obj)
        which = chosen(self.argnums, len(closed.params) - captured)
        shifted = [captured + i for i in which]
        both = programs.gradient(
            closed, shifted, written(self.mode), has_aux=self.has_aux, flat=True
        )
        lam = finished(both, self._results, f"grad_{closed.name}" if closed.name else "grad")
        params = closed.params[captured:]
        found = [tangent_face(faces[i], params[i].type) for i in which]
        shown = Face(tuple, (), tuple(found)) if is_many(self.argnums) else found[0]
        if self.with_value:
            return Written(lam, Face(tuple, (), (face, shown)))
        if self.has_aux:
            assert face is not None
            return Written(lam, Face(tuple, (), (shown, face.children[1])))
        return Written(lam, shown)

    def _results(self, both: Var) -> Term:
        value, gradients = Proj(0, both), Proj(1, both)
        found: Term = gradients if is_many(self.argnums) else Proj(0, gradients)
        if self.with_value:
            return Tuple((value, found))
        return Tuple((found, Proj(1, value))) if self.has_aux else found

    @property
    def is_program(self) -> bool:
        """Whether it is in a mode whose gradients are programs."""
        return self.mode in ("dependent", "delta")

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions."""
        which = chosen(self.argnums, len(args))
        if self.mode == "forward":
            value, found = forward_gradient(self.inner, args, which, has_aux=self.has_aux)
        else:
            ran = run(self.inner, args, self.mode)
            found = _gradients(ran, which, has_aux=self.has_aux)
            value = ran.value()
        shown = found if is_many(self.argnums) else found[0]
        if self.with_value:
            return value, shown
        return (shown, value[1]) if self.has_aux else shown


def value_and_grad(
    f: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    mode: Mode = "dependent",
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
    return Gradient(as_function(f), argnums, has_aux=has_aux, mode=mode, with_value=True)


def grad(
    f: Callable[P, Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    mode: Mode = "dependent",
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
    return Gradient(as_function(f), argnums, has_aux=has_aux, mode=mode, with_value=False)


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
    function = as_function(f)
    if not primals or current() is not None:
        transformed: Pulled[Any] = Pulled(function, has_aux=has_aux, mode=mode)
        return transformed(*primals) if primals else transformed
    return _vjp(function, function.positional(primals, {}), has_aux=has_aux, mode=mode)


def _vjp(
    function: Function[..., Any], primals: tuple[Any, ...], *, has_aux: bool, mode: Mode
) -> tuple[Any, ...]:
    ran = run(function, primals, mode)
    obj, _ = auxiliary(ran.program, has_aux)

    def pullback(*cotangents: Any) -> tuple[Any, ...]:
        if len(cotangents) != 1:
            raise TypeMismatch(
                "a pullback takes one argument, the cotangent of the result, which mirrors it; "
                f"it was given {len(cotangents)}"
            )
        (cotangent,) = cotangents
        result = ran.result[0] if has_aux else ran.result
        given = read(cotangent, obj, result, "the result", ran.mode)
        seed = {0: given} if has_aux and given is not None else given
        return ran.gradients(seed, tuple(range(len(primals))))

    value = ran.value()
    return (value[0], pullback, value[1]) if has_aux else (value, pullback)


def _gradients(ran: Ran, which: tuple[int, ...], *, has_aux: bool) -> tuple[Any, ...]:
    obj, _ = auxiliary(ran.program, has_aux)
    check_scalar(obj)
    assert isinstance(obj, Tensor)
    seed = np.ones((), dtype=obj.dtype)[()]
    return ran.gradients({0: seed} if has_aux else seed, which)


def jvp(f: Any, primals: Any = None, tangents: Any = None, *, has_aux: bool = False) -> Any:
    """``(value, tangent)`` of ``f`` at ``primals`` along ``tangents``, tuples of equal length.

    A tangent mirrors its argument; None is zero at any level, and an integer's has to be None.
    Without both, ``jvp(f)`` is the function of the arguments and then their tangents.

    >>> jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (np.float64(6.0), np.float64(3.0))
    """
    function = as_function(f)
    if primals is None and tangents is None:
        return Pushed(function, has_aux=has_aux)
    check_tuples(primals, tangents, "jvp")
    if current() is not None:
        given = tangents_of(tuple(primals), tuple(tangents))
        return Pushed(function, has_aux=has_aux)(*primals, *given)
    return interpretation.jvp(function, tuple(primals), tuple(tangents), has_aux=has_aux)


pullback = vjp
pushforward = jvp
