"""What transforms give: functions of the language, like those that ``fun`` gives.

Each has a term of its own, so that every transform applies to it again, and it can be used while
another function is being traced. At numbers it is compiled, with functions among its arguments too,
whose code is known; what has no code is interpreted.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ParamSpec, TypeVar

from combinators.bulk import bulk
from combinators.errors import UnknownCode, WrongMode
from combinators.kit.memory import Remembered
from combinators.objects import Object, Tensor, components
from combinators.simplify import simplifying
from combinators.terms import Lam, Proj, Term, Tuple, Var
from combinators.tracing.definition import traced_apart
from combinators.tracing.faces import Face, face_of
from combinators.tracing.functions import Faces, Specialised, Types, call
from combinators.tracing.scope import Scope, entered
from combinators.type_folds import direction, is_first_order, velocity
from diffcurry import interpretation
from diffcurry.arguments import Argnums, check_scalar, chosen, fits, is_function, is_many, of_pair
from diffcurry.derived import (
    Written,
    applied,
    closed_of,
    finished,
    result,
    tangent_face,
    unrepresented,
)
from diffcurry.function import Function
from diffcurry.interpretation import forward_gradient, gradients, run
from diffcurry.known import Known, NotKnown
from diffcurry.known_in_trace import KnownInTrace, holds_known_functions, tangents_of
from diffcurry.modes import CARRIER, Mode, written
from diffcurry.program import Program, Quick, folded
from diffcurry.readings import Readings
from diffcurry.tangents import read_tangent
from interpreters.sparse_cotangents import zeros
from interpreters.staging import programs

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D", bound=Function[..., Any])


class Derivative(Function[P, R]):
    """The function that a transform makes of ``inner``."""

    is_simple = True
    verb = "derivative of"
    about: str = "The derivative"
    """What it is, in words."""

    def __init__(self, inner: Function[..., Any], types: tuple[Object, ...] | None = None) -> None:
        """Of a function of the language; its parameters have ``types``, or those of ``inner``."""
        self.inner = inner
        self._derived: Remembered[Lam, Written] = Remembered()
        self._running: Remembered[Lam, Program] = Remembered()
        super().__init__(inner.function, inner.types if types is None else types)
        self.is_of_data = inner.is_of_data
        named = self.__name__ if self.__name__.isidentifier() else "a function"
        self.__doc__ = f"{self.about} of {named}."

    @abstractmethod
    def derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """The derivative of a closed λ, of which the first ``captured`` parameters stand still."""

    def computed(self, values: tuple[Any, ...]) -> Any:
        """The derivative at numbers, arrays and functions."""
        if not self.is_program:
            return self.otherwise(values)
        try:
            return super().computed(values)
        except (UnknownCode, WrongMode):
            return self.otherwise(values)  # where every function is a closure, whose code is known

    def in_trace(self, values: tuple[Any, ...]) -> Any:
        """The derivative while another function is traced: in what the functions captured."""
        if not holds_known_functions(values):
            return call(self, values)
        try:
            return self.of_known(KnownInTrace(self.base, values), values)
        except NotKnown:
            return call(self, values)

    def read_by(self) -> Readings:
        """What the function that it is derived from reads."""
        return self.inner.read_by()

    def naming(
        self, count: int, names: tuple[str, ...], settings: dict[str, Any]
    ) -> Function[..., Any]:
        """The derivative of the function of arguments by name."""
        return self.on(self.inner.naming(count, names, settings))

    @abstractmethod
    def on(self, inner: Function[..., Any]) -> Function[..., Any]:
        """The same derivative of another function."""

    def settle(self, *, whole: bool) -> None:
        """Leave out of what it reads what tracing it changed; it may not be ``whole`` any more."""
        self.inner.settle(whole=whole)

    @property
    def base(self) -> Function[..., Any]:
        """The function whose arguments it takes."""
        return self.inner

    def of_known(self, known: Known[Function[..., Any]], values: tuple[Any, ...]) -> Any:
        """The derivative, by that of a function of data; raises NotKnown where there is none."""
        raise NotKnown

    def otherwise(self, values: tuple[Any, ...]) -> Any:
        """The derivative of what has no code."""
        if self.is_of_data:
            raise NotKnown
        return self.evaluate(values)

    @property
    def is_program(self) -> bool:
        """Whether it is written as a program, which runs as Python."""
        return True

    def running(self, *args: Any) -> Program:
        """The program; functions among the arguments are given as they are."""
        if not any(map(is_function, args)):
            return self.program(*args)
        types, faces = self.types_of(args)
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
        return self.derive(bulk(closed_of(made)), len(made.captured), made.face, faces)


def transformed(function: Function[..., Any], kind: type[D], **options: Any) -> D:
    """A transform of a function, made once."""
    key = (kind, *options.values())
    if key not in function.transforms:
        function.transforms[key] = kind(function, **options)
    made: D = function.transforms[key]
    return made


class Pushed(Derivative[P, Any]):
    """The dual function of a function: ``(x…, ẋ…) ↦ (y, ẏ)``."""

    about = "The value and the tangent"
    verb = "jvp of"

    def __init__(
        self, inner: Function[..., Any], *, has_aux: bool, with_value: bool = True
    ) -> None:
        """Of ``inner``; without the value, the tangent alone."""
        self.has_aux, self.with_value = has_aux, with_value
        self._directed: dict[frozenset[int], Remembered[Lam, Written]] = {}
        self._moving: frozenset[int] = frozenset()
        super().__init__(inner, None if inner.types is None else self._typed(inner.types))
        self._signature = None

    def _typed(self, types: tuple[Object, ...]) -> tuple[Object, ...] | None:
        """The types of arguments and tangents; how functions move, their tangents say."""
        found = (*types, *map(velocity, types))
        return found if all(map(is_first_order, types)) else None

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The dual function at these types of arguments and of tangents."""
        half = len(types) // 2
        made = self.inner.specialise(self.inner.types or types[:half], faces[:half])
        params = made.lam.params
        self._moving = frozenset(
            len(made.captured) + i
            for i, (tangent, param) in enumerate(zip(types[half:], params, strict=True))
            if direction(param.type) is not velocity(param.type) is not tangent
        )
        known = self._directed.setdefault(self._moving, Remembered())
        written = known.of(made.lam, lambda: self._write(made, faces[:half]))
        tangents = written.lam.params[len(made.captured) + half :]
        return applied(written, made, (*params, *tangents))

    def derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """``λ(x…, ẋ…). (y, ẏ)``."""
        obj, of_value = of_pair(closed.body.type, face, self.has_aux)
        writer = simplifying(folded)
        both = programs.pushforward(closed, captured, self._moving, writer=writer)
        shown = [of_value, tangent_face(of_value, obj)]
        if self.has_aux:
            shown += [face.children[1] if face is not None else None]

        def results(whole: Var) -> Term:
            y, dy = result(Proj(0, whole), Proj(1, whole), closed.body.type)
            return Tuple((Proj(0, y), Proj(0, dy), Proj(1, y)) if self.has_aux else (y, dy))

        if not self.with_value:

            def tangent(whole: Var) -> Term:
                return Proj(1, Tuple(result(Proj(0, whole), Proj(1, whole), closed.body.type)))

            return Written(finished(both, tangent, f"jvp_{closed.name}", writer=writer), shown[1])
        lam = finished(both, results, f"jvp_{closed.name}" if closed.name else "jvp", writer=writer)
        return Written(lam, Face(tuple, (), tuple(shown)))

    def program(self, *args: Any) -> Program:
        """The program at these arguments and tangents; a tangent that is None is zero."""
        if not args and self.inner.types is not None:
            declared = (*self.inner.types, *map(velocity, self.inner.types))
            return self.program_of(declared, tuple(map(face_of, declared)))
        primals = args[: len(args) // 2]
        types, faces = self.inner.types_of(primals)
        if not all(isinstance(obj, Object) for obj in types):
            return super().program(*args)
        known = [obj for obj in types if isinstance(obj, Object)]
        moved = [tangent_face(face, obj) for face, obj in zip(faces, known, strict=True)]
        return self.program_of((*known, *map(velocity, known)), (*faces, *moved))

    def run(self, program: Program, quick: Quick, args: tuple[Any, ...]) -> Any:
        """The result at arguments that fit the types."""
        half = len(args) // 2
        given = []
        for arg, param in zip(args[:half], program.lam.params, strict=False):
            given.append(quick.border.given(arg, param.type))
        for arg, param, moved in zip(
            args[half:], program.lam.params, program.types[half:], strict=False
        ):
            tangent = read_tangent(arg, param.type, param.name)
            given.append(quick.border.given(filled(tangent, moved), moved))
        return quick.border.called(quick.compiled.function, given)

    def check(self, program: Program, args: tuple[Any, ...]) -> None:
        """Raise where an argument is not of its type; tangents are read one by one."""
        half = len(args) // 2
        for arg, param in zip(args[:half], program.lam.params, strict=False):
            fits(arg, param.type, param.name)

    def in_trace(self, values: tuple[Any, ...]) -> Any:
        """The dual function while another is traced; functions move by what they captured."""
        half = len(values) // 2
        if not holds_known_functions(values[:half]):
            return call(self, values)
        try:
            known = KnownInTrace(self.base, values[:half])
            tangents = tangents_of(tuple(known.data), tuple(known.tangents(values[half:])))
        except NotKnown:
            return call(self, values)
        options = {"has_aux": self.has_aux, "with_value": self.with_value}
        return transformed(known.function, Pushed, **options)(*known.data, *tangents)

    def on(self, inner: Function[..., Any]) -> Pushed[Any]:
        """The same of another function."""
        return Pushed(inner, has_aux=self.has_aux, with_value=self.with_value)

    def of_known(self, known: Known[Function[..., Any]], values: tuple[Any, ...]) -> Any:
        """The value and the tangent, of what the functions captured."""
        tangents = known.tangents(values[len(values) // 2 :])
        options = {"has_aux": self.has_aux, "with_value": self.with_value}
        return transformed(known.function, Pushed, **options)(*known.data, *tangents)

    def primals(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Those that are no tangents."""
        return values[: len(values) // 2]

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions, and their tangents."""
        half = len(args) // 2
        found = interpretation.jvp(self.inner, args[:half], args[half:], has_aux=self.has_aux)
        return found if self.with_value else found[1]


def filled(tangent: Any, obj: Object) -> Any:
    """A tangent of nested tuples, in which None is zero, with its zeros."""
    product = components(obj)
    if product is not None:
        parts = (None,) * product.width if tangent is None else tangent
        return tuple(map(filled, parts, product.parts))
    assert isinstance(obj, Tensor)
    return zeros(CARRIER, obj) if tangent is None else tangent


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
        self.verb = "value_and_grad of" if with_value else "grad of"
        super().__init__(inner)

    def derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """``λ(x…). x̄``, or ``(y, x̄)`` with the value."""
        obj, _ = of_pair(closed.body.type, face, self.has_aux)
        check_scalar(obj)
        which = chosen(self.argnums, len(closed.params) - captured)
        shifted = [captured + i for i in which]
        writer = simplifying(folded)
        both = programs.gradient(
            closed, shifted, written(self.mode), has_aux=self.has_aux, writer=writer
        )
        lam = finished(
            both,
            lambda whole: self._results(whole, closed.body.type),
            f"grad_{closed.name}" if closed.name else "grad",
            writer=writer,
        )
        params = closed.params[captured:]
        found = [tangent_face(faces[i], params[i].type) for i in which]
        shown = Face(tuple, (), tuple(found)) if is_many(self.argnums) else found[0]
        if self.with_value:
            return Written(lam, Face(tuple, (), (face, shown)))
        if self.has_aux:
            assert face is not None
            return Written(lam, Face(tuple, (), (shown, face.children[1])))
        return Written(lam, shown)

    def _results(self, both: Var, obj: Object) -> Term:
        value, gradients = unrepresented(Proj(0, both), obj), Proj(1, both)
        found: Term = gradients if is_many(self.argnums) else Proj(0, gradients)
        if self.with_value:
            return Tuple((value, found))
        return Tuple((found, Proj(1, value))) if self.has_aux else found

    @property
    def is_program(self) -> bool:
        """Whether it is in a mode whose gradients are programs."""
        return self.mode in ("dependent", "delta")

    def of_known(self, known: Known[Function[..., Any]], values: tuple[Any, ...]) -> Any:
        """The gradient in what the functions captured."""
        if self.mode not in known.modes:
            raise NotKnown
        which = chosen(self.argnums, len(values))
        options = {"has_aux": self.has_aux, "mode": self.mode, "with_value": True}
        argnums = tuple(known.indices(*which))
        made = transformed(known.function, Gradient, argnums=argnums, **options)
        value, found = made(*known.data)
        return self._shown(value, known.gradients(which, found))

    def on(self, inner: Function[..., Any]) -> Gradient[Any]:
        """The same gradient of another function."""
        return Gradient(
            inner,
            self.argnums,
            has_aux=self.has_aux,
            mode=self.mode,
            with_value=self.with_value,
        )

    @property
    def latex_name(self) -> str:
        """``∇f``, where the gradient is all that it gives."""
        is_plain = not self.with_value and not self.has_aux
        return f"∇{self.inner.latex_name}" if is_plain else self.__name__

    def _shown(self, value: Any, found: tuple[Any, ...]) -> Any:
        shown = found if is_many(self.argnums) else found[0]
        if self.with_value:
            return value, shown
        return (shown, value[1]) if self.has_aux else shown

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions."""
        which = chosen(self.argnums, len(args))
        if self.mode == "forward":
            value, found = forward_gradient(self.inner, args, which, has_aux=self.has_aux)
        else:
            ran = run(self.inner, args, self.mode)
            found = gradients(ran, which, has_aux=self.has_aux)
            value = ran.value()
        return self._shown(value, found)
