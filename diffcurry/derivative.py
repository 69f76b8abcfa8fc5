"""What transforms give: functions of the language, like those that ``fun`` gives.

Each has a term of its own, so that every transform applies to it again, and it can be used while
another function is being traced. At numbers it is compiled, with functions among its arguments too,
whose code is known; what has no code is interpreted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar, ParamSpec, TypeVar

import numpy as np

from combinators.bulk import bulk
from combinators.errors import UnknownCode, WrongMode
from combinators.kit.memory import Remembered
from combinators.objects import Object
from combinators.primitives.structural import FIX
from combinators.simplify import simplifying
from combinators.simplify.writer import Writer
from combinators.terms import Lam, Proj, Term, Tuple, Var
from combinators.tracing.definition import call, traced_apart
from combinators.tracing.faces import Face
from combinators.tracing.functions import Faces, Specialised, Types
from combinators.tracing.mirrors import mirrored
from combinators.tracing.scope import Scope, current, entered
from diffcurry import interpretation
from diffcurry.arguments import (
    Argnums,
    check_scalar,
    chosen,
    holds_functions,
    is_function,
    is_many,
    of_pair,
)
from diffcurry.border import At, Ats
from diffcurry.decorator import fun
from diffcurry.derived import Written, applied, closed_of, finished, tangent_face, unrepresented
from diffcurry.function import Function
from diffcurry.known import Known, KnownInTrace, NotKnown, holds_known_functions
from diffcurry.modes import Mode, written
from diffcurry.program import Program, folded, is_of_data
from diffcurry.readings import Readings
from interpreters.backends.analysis.captures import surveyed
from interpreters.backends.llvm import choice
from interpreters.staging import programs

LONG = 1_000
"""The derivative of a program of more terms takes longer to write than to compute once."""


class Long(BaseException):
    """A derivative of many lines, each computed once, would be written for one call alone."""


_FIRST: ContextVar[bool] = ContextVar("first", default=False)
"""Whether a derivative is computed for the first time, and perhaps for the last."""

P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D", bound="Derivative[..., Any]")


class Derivative(Function[P, R]):
    """The function that a transform makes of ``inner``, with its ``options``."""

    is_simple = True
    verb = "derivative of"
    about: str = "The derivative"
    """What it is, in words."""
    word: ClassVar[str]
    """What the program is called, before the name of the function."""
    mode: Mode = "dependent"
    has_aux: bool = False
    gives_numbers: ClassVar[bool] = False
    """Whether numbers are all that it gives, so that it need not be written to be computed once."""
    _is_met: bool = False

    def __init__(self, inner: Function[..., Any], **options: Any) -> None:
        self.inner, self.options = inner, options
        vars(self).update(options)
        self._derived: Remembered[Lam, Written] = Remembered()
        self._running: Remembered[Lam, Program] = Remembered()
        types = None if inner.types is None else self._typed(inner.types)
        super().__init__(self._python(), types)
        self.is_of_data, self.static = inner.is_of_data, inner.static
        self.backend = inner.backend
        named = self.__name__ if self.__name__.isidentifier() else "a function"
        self.__doc__ = f"{self.about} of {named}."

    def _python(self) -> Callable[..., Any]:
        """The Python function whose name, parameters and annotations it has."""
        return self.inner.function

    def _typed(self, types: tuple[Object, ...]) -> tuple[Object, ...]:
        """The types of its parameters, from those of the function's."""
        return types

    def _derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """The derivative of a closed λ, of which the first ``captured`` parameters stand still."""
        raise NotImplementedError

    def mirrored(self, found: Var, params: Sequence[Var]) -> Term:
        """What is ``found`` at ``params`` inside a trace: its tangents mirror the values."""
        raise NotImplementedError

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions, by interpretation."""
        raise NotImplementedError

    def _of_known(self, known: Known[Any], values: tuple[Any, ...], data: list[Any]) -> Any:
        raise NotKnown

    @property
    def base(self) -> Function[..., Any]:
        """The function whose arguments it takes."""
        return self.inner

    @property
    def is_program(self) -> bool:
        """Whether it is written as a program, which runs as Python."""
        return self.mode in ("dependent", "delta")

    def on(self, inner: Function[..., Any], **options: Any) -> Any:
        """The same derivative of another function, made once; other ``options`` may be given."""
        return transformed(inner, type(self), **self.options | options)

    def of(self, f: Any, *args: Any) -> Any:
        """The same derivative of any function, at ``args``."""
        return self.on(fun(f))(*args)

    def _naming(self, count: int, names: tuple[str, ...], settings: dict[str, Any]) -> Any:
        return self.on(self.inner._naming(count, names, settings))

    def _read_by(self) -> Readings:
        return self.inner._read_by()

    def _settle(self, *, whole: bool) -> None:
        """Leave out of what it reads what tracing it changed; it may not be ``whole`` any more."""
        self.inner._settle(whole=whole)

    def _computed(self, values: tuple[Any, ...]) -> Any:
        if not self.is_program and not self._is_one_recursion(values):
            return self.otherwise(values)
        is_first = self.gives_numbers and not self._is_met  # by Python, to the same last digit
        first = _FIRST.set(is_first and choice.chosen(self.backend) == "python")
        self._is_met = True
        try:
            return super()._computed(values)
        except (UnknownCode, WrongMode, Long):
            pass
        finally:
            _FIRST.reset(first)
        return self.otherwise(values)  # where every function is a closure, whose code is known

    def _is_one_recursion(self, values: tuple[Any, ...]) -> bool:
        """Whether the simply-typed form records the calls of one recursive function alone."""
        if self.mode != "simple" or holds_functions(values):
            return False
        program = self.inner.program(*values)
        found = program.survey
        return FIX in found.operations and len(found.times) == 1 and is_of_data(program.cod)

    def _in_trace(self, values: tuple[Any, ...]) -> Any:
        primals = self.primals(values)
        if holds_known_functions(primals):
            try:
                known = KnownInTrace(self.base, primals, Function)
                return self._of_known(known, values, known.data)
            except NotKnown:
                pass
        return call(self, values)

    def running(self, *args: Any) -> Program:
        """The program; functions among the arguments are given as they are."""
        if not any(map(is_function, args)):
            return self.program(*args)
        types, faces = self.types_of(args)

        def given() -> Specialised:
            with entered(Scope(None, "the caller")):
                return self.specialise(types, faces)

        made = traced_apart(given)
        return self._running.of(made.lam, lambda: Program(made, simple=True))

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The derivative at these argument types: of what the function captures it is a λ too."""
        made = self.inner.specialise(types, faces)
        written = self._derived.of(made.lam, lambda: self.write(made, faces))
        return applied(written, made, made.lam.params, self.mirrored)

    def write(self, made: Specialised, faces: Faces) -> Written:
        """The derivative as a closed λ."""
        closed = closed_of(made)
        found = surveyed(closed)
        if _FIRST.get() and current() is None and found.size > LONG and not found.times:
            raise Long
        whole = bulk(closed) if found.has_loops else closed
        return self._derive(whole, len(made.captured), made.face, faces)

    def finish(
        self, both: Lam, results: Callable[[Var], Term], of: Lam, writer: Writer | None
    ) -> Lam:
        """What is written of the λ ``of``, with the ``results`` that are asked for."""
        name = f"{self.word}_{of.name}" if of.name else self.word
        return finished(both, results, name, writer=writer)


