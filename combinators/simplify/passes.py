"""One pass over a program, from its beginning: an evaluator whose values are atoms of a new one.

A name stands for the atom that was written for it, so that let-normal form, forward substitution
and dead code need no rule of their own. What is known of the uses, from the end of the program as
it was, says what is written later, in parts, or not at all. Calls, choices and loops are written by
functions of their own.

Most lines of most programs are primitives, projections and tuples alone; they are written by plain
recursion, since a computation that Python's stack does not limit costs several times as much.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from combinators.block import Block, operands, rebuilt
from combinators.errors import UnboundVariable
from combinators.kit.recursion import Recursive
from combinators.objects import Object, component, components
from combinators.primitives.loops import LOOP
from combinators.simplify.needs import Analysis, Need, Uses, is_partial
from combinators.simplify.patterns import is_atom, is_typed_zero, zeros
from combinators.simplify.rule import Switches
from combinators.simplify.writer import Writer
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var

DEEP = 40
"""So deep is a line at most that is written by plain recursion."""

# ---- values --------------------------------------------------------------------------------------


@dataclass(eq=False)
class Frame:
    """What the names of one λ stand for, and how that λ uses them, where that is known."""

    env: Env
    uses: Uses | None

    def called(self) -> Frame:
        """A frame for one call of a λ that stands here: what it names is its own."""
        return Frame(ChainMap({}, self.env), self.uses)


@dataclass(frozen=True, eq=False)
class Later:
    """A term that is written where it is used, which is in one place: a λ, or a map."""

    term: Term
    frame: Frame


@dataclass(frozen=True, eq=False)
class Split:
    """A product by those of its components that are needed."""

    obj: Object
    parts: dict[int, Value]

    def part(self, index: int) -> Value:
        """A component; one that is used, and of which nothing is needed, has no parts."""
        known = self.parts.get(index)
        return known if known is not None else Split(component(self.obj, index), {})


Value = Term | Later | Split
Env = MutableMapping[str, Value]
Path = tuple[int, ...]


def paths(need: Need, obj: Object) -> list[Path]:
    """Where what is needed lies."""
    product = components(obj)
    if need is None or product is None:
        return [()]
    return [
        (index, *path)
        for index in sorted(need)
        for path in paths(need[index], product.parts[index])
    ]


def assembled(obj: Object, entries: Iterable[tuple[Path, Value]]) -> Value:
    """The value of type ``obj`` that has these parts."""
    grouped: dict[int, list[tuple[Path, Value]]] = {}
    for path, value in entries:
        if not path:
            return value
        grouped.setdefault(path[0], []).append((path[1:], value))
    return Split(obj, {i: assembled(component(obj, i), below) for i, below in grouped.items()})


# ---- the pass ------------------------------------------------------------------------------------

Form = Callable[["Pass", Any, Frame, Block, str, Need], Recursive[Value]]
"""How a term is written into a block, whose names stand for what a frame says."""


class Pass:
    """One pass over one program: what is known of it, and how values are taken apart."""

    def __init__(
        self,
        switches: Switches,
        forms: Mapping[Any, Form],
        analysis: Analysis | None,
        closed: set[int],
    ) -> None:
        """``forms`` write what is no line; ``closed`` are the ids of closed λs."""
        self.switches, self.analysis, self.closed = switches, analysis, closed
        self._forms = forms
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

    # ---- closed λs -------------------------------------------------------------------------------

    def unit(self, lam: Lam) -> Recursive[Lam]:
        """A closed λ, once."""
        if id(lam) in self._done:
            return self._done[id(lam)]
        outer, self.writer = self.writer, Writer(self.switches, self.ids)
        frame, block = self.outside(lam), Block()
        need = self.analysis.results[id(lam)] if self.analysis else None
        every = self.parameters(lam, frame, block)
        params = tuple([every[index] for index in self.given(lam)])
        value: Value = yield self.walk(lam.body, frame, block, "v", need)
        if self.is_narrowed(need, lam):
            self.switches.say("call-parts", lam, lam)
            atoms = yield self.selected(value, paths(need, lam.body.type), block)
            result = self.packed(atoms, block)
        else:
            result = yield self.atom(value, block)
        made = self.finished(Lam(params, self.writer.close(block, result), lam.name))
        self.writer = outer
        self._done[id(lam)] = made
        return made

    def finished(self, lam: Lam) -> Lam:
        """Note a closed λ of the result."""
        self.units.append(lam)
        self.ids.add(id(lam))
        return lam

    def outside(self, lam: Lam) -> Frame:
        """The frame of a closed λ, which sees no names of outside."""
        return Frame({}, self.analysis.units[id(lam)] if self.analysis else None)

    def is_narrowed(self, need: Need, lam: Lam) -> bool:
        """Whether a closed λ gives only parts of its result."""
        return is_partial(need, lam.body.type) and self.switches.has("call-parts")

    def given(self, lam: Lam) -> list[int]:
        """The parameters that calls of a closed λ give."""
        every = list(range(len(lam.params)))
        used = self.analysis.used_params(lam) if self.analysis else every
        if used != every:
            self.switches.say("call-parts", lam, lam)
        return used

    def parameters(self, lam: Lam, frame: Frame, block: Block) -> tuple[Var, ...]:
        """New parameters, for which the old ones stand."""
        made = tuple(self.writer.parameter(p.name, p.type, block) for p in lam.params)
        frame.env.update(zip([p.name for p in lam.params], made, strict=True))
        return made

    def choose(self, test: Term, block: Block) -> None:
        """Note that a block chooses by a test."""
        if isinstance(test, Var):
            self.is_twice |= (block, test.name) in self._chosen
            self._chosen.add((block, test.name))

    # ---- terms -----------------------------------------------------------------------------------

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
            case Let(lines, body):
                # In a program as we write it, a let has no name of outside.
                own = [var.name for var, _ in lines] if frame.uses is None else []
                before = {name: frame.env[name] for name in own if name in frame.env}
                for var, bound in lines:
                    if not self._is_written(var, bound, frame, block):
                        yield self._line(var, bound, frame, block)
                value: Value = yield self.walk(body, frame, block, wish, need)
                frame.env.update(before)
                return value
            case App() | Cond() | Lam() | Prim() if (form := self._form(term)) is not None:
                self.is_flat = False
                made: Value = yield form(self, term, frame, block, wish, need)
                return made
            case Proj(index, product):
                inside: Value = yield self.walk(product, frame, block)
                if isinstance(inside, Split):
                    return inside.part(index)
                whole: Term = yield self.atom(inside, block)
                return self.writer.emit(Proj(index, whole), block, wish)
            case Tuple(items) if need is not None and is_partial(need, term.type):
                parts: dict[int, Value] = {}
                for index, below in sorted(need.items()):
                    parts[index] = yield self.walk(items[index], frame, block, "v", below)
                return Split(term.type, parts)
            case Prim() | Tuple():
                whole = yield self.written(term, frame, block, wish)
                return whole
            case _:
                return term

    def _form(self, term: Term) -> Form | None:
        """How a term is written that is no line of primitives."""
        if type(term) is not Prim:
            return self._forms.get(type(term))
        return self._forms.get(term.operation.primitive)

    def written(self, term: Term, frame: Frame, block: Block, wish: str) -> Recursive[Term]:
        """The atom for a line, once those for its operands are written."""
        before = operands(term)
        if is_atom(term):
            return term
        atoms: list[Term] = []
        for part in before:
            atoms.append((yield self.operand(part, frame, block)))
        return self.writer.emit(rebuilt(term, before, tuple(atoms)), block, wish)

    def _is_written(self, var: Var, bound: Term, frame: Frame, block: Block) -> bool:
        """Write a line of primitives, which most lines are."""
        uses, env = frame.uses, frame.env
        if uses is not None:
            if var.name in uses.fused or not uses.count[var.name]:
                return False
            if is_partial(uses.needs[var.name], bound.type):
                return False
        if not _is_plain(bound, env, DEEP):
            return False
        made = self._plain(bound, env, block, var)
        if uses is not None and type(made) is Var:
            self.writer.used(made, uses.count[var.name])
        env[var.name] = made
        return True

    def _plain(self, term: Term, env: Env, block: Block, like: Var | None = None) -> Term:
        """The atom for a term of which ``_is_plain`` holds."""
        if type(term) is Var:
            return env[term.name]  # type: ignore[return-value]  # as is asked
        if is_atom(term):
            return term
        before = term.below()
        atoms = [self._plain(part, env, block) for part in before]
        made = rebuilt(term, before, tuple(atoms))
        return self.writer.emit(made, block, "v" if like is None else like.name, like)

    def _line(self, var: Var, bound: Term, frame: Frame, block: Block) -> Recursive[None]:
        uses = frame.uses
        if uses is not None and not uses.count[var.name]:
            return
        if isinstance(bound, Lam):
            is_later = id(bound) in self.closed or (uses is not None and uses.count[var.name] == 1)
        else:
            is_fused = uses is not None and var.name in uses.fused
            is_later = is_fused and self.switches.has("map-fusion")
        if is_later:
            frame.env[var.name] = Later(bound, frame)
            return
        need = uses.needs[var.name] if uses is not None else None
        value: Value = yield self.walk(bound, frame, block, var.name, need)
        if uses is not None and isinstance(value, Later) and uses.count[var.name] != 1:
            value = yield self.atom(value, block)
        if uses is not None and isinstance(value, Var):
            self.writer.used(value, uses.count[var.name])
        frame.env[var.name] = value

    def operand(self, term: Term, frame: Frame, block: Block) -> Recursive[Term]:
        """The atom for one operand; a λ that is used here alone stands here."""
        value = frame.env.get(term.name) if type(term) is Var else None
        if value is None:
            value = yield self.walk(term, frame, block)
        if isinstance(value, Term):
            return value
        atom: Term = yield self.atom(value, block)
        return atom

    # ---- values and atoms ------------------------------------------------------------------------

    def atom(self, value: Value, block: Block) -> Recursive[Term]:
        """One atom for a value."""
        match value:
            case Later(term, frame):
                forced: Value = yield self.walk(term, frame, block)
                atom: Term = yield self.atom(forced, block)
                return atom
            case Split(obj):
                product = components(obj)
                assert product is not None
                atoms = yield self.selected(value, [(i,) for i in range(product.width)], block)
                return self.writer.together(tuple(atoms), block, getattr(obj, "names", None))
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

    def selected(self, whole: Value, places: Iterable[Path], block: Block) -> Recursive[list[Term]]:
        """The atoms for parts of a value."""
        atoms: list[Term] = []
        for path in places:
            value = whole
            for index in path:
                value = yield self.part(value, index, block)
            atoms.append((yield self.atom(value, block)))
        return atoms

    def packed(self, atoms: list[Term], block: Block) -> Term:
        """Several atoms as one; one stands for itself."""
        return atoms[0] if len(atoms) == 1 else self.writer.together(tuple(atoms), block)

    def unpacked(self, whole: Term, count: int, block: Block) -> list[Term]:
        """The atoms that were packed."""
        if count == 1:
            return [whole]
        return [self.writer.emit(Proj(index, whole), block) for index in range(count)]


def _is_plain(term: Term, env: Env, depth: int) -> bool:
    """Whether ``term`` holds no λ, choice, call or loop, and no value that is written later."""
    kind = type(term)
    if kind is Var:
        return isinstance(env.get(term.name), Term)  # type: ignore[attr-defined]  # a variable
    if kind is Prim:
        if term.operation.primitive is LOOP:  # type: ignore[attr-defined]  # a primitive
            return False
    elif kind is not Proj and kind is not Tuple:
        return kind is Const
    return depth > 0 and all(_is_plain(part, env, depth - 1) for part in term.below())


def function(
    run: Pass, lam: Lam, frame: Frame, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    """A λ as a value: a closed one stands for itself, another has a name."""
    if id(lam) in run.closed:
        unit: Lam = yield run.unit(lam)
        return unit
    inner = Block(block)
    before = {p.name: frame.env[p.name] for p in lam.params if p.name in frame.env}
    params = run.parameters(lam, frame, inner)
    result: Term = yield run.operand(lam.body, frame, inner)
    frame.env.update(before)
    made = Lam(params, run.writer.close(inner, result), lam.name)
    return run.writer.bind(made, block, lam.name or wish)
