"""``jvp`` as a function of the language: of arguments and tangents, to a value and its tangent."""

from __future__ import annotations

from typing import Any, ParamSpec

from combinators.errors import TypeMismatch
from combinators.objects import Object, Unit
from combinators.terms import Lam, Proj, Term, Tuple, Var
from combinators.tracing.faces import Face
from combinators.tracing.functions import Faces, Specialised, Types, argument_types
from combinators.tracing.traced import LIBRARY
from combinators.type_folds import velocity
from diffcurry.derivative import Derivative, Written, applied, finished, tangent_face
from diffcurry.duals import result
from diffcurry.function import Function
from diffcurry.reverse import of_pair
from interpreters.staging.programs import pushforward

P = ParamSpec("P")


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
        both = pushforward(closed, captured)
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
        from diffcurry.forward import jvp

        half = len(args) // 2
        return jvp(self.inner, args[:half], args[half:], has_aux=self.has_aux)


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
