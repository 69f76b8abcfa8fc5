"""Sums that a loop only accumulates, taken out of it.

``fold (λ((c, s), x). (c', s + aᵀ b)) (c0, s0) xs`` is
``let (c, (A, B)) = scan (λ(c, x). (c', (a, b))) c0 xs in (c, s0 + Aᵀ B)``, where the rows of ``A``
and ``B``, matrices themselves, stand below each other: many small products and sums become one.
What is added comes in another order, which is the same for real numbers. Here the loop is only
made to keep ``a`` and ``b``, and its ``s`` is not read any more: as a dead part of the carry, it
goes with the lines that add to it when ``loop-parts`` is next applied.
"""

from __future__ import annotations

from collections.abc import Iterator

from combinators.block import Block, Lines
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.objects import Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import loop_term, looping
from combinators.simplify.accumulators import Accumulator, Addend, SummingBody, body_of, chosen
from combinators.simplify.rule import Switches
from combinators.simplify.walks import Inside, rewritten_blocks
from combinators.terms import Lam, Let, Prim, Proj, Term, Tuple, Var

SUMS = {"plus": "loop-sums", "add": "loop-adds"}
"""The step that takes the sums of an addition out of loops."""


def summed(units: list[Lam], switches: Switches) -> list[Lam]:
    """Closed λs with sums taken out of loops; the same list where there are none.

    They are in let-normal form, and the last of them mentions the others.
    """
    has_parts = switches.has("loop-parts")
    additions = frozenset(n for n, step in SUMS.items() if has_parts and switches.has(step))
    names: list[Names] = []

    def rewrite(lines: Lines, inside: Inside) -> Lines:
        made: Lines = []
        for var, term in lines:
            body = body_of(term, inside)
            found = chosen(body, additions) if body is not None else []
            if body is None or not found:
                made.append((var, term))
                continue
            if not names:
                names.append(Names(_bound(units[-1])))
            made += _After(body, found, names[0]).written(var, inside)
            step = SUMS[found[0].addition.primitive.name]
            switches.say(step, term, made[-1][1], var.name)
        return made if len(made) > len(lines) else lines

    return rewritten_blocks(units, rewrite) if additions else units


def _bound(lam: Lam) -> Iterator[str]:
    """The names that a program gives."""
    for node in distinct_nodes(lam):
        match node:
            case Lam(params):
                yield from (param.name for param in params)
            case Let(lines):
                yield from (var.name for var, _ in lines)


class _After:
    """The lines that stand for one loop: what is left of it, and its sums."""

    def __init__(self, body: SummingBody, found: list[Accumulator], names: Names) -> None:
        """``found`` are the accumulators that go; new lines have new ``names``."""
        self.body, self.found = body, found
        assert body.loop.init is not None
        self.init, self.xs, self.length = body.loop.init, body.loop.xs, body.loop.types.length
        self.block = Block(names=names)
        self._stacks: dict[str, Term] = {}

    def written(self, var: Var, inside: Inside) -> Lines:
        """The lines, of which the last is ``var``; what accumulates is not read any more."""
        body, parts = self.body, dict[int | None, Term]()
        last, ys = self._loop(inside)
        for one in self.found:
            total = self._component(self.init, one.index)
            for addend in one.addends:
                total = self._write(Prim(one.addition, (total, self._total(addend))))
            parts[one.index] = total
        for index in body.indices:
            if index not in parts:
                parts[index] = self._component(self._component(last, 0 if ys else None), index)
        carry = parts.get(None)
        if carry is None:
            names = getattr(body.carry.type, "names", None)
            carry = Tuple(tuple([parts[index] for index in body.indices]), names)
        whole = carry if not body.is_pair else Tuple((self._write(carry), ys[-1]))
        return [*self.block.lines, (var, whole)]

    def _loop(self, inside: Inside) -> tuple[Term, list[Term]]:
        """The loop, which keeps what is summed besides what it kept, and its stacks."""
        body, loop = self.body, self.body.loop
        gives: list[Term] = [base for one in self.found for base in one.stacked.values()]
        names = [base.name for one in self.found for base in one.stacked.values()]
        made: Term = loop.term
        if gives:
            inner = Block(names=self.block.names)
            inner.lines += body.lines
            if body.is_pair:
                gives.append(body.component(body.result, 1))
            kept = gives[0] if len(gives) == 1 else inner.bind(Tuple(tuple(gives)))
            result = inner.term(inner.bind(Tuple((body.after, kept))))
            lam = Lam(body.lam.params, result, body.lam.name)
            inside.same(lam, body.lam)
            operation = looping(reverse=loop.types.reverse)
            made = loop_term(operation, lam, loop.init, loop.xs, loop.term.place)
        whole = self._write(made)
        count = len(gives) or body.is_pair
        if not count:
            return whole, []
        stack = self._write(Proj(1, whole))
        stacks: list[Term] = [stack]
        if count > 1:
            stacks = [self._write(Proj(index, stack)) for index in range(count)]
        self._stacks.update(zip(names, stacks, strict=False))
        return whole, stacks

    def _write(self, term: Term) -> Var:
        """A new line, unless ``term`` is a variable."""
        return term if isinstance(term, Var) else self.block.bind(term)

    def _apply(self, name: str, *args: Term, **parameters: object) -> Term:
        """A new line of a primitive."""
        return self._write(Prim(Operation(named(name), tuple(parameters.items())), args))

    def _component(self, whole: Term, index: int | None) -> Term:
        """A component of a carry; of one that is no product, itself."""
        return whole if index is None else self._write(Proj(index, whole))

    def _total(self, addend: Addend) -> Term:
        """The sum of what all steps add."""
        match addend.line:
            case Prim(product, (left, right)):
                rows = self._apply("transpose", self._below(left, across=True), axes=(1, 0))
                total: Term = self._write(Prim(product, (rows, self._below(right))))
            case Prim(operation, (arg,)) as line:
                axes = tuple(axis + 1 for axis in operation.keywords["axis"])
                flat = self._apply("sum", self._stack(arg), axis=(0, *axes), keepdims=False)
                assert isinstance(line.type, Tensor)
                total = self._apply("reshape", flat, shape=line.type.shape)
            case atom:
                total = self._apply("sum", self._stack(atom), axis=(0,), keepdims=False)
        for move in reversed(addend.moves):
            total = self._write(Prim(move.operation, (total,)))
        return total

    def _below(self, matrix: Term, *, across: bool = False) -> Term:
        """The matrices of all steps below each other; ``across``, their transposes."""
        assert isinstance(matrix.type, Tensor)
        height, width = matrix.type.shape
        stack = self._stack(matrix)
        if across:
            height, width = width, height
            if height > 1:
                stack = self._apply("transpose", stack, axes=(0, 2, 1))
        return self._apply("reshape", stack, shape=(self.length * height, width))

    def _stack(self, atom: Term) -> Term:
        """An atom of the body, of all steps, along a new first axis."""
        base, moves = self.body.moved(atom)
        path = self.body.path(base)
        if path is None:
            assert isinstance(base, Var)
            stack = self._stacks[base.name]
        else:
            stack = self.xs
            for index in path:
                stack = self._write(Proj(index, stack))
        for move in reversed(moves):
            if move.operation.name == "reshape":
                shape = (self.length, *move.operation.keywords["shape"])
                stack = self._apply("reshape", stack, shape=shape)
            else:
                axes = (0, *(axis + 1 for axis in move.operation.keywords["axes"]))
                stack = self._apply("transpose", stack, axes=axes)
        return stack
