"""Sums that a loop only accumulates, taken out of it.

A component of a carry is an accumulator if every step adds to it something that it has no part in,
and nothing else reads it. What is added can be summed after the loop if it is a product of
matrices, a sum over axes, or a row: one product of stacked matrices, one sum of a stack.

``fold (λ((c, s), x). (c', s + aᵀ b)) (c0, s0) xs`` is
``let (c, (A, B)) = scan (λ(c, x). (c', (a, b))) c0 xs in (c, s0 + Aᵀ B)``, where the rows of ``A``
and ``B``, matrices themselves, stand below each other: many small products and sums become one.
What is added comes in another order, which is the same for real numbers. Here the loop is only
made to keep ``a`` and ``b``, and its ``s`` is not read any more: as a dead part of the carry, it
goes with the lines that add to it when ``loop-parts`` is next applied.

Which sums leave the loop is a matter of cost: a factor of what is added has to be stacked, unless
it is a row of the loop, or stacked for another sum. What a step stacks for a sum is no larger than
what it adds, and with what is moved after the loop no more than it wrote; everything that is
stacked is no larger than the rows. So no number is computed or moved that was not, and memory is at
most what it was, twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from combinators.block import Block, Lines, operands
from combinators.kit.text import Names
from combinators.kit.tree import distinct_nodes
from combinators.objects import Fun, Object, Tensor
from combinators.operation import Operation, named
from combinators.primitives.loops import is_open, loop_of, loop_term, looping
from combinators.simplify.needs import LoopBody
from combinators.simplify.rule import Switches
from combinators.simplify.walks import Inside, rewritten_blocks
from combinators.terms import Lam, Let, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import fold_type

SUMS = {"plus": "loop-sums", "add": "loop-adds"}
"""The step that takes the sums of an addition out of loops."""
MOVES = frozenset(["reshape", "transpose"])
"""What can be done to a stack as well as to a row."""


def summed(lam: Lam, switches: Switches) -> Lam:
    """A closed λ in let-normal form with sums taken out of loops; itself where there are none."""
    has_parts = switches.has("loop-parts")
    additions = frozenset(n for n, step in SUMS.items() if has_parts and switches.has(step))
    names: list[Names] = []

    def rewrite(lines: Lines, inside: Inside) -> Lines:
        made: Lines = []
        for var, term in lines:
            body = _body_of(term, inside)
            found = _chosen(body, additions) if body is not None else []
            if body is None or not found:
                made.append((var, term))
                continue
            if not names:
                names.append(Names(_bound(lam)))
            made += _After(body, found, names[0]).written(var)
            step = SUMS[found[0].addition.primitive.name]
            switches.say(step, term, made[-1][1], var.name)
        return made if len(made) > len(lines) else lines

    return rewritten_blocks(lam, rewrite) if additions else lam


def _bound(lam: Lam) -> Iterator[str]:
    """The names that a program gives."""
    for node in distinct_nodes(lam, kind=Term):
        match node:
            case Lam(params):
                yield from (param.name for param in params)
            case Let(lines):
                yield from (var.name for var, _ in lines)


# ---- what accumulates ----------------------------------------------------------------------------


class Addend(NamedTuple):
    """What is added: ``line``, a product or a sum, or a variable, reshaped and transposed."""

    line: Prim | Var
    moves: list[Prim]
    """The last one first."""
    factors: list[Var]
    """What has to be a row, or stacked."""


@dataclass(eq=False)
class Accumulator:
    """A component of a carry, and what a step adds to it."""

    index: int | None
    """Which component; of a carry that is no product, None."""
    addition: Operation
    addends: list[Addend] = field(default_factory=list)
    stacked: dict[str, Var] = field(default_factory=dict)
    """What the loop stacks for it, by name."""


class SummingBody(LoopBody):
    """The body of a loop that carries, of ``carry`` and ``row``."""

    carry: Var

    @property
    def row(self) -> Var:
        """What a step takes."""
        return self.lam.params[1]

    def path(self, atom: Term) -> list[int] | None:
        """Where an atom stands in the row of the loop, if it does."""
        found: list[int] = []
        while _name(atom) != self.row.name:
            line = self.definition(atom)
            if not isinstance(line, Proj):
                return None
            found.append(line.index)
            atom = line.product
        return found[::-1]

    def moved(self, atom: Term) -> tuple[Term, list[Prim]]:
        """What is moved to give an atom, and the moves, the last one first."""
        moves: list[Prim] = []
        while isinstance(line := self.definition(atom), Prim) and line.operation.name in MOVES:
            moves.append(line)
            atom = line.args[0]
        return atom, moves

    def accumulators(self, additions: frozenset[str]) -> Iterator[Accumulator]:
        """The components that only accumulate, by primitives of these names."""
        ends = {_name(self.result)} if self.is_pair else set[str]()
        if self.indices != [None]:
            ends.add(_name(self.after))
        if not all(isinstance(self.defined.get(name), Tuple) for name in ends):
            return
        adding = []
        for index in self.indices:
            atom = self.component(self.after, index)
            line = self.definition(atom)
            if isinstance(line, Prim) and line.operation.name in additions:
                adding.append((Accumulator(index, line.operation), atom))
        if not adding:
            return
        every = (self.result, *(line for _, line in self.lines))
        count = Counter(atom.name for line in every for atom in self.reads(line))
        parts = {self.part(line) for _, line in self.lines} - {None}
        is_seen = self.indices != [None] and count[self.carry.name] > len(parts)
        if is_seen or any(count[name] > 1 for name in ends):
            return  # something else sees the carry as a whole
        for one, atom in adding:
            if isinstance(atom.type, Tensor) and self._adds(one, atom, additions, count):
                yield one

    def _adds(
        self, one: Accumulator, atom: Term, additions: frozenset[str], count: Counter[str]
    ) -> bool:
        """Whether ``atom`` is the component and what can be summed; note what that is."""
        own = 0
        todo = [atom]
        while todo:
            term = todo.pop()
            line, once = self.definition(term), count[_name(term)] == 1
            is_sum = isinstance(line, Prim) and line.operation.name in additions
            is_own = self.is_carry(term) if one.index is None else self.part(line) == one.index
            if once and is_sum and all(part.type is atom.type for part in operands(line)):
                todo += operands(line)
            elif once and is_own:
                own += 1
            elif not self._notes(one, term):
                return False
        return own == 1

    def _notes(self, one: Accumulator, atom: Term) -> bool:
        """Note what is added, if it, or a sum or product that it is, can be summed of stacks."""
        base, moves = self.moved(atom)
        line, name = self.definition(base), ""
        if isinstance(line, Prim):
            ranks = {len(arg.type.shape) for arg in line.args if isinstance(arg.type, Tensor)}
            name = line.operation.name if ranks == {2} or line.operation.name == "sum" else ""
        line = line if name in ("sum", "matmul") else base
        factors = [self.moved(part)[0] for part in operands(line)]
        if not isinstance(line, (Prim, Var)):
            return False
        one.addends.append(Addend(line, moves, [part for part in factors if isinstance(part, Var)]))
        return all(_name(part) in self.defined or self.path(part) == [] for part in factors)


def _body_of(term: Term, inside: Inside) -> SummingBody | None:
    """The body of a loop of some rounds that carries, if its function is written there."""
    loop = loop_of(term)
    if loop is None or loop.init is None or not isinstance(loop.function, Lam):
        return None
    if not is_open(loop.term) or len(loop.function.params) != 2 or loop.types.length <= 1:
        return None
    return SummingBody(loop, loop.function, inside)


def _name(atom: Term) -> str:
    return atom.name if isinstance(atom, Var) else ""


# ---- what pays -----------------------------------------------------------------------------------


def _chosen(body: SummingBody, additions: frozenset[str]) -> list[Accumulator]:
    """The accumulators that leave the loop, each with what is stacked for it."""
    left = list(body.accumulators(additions))
    found: list[Accumulator] = []
    payoff = _Payoff(body)
    taken = -1
    while taken < len(found):
        taken, again = len(found), list[Accumulator]()
        for one in left:
            (found if payoff.takes(one) else again).append(one)
        left = again
    return found


class _Payoff:
    """What is there already for the sums of one loop, of those that were taken out."""

    def __init__(self, body: SummingBody) -> None:
        self._body = body
        self._room = numbers(body.row.type)
        self._stacked: set[str] = set()
        self._below: set[tuple[Term, str]] = set()
        """The matrices that are put below each other, each with its side in the product."""

    def takes(self, one: Accumulator) -> bool:
        """Whether to take a sum out pays, which is noted then."""
        factors = {base.name: base for addend in one.addends for base in addend.factors}
        new = {
            name: base
            for name, base in factors.items()
            if name not in self._stacked and self._body.path(base) is None
        }
        size = sum(numbers(base.type) for base in new.values())
        moved = {key: n for addend in one.addends for key, n in self._moved(addend.line).items()}
        more = size + sum(n for key, n in moved.items() if key not in self._below)
        lines = [addend.line for addend in one.addends]
        added = sum(numbers(line.type) for line in lines if isinstance(line, Prim))
        wrote = added + sum(numbers(line.type) for line in lines)
        if size > min(self._room, added) or more > wrote:
            return False
        self._room -= size
        self._stacked |= {*new}
        self._below |= {*moved}
        one.stacked = new
        return True

    def _moved(self, line: Prim | Var) -> dict[tuple[Term, str], int]:
        """How many numbers of a step are moved to put its matrices below each other."""
        if isinstance(line, Var) or len(line.args) == 1:
            return {}
        left, right = line.args
        assert isinstance(left.type, Tensor)
        moves = self._body.moved(left)[1]
        is_across = bool(moves) and moves[0].operation.name == "transpose"
        times = 1 if is_across else 2 if left.type.shape[1] == 1 else 3
        return {
            (left, "left"): times * numbers(left.type),
            (right, "right"): numbers(right.type),
        }


def numbers(obj: Object) -> int:
    """How many numbers a value of a type holds; those that a function captured are not."""

    def at(part: Object, below: list[int]) -> int:
        return part.size if isinstance(part, Tensor) else sum(below) * (not isinstance(part, Fun))

    return fold_type(obj, at)


# ---- the loop and its sums -----------------------------------------------------------------------


class _After:
    """The lines that stand for one loop: what is left of it, and its sums."""

    def __init__(self, body: SummingBody, found: list[Accumulator], names: Names) -> None:
        """``found`` are the accumulators that go; new lines have new ``names``."""
        self.body, self.found = body, found
        assert body.loop.init is not None
        self.init, self.length = body.loop.init, body.loop.types.length
        self.block = Block(names=names)
        self._stacks: dict[str, Term] = {}

    def written(self, var: Var) -> Lines:
        """The lines, of which the last is ``var``; what accumulates is not read any more."""
        body, parts = self.body, dict[int | None, Term]()
        last, ys = self._loop()
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

    def _loop(self) -> tuple[Term, list[Term]]:
        """The loop, which keeps what is summed besides what it kept, and its stacks."""
        body, loop = self.body, self.body.loop
        stacked = {name: base for one in self.found for name, base in one.stacked.items()}
        gives: list[Term] = [*stacked.values()]
        made: Term = loop.term
        if gives:
            inner = Block(names=self.block.names)
            inner.lines += body.lines
            if body.is_pair:
                gives.append(body.component(body.result, 1))
            kept = gives[0] if len(gives) == 1 else inner.bind(Tuple(tuple(gives)))
            result = inner.term(inner.bind(Tuple((body.after, kept))))
            lam = Lam(body.lam.params, result, body.lam.name)
            operation = looping(reverse=loop.types.reverse)
            made = loop_term(operation, lam, loop.init, loop.xs, loop.term.place)
        whole = self._write(made)
        count = len(gives) or body.is_pair
        stacks = [self._component(whole, 1)] if count else []
        if count > 1:
            stacks = [self._component(stacks[0], index) for index in range(count)]
        self._stacks.update(zip(stacked, stacks, strict=False))
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
        stack = self._stacks[_name(base)] if path is None else self.body.loop.xs
        for index in path or ():
            stack = self._write(Proj(index, stack))
        for move in reversed(moves):
            if move.operation.name == "reshape":
                shape = (self.length, *move.operation.keywords["shape"])
                stack = self._apply("reshape", stack, shape=shape)
            else:
                axes = (0, *(axis + 1 for axis in move.operation.keywords["axes"]))
                stack = self._apply("transpose", stack, axes=axes)
        return stack
