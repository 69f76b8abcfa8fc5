"""Derivatives as programs: a closed λ in a mode over the Terms carrier is again a closed λ.

>>> from combinators.objects import Real
>>> from combinators.terms import Lam, Var
>>> from combinators.operation import Operation, named
>>> from combinators.terms import Prim
>>> x = Var("x", Real)
>>> gradient(Lam((x,), Prim(Operation(named("sin")), (x,))), (0,))
λx. (sin x, (1 · cos x,))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from combinators.errors import UnknownCode
from combinators.literal import Literal
from combinators.morphisms import interpret
from combinators.objects import Object, Tensor, component
from combinators.simplify.writer import Writer
from combinators.terms import Const, Lam, Var
from combinators.tracing.scope import Scope, entered
from combinators.translate import translate
from combinators.type_folds import (
    direction,
    dual_function,
    is_smooth,
    moves,
    parts_of,
    represented,
    tangent_of,
    velocity,
)
from interpreters.deltas import lines
from interpreters.deltas import numbers as dual_arrays
from interpreters.deltas.lines import check_first_order
from interpreters.deltas.terms import Input
from interpreters.execution.machine import Machine, Step, Written, backwards, forwards, settled
from interpreters.execution.running import Running
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Reverse
from interpreters.sparse_cotangents import Cotangent, opened, own
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.blocks import (
    closed,
    lambda_of,
    twin,
)
from interpreters.staging.borders import Known, Several, Shape
from interpreters.staging.companions import Company, accompanied
from interpreters.staging.control import staged
from interpreters.staging.cotangent_layouts import dense
from interpreters.staging.dual_control import arrived, directed
from interpreters.staging.terms import TERMS

M = TypeVar("M", Reverse | Deltas, Pushforward)


class ResultShape(NamedTuple):
    """What a result of a program is before its functions become rep-functions."""

    shape: Shape
    obj: Object

    def part(self, index: int) -> ResultShape:
        """A component."""
        if isinstance(self.shape, Several):
            return ResultShape(self.shape.parts[index], component(self.obj, index))
        return self

    def environment(self) -> dict[str, ResultShape] | None:
        """What a function of known code captured, by name; None of another function."""
        if not isinstance(self.shape, Known):
            return None
        types = parts_of(self.obj) or ()
        found = map(ResultShape, self.shape.env, types)
        return dict(zip(self.shape.code.label.names, found, strict=True))


class Forwards:
    """A closed λ that is being rewritten: its value is written, and its tape is there."""

    def __init__(self, company: Company, mode: Running) -> None:
        """With parameters of the same names, which are rep-functions where they are functions."""
        self.company, lam = company, company.lam
        self.lam, self.mode, self.control = lam, mode, staged(mode)
        self.scope = Scope(None, "a program")
        self.params = self._parameters()
        self.value: Atom
        self._tape: list[Step] = []
        self._returned: Callable[[Cotangent], Cotangent]
        self.result: ResultShape

    def _parameters(self) -> tuple[Var, ...]:
        """The parameters of the λ that is written."""
        return tuple(
            self.scope.parameter(param.name, self.control.represented(self.mode, param.type))
            for param in self.lam.params
        )

    def arguments(self, machine: Machine) -> Written:
        """The parameters as values of the mode."""
        yield from ()
        value, plain = self.control.borders.value, self.control.plain_shape
        return tuple(
            value(plain(self.mode, old.type), Atom(new))
            for old, new in zip(self.lam.params, self.params, strict=True)
        )

    def write(self, machine: Machine) -> Written:
        """The value."""
        lam, control, mode = self.lam, self.control, self.mode
        arrow = interpret(translate(lam.params, lam.body), mode)
        given = yield from self.arguments(machine)
        value, self._tape = yield from forwards(machine, arrow.enter, given)
        shape, own = control.borders.term(value, arrow.cod)
        self.value = yield from control.plain(mode, machine, shape, own, arrow.cod)
        self._returned = partial(control.returned, shape, own.type)
        self.result = ResultShape(shape, own.type)

    def pulled(self, machine: Machine, cotangent: Cotangent, which: Sequence[int]) -> Written:
        """The cotangents of the parameters ``which``, as a tuple."""
        found = yield from backwards(machine, self._tape, self._returned(cotangent))
        given = {} if found is None else opened(found)
        types = [tangent_of(param.type) for param in self.params]
        found = [(i, dense(given.get(i), types[i])) for i in which]
        return atoms.tuple_of([self.company.total(i, whole) for i, whole in found])

    def close(self, result: Atom) -> Lam:
        """The λ that gives ``result``."""
        return Lam(self.params, closed(self.scope, result).body, self.lam.name)


class Dualised(Forwards):
    """A closed λ of first order on dual arrays, whose Delta terms are evaluated symbolically."""

    def __init__(self, company: Company, mode: Deltas) -> None:
        """Lines that are no primitives are written in the dependently typed form."""
        lam = company.lam
        for obj in (*(param.type for param in lam.params), lam.body.type):
            check_first_order(obj)
        self.numbers = mode.numbers
        super().__init__(company, lines.Lines(TERMS))

    def write(self, machine: Machine) -> Written:
        """The value, with its Delta term."""
        arrow = interpret(translate(self.lam.params, self.lam.body), self.mode)
        given = yield from self.arguments(machine)
        inputs = tuple(
            dual_arrays.DualArray(value, Input(index)) if is_smooth(param.type) else value
            for index, (param, value) in enumerate(zip(self.lam.params, given, strict=True))
        )
        self._dual = settled(
            (yield from lines.write(machine, arrow.steps, inputs, self.numbers)), arrow.cod
        )
        self.value = self.control.borders.term(lines.still(self._dual), arrow.cod)[1]

    def pulled(self, machine: Machine, cotangent: Cotangent, which: Sequence[int]) -> Written:
        """The cotangents of the parameters ``which``, as a tuple (``reversePass`` of Fig. 19)."""
        yield from ()
        given = dual_arrays.arrived(self._dual, own(cotangent))
        found = self.numbers.evaluator.reverse_pass(given)
        types = [tangent_of(param.type) for param in self.params]
        return atoms.tuple_of([dense(found.get(i), types[i]) for i in which])


def _forwards(company: Company, mode: Reverse | Deltas, writer: Writer | None) -> Forwards:
    if isinstance(mode, Deltas):
        return _written_by(writer, Dualised(company, mode))
    return _written_by(writer, Forwards(company, mode))


def _written_by(writer: Writer | None, program: Forwards) -> Forwards:
    """The program, whose lines stay lines and are tried by the rules of ``writer``."""
    if writer is not None:
        program.scope.is_flat, program.scope.rules = True, writer
        writer.begin(program.scope)
    return program


def _derived(lam: Lam, mode: M, derive: Callable[[Company, M], Lam]) -> Lam:
    """A derivative; where it meets one of a function of unknown code, that brings it along."""
    try:
        return derive(Company(lam, lam), mode)
    except UnknownCode:
        return derive(accompanied(lam), type(mode)(TERMS))


def result_shape(lam: Lam) -> ResultShape:
    """What the result of a closed λ is: its functions of known code, and what they capture."""
    program = Forwards(Company(lam, lam), Dependent(TERMS))

    def write(machine: Machine) -> Written:
        yield from program.write(machine)
        return program.close(program.value)

    lambda_of(program.scope, write)
    return program.result


def value(lam: Lam) -> Lam:
    """A closed λ in the primal mode: itself, written again."""
    program = Forwards(Company(lam, lam), Primal(TERMS))

    def write(machine: Machine) -> Written:
        yield from program.write(machine)
        return program.close(program.value)

    return lambda_of(program.scope, write)


def gradient(
    lam: Lam,
    which: Sequence[int],
    mode: Reverse | Deltas | None = None,
    *,
    has_aux: bool = False,
    writer: Writer | None = None,
) -> Lam:
    """``λ(x…). (y, (x̄ᵢ, …))`` of a closed λ whose result is one number.

    ``mode`` is a reverse mode over a Terms carrier, or that of dual arrays. With ``has_aux`` the
    result is a pair, and its first component is the number. ``writer`` tries rules on each
    line, and leaves it a line.
    """
    form = Dependent(TERMS) if mode is None else mode
    return _derived(
        lam, form, lambda given, form: _gradient(given, form, which, writer, has_aux=has_aux)
    )


def _gradient(
    company: Company,
    mode: Reverse | Deltas,
    which: Sequence[int],
    writer: Writer | None,
    *,
    has_aux: bool,
) -> Lam:
    program = _forwards(company, mode, writer)

    def write(machine: Machine) -> Written:
        yield from program.write(machine)
        number = program.value.type if not has_aux else component(program.value.type, 0)
        assert isinstance(number, Tensor)
        one = Atom(Const(Literal(1.0, number.dtype)))
        pulled = yield from program.pulled(machine, {0: one} if has_aux else one, which)
        return program.close(atoms.tuple_of((program.value, pulled)))

    return lambda_of(program.scope, write)


def pullback(
    lam: Lam,
    which: Sequence[int],
    mode: Reverse | Deltas | None = None,
    *,
    has_aux: bool = False,
    writer: Writer | None = None,
) -> Lam:
    """``λ(x…). (y, λȳ. (x̄ᵢ, …))``: the rep-function of a closed λ (004, section 3).

    With ``has_aux`` the result is a pair, and ``ȳ`` is of its first component. ``writer`` tries
    rules on each line, and leaves it a line.
    """
    form = Dependent(TERMS) if mode is None else mode
    return _derived(
        lam, form, lambda given, form: _pullback(given, form, which, writer, has_aux=has_aux)
    )


def _pullback(
    company: Company,
    mode: Reverse | Deltas,
    which: Sequence[int],
    writer: Writer | None,
    *,
    has_aux: bool,
) -> Lam:
    program = _forwards(company, mode, writer)

    def write(machine: Machine) -> Written:
        yield from program.write(machine)
        obj = tangent_of(program.value.type)
        scope = twin(program.scope, program.scope)
        with entered(scope):
            dy = scope.parameter("dy", component(obj, 0) if has_aux else obj)
            seed = {0: Atom(dy)} if has_aux else Atom(dy)
            pulled = yield from program.pulled(machine, seed, which)
        block = closed(scope, pulled)
        function = atoms.write(Lam((dy,), block.body), "pullback", block.captured)
        return program.close(atoms.tuple_of((program.value, function)))

    return lambda_of(program.scope, write)


class Moved(Forwards):
    """A closed λ in forward mode, of arguments and their tangents."""

    def __init__(
        self, company: Company, mode: Pushforward, still: int, directed: frozenset[int]
    ) -> None:
        """The first ``still`` parameters do not move and have no tangents.

        Those ``directed`` are or hold functions that move along functions.
        """
        self._still, self._directed = still, directed
        super().__init__(company, mode)

    def _parameters(self) -> tuple[Var, ...]:
        """The arguments, and then the tangents of those that move."""
        given = self.lam.params
        types = [represented(param.type, dual_function) for param in given]
        primals = [self.scope.parameter(p.name, t) for p, t in zip(given, types, strict=True)]
        tangents = []
        for index, param in enumerate(self.company.given.params[self._still :], self._still):
            obj = direction(param.type) if index in self._directed else velocity(param.type)
            tangents.append(self.scope.parameter(f"d{param.name}", obj))
        return *primals, *tangents

    def arguments(self, machine: Machine) -> Written:
        """The parameters as dual values."""
        olds = self.lam.params
        primals, moved = self.params[: len(olds)], self.params[len(olds) :]
        tangents = [*[None] * self._still, *map(Atom, moved)]
        values = []
        for i, (old, new, tangent) in enumerate(zip(olds, primals, tangents, strict=True)):
            if i in self._directed and tangent is not None:
                still = arrived(old.type, Atom(new), None)
                values.append((yield from directed(self.mode, machine, still, tangent, old.type)))
            else:
                values.append(arrived(old.type, Atom(new), tangent))
        return tuple(values)


def pushforward(
    lam: Lam,
    still: int = 0,
    directed: frozenset[int] = frozenset(),
    *,
    writer: Writer | None = None,
) -> Lam:
    """``λ(c…, x…, ẋ…). (y, ẏ)`` of a closed λ, whose first ``still`` parameters do not move.

    The tangent of what cannot move is a Unit, and so is that of a function, unless its parameter is
    ``directed``: then it is a function ``A ⇒ T B``. ``writer`` tries rules on each line, and leaves
    it a line.
    """

    def derive(company: Company, mode: Pushforward) -> Lam:
        program = Moved(company, mode, still, directed)
        return _pushforward(company, _written_by(writer, program))

    return _derived(lam, Pushforward(TERMS), derive)


def _pushforward(company: Company, program: Forwards) -> Lam:
    def write(machine: Machine) -> Written:
        yield from program.write(machine)
        if moves(company.lam.body.type):
            return program.close(program.value)
        return program.close(atoms.tuple_of((program.value, atoms.tuple_of(()))))

    return lambda_of(program.scope, write)
