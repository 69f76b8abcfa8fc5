"""The loop, of which ``fold``, ``scan`` and ``map`` are words, and its types.

There is one loop: from a function, where to start, and rows, to what it carries and what it keeps,

    ``loop : (C × X ⇒ C × Y) × C × Xⁿ → C × Yⁿ``

from the first row to the last, or the other way. A loop may carry nothing, or keep nothing: then
``C``, or ``Y``, is not there at all, neither among the arguments nor in a product of one.

| word   | carries | keeps | type |
|--------|---------|-------|------|
| `scan` | yes     | yes   | `(C × X ⇒ C × Y) × C × Xⁿ → C × Yⁿ` |
| `fold` | yes     | no    | `(C × X ⇒ C) × C × Xⁿ → C` |
| `map`  | no      | yes   | `(X ⇒ Y) × Xⁿ → Yⁿ` |

Where what it carries is combined by an associative operator, ``C × C ⇒ C``, of which where to start
is a unit, the rounds need not be in sequence: a fold is a `reduce` then, and a scan a `scanl`, or a
`scanr` from the last row to the first (000, section 3). They mean what the fold and the scan mean,
and their derivatives and their code are of few steps in bulk.

``LoopType`` is the one view of its types, ``LoopTerm`` of its parts in a program, and ``looping``
the one way to an operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from combinators.errors import Place, TypeMismatch
from combinators.objects import Fun, Object, Product, component, components
from combinators.operation import Operation, declare, free
from combinators.terms import Lam, Prim, Term, Var
from combinators.type_folds import length_of, row_of, stack_of


def word_of(
    carries: bool = True, keeps: bool = True, reverse: bool = False, sequential: bool = True
) -> str:
    """``fold``, ``scan``, ``map``, ``reduce`` …: what a loop is called by people."""
    if carries and keeps:
        return "scan" if sequential else "scanr" if reverse else "scanl"
    return ("fold" if sequential else "reduce") if carries else "map"


def _loop(
    f: Object,
    *operands: Object,
    carries: bool = True,
    keeps: bool = True,
    reverse: bool = False,
    sequential: bool = True,
) -> Object:
    word, xs = word_of(carries, keeps, reverse, sequential), operands[-1]
    if len(operands) != 1 + carries or not (carries or keeps):
        start = ", where to start," if carries else ""
        raise TypeMismatch(f"{word} takes a function{start} and rows, and carries or keeps")
    length, row = length_of(xs, word), row_of(xs, word)
    carry = operands[0] if carries else None
    if not sequential and row is not carry:
        raise TypeMismatch(
            f"{word} combines rows of {row!r} from a unit of that type, and this is {carry!r}; "
            "what combines two types is a fold or a scan"
        )
    given = function_type(f, row if carry is None else Product(carry, row), word).cod
    after, item = given, given
    if carries and keeps:
        pair = components(given)
        if pair is None or pair.width != 2:
            raise TypeMismatch(f"scan takes f(carry, x) -> (carry, y), but f gives {given!r}")
        after, item = pair.parts
    if carry is None:
        return stack_of(item, length)
    if after is not carry:
        raise TypeMismatch(
            f"{word} carries {carry!r} from step to step, but its function gives {after!r}"
        )
    return Product(carry, stack_of(item, length)) if keeps else carry


def function_type(f: Object, dom: Object, what: str) -> Fun:
    """The type of a function that is called with ``dom``; ``what`` is named in errors."""
    if not isinstance(f, Fun):
        raise TypeMismatch(f"{what} takes a function, and {f!r} is not one")
    if f.dom is not dom:
        raise TypeMismatch(f"{what} calls its function with {dom!r}, but it takes {f.dom!r}")
    return f


LOOP = declare("loop", _loop, None, cost=free, word=word_of)


@cache
def looping(
    *, carries: bool = True, keeps: bool = True, reverse: bool = False, sequential: bool = True
) -> Operation:
    """The loop that carries, keeps, or both; without a carry, the direction does not matter.

    One that is not ``sequential`` carries what an associative operator combines.
    """
    flags = {"carries": carries, "keeps": keeps, "sequential": sequential or not carries}
    said = [(name, False) for name, has in flags.items() if not has]
    return Operation(LOOP, (*said, *[("reverse", True)] * (reverse and carries)))


def sequential(operation: Operation) -> Operation:
    """The loop that goes from row to row, and means the same."""
    known = {name: value for name, value in operation.keywords.items() if name != "sequential"}
    return looping(**known)


FOLD, FOLD_BACKWARDS = looping(keeps=False), looping(keeps=False, reverse=True)
SCAN, SCAN_BACKWARDS = looping(), looping(reverse=True)
MAP = looping(carries=False)


@dataclass(frozen=True)
class LoopType:
    """A loop at its types; where it carries or keeps nothing, that is None.

    Values of a loop come in pairs of which a half may be missing: the argument of a round is
    ``(carry, row)`` or a row, what it gives is ``(carry, item)`` or one of them, and the value of
    the loop ``(carry, stack)`` or one of them: ``joined`` and ``halves`` make and take such.
    """

    operation: Operation
    function: Fun
    carry: Object | None
    xs: Object
    item: Object | None

    @classmethod
    def of(cls, operation: Operation, types: Sequence[Object]) -> LoopType:
        """Of the types of a loop's arguments."""
        has, function = operation.keywords, types[0]
        assert isinstance(function, Fun)
        carry = types[1] if has.get("carries", True) else None
        keeps = has.get("keeps", True)
        item = component(function.cod, 1) if keeps and carry is not None else function.cod
        return cls(operation, function, carry, types[-1], item if keeps else None)

    @property
    def row(self) -> Object:
        """The type of a row."""
        return row_of(self.xs)

    @property
    def length(self) -> int:
        """How many rounds there are."""
        return length_of(self.xs)

    @property
    def stack(self) -> Object | None:
        """The type of what is kept, together."""
        return None if self.item is None else stack_of(self.item, self.length)

    @property
    def reverse(self) -> bool:
        """Whether it runs from the last row to the first."""
        return bool(self.operation.keywords.get("reverse"))

    @property
    def is_associative(self) -> bool:
        """Whether it combines rows by an associative operator, from its unit."""
        return not self.operation.keywords.get("sequential", True)

    @property
    def rounds(self) -> range:
        """The rows in the order in which they are taken."""
        return range(self.length)[::-1] if self.reverse else range(self.length)

    def halves(self, whole: Any, part: Callable[[Any, int], Any]) -> tuple[Any, Any]:
        """The carry and what is kept, of what a round or the loop gives; None of what is not."""
        if self.carry is not None and self.item is not None:
            return part(whole, 0), part(whole, 1)
        return (None, whole) if self.carry is None else (whole, None)

    def joined(self, carry: Any, kept: Any, pair: Callable[[Any, Any], Any]) -> Any:
        """What has these halves: the inverse of ``halves``."""
        if self.carry is not None and self.item is not None:
            return pair(carry, kept)
        return kept if self.carry is None else carry


