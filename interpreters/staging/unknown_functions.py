"""Functions of unknown code: rep-functions, as values of the language.

In reverse mode a function ``A ⇒ B`` stands in a program as ``A ⇒ B × (T B ⇒ Tangent × T A)``: the
rep-function of 004 (Fig. 5), whose environment's cotangent is erased (section 5).
"""

from __future__ import annotations

from typing import Any

from combinators.objects import Fun, Object, Tangent
from combinators.terms import Lam
from combinators.tracing.scope import Scope, current, entered
from combinators.type_folds import is_smooth, parts_of, tangent_of
from interpreters.execution.machine import Machine, Step, Written, backwards, forwards, nothing
from interpreters.execution.running import Running
from interpreters.sparse_cotangents import Cotangent, opened
from interpreters.staging import atoms
from interpreters.staging.atoms import Atom
from interpreters.staging.blocks import (
    closed,
    seed,
    smooth,
)
from interpreters.staging.borders import (
    Accompanying,
    Arrived,
    Known,
    Plain,
    Several,
    Shape,
    Staging,
)
from interpreters.staging.cotangent_layouts import dense


def call(control: Staging, mode: Running, function: Atom, argument: Any, type_: Fun) -> Step:
    """The step that applies a function value of a program."""
    dom, cod = type_.dom, type_.cod

    def apply(machine: Machine) -> Written:
        shape, own = control.borders.term(argument, dom)
        x = yield from control.plain(mode, machine, shape, own, dom)
        whole = atoms.apply(function, x)
        if not mode.reverses:
            given = control.plain_shape(mode, cod)
            machine.stack.append(control.borders.value(given, whole))
            return
        y, pullback = whole[0], whole[1]
        machine.stack.append(y)

        def transpose(machine: Machine) -> None:
            cotangent = machine.stack[-1]
            if cotangent is not None:
                pulled = atoms.apply(pullback, dense(cotangent, tangent_of(y.type)))
                back = control.returned(shape, own.type, smooth(pulled[1]))
                parts = {0: pulled[0], 1: back}
                machine.stack[-1] = {i: g for i, g in parts.items() if g is not None}

        machine.tape.append(transpose if is_smooth(y.type) else nothing)

    return apply


def plain(
    control: Staging, mode: Running, machine: Machine, shape: Shape, term: Atom, obj: Object
) -> Written:
    """A term of any shape as a value of the program."""
    match shape:
        case Known():
            written = yield from _function(control, mode, machine, shape, term)
            return written
        case Several(parts):
            types = parts_of(obj) or ()
            made = []
            for index, part in enumerate(parts):
                below = yield from plain(control, mode, machine, part, term[index], types[index])
                made.append(below)
            return control.together(mode, made, obj)
        case Accompanying(_, words):
            return term if len(words) == 1 else term[0]
    return control.with_tangent(shape, term, obj)


def returned(shape: Shape, own: Object, cotangent: Cotangent) -> Cotangent:
    """The cotangent of a value, from that of what ``plain`` made of it."""
    if cotangent is None:
        return None
    match shape:
        case Plain():
            return cotangent
        case Several(parts):
            given, types = opened(cotangent), parts_of(own) or ()
            below = {i: returned(parts[i], types[i], g) for i, g in given.items()}
            return {i: g for i, g in below.items() if g is not None} or None
        case _:
            if cotangent.type is not Tangent:
                return cotangent
            return smooth(atoms.unpacked(cotangent, tangent_of(own)))


def _function(
    control: Staging, mode: Running, machine: Machine, shape: Known, term: Atom
) -> Written:
    """A closure of known code as a λ."""
    closure = Arrived(control.borders, shape, term)
    control = control.inside
    function = closure.code.function
    scope = Scope(current(), "a function")
    with entered(scope):
        name = closure.code.label.parameters
        wish = name[0] if len(name) == 1 else "x"
        x = scope.parameter(wish, control.represented(mode, function.dom))
        value = control.borders.value(control.plain_shape(mode, function.dom), Atom(x))
        eval_ = mode.eval(function)
        result, tape = yield from forwards(machine, eval_.enter, (closure, value))
        y_shape, own = control.borders.term(result, function.cod)
        y = yield from plain(control, mode, machine, y_shape, own, function.cod)
        results = y
        if mode.reverses:
            pullback = yield from _pullback(
                control, mode, machine, tape, (y_shape, own, y), (closure, value), term, Atom(x)
            )
            results = atoms.tuple_of((y, pullback))
    block = closed(scope, results)
    lam = Lam((x,), block.body, closure.code.label.called)
    return atoms.write(lam, lam.name or "f", block.captured)


def _pullback(
    control: Staging,
    mode: Running,
    machine: Machine,
    tape: list[Step],
    result: tuple[Shape, Atom, Atom],
    applied: tuple[Any, Any],
    term: Atom,
    x: Atom,
) -> Written:
    """The pullback of a function value, as a λ: to the erased environment and the argument."""
    shape, own, y = result
    scope = Scope(current(), "a pullback")
    with entered(scope):
        dy = seed(scope, "dy", y)
        pulled = yield from backwards(machine, tape, returned(shape, own.type, Atom(dy)))
        cotangent = yield from control.without_calls(mode, machine, pulled, applied)
        given = {} if cotangent is None else opened(cotangent)
        env = given.get(0)
        packed = (
            atoms.zeros(Tangent) if env is None else atoms.packed(dense(env, tangent_of(term.type)))
        )
        results = (packed, dense(given.get(1), tangent_of(x.type)))
    block = closed(scope, *results)
    return atoms.write(Lam((dy,), block.body), "pullback", block.captured)
