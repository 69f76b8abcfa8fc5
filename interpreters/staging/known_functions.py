"""Functions of known code: written once for the shapes of what goes in, and called.

Forwards the function gives its value and its residuals, backwards it takes them::

    f      (a, z) = (sin (a * z), a * z)             value and residual
    f back (a, z, kept, dy) = let v = dy · cos kept in (v · z, v · a)

In the simply-typed form (Fig. 3 of 004) a function's cotangent is the list of its calls. Within a
block they are a list. Where they would cross a border, every call is written again, forwards and
backwards, and what goes across is the cotangent of what the function captured: the pullback of
``curry`` is linear in the calls, so it may be taken for those of each block apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from combinators.objects import Product
from combinators.terms import Lam, Var
from combinators.tracing.scope import Scope, entered
from combinators.type_folds import is_smooth, tangent_of
from interpreters.execution.machine import (
    Arrow,
    Machine,
    Step,
    Written,
    backwards,
    forwards,
    nothing,
)
from interpreters.execution.running import Closure, Code, Running
from interpreters.sparse_cotangents import Cotangent, Environment, opened, own, plus
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.blocks import (
    binding,
    closed,
    opening,
    record,
    seed,
    together,
    twin,
    unbundled,
)
from interpreters.staging.borders import Shape, Staging
from interpreters.staging.cotangent_layouts import (
    ZERO,
    CotangentLayout,
    cotangent_of,
    count,
    dense,
    layout_of,
    leaves,
)

MOST = 16
"""A cotangent of more terms than this leaves a function as one dense term."""


class Back(NamedTuple):
    """A known function backwards."""

    lam: Lam
    passed: tuple[int, ...]
    """The parameters of the forward function that it takes, before residuals and cotangent."""
    held: tuple[CotangentLayout, ...]
    """What it gives of each parameter's cotangent."""


class Known(NamedTuple):
    """A function of known code, written."""

    code: Code
    """Kept, since functions are told apart by their code's identity."""
    lam: Lam
    shape: Shape
    keeps: bool
    """Whether it gives residuals besides its value."""
    back: Back | None


class Parameters(NamedTuple):
    """How the captured values and the argument go into a known function."""

    shapes: tuple[Shape, ...]
    terms: tuple[Atom, ...]
    width: int
    """How many are captured."""
    apart: bool
    """Whether the components of the argument go apart."""

    def value(self, control: Staging, terms: Sequence[Atom]) -> list[Any]:
        """The context that the parameters make."""
        values = [
            control.borders.value(shape, term)
            for shape, term in zip(self.shapes, terms, strict=True)
        ]
        argument = tuple(values[self.width :]) if self.apart else values[-1]
        return [*values[: self.width], argument]

    def of(self, context: Cotangent) -> list[Cotangent]:
        """The cotangent of each parameter, from that of the context."""
        given = {} if context is None else opened(context)
        if not self.apart:
            return [given.get(i) for i in range(self.width + 1)]
        argument = given.get(self.width)
        parts = {} if argument is None else opened(argument)
        apart = [parts.get(i) for i in range(len(self.terms) - self.width)]
        return [*(given.get(i) for i in range(self.width)), *apart]

    def together(self, cotangents: Sequence[Cotangent]) -> Cotangent:
        """The cotangent of the function and its argument, from those of the parameters."""
        env = _sparse(cotangents[: self.width])
        rest = cotangents[self.width :]
        return _sparse((env, _sparse(rest) if self.apart else rest[0]))


def _sparse(cotangents: Sequence[Cotangent]) -> Cotangent:
    return {i: g for i, g in enumerate(cotangents) if g is not None} or None


def parameters(control: Staging, closure: Closure, argument: Any) -> Parameters:
    """What goes into the function of a closure."""
    code, dom = closure.code, closure.code.function.dom
    apart = isinstance(dom, Product) and type(argument) is tuple and dom.width > 0
    types = dom.parts if isinstance(dom, Product) and apart else (dom,)
    given = argument if apart else (argument,)
    shapes, terms = control.borders.terms((*closure.env, *given), (*code.captured.parts, *types))
    return Parameters(shapes, terms, code.width, apart)


def call_known(
    control: Staging, mode: Running, closure: Closure, argument: Any, *, again: bool = False
) -> Step:
    """The step that applies a closure of known code; ``again`` backwards, if it keeps nothing."""

    def apply(machine: Machine) -> Written:
        given = parameters(control, closure, argument)
        key = (id(closure.code), again, given.apart, *map(id, given.shapes))
        if key not in control.known:
            written = yield from _write(control, mode, machine, closure.code, given, again=again)
            control.known[key] = written
        known = control.known[key]
        whole = atoms.apply(known.lam, *given.terms)
        y, kept = (whole[0], whole[1]) if known.keeps else (whole, None)
        machine.stack.append(control.borders.value(known.shape, y))
        if mode.reverses:
            back = known.back
            machine.tape.append(nothing if back is None else _transpose(back, given, y, kept))

    return apply


def _transpose(back: Back, given: Parameters, y: Atom, kept: Atom | None) -> Step:
    """The step that calls the function backwards."""

    def transpose(machine: Machine) -> None:
        cotangent = machine.stack[-1]
        if cotangent is None:
            return
        passed = [given.terms[i] for i in back.passed]
        kept_terms = [kept] if kept is not None and len(back.lam.params) > len(passed) + 1 else []
        seeds = dense(cotangent, tangent_of(y.type))
        whole = atoms.apply(back.lam, *passed, *kept_terms, seeds)
        parts = iter(unbundled(whole, sum(map(count, back.held))))
        machine.stack[-1] = given.together([cotangent_of(held, parts) for held in back.held])

    return transpose


