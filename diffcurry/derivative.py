"""What a transform gives: a function of the language, like what ``fun`` gives.

It has a term of its own, so that every transform applies to it again, and it can be used while
another function is being traced.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

from combinators.bulk import bulk
from combinators.errors import NotDifferentiable, UnknownCode
from combinators.kit.memory import Remembered
from combinators.kit.text import Names
from combinators.objects import Fun, Object, Record, components, is_smooth
from combinators.primitives.loops import DUAL, REP
from combinators.simplify import simplify
from combinators.simplify.rule import Trace
from combinators.terms import App, Lam, Let, Prim, Proj, Term, Tuple, Var, pack
from combinators.tracing.definition import traced_apart
from combinators.tracing.faces import Face, face_of
from combinators.tracing.functions import Faces, Specialised, Types
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import rep_function, represented
from diffcurry.folding import folded
from diffcurry.function import Function
from diffcurry.program import Program

P = ParamSpec("P")
R = TypeVar("R")


class Written(NamedTuple):
    """A derivative as a closed λ of the captured variables and the arguments."""

    lam: Lam
    face: Face | None


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


def applied(written: Written, made: Specialised, params: tuple[Var, ...]) -> Specialised:
    """A derivative as a λ over ``params``, in the scope where the function captures.

    Inside a trace functions are given as they are, and their rep-functions go to the derivative.
    """
    lam = written.lam
    given = (*made.captured, *params)
    same = all(a.type is b.type for a, b in zip(given, lam.params, strict=True))
    if not made.captured and (same or current() is None):
        return Specialised(lam, (), written.face)
    arguments = [
        _represented(var, param.type) for var, param in zip(given, lam.params, strict=True)
    ]
    body = App(lam, pack(tuple(arguments)))
    return Specialised(Lam(params, body, lam.name), made.captured, written.face)


def _represented(term: Term, obj: Object) -> Term:
    """A value as a derivative takes it: with rep-functions for functions, or dual functions."""
    if term.type is obj:
        return term
    if isinstance(term.type, Fun):
        reverse = represented(term.type, rep_function) is obj
        return Prim(REP if reverse else DUAL, (term,))
    target = components(obj)
    if target is None:
        raise NotDifferentiable(f"a vector of functions, {term.type!r}, has no rep-functions yet")
    parts = [_represented(Proj(i, term), part) for i, part in enumerate(target.parts)]
    return Tuple(tuple(parts), obj.names if isinstance(obj, Record) else None)


def finished(
    lam: Lam, results: Callable[[Var], Term], name: str, trace: Trace | None = None
) -> Lam:
    """``lam``, simplified, with ``results`` of its result instead, as every transform gives it.

    ``trace`` is called with each rule that fires.
    """
    whole = Var(Names(param.name for param in lam.params).fresh("both"), lam.body.type)
    body = Let(((whole, lam.body),), results(whole))
    return simplify(Lam(lam.params, body, name), fold=folded, trace=trace)


NOTHING = Face(type(None), (), ())
"""The face of the tangent of what has none: None."""


def tangent_face(face: Face | None, obj: Object) -> Face | None:
    """The face of a cotangent or tangent of a value of type ``obj`` that wears ``face``."""
    product = components(obj)
    if product is None:
        return None if is_smooth(obj) else NOTHING
    if face is None and not product.width:
        return NOTHING
    shown = face if face is not None else face_of(obj)
    assert shown is not None
    children = zip(shown.children, product.parts, strict=True)
    return Face(shown.kind, shown.keys, tuple(tangent_face(f, o) for f, o in children))
