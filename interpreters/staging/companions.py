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

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from combinators.errors import UnknownCode
from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Product, Tangent, Vector
from combinators.operation import Operation
from combinators.terms import Lam
from combinators.tracing.scope import Scope
from combinators.translate import translate
from combinators.type_folds import parts_of, types_within
from interpreters.execution.machine import Machine, Written, forwards
from interpreters.execution.running import DERIVATIVES, Running
from interpreters.modes.primal import Primal
from interpreters.staging import atoms, unknown_functions
from interpreters.staging.atoms import Atom
from interpreters.staging.blocks import (
    closed,
    lambda_of,
)
from interpreters.staging.borders import Accompanying, Borders, Shape
from interpreters.staging.control import StagedControl
from interpreters.staging.function_derivatives import derived
from interpreters.staging.terms import TERMS

Word = tuple[Operation, ...]
"""Derivatives taken one after the other: ``(REP, DUAL)`` of ``g`` is ``dual (rep g)``."""
MOST = 12
"""So many companions are enough for derivatives of any sensible order."""


class Missing(Exception):
    """A function goes without the companion ``word``, which somebody asks for."""

    def __init__(self, word: Word) -> None:
        super().__init__(word)
        self.word = word


class Accompanied:
    """A function of unknown code with its companions: the function itself has the empty word."""

    __slots__ = ("companions", "obj", "path")

    def __init__(self, obj: Fun, companions: dict[Word, Atom], path: Word = ()) -> None:
        """A value of type ``obj``, which is the companion ``path`` of a function."""
        self.obj, self.companions, self.path = obj, companions, path

    def derivative(self, operation: Operation) -> Accompanied:
        """``rep`` or ``dual`` of it."""
        held = {w[1:]: atom for w, atom in self.companions.items() if w[:1] == (operation,)}
        if () not in held:
            raise Missing((*self.path, operation))
        return Accompanied(derived(self.obj, operation), held, (*self.path, operation))


def type_of(obj: Object, word: Word) -> Object:
    """The type of the companion ``word`` of a function."""
    for operation in word:
        obj = derived(obj, operation)
    return obj


class AccompaniedBorders(Borders):
    """Functions of unknown code go across as the tuple of them and their companions."""

    def number(self, value: Any, obj: Object) -> tuple[Shape, Atom]:
        """A number or a term of any type; a function with its companions."""
        if not isinstance(value, Accompanied):
            return super().number(value, obj)
        words = tuple(value.companions)
        shape = self.shapes.accompanying(obj, words)
        return shape, together(list(value.companions.values()))

    def value(self, shape: Shape, term: Atom) -> Any:
        """The value that a term of this shape is."""
        if not isinstance(shape, Accompanying):
            return super().value(shape, term)
        words = shape.words
        atoms_ = [term] if len(words) == 1 else [term[i] for i in range(len(words))]
        assert isinstance(shape.obj, Fun)
        return Accompanied(shape.obj, dict(zip(words, atoms_, strict=True)))


def together(companions: Sequence[Atom]) -> Atom:
    """A function and its companions as one term; one without companions is itself."""
    return companions[0] if len(companions) == 1 else atoms.tuple_of(companions)


