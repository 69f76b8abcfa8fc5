"""Loops: what nothing needs of them goes, and so does what every step does alike."""

from __future__ import annotations

from typing import Any

from combinators.block import Block
from combinators.kit.recursion import Recursive
from combinators.objects import Fun, Object, Product, Record, Vector, components
from combinators.operation import Operation
from combinators.primitives.loops import FOLD, MAP
from combinators.rows import length_of, row_of
from combinators.simplify.calls import function_of, is_alone
from combinators.simplify.carries import Carry
from combinators.simplify.evaluator import Evaluator
from combinators.simplify.holes import zeros
from combinators.simplify.parts import (
    Frame,
    Need,
    Path,
    Split,
    Value,
    assembled,
    is_partial,
)
from combinators.simplify.rows import row, rows
from combinators.simplify.stacks import Output, Rows, output
from combinators.terms import Lam, Prim, Proj, Term, Tuple, Var

_MISSING: Any = object()


def loop(
    run: Evaluator, term: Prim, frame: Frame, block: Block, wish: str, need: Need
) -> Recursive[Value]:
    """What a fold, a scan or a map stands for."""
    if run.switches.has("loop-empty") and length_of(term.args[-1].type) == 0:
        stack = term.type if term.operation.name == "map" else None
        if term.operation.name == "scan":
            assert isinstance(term.type, Product)
            stack = term.type.parts[1]
        if stack is None or has_zero(stack):
            run.switches.say("loop-empty", term, term, wish)
            empty: Value = yield _empty(run, term, stack, frame, block)
            return empty
    lam, inside = function_of(run, term.args[0], frame)
    if lam is None or (id(lam) in run.closed and not is_alone(run, lam)):
        value: Value = yield _opaque(run, term, frame, block, wish)
        return value
    run.placed |= id(lam) in run.closed
    known: Value = yield _Loop(run, term, lam, frame, inside, block).write(wish, need)
    return known


def _opaque(run: Evaluator, term: Prim, frame: Frame, block: Block, wish: str) -> Recursive[Value]:
    function, *rest = term.args
    atoms = yield run.operands((function, *rest), frame, block)
    return run.writer.emit(Prim(term.operation, atoms, term.place), block, wish)


def _empty(
    run: Evaluator, term: Prim, stack: Object | None, frame: Frame, block: Block
) -> Recursive[Value]:
    if term.operation.name == "map":
        assert stack is not None
        return zeros(stack)
    init: Value = yield run.walk(term.args[1], frame, block)
    if stack is None:
        return init
    return Split(term.type, {0: init, 1: zeros(stack)})


def has_zero(obj: Object) -> bool:
    """Whether a type holds no function, so that it has a zero."""
    known = vars(obj).get("has_zero_")
    if known is None:
        match obj:
            case Fun():
                known = False
            case Product() | Record():
                known = all(map(has_zero, components(obj) or ()))
            case Vector(item, _):
                known = has_zero(item)
            case _:
                known = True
        vars(obj)["has_zero_"] = known
    return bool(known)


