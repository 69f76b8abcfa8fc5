"""The derivatives of a function value, ``rep`` and ``dual``, from its code (J of 001).

A closure's body is an arrow of the free category. Written by reverse or forward mode it is the code
of another closure, over the same captured values; so it means something in every mode that runs,
and its environment's cotangent is that of the function. Of ``λz. a * z``, which captures ``a``::

    rep   is   λz. (a * z, λȳ. (pack (ȳ · z,), ȳ · a))        over a
    dual  is   λ(z, ż). (a * z, ż · a)                        over a

Where the code of ``g`` is not known when a program is written (a conditional chooses it, a loop
makes it, a caller gives it) they cannot be written there. But where ``g`` was made its code is
known, so that ``g`` can bring them along, as its *companions*: so the language is closed under J.
Before::

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
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, NamedTuple

from combinators.errors import NotDifferentiable, UnknownCode
from combinators.literal import Literal
from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Product, Tangent, Vector, component
from combinators.operation import Operation
from combinators.primitives.structural import DUAL, REP
from combinators.terms import Const, Lam, Var, packed
from combinators.translate import translate
from combinators.type_folds import (
    dual_function,
    parts_of,
    rep_function,
    represented,
    tangent_of,
    types_within,
    with_tangent,
)
from interpreters.execution.machine import Arrow, Machine, Step, Written
from interpreters.execution.running import DERIVATIVES, Closure, Code, Running, Transport
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom, lambda_of
from interpreters.staging.borders import Borders, Several, Shape
from interpreters.staging.terms import TERMS, StagedControl, WrittenProgram


class Template(NamedTuple):
    """A captured closure of known code, of which only what it captures is a variable."""

    code: Code
    parts: tuple[Captured, ...]


Captured = Object | Template
"""What a captured value is: a closure of known code, or a value of a type; of an unknown function,
for which its derivative stands, the type of that."""


def derived(obj: Object, operation: Operation) -> Object:
    """The type of ``rep`` or ``dual`` of a function, or of each function of a vector."""
    return represented(obj, rep_function if operation == REP else dual_function)


def is_of_functions(obj: Object) -> bool:
    """Whether a type is a function's, or a vector's of functions."""
    return isinstance(obj, Fun) or (isinstance(obj, Vector) and isinstance(obj.item, Fun))


def variable(captured: Captured) -> Object:
    """The type of the variable that stands for a captured value."""
    if isinstance(captured, Template):
        return Product(*map(variable, captured.parts))
    return captured


def derivative(template: Template, operation: Operation) -> tuple[tuple[Var, ...], Lam]:
    """The λ that is the derivative of a closure's code, after the variables that it captures.

    ``rep`` is ``λx. (y, λȳ. (Tangent, x̄))``, and ``dual`` is ``λ(x, ẋ). (y, ẏ)``, for which what is
    captured stands still.
    """
    code, parts = template
    is_rep, dom = operation == REP, code.function.dom
    x = represented(dom, rep_function) if is_rep else with_tangent(represented(dom, dual_function))
    mode: Running = Dependent(TERMS) if is_rep else Pushforward(TERMS)
    program = WrittenProgram(mode, [*(("w", variable(part)) for part in parts), ("x", x)])
    *env, var = program.params

    def write(machine: Machine) -> Written:
        pairs = zip(parts, env, strict=True)
        start = [_value(program.borders, part, Atom(each)) for part, each in pairs]
        start.append(program.borders.plain_value(dom, Atom(var)))
        yield from program.run(machine, interpret(code.label.body, mode), tuple(start))
        result = program.given.term
        if is_rep:

            def results(dy: Atom) -> Written:
                *whole, of_x = yield from program.pulled(machine, dy, range(len(program.params)))
                erased = atoms.packed(atoms.tuple_of(whole)) if env else atoms.zeros(Tangent)
                return atoms.tuple_of((erased, of_x))

            back = yield from program.pullback(tangent_of(result.type), results)
            result = atoms.tuple_of((result, back))
        return Lam((var,), atoms.closed(program.scope, result).body)

    return tuple(env), lambda_of(program.scope, write)


def _value(borders: Borders, captured: Captured, atom: Atom) -> Any:
    """A captured value, of which ``atom`` is the variable."""
    if not isinstance(captured, Template):
        return borders.arrived(captured, atom)
    arrow = interpret(captured.code.label.body, borders.mode)
    env = tuple(_value(borders, part, atom[i]) for i, part in enumerate(captured.parts))
    return Closure(replace(captured.code, arrow=arrow), env)


def function_term(closure: Closure) -> Lam:
    """A closure over numbers as a closed λ, in which what it captures are constants."""
    mode, function, label = Primal(TERMS), closure.code.function, closure.code.label
    here = Transport(mode, lambda number, _: Atom(Const(Literal(number))))(closure, function)
    name = label.parameters[0] if len(label.parameters) == 1 else "x"
    program = WrittenProgram(mode, [(name, function.dom)])

    def write(machine: Machine) -> Written:
        start = here, program.borders.plain_value(function.dom, Atom(program.params[0]))
        yield from program.run(machine, mode.eval(function), start)
        return program.close(program.given.term, label.called)

    return lambda_of(program.scope, write)


class Reified:
    """The step that takes a closure to one that brings its derivative along."""

    def __init__(self, mode: Running, operation: Operation) -> None:
        self.mode, self.operation = mode, operation
        self._arrows: dict[Any, tuple[Template, Arrow]] = {}

    def __call__(self, machine: Machine) -> Written:
        """Put the new closure in the place of the closure: over the same captured values."""
        function = machine.stack.pop()
        if not _is_known(function):
            machine.stack.append(self._companion(function))
            return
        template, values = self._taken(function, function.code.function)
        key = _key(template)
        if key not in self._arrows:
            made = translate(*derivative(template, self.operation))
            self._arrows[key] = template, interpret(made, self.mode)
        machine.stack.append(values)
        yield self._arrows[key][1].enter

    def _taken(self, value: Any, obj: Object) -> tuple[Any, Any]:
        """What a captured value is, and the value; of a closure of known code, what it captures."""
        if not isinstance(obj, Fun):
            if represented(obj, rep_function) is not obj:
                raise NotDifferentiable(
                    f"a captured {obj!r} holds functions inside a container, whose derivatives are "
                    "not known here; capture the functions themselves"
                )
            return obj, value
        if not _is_known(value):
            return derived(obj, self.operation), self._companion(value)
        code = value.code
        taken = [self._taken(*each) for each in zip(value.env, code.captured.parts, strict=True)]
        parts, values = (tuple(each[at] for each in taken) for at in (0, 1))
        return Template(code, parts), values

    def _companion(self, function: Any) -> Any:
        """The derivative that a function of unknown code brings along."""
        if not isinstance(function, Accompanied):
            raise UnknownCode(
                "the derivative of a function whose code is not known is differentiated: in a "
                "gradient program a function that is an argument, chosen by a conditional, made by "
                "a loop or held by a sum or a list is a rep-function, which tells its first "
                "derivative only; let the function be known where the gradient is taken"
            )
        return function.derivative(self.operation)


def _is_known(function: Any) -> bool:
    """Whether a function value has code from which derivatives are written."""
    return isinstance(function, Closure) and function.code.label.body is not None


def _key(captured: Captured) -> Any:
    if isinstance(captured, Template):
        return id(captured.code.label.body), tuple(map(_key, captured.parts))
    return captured


for _operation in (REP, DUAL):
    DERIVATIVES[_operation] = partial(Reified, operation=_operation)

Word = tuple[Operation, ...]
"""Derivatives taken one after the other: ``(REP, DUAL)`` of ``g`` is ``dual (rep g)``."""
MOST = 12
"""So many companions are enough for derivatives of any sensible order."""


class Missing(Exception):
    """A function goes without a companion, the argument, which somebody asks for."""


@dataclass(frozen=True, slots=True, eq=False)
class Accompanied:
    """A function, or a vector of some, with its companions; it has the empty word itself."""

    obj: Object
    companions: dict[Word, Atom]
    path: Word = ()
    """Whose companion it is."""

    def derivative(self, operation: Operation) -> Accompanied:
        """``rep`` or ``dual`` of it."""
        held = {w[1:]: atom for w, atom in self.companions.items() if w[:1] == (operation,)}
        if () not in held:
            raise Missing((*self.path, operation))
        return Accompanied(derived(self.obj, operation), held, (*self.path, operation))

    def __getitem__(self, index: int) -> Accompanied:
        """A function of a vector."""
        held = {word: atom[index] for word, atom in self.companions.items()}
        return Accompanied(component(self.obj, index), held, self.path)


@dataclass(frozen=True, eq=False)
class Accompanying(Shape):
    """A function of unknown code, or a vector: the term is that of it and of ``words`` of it."""

    obj: Object
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
        return not self.is_inside and any(map(is_of_functions, types_within(obj)))

    def represented(self, obj: Object) -> Object:
        """The type of a plain value."""
        if not self._is_apart(obj):
            return obj
        if is_of_functions(obj):
            return packed(tuple(reduce(derived, word, obj) for word in self.words))
        return Product(*map(self.represented, parts_of(obj) or ()))

    def plain_shape(self, obj: Object) -> Shape:
        """The shape of a plain value."""
        if not self._is_apart(obj):
            return super().plain_shape(obj)
        if is_of_functions(obj):
            return self.shape(Accompanying, obj, self.words)
        return self.shape(Several, tuple(map(self.plain_shape, parts_of(obj) or ())))

    def plain(self, machine: Machine, shape: Shape, term: Atom, obj: Object) -> Written:
        """A term of any shape as a plain one, its functions with their companions."""
        if not self._is_apart(obj):
            companions = isinstance(shape, Accompanying) and len(shape.words) > 1
            return term[0] if companions else (yield from super().plain(machine, shape, term, obj))
        value, made = self.value(shape, term), []
        if not is_of_functions(obj):
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


def accompanied(lam: Lam) -> Lam:
    """A closed λ, without ``rep`` and ``dual``."""
    words: tuple[Word, ...] = ()
    while True:
        try:
            return _accompanied(lam, words)
        except Missing as missing:
            (word,) = missing.args
            if len(words) == MOST or word in words:
                raise UnknownCode(
                    "the derivative of a function whose code is not known is differentiated: a "
                    "function that another unknown function gives tells its first derivative "
                    "only; let it be known where the gradient is taken"
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
