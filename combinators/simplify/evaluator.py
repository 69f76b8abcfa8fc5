"""What calls, choices and loops need of a pass: values as atoms, their parts, closed λs."""

from __future__ import annotations

from abc import ABC, abstractmethod

from combinators.block import Block
from combinators.kit.recursion import Recursive
from combinators.objects import component, components
from combinators.simplify.holes import is_typed_zero, zeros
from combinators.simplify.needs import Analysis
from combinators.simplify.parts import (
    Frame,
    Later,
    Need,
    Path,
    Split,
    Value,
    is_partial,
    paths,
)
from combinators.simplify.rule import Switches
from combinators.simplify.writer import Writer
from combinators.terms import Const, Lam, Proj, Term, Tuple, Var


class Evaluator(ABC):
    """One pass over one program: what is known of it, and how values are taken apart."""

    def __init__(self, switches: Switches, analysis: Analysis | None, closed: set[int]) -> None:
        """``closed`` are the ids of the λs that capture nothing."""
        self.switches = switches
        self.analysis = analysis
        self.closed = closed
        self.units: list[Lam] = []
        """The closed λs of the result, each after those that it mentions."""
        self.ids: set[int] = set()
        self.placed = False
        """Whether a loop's closed function was put in place, where the next pass looks into it."""
        self.is_flat = True
        """Whether there was no λ, choice, call or loop, so that uses tell the rules nothing."""
        self.is_twice = False
        """Whether a block chooses twice by one test."""
        self._chosen: set[tuple[Block, str]] = set()
        self._done: dict[int, Lam] = {}
        self.writer = Writer(switches, self.ids)

    def unit(self, lam: Lam) -> Recursive[Lam]:
        """A closed λ, once."""
        if id(lam) in self._done:
            return self._done[id(lam)]
        outer, self.writer = self.writer, Writer(self.switches, self.ids)
        uses = self.analysis.units[id(lam)] if self.analysis else None
        need = self.analysis.results[id(lam)] if self.analysis else None
        block, frame = Block(None), Frame({}, uses)
        every = self.parameters(lam, frame, block)
        params = tuple([every[index] for index in self.given(lam)])
        value: Value = yield self.walk(lam.body, frame, block, "v", need)
        result: Term = yield self.narrowed(value, need, lam, block)
        made = Lam(params, self.writer.close(block, result), lam.name)
        self.writer = outer
        self._done[id(lam)] = made
        self.units.append(made)
        self.ids.add(id(made))
        return made

    def narrowed(self, value: Value, need: Need, lam: Lam, block: Block) -> Recursive[Term]:
        """The needed parts of what a function gives, as one atom."""
        cod = lam.body.type
        if not is_partial(need, cod) or not self.switches.has("call-parts"):
            whole: Term = yield self.atom(value, block)
            return whole
        self.switches.say("call-parts", lam, lam)
        atoms: list[Term] = []
        for path in paths(need, cod):
            atoms.append((yield self.select(value, path, block)))
        return self.packed(atoms, block)

    def given(self, lam: Lam) -> list[int]:
        """The parameters that calls of a closed λ give."""
        every = list(range(len(lam.params)))
        used = self.analysis.used_params(lam) if self.analysis else every
        if used != every:
            self.switches.say("call-parts", lam, lam)
        return used

    def choose(self, test: Term, block: Block) -> None:
        """Note that a block chooses by a test."""
        if isinstance(test, Var):
            self.is_twice |= (block, test.name) in self._chosen
            self._chosen.add((block, test.name))

    def parameters(self, lam: Lam, frame: Frame, block: Block) -> tuple[Var, ...]:
        """New parameters, for which the old ones stand."""
        made = tuple(self.writer.parameter(p.name, p.type, block) for p in lam.params)
        frame.env.update(zip([p.name for p in lam.params], made, strict=True))
        return made

    @abstractmethod
    def walk(
        self, term: Term, frame: Frame, block: Block, wish: str = "v", need: Need = None
    ) -> Recursive[Value]:
        """What ``term`` stands for, once ``block`` holds the lines that it needs."""

    def operands(
        self, terms: tuple[Term, ...], frame: Frame, block: Block
    ) -> Recursive[tuple[Term, ...]]:
        """The atoms for several operands; a λ that is used here alone stands here."""
        found: list[Term] = []
        for term in terms:
            value = frame.env.get(term.name) if isinstance(term, Var) else None
            if isinstance(value, Var):
                found.append(value)
            elif isinstance(term, Const):
                found.append(term)
            else:
                found.append((yield self.operand(term, frame, block)))
        return tuple(found)

    def operand(self, term: Term, frame: Frame, block: Block) -> Recursive[Term]:
        """The atom for one operand."""
        value: Value = yield self.walk(term, frame, block)
        atom: Term = yield self.atom(value, block)
        return atom

    def atom(self, value: Value, block: Block) -> Recursive[Term]:
        """One atom for a value."""
        match value:
            case Later(term, frame):
                forced: Value = yield self.walk(term, frame, block)
                atom: Term = yield self.atom(forced, block)
                return atom
            case Split(obj, parts):
                atoms: list[Term] = []
                product = components(obj)
                assert product is not None
                for index in range(product.width):
                    atoms.append((yield self.atom(parts[index], block)))
                names = getattr(obj, "names", None)
                return self.writer.together(tuple(atoms), block, names)
            case _:
                return value

    def part(self, value: Value, index: int, block: Block, wish: str = "v") -> Recursive[Value]:
        """A component of a value."""
        if isinstance(value, Split):
            return value.part(index)
        atom: Term = yield self.atom(value, block)
        line = self.writer.definition(atom)
        if isinstance(line, Tuple):
            return line.items[index]
        if is_typed_zero(line):
            return zeros(component(line.type, index))
        return self.writer.emit(Proj(index, atom), block, wish)

    def select(self, value: Value, path: Path, block: Block) -> Recursive[Term]:
        """The atom for a part of a value."""
        for index in path:
            value = yield self.part(value, index, block)
        atom: Term = yield self.atom(value, block)
        return atom

    def packed(self, atoms: list[Term], block: Block) -> Term:
        """Several atoms as one; one stands for itself."""
        return atoms[0] if len(atoms) == 1 else self.writer.together(tuple(atoms), block)

    def unpacked(self, whole: Term, entries: list[Path], block: Block) -> list[tuple[Path, Value]]:
        """What was packed, at these paths."""
        if len(entries) == 1:
            return [(entries[0], whole)]
        return [
            (path, self.writer.emit(Proj(index, whole), block))
            for index, path in enumerate(entries)
        ]
