"""The rows of a loop: the parts that are needed, and maps that run where their rows are read."""

from __future__ import annotations

from dataclasses import dataclass

from combinators.block import Block
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor
from combinators.primitives.loops import LoopTerm
from combinators.primitives.shapes import BROADCAST_TO
from combinators.rows import row_of
from combinators.simplify.calls import applied, function_of
from combinators.simplify.evaluator import Evaluator
from combinators.simplify.holes import filled, is_typed_zero, is_uniform, zeros
from combinators.simplify.needs import row_need
from combinators.simplify.parts import Frame, Later, Need, Path, Value, assembled, is_partial, paths
from combinators.terms import App, Const, Prim, Proj, Term, Tuple, Var


@dataclass(frozen=True, eq=False)
class Part:
    """A row of which only some parts are there, each with its places, and parts that are known."""

    row: Object
    places: list[list[Path]]
    known: list[tuple[Path, Value]]


@dataclass(frozen=True, eq=False)
class Mapped:
    """A row that a function is first applied to."""

    loop: LoopTerm
    frame: Frame
    inner: Recipe


@dataclass(frozen=True, eq=False)
class Joined:
    """A row of several sequences together."""

    names: tuple[str, ...] | None
    inner: tuple[Recipe, ...]


Recipe = Part | Mapped | Joined | None
"""How a row of the loop as it was comes from a row of the loop that is written."""


def rows(
    run: Evaluator, loop: LoopTerm, frame: Frame, block: Block
) -> Recursive[tuple[Term, Recipe]]:
    """What the loop runs over, and its rows."""
    lam, inside = function_of(run, loop.function, frame)
    need: Need = None
    if lam is not None and inside.uses is not None and run.switches.has("loop-parts"):
        need = row_need(loop, lam, inside.uses) if id(lam) not in run.closed else None
    value: Value = yield run.walk(loop.xs, frame, block)
    row = loop.types.row
    if not is_partial(need, row):
        xs, recipe = yield _source(run, value, block)
        return (xs, recipe) if recipe is not None else _apart(run, loop, xs, block)
    run.switches.say("loop-parts", loop.term, loop.term)
    entries: list[tuple[Path, Term]] = []
    for path in paths(need, row):
        entries.append((path, (yield run.select(value, path, block))))
    return _taken(run, row, entries, block)


def _taken(
    run: Evaluator, row: Object, entries: list[tuple[Path, Term]], block: Block
) -> tuple[Term, Part]:
    """Several sequences as one: what is the same in every row, or there already, is left out."""
    atoms: list[Term] = []
    recipe = Part(row, [], [])
    steady = run.switches.has("row-steady")
    where: dict[str | None, list[Path]] = {}
    for path, atom in entries:
        fixed, word = (_steady_row(run, atom), run.writer.word(atom)) if steady else (None, None)
        if fixed is not None:
            recipe.known.append((path, fixed))
        elif word is not None and word in where:
            where[word].append(path)
        else:
            where[word] = [path]
            atoms.append(atom)
            recipe.places.append(where[word])
    if not atoms:  # a loop has rows, if only to count them
        atoms.append(entries[0][1])
        recipe.places.append([])
    return run.packed(atoms, block), recipe


def _steady_row(run: Evaluator, stack: Term) -> Term | None:
    """The row of a sequence of equal rows."""
    line = run.writer.definition(stack)
    if is_typed_zero(line):
        return zeros(row_of(stack.type))
    if not isinstance(stack.type, Tensor):
        return None
    if isinstance(line, Const) and is_uniform(line):
        return filled(line.literal.array.flat[0], row_of(stack.type))
    if isinstance(line, Prim) and line.operation.primitive is BROADCAST_TO:
        return line.args[0] if line.args[0].type is row_of(stack.type) else None
    return None


def _apart(run: Evaluator, loop: LoopTerm, atom: Term, block: Block) -> tuple[Term, Recipe]:
    """A loop over several sequences, if that makes them fewer."""
    line, row = run.writer.definition(atom), loop.types.row
    if not isinstance(line, Tuple) or not run.switches.has("row-steady"):
        return atom, None
    entries: list[tuple[Path, Term]] = [((index,), item) for index, item in enumerate(line.items)]
    xs, recipe = _taken(run, row, entries, block)
    if len(recipe.places) == len(entries):
        return atom, None
    run.switches.say("row-steady", loop.term, loop.term)
    return xs, recipe


def _source(run: Evaluator, value: Value, block: Block) -> Recursive[tuple[Term, Recipe]]:
    match value:
        case Later(Prim() as term, frame):
            run.switches.say("map-fusion", term, term)
            loop = LoopTerm(term)
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


def row(run: Evaluator, recipe: Recipe, atom: Term, block: Block) -> Recursive[Value]:
    """The row of the loop as it was, in the body of the loop that is written."""
    match recipe:
        case Part(obj, places, known):
            parts = run.unpacked(atom, [()] * len(places), block)
            taken = [
                (path, part)
                for where, (_, part) in zip(places, parts, strict=True)
                for path in where
            ]
            return assembled(obj, [*known, *taken])
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


def _call(loop: LoopTerm) -> App:
    """The map's function at a row, as a call whose argument is at hand."""
    return App(loop.function, Var("row", loop.types.row), loop.term.place)
