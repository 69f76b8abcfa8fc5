"""What a transform gives: a function of the language, like what ``fun`` gives.

It has a term of its own, so that every transform applies to it again, and it can be used while
another function is being traced.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple, ParamSpec, TypeVar

from combinators.kit.names import Names
from combinators.kit.remembered import Remembered
from combinators.objects import Object, components, is_smooth
from combinators.simplify import simplify
from combinators.terms import App, Lam, Let, Term, Var, pack
from combinators.tracing.functions import Faces, Specialised, Types
from combinators.tracing.trees import Face, face_of
from diffcurry.function import Function

P = ParamSpec("P")
R = TypeVar("R")


class Written(NamedTuple):
    """A derivative as a closed λ of the captured variables and the arguments."""

    lam: Lam
    face: Face | None


class Derivative(Function[P, R]):
    """The function that a transform makes of ``inner``."""

    def __init__(self, inner: Function[..., Any]) -> None:
        """Of a function of the language."""
        self.inner = inner
        self._derived: Remembered[Lam, Written] = Remembered()
        super().__init__(inner.function, inner.types)

    @abstractmethod
    def derive(self, closed: Lam, captured: int, face: Face | None, faces: Faces) -> Written:
        """The derivative of a closed λ, of which the first ``captured`` parameters stand still."""

    def computed(self, values: tuple[Any, ...]) -> Any:
        """The derivative at numbers, arrays and functions."""
        return super().computed(values) if self.is_program else self.evaluate(values)

    @property
    def is_program(self) -> bool:
        """Whether it is written as a program, which runs as Python."""
        return True

    def specialise(self, types: Types, faces: Faces) -> Specialised:
        """The derivative at these argument types: of what the function captures it is a λ too."""
        made = self.inner.specialise(types, faces)
        written = self._derived.of(made.lam, lambda: self._write(made, faces))
        if not made.captured:
            return Specialised(written.lam, (), written.face)
        params = written.lam.params[len(made.captured) :]
        body = App(written.lam, pack((*made.captured, *params)))
        return Specialised(Lam(params, body, written.lam.name), made.captured, written.face)

    def _write(self, made: Specialised, faces: Faces) -> Written:
        closed = Lam((*made.captured, *made.lam.params), made.lam.body, made.lam.name)
        return self.derive(closed, len(made.captured), made.face, faces)


def finished(lam: Lam, results: Any, name: str) -> Lam:
    """``lam``, simplified, with ``results`` of its result instead."""
    whole = Var(Names(param.name for param in lam.params).fresh("both"), lam.body.type)
    body: Term = results(whole)
    return simplify(Lam(lam.params, Let(((whole, lam.body),), body), name))


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
