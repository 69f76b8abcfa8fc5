"""Running a function in reverse mode: what every reverse transform stands on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Object, Product, components
from combinators.tracing.faces import Face, take_apart
from combinators.tracing.traced import Traced
from diffcurry.closures import lower
from diffcurry.cotangents import show
from diffcurry.function import Function, fun
from diffcurry.modes import Pulling, reverse
from diffcurry.program import Program
from interpreters.deltas.order import check_first_order
from interpreters.execution.running import Running
from interpreters.modes.delta import Deltas
from interpreters.tangents.cotangents import Cotangent


class Ran(NamedTuple):
    """A function that was run once, forwards, and its pullback there."""

    program: Program
    mode: Pulling
    args: tuple[Any, ...]
    values: tuple[Any, ...]
    result: Any
    pull: Callable[[Cotangent], Cotangent]

    @property
    def cod(self) -> Object:
        """The type of the result."""
        return self.program.cod

    def value(self) -> Any:
        """The result as the user gets it."""
        return lower(self.result, self.cod, self.program.face)

    def gradients(self, cotangent: Cotangent, which: tuple[int, ...]) -> tuple[Any, ...]:
        """The cotangents of the arguments ``which``, each in its argument's containers."""
        with np.errstate(all="ignore"):
            pulled = self.pull(cotangent) or {}
        types, values, mode = self.program.types, self.values, self.mode
        return tuple(show(pulled.get(i), types[i], self.face(i), values[i], mode) for i in which)

    def face(self, index: int) -> Face | None:
        """The containers of argument ``index``."""
        if components(self.program.types[index]) is None:
            return None
        return take_apart(self.args[index])[0]


def as_function(f: Any) -> Function[..., Any]:
    """``f``, which is or becomes a function of the language."""
    if not callable(f):
        raise TypeMismatch(f"a function was expected, and this is {f!r:.60}")
    function: Function[..., Any] = fun(_applied(f) if isinstance(f, Traced) else f)
    return function


def _applied(value: Traced) -> Callable[..., Any]:
    """A function value, inside a trace, as a Python function."""

    def applied(*args: Any) -> Any:
        return value(*args)

    return applied


def run(f: Any, args: tuple[Any, ...], mode: str) -> Ran:
    """``f`` at ``args`` in a reverse mode."""
    function = as_function(f)
    program = function.running(*args)
    category = reverse(mode)
    if isinstance(category, Deltas):
        for obj in (*program.types, program.cod):
            check_first_order(obj)
    values = function.lifted(program, args, values_of(category))
    with np.errstate(all="ignore"):
        result, pull = category.rep(program.arrow(category), values)
    return Ran(program, category, args, values, result, pull)


def values_of(category: Pulling) -> Running:
    """The mode of the values that ``rep`` takes."""
    return category.inner if isinstance(category, Deltas) else category


def auxiliary(program: Program, has_aux: bool) -> tuple[Object, Face | None]:
    """The type and the face of the differentiated result, of which ``(result, aux)`` may hold."""
    return of_pair(program.cod, program.face, has_aux)


def of_pair(product: Object, face: Face | None, has_aux: bool) -> tuple[Object, Face | None]:
    """The first component of ``(result, aux)``, where ``has_aux`` holds."""
    if not has_aux:
        return product, face
    if not isinstance(product, Product) or product.width != 2:
        raise TypeMismatch(
            f"has_aux=True takes a function that gives (value, aux), not {product!r}"
        )
    return product.parts[0], face.children[0] if face is not None else None
