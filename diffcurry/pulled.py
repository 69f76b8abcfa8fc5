"""``vjp`` as a function of the language: a value and its pullback, which is a function value."""

from __future__ import annotations

from typing import Any, ParamSpec

from combinators.terms import Lam, Proj, Term, Tuple, Var
from combinators.tracing.faces import Face
from combinators.tracing.functions import Faces
from diffcurry.derivative import Derivative, Written, finished
from diffcurry.function import Function
from diffcurry.modes import Mode, written
from diffcurry.reverse import of_pair
from interpreters.staging.programs import pullback

P = ParamSpec("P")


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
        both = pullback(closed, which, written(self.mode), has_aux=self.has_aux)
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
        from diffcurry.transforms import vjp

        return vjp(self.inner, *args, has_aux=self.has_aux, mode=self.mode)
