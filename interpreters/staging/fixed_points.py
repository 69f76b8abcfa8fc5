"""Recursion in programs: the fixed point of a step is that of the step's derivative.

``f = fix (λ(f, x). if x < 1 then a else a * f (x / 2))`` captures a. In reverse mode f stands in
the program as every function of unknown code does, ``A ⇒ B × (T B ⇒ Tangent × T A)``, and so the
step's body is written once, however deep the calls go::

    f = fix (λ(f, x).
      (y, kept) = if x < 1 then (a, …) else let (v, pullback) = f (x / 2) in (a * v, (v, pullback))
      (y, λȳ. if x < 1 then (pack (ȳ,), 0) else
                let (captured, x̄) = pullback (ȳ · a) in
                  (pack (ȳ · v + unpack captured,), x̄ / 2)))

A call gives its value, and the pullback of that call, which has captured what it needs and the
pullbacks of the calls inside: residuals are as deep as the calls were. The cotangent of what the
step captured is summed from call to call, erased as that of any function. In forward mode f is a
dual function. ``fix g`` of unknown code is written in the same way, with a call of g as its body.

The value itself is a closure over what the step captured, whose code applies the fixed point: so it
goes across borders as closures do, and has derivatives of its own wherever the step has.
"""

from __future__ import annotations

from functools import partial

from combinators.morphisms import Label
from combinators.objects import Fun, Object, Product, Tangent
from combinators.primitives.structural import FIX
from combinators.terms import Lam, Prim
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import is_smooth, tangent_of
from interpreters.execution.machine import Machine, Written
from interpreters.execution.running import Closure, Code
from interpreters.sparse_cotangents import Cotangent, nonzero, opened, plus
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom, smooth
from interpreters.staging.borders import Borders, erased
from interpreters.staging.cotangent_layouts import dense


class WrittenFixedPoint:
    """The code of ``fix step``: on a step and an argument it writes the fixed point, and a call."""

    def __init__(self, borders: Borders, step: Fun, inlined: set[Code]) -> None:
        """Of steps of type ``step``; code that is ``inlined`` already is called."""
        self.borders, self.step, self._inlined = borders, step, inlined
        taken = step.dom
        assert isinstance(taken, Product)
        self.itself, self.argument = taken.parts

    def __call__(self, machine: Machine) -> Written:
        """Write both."""
        step, argument = machine.stack.pop()[:2]
        captured = tangent_of(self.borders.term(step, self.step)[1].type)
        function = yield from self._written(machine, step, captured)
        if self.borders.mode.reverses:
            machine.tape.append(partial(_opened, captured))
        assert isinstance(self.itself, Fun)
        yield self.borders.inside.apply(function, argument, self.itself)

    def _written(self, machine: Machine, step: Closure | Atom, captured: Object) -> Written:
        """``fix`` of the step's derivative; what the step captured has cotangents ``captured``."""
        inside, scope = self.borders.inside, Scope(current(), "a recursive function")
        label = step.code.label if isinstance(step, Closure) else Label()
        wishes = label.parameters if len(label.parameters) == 2 else ("itself", "x")
        is_inlined = isinstance(step, Closure) and step.code not in self._inlined
        with entered(scope):
            var, itself = inside.parameter(scope, wishes[0], self.itself)
            x_var, x = inside.parameter(scope, wishes[1], self.argument)
            arrow, start = inside.mode.eval(self.step), [step, (itself, x)]
            if isinstance(step, Closure) and is_inlined:
                self._inlined.add(step.code)
                arrow, start = step.code.arrow, [*step.env, (itself, x)]
            width = len(start) - 1
            y, tape = yield from inside.run(machine, arrow, start)
            result = y.term
            if inside.mode.reverses:

                def split(pulled: Cotangent) -> tuple[Atom, Atom]:
                    parts = {} if pulled is None else dict(opened(pulled))
                    pair = parts.pop(width, None)
                    env = (parts or None) if is_inlined else parts.get(0)
                    of_self, of_x = map(({} if pair is None else opened(pair)).get, (0, 1))
                    total = plus(env, _unpacked(of_self, captured), inside.mode.over.add)
                    return erased(total, captured), dense(of_x, tangent_of(x_var.type))

                back = yield from inside.pullback(machine, y, tape, start, split)
                result = atoms.tuple_of((y.term, back))
        block = atoms.closed(scope, result)
        lam = Lam((var, x_var), block.body, label.called)
        return atoms.write(Prim(FIX, (lam,)), label.called or "f", block.captured)


def _opened(captured: Object, machine: Machine) -> None:
    """From the cotangents of a recursive function and its argument to those of the step and it."""
    if machine.stack[-1] is not None:
        of_function, of_argument = map(opened(machine.stack[-1]).get, (0, 1))
        parts = _unpacked(of_function, captured), of_argument
        machine.stack[-1] = nonzero(enumerate(parts))


def _unpacked(erased: Atom | None, captured: Object) -> Cotangent:
    """The cotangent of what a step captured, from that of its fixed point."""
    if erased is None or captured is Tangent or not is_smooth(captured):
        return erased if captured is Tangent else None
    return smooth(atoms.unpacked(erased, captured))
