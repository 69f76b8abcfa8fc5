"""Which components of a loop's carry only accumulate, and of what.

A component is an accumulator if every step adds to it something that it has no part in, and
nothing else reads it. What is added can be summed after the loop if it is a product of matrices, a
sum over axes, or a row: one product of stacked matrices, one sum of a stack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from combinators.block import operands
from combinators.objects import Tensor, components
from combinators.operation import Operation
from combinators.primitives.loops import LoopTerm, loop_of
from combinators.simplify.walks import Inside
from combinators.terms import Cond, Lam, Let, Prim, Proj, Term, Tuple, Var

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
    gone: set[str] = field(default_factory=set)
    """The lines of the body that only add."""
    stacked: dict[str, Var] = field(default_factory=dict)
    """What the loop stacks for it, by name."""


class Body:
    """The body of a loop that carries, of ``carry`` and ``row``, in let-normal form."""

    def __init__(self, loop: LoopTerm, lam: Lam, inside: Inside) -> None:
        """``inside`` says what λs and conditionals capture."""
        self.loop, self.lam = loop, lam
        self.keeps = loop.types.item is not None
        self.carry, self.row = lam.params
        self.lines, self.result = _opened(lam.body)
        product = components(self.carry.type)
        self.indices: list[int | None] = [None] if product is None else [*range(product.width)]
        self._defined = {var.name: term for var, term in self.lines}
        self._inside = inside

    @property
    def after(self) -> Term:
        """The carry that a step gives."""
        return self.component(self.result, 0) if self.keeps else self.result

    @property
    def ends(self) -> set[str]:
        """The lines that put together what a step gives."""
        ends = {_name(self.result)} if self.keeps else set()
        return ends if self.indices == [None] else {*ends, _name(self.after)}

    def definition(self, atom: Term) -> Term:
        """The line of a variable of the body; another atom itself."""
        return self._defined.get(atom.name, atom) if isinstance(atom, Var) else atom

    def component(self, atom: Term, index: int | None) -> Term:
        """A component of a tuple of the body; of what is no tuple, itself."""
        line = self.definition(atom)
        return line.items[index] if isinstance(line, Tuple) and index is not None else atom

    def part(self, term: Term) -> int | None:
        """Which component of the carry a line is."""
        if isinstance(term, Proj) and _name(term.product) == self.carry.name:
            return term.index
        return None

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
        if not all(isinstance(self._defined.get(name), Tuple) for name in self.ends):
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
            parts = (term.test, *self._inside(term)) if isinstance(term, Cond) else operands(term)
            for part in parts:
                atoms = self._inside(part) if isinstance(part, Lam) else (part,)
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
                one.gone.add(_name(term))
                todo += operands(line)
            elif once and self._is_carried(term, one.index):
                one.gone.add(_name(term))
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
        return all(_name(part) in self._defined or self.path(part) == [] for part in factors)


def body_of(term: Term, inside: Inside) -> Body | None:
    """The body of a loop of some rounds that carries, if its function is written there."""
    loop = loop_of(term)
    if loop is None or loop.init is None or not isinstance(loop.function, Lam):
        return None
    if len(loop.function.params) != 2 or loop.types.length <= 1:
        return None
    return Body(loop, loop.function, inside)


def _is_summable(line: Prim) -> bool:
    """Whether a sum of such lines is one such line of stacks."""
    shapes = [arg.type.shape for arg in line.args if isinstance(arg.type, Tensor)]
    is_product = line.operation.name == "matmul" and all(len(shape) == 2 for shape in shapes)
    return is_product or line.operation.name == "sum"


def _opened(body: Term) -> tuple[tuple[tuple[Var, Term], ...], Term]:
    return (body.bindings, body.body) if isinstance(body, Let) else ((), body)


def _name(atom: Term) -> str:
    return atom.name if isinstance(atom, Var) else ""
