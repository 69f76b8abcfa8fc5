"""The cheap gradient, stated for one program and its gradient, and checked by counting.

Law K1 bounds the operations of value and gradient by a constant times the program's, plus the size
of the result and of the gradient itself. For a program in the paper's Source language Theorem 5.4
of Huot and Shaikhha (000) bounds the cost of the gradient by ``4 · 3^p`` times the program's, where
p is how deep array operations nest. The four measures are summed; the program has a name for each
operation, as the paper's unary form has, since the gradient needs them; and the size of Γ is added,
since the gradient of a variable that is not used has to be written too. The paper prices the
derivative of an operation as an operation: see ``interpreters.cost.theorem``.

Some numbers are ``passed`` on for nothing: a round of a loop that hands on its carry, or what its
function captures, computes nothing, and neither does spreading an array over a larger shape.
Backwards their cotangents are summed: an operation a number, and for what is spread another one,
where only parts of it are taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from combinators.kit.tree import distinct_nodes
from combinators.primitives.loops import is_associative, loop_of
from combinators.primitives.shapes import BROADCAST_TO
from combinators.primitives.structural import FIX
from combinators.terms import Lam, Prim, Term, captured
from combinators.type_folds import holds_functions, tangent_of
from interpreters.cost.counted import Cost, counted, number, plural, ratio
from interpreters.cost.theorem import OutsideSource, measured, nesting
from interpreters.cost.walk import numbers_in, tallied


def passed(lam: Lam) -> int:
    """The numbers that a closed λ spreads, twice, and that a round or a call hands on."""
    return tallied(lam, _passed_on).total


def _passed_on(term: Term) -> Mapping[str, int]:
    loop = loop_of(term)
    if isinstance(term, Prim) and term.operation == FIX and isinstance(term.args[0], Lam):
        step = term.args[0]
        return {"passed": _size_of([*captured(step)[0], *step.params])}
    if loop is not None:
        function = loop.function
        carried = [] if loop.init is None else [loop.init]
        held = captured(function)[0] if isinstance(function, Lam) else ()
        return {"passed": loop.types.length * _size_of([*carried, *held])}
    if isinstance(term, Prim) and term.operation.primitive is BROADCAST_TO:
        return {"passed": 2 * _size_of([term])}
    return {}


def _size_of(terms: Iterable[Term]) -> int:
    """How many numbers the cotangents of ``terms`` hold."""
    return sum(numbers_in(tangent_of(term.type)) for term in terms)


OPERATIONS, DIVIDING = 5, 6
"""How many operations K1 grants for one of the program: the second where the program divides."""
DIVISIONS = frozenset(("divide", "remainder", "floor_divide", "unscale"))

COMBINING = 3
"""So many times as many where rows are combined by an operator, for each such loop in another. It
runs for the value, for what stands before each row, and for products of derivatives, and twice with
its own derivative: for those products, and for the rows. That is 3 + 2c for its c, at most 3c."""

THEOREM = "Theorem 5.4 of Huot & Shaikhha"


@dataclass(frozen=True)
class Bound:
    """One inequality, with numbers on both sides."""

    law: str
    says: str
    left: int
    right: int
    sum: str
    exact: bool
    per_call: bool = False
    """Whether it is stated of one call of each recursive function."""

    @property
    def holds(self) -> bool:
        """Whether the left side is at most the right."""
        return self.left <= self.right

    def __str__(self) -> str:
        """The law, then the law with numbers."""
        verdict = "holds" if self.holds else "does NOT hold"
        how = "exact" if self.exact else "at most, along the dearest path of each side"
        how = "per call of each recursive function" if self.per_call else how
        return (
            f"{self.law}: {self.says}\n"
            f"  {number(self.left)} ≤ {number(self.right)} = {self.sum}: {verdict} ({how})"
        )


@dataclass(frozen=True)
class Certificate:
    """What the gradient of a program costs beside the program, and which laws bound it."""

    name: str
    program: Cost
    gradient: Cost
    bounds: tuple[Bound, ...]
    remarks: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every bound that could be stated holds, and there is one."""
        return bool(self.bounds) and all(bound.holds for bound in self.bounds)

    @property
    def exact(self) -> bool:
        """Whether every run costs exactly this, or else at most this."""
        return self.program.exact and self.gradient.exact

    @property
    def ratio(self) -> float:
        """Operations of the gradient program for one of the program; nan for a free program."""
        total = self.program.total
        return self.gradient.total / total if total else float("nan")

    def __str__(self) -> str:
        """The ratio, then a bound a paragraph."""
        times = ratio(self.gradient.total, self.program.total)
        head = (
            f"{self.name}: {plural(self.program.total, 'operation')}, with its gradient "
            f"{number(self.gradient.total)}: {times} for one "
            f"({'exact' if self.exact else 'at most'})"
        )
        return "\n".join([head, *map(str, self.bounds), *self.remarks])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The text."""
        return f"<pre>{escape(str(self))}</pre>"


def certificate(
    program: Lam,
    both: Lam,
    gradient: Lam | None = None,
    costs: tuple[Cost, Cost] | None = None,
) -> Certificate:
    """The certificate of ``program``, given the λ ``both`` of its value and gradient.

    Theorem 5.4 speaks of the ``gradient`` alone, of the program whose derivatives are ``priced``;
    where it is not given, the theorem is held to ``both``, which costs no less. ``costs`` are those
    of ``program`` and ``both`` where they were counted by a run. A bound that cannot be stated is
    left out, and a remark says why.
    """
    first, second = costs or (counted(program), counted(both))
    name = program.name or "the program"
    if first.unknown or second.unknown:
        why = "no bound: it depends on functions that are not known; give them as arguments"
        if not any(holds_functions(param.type) for param in program.params):
            why = (
                "no bound at types: it depends on functions that are made inside; "
                "given arguments, it is counted in a run"
            )
        return Certificate(name, first, second, (), (why,))
    bounds, remarks = [_law_k1(program, first, second)], []
    try:
        deep, size = nesting(program), _size_of(program.params)
        ours, theirs = measured(program, named=True), measured(gradient or both)
        constant = 4 * 3**deep
        bounds.append(
            Bound(
                THEOREM,
                f"Cost(∇f) ≤ 4·3^{deep}·Cost(f) + size(Γ), the four measures summed",
                theirs.total,
                constant * ours.total + size,
                f"{constant}·{number(ours.total)} + {number(size)}",
                ours.exact and theirs.exact,
            )
        )
    except OutsideSource as outside:
        remarks.append(f"{THEOREM} does not speak of this program: {outside.args[0]}")
    return Certificate(name, first, second, tuple(bounds), tuple(remarks))


def _combining(nodes: Iterable[Term]) -> int:
    """How deep associative loops stand in one another; of the ``nodes`` each follows its parts."""
    deep: dict[int, int] = {}
    for node in nodes:
        below = max([deep.get(id(part), 0) for part in node.below()], default=0)
        deep[id(node)] = below + is_associative(node)
    return max(deep.values())


def _law_k1(program: Lam, first: Cost, second: Cost) -> Bound:
    nodes = list(distinct_nodes(program, kind=Term))
    divides = any(isinstance(node, Prim) and node.operation.name in DIVISIONS for node in nodes)
    constant = (DIVIDING if divides else OPERATIONS) * COMBINING ** _combining(nodes)
    granted = {
        "passed(f)": passed(program),
        "size(ȳ)": numbers_in(program.body.type),
        "size(Γ)": _size_of(program.params),
    }
    if not granted["passed(f)"]:
        del granted["passed(f)"]
    return Bound(
        "law K1",
        " + ".join([f"ops(f, ∇f) ≤ {constant}·ops(f)", *granted]),
        second.total,
        constant * first.total + sum(granted.values()),
        " + ".join([f"{constant}·{number(first.total)}", *map(number, granted.values())]),
        first.exact and second.exact,
        first.recurs or second.recurs,
    )
