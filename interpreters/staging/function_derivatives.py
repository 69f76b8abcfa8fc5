"""The derivatives of a function value, ``rep`` and ``dual``, from its code (J of 001).

A closure's body is an arrow of the free category. Written by reverse or forward mode it is the code
of another closure, over the same captured values; so it means something in every mode that runs,
and its environment's cotangent is that of the function. Of ``λz. a * z``, which captures ``a``::

    rep   is   λz. (a * z, λȳ. (pack (ȳ · z,), ȳ · a))        over a
    dual  is   λ(z, ż). (a * z, ż · a)                        over a
"""

from __future__ import annotations

from collections.abc import Callable
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
from interpreters.execution.machine import Arrow, Machine, backwards, forwards
from interpreters.execution.machine import Written as Steps
from interpreters.execution.running import DERIVATIVES, Closure, Code, Running, Transport
from interpreters.modes.primal import Primal
from interpreters.modes.pushforward import Pushforward
from interpreters.modes.reverse import Dependent
from interpreters.sparse_cotangents import opened
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.blocks import closed, lambda_of, twin
from interpreters.staging.control import staged
from interpreters.staging.cotangent_layouts import dense
from interpreters.staging.terms import TERMS


class Template(NamedTuple):
    """A captured closure of known code, of which only what it captures is a variable."""

    code: Code
    parts: tuple[Captured, ...]


class Companion(NamedTuple):
    """A captured function of unknown code, for which its derivative stands."""

    obj: Fun
    operation: Operation


Captured = Object | Template | Companion
"""What a captured value is: a value of a type, a closure of known code, an unknown function."""


def derived(obj: Object, operation: Operation) -> Fun:
    """The type of ``rep`` or ``dual`` of a function."""
    made = represented(obj, rep_function if operation == REP else dual_function)
    assert isinstance(made, Fun)
    return made


class Written(NamedTuple):
    """A λ, and the variables that it captures."""

    captured: tuple[Var, ...]
    lam: Lam


def variable(captured: Captured) -> Object:
    """The type of the variable that stands for a captured value."""
    if isinstance(captured, Template):
        return Product(*map(variable, captured.parts))
    return derived(*captured) if isinstance(captured, Companion) else captured


class Writing:
    """The code of a closure in a mode over the Terms carrier."""

    def __init__(
        self, mode: Running, code: Code, captured: tuple[Captured, ...], x: Object
    ) -> None:
        """``x`` is the type of the parameter."""
        self.mode, self.control, self.code, self.of = mode, staged(mode), code, captured
        self.scope = Scope(None, "the derivative of a function value")
        self.env = tuple(self.scope.parameter("w", variable(each)) for each in captured)
        self.x = self.scope.parameter("x", x)

    def forwards(self, machine: Machine) -> Steps:
        """The value, its shape and type, and the tape."""
        function = self.code.function
        values = [self._value(each, Atom(var)) for each, var in zip(self.of, self.env, strict=True)]
        plain = self.control.plain_shape(self.mode, function.dom)
        values.append(self.control.borders.value(plain, Atom(self.x)))
        arrow = interpret(self.code.label.body, self.mode)
        value, tape = yield from forwards(machine, arrow.enter, tuple(values))
        shape, own = self.control.borders.term(value, function.cod)
        y = yield from self.control.plain(self.mode, machine, shape, own, function.cod)
        return y, (shape, own.type), tape

    def _value(self, captured: Captured, atom: Atom) -> Any:
        if isinstance(captured, Companion):
            return self.control.borders.still(captured.obj, atom)
        if not isinstance(captured, Template):
            return self.control.borders.still(captured, atom)
        code = captured.code
        arrow = interpret(code.label.body, self.mode)
        env = tuple(self._value(part, atom[i]) for i, part in enumerate(captured.parts))
        return Closure(Code(arrow, code.captured, code.function, code.label), env)


def rep_code(code: Code, captured: tuple[Captured, ...]) -> Written:
    """``λx. (y, λȳ. (Tangent, x̄))``."""
    x = represented(code.function.dom, rep_function)
    writing = Writing(Dependent(TERMS), code, captured, x)
    scope, env = writing.scope, writing.env

    def write(machine: Machine) -> Steps:
        y, (shape, own), tape = yield from writing.forwards(machine)
        inner = twin(scope, scope)
        with entered(inner):
            dy = inner.parameter("dy", tangent_of(y.type))
            given = writing.control.returned(shape, own, Atom(dy))
            cotangent = yield from backwards(machine, tape, given)
            parts = {} if cotangent is None else dict(opened(cotangent))
            of_x = dense(parts.pop(len(env), None), tangent_of(x))
            whole = [dense(parts.get(i), tangent_of(var.type)) for i, var in enumerate(env)]
            erased = atoms.packed(atoms.tuple_of(whole)) if env else atoms.zeros(Tangent)
        block = closed(inner, erased, of_x)
        pullback = atoms.write(Lam((dy,), block.body), "pullback", block.captured)
        return Lam((writing.x,), closed(scope, atoms.tuple_of((y, pullback))).body)

    return Written(env, lambda_of(scope, write))


