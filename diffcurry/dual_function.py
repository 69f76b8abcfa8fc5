"""``jvp`` as a function of the language: the dual function (004, section 2), compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

from combinators.kit.memory import Remembered
from combinators.objects import Object
from combinators.primitives.structural import FIX
from combinators.simplify import simplifying
from combinators.terms import Lam, Proj, Term, Tuple, Var
from combinators.tracing.faces import Face, face_of
from combinators.tracing.functions import Faces, Specialised, Types
from combinators.tracing.mirrors import mirrored
from combinators.tracing.scope import current
from combinators.type_folds import direction, parts_of, velocity
from diffcurry import interpretation
from diffcurry.arguments import check_scalar, chosen, of_pair
from diffcurry.border import At, Ats
from diffcurry.derivative import Derivative, Gradient, transformed
from diffcurry.derived import Written, applied, is_tagged, result, tangent_face
from diffcurry.function import Function
from diffcurry.known import Known, tangents_of
from diffcurry.program import Program, folded, is_of_data
from diffcurry.tangent_basis import Basis, columns
from interpreters.staging import programs

P = ParamSpec("P")


class Pushed(Derivative[P, Any]):
    """The dual function of a function: ``(x…, ẋ…) ↦ (y, ẏ)``."""

    about = "The value and the tangent"
    verb = "jvp of"
    word = "jvp"
    gives_numbers = True
    at_once = False
    with_value: bool = True

    def __init__(self, inner: Function[..., Any], **options: Any) -> None:
        self._directed: dict[frozenset[int], Remembered[Lam, Written]] = {}
        self._moving: frozenset[int] = frozenset()
        super().__init__(inner, **options)
        self._signature = None

    def _typed(self, types: tuple[Object, ...]) -> tuple[Object, ...]:
        return (*types, *map(velocity, types)) if all(map(is_of_data, types)) else types

    def declared(self, types: Types, faces: Faces) -> tuple[Types, Faces]:
        """The types as declared; those of the tangents of functions are given with them."""
        if self.types is not None and len(self.types) != len(types):
            return types, faces
        return super().declared(types, faces)

    def primals(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those that are no tangents."""
        return values[: len(values) // 2]

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The dual function at these types of arguments and of tangents."""
        half = len(types) // 2
        made = self.inner.specialise(self.inner.types or types[:half], faces[:half])
        is_inside = not self.with_value and current() is not None
        if is_inside and is_tagged(velocity(made.lam.body.type)):
            both = self.on(self.inner, with_value=True).specialise(types, faces)
            lam = Lam(both.lam.params, Proj(1, both.lam.body), both.lam.name)
            return Specialised(lam, both.captured, both.face.children[1])
        params = made.lam.params
        self._moving = frozenset(
            len(made.captured) + i
            for i, (tangent, param) in enumerate(zip(types[half:], params, strict=True))
            if direction(param.type) is not velocity(param.type) is not tangent
        )
        known = self._directed.setdefault(self._moving, Remembered())
        written = known.of(made.lam, lambda: self.write(made, faces[:half]))
        tangents = written.lam.params[len(made.captured) + half :]
        return applied(written, made, (*params, *tangents), self.mirrored)

    def mirrored(self, found: Var, params: Sequence[Var]) -> Term:
        """The tangent, at the value."""
        value, tangent, *aux = (Proj(i, found) for i in range(2 + self.has_aux))
        return Tuple((value, mirrored(tangent, value), *aux))

    def _derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """``λ(x…, ẋ…). (y, ẏ)``."""
        obj, of_value = of_pair(closed.body.type, face, self.has_aux)
        writer = simplifying(folded)
        both = programs.pushforward(closed, captured, self._moving, writer=writer)

        def results(whole: Var) -> Term:
            y, dy = result(Proj(0, whole), Proj(1, whole), closed.body.type)
            if not self.with_value:
                return Proj(1, Tuple((y, dy)))
            return Tuple((Proj(0, y), Proj(0, dy), Proj(1, y)) if self.has_aux else (y, dy))

        lam, moved = self.finish(both, results, closed, writer), tangent_face(of_value, obj)
        if not self.with_value:
            return Written(lam, moved)
        aux = ((face.children[1] if face is not None else None),) if self.has_aux else ()
        return Written(lam, Face(tuple, (), (of_value, moved, *aux)))

    def program(self, *args: Any) -> Program:
        """The program at these arguments and tangents; a tangent that is None is zero."""
        if not args and self.inner.types is not None:
            declared = (*self.inner.types, *map(velocity, self.inner.types))
            return self.program_of(declared, tuple(map(face_of, declared)))
        types, faces = self.inner.types_of(self.primals(args))
        known = tuple(obj for obj in types if isinstance(obj, Object))
        if len(known) != len(types):
            return super().program(*args)
        moved = [tangent_face(face, obj) for face, obj in zip(faces, known, strict=True)]
        return self.program_of((*known, *map(velocity, known)), (*faces, *moved))

    def ats(self, program: Program) -> tuple[Sequence[At | None], Ats]:
        """A tangent for each argument, and for each result; a gradient's is at an argument."""
        half = len(program.types) // 2
        types, faces = program.types[:half], program.faces[:half]
        each = enumerate(zip(types, faces, strict=True))
        along = [At(f"x{i}", *one) for i, one in each]
        of = self.inner.shown_at(types, faces)
        if not self.with_value:
            return (*[None] * half, *along), of
        (obj, *_), face = parts_of(program.cod) or (), program.face
        of, *aux = of if self.has_aux and isinstance(of, tuple) else (of,)
        value_face = face.children[0] if face is not None else None
        found = (of, moved(of, "y[0]", obj, value_face), *(aux or [None] * self.has_aux))
        return (*[None] * half, *along), found

    def _of_known(self, known: Known[Any], values: tuple[Any, ...], data: list[Any]) -> Any:
        tangents = tuple(known.tangents(values[len(values) // 2 :]))
        if current() is not None:
            tangents = tangents_of(tuple(data), tangents)
        return self.on(known.function)(*data, *tangents)

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions, and their tangents."""
        half = len(args) // 2
        found = pushing(self.inner, args[:half], has_aux=self.has_aux)(args[half:])
        return found if self.with_value else found[1]


class ForwardGradient(Gradient[P]):
    """The gradient in forward mode: a pushforward for each number of an argument."""

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions that stand still; by compiled code where it recurs."""
        program, has_aux = self.inner.running(*args), self.has_aux
        obj, _ = of_pair(program.cod, program.face, has_aux)
        check_scalar(obj)
        pushed: Pushed[Any] = transformed(self.inner, Pushed, has_aux=has_aux)
        recurs = FIX in program.survey.operations
        push = None if recurs else pushing(self.inner, args, has_aux=has_aux)
        given: tuple[Any, ...] = ()

        def moved(*along: Any) -> Any:
            nonlocal given
            given = pushed(*args, *along) if push is None else push(along)
            return given[1]

        found = []
        for i in chosen(self.argnums, len(args)):
            by = Basis(program.types[i], args[i])
            found.append(by.tangent(columns(moved, i, len(args), by, Basis(obj, 0.0))[0]))
        if not given:
            moved(*[None] * len(args))
        value, _, *aux = given
        return self._shown((value, *aux) if has_aux else value, tuple(found))


def pushing(
    function: Function[..., Any], values: tuple[Any, ...], *, has_aux: bool = False
) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """From tangents of ``values`` to the value, the tangent, and what is auxiliary."""
    if isinstance(function, Gradient) and function.is_plain and function.mode == "dependent":
        return interpretation.pushing_gradient(function.inner, values, function.argnums)
    return interpretation.pushing(function, values, has_aux=has_aux)


def moved(of: Ats, name: str, obj: Object, face: Face | None) -> Ats:
    """Where the tangent of a result is that is ``of`` values itself: at those, or at the result."""
    if not isinstance(of, tuple):
        return of or At(name, obj, face)
    types, faces = parts_of(obj) or (), face.children if face is not None else (None,) * len(of)
    names = [f"{name}[{i}]" for i in range(len(of))]
    return tuple(map(moved, of, names, types, faces))
