"""How branches, loops and calls are written in forward mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from combinators.objects import Object
from combinators.operation import Operation
from combinators.primitives.structural import UNPACK
from combinators.type_folds import (
    dual_function,
    moves,
    parts_of,
    represented,
    tangent_of,
    with_tangent,
)
from interpreters.execution.running import Running
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.control import StagedControl
from interpreters.staging.moving import DualBorders, arrived, resting, split, together
from interpreters.staging.shapes import Plain, Shape


class DualControl(StagedControl):
    """The branches, loops and calls of a program in forward mode."""

    def __init__(self) -> None:
        """Of a program that is not written yet."""
        super().__init__(DualBorders())

    def test(self, number: Any) -> Atom:
        """A boolean does not move."""
        primal: Atom = number.primal
        return primal

    def plain_shape(self, mode: Running, obj: Object) -> Plain:
        """A value with its tangent, where it can have one."""
        return self.borders.shapes.plain(obj, moves=moves(obj))

    def represented(self, mode: Running, obj: Object) -> Object:
        """The type of what ``plain`` gives."""
        return with_tangent(represented(obj, dual_function))

    def moved(self, shape: Shape, term: Atom, obj: Object) -> Atom:
        """A term with its tangent, which is zero where it had none."""
        assert isinstance(shape, Plain)
        if shape.moves or not moves(obj):
            return term
        return atoms.tuple_of((term, resting(obj)))

    def together(self, mode: Running, terms: list[Atom], obj: Object) -> Atom:
        """Primals and tangents apart."""
        if not moves(obj):
            return atoms.product_of(terms, obj)
        shapes = [self.plain_shape(mode, part) for part in parts_of(obj) or ()]
        return together(shapes, terms, obj)

    def structural(self, over: Any, operation: Operation, obj: Object) -> Callable[..., Any]:
        """The algebra of cotangents is linear: it does to tangents what it does to values."""

        def compute(*values: Any) -> Any:
            shapes, terms = self.borders.terms(values, [obj] * len(values))
            both = [split(s, t) for s, t in zip(shapes, terms, strict=True) if isinstance(s, Plain)]
            primal = atoms.primitive(operation, *(primal for primal, _ in both))
            cod = operation.type(*(primal.type for primal, _ in both))
            if all(tangent is None for _, tangent in both):
                return arrived(cod, primal, None)
            moved = [resting(term.type) if tangent is None else tangent for term, tangent in both]
            return arrived(cod, primal, atoms.primitive(_of_tangents(operation), *moved))

        return compute


def _of_tangents(operation: Operation) -> Operation:
    if operation.primitive is not UNPACK:
        return operation
    return Operation(UNPACK, (("of", tangent_of(operation.keywords["of"])),))