def transformed(function: Function[..., Any], kind: Callable[..., D], **options: Any) -> D:
    """A transform of a function, made once."""
    key = (kind, *options.values())
    try:
        made: D | None = function.transforms.get(key)
    except TypeError:  # a list of argnums
        return kind(function, **options)
    if made is None:
        made = function.transforms[key] = kind(function, **options)
    return made


class Gradient(Derivative[P, Any]):
    """What ``grad`` and ``value_and_grad`` give."""

    word = "grad"
    gives_numbers = True
    argnums: Argnums
    with_value: bool

    def __init__(self, inner: Function[..., Any], **options: Any) -> None:
        with_value = options["with_value"]
        self.about = "The value and the gradient" if with_value else "The gradient"
        self.verb = "value_and_grad of" if with_value else "grad of"
        super().__init__(inner, **options)

    def _derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """``λ(x…). x̄``, or ``(y, x̄)`` with the value."""
        obj, _ = of_pair(closed.body.type, face, self.has_aux)
        check_scalar(obj)
        which = chosen(self.argnums, len(closed.params) - captured)
        shifted, mode = [captured + i for i in which], written(self.mode)
        writer = simplifying(folded)
        both = programs.gradient(closed, shifted, mode, has_aux=self.has_aux, writer=writer)

        def results(whole: Var) -> Term:
            value, gradients = unrepresented(Proj(0, whole), closed.body.type), Proj(1, whole)
            found: Term = gradients if is_many(self.argnums) else Proj(0, gradients)
            if self.with_value:
                return Tuple((value, found))
            return Tuple((found, Proj(1, value))) if self.has_aux else found

        lam = self.finish(both, results, closed, writer)
        each = [tangent_face(faces[i], closed.params[captured + i].type) for i in which]
        shown = Face(tuple, (), tuple(each)) if is_many(self.argnums) else each[0]
        if self.with_value:
            return Written(lam, Face(tuple, (), (face, shown)))
        if self.has_aux:
            assert face is not None
            return Written(lam, Face(tuple, (), (shown, face.children[1])))
        return Written(lam, shown)

    def mirrored(self, found: Var, params: Sequence[Var]) -> Term:
        """The gradients, at the arguments."""
        which, at = chosen(self.argnums, len(params)), int(self.with_value)
        gradients: Term = found if self.is_plain else Proj(at, found)
        if not is_many(self.argnums):
            shown = mirrored(gradients, params[which[0]])
        else:
            shown = Tuple(
                tuple(mirrored(Proj(k, gradients), params[i]) for k, i in enumerate(which))
            )
        if self.is_plain:
            return shown
        return Tuple((Proj(0, found), shown) if at else (shown, Proj(1, found)))

    def shown_at(self, types: tuple[Object, ...], faces: Faces) -> Ats:
        """The gradients are at the arguments."""
        which = chosen(self.argnums, len(types))
        each = tuple(At(f"x{i}", types[i], faces[i], "cotangent") for i in which)
        found = each if is_many(self.argnums) else each[0]
        if self.with_value:
            return None, found
        return (found, None) if self.has_aux else found

    def _of_known(self, known: Known[Any], values: tuple[Any, ...], data: list[Any]) -> Any:
        if self.mode not in known.modes:
            raise NotKnown
        which = chosen(self.argnums, len(values))
        made = self.on(known.function, argnums=tuple(known.indices(*which)), with_value=True)
        value, found = made(*data)
        return self._shown(value, known.gradients(which, found))

    def evaluate(self, args: tuple[Any, ...]) -> Any:
        """At numbers, arrays and functions."""
        ran = interpretation.run(self.inner, args, self.mode, has_aux=self.has_aux)
        check_scalar(ran.obj)
        one = np.ones((), getattr(ran.obj, "dtype", None))[()]
        return self._shown(ran.value, ran.pull(one, chosen(self.argnums, len(args))))

    def _shown(self, value: Any, found: tuple[Any, ...]) -> Any:
        shown = found if is_many(self.argnums) else found[0]
        if self.with_value:
            return value, shown
        return (shown, value[1]) if self.has_aux else shown

    @property
    def is_plain(self) -> bool:
        """Whether the gradient is all that it gives."""
        return not self.with_value and not self.has_aux

    @property
    def latex_name(self) -> str:
        """``∇f``, where the gradient is all that it gives."""
        return f"∇{self.inner.latex_name}" if self.is_plain else self.__name__
