"""Functions of unknown code, in the company of their derivatives: the language is closed under J.

``rep g`` and ``dual g`` are the derivatives of a function value, written from its code. Where the
code of ``g`` is not known when a program is written (a conditional chooses it, a loop makes it, a
caller gives it) they cannot be written there. But where ``g`` was made its code is known, so that
``g`` can bring them along. Before::

    g = if p then (λz. z * a) else (λz. z + b)
    … grad (rep g, x) …

and after, the same program without ``rep``, which any mode differentiates again::

    g = if p then (λz. z * a, rep-function of it) else (λz. z + b, rep-function of it)
    … grad (π1 g, x) …

Which companions a function needs is found by trying: one that is missed is a ``Missing``, and the
program is written again with it.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from combinators.errors import UnknownCode
from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Product, Tangent
from combinators.operation import Operation
from combinators.terms import Lam, packed
from combinators.translate import translate
from combinators.type_folds import columns_of, parts_of, types_within
from interpreters.execution.machine import Machine, Step, Written
from interpreters.execution.running import DERIVATIVES, Running
from interpreters.modes.primal import Primal
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom, lambda_of
from interpreters.staging.borders import Borders, Several, Shape
from interpreters.staging.control import StagedControl
from interpreters.staging.function_derivatives import WrittenProgram, derived
from interpreters.staging.terms import TERMS

Word = tuple[Operation, ...]
"""Derivatives taken one after the other: ``(REP, DUAL)`` of ``g`` is ``dual (rep g)``."""
MOST = 12
"""So many companions are enough for derivatives of any sensible order."""


class Missing(Exception):
    """A function goes without a companion, the argument, which somebody asks for."""


@dataclass(frozen=True, slots=True, eq=False)
class Accompanied:
    """A function of type ``obj`` with its companions; it has the empty word itself."""

    obj: Fun
    companions: dict[Word, Atom]
    path: Word = ()
    """Whose companion it is."""

    def derivative(self, operation: Operation) -> Accompanied:
        """``rep`` or ``dual`` of it."""
        held = {w[1:]: atom for w, atom in self.companions.items() if w[:1] == (operation,)}
        if () not in held:
            raise Missing((*self.path, operation))
        return Accompanied(derived(self.obj, operation), held, (*self.path, operation))


@dataclass(frozen=True, eq=False)
class Accompanying(Shape):
    """A function of unknown code: the term is that of it and its companions ``words``."""

    obj: Fun
    words: tuple[Word, ...]


class AccompaniedBorders(Borders):
    """Functions of unknown code go across as one term with their companions."""

    is_inside = False

    def __init__(self, mode: Running, words: tuple[Word, ...]) -> None:
        super().__init__(mode)
        self.words: tuple[Word, ...] = ((), *words)

    def number(self, value: Any, obj: Object) -> tuple[Shape, Atom]:
        """A number or a term of any type; a function with its companions."""
        if not isinstance(value, Accompanied):
            return super().number(value, obj)
        shape = self.shape(Accompanying, obj, tuple(value.companions))
        return shape, atoms.bundled(list(value.companions.values()))

    def value(self, shape: Shape, term: Atom) -> Any:
        """The value that a term of this shape is."""
        if not isinstance(shape, Accompanying):
            return super().value(shape, term)
        companions = atoms.unbundled(term, len(shape.words))
        return Accompanied(shape.obj, dict(zip(shape.words, companions, strict=True)))

    def apply(self, function: Any, argument: Any, type_: Fun) -> Step:
        """The step that applies a function value of a program."""
        itself = function.companions[()] if isinstance(function, Accompanied) else function
        return super().apply(itself, argument, type_)

    @property
    def inside(self) -> Borders:
        """Functions that functions take and give have no companions: types would never end."""
        made = copy(self)
        made.is_inside = True
        return made

    def _is_apart(self, obj: Object) -> bool:
        """Whether a type is a function, or a product that holds some, whose parts go apart."""
        return not self.is_inside and any(isinstance(part, Fun) for part in types_within(obj))

    def represented(self, obj: Object) -> Object:
        """The type of a plain value."""
        if not self._is_apart(obj):
            return obj
        if isinstance(obj, Fun):
            return packed(tuple(reduce(derived, word, obj) for word in self.words))
        return Product(*map(self.represented, parts_of(obj) or ()))

    def plain_shape(self, obj: Object) -> Shape:
        """The shape of a plain value."""
        if not self._is_apart(obj):
            return super().plain_shape(obj)
        if isinstance(obj, Fun):
            return self.shape(Accompanying, obj, self.words)
        return self.shape(Several, tuple(map(self.plain_shape, parts_of(obj) or ())))

    def plain(self, machine: Machine, shape: Shape, term: Atom, obj: Object) -> Written:
        """A term of any shape as a plain one, its functions with their companions."""
        if not self._is_apart(obj):
            companions = isinstance(shape, Accompanying) and len(shape.words) > 1
            return term[0] if companions else (yield from super().plain(machine, shape, term, obj))
        value, made = self.value(shape, term), []
        if not isinstance(obj, Fun):
            for part, below in zip(value, parts_of(obj) or (), strict=True):
                made.append((yield from self.given(machine, part, below)).term)
            return atoms.tuple_of(made)
        for word in self.words:
            companion = value
            for operation in word:
                step = DERIVATIVES[operation](self.mode)
                companion, _ = yield from machine.forwards(step, companion)
            given = yield from self.inside.given(machine, companion, reduce(derived, word, obj))
            made.append(given.term)
        return atoms.bundled(made)


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


def accompanied(lam: Lam) -> Company:
    """A closed λ, without ``rep`` and ``dual``."""
    words: tuple[Word, ...] = ()
    while True:
        try:
            return Company(_accompanied(lam, words), lam)
        except Missing as missing:
            (word,) = missing.args
            if len(words) == MOST or word in words:
                raise UnknownCode(
                    "the derivative of a function whose code is not known is differentiated: a "
                    "function that another unknown function, or a vector of functions, gives "
                    "tells its first derivative only; let it be known where the gradient is taken"
                ) from None
            words = (*words, word)


def _accompanied(lam: Lam, words: tuple[Word, ...]) -> Lam:
    mode = Primal(TERMS)
    borders = AccompaniedBorders(mode, words)
    mode.control = StagedControl(mode, borders)
    params = lam.params
    types = [(param.name, borders.represented(param.type)) for param in params]
    program = WrittenProgram(mode, types)

    def write(machine: Machine) -> Written:
        start = tuple(
            borders.plain_value(old.type, Atom(new))
            for old, new in zip(params, program.params, strict=True)
        )
        arrow = interpret(translate(params, lam.body), mode)
        value, _ = yield from machine.forwards(arrow.enter, start)
        given = yield from borders.inside.given(machine, value, arrow.cod)
        return program.close(given.term, lam.name)

    return lambda_of(program.scope, write)
