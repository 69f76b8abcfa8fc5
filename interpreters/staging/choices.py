"""Conditionals in programs: the branch taken is computed, forwards and backwards."""

from __future__ import annotations

from typing import Any

from combinators.objects import Object
from combinators.terms import Cond, Term, Var
from combinators.tracing.scope import Scope, current, entered
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
from interpreters.execution.running import Running
from interpreters.staging.atoms import Atom, write
from interpreters.staging.blocks import (
    Closed,
    absent,
    binding,
    closed,
    opening,
    record,
    seed,
    unbundled,
)
from interpreters.staging.borders import Shape, Staging
from interpreters.staging.cotangent_layouts import (
    ZERO,
    CotangentLayout,
    cotangent_of,
    count,
    dense,
    layout_of_context,
    leaves,
    union,
)


class Arm:
    """A branch: its block forwards, its tape, and its block backwards."""

    def __init__(self, owner: str) -> None:
        self.scope = Scope(current(), owner)
        self.value: Any = None
        self.tape: list[Step] = []
        self.shape: Shape
        self.own: Atom
        self.term: Atom
        self.seed: Var
        self.cotangent: Any = None
        self.back_scope = Scope(current(), owner)
        self.back: Closed | None = None

    @property
    def residuals(self) -> list[Var]:
        """What the block backwards mentions of the block forwards."""
        return self.back.owned_by(self.scope) if self.back is not None else []


def choice(control: Staging, mode: Running, then: Arrow, other: Arrow) -> Step:
    """The step that writes ``if p then … else …`` of a pair of p and a context."""

    def choose(machine: Machine) -> Written:
        number, context = machine.stack.pop()
        test = control.test(number)
        arms = []
        for branch in (then, other):
            arm = Arm("a branch")
            with entered(arm.scope):
                arm.value, arm.tape = yield from forwards(machine, branch.enter, context)
                arm.shape, arm.own = control.borders.term(arm.value, then.cod)
            arm.term = arm.own
            arms.append(arm)
        shape = yield from _join(control, mode, machine, arms, then.cod)
        held: CotangentLayout = ZERO
        if mode.reverses and is_smooth(then.cod):
            obj = tangent_of(control.borders.term(context, then.dom)[1].type)
            held = yield from _transpose(control, mode, machine, arms, context, obj)
        y, residuals = _write(test, arms)
        machine.stack.append(control.borders.value(shape, y))
        if mode.reverses:
            machine.tape.append(nothing if held == ZERO else _back(test, y, arms, residuals, held))

    return choose


def _join(
    control: Staging, mode: Running, machine: Machine, arms: list[Arm], obj: Object
) -> Written:
    """Bring both values to one shape."""
    if arms[0].shape is arms[1].shape:
        return arms[0].shape
    for arm in arms:
        with entered(arm.scope):
            arm.term = yield from control.plain(mode, machine, arm.shape, arm.own, obj)
    return control.plain_shape(mode, obj)


def _transpose(
    control: Staging, mode: Running, machine: Machine, arms: list[Arm], context: Any, obj: Object
) -> Written:
    """Write both branches backwards; what of the context's cotangent they give."""
    held: CotangentLayout = ZERO
    for arm in arms:
        with entered(arm.back_scope):
            arm.seed = seed(arm.back_scope, "dy", arm.term)
            given = control.returned(arm.shape, arm.own.type, Atom(arm.seed))
            pulled = yield from backwards(machine, arm.tape, given)
            arm.cotangent = yield from control.without_calls(mode, machine, pulled, context)
        held = union(held, layout_of_context(arm.cotangent, obj))
    if held == ZERO:
        return held
    for arm in arms:
        with entered(arm.back_scope):
            results = leaves(held, arm.cotangent)
        arm.back = closed(arm.back_scope, *results)
    return held


def _write(test: Atom, arms: list[Arm]) -> tuple[Atom, list[Atom | None]]:
    """The conditional forwards: its value, and the residuals of each branch."""
    bodies: list[Closed] = []
    for arm in arms:
        results = [arm.term]
        with entered(arm.scope):
            for each in arms:
                kept = record(each.residuals) if each is arm else absent(each.residuals)
                results += [kept] if kept is not None else []
        bodies.append(closed(arm.scope, *results))
    then, other = bodies
    whole = _cond(test, then.body, other.body, [*then.captured, *other.captured])
    parts = unbundled(whole, 1 + sum(bool(arm.residuals) for arm in arms))
    rest = iter(parts[1:])
    return parts[0], [next(rest) if arm.residuals else None for arm in arms]


def _back(
    test: Atom, y: Atom, arms: list[Arm], residuals: list[Atom | None], held: CotangentLayout
) -> Step:
    """The step that writes the conditional backwards."""

    def transpose(machine: Machine) -> None:
        given = machine.stack[-1]
        if given is None:
            return
        cotangent = dense(given, tangent_of(y.type))
        captured = [atom.term for atom in (cotangent, *residuals) if atom is not None]
        bodies = []
        for arm, kept in zip(arms, residuals, strict=True):
            assert arm.back is not None
            captured += arm.back.beyond(arm.scope, arm.seed)
            bodies.append(_opened(arm, kept, cotangent))
        whole = _cond(test, bodies[0], bodies[1], captured)
        machine.stack[-1] = {1: cotangent_of(held, iter(unbundled(whole, count(held))))}

    return transpose


def _opened(arm: Arm, kept: Atom | None, cotangent: Atom) -> Term:
    """The branch backwards, with its residuals under their names."""
    assert arm.back is not None
    bindings: list[tuple[Var, Term]] = [(arm.seed, cotangent.term)]
    if kept is not None:
        bindings += opening(arm.residuals, kept.term)
    return binding(bindings, arm.back.body)


def _cond(test: Atom, then: Term, other: Term, captured: list[Term]) -> Atom:
    variables = tuple(var for var in captured if isinstance(var, Var))
    return write(Cond(test.term, then, other), "c", variables)
