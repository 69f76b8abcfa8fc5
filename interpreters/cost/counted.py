"""The operations of a program, by primitive: the counts of a run, found without running.

>>> from combinators.objects import Real
>>> from combinators.operation import Operation, named
>>> from combinators.terms import Lam, Prim, Var
>>> x = Var("x", Real)
>>> counted(Lam((x,), Prim(Operation(named("sin")), (x,)))).total
1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from combinators.free import check_unfolding
from combinators.kit.tree import distinct_nodes
from combinators.objects import Object, Tensor
from combinators.primitives.loops import LoopTerm, loop_of
from combinators.primitives.structural import PLUS, STRUCTURAL
from combinators.terms import Lam, Let, Prim, Term
from interpreters.cost.contents import numbers_in
from interpreters.cost.walk import Tally, tallied

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
    cotangents whose closures are not known.
    """

    counts: Mapping[str, int]
    moved: int
    lines: int
    exact: bool = True
    unknown: int = 0

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
        return replace(self, counts=dict(counts), moved=moved, exact=True, unknown=0)

    def __str__(self) -> str:
        """A line a kind, the most frequent first."""
        how = "exactly" if self.exact else "at most"
        rows = sorted(self.counts.items(), key=lambda row: (-row[1], row[0]))
        lines = [f"{how} {plural(self.total, 'operation')}"]
        lines += [f"  {name:<16} {number(count)}" for name, count in rows]
        lines.append(f"{how} {plural(self.moved, 'number')} moved, in {plural(self.lines, 'line')}")
        if self.unknown:
            lines.append(f"besides {plural(self.unknown, 'step')} of functions that are not known")
        return "\n".join(lines)


def counted(lam: Lam) -> Cost:
    """What a call of ``lam``, a closed λ, costs at its types."""
    check_unfolding(lam)
    operations, moves = tallied(lam, _Operations()), tallied(lam, _Moves())
    return Cost(
        counts=_settled(operations),
        moved=moves.total,
        lines=lines(lam),
        exact=operations.exact and moves.exact,
        unknown=operations.unknown,
    )


def lines(term: Term) -> int:
    """The length of a program: its lets, and its functions' results; what is shared counts once."""
    found = 0
    for node in distinct_nodes(term, seen=lambda node: isinstance(node, Object)):
        if isinstance(node, Let):
            found += len(node.bindings)
        found += isinstance(node, Lam)
    return found


def _settled(tally: Tally) -> dict[str, int]:
    return dict(sorted(tally.counts.items()))


class _Operations:
    """What a primitive declares; a sum of cotangents is one operation a number."""

    def of(self, term: Term) -> Mapping[str, int]:
        if not isinstance(term, Prim):
            return {}
        primitive = term.operation.primitive
        if primitive is PLUS:
            return {"add": numbers_in(term.type)}
        types = [arg.type for arg in term.args if isinstance(arg.type, Tensor)]
        return {primitive.name: primitive.cost(types, term.type)}

    def round(self, loop: LoopTerm) -> Mapping[str, int]:
        return {}


class _Moves:
    """The numbers that an operation writes; a loop takes its rows and stacks what it keeps."""

    def of(self, term: Term) -> Mapping[str, int]:
        if not isinstance(term, Prim) or term.operation.primitive in STRUCTURAL - {PLUS}:
            return {}
        loop = loop_of(term)
        if loop is not None:
            stack = loop.types.stack
            kept = 0 if stack is None else numbers_in(stack)
            return {"moved": numbers_in(loop.types.xs) + kept}
        return {"moved": numbers_in(term.type)}

    def round(self, loop: LoopTerm) -> Mapping[str, int]:
        return {}
