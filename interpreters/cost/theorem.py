"""What Theorem 5.4 of Huot and Shaikhha (000) speaks of: its language, and its four measures.

The Source language (figure 2) has reals, pairs and arrays of reals; variables, constants, let,
pairing and projection; smooth total operations; ``map2`` and ``reduce``. An operation on whole
arrays is a ``map2``; ``sum`` and ``prod`` are a ``reduce``, and so is a fold that adds from 0 or
multiplies from 1: of other functions nobody knows that they are associative, but of those that
``reduce`` is given.

Figure 11 prices the first-order part of the target language. What a gradient program holds besides
is priced by the same rule: an operation moves its arguments and its result and does one thing to
each number; a shift moves as many numbers as it gives; a call binds its parameters as lets do. A
scan of the paper's, whose array has the last carry too, is a scan and a stack of both here, and has
the figure's price: n · (Cost(e) + 3).

The paper takes the derivative ``∂op`` of an operation for an operation, of the price of ``op``
(section 5.2), and does not ask what formula computes it::

    tanh x    its gradient as we write it     let y = tanh x in 1 - y * y    3 operations
              as the theorem prices it        ∂tanh x                        1 operation
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from combinators.block import opened
from combinators.errors import DiffcurryError
from combinators.kit.tree import distinct_nodes, remade
from combinators.objects import Product, Real, Tensor
from combinators.operation import CONSTANT, Pointwise, Primitive, declare
from combinators.primitives.arithmetic import scale
from combinators.primitives.loops import LOOP, LoopTerm, loop_of
from combinators.primitives.signatures import pointwise
from combinators.primitives.structural import PACK, UNPACK
from combinators.terms import Cond, Const, Lam, Let, Prim, Proj, Term, Tuple, Var, check_unfolding
from combinators.tracing.emit import apply
from interpreters.cost.counted import operations_of
from interpreters.cost.walk import numbers_in, tallied

_OF_ONE = "square sin cos arctan sinh cosh tanh arcsinh exp exp2 expm1 sigmoid softplus erf"
TRANSCENDENTAL = frozenset(_OF_ONE.split())
OPERATIONS = frozenset(("add", "subtract", "multiply", "negative")) | TRANSCENDENTAL
"""Smooth and total: what the paper takes for granted as op1 and op2.

Of two arguments these are + and * (and -): a binary operation both partial derivatives of which
have a price costs more than the theorem's constant grants, four logaddexp in a tree 100 for 78.
"""
UNITS = {"add": 0.0, "multiply": 1.0}


class OutsideSource(DiffcurryError, ValueError):
    """A program that is not in the paper's Source language."""


def nesting(lam: Lam) -> int:
    """``NAO(e)``, how deep array operations nest in the body of ``lam`` (000, section 5.3).

    ``NAO(map2 e1 e2 e3)`` is ``max(1 + NAO(e1), NAO(e2), NAO(e3))``. It raises ``OutsideSource``
    where the program is not in the Source language, or its result is no real.
    """
    if lam.body.type is not Real:
        raise OutsideSource(f"its result is {lam.body.type!r}, not one Real")
    terms = list(distinct_nodes(lam, kind=Term))
    params = [param for node in terms if isinstance(node, Lam) for param in node.params]
    nodes = [*params, *(node for node in terms if node is not lam)]
    passed = {id(loop.function) for loop in map(loop_of, nodes) if loop is not None}
    deep: dict[int, int] = {}
    for node in nodes:
        why = _why_outside(node, is_passed=id(node) in passed)
        if why:
            raise OutsideSource(why)
        one = node.type is Real and isinstance(node, Prim) and node.operation.name in OPERATIONS
        many = isinstance(node, Prim) and not one
        below = (deep[id(part)] + (many and isinstance(part, Lam)) for part in node.below())
        deep[id(node)] = max([int(many), *below])
    return deep[id(lam.body)]


def _why_outside(node: Term, *, is_passed: bool) -> str | None:
    """Why a node is none of Source; None where it is."""
    obj = node.type
    is_array = isinstance(obj, Tensor) and len(obj.shape) == 1 and obj.dtype == "float64"
    is_pair = isinstance(obj, Product) and obj.width >= 2
    match node:
        case Lam():
            return None if is_passed else "it holds a function that is no argument of map or fold"
        case Const() if isinstance(obj, Tensor) and obj.shape:
            return "it holds an array that is a constant, and Source has reals"
        case Prim() if why := _why_no_operation(node):
            return why
        case Cond():
            return "it holds a conditional"
        case Var() | Const() | Let() | Proj() | Tuple(_, None) | Prim():
            if obj is Real or is_array or is_pair:
                return None
            return f"it holds {obj!r}, and Source has reals, pairs and arrays of reals"
        case _:
            return f"it holds a {type(node).__name__}"


def _why_no_operation(node: Prim) -> str | None:
    name, types = node.operation.name, [arg.type for arg in node.args]
    if name in OPERATIONS:
        alike = all(obj is Real or obj is node.type for obj in types)
        return None if alike else f"{name} takes arrays of two lengths"
    if node.operation.primitive is not LOOP:
        is_reduce = name in ("sum", "prod") and isinstance(types[0], Tensor)
        return None if is_reduce else f"{name} is no operation of Source"
    loop = LoopTerm(node)
    match loop.types.carry, loop.types.item:
        case None, Tensor():
            return None
        case None, _:
            return "it maps to what is no array of reals"
        case _, None:
            adds = _is_reduce(loop)
            return None if adds else "it folds with a function that is not + from 0 or * from 1"
        case _:
            return f"{name} is no operation of Source"


