"""Loops: what nothing needs of them goes, and so does what every step does alike.

A loop is written again with what is left of its carry, of its rows and of what it keeps: if nothing
is left of the carry it is a map, if it keeps nothing a fold, and if there is neither there is no
loop. Of ``scan (λ((c, k), x). ((c + x, k), (c, k * x, k))) (0, a) xs``, of which the last carry and
the first two stacks are needed, this is left:

    let (c, (s, t)) = scan (λ(c, x). (c + x, (c, a * x))) 0 xs in ((c, a), (s, t))

Of ``map (λ(x, k, y). (sin x * y, k, x)) (xs, broadcast k, map f ys)`` only the first component
changes from row to row in a way that the loop has to compute. The rows of the second sequence are
``k``, and ``f`` can run where its rows are read; so the loop takes ``(xs, ys)``, and gives

    let s = map (λ(x, y). sin x * f y) (xs, ys) in (s, broadcast k, xs)

An associative loop stays whole: of a part of its carry, or of rows that are computed in it, the
operator would be another one.
"""

from __future__ import annotations

from combinators.block import Block, opened, operands
from combinators.kit.recursion import Recursive
from combinators.literal import Literal
from combinators.objects import Fun, Object, Tensor, Unit, components
from combinators.primitives.loops import LoopTerm, is_open, loop_term, looping
from combinators.simplify.calls import function_of, is_alone
from combinators.simplify.needs import LoopBody, Need, is_partial
from combinators.simplify.passes import Frame, Pass, Path, Split, Value, paths
from combinators.simplify.patterns import is_typed_zero, same, zeros
from combinators.simplify.rows import Entry, Packing, rows
from combinators.simplify.writer import spread
from combinators.terms import Const, Lam, Prim, Proj, Term, Tuple, Var, captured
from combinators.type_folds import fold_type, length_of, row_of, stack_of

LINES = 1_000
"""A loop over numbers is run here if that takes at most so many lines."""
WIDEST = 64
"""What gives more parts is looked at as it stands."""


