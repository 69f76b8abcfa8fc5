"""``grad`` and its family, with JAX's signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Tensor
from combinators.terms import Lam, Proj, Term, Tuple, Var
from combinators.tracing.faces import Face
from combinators.tracing.functions import Faces
from combinators.tracing.scope import current
from diffcurry.cotangents import read
from diffcurry.derivative import Derivative, Written, finished, tangent_face
from diffcurry.forward import forward_gradient, jvp
from diffcurry.function import Function
from diffcurry.modes import Mode, check_mode, written
from diffcurry.pulled import Pulled
from diffcurry.reverse import Ran, as_function, auxiliary, of_pair, run
from diffcurry.scalar import Argnums, check_scalar, chosen, is_many
from interpreters.staging.programs import gradient

P = ParamSpec("P")


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
        both = gradient(closed, shifted, written(self.mode), has_aux=self.has_aux)
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


pullback = vjp
pushforward = jvp


def _gradients(ran: Ran, which: tuple[int, ...], *, has_aux: bool) -> tuple[Any, ...]:
    obj, _ = auxiliary(ran.program, has_aux)
    check_scalar(obj)
    assert isinstance(obj, Tensor)
    seed = np.ones((), dtype=obj.dtype)[()]
    return ran.gradients({0: seed} if has_aux else seed, which)
