"""Pullbacks of functions whose results hold functions, inside a trace.

There the pullback takes a ``Tangent`` for each function in the result: the erased cotangent of what
it captured (004, section 5). A list of calls becomes one by the rep-function of that function, and
a mapping of what it captured by its environment, where its code is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from combinators.errors import TypeMismatch
from combinators.objects import Fun, Object, Tangent, components
from combinators.primitives.structural import PACK
from combinators.terms import Term
from combinators.tracing.emit import emit_operation, operand
from combinators.tracing.faces import Face, open_up
from combinators.tracing.functions import Faces, Specialisable, Types, call, coerce
from combinators.tracing.traced import LIBRARY, Traced
from combinators.type_folds import is_smooth, tangent_of
from diffcurry.arguments import opened_as
from diffcurry.function_cotangents import is_call
from interpreters.staging.programs import ResultShape


class Returned:
    """A result inside a trace: of type ``obj``, with rep-functions in it, and what it is."""

    def __init__(self, obj: Object, rep: Any, shape: ResultShape | None) -> None:
        """``rep`` is a traced value; the shape is None where nothing is known of functions."""
        self.obj, self.rep, self.shape = obj, rep, shape

    def read(self, cotangent: Any, path: str = "the result") -> Any:
        """The user's cotangent as the one that the pullback takes."""
        zero = tangent_of(self.obj)
        if isinstance(self.obj, Fun):
            return self._read_function(cotangent, self.obj, path)
        if cotangent is None:
            return LIBRARY["zeros_of_type"](zero) if is_smooth(zero) else ()
        product, opened = components(self.obj), open_up(self.rep)
        if product is None or opened is None:
            return cotangent
        face, given = opened_as(self.obj, cotangent, f"the cotangent of {path}")
        parts = []
        for i, (part, below) in enumerate(zip(given, product.parts, strict=True)):
            shape = None if self.shape is None else self.shape.part(i)
            inside = Returned(below, opened[2][i], shape)
            parts.append(inside.read(part, path + face.path(i)))
        return tuple(parts)

    def _read_function(self, cotangent: Any, obj: Fun, path: str) -> Any:
        if cotangent is None:
            return LIBRARY["zeros_of_type"](Tangent)
        if isinstance(cotangent, Traced):
            return cotangent
        if isinstance(cotangent, Mapping):
            return self._read_captured(cotangent, path)
        if not isinstance(cotangent, Sequence) or not all(is_call(tuple(c)) for c in cotangent):
            raise TypeMismatch(
                f"the cotangent of the function {path} : {obj!r} is a list of (argument, cotangent)"
                f" pairs, or a mapping of its captured variables, and this is {cotangent!r:.60}"
            )
        pulled = [LIBRARY["zeros_of_type"](Tangent)]
        for argument, given in cotangent:
            y, pull = self.rep(argument)
            inside = Returned(obj.cod, y, None).read(given, f"{path}(…)")
            pulled.append(pull(inside)[0])
        return reduce(LIBRARY["plus"], pulled)

    def _read_captured(self, cotangent: Mapping[str, Any], path: str) -> Any:
        environment = None if self.shape is None else self.shape.environment()
        if environment is None:
            raise TypeMismatch(
                f"what the function {path} captured is not known while this is traced, since it is "
                "chosen or made when it runs; give its cotangent as a list of calls"
            )
        unknown = set(cotangent) - set(environment)
        if unknown:
            raise TypeMismatch(
                f"the function {path} captures {', '.join(environment) or 'nothing'}, "
                f"and not {', '.join(sorted(map(str, unknown)))}"
            )
        parts = tuple(_captured(cotangent.get(n), shape) for n, shape in environment.items())
        assert self.shape is not None
        whole = coerce(parts, tangent_of(self.shape.obj))
        return emit_operation(PACK.plain, (whole,))


def _captured(cotangent: Any, shape: ResultShape) -> Any:
    """The cotangent of what was captured; of a function of known code, of what that captured."""
    obj = tangent_of(shape.obj)
    environment = shape.environment()
    if cotangent is None:
        return LIBRARY["zeros_of_type"](obj) if is_smooth(obj) else ()
    if environment is not None:
        given = cotangent if isinstance(cotangent, Mapping) else {}
        return tuple(_captured(given.get(name), below) for name, below in environment.items())
    return cotangent


class PullbackInTrace(Specialisable):
    """From cotangents of a result that holds functions to those of the arguments."""

    def __init__(self, pull: Traced, result: Returned) -> None:
        self._pull, self._result = pull, result

    def __call__(self, cotangent: Any) -> Any:
        """The cotangents of the arguments."""
        return call(self._pull, (self._result.read(cotangent),))

    def type(self) -> Object:
        """That of the function in the program."""
        found: Object = self._pull.type
        return found

    def at(self, types: Types, faces: Faces) -> tuple[Term, Face | None]:
        """The function in the program."""
        return operand(self._pull), None