def _write(
    control: Staging,
    mode: Running,
    machine: Machine,
    code: Code,
    given: Parameters,
    *,
    again: bool,
) -> Written:
    scope = Scope(None, "a function")
    with entered(scope):
        params = tuple(
            scope.parameter(name, term.type)
            for name, term in zip(_names(code, given), given.terms, strict=True)
        )
        context = given.value(control, [Atom(param) for param in params])
        value, tape = yield from forwards(machine, code.arrow.enter, context)
        shape, y = control.borders.term(value, code.function.cod)
    back, residuals = None, []
    if mode.reverses and is_smooth(code.function.cod):
        run_again = code.arrow if again else None
        back, residuals = yield from _write_back(
            control, mode, machine, tape, scope, given, params, shape, y, run_again
        )
    with entered(scope):
        kept = record(residuals)
    block = closed(scope, *([y] if kept is None else [y, kept]))
    lam = Lam(params, block.body, code.label.called)
    return Known(code, lam, shape, kept is not None, back)


def _write_back(
    control: Staging,
    mode: Running,
    machine: Machine,
    tape: list[Step],
    forward: Scope,
    given: Parameters,
    params: tuple[Var, ...],
    shape: Shape,
    y: Atom,
    again: Arrow | None,
) -> Written:
    scope = twin(forward, None)
    with entered(scope):
        if again is not None:
            context = given.value(control, [Atom(param) for param in params])
            _, tape = yield from forwards(machine, again.enter, context)
        dy = seed(scope, "dy", y)
        pulled = yield from backwards(machine, tape, control.returned(shape, y.type, Atom(dy)))
        context = given.value(control, [Atom(param) for param in params])
        cotangent = yield from control.without_calls(mode, machine, pulled, context)
        cotangents = given.of(cotangent)
        held = tuple(
            layout_of(cot, tangent_of(param.type), MOST)
            for cot, param in zip(cotangents, params, strict=True)
        )
        if all(part == ZERO for part in held):
            return None, []
        results = [
            leaf for part, cot in zip(held, cotangents, strict=True) for leaf in leaves(part, cot)
        ]
    block = closed(scope, *results)
    owned = block.owned_by(forward)
    residuals = [var for var in owned if var not in params]
    passed = tuple(i for i, param in enumerate(params) if param in owned)
    taken, bindings = [params[i] for i in passed], []
    if residuals:
        kept = Var(scope.names.fresh("kept"), together(residuals))
        taken.append(kept)
        bindings = opening(residuals, kept)
    lam = Lam((*taken, dy), binding(bindings, block.body))
    return Back(lam, passed, held), residuals


def _names(code: Code, given: Parameters) -> list[str]:
    """What the parameters are called: the captured variables by their names."""
    captured = [*code.label.names, *["w"] * given.width][: given.width]
    rest = len(given.terms) - given.width
    return captured + [*code.label.parameters, *["x"] * rest][:rest]


def call_recorded(control: Staging, mode: Running, closure: Closure, argument: Any) -> Step:
    """The step that applies a closure, and backwards records the call."""
    apply = call_known(control, mode, closure, argument)

    def call(machine: Machine) -> Written:
        tape = yield from _tape_of(machine, apply)
        value = machine.stack[-1]

        def transpose(machine: Machine) -> Written:
            cotangent = machine.stack.pop()
            if cotangent is None:
                machine.stack.append(None)
                return
            across = yield from without_calls(control, mode, machine, own(cotangent), value)
            pulled = yield from backwards(machine, tape, across)
            of_argument = None if pulled is None else opened(pulled).get(1)
            parts = {0: [(argument, cotangent)], 1: of_argument}
            machine.stack.append({i: g for i, g in parts.items() if g is not None})

        machine.tape.append(transpose)

    return call


def calls_written_again(
    control: Staging, mode: Running, machine: Machine, code: Code, env: Any, calls: list[Any]
) -> Written:
    """The cotangent of the environment, from calls (``new_pb`` of Fig. 3)."""
    total: Cotangent = None
    for call in calls:
        if type(call) is Environment:
            total = plus(total, call.captured, mode.over.add)
            continue
        argument, cotangent = call
        tape = yield from _tape_of(machine, call_known(control, mode, Closure(code, env), argument))
        value = machine.stack.pop()
        across = yield from without_calls(control, mode, machine, own(cotangent), value)
        pulled = yield from backwards(machine, tape, across)
        part = None if pulled is None else opened(pulled).get(0)
        total = plus(total, part, mode.over.add)
    return total


def _tape_of(machine: Machine, step: Step) -> Written:
    """What a step leaves on a tape of its own; its value is on the stack."""
    before, machine.tape = machine.tape, []
    yield step
    tape, machine.tape = machine.tape, before
    return tape


def without_calls(
    control: Staging, mode: Running, machine: Machine, cotangent: Cotangent, value: Any
) -> Written:
    """A cotangent of ``value`` in which calls have become cotangents of what was captured."""
    if type(cotangent) is list:
        assert isinstance(value, Closure)
        cotangent = yield from calls_written_again(
            control, mode, machine, value.code, value.env, cotangent
        )
    if type(cotangent) is not dict:
        return cotangent
    parts = value.env if isinstance(value, Closure) else value
    found = {}
    for index, part in cotangent.items():
        found[index] = yield from without_calls(control, mode, machine, part, parts[index])
    return {i: g for i, g in found.items() if g is not None} or None
