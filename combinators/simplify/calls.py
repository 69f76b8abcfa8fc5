"""Calls and choices.

A function that stands there, that is called once or that is small is written out. A choice that is
known, or that gives the same either way, is none; of another, only the needed parts are chosen.

Two choices by one test in one block are made one where nothing between them stands in the way.
Reverse mode writes a choice twice: forwards, with what its branches keep, and backwards, which
opens that again. ``a = if p then s else t; …; b = if p then u else v`` is
``m = if p then let a = s in (a, u) else let a = t in (a, v); a = π0 m; b = π1 m`` if ``u`` and
``v`` see, of what stands since ``a``, only components, as of ``a``: the same lines run, once each,
and what was kept between the choices is seen in place.
"""

from __future__ import annotations

from typing import Any

from combinators.block import Block, Lines, opened
from combinators.kit.recursion import Recursive
from combinators.objects import components
from combinators.simplify.needs import Need, is_partial
from combinators.simplify.passes import (
    Frame,
    Later,
    Pass,
    Path,
    Split,
    Value,
    assembled,
    function,
    paths,
)
from combinators.simplify.patterns import same
from combinators.simplify.walks import Inside, rewritten_blocks
from combinators.terms import App, Cond, Lam, Let, Prim, Proj, Term, Tuple, Var, captured
from combinators.translate import translate


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
        for index, param in enumerate(lam.params):
            part = argument
            if len(lam.params) > 1:
                part = yield run.part(argument, index, block, param.name)
            inside.env[param.name] = part
        value: Value = yield run.walk(lam.body, inside, block, wish, need)
        return value
    if lam is not None and id(lam) in run.closed:
        value = yield _unit_called(run, term, lam, argument, block, wish)
        return value
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
    return function, run.outside(function) if id(function) in run.closed else frame.called()


