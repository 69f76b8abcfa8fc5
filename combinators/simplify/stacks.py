"""What the steps of a loop give: what every step gives alike, or passes on, is not stacked."""

from __future__ import annotations

from dataclasses import dataclass, field

from combinators.block import Block
from combinators.kit.recursion import Recursive
from combinators.objects import Object, Tensor, Unit
from combinators.operation import Operation
from combinators.primitives.shapes import BROADCAST_TO
from combinators.rows import length_of, stack_of
from combinators.simplify.evaluator import Evaluator
from combinators.simplify.holes import is_typed_zero, zeros
from combinators.simplify.parts import Need, Path, Value, paths
from combinators.simplify.patterns import same
from combinators.terms import Prim, Proj, Term, Tuple, Var

WIDEST = 64
"""What gives more parts is looked at as it stands."""


@dataclass
class Output:
    """What a loop stacks, each with where it stands in the result, and parts that are there."""

    atoms: list[Term] = field(default_factory=list)
    places: list[list[Path]] = field(default_factory=list)
    known: list[tuple[Path, Value]] = field(default_factory=list)

    def entries(self, run: Evaluator, stack: Term, block: Block) -> list[tuple[Path, Value]]:
        """The parts of the result, of what is stacked ones."""
        made = run.unpacked(stack, [where[0] for where in self.places], block)
        return [
            *self.known,
            *(
                (path, part)
                for where, (_, part) in zip(self.places, made, strict=True)
                for path in where
            ),
        ]

    @property
    def is_whole(self) -> bool:
        """Whether the stack is the result."""
        return self.places == [[()]]


@dataclass(frozen=True)
class Rows:
    """A loop over ``xs``, whose steps have ``item``, in ``body`` inside ``block``."""

    item: Var
    xs: Term
    body: Block
    block: Block


def output(run: Evaluator, loop: Rows, value: Value, need: Need, obj: Object) -> Recursive[Output]:
    """What a loop has to stack of what its steps give, of type ``obj``."""
    places = paths(need, obj)
    atoms: list[Term] = []
    for path in places:
        atoms.append((yield run.select(value, path, loop.body)))
    plain = Output(atoms, [[path] for path in places])
    if not run.switches.has("stack-steady"):
        return plain
    parts = _parts(run, list(zip(places, atoms, strict=True)))
    found = Output()
    where: dict[str | None, list[Path]] = {}
    for path, atom in parts:
        stack, word = _stack(run, loop, atom), run.writer.word(atom)
        if stack is not None:
            found.known.append((path, stack))
        elif word is not None and word in where:
            where[word].append(path)
        else:
            where[word] = [path]
            found.atoms.append(atom)
            found.places.append(where[word])
    return plain if len(found.atoms) == len(parts) else found


def _parts(run: Evaluator, entries: list[tuple[Path, Term]]) -> list[tuple[Path, Term]]:
    """Tuples taken apart."""
    found = entries
    while len(found) <= WIDEST:
        opened: list[tuple[Path, Term]] = []
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


def _stack(run: Evaluator, loop: Rows, atom: Term) -> Term | None:
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
