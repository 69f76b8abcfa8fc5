"""The Terms carrier: numbers are variables of a program that is being written.

Branches, loops and calls are not run but written, in any mode over it, by ``StagedControl``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, Never

from combinators.derivative_rules import transpose_of
from combinators.errors import ConcreteValueNeeded
from combinators.literal import Literal
from combinators.objects import Fun, Object, Product, Tensor
from combinators.operation import Operation
from combinators.primitives.loops import LoopType
from combinators.terms import Const, Lam, Term
from combinators.tracing.scope import Scope, entered
from combinators.type_folds import tangent_of
from interpreters.carriers.carrier import Compute
from interpreters.execution.direct import Direct
from interpreters.execution.machine import Arrow, Machine, Step, Written, nothing
from interpreters.execution.running import Closure, Code, Running
from interpreters.sparse_cotangents import Cotangent, Part, nonzero, opened
from interpreters.staging import atoms
from interpreters.staging import cotangent_layouts as layouts
from interpreters.staging.associative import WrittenAssociative
from interpreters.staging.atoms import Atom, library, traced
from interpreters.staging.borders import Borders, Given, at
from interpreters.staging.conditionals import WrittenChoice
from interpreters.staging.cotangent_layouts import dense, scattered
from interpreters.staging.dual_borders import DualBorders
from interpreters.staging.fixed_points import WrittenFixedPoint
from interpreters.staging.known_functions import KnownFunctions
from interpreters.staging.loops import WrittenLoop


def staged(mode: Running) -> StagedControl:
    """The control of a mode over the Terms carrier."""
    assert isinstance(mode.control, StagedControl)
    return mode.control


class StagedControl(Direct):
    """The branches, loops and calls of one program, which is written."""

    runs = False

    def __init__(self, mode: Running, borders: Borders | None = None) -> None:
        super().__init__(mode)
        self.borders = borders or Borders(mode)
        self._in_loops: set[Code] = set()

    @cached_property
    def known(self) -> KnownFunctions:
        """The functions of known code that are written."""
        return KnownFunctions(self.borders)

    def choice(self, then: Arrow, other: Arrow) -> Step:
        """A conditional."""
        borders, dom, cod = self.borders, then.dom, then.cod
        return lambda machine: WrittenChoice(borders, dom, cod).write(machine, then, other)

    def loop(self, operation: Operation, dom: Object) -> Step:
        """A loop; the function's code stands in it, unless it stands in another already."""
        assert isinstance(dom, Product)
        types, in_loops = LoopType.of(operation, dom.parts), self._in_loops
        if types.is_associative and self.mode.reverses and WrittenAssociative.takes(types):
            return lambda machine: WrittenAssociative(self.borders, types, in_loops).write(machine)
        return lambda machine: WrittenLoop(self.borders, types).write(machine, in_loops)

    def fix(self, step: Fun) -> Arrow:
        """``fix``: a closure, whose code writes the fixed point."""
        write = WrittenFixedPoint(self.borders, step, self._in_loops)
        code = Arrow(Product(step, write.argument), step.cod, (write,))
        arrow: Arrow = self.mode.fix(step, code)
        return arrow

    def recompute(self, function: Fun) -> Step:
        """``eval`` of a function that is run again when it is pulled back."""
        return self._apply(function, again=self.mode.reverses)

    def call(self, function: Fun) -> tuple[Step, ...]:
        """``eval``."""
        return (self._apply(function, again=False),)

    def _apply(self, function: Fun, *, again: bool) -> Step:
        """Of a closure, a call of its code; of any other value, an application."""

        def apply(machine: Machine) -> Written:
            value, argument = machine.stack.pop()
            if not isinstance(value, Closure):
                yield self.borders.inside.apply(value, argument, function)
            elif self.mode.records_calls and not again:
                yield self.known.recorded(value, argument)
            else:
                yield self.known.call(value, argument, again=again)

        return apply

    def called(self, code: Code, env: Any) -> Step:
        """The pullback of a closure in the simply-typed form: its calls, written again."""
        return self.known.written_again(Closure(code, env))

    def structural(self, operation: Operation, obj: Object) -> Callable[..., Any]:
        """The algebra of cotangents: a node of the program."""
        return lambda *values: self.borders.computed(operation, values, obj)

    def of_sum(self, operation: Operation, dom: Object, cod: Object) -> Arrow:
        """What makes and opens values of sums: a node of the program, of plain values."""
        wide = isinstance(dom, Product)
        given = dom.parts[0] if isinstance(dom, Product) else dom

        def write(machine: Machine) -> Written:
            value = machine.stack.pop()
            inside = self.borders.inside
            x = yield from inside.given(machine, value[0] if wide else value, given)
            machine.stack.append(inside.of_sum(operation, x.term, given, cod))
            if self.mode.reverses:
                back = self._of_sum_back(operation, x, cod, wide=wide)
                machine.tape.append(back)

        return Arrow(dom, cod, (write,))

    def _of_sum_back(self, operation: Operation, x: Given, cod: Object, *, wide: bool) -> Step:
        plain = at(operation, self.borders.inside.represented)
        back = transpose_of(plain, x.term.type)
        if back is None:
            return nothing

        def transpose(machine: Machine) -> None:
            if machine.stack[-1] is not None:
                cotangent = layouts.dense(machine.stack[-1], tangent_of(cod))
                pulled = x.returned(atoms.smooth(atoms.primitive(back, cotangent)))
                machine.stack[-1] = nonzero([(0, pulled)]) if wide else pulled

        return transpose

    def erasure(self, obj: Object) -> tuple[Callable[[Any], Atom], Callable[[Any], Atom]]:
        """``pack`` and ``unpack`` of cotangents of type ``obj``, as nodes of the program."""
        return lambda g: atoms.packed(layouts.dense(g, obj)), lambda t: atoms.unpacked(t, obj)


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


TERMS = Terms()
"""The carrier; what a mode over it keeps of a program is the mode's own."""


class WrittenProgram:
    """A λ that is being written in a mode over the Terms carrier."""

    given: Given
    """Its value, when it is written."""

    def __init__(self, mode: Running, params: Iterable[tuple[str, Object]]) -> None:
        self.mode, self.borders = mode, staged(mode).borders
        self.scope = Scope(None, "a program")
        self.params = tuple(self.scope.parameter(name, obj) for name, obj in params)
        self._tape: list[Step] = []

    def run(self, machine: Machine, arrow: Arrow, start: Any) -> Written:
        """Write the value of ``arrow``."""
        self.given, self._tape = yield from self.borders.run(machine, arrow, start)

    def pulled(self, machine: Machine, cotangent: Cotangent, which: Iterable[int]) -> Written:
        """The cotangents of the parameters ``which``, by the tape of ``run``."""
        found = yield from machine.backwards(self._tape, self.given.returned(cotangent))
        parts = {} if found is None else opened(found)
        return [dense(parts.get(i), tangent_of(self.params[i].type)) for i in which]

    def pullback(self, obj: Object, results: Callable[[Atom], Written]) -> Written:
        """``λȳ. results``, from a cotangent of type ``obj``."""
        scope = atoms.twin(self.scope, self.scope)
        with entered(scope):
            dy = scope.parameter("dy", obj)
            pulled = yield from results(Atom(dy))
        return atoms.function(scope, dy, pulled, wish="pullback")

    def close(self, result: Atom, name: str = "") -> Lam:
        """The λ that gives ``result``."""
        return Lam(self.params, atoms.closed(self.scope, result).body, name)
