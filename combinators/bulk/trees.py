"""Associative loops as balanced trees of maps: few steps in bulk in place of many, one by one.

A reduce combines neighbours, all pairs at once, until few are left; a row that has no neighbour
waits, and comes last:

    a b c d e f g   →   ab cd ef | g   →   abcd | ef g   →   u ∘ abcd ∘ efg

A scan combines neighbours, scans these, and fills in what is between (Blelloch, *Prefix sums and
their applications*, 1990; ``associative_scan`` of JAX):

    a b c d e   →   ab cd   →   ab abcd   →   a ab (ab)c abcd (abcd)e

The order of the rows is kept, so the operator need not commute. Nothing is told of associativity
after this: what is left are maps, and loops over a few numbers.
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
from combinators.tracing.faces import face_of, is_large, put_together, take_apart
from combinators.tracing.functions import Draft
from combinators.tracing.scope import apart
from combinators.tracing.traced import LIBRARY
from combinators.type_folds import is_first_order, types_within

FEW, MANY = 16, 256
"""So many numbers are combined one by one: those that are left of many, and all of not many."""


def in_trees(lam: Lam) -> Lam:
    """The closed λ ``lam`` without associative loops."""
    made: Lam = remade(lam, _tree)
    return made


def _tree(node: Any) -> Any:
    if not is_associative(node):
        return node
    types = tuple(arg.type for arg in node.args)
    loop = LoopType.of(node.operation, types)
    many = MANY if _is_of_numbers(loop.row) else 2
    if loop.length > many and is_first_order(loop.row) and not is_large(loop.row):
        lam, whole = written(node.operation, types), Var("whole", Product(*types))
        parts = [(param, Proj(i, whole)) for i, param in enumerate(lam.params)]
        return Let(((whole, Tuple(node.args)), *parts), lam.body)
    function, init, xs = node.args
    return loop_term(sequential(node.operation), function, init, xs, node.place)


@cache
def written(operation: Operation, types: tuple[Object, ...]) -> Lam:
    """``λ(f, unit, xs)``, the loop as a tree."""
    loop = LoopType.of(operation, types)
    rule = _reduced if loop.item is None else _scanned
    few = FEW if _is_of_numbers(loop.row) else 1
    with apart():
        faces = None, *map(face_of, types[1:])
        return Draft(lambda f, u, xs: rule(f, u, xs, loop, few), types, faces).finish().lam


def _is_of_numbers(row: Object) -> bool:
    return all(not part.shape for part in types_within(row) if isinstance(part, Tensor))


Op = Callable[[Any, Any], Any]


def _reduced(op: Op, unit: Any, xs: Any, loop: LoopType, few: int) -> Any:
    xs, left, waiting = _turned(xs, loop), loop.length, None
    while left > few:
        if left % 2:
            last = _row(xs, left - 1)
            waiting = last if waiting is None else op(last, waiting)
        left //= 2
        xs = control.map(op, _part(xs, 0, 2 * left, 2), _part(xs, 1, 2 * left, 2))
    found = control.fold(op, unit, xs) if few > 1 else op(unit, _row(xs, 0))
    return found if waiting is None else op(found, waiting)


def _scanned(f: Op, unit: Any, xs: Any, loop: LoopType, few: int) -> Any:
    def op(a: Any, b: Any) -> Any:
        return f(a, b)[0]

    xs, last = _turned(xs, loop), loop.length - 1
    before = _prefixes(op, _joined(_stacked(unit), _part(xs, 0, last)), loop.length, few)
    items = control.map(lambda c, x: f(c, x)[1], before, xs)
    return op(_row(before, last), _row(xs, last)), _turned(items, loop)


def _prefixes(op: Op, xs: Any, length: int, few: int) -> Any:
    """What stands before each row, and itself."""
    if length <= few:
        if length == 1:
            return xs

        def both(before: Any, x: Any) -> Any:
            after = op(before, x)
            return after, after

        return _joined(_part(xs, 0, 1), control.scan(both, _row(xs, 0), _part(xs, 1, length))[1])
    half = length // 2
    pairs = control.map(op, _part(xs, 0, 2 * half, 2), _part(xs, 1, 2 * half, 2))
    odd, even = _prefixes(op, pairs, half, few), _part(xs, 0, 1)
    between = (length - 1) // 2
    if between:
        filled = control.map(op, _part(odd, 0, between), _part(xs, 2, length, 2))
        even = _joined(even, filled)
    return _each(lambda x, y: _interleaved(x, y, half), even, odd)


def _interleaved(even: Any, odd: Any, half: int) -> Any:
    pairs = LIBRARY["stack"]((even[:half], odd), axis=1)
    found = LIBRARY["reshape"](pairs, (2 * half, *odd.shape[1:]))
    left = even.shape[0] - half
    return LIBRARY["concatenate"]((found, even[half:]), axis=0) if left else found


def _each(change: Callable[..., Any], *stacks: Any) -> Any:
    """A container of rows, of which each leaf is changed, with those of the others."""
    face = take_apart(stacks[0])[0]
    leaves = zip(*[take_apart(stack)[1] for stack in stacks], strict=True)
    return put_together(face, iter([change(*each) for each in leaves]))


def _part(xs: Any, start: int, stop: int, step: int = 1) -> Any:
    return _each(lambda x: x[start:stop:step], xs)


def _row(xs: Any, index: int) -> Any:
    return _each(lambda x: x[index], xs)


def _turned(xs: Any, loop: LoopType) -> Any:
    return _each(lambda x: x[::-1], xs) if loop.reverse else xs


def _stacked(row: Any) -> Any:
    return _each(lambda x: LIBRARY["reshape"](x, (1, *x.shape)), row)


def _joined(xs: Any, ys: Any) -> Any:
    return _each(lambda x, y: LIBRARY["concatenate"]((x, y), axis=0), xs, ys)
