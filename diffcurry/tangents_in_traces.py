"""Cotangents and pullbacks inside a trace.

Inside a trace a pullback takes a ``Tangent`` for each function in the result: the erased cotangent
of what it captured (004, section 5). A list of calls becomes one by the rep-function of that
function, and a mapping of what it captured by its environment, where its code is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any, NamedTuple

from combinators.errors import TypeMismatch
from combinators.objects import Fun, Object, Tangent, components
from combinators.primitives.structural import PACK
from combinators.terms import Term
from combinators.tracing.definition import call
from combinators.tracing.emit import emit_operation, operand
from combinators.tracing.faces import Face, open_up
from combinators.tracing.functions import Faces, Specialisable, Types, coerce
from combinators.tracing.traced import LIBRARY, Traced
from combinators.type_folds import tangent_of
from diffcurry.known import zeros_in_trace
from diffcurry.tangents import calls_of, check_captures
from diffcurry.values import naming, opened_as
from interpreters.staging.programs import ResultShape


class Returned(NamedTuple):
    """A result inside a trace: its type, and what it is with rep-functions in it.

    Where nothing is known of its functions the shape is None.
    """

    obj: Object
    rep: Any
    shape: ResultShape | None

    def read(self, cotangent: Any, path: str = "the result") -> Any:
        """The user's cotangent as the one that the pullback takes."""
        obj = self.obj
        if cotangent is None:
            return zeros_in_trace(tangent_of(obj))
        if isinstance(obj, Fun):
            return self._read_function(cotangent, obj, path)
        product, opened = components(obj), open_up(self.rep)
        if product is None or opened is None:
            return cotangent
        with naming(path):
            face, given = opened_as(obj, cotangent, "cotangent")
        parts = []
        for i, (part, below) in enumerate(zip(given, product.parts, strict=True)):
            shape = None if self.shape is None else self.shape.part(i)
            parts.append(Returned(below, opened[2][i], shape).read(part, path + face.path(i)))
        return tuple(parts)

    def _read_function(self, cotangent: Any, obj: Fun, path: str) -> Any:
        if isinstance(cotangent, Traced):
            return cotangent
        if isinstance(cotangent, Mapping):
            return self._read_captured(cotangent, path)
        pulled = [zeros_in_trace(Tangent)]
        with naming(path):
            calls = calls_of(cotangent, obj)
        for argument, given in calls:
            y, pull = self.rep(argument)
            pulled.append(pull(Returned(obj.cod, y, None).read(given, f"{path}(…)"))[0])
        return reduce(LIBRARY["plus"], pulled)

    def _read_captured(self, cotangent: Mapping[str, Any], path: str) -> Any:
        environment = None if self.shape is None else self.shape.environment()
        if environment is None or self.shape is None:
            raise TypeMismatch(
                f"what the function {path} captured is not known while this is traced, since it is "
                "chosen or made when it runs; give its cotangent as a list of calls"
            )
        with naming(path):
            check_captures(cotangent, list(environment))
        whole = coerce(_captured(cotangent, self.shape), tangent_of(self.shape.obj))
        return emit_operation(PACK.plain, (whole,))


def _captured(cotangent: Any, shape: ResultShape) -> Any:
    """The cotangent of what was captured; of a function of known code, of what that captured."""
    environment = shape.environment()
    if cotangent is None:
        return zeros_in_trace(tangent_of(shape.obj))
    if environment is None:
        return cotangent
    given = cotangent if isinstance(cotangent, Mapping) else {}
    return tuple(_captured(given.get(name), below) for name, below in environment.items())


class PullbackInTrace(Specialisable):
    """From cotangents of a result that holds functions to those of the arguments."""

    def __init__(self, pull: Traced, result: Returned) -> None:
        """``pull`` takes a ``Tangent`` for each function in the result."""
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
