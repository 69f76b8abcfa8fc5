"""The cost model of Huot and Shaikhha (000, section 5.2 and figure 11): four elementary measures.

The figure prices the first-order part of the target language. What a gradient program holds besides
is priced by the same rule: an operation moves its arguments and its result and does one thing to
each number; a shift moves as many numbers as it gives; a call binds its parameters as lets do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from combinators.free import check_unfolding
from combinators.objects import Tensor
from combinators.primitives.loops import LOOP, LoopTerm
from combinators.primitives.structural import PACK, UNPACK
from combinators.terms import Const, Lam, Let, Prim, Proj, Term, Var
from interpreters.cost.contents import numbers_in
from interpreters.cost.walk import tallied

ADDITIVE = frozenset(("add", "subtract", "plus", "sum", "cumsum", "put"))
MULTIPLICATIVE = frozenset(("multiply", "scale", "prod", "exclusive_cumprod"))
REDUCING = {
    **dict.fromkeys(("sum", "prod", "max", "min", "argmax", "argmin"), 2),
    **dict.fromkeys(("cumsum", "exclusive_cumprod"), 3),
}
"""What is a reduce or a scan, and the numbers that a round of it moves besides its operation."""


class Measures(NamedTuple):
    """MOVES, ADDS, MULTS and NLOPS."""

    moves: int
    adds: int
    mults: int
    nlops: int
    exact: bool = True

    @property
    def total(self) -> int:
        """The four measures summed."""
        return self.moves + self.adds + self.mults + self.nlops


def measured(lam: Lam) -> Measures:
    """``Cost(e)`` of the body of ``lam``, a closed λ."""
    check_unfolding(lam)
    tally = tallied(lam, _Figure11())
    moves, adds, mults, nlops = (tally.counts[kind] for kind in Measures._fields[:4])
    return Measures(moves, adds, mults, nlops, tally.exact)


class _Figure11:
    """The figure, a line a form."""

    def of(self, term: Term) -> Mapping[str, int]:
        match term:
            case Var() | Proj():
                return {"moves": 1}
            case Const():
                return {"moves": numbers_in(term.type)}
            case Let(bindings, _):
                return {"moves": len(bindings)}
            case Prim() if isinstance(term.type, Tensor) and term.type.shape == ():
                return _scalar(term)
            case Prim():
                return _several(term)
            case _:
                return {}

    def round(self, loop: LoopTerm) -> Mapping[str, int]:
        """A row is taken; what it carries is moved, and what it keeps."""
        types = loop.types
        return {"moves": 1 + (types.carry is not None) + (types.item is not None)}


def _scalar(term: Prim) -> Mapping[str, int]:
    """``Cost(op1) = (2, 0, 0, 1)``, ``Cost(+) = (3, 1, 0, 0)``; a reduction is a ``reduce``."""
    if term.operation.name in REDUCING:
        return _loop(term, numbers_in(term.args[0].type), REDUCING[term.operation.name])
    done = _done(term)
    if not done:
        return {} if term.operation.primitive is LOOP else {"moves": numbers_in(term.type)}
    return {"moves": done * (1 + len(term.args)), _measure(term): done}


def _several(term: Prim) -> Mapping[str, int]:
    """An operation on arrays is a ``map`` or a ``map2`` of the operation on numbers."""
    if term.operation.primitive in {LOOP, PACK, UNPACK}:
        return {}
    if term.operation.name in REDUCING:
        return _loop(term, numbers_in(term.args[0].type), REDUCING[term.operation.name])
    done = _done(term)
    if not done:
        return {"moves": numbers_in(term.type)}
    arity = len(term.args)
    # each argument of the operation is a variable, and map2 moves two more numbers a round
    each = (1 + arity) + arity + (2 if arity > 1 else 0)
    return {"moves": done * each, _measure(term): done}


def _loop(term: Prim, rounds: int, moves: int) -> Mapping[str, int]:
    """``reduce (x, y. x op y)``, ``scanl (x, y. x op y)``: operation and variables."""
    return {"moves": rounds * (3 + 2 + moves) + 1, _measure(term): rounds}


def _done(term: Prim) -> int:
    """How many scalar operations a primitive does."""
    if term.operation.name == "plus":
        return numbers_in(term.type)
    types = [arg.type for arg in term.args if isinstance(arg.type, Tensor)]
    return term.operation.primitive.cost(types, term.type)


def _measure(term: Prim) -> str:
    name = term.operation.name
    if name in ADDITIVE:
        return "adds"
    return "mults" if name in MULTIPLICATIVE or name in ("matmul", "recurrence") else "nlops"


__all__ = ["Measures", "measured"]
