"""One pass over a program, from its beginning: an evaluator whose values are atoms of a new one.

A name stands for the atom that was written for it, so that let-normal form, forward substitution
and dead code need no rule of their own. What is known of the uses, from the end of the program as
it was, says what is written later, in parts, or not at all.

Most lines of most programs are primitives, projections and tuples alone; they are written by plain
recursion, since a computation that Python's stack does not limit costs several times as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from combinators.block import Block, opened, remade
from combinators.errors import UnboundVariable
from combinators.free import captured
from combinators.kit.recursion import Recursive, recurse
from combinators.objects import components
from combinators.primitives.loops import LOOP
from combinators.simplify.calls import call, choice
from combinators.simplify.evaluator import Evaluator
from combinators.simplify.loop_parts import loop
from combinators.simplify.needs import Analysis
from combinators.simplify.parts import (
    Frame,
    Later,
    Need,
    Split,
    Uses,
    Value,
    is_partial,
)
from combinators.simplify.rule import Switches
from combinators.simplify.writer import Writer
from combinators.terms import App, Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var


class Pass(Evaluator):
    """One pass over one program."""

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
            case Prim(operation, _) if operation.primitive is LOOP:
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
        if not is_plain_line(bound, env):
            return False
        value = plain_atom(bound, env, self.writer, block, var)
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


def resumed(lam: Lam, writer: Writer, before: Block) -> tuple[Lam, Pass]:
    """The program of which ``writer`` has written all the lines but the last, into ``before``."""
    lines, result = opened(lam.body)
    run = Pass(writer.switches, None, set())
    run.writer, run.ids = writer, set()
    block = Block(names=before.names)
    block.lines = list(lines[:-1])
    env: dict[str, Value] = {var.name: var for var in lam.params}
    env.update([(var.name, var) for var, _ in block.lines])
    body: Value = recurse(run.walk(Let(lines[-1:], result), Frame(env, None), block))
    atom: Term = recurse(run.atom(body, block))
    made = Lam(lam.params, writer.close(block, atom), lam.name)
    run.units.append(made)
    run.ids.add(id(made))
    return made, run


# ---- plain lines ---------------------------------------------------------------------------------

DEEP = 40
"""So deep is a line at most that is written by plain recursion."""


def is_plain_line(term: Term, env: Mapping[str, Value], depth: int = DEEP) -> bool:
    """Whether ``term`` holds no λ, choice, call or loop, and no value that is written later."""
    if type(term) is Prim:
        if term.operation.primitive is LOOP:
            return False
        parts = term.args
    elif type(term) is Var:
        return isinstance(env.get(term.name), Term)
    elif type(term) is Const:
        return True
    elif isinstance(term, (Tuple, Proj)):
        parts = term.below()
    else:
        return False
    for part in parts:
        if type(part) is Var:
            if not isinstance(env.get(part.name), Term):
                return False
        elif type(part) is not Const and not is_plain_line(part, env, depth - 1):
            return False
    return depth > 0


def plain_atom(
    term: Term, env: Mapping[str, Value], writer: Writer, block: Block, wish: Var | None = None
) -> Term:
    """The atom for a term of which ``is_plain_line`` holds."""
    if type(term) is Var:
        return env[term.name]  # type: ignore[return-value]  # as is_plain_line asks
    if type(term) is Const:
        return term
    parts = term.args if type(term) is Prim else term.below()
    if not parts and type(term) is Prim:
        return term
    is_new = False
    atoms: list[Any] = []
    for part in parts:
        if type(part) is Var:
            atom: Any = env[part.name]
        else:
            atom = part if type(part) is Const else plain_atom(part, env, writer, block)
        is_new = is_new or atom is not part
        atoms.append(atom)
    made = remade(term, tuple(atoms)) if is_new else term
    return writer.emit(made, block, wish.name if wish is not None else "v", wish)
