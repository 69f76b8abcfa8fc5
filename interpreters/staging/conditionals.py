"""Conditionals in programs: the branch taken is computed, forwards and backwards.

With ``if p then sin x * a else x`` there is written

    (y, kept) = if p then (sin x * a, x) else (x, 0)

and for the cotangent ``dy`` of y, ``if p then (dy · a · cos kept, dy · sin kept) else (dy, 0)``.
"""

from __future__ import annotations

from typing import Any

from combinators.objects import Object
from combinators.terms import Cond, Term, Var
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import is_smooth, tangent_of
from interpreters.execution.machine import Arrow, Machine, Step, Written, nothing
from interpreters.staging import atoms
from interpreters.staging import cotangent_layouts as layouts
from interpreters.staging.atoms import Atom, ClosedBlock
from interpreters.staging.borders import Borders, Given


class Arm:
    """A branch: its block forwards, its tape, and its block backwards."""

    given: Given
    tape: list[Step]
    seed: Var
    cotangent: Any = None
    back: ClosedBlock | None = None

    def __init__(self) -> None:
        self.scope, self.back_scope = Scope(current(), "a branch"), Scope(current(), "a branch")

    @property
    def residuals(self) -> list[Var]:
        """What the block backwards mentions of the block forwards."""
        return self.back.owned_by(self.scope) if self.back is not None else []


class WrittenChoice:
    """``if p then … else …`` of a pair of p and a context, which is written."""

    def __init__(self, borders: Borders, dom: Object, cod: Object) -> None:
        self.borders, self.dom, self.cod = borders, dom, cod
        self.arms = Arm(), Arm()
        self.held: layouts.Layout = None
        """What of the context's cotangent the branches give."""

    def write(self, machine: Machine, *branches: Arrow) -> Written:
        """Write it, and leave what writes it backwards."""
        number, context = machine.stack.pop()
        test, mode = self.borders.test(number), self.borders.mode
        for arm, branch in zip(self.arms, branches, strict=True):
            with entered(arm.scope):
                value, arm.tape = yield from machine.forwards(branch.enter, context)
                shape, own = self.borders.term(value, self.cod)
                arm.given = Given(shape, own, own)
        shape = self.arms[0].given.shape
        if shape is not self.arms[1].given.shape:
            shape = self.borders.plain_shape(self.cod)
            for arm in self.arms:
                shape_here, own, _ = arm.given
                with entered(arm.scope):
                    term = yield from self.borders.plain(machine, shape_here, own, self.cod)
                arm.given = Given(shape_here, own, term)
        if mode.reverses and is_smooth(self.cod):
            yield from self._transpose(machine, context)
        y, residuals = self._forwards(test)
        machine.stack.append(self.borders.value(shape, y))
        if mode.reverses:
            machine.tape.append(nothing if self.held is None else self._back(test, y, residuals))

    def _transpose(self, machine: Machine, context: Any) -> Written:
        """Write both branches backwards."""
        obj = tangent_of(self.borders.term(context, self.dom)[1].type)
        for arm in self.arms:
            with entered(arm.back_scope):
                arm.seed = arm.back_scope.parameter("dy", tangent_of(arm.given.term.type))
                given = arm.given.returned(Atom(arm.seed))
                arm.cotangent = yield from self.borders.pulled(machine, arm.tape, given, context)
            self.held = layouts.union(self.held, layouts.layout_of_context(arm.cotangent, obj))
        for arm in self.arms if self.held is not None else ():
            with entered(arm.back_scope):
                results = layouts.leaves(self.held, arm.cotangent)
            arm.back = atoms.closed(arm.back_scope, *results)

    def _forwards(self, test: Atom) -> tuple[Atom, list[Atom | None]]:
        """The conditional forwards: its value, and the residuals of each branch."""
        blocks = []
        for arm in self.arms:
            with entered(arm.scope):
                kept = [
                    atoms.record(each.residuals) if each is arm else atoms.absent(each.residuals)
                    for each in self.arms
                ]
            results = (arm.given.term, *(one for one in kept if one is not None))
            blocks.append(atoms.closed(arm.scope, *results))
        captured = [var for block in blocks for var in block.captured]
        whole = _cond(test, [block.body for block in blocks], captured)
        parts = atoms.unbundled(whole, 1 + sum(bool(arm.residuals) for arm in self.arms))
        rest = iter(parts[1:])
        return parts[0], [next(rest) if arm.residuals else None for arm in self.arms]

    def _back(self, test: Atom, y: Atom, residuals: list[Atom | None]) -> Step:
        """The step that writes the conditional backwards."""

        def transpose(machine: Machine) -> None:
            if machine.stack[-1] is None:
                return
            cotangent = layouts.dense(machine.stack[-1], tangent_of(y.type))
            captured = [atom.term for atom in (cotangent, *residuals) if atom is not None]
            bodies = []
            for arm, kept in zip(self.arms, residuals, strict=True):
                assert arm.back is not None
                captured += arm.back.beyond(arm.scope, arm.back_scope)
                bindings: list[tuple[Var, Term]] = [(arm.seed, cotangent.term)]
                if kept is not None:
                    bindings += atoms.opening(arm.residuals, kept.term)
                bodies.append(atoms.binding(bindings, arm.back.body))
            parts = atoms.unbundled(_cond(test, bodies, captured), layouts.count(self.held))
            machine.stack[-1] = {1: layouts.cotangent_of(self.held, iter(parts))}

        return transpose


def _cond(test: Atom, bodies: list[Term], captured: list[Any]) -> Atom:
    variables = tuple(var for var in captured if isinstance(var, Var))
    return atoms.write(Cond(test.term, bodies[0], bodies[1]), "c", variables)
