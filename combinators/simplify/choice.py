"""Conditionals: known ones, ones that give the same either way, and their needed parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from combinators.block import Block
from combinators.kit.recursion import Recursive
from combinators.objects import components
from combinators.simplify.parts import (
    Frame,
    Need,
    Path,
    Split,
    Value,
    assembled,
    is_partial,
    paths,
)
from combinators.simplify.patterns import same
from combinators.terms import Cond, Const, Term, Tuple

if TYPE_CHECKING:
    from combinators.simplify.forward import Pass


def choice(
    run: Pass, term: Cond, frame: Frame, block: Block, wish: str, need: Need
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
    elif len(places) > 1 and not is_partial(need, term.type):
        places, equal = [()], [False]
        for value, inside, found in zip(values, inner, atoms, strict=True):
            found[:] = yield _selected(run, value, places, inside)
    elif is_partial(need, term.type):
        run.switches.say("cond-parts", term, term, wish)
    return _joined(run, term, test, inner, places, atoms, equal, block, wish)


def _selected(run: Pass, value: Value, places: list[Path], block: Block) -> Recursive[list[Term]]:
    found: list[Term] = []
    for path in places:
        found.append((yield run.select(value, path, block)))
    run.writer.leave(block)
    return found


def _places(run: Pass, term: Cond, values: list[Value], need: Need) -> list[Path]:
    """The parts of which the branches are compared, and given apart if they are not all needed."""
    product = components(term.type)
    if is_partial(need, term.type):
        return paths(need, term.type)
    if product is not None and run.switches.has("cond-same") and product.width > 0:
        lines = [v if isinstance(v, Split) else _line(run, v) for v in values]
        if all(isinstance(line, (Tuple, Split)) for line in lines):
            return [(index,) for index in range(product.width)]
    return [()]


def _line(run: Pass, value: Value) -> Term | None:
    return run.writer.definition(value) if isinstance(value, Term) else None


def _is_same(run: Pass, x: Term, y: Term, block: Block) -> bool:
    return run.switches.has("cond-same") and same(x, y) and run.writer.is_outside(x, block)


def _joined(
    run: Pass,
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
