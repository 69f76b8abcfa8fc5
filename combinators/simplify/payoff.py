"""Which sums are taken out of a loop: those that cost less after it.

A factor of what is added has to be stacked, unless it is a row of the loop, or stacked for another
sum. What a step stacks for a sum is no larger than what it adds, and with what is moved after the
loop no more than it wrote; everything that is stacked is no larger than the rows. So no number is
computed or moved that was not, and memory is at most what it was, twice.
"""

from __future__ import annotations

from combinators.kit.recursion import Recursive, recurse
from combinators.objects import Object, Tensor, components
from combinators.simplify.accumulators import Accumulator, Addend, Body
from combinators.terms import Prim, Term


def chosen(body: Body, additions: frozenset[str]) -> list[Accumulator]:
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

    def __init__(self, body: Body) -> None:
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
        return {(left, "left"): times * numbers(left.type), (right, "right"): numbers(right.type)}


def numbers(obj: Object) -> int:
    """How many numbers a value of a type holds."""
    return recurse(_numbers(obj, {}))


def _numbers(obj: Object, known: dict[int, int]) -> Recursive[int]:
    if id(obj) not in known:
        product, found = components(obj), 0
        for part in product.parts if product is not None else ():
            found += yield _numbers(part, known)
        known[id(obj)] = obj.size if isinstance(obj, Tensor) else found
    return known[id(obj)]
