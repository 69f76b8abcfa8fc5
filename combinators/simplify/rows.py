"""The rows of a loop: the parts that are needed, and maps that run where their rows are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from combinators.kit.recursion import Recursive
from combinators.objects import Object
from combinators.rows import row_of
from combinators.simplify.blocks import Block
from combinators.simplify.calls import applied, function_of
from combinators.simplify.needs import row_need
from combinators.simplify.parts import Frame, Later, Need, Path, Value, assembled, is_partial, paths
from combinators.terms import App, Prim, Proj, Term, Tuple, Var

if TYPE_CHECKING:
    from combinators.simplify.forward import Pass


@dataclass(frozen=True, eq=False)
class Part:
    """A row of which only some parts are there."""

    row: Object
    places: list[Path]


@dataclass(frozen=True, eq=False)
class Mapped:
    """A row that a function is first applied to."""

    loop: Prim
    frame: Frame
    inner: Recipe


@dataclass(frozen=True, eq=False)
class Joined:
    """A row of several sequences together."""

    names: tuple[str, ...] | None
    inner: tuple[Recipe, ...]


Recipe = Part | Mapped | Joined | None
"""How a row of the loop as it was comes from a row of the loop that is written."""


def rows(run: Pass, loop: Prim, frame: Frame, block: Block) -> Recursive[tuple[Term, Recipe]]:
    """What the loop runs over, and its rows."""
    lam, inside = function_of(run, loop.args[0], frame)
    need: Need = None
    if lam is not None and inside.uses is not None and run.switches.has("loop-parts"):
        need = row_need(loop, lam, inside.uses) if id(lam) not in run.closed else None
    value: Value = yield run.walk(loop.args[-1], frame, block)
    row = row_of(loop.args[-1].type)
    if not is_partial(need, row):
        whole: tuple[Term, Recipe] = yield _source(run, value, block)
        return whole
    run.switches.say("loop-parts", loop, loop)
    places = paths(need, row)
    atoms: list[Term] = []
    for path in places:
        atoms.append((yield run.select(value, path, block)))
    return run.packed(atoms, block), Part(row, places)


def _source(run: Pass, value: Value, block: Block) -> Recursive[tuple[Term, Recipe]]:
    match value:
        case Later(Prim() as loop, frame):
            run.switches.say("map-fusion", loop, loop)
            xs, inner = yield rows(run, loop, frame, block)
            return xs, Mapped(loop, frame, inner)
        case Later(Tuple(items, names), frame):
            atoms, recipes = [], []
            for item in items:
                part: Value = yield run.walk(item, frame, block)
                xs, inner = yield _source(run, part, block)
                atoms.append(xs)
                recipes.append(inner)
            joined = run.writer.emit(Tuple(tuple(atoms), names), block)
            return joined, Joined(names, tuple(recipes)) if any(recipes) else None
        case _:
            atom: Term = yield run.atom(value, block)
            return atom, None


def row(run: Pass, recipe: Recipe, atom: Term, block: Block) -> Recursive[Value]:
    """The row of the loop as it was, in the body of the loop that is written."""
    match recipe:
        case Part(obj, places):
            return assembled(obj, run.unpacked(atom, places, block))
        case Joined(names, inner):
            items: list[Term] = []
            for index, below in enumerate(inner):
                component = run.writer.emit(Proj(index, atom), block)
                part: Value = yield row(run, below, component, block)
                items.append((yield run.atom(part, block)))
            return run.writer.emit(Tuple(tuple(items), names), block)
        case Mapped(loop, frame, inner):
            argument: Value = yield row(run, inner, atom, block)
            made: Value = yield applied(run, _call(loop), frame, argument, block, "v", None)
            return made
        case _:
            return atom


def _call(loop: Prim) -> App:
    """The map's function at a row, as a call whose argument is at hand."""
    obj = row_of(loop.args[-1].type)
    return App(loop.args[0], Var("row", obj), loop.place)
