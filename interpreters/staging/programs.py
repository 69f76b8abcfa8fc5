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

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeVar

from combinators.errors import UnknownCode
from combinators.literal import Literal
from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Tangent, Tensor, component
from combinators.simplify.writer import Writer
from combinators.terms import Const, Lam
from combinators.translate import translate
from combinators.type_folds import (
    columns_of,
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
from interpreters.deltas.lines import check_first_order
from interpreters.deltas.numbers import DualArray
from interpreters.deltas.numbers import arrived as arrived_at
from interpreters.deltas.terms import Input
from interpreters.execution.machine import Machine, Written, settled
from interpreters.execution.running import Running
from interpreters.modes.delta import Deltas
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent, Reverse
from interpreters.sparse_cotangents import Cotangent, own
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom, lambda_of
from interpreters.staging.borders import Given, Known, Several, Shape
from interpreters.staging.cotangent_layouts import dense
from interpreters.staging.dual_borders import DualBorders, arrived
from interpreters.staging.function_derivatives import accompanied
from interpreters.staging.terms import TERMS, WrittenProgram, staged

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
        found = map(ResultShape, self.shape.env, parts_of(self.obj) or ())
        return dict(zip(self.shape.code.label.names, found, strict=True))


class Company(NamedTuple):
    """A λ without ``rep`` and ``dual``, whose function parameters come with their companions."""

    lam: Lam
    given: Lam
    """The λ that it was made of."""

    def total(self, index: int, cotangent: Atom) -> Atom:
        """The cotangent of a parameter, from that of the parameter with its companions."""
        old, new = self.given.params[index].type, self.lam.params[index].type
        return cotangent if old is new else _total(cotangent, old)


def _total(cotangent: Atom, obj: Object) -> Atom:
    """All companions captured the same: the cotangents of what they captured are summed."""
    if isinstance(obj, Fun):
        return cotangent if cotangent.type is Tangent else reduce(atoms.plus, cotangent)
    parts = columns_of(obj)
    if parts is None:
        return cotangent
    return atoms.tuple_of((_total(*pair) for pair in zip(cotangent, parts, strict=True)), obj)


class Rewritten(WrittenProgram):
    """A closed λ that is being rewritten, whose parameters are rep-functions where functions."""

    def __init__(self, company: Company, mode: Running, writer: Writer | None = None) -> None:
        """With a ``writer`` lines stay lines, and its rules are tried on them."""
        self.company, self.lam = company, company.lam
        super().__init__(mode, self.parameters(mode))
        if writer is not None:
            self.scope.is_flat, self.scope.rules = True, writer
            writer.begin(self.scope)

    def parameters(self, mode: Running) -> Iterable[tuple[str, Object]]:
        """The parameters of the λ that is written."""
        represented = staged(mode).borders.represented
        return [(param.name, represented(param.type)) for param in self.lam.params]

    def arguments(self, machine: Machine) -> Written:
        """The parameters as values of the mode."""
        yield from ()
        given = zip(self.lam.params, self.params, strict=True)
        return tuple(self.borders.plain_value(old.type, Atom(new)) for old, new in given)

    def write(self, machine: Machine) -> Written:
        """The value."""
        arrow = interpret(translate(self.lam.params, self.lam.body), self.mode)
        yield from self.run(machine, arrow, (yield from self.arguments(machine)))

    def made(self, results: Callable[[Machine], Written] | None = None) -> Lam:
        """The λ that gives the value, or it and the one of ``results``."""

        def write(machine: Machine) -> Written:
            yield from self.write(machine)
            whole = self.given.term
            if results is not None:
                whole = atoms.tuple_of((whole, (yield from results(machine))))
            return self.close(whole, self.lam.name)

        return lambda_of(self.scope, write)


class Dualised(Rewritten):
    """A closed λ of first order on dual arrays, whose Delta terms are evaluated symbolically."""

    def __init__(self, company: Company, mode: Deltas, writer: Writer | None = None) -> None:
        """Lines that are no primitives are written in the dependently typed form."""
        for obj in (*(param.type for param in company.lam.params), company.lam.body.type):
            check_first_order(obj)
        self.numbers = mode.numbers
        super().__init__(company, lines.Lines(TERMS), writer)

    def run(self, machine: Machine, arrow: Any, start: Any) -> Written:
        """The value, with its Delta term."""
        inputs = tuple(
            DualArray(value, Input(index)) if is_smooth(param.type) else value
            for index, (param, value) in enumerate(zip(self.lam.params, start, strict=True))
        )
        dual = yield from lines.write(machine, arrow.steps, inputs, self.numbers)
        self._dual = settled(dual, arrow.cod)
        shape, own = self.borders.term(lines.still(self._dual), arrow.cod)
        self.given = Given(shape, own, own)

    def pulled(self, machine: Machine, cotangent: Cotangent, which: Iterable[int]) -> Written:
        """The cotangents of the parameters ``which`` (``reversePass`` of Fig. 19)."""
        yield from ()
        found = self.numbers.evaluator.reverse_pass(arrived_at(self._dual, own(cotangent)))
        return [dense(found.get(i), tangent_of(self.params[i].type)) for i in which]


class Moved(Rewritten):
    """A closed λ in forward mode, of arguments and their tangents."""

    def __init__(
        self,
        company: Company,
        mode: Pushforward,
        still: int,
        directed: frozenset[int],
        writer: Writer | None,
    ) -> None:
        """The first ``still`` parameters do not move and have no tangents.

        Those ``directed`` are or hold functions that move along functions.
        """
        self._still, self._directed = still, directed
        super().__init__(company, mode, writer)

    def parameters(self, mode: Running) -> Iterable[tuple[str, Object]]:
        """The arguments, and then the tangents of those that move."""
        for param in self.lam.params:
            yield param.name, represented(param.type, dual_function)
        for index, param in enumerate(self.company.given.params[self._still :], self._still):
            tangent = direction if index in self._directed else velocity
            yield f"d{param.name}", tangent(param.type)

    def arguments(self, machine: Machine) -> Written:
        """The parameters as dual values."""
        assert isinstance(self.borders, DualBorders)
        olds, values = self.lam.params, []
        primals, moved = self.params[: len(olds)], self.params[len(olds) :]
        tangents = [*[None] * self._still, *map(Atom, moved)]
        for i, (old, new, tangent) in enumerate(zip(olds, primals, tangents, strict=True)):
            along = tangent is not None and i in self._directed
            value = arrived(old.type, Atom(new), None if along else tangent)
            if along and tangent is not None:
                value = yield from self.borders.directed(machine, value, tangent, old.type)
            values.append(value)
        return tuple(values)


def _derived(lam: Lam, mode: M, derive: Callable[[Company, M], Lam]) -> Lam:
    """A derivative; where it meets one of a function of unknown code, that brings it along."""
    try:
        return derive(Company(lam, lam), mode)
    except UnknownCode:
        return derive(Company(accompanied(lam), lam), type(mode)(TERMS))


def result_shape(lam: Lam) -> ResultShape:
    """What the result of a closed λ is: its functions of known code, and what they capture."""
    program = Rewritten(Company(lam, lam), Dependent(TERMS))
    program.made()
    return ResultShape(program.given.shape, program.given.own.type)


def value(lam: Lam) -> Lam:
    """A closed λ in the primal mode: itself, written again."""
    return Rewritten(Company(lam, lam), Primal(TERMS)).made()


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
    return pullback(lam, which, mode, has_aux=has_aux, writer=writer, at_one=True)


def pullback(
    lam: Lam,
    which: Sequence[int],
    mode: Reverse | Deltas | None = None,
    *,
    has_aux: bool = False,
    writer: Writer | None = None,
    at_one: bool = False,
) -> Lam:
    """``λ(x…). (y, λȳ. (x̄ᵢ, …))``: the rep-function of a closed λ (004, section 3).

    With ``has_aux`` the result is a pair, and ``ȳ`` is of its first component. ``writer`` tries
    rules on each line, and leaves it a line. ``at_one`` is what the pullback gives of 1.
    """

    def derive(company: Company, mode: Reverse | Deltas) -> Lam:
        make: Any = Dualised if isinstance(mode, Deltas) else Rewritten
        program: Rewritten = make(company, mode, writer)

        def pulled(machine: Machine, dy: Atom) -> Written:
            found = yield from program.pulled(machine, {0: dy} if has_aux else dy, which)
            return atoms.tuple_of(map(company.total, which, found))

        def results(machine: Machine) -> Written:
            obj = tangent_of(program.given.term.type)
            obj = component(obj, 0) if has_aux else obj
            if not at_one:
                return (yield from program.pullback(obj, lambda dy: pulled(machine, dy)))
            assert isinstance(obj, Tensor)
            return (yield from pulled(machine, Atom(Const(Literal(1.0, obj.dtype)))))

        return program.made(results)

    form: Reverse | Deltas = Dependent(TERMS) if mode is None else mode
    return _derived(lam, form, derive)


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

    def resting(machine: Machine) -> Written:
        yield from ()
        return atoms.tuple_of(())

    def derive(company: Company, mode: Pushforward) -> Lam:
        program = Moved(company, mode, still, directed, writer)
        return program.made(None if moves(company.lam.body.type) else resting)

    return _derived(lam, Pushforward(TERMS), derive)
