"""``vjp`` as a function of the language: a value, and the pullback there (004, section 3).

At numbers both are compiled: the pullback is a closure of the code that computed the value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

import numpy as np

from combinators.kit.memory import Remembered
from combinators.objects import Fun, Product
from combinators.simplify import simplifying
from combinators.terms import Lam, Proj, Term, Tuple, Var
from combinators.tracing.faces import Face
from combinators.tracing.functions import Faces
from diffcurry import interpretation
from diffcurry.border import Border, NotThese
from diffcurry.cotangents import read
from diffcurry.derivative import Derivative, transformed
from diffcurry.derived import Written, finished, tangent_face
from diffcurry.function import Function
from diffcurry.interpretation import of_pair
from diffcurry.known import Known, NotKnown
from diffcurry.modes import CARRIER, Mode, reverse, written
from diffcurry.program import Program, Quick, folded
from interpreters.sparse_cotangents import dense
from interpreters.staging import programs

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D", bound=Function[..., Any])


class Pulled(Derivative[P, Any]):
    """The rep-function of a function: ``x ↦ (y, pullback)``."""

    about = "The value and the pullback"
    is_rep = True

    def __init__(self, inner: Function[..., Any], *, has_aux: bool, mode: Mode) -> None:
        """Of ``inner``."""
        self.has_aux, self.mode = has_aux, mode
        self._backs: Remembered[Program, Back] = Remembered()
        super().__init__(inner)

    def derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """``λ(x…). (y, λȳ. (x̄, …))``."""
        _, of_value = of_pair(closed.body.type, face, self.has_aux)
        which = range(captured, len(closed.params))
        writer = simplifying(folded)
        both = programs.pullback(
            closed, which, written(self.mode), has_aux=self.has_aux, writer=writer
        )
        lam = finished(
            both, self._results, f"vjp_{closed.name}" if closed.name else "vjp", writer=writer
        )
        aux = (face.children[1],) if self.has_aux and face is not None else ()
        return Written(lam, Face(tuple, (), (of_value, None, *aux)))

    def _results(self, both: Var) -> Term:
        value, function = Proj(0, both), Proj(1, both)
        if self.has_aux:
            return Tuple((Proj(0, value), function, Proj(1, value)))
        return Tuple((value, function))

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions."""
        return interpretation.vjp(self.inner, args, has_aux=self.has_aux, mode=self.mode)

    @property
    def is_program(self) -> bool:
        """Whether it is in a mode whose pullbacks are programs."""
        return self.mode in ("dependent", "delta")

    def entry(self, program: Program, quick: Quick) -> Callable[[tuple[Any, ...]], Any]:
        """The function of a tuple of arguments."""
        back = self._backs.of(program, lambda: Back(program, quick))
        forward, again = quick.entry, partial(self._pullback, back)

        def entry(args: tuple[Any, ...]) -> tuple[Any, ...]:
            value, pull, *aux = forward(args)
            return value, again(pull, args), *aux

        return entry

    def run(self, program: Program, quick: Quick, args: tuple[Any, ...]) -> Any:
        """The result at arguments that fit the types."""
        value, pull, *aux = quick.run(args)
        back = self._backs.of(program, lambda: Back(program, quick))
        return value, self._pullback(back, pull, args), *aux

    def _pullback(self, back: Back, pull: Callable[..., Any], args: tuple[Any, ...]) -> Pullback:
        return Pullback(back, pull, lambda: self.otherwise(args)[1])

    def of_known(self, known: Known[Function[..., Any]], values: tuple[Any, ...]) -> Any:
        """The value, and the pullback to what the functions captured."""
        if self.mode != "dependent":
            raise NotKnown
        made = transformed(known.function, Pulled, has_aux=self.has_aux, mode=self.mode)
        value, pull, *aux = made(*known.data)
        which = range(len(values))

        def pullback(*cotangents: Any) -> tuple[Any, ...]:
            try:
                return known.gradients(which, pull(*cotangents))
            except NotKnown:
                return self.evaluate(values)[1](*cotangents)  # type: ignore[no-any-return]

        return value, pullback, *aux


class Back:
    """The way back of a program: from cotangents of its result to those of its arguments."""

    def __init__(self, program: Program, quick: Quick) -> None:
        """Of the program of a rep-function."""
        rep = program.cod
        assert isinstance(rep, Product)
        function = rep.parts[1]
        assert isinstance(function, Fun)
        assert program.face is not None
        self.cotangent, arguments = function.dom, function.cod
        self.value, own = rep.parts[0], program.face.children[0]
        found = [
            tangent_face(face, obj) for face, obj in zip(program.faces, program.types, strict=True)
        ]
        self.border = Border(
            (self.cotangent,),
            (tangent_face(own, self.value),),
            arguments,
            Face(tuple, (), tuple(found)),
            spread=isinstance(self.cotangent, Product) and self.cotangent.width != 1,
        )
        self.has_arrays = "np." in quick.compiled.source

    def read(self, cotangent: Any) -> Any:
        """A user's cotangent as the compiled pullback takes it."""
        sparse = read(cotangent, self.value, None, "the result", reverse("dependent"))
        return self.border.given(dense(CARRIER, sparse, self.cotangent), self.cotangent)


class Pullback:
    """From a cotangent of a result to the tuple of those of the arguments.

    It may be called again and again: what it needs of the value was computed with the value.
    """

    def __init__(
        self, back: Back, pull: Callable[..., Any], interpreted: Callable[[], Callable[..., Any]]
    ) -> None:
        """``pull`` is compiled; ``interpreted`` gives what says an error in our own words."""
        self._back, self._pull, self._interpreted = back, pull, interpreted
        self._entry = back.border.entry(pull)

    def __call__(self, *cotangents: Any) -> tuple[Any, ...]:
        """The cotangents of the arguments."""
        try:
            if not self._back.has_arrays:
                return self._entry(cotangents)  # type: ignore[no-any-return]
            with np.errstate(all="ignore"):
                return self._entry(cotangents)  # type: ignore[no-any-return]
        except (NotThese, ValueError, TypeError, LookupError, ArithmeticError, RecursionError):
            return self._carefully(cotangents)

    def _carefully(self, cotangents: tuple[Any, ...]) -> tuple[Any, ...]:
        interpretation.check_one_cotangent(cotangents)
        given = self._back.read(cotangents[0])
        try:
            with np.errstate(all="ignore"):
                return self._back.border.called(self._pull, (given,))  # type: ignore[no-any-return]
        except (IndexError, ArithmeticError, RecursionError):
            return self._interpreted()(*cotangents)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        """Its types."""
        back = self._back
        return f"<pullback from the cotangents of {back.value!r}>"
