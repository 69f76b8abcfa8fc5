"""The operations of a program, by primitive: found without running, and counted in a run.

>>> from combinators.objects import Real
>>> from combinators.operation import Operation, named
>>> from combinators.terms import Lam, Prim, Var
>>> x = Var("x", Real)
>>> counted(Lam((x,), Prim(Operation(named("sin")), (x,)))).total
1
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from combinators.kit.tree import distinct_nodes
from combinators.objects import Object, Tensor
from combinators.operation import Operation
from combinators.primitives.loops import loop_of
from combinators.primitives.structural import PLUS, STRUCTURAL
from combinators.terms import Lam, Let, Prim, Term, check_unfolding
from interpreters.carriers.carrier import Compute
from interpreters.carriers.counting import Counting
from interpreters.cost.walk import numbers_in, tallied

_BITS = 128


def number(value: int) -> str:
    """A count with its thousands apart.

    >>> number(1234567), number(3**200)
    ('1,234,567', 'about 2^317')
    """
    bits = value.bit_length()
    return f"{value:,}" if bits <= _BITS else f"about 2^{bits}"


def plural(value: int, noun: str) -> str:
    """A count of things.

    >>> plural(1, "line"), plural(0, "line")
    ('1 line', '0 lines')
    """
    return f"{number(value)} {noun}{'' if value == 1 else 's'}"


def ratio(part: int, whole: int) -> str:
    """How many times ``whole`` goes into ``part``.

    >>> ratio(7, 2), ratio(0, 0)
    ('3.50', '–')
    """
    try:
        return f"{part / whole:.2f}"
    except (ZeroDivisionError, OverflowError):
        return "–"


COMPARISONS = frozenset(("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"))


@dataclass(frozen=True)
class Cost:
    """What one call of a program costs.

    ``counts`` are scalar operations by primitive, an array operation counting its elements;
    ``moved`` the numbers that operations write and loops take; ``lines`` the lets of the program,
    and a line for the result of each function. Where ``exact`` is False conditionals leave a
    choice, and the dearest path is counted: no run costs more. ``unknown`` counts what depends on
    function values that are not known: calls of functions that are arguments, and sums of
    cotangents whose closures are not known. Where a program ``recurs``, of each recursive function
    one call is counted, without those inside it.
    """

    counts: Mapping[str, int]
    moved: int
    lines: int
    exact: bool = True
    unknown: int = 0
    recurs: bool = False

    @property
    def total(self) -> int:
        """All operations together."""
        return sum(self.counts.values())

    @property
    def comparisons(self) -> int:
        """How many of the operations compare."""
        return sum(self.counts.get(name, 0) for name in COMPARISONS)

    def run(self, counts: Mapping[str, int], moved: int) -> Cost:
        """The same program at given arguments, where it was counted by running."""
        return replace(self, counts=dict(counts), moved=moved, exact=True, unknown=0, recurs=False)

    def __str__(self) -> str:
        """A line a kind, the most frequent first."""
        how = "exactly" if self.exact else "at most"
        rows = sorted(self.counts.items(), key=lambda row: (-row[1], row[0]))
        lines = [f"{how} {plural(self.total, 'operation')}"]
        lines += [f"  {name:<16} {number(count)}" for name, count in rows]
        lines.append(f"{how} {plural(self.moved, 'number')} moved, in {plural(self.lines, 'line')}")
        if self.recurs:
            lines.append("a call of each recursive function, without those inside it")
        if self.unknown:
            lines.append(f"besides {plural(self.unknown, 'step')} of functions that are not known")
        return "\n".join(lines)


def counted(lam: Lam) -> Cost:
    """What a call of ``lam``, a closed λ, costs at its types."""
    check_unfolding(lam)
    operations, moves = tallied(lam, operations_of), tallied(lam, _moves_of)
    return Cost(
        counts=dict(sorted(operations.counts.items())),
        moved=moves.total,
        lines=lines(lam),
        exact=operations.exact and moves.exact,
        unknown=operations.unknown,
        recurs=operations.recurs,
    )


def lines(term: Term) -> int:
    """The length of a program: its lets, and its functions' results; what is shared counts once."""
    nodes = list(distinct_nodes(term, kind=Term))
    lets = sum(len(node.bindings) for node in nodes if isinstance(node, Let))
    return lets + sum(isinstance(node, Lam) for node in nodes)


def operations_of(term: Term) -> Mapping[str, int]:
    """What a primitive declares; a sum of cotangents is one operation a number."""
    if not isinstance(term, Prim):
        return {}
    primitive = term.operation.primitive
    if primitive is PLUS:
        return {"add": numbers_in(term.type)}
    types = [arg.type for arg in term.args if isinstance(arg.type, Tensor)]
    return {primitive.name: primitive.cost(types, term.type)}


def _moves_of(term: Term) -> Mapping[str, int]:
    """The numbers that an operation writes; a loop takes its rows and stacks what it keeps."""
    if not isinstance(term, Prim) or term.operation.primitive in STRUCTURAL - {PLUS}:
        return {}
    loop = loop_of(term)
    written = (term.type,) if loop is None else (loop.types.xs, loop.types.stack)
    return {"moved": sum(numbers_in(obj) for obj in written if obj is not None)}


class Moving(Counting):
    """A carrier that counts operations, and the numbers that operations and loops write.

    >>> from combinators.objects import Real
    >>> from combinators.operation import named
    >>> from interpreters.carriers.numpy import NumPy
    >>> carrier = Moving(NumPy())
    >>> times = carrier.operation(Operation(named("multiply")), (Tensor((3,)), Real), Tensor((3,)))
    >>> _ = times([1.0, 2.0, 3.0], 4.0)
    >>> carrier.total, carrier.moved
    (3, 3)
    """

    moved: int = 0

    def operation(self, operation: Operation, types: Sequence[Object], cod: Object) -> Compute:
        """The other's computation; it writes its result."""
        compute, size = super().operation(operation, types, cod), numbers_in(cod)

        def moving(*xs: Any) -> Any:
            self.moved += size
            return compute(*xs)

        return moving

    def _written(self, number: Any) -> Any:
        self.moved += math.prod(getattr(number, "shape", ()))
        return number

    def add(self, x: Any, y: Any) -> Any:
        """The sum of two cotangents is written."""
        return self._written(super().add(x, y))

    def row(self, stack: Any, index: int) -> Any:
        """A row is taken."""
        return self._written(super().row(stack, index))

    def stack(self, rows: Sequence[Any], obj: Tensor) -> Any:
        """Rows are stacked."""
        return self._written(super().stack(rows, obj))