class AccompaniedControl(StagedControl):
    """The control of a program whose functions of unknown code bring their derivatives along."""

    def __init__(self, mode: Running, words: tuple[Word, ...]) -> None:
        """The function itself, and its companions ``words``."""
        super().__init__(mode, AccompaniedBorders())
        self.words: tuple[Word, ...] = ((), *words)

    def function_term(self, function: Any) -> Atom:
        """A function of unknown code as a term that can be applied."""
        if isinstance(function, Accompanied):
            return function.companions[()]
        return super().function_term(function)

    @property
    def inside(self) -> StagedControl:
        """Functions that functions take and give have no companions: types would never end."""
        plain = StagedControl(self.mode, self.borders)
        plain.known, plain.entered = self.known, self.entered
        return plain

    def represented(self, mode: Running, obj: Object) -> Object:
        """The type of what ``plain`` gives."""
        if isinstance(obj, Fun):
            return types_together([type_of(obj, word) for word in self.words])
        if self._is_apart(obj):
            return Product(*(self.represented(mode, part) for part in parts_of(obj) or ()))
        return obj

    def plain_shape(self, mode: Running, obj: Object) -> Shape:
        """The shape of what ``plain`` gives."""
        if isinstance(obj, Fun):
            return self.borders.shapes.accompanying(obj, self.words)
        if self._is_apart(obj):
            parts = tuple(self.plain_shape(mode, part) for part in parts_of(obj) or ())
            return self.borders.shapes.several(parts)
        return self.borders.shapes.plain(obj)

    def _is_apart(self, obj: Object) -> bool:
        """Whether the parts of a type go apart: a product that holds functions."""
        held = not isinstance(obj, Vector) and parts_of(obj) is not None
        return held and any(isinstance(part, Fun) for part in types_within(obj))

    def plain(
        self, mode: Running, machine: Machine, shape: Shape, term: Atom, obj: Object
    ) -> Written:
        """A term of any shape as a value of the program, its functions with their companions."""
        if isinstance(obj, Fun):
            function = self.borders.value(shape, term)
            made = []
            for word in self.words:
                companion = function
                for operation in word:
                    companion = yield from self.derivative(mode, machine, companion, operation)
                own, atom = self.borders.term(companion, type_of(obj, word))
                made.append(
                    (
                        yield from unknown_functions.plain(
                            self, mode, machine, own, atom, type_of(obj, word)
                        )
                    )
                )
            return together(made)
        if self._is_apart(obj):
            value, parts = self.borders.value(shape, term), []
            for part, below in zip(value, parts_of(obj) or (), strict=True):
                own, atom = self.borders.term(part, below)
                parts.append((yield from self.plain(mode, machine, own, atom, below)))
            return atoms.tuple_of(parts)
        return (yield from super().plain(mode, machine, shape, term, obj))

    def derivative(
        self, mode: Running, machine: Machine, function: Any, operation: Operation
    ) -> Written:
        """``rep`` or ``dual`` of a function value."""
        machine.stack.append(function)
        yield DERIVATIVES[operation](mode)
        return machine.stack.pop()


def types_together(types: Sequence[Object]) -> Object:
    """The type of ``together``."""
    return types[0] if len(types) == 1 else Product(*types)


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
    parts = parts_of(obj)
    if parts is None or isinstance(obj, Vector):
        return cotangent
    return atoms.product_of((_total(*pair) for pair in zip(cotangent, parts, strict=True)), obj)


def accompanied(lam: Lam) -> Company:
    """A closed λ, without ``rep`` and ``dual``."""
    words: tuple[Word, ...] = ()
    while True:
        try:
            return Company(_accompanied(lam, words), lam)
        except Missing as missing:
            if len(words) == MOST or missing.word in words:
                raise UnknownCode(
                    "the derivative of a function whose code is not known is differentiated: a "
                    "function that another unknown function, or a vector of functions, gives "
                    "tells its first derivative only; let it be known where the gradient is taken"
                ) from None
            words = (*words, missing.word)


def _accompanied(lam: Lam, words: tuple[Word, ...]) -> Lam:
    mode = Primal(TERMS)
    control = mode.control = AccompaniedControl(mode, words)
    scope = Scope(None, "a program")

    def write(machine: Machine) -> Written:
        params = tuple(
            scope.parameter(param.name, control.represented(mode, param.type))
            for param in lam.params
        )
        values = tuple(
            control.borders.value(control.plain_shape(mode, old.type), Atom(new))
            for old, new in zip(lam.params, params, strict=True)
        )
        arrow = interpret(translate(lam.params, lam.body), mode)
        value, _ = yield from forwards(machine, arrow.enter, values)
        shape, own = control.borders.term(value, arrow.cod)
        y = yield from unknown_functions.plain(control, mode, machine, shape, own, arrow.cod)
        return Lam(params, closed(scope, y).body, lam.name)

    return lambda_of(scope, write)
