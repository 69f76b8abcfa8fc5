"""Which components of a loop's carry only accumulate, and of what.

A component is an accumulator if every step adds to it something that it has no part in, and
nothing else reads it. What is added can be summed after the loop if it is a product of matrices, a
sum over axes, or a row: one product of stacked matrices, one sum of a stack.

Of ``fold (λ((c, s), (x, w)). (tanh (c + x), s + xᵀ w)) (c₀, s₀) xs`` the second component is one,
and its one addend is ``xᵀ w``, with the factors x and w. Which of them leave the loop is a matter
of cost: a factor of what is added has to be stacked, unless it is a row of the loop, or stacked for
another sum. What a step stacks for a sum is no larger than what it adds, and with what is moved
after the loop no more than it wrote; everything that is stacked is no larger than the rows. So no
number is computed or moved that was not, and memory is at most what it was, twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from combinators.block import operands
from combinators.objects import Fun, Object, Tensor
from combinators.operation import Operation
from combinators.primitives.loops import loop_of
from combinators.simplify.needs import LoopBody
from combinators.simplify.walks import Inside
from combinators.terms import Cond, Lam, Prim, Proj, Term, Tuple, Var
from combinators.type_folds import fold_type

MOVES = frozenset(["reshape", "transpose"])
"""What can be done to a stack as well as to a row."""


class Addend(NamedTuple):
    """What is added: ``line``, a product or a sum, or a variable, reshaped and transposed."""

    line: Prim | Var
    moves: list[Prim]
    """The last one first."""
    factors: list[Var]
    """What has to be a row, or stacked."""

    @property
    def is_computed(self) -> bool:
        """Whether a step computes it."""
        return isinstance(self.line, Prim)


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

    @property
    def ends(self) -> set[str]:
        """The lines that put together what a step gives."""
        ends = {_name(self.result)} if self.is_pair else set()
        return ends if self.indices == [None] else {*ends, _name(self.after)}

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
        if not all(isinstance(self.defined.get(name), Tuple) for name in self.ends):
            return
        adding = []
        for index in self.indices:
            atom = self.component(self.after, index)
            line = self.definition(atom)
            if isinstance(line, Prim) and line.operation.name in additions:
                adding.append((Accumulator(index, line.operation), atom))
        if not adding:
            return
        count = self._counted()
        parts = Counter(self.part(line) for _, line in self.lines)
        parts.pop(None, None)
        is_seen = self.indices != [None] and count[self.carry.name] > len(parts)
        if is_seen or any(count[name] > 1 for name in self.ends):
            return  # something else sees the carry as a whole
        for one, atom in adding:
            if isinstance(atom.type, Tensor) and self._adds(one, atom, additions, count):
                yield one

    def _counted(self) -> Counter[str]:
        """How often the body uses each variable."""
        count: Counter[str] = Counter()
        for term in (self.result, *(line for _, line in self.lines)):
            parts = (term.test, *self.inside(term)) if isinstance(term, Cond) else operands(term)
            for part in parts:
                atoms = self.inside(part) if isinstance(part, Lam) else (part,)
                count.update(atom.name for atom in atoms if isinstance(atom, Var))
        return count

    def _adds(
        self, one: Accumulator, atom: Term, additions: frozenset[str], count: Counter[str]
    ) -> bool:
        """Whether ``atom`` is the component and what can be summed; note what that is."""
        own: list[Term] = []
        todo = [atom]
        while todo:
            term = todo.pop()
            line, once = self.definition(term), count[_name(term)] == 1
            is_sum = isinstance(line, Prim) and line.operation.name in additions
            if once and is_sum and all(part.type is atom.type for part in operands(line)):
                todo += operands(line)
            elif once and self._is_carried(term, one.index):
                own.append(term)
            elif not self._notes(one, term):
                return False
        return len(own) == 1

    def _is_carried(self, atom: Term, index: int | None) -> bool:
        if index is None:
            return _name(atom) == self.carry.name
        return self.part(self.definition(atom)) == index

    def _notes(self, one: Accumulator, atom: Term) -> bool:
        """Note what is added, if that can be summed after the loop."""
        base, moves = self.moved(atom)
        line = self.definition(base)
        line = line if isinstance(line, Prim) and _is_summable(line) else base
        factors = [self.moved(part)[0] for part in operands(line)]
        if not isinstance(line, (Prim, Var)):
            return False
        one.addends.append(Addend(line, moves, [part for part in factors if isinstance(part, Var)]))
        return all(_name(part) in self.defined or self.path(part) == [] for part in factors)


def body_of(term: Term, inside: Inside) -> SummingBody | None:
    """The body of a loop of some rounds that carries, if its function is written there."""
    loop = loop_of(term)
    if loop is None or loop.init is None or not isinstance(loop.function, Lam):
        return None
    if len(loop.function.params) != 2 or loop.types.length <= 1:
        return None
    return SummingBody(loop, loop.function, inside)


def _is_summable(line: Prim) -> bool:
    """Whether a sum of such lines is one such line of stacks."""
    shapes = [arg.type.shape for arg in line.args if isinstance(arg.type, Tensor)]
    is_product = line.operation.name == "matmul" and all(len(shape) == 2 for shape in shapes)
    return is_product or line.operation.name == "sum"


def _name(atom: Term) -> str:
    return atom.name if isinstance(atom, Var) else ""


def chosen(body: SummingBody, additions: frozenset[str]) -> list[Accumulator]:
    """The accumulators that leave the loop, each with what is stacked for it."""
    left = list(body.accumulators(additions))
    found: list[Accumulator] = []
    if left:
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
        factors = [base for addend in one.addends for base in addend.factors]
        new = {
            base.name: base
            for base in factors
            if base.name not in self._stacked and self._body.path(base) is None
        }
        size = sum(numbers(base.type) for base in new.values())
        moved = {key: n for addend in one.addends for key, n in self._moved(addend).items()}
        more = size + sum(n for key, n in moved.items() if key not in self._below)
        added = sum(numbers(addend.line.type) for addend in one.addends if addend.is_computed)
        wrote = added + sum(numbers(addend.line.type) for addend in one.addends)
        if size > min(self._room, added) or more > wrote:
            return False
        self._room -= size
        self._stacked |= {*new}
        self._below |= {*moved}
        one.stacked = new
        return True

    def _moved(self, addend: Addend) -> dict[tuple[Term, str], int]:
        """How many numbers of a step are moved to put its matrices below each other."""
        if not isinstance(addend.line, Prim) or len(addend.line.args) == 1:
            return {}
        left, right = addend.line.args
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
        if isinstance(part, Tensor):
            return part.size
        return 0 if isinstance(part, Fun) else sum(below)

    return fold_type(obj, at)