@dataclass(frozen=True)
class LoopTerm:
    """The parts of a loop that stands in a program."""

    term: Prim
    operation: Operation = field(init=False)
    function: Term = field(init=False)
    """What each round applies."""
    init: Term | None = field(init=False)
    """Where the carry starts, if there is one."""
    xs: Term = field(init=False)
    """What it runs over."""

    def __post_init__(self) -> None:
        function, *init, xs = self.term.args
        start = init[0] if init else None
        vars(self).update(operation=self.term.operation, function=function, init=start, xs=xs)

    @cached_property
    def types(self) -> LoopType:
        """Its types."""
        return LoopType.of(self.operation, [arg.type for arg in self.term.args])

    def params(self, lam: Lam) -> tuple[Var | None, tuple[Var, ...]]:
        """The parameters of its λ that stand for the carry, and for the row or parts of it.

        A λ that takes carry and row as one has neither.
        """
        if self.init is None:
            return None, lam.params
        return (lam.params[0], lam.params[1:]) if len(lam.params) == 2 else (None, ())


def loop_of(term: object) -> LoopTerm | None:
    """The loop that a term is."""
    if isinstance(term, Prim) and term.operation.primitive is LOOP:
        return LoopTerm(term)
    return None


def is_map(term: object) -> bool:
    """Whether a term is a loop that carries nothing, so that its rounds are apart."""
    return type(term) is Prim and term.operation.primitive is LOOP and term.operation == MAP


def is_associative(term: object) -> bool:
    """Whether a term is a loop that combines rows by an associative operator."""
    if type(term) is not Prim or term.operation.primitive is not LOOP:
        return False
    return not term.operation.keywords.get("sequential", True)


def is_parallel(term: object) -> bool:
    """Whether a term is a loop whose rounds need not be in sequence: a map is one, too."""
    return is_map(term) or is_associative(term)


def is_open(term: Prim) -> bool:
    """Whether a primitive is a loop that can be written with less: an associative one stays."""
    return term.operation.primitive is LOOP and not is_associative(term)


def loop_term(
    operation: Operation, function: Term, init: Term | None, xs: Term, place: Place | None = None
) -> Prim:
    """The loop of these parts."""
    return Prim(operation, (function, xs) if init is None else (function, init, xs), place)