def recursive(
    run: Pass, term: Prim, frame: Frame, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    """What ``fix step`` stands for."""
    lam, inside = function_of(run, term.args[0], frame)
    if lam is not None and inside.uses is not None and run.switches.has("fix-once"):
        itself, *params = lam.params
        if params and not inside.uses.count[itself.name]:
            body = Lam(tuple(params), lam.body, lam.name)
            run.switches.say("fix-once", term, body, wish)
            once: Value = yield function(run, body, inside, block, wish, need)
            return once
    whole: Term = yield run.written(term, frame, block, wish)
    return whole


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


def _unit_called(
    run: Pass, term: App, lam: Lam, argument: Value, block: Block, wish: str
) -> Recursive[Value]:
    """A call of a closed λ, which may take and give only the parts that are needed."""
    unit: Lam = yield run.unit(lam)
    given = run.given(lam)
    if len(given) == len(lam.params):
        atom: Term = yield run.atom(argument, block)
    else:
        atoms = yield run.selected(argument, [(index,) for index in given], block)
        atom = run.packed(atoms, block)
    result = run.writer.emit(App(unit, atom, term.place), block, wish)
    need = run.analysis.results[id(lam)] if run.analysis else None
    if not run.is_narrowed(need, lam):
        return result
    where = paths(need, lam.body.type)
    parts = run.unpacked(result, len(where), block)
    return assembled(lam.body.type, zip(where, parts, strict=True))


# ---- choices -------------------------------------------------------------------------------------


def choice(
    run: Pass, term: Cond, frame: Frame, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    """What ``if p then a else b`` stands for."""
    writer, has_same = run.writer, run.switches.has("cond-same")
    need = need if run.switches.has("cond-parts") else None
    is_split = is_partial(need, term.type)
    test: Term = yield run.operand(term.test, frame, block)
    known_truth = writer.truth(test) if run.switches.has("cond-known") else None
    if known_truth is not None:
        taken = term.then if known_truth else term.other
        run.switches.say("cond-known", term, taken, wish)
        known: Value = yield run.walk(taken, frame, block, wish, need)
        return known
    inner = Block(block), Block(block)
    values: list[Value] = []
    for branch, inside, truth in zip((term.then, term.other), inner, (True, False), strict=True):
        with writer.taking(test, truth=truth):
            values.append((yield run.walk(branch, frame, inside, "v", need)))
        writer.leave(inside)
    places: list[Path] = paths(need, term.type) if is_split else [()]
    if not is_split and has_same and all(_is_tuple(run, value) for value in values):
        product = components(term.type)
        places = [(index,) for index in range(product.width if product else 0)] or [()]
    atoms: list[list[Term]] = []
    for value, inside in zip(values, inner, strict=True):
        atoms.append((yield run.selected(value, places, inside)))
        writer.leave(inside)
    pairs = list(zip(*atoms, strict=True))
    left = [
        index
        for index, (x, y) in enumerate(pairs)
        if not (has_same and same(x, y) and writer.is_outside(x, block))
    ]
    if len(left) < len(places):
        where = next(i for i in range(len(places)) if i not in left)
        run.switches.say("cond-same", term, atoms[0][where], wish)
    elif has_same and _are_alike(inner, pairs):
        run.switches.say("cond-same", term, atoms[0][0], wish)
        writer.spliced(inner[0], block)
        return assembled(term.type, zip(places, atoms[0], strict=True))
    elif is_split:
        run.switches.say("cond-parts", term, term, wish)
    elif len(places) > 1:
        places, left = [()], [0]
        for index, inside in enumerate(inner):
            atoms[index] = yield run.selected(values[index], places, inside)
            writer.leave(inside)
    found = {places[i]: atom for i, atom in enumerate(atoms[0]) if i not in left}
    if left:
        bodies = []
        for given, inside in zip(atoms, inner, strict=True):
            bodies.append(writer.close(inside, run.packed([given[i] for i in left], inside)))
        run.choose(test, block)
        chosen = writer.bind(Cond(test, bodies[0], bodies[1], term.place), block, wish)
        parts = run.unpacked(chosen, len(left), block)
        found.update((places[i], part) for i, part in zip(left, parts, strict=True))
    return assembled(term.type, found.items())


def _is_tuple(run: Pass, value: Value) -> bool:
    line = run.writer.definition(value) if isinstance(value, Term) else value
    return isinstance(line, (Tuple, Split))


def _are_alike(inner: tuple[Block, Block], pairs: list[tuple[Term, Term]]) -> bool:
    """Whether two branches compute the same by the same lines, whatever these are called."""
    ours, theirs = ([term for _, term in block.lines] for block in inner)
    if not ours or list(map(_form, ours)) != list(map(_form, theirs)):
        return False
    bodies = [
        block.term(Tuple(tuple(atoms)))
        for block, atoms in zip(inner, zip(*pairs, strict=True), strict=True)
    ]
    free = captured(bodies[0])[0]
    if {var.name for var in free} != {var.name for var in captured(bodies[1])[0]}:
        return False
    one, other = (translate(free, body) for body in bodies)
    return one == other


def _form(term: Term) -> Any:
    return type(term), term.type, term.operation if type(term) is Prim else None


# ---- choices by one test -------------------------------------------------------------------------


def fused(lam: Lam) -> Lam:
    """The closed λ with choices by one test made one; a name may then be bound in two branches."""
    return rewritten_blocks(lam, _fused)


def _fused(lines: Lines, inside: Inside) -> Lines:
    """The lines of a block; a choice goes up to the one before by the same test, if it can."""
    index = {var.name: at for at, (var, _) in enumerate(lines)}
    last: dict[str, tuple[Var, Cond]] = {}
    into: dict[str, Lines] = {}
    gone: set[str] = set()
    for var, term in lines:
        if not isinstance(term, Cond) or not isinstance(term.test, Var):
            continue
        earlier = last.pop(term.test.name, None)
        parts = None if earlier is None else _seen(lines, index, inside(term), earlier[0])
        if earlier is not None and parts is not None:
            into[earlier[0].name] = _one(*earlier, var, term, parts)
            gone.add(var.name)
        else:
            last[term.test.name] = var, term
    if not into:
        return lines
    every = [into.get(line[0].name, [line]) for line in lines if line[0].name not in gone]
    return [line for some in every for line in some]


def _seen(lines: Lines, index: dict[str, int], used: tuple[Var, ...], var: Var) -> Lines | None:
    """The components among what is ``used`` that stand after ``var``; None if there is more."""
    found: dict[str, tuple[Var, Term]] = {}
    for other in used:
        chain: Lines = []
        here: Term = other
        while isinstance(here, Var) and index.get(here.name, -1) > index[var.name]:
            line = lines[index[here.name]]
            if not isinstance(line[1], Proj):
                return None
            chain.append(line)
            here = line[1].product
        found.update((line[0].name, line) for line in reversed(chain))
    return list(found.values())


def _one(var: Var, first: Cond, later: Var, second: Cond, parts: Lines) -> Lines:
    branches = []
    for one, other in ((first.then, second.then), (first.other, second.other)):
        (before, value), (after, result) = opened(one), opened(other)
        both = (*before, (var, value), *parts, *after)
        branches.append(Let(both, Tuple((var, result))))
    whole = Var(var.name, branches[0].type)
    choice = Cond(first.test, branches[0], branches[1], first.place)
    return [(whole, choice), (later, Proj(1, whole)), (var, Proj(0, whole))]
