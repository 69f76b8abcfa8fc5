"""The derivatives of a function value, ``rep`` and ``dual``, from its code (J of 001).

A closure's body is an arrow of the free category. Written by reverse or forward mode it is the code
of another closure, over the same captured values; so it means something in every mode that runs,
and its environment's cotangent is that of the function. Of ``λz. a * z``, which captures ``a``::

    rep   is   λz. (a * z, λȳ. (pack (ȳ · z,), ȳ · a))        over a
    dual  is   λ(z, ż). (a * z, ż · a)                        over a
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from combinators.errors import NotDifferentiable, UnknownCode
from combinators.literal import Literal
from combinators.morphisms import interpret
from combinators.objects import Fun, Object, Product, Tangent
from combinators.operation import Operation
from combinators.primitives.structural import DUAL, REP
from combinators.terms import Const, Lam, Var
from combinators.tracing.scope import Scope, entered
from combinators.translate import translate
from combinators.type_folds import (
    dual_function,
    rep_function,
    represented,
    tangent_of,
    with_tangent,
)
from interpreters.execution.machine import Arrow, Machine, Step, Written
from interpreters.execution.running import DERIVATIVES, Closure, Code, Running, Transport
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent
from interpreters.sparse_cotangents import Cotangent, opened
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom, lambda_of
from interpreters.staging.borders import Borders, Given
from interpreters.staging.control import staged
from interpreters.staging.cotangent_layouts import dense
from interpreters.staging.terms import TERMS


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


class Template(NamedTuple):
    """A captured closure of known code, of which only what it captures is a variable."""

    code: Code
    parts: tuple[Captured, ...]


Captured = Object | Template
"""What a captured value is: a closure of known code, or a value of a type; of an unknown function,
for which its derivative stands, the type of that."""


def derived(obj: Object, operation: Operation) -> Fun:
    """The type of ``rep`` or ``dual`` of a function."""
    made = represented(obj, rep_function if operation == REP else dual_function)
    assert isinstance(made, Fun)
    return made


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
        bring = getattr(function, "derivative", None)
        if bring is None:
            raise UnknownCode(
                "the derivative of a function whose code is not known is differentiated: in a "
                "gradient program a function that is an argument, chosen by a conditional or made "
                "by a loop is a rep-function, which tells its first derivative only; let the "
                "function be known where the gradient is taken"
            )
        return bring(self.operation)


def _is_known(function: Any) -> bool:
    """Whether a function value has code from which derivatives are written."""
    return isinstance(function, Closure) and function.code.label.body is not None


def _key(captured: Captured) -> Any:
    if isinstance(captured, Template):
        return id(captured.code.label.body), tuple(map(_key, captured.parts))
    return captured


for _operation in (REP, DUAL):
    DERIVATIVES[_operation] = partial(Reified, operation=_operation)
