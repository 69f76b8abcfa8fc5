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

from combinators.block import Block, Lines
from combinators.kit.recursion import Recursive
from combinators.objects import components
from combinators.simplify.evaluator import Evaluator
from combinators.simplify.parts import (
    Frame,
    Later,
    Need,
    Path,
    Split,
    Value,
    assembled,
    is_partial,
    paths,
)
from combinators.simplify.patterns import same
from combinators.simplify.walks import Inside, is_alike, rewritten_blocks
from combinators.terms import App, Cond, Const, Lam, Let, Proj, Term, Tuple, Var


def call(
    run: Evaluator, term: App, frame: Frame, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    """What ``f x`` stands for."""
    argument: Value = yield run.walk(term.argument, frame, block)
    value: Value = yield applied(run, term, frame, argument, block, wish, need)
    return value


def applied(
    run: Evaluator, term: App, frame: Frame, argument: Value, block: Block, wish: str, need: Need
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


def function_of(run: Evaluator, function: Term, frame: Frame) -> tuple[Lam | None, Frame]:
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


def is_alone(run: Evaluator, lam: Lam) -> bool:
    """Whether a closed λ is mentioned in one place only."""
    return run.analysis is not None and run.analysis.calls[id(lam)] == 1


def _reason(run: Evaluator, lam: Lam | None) -> str | None:
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
    run: Evaluator, lam: Lam, inside: Frame, argument: Value, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    if len(lam.params) == 1:
        inside.env[lam.params[0].name] = argument
    else:
        for index, param in enumerate(lam.params):
            inside.env[param.name] = yield run.part(argument, index, block, param.name)
    value: Value = yield run.walk(lam.body, inside, block, wish, need)
    return value


def _unit_called(
    run: Evaluator, term: App, lam: Lam, argument: Value, block: Block, wish: str
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


def choice(
    run: Evaluator, term: Cond, frame: Frame, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    """What ``if p then a else b`` stands for."""
    need = need if run.switches.has("cond-parts") else None
    test: Term = yield run.operand(term.test, frame, block)
    if isinstance(test, Const) and run.switches.has("cond-known"):
        taken = term.then if bool(test.literal.array) else term.other
        run.switches.say("cond-known", term, taken, wish)
        known: Value = yield run.walk(taken, frame, block, wish, need)
        return known
    inner = Block(block), Block(block)
    values: list[Value] = []
    for branch, inside in zip((term.then, term.other), inner, strict=True):
        values.append((yield run.walk(branch, frame, inside, "v", need)))
        run.writer.leave(inside)
    places = _places(run, term, values, need)
    atoms: list[list[Term]] = []
    for value, inside in zip(values, inner, strict=True):
        atoms.append((yield _selected(run, value, places, inside)))
    equal = [_is_same(run, a, b, block) for a, b in zip(*atoms, strict=True)]
    if any(equal):
        run.switches.say("cond-same", term, atoms[0][equal.index(True)], wish)
    elif run.switches.has("cond-same") and _are_alike(inner, atoms):
        run.switches.say("cond-same", term, atoms[0][0], wish)
        run.writer.spliced(inner[0], block)
        return assembled(term.type, zip(places, atoms[0], strict=True))
    elif len(places) > 1 and not is_partial(need, term.type):
        places, equal = [()], [False]
        for value, inside, found in zip(values, inner, atoms, strict=True):
            found[:] = yield _selected(run, value, places, inside)
    elif is_partial(need, term.type):
        run.switches.say("cond-parts", term, term, wish)
    return _joined(run, term, test, inner, places, atoms, equal, block, wish)


def _are_alike(inner: tuple[Block, Block], atoms: list[list[Term]]) -> bool:
    """Whether two branches compute the same by the same lines, whatever these are called."""
    ours, theirs = inner[0].lines, inner[1].lines
    if len(ours) != len(theirs) or not ours:
        return False
    names: dict[str, str] = {}
    for (var, term), (other, like) in zip(ours, theirs, strict=True):
        if not is_alike(term, like, names):
            return False
        names[other.name] = var.name
    return all(is_alike(x, y, names) for x, y in zip(*atoms, strict=True))


def _selected(
    run: Evaluator, value: Value, places: list[Path], block: Block
) -> Recursive[list[Term]]:
    found: list[Term] = []
    for path in places:
        found.append((yield run.select(value, path, block)))
    run.writer.leave(block)
    return found


def _places(run: Evaluator, term: Cond, values: list[Value], need: Need) -> list[Path]:
    """The parts of which the branches are compared, and given apart if they are not all needed."""
    product = components(term.type)
    if is_partial(need, term.type):
        return paths(need, term.type)
    if product is not None and run.switches.has("cond-same") and product.width > 0:
        lines = [v if isinstance(v, Split) else _line(run, v) for v in values]
        if all(isinstance(line, (Tuple, Split)) for line in lines):
            return [(index,) for index in range(product.width)]
    return [()]


def _line(run: Evaluator, value: Value) -> Term | None:
    return run.writer.definition(value) if isinstance(value, Term) else None


def _is_same(run: Evaluator, x: Term, y: Term, block: Block) -> bool:
    return run.switches.has("cond-same") and same(x, y) and run.writer.is_outside(x, block)


def _joined(
    run: Evaluator,
    term: Cond,
    test: Term,
    inner: tuple[Block, Block],
    places: list[Path],
    atoms: list[list[Term]],
    equal: list[bool],
    block: Block,
    wish: str,
) -> Value:
    entries: list[tuple[Path, Value]] = [
        (path, atom)
        for path, atom, is_equal in zip(places, atoms[0], equal, strict=True)
        if is_equal
    ]
    left = [path for path, is_equal in zip(places, equal, strict=True) if not is_equal]
    bodies = []
    for found, inside in zip(atoms, inner, strict=True):
        rest = [atom for atom, is_equal in zip(found, equal, strict=True) if not is_equal]
        body = run.packed(rest, inside) if rest else None
        bodies.append(run.writer.close(inside, body) if body is not None else None)
        run.writer.leave(inside)
    if bodies[0] is not None and bodies[1] is not None:
        run.choose(test, block)
        chosen = run.writer.bind(Cond(test, bodies[0], bodies[1], term.place), block, wish)
        entries += run.unpacked(chosen, left, block)
    return assembled(term.type, entries)


# ---- choices by one test -------------------------------------------------------------------------


def fused(lam: Lam) -> Lam:
    """The closed λ with choices by one test made one; a name may then be bound in two branches."""
    return rewritten_blocks([lam], lambda lines, inside: _Block(lines, inside).fused())[0]


class _Block:
    """The lines of one block; a choice goes up to the one before by the same test, if it can."""

    def __init__(self, lines: Lines, inside: Inside) -> None:
        self.lines = lines
        self._inside = inside
        self._index = {var.name: index for index, (var, _) in enumerate(lines)}
        self._terms = {var.name: term for var, term in lines}

    def fused(self) -> Lines:
        """The lines with choices made one, or as they were."""
        last: dict[str, tuple[Var, Cond]] = {}
        into: dict[str, tuple[Var, Cond, list[Var]]] = {}
        for var, term in self.lines:
            if not isinstance(term, Cond) or not isinstance(term.test, Var):
                continue
            earlier = last.pop(term.test.name, None)
            parts = None if earlier is None else self._seen(term, earlier[0])
            if earlier is not None and parts is not None:
                into[earlier[0].name] = var, term, parts
            else:
                last[term.test.name] = var, term
        if not into:
            return self.lines
        gone = {later.name for later, _, _ in into.values()}
        made: Lines = []
        for var, term in self.lines:
            if var.name in into and isinstance(term, Cond):
                made += self._one(var, term, *into[var.name])
            elif var.name not in gone:
                made.append((var, term))
        return made

    def _seen(self, later: Cond, var: Var) -> list[Var] | None:
        """The components that a choice sees and that stand after ``var``; None if it sees more."""
        found: list[Var] = []
        before = self._index[var.name]
        for other in self._inside(later):
            chain = [other]
            while self._index.get(chain[-1].name, -1) > before:
                line = self._terms[chain[-1].name]
                if not isinstance(line, Proj) or not isinstance(line.product, Var):
                    return None
                chain.append(line.product)
            found += [part for part in reversed(chain[:-1]) if part not in found]
        return found

    def _one(self, var: Var, first: Cond, later: Var, second: Cond, parts: list[Var]) -> Lines:
        opened = [(part, self._terms[part.name]) for part in parts]
        branches = []
        for one, other in ((first.then, second.then), (first.other, second.other)):
            lines, value = _opened(one)
            more, result = _opened(other)
            both = (*lines, (var, value), *opened, *more)
            branches.append(Let(both, Tuple((var, result))))
        whole = Var(var.name, branches[0].type)
        choice = Cond(first.test, branches[0], branches[1], first.place)
        return [(whole, choice), (later, Proj(1, whole)), (var, Proj(0, whole))]


def _opened(body: Term) -> tuple[tuple[tuple[Var, Term], ...], Term]:
    return (body.bindings, body.body) if isinstance(body, Let) else ((), body)
