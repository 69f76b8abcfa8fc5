"""What goes into a loop and comes out of it: rows and stacks, without what is known outside it.

Of ``map (λ(x, k, y). (sin x * y, k, x)) (xs, broadcast k, map f ys)`` only the first component
changes from row to row in a way that the loop has to compute. The rows of the second sequence are
``k``, and ``f`` can run where its rows are read; so the loop takes ``(xs, ys)``, and gives

    let s = map (λ(x, y). sin x * f y) (xs, ys) in (s, broadcast k, xs)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from combinators.block import Block
from combinators.kit.recursion import Recursive
from combinators.literal import Literal
from combinators.objects import Object, Tensor, Unit
from combinators.operation import Operation
from combinators.primitives.loops import LoopTerm
from combinators.primitives.shapes import BROADCAST_TO
from combinators.rows import length_of, row_of, stack_of
from combinators.simplify.calls import applied, function_of
from combinators.simplify.evaluator import Evaluator
from combinators.simplify.holes import filled, has_equal_rows, is_typed_zero, is_uniform, zeros
from combinators.simplify.needs import row_need
from combinators.simplify.parts import Frame, Later, Need, Path, Value, assembled, is_partial, paths
from combinators.simplify.patterns import same
from combinators.terms import App, Const, Lam, Prim, Proj, Term, Tuple, Var

WIDEST = 64
"""What gives more parts is looked at as it stands."""

Entry = tuple[Path, Term]


@dataclass(eq=False)
class Packing:
    """The parts of a value, as one: each once, with its places; what is known is left out."""

    atoms: list[Term] = field(default_factory=list)
    places: list[list[Path]] = field(default_factory=list)
    known: list[tuple[Path, Value]] = field(default_factory=list)

    @classmethod
    def plain(cls, entries: list[Entry]) -> Packing:
        """Every part by itself."""
        return cls([atom for _, atom in entries], [[path] for path, _ in entries])

    @classmethod
    def of(
        cls, run: Evaluator, entries: list[Entry], known: Callable[[Term], Term | None]
    ) -> Packing:
        """Equal parts once, and without those that are ``known``."""
        packing = cls()
        where: dict[str, list[Path]] = {}
        for path, atom in entries:
            fixed, word = known(atom), run.writer.word(atom)
            if fixed is not None:
                packing.known.append((path, fixed))
            elif word is not None and word in where:
                where[word].append(path)
            else:
                packing.add(atom, [path])
                if word is not None:
                    where[word] = packing.places[-1]
        return packing

    def add(self, atom: Term, places: list[Path]) -> None:
        """One more part."""
        self.atoms.append(atom)
        self.places.append(places)

    @property
    def is_whole(self) -> bool:
        """Whether it holds the value itself."""
        return self.places == [[()]]

    @property
    def is_smaller(self) -> bool:
        """Whether parts are known, or stand in several places."""
        return bool(self.known) or any(len(where) > 1 for where in self.places)

    def value(self, run: Evaluator, obj: Object, whole: Term | None, block: Block) -> Value:
        """The value of type ``obj``, of which ``whole`` is what was packed, if anything was."""
        parts = [] if whole is None else [whole]
        if whole is not None and len(self.places) > 1:
            indices = range(len(self.places))
            parts = [run.writer.emit(Proj(index, whole), block) for index in indices]
        made = [(p, part) for where, part in zip(self.places, parts, strict=True) for p in where]
        return assembled(obj, [*self.known, *made])


# ---- rows ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Part:
    """A row of which only some parts are there."""

    row: Object
    packing: Packing


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
    obj = loop.types.row
    if not is_partial(need, obj):
        xs, recipe = yield _source(run, value, block)
        if recipe is not None:
            return xs, recipe
        return _apart(run, loop, xs, block, is_read=_is_read(lam, inside))
    run.switches.say("loop-parts", loop.term, loop.term)
    entries: list[Entry] = []
    for path in paths(need, obj):
        entries.append((path, (yield run.select(value, path, block))))
    packing = _taken(run, entries)
    return run.packed(packing.atoms, block), Part(obj, packing)


def _is_read(lam: Lam | None, inside: Frame) -> bool:
    """Whether it is known that the function of a loop uses its row."""
    return (
        lam is not None and inside.uses is not None and inside.uses.count[lam.params[-1].name] > 0
    )


def _taken(run: Evaluator, entries: list[Entry]) -> Packing:
    """Several sequences as one; a loop has rows, if only to count them."""
    packing = Packing.plain(entries)
    if run.switches.has("row-steady"):
        packing = Packing.of(run, entries, lambda stack: _steady_row(run, stack))
    if not packing.atoms:
        packing.add(entries[0][1], [])
    return packing


def _steady_row(run: Evaluator, stack: Term) -> Term | None:
    """The row of a sequence of equal rows."""
    line = run.writer.definition(stack)
    if is_typed_zero(line):
        return zeros(row_of(stack.type))
    if not isinstance(stack.type, Tensor):
        return None
    if isinstance(line, Const) and is_uniform(line):
        return filled(line.literal.array.flat[0], row_of(stack.type))
    if isinstance(line, Const) and has_equal_rows(line.literal.array):
        return Const(Literal(line.literal.array[0]))
    if isinstance(line, Prim) and line.operation.primitive is BROADCAST_TO:
        return line.args[0] if line.args[0].type is row_of(stack.type) else None
    return None


def _apart(
    run: Evaluator, loop: LoopTerm, atom: Term, block: Block, *, is_read: bool
) -> tuple[Term, Recipe]:
    """A loop over several sequences, if that makes them fewer; rows that are alike are known."""
    line = run.writer.definition(atom)
    if not run.switches.has("row-steady"):
        return atom, None
    entries: list[Entry] = [((), atom)] if is_read and isinstance(atom.type, Tensor) else []
    if isinstance(line, Tuple):
        entries = [((index,), item) for index, item in enumerate(line.items)]
    packing = _taken(run, entries) if entries else None
    if packing is None or (len(packing.places) == len(entries) and not packing.known):
        return atom, None
    run.switches.say("row-steady", loop.term, loop.term)
    return run.packed(packing.atoms, block), Part(loop.types.row, packing)


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
        case Part(obj, packing):
            return packing.value(run, obj, atom, block)
        case Joined(names, inner):
            items: list[Term] = []
            for index, below in enumerate(inner):
                component = run.writer.emit(Proj(index, atom), block)
                part: Value = yield row(run, below, component, block)
                items.append((yield run.atom(part, block)))
            return run.writer.emit(Tuple(tuple(items), names), block)
        case Mapped(loop, frame, inner):
            argument: Value = yield row(run, inner, atom, block)
            call = App(loop.function, Var("row", loop.types.row), loop.term.place)
            made: Value = yield applied(run, call, frame, argument, block, "v", None)
            return made
        case _:
            return atom


# ---- stacks --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LoopRows:
    """A loop over ``xs``, whose steps have ``item``, in ``body`` inside ``block``."""

    item: Var
    xs: Term
    body: Block
    block: Block


def stacked(
    run: Evaluator, loop: LoopRows, value: Value, need: Need, obj: Object
) -> Recursive[Packing]:
    """What a loop has to stack of what its steps give, of type ``obj``."""
    entries: list[Entry] = []
    for path in paths(need, obj):
        entries.append((path, (yield run.select(value, path, loop.body))))
    if not run.switches.has("stack-steady"):
        return Packing.plain(entries)
    opened = _opened(run, entries)
    found = Packing.of(run, opened, lambda atom: _stack(run, loop, atom))
    return Packing.plain(entries) if len(found.atoms) == len(opened) else found


def _opened(run: Evaluator, entries: list[Entry]) -> list[Entry]:
    """Tuples taken apart."""
    found = entries
    while len(found) <= WIDEST:
        opened: list[Entry] = []
        for path, atom in found:
            line = run.writer.definition(atom)
            if isinstance(line, Tuple) and line.items:
                opened += [((*path, index), item) for index, item in enumerate(line.items)]
            else:
                opened.append((path, atom))
        if opened == found:
            return found
        found = opened
    return entries


def _stack(run: Evaluator, loop: LoopRows, atom: Term) -> Term | None:
    """The stack of a part that is a row, or the same at every step."""
    writer, length = run.writer, length_of(loop.xs.type)
    if same(atom, loop.item):
        return loop.xs if stack_of(atom.type, length) is loop.xs.type else None
    line = writer.definition(atom)
    if isinstance(line, Proj) and same(line.product, loop.item):
        stack = writer.emit(Proj(line.index, loop.xs), loop.block)
        return stack if stack_of(atom.type, length) is stack.type else None
    if is_typed_zero(atom) or atom.type is Unit:
        return zeros(stack_of(atom.type, length))
    if isinstance(atom.type, Tensor) and writer.is_outside(atom, loop.block):
        spread = Operation(BROADCAST_TO, (("shape", (length, *atom.type.shape)),))
        return writer.emit(Prim(spread, (atom,)), loop.block)
    return None
