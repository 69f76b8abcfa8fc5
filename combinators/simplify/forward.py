"""One pass over a program, from its beginning: an evaluator whose values are atoms of a new one.

A name stands for the atom that was written for it, so that let-normal form, forward substitution
and dead code need no rule of their own. What is known of the uses, from the end of the program as
it was, says what is written later, in parts, or not at all.
"""

from __future__ import annotations

from combinators.block import Block
from combinators.errors import UnboundVariable
from combinators.free import captured
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import component, components
from combinators.primitives.loops import LOOPS
from combinators.simplify.blocks import Writer
from combinators.simplify.calls import call
from combinators.simplify.choice import choice
from combinators.simplify.direct import direct, is_direct
from combinators.simplify.holes import is_typed_zero, zeros
from combinators.simplify.loops import loop
from combinators.simplify.needs import Analysis, Uses
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
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var


class Pass:
    """One pass over one program."""

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

    def walk(
        self, term: Term, frame: Frame, block: Block, wish: str = "v", need: Need = None
    ) -> Recursive[Value]:
        """What ``term`` stands for, once ``block`` holds the lines that it needs."""
        if need == {} and components(term.type) is not None:
            return Split(term.type, {})
        match term:
            case Var(name):
                if name not in frame.env:
                    raise UnboundVariable(f"{name} is not bound; simplify takes a closed λ")
                return frame.env[name]
            case Const() | Prim(_, ()):
                return term
            case Let(lines, body):
                before = self._shadowed(lines, frame)
                for var, bound in lines:
                    if not self._is_written(var, bound, frame, block):
                        yield self._line(var, bound, frame, block)
                value: Value = yield self.walk(body, frame, block, wish, need)
                frame.env.update(before)
                return value
            case Prim(operation, _) if operation.primitive in LOOPS:
                self.is_flat = False
                made: Value = yield loop(self, term, frame, block, wish, need)
                return made
            case Proj(index, product):
                inside: Value = yield self.walk(product, frame, block)
                if isinstance(inside, Split):
                    return inside.part(index)
                whole: Term = yield self.atom(inside, block)
                return self.writer.emit(Proj(index, whole), block, wish)
            case Tuple(items, _) if is_partial(need, term.type):
                assert need is not None
                parts: dict[int, Value] = {}
                for index, below in sorted(need.items()):
                    parts[index] = yield self.walk(items[index], frame, block, "v", below)
                return Split(term.type, parts)
            case Tuple(items, names):
                atoms = yield self.operands(items, frame, block)
                return self.writer.emit(Tuple(atoms, names), block, wish)
            case Prim(operation, args, place):
                atoms = yield self.operands(args, frame, block)
                return self.writer.emit(Prim(operation, atoms, place), block, wish)
            case App():
                self.is_flat = False
                result: Value = yield call(self, term, frame, block, wish, need)
                return result
            case Cond():
                self.is_flat = False
                chosen: Value = yield choice(self, term, frame, block, wish, need)
                return chosen
            case Lam():
                self.is_flat = False
                function: Term = yield self._function(term, frame, block, wish)
                return function
        raise AssertionError(term)

    def _shadowed(self, lines: tuple[tuple[Var, Term], ...], frame: Frame) -> dict[str, Value]:
        """What the names of a let stood for outside it; in a program as we write it, nothing."""
        if frame.uses is not None:
            return {}
        return {var.name: frame.env[var.name] for var, _ in lines if var.name in frame.env}

    def _is_written(self, var: Var, bound: Term, frame: Frame, block: Block) -> bool:
        """Write a line of primitives, which most lines are, without a generator for it."""
        uses, env = frame.uses, frame.env
        if uses is not None and (var.name in uses.fused or not uses.count[var.name]):
            return False
        if uses is not None and is_partial(uses.needs[var.name], bound.type):
            return False
        if not is_direct(bound, env):
            return False
        value = direct(bound, env, self.writer, block, var)
        if uses is not None and isinstance(value, Var):
            self.writer.used(value, uses.count[var.name])
        env[var.name] = value
        return True

    def _line(self, var: Var, bound: Term, frame: Frame, block: Block) -> Recursive[None]:
        uses = frame.uses
        if uses is not None and not uses.count[var.name]:
            return
        if self._is_later(var, bound, uses):
            frame.env[var.name] = Later(bound, frame)
            return
        need = uses.needs[var.name] if uses is not None else None
        value: Value = yield self.walk(bound, frame, block, var.name, need)
        if uses is not None and isinstance(value, Later) and uses.count[var.name] != 1:
            value = yield self.atom(value, block)
        if uses is not None and isinstance(value, Var):
            self.writer.used(value, uses.count[var.name])
        frame.env[var.name] = value

    def _is_later(self, var: Var, bound: Term, uses: Uses | None) -> bool:
        if isinstance(bound, Lam):
            return id(bound) in self.closed or (uses is not None and uses.count[var.name] == 1)
        return uses is not None and var.name in uses.fused and self.switches.has("map-fusion")

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

    def _function(self, lam: Lam, frame: Frame, block: Block, wish: str) -> Recursive[Term]:
        """A λ as a value: a closed one stands for itself, another has a name."""
        if id(lam) in self.closed:
            unit: Lam = yield self.unit(lam)
            return unit
        inner = Block(block)
        before = {p.name: frame.env[p.name] for p in lam.params if p.name in frame.env}
        params = self.parameters(lam, frame, inner)
        result: Term = yield self.operand(lam.body, frame, inner)
        frame.env.update(before)
        made = Lam(params, self.writer.close(inner, result), lam.name)
        return self.writer.bind(made, block, lam.name or wish)

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


def passed(
    lam: Lam, switches: Switches, analysis: Analysis | None = None, closed: set[int] | None = None
) -> tuple[Lam, Pass]:
    """The program after one pass, and the pass."""
    if closed is None:
        free, inside = captured(lam)
        if free:
            names = ", ".join(var.name for var in free)
            raise UnboundVariable(f"{names} is not bound; simplify takes a closed λ")
        closed = {key for key, variables in inside.items() if not variables}
    run = Pass(switches, analysis, closed)
    made: Lam = recurse(run.unit(lam))
    return made, run
