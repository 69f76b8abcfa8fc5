"""Calls: a function that stands there, that is called once or that is small is written out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.block import Block
from combinators.kit.recursion import Recursive
from combinators.simplify.parts import Frame, Later, Need, Value, assembled, is_partial, paths
from combinators.terms import App, Lam, Term, Var

if TYPE_CHECKING:
    from combinators.simplify.forward import Pass


def call(
    run: Pass, term: App, frame: Frame, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    """What ``f x`` stands for."""
    argument: Value = yield run.walk(term.argument, frame, block)
    value: Value = yield applied(run, term, frame, argument, block, wish, need)
    return value


def applied(
    run: Pass, term: App, frame: Frame, argument: Value, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    """What the function of ``term`` gives at ``argument``."""
    lam, inside = function_of(run, term.function, frame)
    reason = _reason(run, lam)
    if lam is not None and reason is not None:
        run.switches.say(reason, term, lam.body, wish)
        value: Value = yield _written_out(run, lam, inside, argument, block, wish, need)
        return value
    if lam is not None and id(lam) in run.closed:
        result: Value = yield _unit_called(run, term, lam, argument, block, wish)
        return result
    function: Term = yield run.operand(term.function, frame, block)
    atom: Term = yield run.atom(argument, block)
    return run.writer.emit(App(function, atom, term.place), block, wish)


def function_of(run: Pass, function: Term, frame: Frame) -> tuple[Lam | None, Frame]:
    """The λ that a function is, where that is known here, and where its names are bound."""
    if isinstance(function, Var):
        value = frame.env.get(function.name)
        if isinstance(value, Later):
            function, frame = value.term, value.frame
    if not isinstance(function, Lam):
        return None, frame
    if id(function) in run.closed:
        uses = run.analysis.units[id(function)] if run.analysis else None
        return function, Frame({}, uses)
    return function, frame.called()


def is_alone(run: Pass, lam: Lam) -> bool:
    """Whether a closed λ is mentioned in one place only."""
    return run.analysis is not None and run.analysis.calls[id(lam)] == 1


def _reason(run: Pass, lam: Lam | None) -> str | None:
    """The step that writes the function out, if one does."""
    if lam is None or run.analysis is None:
        return None
    if id(lam) not in run.closed:
        step = "beta"
    elif is_alone(run, lam):
        step = "inline-once"
    else:
        step = "inline-small" if id(lam) in run.analysis.small else ""
    return step if run.switches.has(step) else None


def _written_out(
    run: Pass, lam: Lam, inside: Frame, argument: Value, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    if len(lam.params) == 1:
        inside.env[lam.params[0].name] = argument
    else:
        for index, param in enumerate(lam.params):
            inside.env[param.name] = yield run.part(argument, index, block, param.name)
    value: Value = yield run.walk(lam.body, inside, block, wish, need)
    return value


def _unit_called(
    run: Pass, term: App, lam: Lam, argument: Value, block: Block, wish: str
) -> Recursive[Value]:
    """A call of a closed λ, which may take and give only the parts that are needed."""
    unit: Lam = yield run.unit(lam)
    given = run.given(lam)
    if len(given) == len(lam.params):
        atom: Term = yield run.atom(argument, block)
    else:
        atoms = []
        for index in given:
            atoms.append((yield run.select(argument, (index,), block)))
        atom = run.packed(atoms, block)
    result = run.writer.emit(App(unit, atom, term.place), block, wish)
    need = run.analysis.results[id(lam)] if run.analysis else None
    cod = lam.body.type
    if not is_partial(need, cod) or not run.switches.has("call-parts"):
        return result
    return assembled(cod, run.unpacked(result, paths(need, cod), block))