def _is_reduce(loop: LoopTerm) -> bool:
    if loop.types.is_associative:
        return True
    match loop.function, loop.init:
        case Lam((x, y), Prim(operation, (Var(first), Var(second)))), Const(literal):
            return (
                {first, second} == {x.name, y.name}
                and operation.name in UNITS
                and literal.array.item() == UNITS[operation.name]
            )
        case _:
            return False


def priced(lam: Lam) -> Lam:
    """``lam``, a program of Source, with a priced derivative for each transcendental operation.

    The λ is for deriving and counting: carriers have no values of the priced operations.
    """

    def at(node: Any) -> Any:
        if not isinstance(node, Prim) or node.operation.name not in TRANSCENDENTAL:
            return node
        return Prim(_twin(node.operation.primitive).plain, node.args, node.place)

    made: Lam = remade(lam, at)
    return made


@cache
def _twin(primitive: Primitive) -> Primitive:
    """An operation of the same price, whose derivative is an operation of that price."""
    slope = declare(f"∂{primitive.name}", pointwise, CONSTANT, public=False)

    def rule(v: Any, x: Any, y: Any) -> Any:
        return scale(v, apply(slope, x))

    return declare(primitive.name, pointwise, Pointwise(rule), public=False)


# ---- Figure 11 -----------------------------------------------------------------------------------

MEASURES = {
    **dict.fromkeys(("add", "subtract", "plus", "sum", "cumsum", "put"), "adds"),
    **dict.fromkeys(("multiply", "scale", "prod", "exclusive_cumprod"), "mults"),
    **dict.fromkeys(("matmul", "recurrence"), "mults"),
}
"""What an operation is counted as; any other is one of ``nlops``."""
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


def measured(lam: Lam, *, named: bool = False) -> Measures:
    """``Cost(e)`` of the body of ``lam``, a closed λ; or of it with a name for each operation."""
    check_unfolding(lam)
    tally = tallied(remade(lam, _scan), _with_names if named else _figure_11)
    moves, adds, mults, nlops = (tally.counts[kind] for kind in Measures._fields[:4])
    return Measures(moves, adds, mults, nlops, tally.exact)


def _keeps_carry(loop: LoopTerm) -> bool:
    """Whether it is a scan of the paper's, which keeps what it carries, and names it no more."""
    if isinstance(loop.function, Lam) and len(loop.function.params) == 2:
        match opened(loop.function.body)[1]:
            case Tuple((_, Var(kept))):
                return kept == loop.function.params[0].name
    return False


def _scan(node: Any) -> Any:
    """A stack and the last carry beside it are the array of n + 1 that the paper's scan gives."""
    match node:
        case Prim(joined, (Proj(1, Var(name)), Prim(row, (Proj(0, Var(other)),)))) | Prim(
            joined, (Prim(row, (Proj(0, Var(name)),)), Proj(1, Var(other)))
        ) if (joined.name, row.name, name) == ("concatenate", "reshape", other):
            return Var(name, node.type)
        case _:
            return node


def _figure_11(term: Term) -> Mapping[str, int]:
    """The figure, a line a form."""
    match term:
        case Var() | Proj():
            return {"moves": 1}
        case Const():
            return {"moves": numbers_in(term.type)}
        case Let(bindings, _):
            return {"moves": len(bindings)}
        case Prim():
            return _of_operation(term)
        case _:
            return {}


def _with_names(term: Term) -> Mapping[str, int]:
    """What it is to be given a name, too: each operand that computes is a let and a variable."""
    priced, atoms = dict(_figure_11(term)), Var | Const | Lam | Let
    operands = () if isinstance(term, Let | Lam) else term.below()
    moves = 2 * sum(not isinstance(part, atoms) for part in operands)
    return priced | {"moves": priced.get("moves", 0) + moves}


def _of_operation(term: Prim) -> Mapping[str, int]:
    """``Cost(op1) = (2, 0, 0, 1)``, ``Cost(+) = (3, 1, 0, 0)``; on arrays a ``map`` of these."""
    name, arity, loop = term.operation.name, len(term.args), loop_of(term)
    if loop is not None:  # a round takes a row, and moves what it carries, and what it keeps
        carry, item = loop.types.carry, loop.types.item
        moves = 1 + (carry is not None) + (item is not None) - _keeps_carry(loop)
        return {"moves": loop.types.length * moves}
    kind = MEASURES.get(name, "nlops")
    if name in REDUCING:  # reduce (x, y. x op y): operation and variables
        rounds = numbers_in(term.args[0].type)
        return {"moves": rounds * (3 + 2 + REDUCING[name]) + 1, kind: rounds}
    if term.operation.primitive in {PACK, UNPACK}:
        return {}
    done = sum(operations_of(term).values())
    if not done:
        return {"moves": numbers_in(term.type)}
    moves = 1 + arity
    if not isinstance(term.type, Tensor) or term.type.shape:
        # each argument of the operation is a variable, and map2 moves two more numbers a round
        moves += arity + (2 if arity > 1 else 0)
    return {"moves": done * moves, kind: done}
