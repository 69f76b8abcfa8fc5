"""What a loop runs over, without rows that nothing needs or that are alike; values by their parts.

Of the rows of ``map (λ(x, k, y). …) (xs, broadcast k, map f ys)`` those of the second sequence are
``k``, and ``f`` can run where those of the third are read: the loop runs over ``(xs, ys)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from combinators.block import Block
from combinators.kit.recursion import Recursive
from combinators.literal import Literal
from combinators.objects import Object, Tensor
from combinators.primitives.loops import LoopTerm
from combinators.primitives.shapes import BROADCAST_TO
from combinators.simplify.calls import applied, function_of
from combinators.simplify.needs import Need, is_partial, row_need
from combinators.simplify.passes import Frame, Later, Pass, Path, Value, assembled, paths
from combinators.simplify.patterns import filled, has_equal_rows, is_typed_zero, is_uniform, zeros
from combinators.terms import App, Const, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import row_of

Entry = tuple[Path, Term]
Known = Callable[[Term], Term | None]


@dataclass(eq=False)
class Packing:
    """The parts of a value, as one: each once, with its places; what is known is left out."""

    atoms: list[Term] = field(default_factory=list)
    places: list[list[Path]] = field(default_factory=list)
    known: list[tuple[Path, Value]] = field(default_factory=list)

    @classmethod
    def of(
        cls, entries: list[Entry], run: Pass | None = None, known: Known | None = None
    ) -> Packing:
        """Every part by itself; with a ``run`` equal ones once, without the ``known``."""
        packing, where = cls(), dict[str, list[Path]]()
        for path, atom in entries:
            fixed = known(atom) if known is not None else None
            word = run.writer.word(atom) if run is not None else None
            if fixed is not None:
                packing.known.append((path, fixed))
            elif word is not None and word in where:
                where[word].append(path)
            else:
                packing.atoms.append(atom)
                packing.places.append([path])
                if word is not None:
                    where[word] = packing.places[-1]
        return packing

    @property
    def is_whole(self) -> bool:
        """Whether it holds the value itself."""
        return self.places == [[()]]

    def value(self, run: Pass, obj: Object, whole: Term | None, block: Block) -> Value:
        """The value of type ``obj``, of which ``whole`` is what was packed, if anything was."""
        parts = [] if whole is None else run.unpacked(whole, len(self.places), block)
        made = [(p, part) for where, part in zip(self.places, parts, strict=True) for p in where]
        return assembled(obj, [*self.known, *made])


Row = Callable[[Term, Block], Recursive[Value]]
"""How a row of the loop as it was comes from one of the loop that is written, in its body."""


def rows(
    run: Pass, loop: LoopTerm, frame: Frame, block: Block
) -> Recursive[tuple[Term, Row | None]]:
    """What the loop runs over, and its rows."""
    lam, inside = function_of(run, loop.function, frame)
    need: Need = None
    if lam is not None and inside.uses is not None and run.switches.has("loop-parts"):
        need = row_need(loop, lam, inside.uses) if id(lam) not in run.closed else None
    value: Value = yield run.walk(loop.xs, frame, block)
    obj, step = loop.types.row, "loop-parts"
    if is_partial(need, obj):
        where = paths(need, obj)
        atoms = yield run.selected(value, where, block)
        entries = list(zip(where, atoms, strict=True))
        packing = _taken(run, entries)
    else:
        xs, row = yield _source(run, value, block)
        line, step, entries = run.writer.definition(xs), "row-steady", list[Entry]()
        if row is not None or not run.switches.has(step):
            return xs, row
        if isinstance(line, Tuple):
            entries = [((index,), item) for index, item in enumerate(line.items)]
        elif lam is not None and inside.uses is not None and isinstance(xs.type, Tensor):
            entries = [((), xs)] if inside.uses.count[lam.params[-1].name] else []
        packing = _taken(run, entries) if entries else Packing()
        if len(packing.places) == len(entries) and not packing.known:
            return xs, None
    run.switches.say(step, loop.term, loop.term)
    return run.packed(packing.atoms, block), _of_parts(run, packing, obj)


def _taken(run: Pass, entries: list[Entry]) -> Packing:
    """Several sequences as one; a loop has rows, if only to count them."""
    packing = Packing.of(entries)
    if run.switches.has("row-steady"):
        packing = Packing.of(entries, run, lambda stack: _steady_row(run, stack))
    if not packing.atoms:
        packing.atoms.append(entries[0][1])
        packing.places.append([])
    return packing


def _steady_row(run: Pass, stack: Term) -> Term | None:
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


def _source(run: Pass, value: Value, block: Block) -> Recursive[tuple[Term, Row | None]]:
    """What is run over for a value, and its rows, where they are not those of the value."""
    match value:
        case Later(Prim() as term, frame):
            run.switches.say("map-fusion", term, term)
            loop = LoopTerm(term)
            xs, inner = yield rows(run, loop, frame, block)
            return xs, _mapped(run, loop, frame, inner)
        case Later(Tuple(items, names), frame):
            atoms: list[Term] = []
            found: list[Row | None] = []
            for item in items:
                part: Value = yield run.walk(item, frame, block)
                xs, row = yield _source(run, part, block)
                atoms.append(xs)
                found.append(row)
            whole = run.writer.emit(Tuple(tuple(atoms), names), block)
            return whole, _together(run, names, found) if any(found) else None
        case _:
            atom: Term = yield run.atom(value, block)
            return atom, None


def _of_parts(run: Pass, packing: Packing, obj: Object) -> Row:
    """A row of which only some parts are there."""

    def row(atom: Term, block: Block) -> Recursive[Value]:
        yield from ()
        return packing.value(run, obj, atom, block)

    return row


def _mapped(run: Pass, loop: LoopTerm, frame: Frame, inner: Row | None) -> Row:
    """A row that a function is first applied to."""

    def row(atom: Term, block: Block) -> Recursive[Value]:
        argument: Value = atom if inner is None else (yield inner(atom, block))
        call = App(loop.function, Var("row", loop.types.row), loop.term.place)
        made: Value = yield applied(run, call, frame, argument, block, "v", None)
        return made

    return row


def _together(run: Pass, names: tuple[str, ...] | None, inner: list[Row | None]) -> Row:
    """A row of several sequences together."""

    def row(atom: Term, block: Block) -> Recursive[Value]:
        items: list[Term] = []
        for index, below in enumerate(inner):
            component = run.writer.emit(Proj(index, atom), block)
            part: Value = component if below is None else (yield below(component, block))
            items.append((yield run.atom(part, block)))
        return run.writer.emit(Tuple(tuple(items), names), block)

    return row
