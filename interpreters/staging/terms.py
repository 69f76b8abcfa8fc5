"""The Terms carrier: numbers are variables of a program that is being written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Never

from combinators.errors import ConcreteValueNeeded
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from combinators.terms import Const, Term, Var
from combinators.tracing.emit import operand, scope_here
from combinators.tracing.traced import LIBRARY, Traced
from interpreters.carriers.carrier import Compute
from interpreters.execution.running import Running
from interpreters.sparse_cotangents import Part
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.control import StagedControl
from interpreters.staging.cotangent_layouts import scattered
from interpreters.staging.dual_borders import DualBorders


class Terms:
    """A mode over this carrier writes a program into the current scope.

    Branches, loops and calls are not run but written, by a control that each mode has of its own: a
    mode writes one program.
    """

    control = StagedControl

    @staticmethod
    def dual_control(mode: Running) -> StagedControl:
        """The control of a mode whose numbers are dual numbers of terms."""
        return StagedControl(mode, DualBorders(mode))

    def const(self, literal: Literal) -> Atom:
        """The literal."""
        return Atom(Const(literal))

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """A node that applies the primitive."""
        if isinstance(cod, Tensor):
            return partial(atoms.typed, operation, cod)
        return partial(atoms.primitive, operation)

    def add(self, x: Atom, y: Atom) -> Atom:
        """A sum of cotangents."""
        return atoms.plus(x, y)

    def truth(self, number: Atom) -> Never:
        """Refuse: a branch is written, not taken."""
        raise ConcreteValueNeeded(f"{number!r} has no truth value while a program is written")

    def row(self, stack: Atom, index: int) -> Atom:
        """An index."""
        return library("getitem", stack, index)

    def stack(self, rows: Sequence[Atom], obj: Tensor) -> Atom:
        """A stack of rows."""
        if not rows:
            return self.const(Literal.filled(0.0, obj))
        return library("stack", [traced(row) for row in rows])

    def scatter(self, parts: Sequence[Part], obj: Tensor, rest: Any) -> Atom:
        """The parts put in their places, as few at a time as there are ways to take them."""
        return scattered(parts, obj, rest)

    def lift(self, value: Any, obj: Tensor) -> Atom:
        """A number of the user's as a literal."""
        return self.const(Literal(value, obj.dtype))

    def lower(self, number: Atom) -> Term:
        """The term."""
        return number.term


def traced(atom: Any) -> Any:
    """An atom as a value that the language's own functions take."""
    if isinstance(atom, Atom) and isinstance(atom.term, Var):
        return Traced(atom.term, scope_here())
    if isinstance(atom, Atom) and isinstance(atom.term, Const):
        return atom.term.literal.array
    return atom


def library(name: str, *args: Any, **parameters: Any) -> Atom:
    """A function of the language, applied to atoms."""
    return Atom(operand(LIBRARY[name](*map(traced, args), **parameters)))


TERMS = Terms()
"""The carrier; what a mode over it keeps of a program is the mode's own."""