def dual_code(code: Code, captured: tuple[Captured, ...]) -> Written:
    """``λ(x, ẋ). (y, ẏ)``; what is captured stands still."""
    x = with_tangent(represented(code.function.dom, dual_function))
    writing = Writing(Pushforward(TERMS), code, captured, x)

    def write(machine: Machine) -> Steps:
        y, _, _ = yield from writing.forwards(machine)
        return Lam((writing.x,), closed(writing.scope, y).body)

    return Written(writing.env, lambda_of(writing.scope, write))


WRITERS: dict[Operation, Callable[[Code, tuple[Captured, ...]], Written]] = {
    REP: rep_code,
    DUAL: dual_code,
}


def function_term(closure: Closure) -> Lam:
    """A closure over numbers as a closed λ, in which what it captures are constants."""
    mode, function, label = Primal(TERMS), closure.code.function, closure.code.label
    control = staged(mode)
    here = Transport(mode, lambda number: Atom(Const(Literal(number))))(closure, function)
    scope = Scope(None, "a function value")
    names = label.parameters if len(label.parameters) == 1 else ("x",)
    x = scope.parameter(names[0], function.dom)

    def write(machine: Machine) -> Steps:
        start = (here, control.borders.value(control.plain_shape(mode, function.dom), Atom(x)))
        value, _ = yield from forwards(machine, mode.eval(function).enter, start)
        shape, own = control.borders.term(value, function.cod)
        y = yield from control.plain(mode, machine, shape, own, function.cod)
        return Lam((x,), closed(scope, y).body, label.called)

    return lambda_of(scope, write)


class Reified:
    """The step that takes a closure to one that brings its derivative along."""

    def __init__(self, mode: Running, operation: Operation) -> None:
        """``REP`` or ``DUAL``, in ``mode``."""
        self.mode, self.operation = mode, operation
        self._arrows: dict[Any, tuple[Template, Arrow]] = {}

    def __call__(self, machine: Machine) -> Steps:
        """Put the new closure in the place of the closure: over the same captured values."""
        function = machine.stack.pop()
        if not _is_known(function):
            machine.stack.append(self._companion(function))
            return
        template = self._template(function)
        arrow = self._arrow(template)
        machine.stack.append(self._values(function.env, template.parts))
        yield arrow.enter

    def _arrow(self, template: Template) -> Arrow:
        """The arrow that makes the new closure, by the bodies of the closures: they are kept."""
        key = _key(template)
        if key not in self._arrows:
            written = WRITERS[self.operation](template.code, template.parts)
            self._arrows[key] = template, interpret(translate(*written), self.mode)
        return self._arrows[key][1]

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

    def _template(self, closure: Closure) -> Template:
        """A closure without the values that it captures; those that are closures likewise."""
        types = closure.code.captured.parts
        return Template(closure.code, tuple(map(self._captured, closure.env, types)))

    def _captured(self, value: Any, obj: Object) -> Captured:
        if isinstance(obj, Fun):
            return self._template(value) if _is_known(value) else Companion(obj, self.operation)
        if represented(obj, rep_function) is not obj:
            raise NotDifferentiable(
                f"a captured {obj!r} holds functions inside a container, whose derivatives are not "
                "known here; capture the functions themselves"
            )
        return obj

    def _values(self, env: Any, parts: tuple[Captured, ...]) -> tuple[Any, ...]:
        """The captured values; of a closure, those that it captures."""
        found = []
        for value, part in zip(env, parts, strict=True):
            if isinstance(part, Template):
                found.append(self._values(value.env, part.parts))
            else:
                found.append(self._companion(value) if isinstance(part, Companion) else value)
        return tuple(found)


def _is_known(function: Any) -> bool:
    """Whether a function value has code from which derivatives are written."""
    return isinstance(function, Closure) and function.code.label.body is not None


def _key(captured: Captured) -> Any:
    if isinstance(captured, Template):
        return id(captured.code.label.body), tuple(map(_key, captured.parts))
    return captured


for _operation in WRITERS:
    DERIVATIVES[_operation] = partial(Reified, operation=_operation)