def loop(
    run: Pass, term: Prim, frame: Frame, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    """What a loop stands for."""
    parts = LoopTerm(term)
    stack = parts.types.stack
    is_empty = run.switches.has("loop-empty") and parts.types.length == 0
    if is_empty and (stack is None or has_zero(stack)):
        run.switches.say("loop-empty", term, term, wish)
        last: Value | None = None
        if parts.init is not None:
            last = yield run.walk(parts.init, frame, block)
        return _joined(parts, last, None if stack is None else zeros(stack))
    lam, inside = function_of(run, parts.function, frame)
    is_shared = lam is not None and id(lam) in run.closed and not is_alone(run, lam)
    if lam is None or is_shared or not is_open(term):
        atom: Term = yield run.written(term, frame, block, wish)
        return atom
    run.placed |= id(lam) in run.closed
    known: Value = yield _Rewritten(run, parts, lam, frame, inside, block).write(wish, need)
    return known


def _joined(loop: LoopTerm, last: Value | None, stack: Value | None) -> Value:
    """What a loop gives, of its last carry and of what it keeps."""
    whole: Value = loop.types.joined(last, stack, lambda x, y: Split(loop.term.type, {0: x, 1: y}))
    return whole


def has_zero(obj: Object) -> bool:
    """Whether a type holds no function, so that it has a zero."""
    return fold_type(
        obj, lambda part, below: not isinstance(part, Fun) and all(below), key="has_zero_"
    )


def _constant(run: Pass, loop: Prim, lam: Lam) -> Const | None:
    """What a fold over numbers gives, where every line of every step is a number that is known."""
    (lines, result), fold, (init, xs) = opened(lam.body), run.switches.fold, loop.args[1:]
    if fold is None or not isinstance(init, Const) or not isinstance(xs, Const):
        return None
    rows = xs.literal.array
    if not run.switches.has("loop-known") or len(rows) * (1 + len(lines)) > LINES:
        return None
    known: Term | None = init
    for number in reversed(rows) if LoopTerm(loop).types.reverse else rows:
        env: dict[str, Term | None] = {lam.params[0].name: known}
        env[lam.params[1].name] = Const(Literal(number))
        for var, term in lines:
            args = [env.get(a.name) if isinstance(a, Var) else a for a in operands(term)]
            if not isinstance(term, Prim) or not all(isinstance(arg, Const) for arg in args):
                return None
            literal = fold(Prim(term.operation, tuple(filter(None, args))))
            if literal is None:
                return None
            env[var.name] = Const(literal)
        known = env.get(result.name) if isinstance(result, Var) else result
    if not isinstance(known, Const) or known.type is not loop.type:
        return None
    run.switches.say("loop-known", loop, known)
    return known


class _Rewritten:
    """One loop whose function is written in place."""

    def __init__(
        self, run: Pass, loop: LoopTerm, lam: Lam, frame: Frame, inside: Frame, block: Block
    ) -> None:
        self.run, self.loop, self.lam = run, loop, lam
        self.frame, self.inside, self.block = frame, inside, block
        self.types, self.term = loop.types, loop.term
        self.body = Block(block, loop=self.types.length > 0 and run.switches.has("hoist"))
        self.is_known = (
            frame.uses is not None and id(lam) not in run.closed and run.switches.has("loop-parts")
        )
        known = frame.uses.loops if frame.uses is not None and self.is_known else {}
        self.live, self.need = known.get(id(loop.term), (None, None))
        self.carried = Packing()
        """What stays of the carry, and what is known of it."""
        self.init: Term | None = None
        self.carry: Var | None = None

    def write(self, wish: str, need: Need) -> Recursive[Value]:
        run, lam = self.run, self.lam
        self.xs, row = yield rows(run, self.loop, self.frame, self.block)
        own, parts = self.loop.params(lam)
        if self.loop.init is not None:
            self.carried = yield self._carried(self.loop.init)
        if self.carried.atoms:
            self.init = run.packed(self.carried.atoms, self.block)
            wished = own.name if own is not None else "c"
            self.carry = run.writer.parameter(wished, self.init.type, self.body)
        wished = parts[0].name if len(parts) == 1 else "row" if parts else "x"
        self.row = run.writer.parameter(wished, row_of(self.xs.type), self.body)
        yield self._bind(self.row if row is None else (yield row(self.row, self.body)))
        result: Value = yield run.walk(lam.body, self.inside, self.body, "v", self.need)
        made: Value = yield self._finish(result, wish, need)
        return made

    def _carried(self, start: Term) -> Recursive[Packing]:
        """The carry at its start, without what is dead, is passed on, or stays zero."""
        run, product = self.run, components(start.type)
        value: Value = yield run.walk(start, self.frame, self.block)
        if self.live is not None and product is None and not self.live:
            return Packing()
        body = LoopBody(self.loop, self.lam, lambda _: ())
        atoms: dict[int | None, Term] = {}
        if self.is_known:
            live = body.indices if self.live is None or product is None else sorted(self.live)
            where = [_path(index) for index in live]
            found = yield run.selected(value, where, self.block)
            atoms = dict(zip(live, found, strict=True))
        fixed = self._fixed(body, atoms)
        left = Packing.of([(_path(i), atom) for i, atom in atoms.items() if i not in fixed])
        if not self.is_known or len(left.atoms) == len(body.indices):
            return Packing.of([((), (yield run.atom(value, self.block)))])
        if not fixed:
            run.switches.say("loop-parts", self.term, self.term)
        left.known += [(_path(index), atom) for index, atom in fixed.items()]
        return left

    def _fixed(self, body: LoopBody, atoms: dict[int | None, Term]) -> dict[int | None, Term]:
        """The components that never change."""
        run, fixed, start = self.run, dict[int | None, Term](), set[int | None]()
        if run.switches.has("loop-steady"):
            fixed = {index: atoms[index] for index in body.steady() if index in atoms}
        for atom in fixed.values():
            run.switches.say("loop-steady", self.term, atom)
        if run.switches.has("loop-zero"):
            is_zero = run.writer.is_typed_zero
            left = {i: atom for i, atom in atoms.items() if i not in fixed}
            start = {i for i, atom in left.items() if is_zero(atom) and has_zero(atom.type)}
        for index in body.zero(start, self._is_zero):
            run.switches.say("loop-zero", self.term, atoms[index])
            fixed[index] = zeros(atoms[index].type)
        return fixed

    def _is_zero(self, atom: Term) -> bool:
        value = self.inside.env.get(atom.name) if isinstance(atom, Var) else atom
        return isinstance(value, Term) and self.run.writer.is_typed_zero(value)

    def _bind(self, item: Value) -> Recursive[None]:
        """What the parameters of the function as it was stand for."""
        run, env, uses = self.run, self.inside.env, self.inside.uses
        own, parts = self.loop.params(self.lam)
        if self.types.carry is not None:
            value = self.carried.value(run, self.types.carry, self.carry, self.body)
            if own is None:
                both = (yield run.atom(value, self.body)), (yield run.atom(item, self.body))
                name = self.lam.params[0].name
                env[name] = run.writer.emit(Tuple(both), self.body, name)
            else:
                env[own.name] = value
        for index, param in enumerate(parts):
            if len(parts) == 1:
                env[param.name] = item
            elif uses is None or uses.count[param.name]:
                env[param.name] = yield run.part(item, index, self.body, param.name)

    def _finish(self, result: Value, wish: str, need: Need) -> Recursive[Value]:
        """The loop of what is left of the carry and of what it keeps; of neither there is none."""
        run, types = self.run, self.types
        is_pair = types.carry is not None and types.item is not None
        after: Value = result
        if is_pair and self.carry is not None and (self.need is None or 0 in self.need):
            after = yield run.part(result, 0, self.body)
        kept = yield run.selected(after, [where[0] for where in self.carried.places], self.body)
        out: Packing = yield self._out(result, need)
        if is_pair and bool(kept) != bool(out.atoms):
            run.switches.say("scan-fold" if kept else "scan-map", self.term, self.term, wish)
        halves = tuple(run.packed(atoms, self.body) for atoms in (kept, out.atoms) if atoms)
        parts: list[Term | None] = [None, None]
        if not halves:
            run.writer.leave(self.body)
        else:
            gives = halves[0]
            is_whole = is_pair and self.carried.is_whole and out.is_whole
            if is_whole and isinstance(result, Var):
                gives = result
            elif len(halves) == 2:
                gives = run.writer.together(halves, self.body)
            params = (self.row,) if self.carry is None else (self.carry, self.row)
            lam = Lam(params, run.writer.close(self.body, gives), self.lam.name)
            operation = looping(carries=bool(kept), keeps=bool(out.atoms), reverse=types.reverse)
            term = loop_term(operation, lam, self.init, self.xs, self.term.place)
            known = _constant(run, term, lam) if kept and not out.atoms else None
            place = self.block
            if known is None and place.loop:
                place = run.writer.outside(term, place, wish, captured(lam)[0])
            made = run.writer.bind(term, place, wish) if known is None else known
            if is_whole and made.type is self.term.type:
                return made
            given = iter(run.unpacked(made, len(halves), self.block))
            parts = [next(given) if atoms else None for atoms in (kept, out.atoms)]
        objs = zip((self.carried, out), (types.carry, types.stack), parts, strict=True)
        values = [
            None if obj is None else packing.value(run, obj, part, self.block)
            for packing, obj, part in objs
        ]
        return _joined(self.loop, *values)

    def _out(self, result: Value, need: Need) -> Recursive[Packing]:
        """What has to be stacked of what each step gives."""
        run, obj, item = self.run, self.types.item, result
        if obj is None:
            return Packing()
        if self.types.carry is not None:
            is_dropped = self.is_known and run.switches.has("scan-fold")
            if need is not None and 1 not in need and is_dropped:
                return Packing()
            need = need.get(1) if need is not None else None
            item = yield run.part(result, 1, self.body)
        where = paths(need if self.is_known and is_partial(need, obj) else None, obj)
        atoms = yield run.selected(item, where, self.body)
        entries: list[Entry] = list(zip(where, atoms, strict=True))
        if not run.switches.has("stack-steady"):
            return Packing.of(entries)
        split = _split(run, entries)
        found = Packing.of(split, run, self._stack)
        if len(found.atoms) == len(split):
            return Packing.of(entries)
        run.switches.say("stack-steady", self.term, self.xs)
        return found

    def _stack(self, atom: Term) -> Term | None:
        """The stack of a part that is a row, or the same at every step."""
        writer, stack = self.run.writer, stack_of(atom.type, length_of(self.xs.type))
        if same(atom, self.row):
            return self.xs if stack is self.xs.type else None
        line = writer.definition(atom)
        if isinstance(line, Proj) and same(line.product, self.row):
            part = writer.emit(Proj(line.index, self.xs), self.block)
            return part if stack is part.type else None
        if is_typed_zero(atom) or atom.type is Unit:
            return zeros(stack)
        if isinstance(stack, Tensor) and writer.is_outside(atom, self.block):
            return writer.emit(spread(atom, stack.shape), self.block)
        return None


def _path(index: int | None) -> Path:
    return () if index is None else (index,)


def _split(run: Pass, entries: list[Entry]) -> list[Entry]:
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