class _Loop:
    """One loop whose function is written in place."""

    def __init__(
        self, run: Evaluator, term: Prim, lam: Lam, frame: Frame, inside: Frame, block: Block
    ) -> None:
        self.run, self.term, self.lam = run, term, lam
        self.frame, self.inside, self.block = frame, inside, block
        self.kind = term.operation.name
        rows = length_of(term.args[-1].type)
        self.body = Block(block, loop=rows > 0 and run.switches.has("hoist"))
        uses = frame.uses
        self.is_known = (
            uses is not None and id(lam) not in run.closed and run.switches.has("loop-parts")
        )
        self.live = uses.carries.get(id(term)) if uses is not None and self.is_known else None
        self.need = uses.bodies.get(id(term)) if uses is not None and self.is_known else None
        self.fixed: list[tuple[Path, Value]] = []
        self.places: list[Path] = [()]

    def write(self, wish: str, need: Need) -> Recursive[Value]:
        run, term, lam = self.run, self.term, self.lam
        xs, recipe = yield rows(run, term, self.frame, self.block)
        init: Term | None = None
        before = {p.name: self.inside.env[p.name] for p in lam.params if p.name in self.inside.env}
        carry: Var | None = None
        if self.kind != "map":
            init = yield self._init()
            if init is not None:
                wished = lam.params[0].name if len(lam.params) == 2 else "c"
                carry = run.writer.parameter(wished, init.type, self.body)
        item = run.writer.parameter(self._row_name(), row_of(xs.type), self.body)
        value: Value = yield row(run, recipe, item, self.body)
        yield self._bind(carry, value)
        result: Value = yield run.walk(lam.body, self.inside, self.body, "v", self.need)
        made: Value = yield self._finish(result, init, carry, item, xs, wish, need)
        self.inside.env.update(before)
        return made

    def _row_name(self) -> str:
        params = self.lam.params
        if self.kind == "map":
            return params[0].name if len(params) == 1 else "row"
        return params[1].name if len(params) == 2 else "x"

    def _init(self) -> Recursive[Term | None]:
        """Where the carry starts, without what is dead, is passed on, or stays zero."""
        run, obj = self.run, self.term.args[1].type
        value: Value = yield run.walk(self.term.args[1], self.frame, self.block)
        product = components(obj)
        if self.live is not None and product is None and not self.live:
            self.places = []
            return None
        every = range(product.width) if product is not None else ()
        live = sorted(self.live) if self.live is not None and product is not None else every
        entries: list[Path] = [(i,) for i in live] if product is not None else [()]
        atoms: dict[Path, Term] = {}
        if self.is_known:
            for path in entries:
                atoms[path] = yield run.select(value, path, self.block)
            self._fix(atoms)
        fixed = {path for path, _ in self.fixed}
        kept = [path for path in entries if path not in fixed]
        if product is None and kept:
            whole: Term = yield run.atom(value, self.block)
            return whole
        if product is not None and len(kept) == product.width:
            whole = yield run.atom(value, self.block)
            return whole
        if not fixed:
            run.switches.say("loop-parts", self.term, self.term)
        self.places = kept
        return run.packed([atoms[path] for path in kept], self.block) if kept else None

    def _fix(self, atoms: dict[Path, Term]) -> None:
        """Find the components that never change."""
        run = self.run
        carry = Carry(self.term, self.lam, {})

        def path_of(index: int | None) -> Path:
            return () if index is None else (index,)

        if run.switches.has("loop-steady"):
            for index in carry.steady():
                if path_of(index) in atoms:
                    run.switches.say("loop-steady", self.term, atoms[path_of(index)])
                    self.fixed.append((path_of(index), atoms[path_of(index)]))
        if run.switches.has("loop-zero"):
            passed = {path for path, _ in self.fixed}
            start: set[int | None] = {
                path[0] if path else None
                for path, atom in atoms.items()
                if path not in passed and run.writer.is_typed_zero(atom) and has_zero(atom.type)
            }
            for index in carry.zero(start, self._is_zero):
                run.switches.say("loop-zero", self.term, atoms[path_of(index)])
                self.fixed.append((path_of(index), zeros(atoms[path_of(index)].type)))

    def _is_zero(self, atom: Term) -> bool:
        if not isinstance(atom, Var):
            return self.run.writer.is_typed_zero(atom)
        value = self.inside.env.get(atom.name)
        return isinstance(value, Term) and self.run.writer.is_typed_zero(value)

    def _bind(self, carry: Var | None, item: Value) -> Recursive[None]:
        """What the parameters of the function as it was stand for."""
        run, params, env = self.run, self.lam.params, self.inside.env
        if self.kind == "map":
            if len(params) == 1:
                env[params[0].name] = item
            for index, param in enumerate(params if len(params) > 1 else ()):
                is_used = self.inside.uses is None or self.inside.uses.count[param.name]
                if is_used:
                    env[param.name] = yield run.part(item, index, self.body, param.name)
            return
        entries = list(self.fixed)
        if carry is not None:
            entries += run.unpacked(carry, self.places, self.body)
        obj = self.term.args[1].type
        value = assembled(obj, entries) if entries else Split(obj, {})
        if len(params) == 2:
            env[params[0].name], env[params[1].name] = value, item
            return
        both = (yield run.atom(value, self.body)), (yield run.atom(item, self.body))
        env[params[0].name] = run.writer.emit(Tuple(both), self.body, params[0].name)

    def _finish(
        self,
        result: Value,
        init: Term | None,
        carry: Var | None,
        item: Var,
        xs: Term,
        wish: str,
        need: Need,
    ) -> Recursive[Value]:
        run, obj = self.run, self.term.type
        if self.kind == "map":
            out: Output = yield self._out(result, need, item, xs, self.lam.body.type)
            return assembled(obj, self._mapped(out, item, xs, wish))
        after: Value = result
        if self.kind == "scan" and (self.need is None or 0 in self.need) and self.places:
            after = yield run.part(result, 0, self.body)
        kept: list[Term] = []
        for path in self.places:
            kept.append((yield run.select(after, path, self.body)))
        if self.kind == "fold":
            if init is None or carry is None:
                run.writer.close(self.body, item)
                return assembled(obj, self.fixed)
            folded = self._made(
                self.term.operation, (carry, item), run.packed(kept, self.body), (init, xs), wish
            )
            return assembled(obj, [*self.fixed, *run.unpacked(folded, self.places, self.block)])
        made_scan: Value = yield self._scan(result, kept, init, carry, item, xs, wish, need)
        return made_scan

    def _scan(
        self,
        result: Value,
        kept: list[Term],
        init: Term | None,
        carry: Var | None,
        item: Var,
        xs: Term,
        wish: str,
        need: Need,
    ) -> Recursive[Value]:
        run, switches = self.run, self.run.switches
        assert isinstance(self.term.type, Product)
        before, stack = self.term.type.parts
        wanted = _MISSING if need is not None and 1 not in need else need and need[1]
        parts: dict[int, Value] = {}
        out = Output()
        if wanted is not _MISSING or not switches.has("scan-fold") or not self.is_known:
            y: Value = yield run.part(result, 1, self.body)
            body = components(self.lam.body.type)
            assert body is not None
            out = yield self._out(y, wanted, item, xs, body.parts[1])
        entries = list(self.fixed)
        if init is None or carry is None:
            if out.atoms:
                switches.say("scan-map", self.term, self.term, wish)
            parts[1] = assembled(stack, self._mapped(out, item, xs, wish))
        elif not out.atoms:
            switches.say("scan-fold", self.term, self.term, wish)
            operation = Operation(FOLD.primitive, self.term.operation.parameters)
            made = self._made(
                operation, (carry, item), run.packed(kept, self.body), (init, xs), wish
            )
            entries += run.unpacked(made, self.places, self.block)
            parts[1] = assembled(stack, out.known)
        else:
            is_whole = self.places == [()] and out.is_whole
            if is_whole and isinstance(result, Var):
                pair: Term = result
            else:
                both = (run.packed(kept, self.body), run.packed(out.atoms, self.body))
                pair = run.writer.together(both, self.body)
            made = self._made(self.term.operation, (carry, item), pair, (init, xs), wish)
            if is_whole and made.type is self.term.type:
                return made
            carried = run.writer.emit(Proj(0, made), self.block)
            stacked = run.writer.emit(Proj(1, made), self.block)
            entries += run.unpacked(carried, self.places, self.block)
            parts[1] = assembled(stack, out.entries(run, stacked, self.block))
        parts[0] = assembled(before, entries)
        return Split(self.term.type, parts)

    def _mapped(self, out: Output, item: Var, xs: Term, wish: str) -> list[tuple[Path, Value]]:
        """The stacks that a map gives, if it gives any."""
        if not out.atoms:
            self.run.writer.leave(self.body)
            return out.known
        result = self.run.packed(out.atoms, self.body)
        made = self._made(MAP, (item,), result, (xs,), wish)
        return out.entries(self.run, made, self.block)

    def _out(self, value: Value, need: Need, item: Var, xs: Term, obj: Object) -> Recursive[Output]:
        """What has to be stacked of what each step gives."""
        is_split = self.is_known and is_partial(need, obj)
        loop = Rows(item, xs, self.body, self.block)
        found: Output = yield output(self.run, loop, value, need if is_split else None, obj)
        if found.known or any(len(where) > 1 for where in found.places):
            self.run.switches.say("stack-steady", self.term, xs)
        return found

    def _made(
        self,
        operation: Operation,
        params: tuple[Var, ...],
        result: Term,
        operands: tuple[Term, ...],
        wish: str,
    ) -> Term:
        lam = Lam(params, self.run.writer.close(self.body, result), self.lam.name)
        term = Prim(operation, (lam, *operands), self.term.place)
        return self.run.writer.bind(term, self.block, wish)
