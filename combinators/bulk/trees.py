"""Associative loops as trees of loops over few rows, which run in bulk: 16 rows at a time.

A reduce combines each block of rows, all blocks at once, and then what these gave, with the rows
that no block had; here with blocks of three:

    a b c d e f g h   →   abc def g h   →   u ∘ abc ∘ def ∘ g ∘ h

A scan keeps what stands before each row in its block, scans what blocks gave, and combines both
(Blelloch, *Prefix sums and their applications*, 1990):

    a b c d e f g     →   a ab | d de   and   u  u∘abc  u∘abcdef
                      →   u  u∘a  u∘ab  abc'  abc'∘d  abc'∘de  abcdef'

The order of the rows is kept, so the operator need not commute, and where it starts need not be
its unit. Nothing is told of associativity after this: what is left are loops and maps of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from combinators.kit.tree import remade
from combinators.objects import Object, Product, Tensor
from combinators.operation import Operation
from combinators.primitives.loops import LoopType, is_associative, loop_term, sequential
from combinators.terms import Lam, Let, Proj, Tuple, Var
from combinators.tracing import control
from combinators.tracing.associative import each_leaf
from combinators.tracing.faces import face_of, is_large
from combinators.tracing.functions import traced
from combinators.tracing.traced import LIBRARY
from combinators.type_folds import is_first_order, types_within

BLOCK = 16
"""So many rows are combined in sequence, in all blocks at once."""
NUMBERS, ARRAYS = 256, 2 * BLOCK
"""So many are combined one by one, where there are no more: rows of numbers, and others."""

Op = Callable[[Any, Any], Any]


def in_trees(lam: Lam) -> Lam:
    """The closed λ ``lam`` without associative loops."""
    made: Lam = remade(lam, _tree)
    return made


def _tree(node: Any) -> Any:
    if not is_associative(node):
        return node
    types = tuple(arg.type for arg in node.args)
    loop = LoopType.of(node.operation, types)
    if loop.length > _few(loop.row) and is_first_order(loop.row) and not is_large(loop.row):
        lam, whole = written(node.operation, types), Var("whole", Product(*types))
        parts = [(param, Proj(i, whole)) for i, param in enumerate(lam.params)]
        return Let(((whole, Tuple(node.args)), *parts), lam.body)
    function, init, xs = node.args
    return loop_term(sequential(node.operation), function, init, xs, node.place)


def _few(row: Object) -> int:
    arrays = any(part.shape for part in types_within(row) if isinstance(part, Tensor))
    return ARRAYS if arrays else NUMBERS


@cache
def written(operation: Operation, types: tuple[Object, ...]) -> Lam:
    """``λ(f, start, xs)``, the loop as a tree."""
    loop = LoopType.of(operation, types)
    turn = slice(None, None, -1 if loop.reverse else None)

    def tree(f: Op, start: Any, xs: Any) -> Any:
        xs = _rows(xs, turn)
        if loop.item is None:
            return _reduced(f, start, xs, loop)
        before = _before(lambda a, b: f(a, b)[0], start, xs, loop.length, _few(loop.row))
        items = control.map(lambda c, x: f(c, x)[1], before, xs)
        return f(_rows(before, -1), _rows(xs, -1))[0], _rows(items, turn)

    return traced(tree, types, (None, *map(face_of, types[1:])))


def _reduced(op: Op, start: Any, xs: Any, loop: LoopType) -> Any:
    length = loop.length
    while length > _few(loop.row):
        first, others, rest = _blocks(xs, length)
        wholes = control.fold(lambda c, x: control.map(op, c, x), first, others)
        xs, length = _joined(wholes, rest), length // BLOCK + length % BLOCK
    return control.fold(op, start, xs)


def _before(op: Op, start: Any, xs: Any, length: int, few: int) -> Any:
    """What stands before each row."""
    if length <= few:
        return control.scan(lambda c, x: (op(c, x), c), start, xs)[1]
    first, others, rest = _blocks(xs, length)
    wholes, inside = control.scan(lambda c, x: (control.map(op, c, x), c), first, others)
    count = length // BLOCK
    starts = _before(op, start, _joined(wholes, rest), count + length % BLOCK, few)
    of_blocks = _rows(starts, slice(count))
    behind = control.map(lambda row: control.map(op, of_blocks, row), inside)
    return each_leaf(_in_order, of_blocks, behind, _rows(starts, slice(count, None)))


def _blocks(xs: Any, length: int) -> tuple[Any, Any, Any]:
    """The first row of each block, the second of each, the third …, and the rows of none."""
    whole = length - length % BLOCK

    def columns(x: Any) -> Any:
        blocks = LIBRARY["reshape"](x[:whole], (whole // BLOCK, BLOCK, *x.shape[1:]))
        return LIBRARY["swapaxes"](blocks, 0, 1)

    turned = each_leaf(columns, xs)
    return _rows(turned, 0), _rows(turned, slice(1, None)), _rows(xs, slice(whole, None))


def _in_order(first: Any, others: Any, rest: Any) -> Any:
    """The rows of blocks as they stood, and behind them those of none."""
    columns = LIBRARY["concatenate"]((LIBRARY["reshape"](first, (1, *first.shape)), others), axis=0)
    blocks = LIBRARY["swapaxes"](columns, 0, 1)
    rows = LIBRARY["reshape"](blocks, (-1, *first.shape[1:]))
    return LIBRARY["concatenate"]((rows, rest), axis=0)


def _rows(xs: Any, index: int | slice) -> Any:
    return each_leaf(lambda x: x[index], xs)


def _joined(xs: Any, ys: Any) -> Any:
    return each_leaf(lambda x, y: LIBRARY["concatenate"]((x, y), axis=0), xs, ys)
