"""``reduce`` and the scans of an associative operator, and the words that 000 has beside them.

A reduce over x, y, z, w is ``u ∘ x ∘ y ∘ z ∘ w``, for an operator ∘ with the unit u, and since ∘ is
associative nobody has to say where the brackets stand. ``scanl`` keeps what stands before each row,
and the whole as the last of one row more; ``scanr`` what stands from each row on, and the unit
last (000, section 3.2 and Fig. 3):

    reduce (+) 0 [1, 2, 3] = 6    scanl (+) 0 [1, 2, 3] = [0, 1, 3, 6]
                                  scanr (+) 0 [1, 2, 3] = [6, 5, 3, 0]

The words write loops that are not ``sequential``, and where ∘ is one of the language's own, its
reduction: ``reduce (*) 1`` is ``prod``. The order of the rows is kept: ∘ need not commute.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Tensor
from combinators.primitives.loops import looping
from combinators.terms import Const, Lam, Prim, Term, Var
from combinators.tracing import control
from combinators.tracing.control import Carry, Rows
from combinators.tracing.emit import emit, scope_here
from combinators.tracing.faces import Face, put_together, take_apart
from combinators.tracing.functions import Specialised, natural
from combinators.tracing.traced import LIBRARY

Ask = Callable[[Specialised, Term, str], None]
ASKING: list[Ask] = []
"""What asks an operator for the laws, as soon as it is written: its λ, the unit, and the word.

Who knows numbers puts it here; the words know none.
"""


class Known(NamedTuple):
    """The words by which one of the language's operations reduces and scans, and its unit."""

    reduces: str
    scans: str
    unit: float

    def is_unit(self, term: Term) -> bool:
        """Whether a term is the unit, as a number or everywhere in an array."""
        return isinstance(term, Const) and bool(np.all(term.literal.array == self.unit))


KNOWN = {
    "add": Known("sum", "cumsum", 0.0),
    "multiply": Known("prod", "cumprod", 1.0),
    "maximum": Known("max", "", -math.inf),
    "minimum": Known("min", "", math.inf),
}


def reduce(op: Any, unit: Any, xs: Any, *, check: bool = True) -> Any:
    """``unit ∘ x₀ ∘ x₁ ∘ … ∘ xₙ₋₁`` for an associative ``op(a, b)``: of no rows, the unit.

    ``xs`` is a tensor, or a container of tensors with one leading extent; its rows, the unit and
    what ``op`` gives have one type. ``op`` may capture, and need not commute. ``NotAssociative``
    shows a triple where ``op`` is not associative, or what ``unit`` changes, among a few drawn
    values: ``check=False`` leaves that out. 000, Figs. 2 and 13.
    """
    return _reduced(op, unit, Rows(xs, "reduce"), check)


def scanl(op: Any, unit: Any, xs: Any, *, check: bool = True) -> Any:
    """``[unit, unit ∘ x₀, …, unit ∘ x₀ ∘ … ∘ xₙ₋₁]``, one row more than ``xs``.

    ``shift_right`` of it is what stands before each row; ``op`` is as in ``reduce``. 000, Fig. 3.
    """
    return _scanned(op, unit, Rows(xs, "scanl"), check, reverse=False)


def scanr(op: Any, unit: Any, xs: Any, *, check: bool = True) -> Any:
    """``[x₀ ∘ … ∘ xₙ₋₁ ∘ unit, …, xₙ₋₁ ∘ unit, unit]``, one row more than ``xs``.

    ``shift_left`` of it is what stands behind each row; ``op`` is as in ``reduce``. 000, Fig. 3.
    """
    return _scanned(op, unit, Rows(xs, "scanr"), check, reverse=True)


def foldl(f: Any, init: Any, xs: Any) -> Any:
    """``f(… f(f(init, x₀), x₁) …, xₙ₋₁)``: a ``fold`` from the first row on. 000, Fig. 16."""
    return control.fold(f, init, xs)


def foldr(f: Any, init: Any, xs: Any) -> Any:
    """``f(x₀, f(x₁, … f(xₙ₋₁, init) …))``: a ``fold`` from the last row on."""
    return control.fold(lambda carry, x: f(x, carry), init, xs, reverse=True)


def map2(f: Any, xs: Any, ys: Any) -> Any:
    """``f(x, y)`` of the rows of ``xs`` and ``ys`` together. 000, Fig. 2."""
    return control.map(f, xs, ys)


def shift_left(xs: Any) -> Any:
    """All rows but the first; of none, none. 000's ``shift1L``."""
    return _shifted(xs, slice(1, None), "shift_left")


def shift_right(xs: Any) -> Any:
    """All rows but the last; of none, none. 000's ``shift1R``."""
    return _shifted(xs, slice(-1), "shift_right")


def _shifted(xs: Any, rows: slice, word: str) -> Any:
    scope_here()
    given = Rows(xs, word)
    return put_together(given.face, iter([LIBRARY["getitem"](x, rows) for x in given.leaves]))


def each_leaf(change: Callable[..., Any], *values: Any) -> Any:
    """A container of which each leaf is changed, together with those of others like it."""
    face = take_apart(values[0])[0]
    leaves = zip(*[take_apart(value)[1] for value in values], strict=True)
    return put_together(face, iter([change(*each) for each in leaves]))


def _reduced(op: Any, unit: Any, rows: Rows, check: bool) -> Any:
    scope_here()
    carry, step = _combining(op, unit, rows, check)
    known = _known(carry)
    if known is None or not rows.length:
        return carry.loop(step)
    total = LIBRARY[known.reduces](rows.leaves[0], axis=0)
    return total if known.is_unit(carry.start) else op(unit, total)


def _scanned(op: Any, unit: Any, rows: Rows, check: bool, *, reverse: bool) -> Any:
    scope_here()
    carry, _ = _combining(op, unit, rows, check)
    known = _known(carry)
    if known is not None and known.scans:
        whole = _joined(rows.leaves[0], emit(carry.start), first=not reverse)
        turned = LIBRARY["flip"](whole, 0) if reverse else whole
        stack = LIBRARY[known.scans](turned, axis=0)
        return LIBRARY["flip"](stack, 0) if reverse else stack

    def both(before: Any, x: Any) -> Any:
        return (op(x, before) if reverse else op(before, x)), before

    carry = Carry(unit, rows, looping(reverse=reverse, sequential=False))
    last, stack = carry.loop(carry.step(both))
    return each_leaf(lambda row, rows: _joined(rows, row, first=reverse), last, stack)


def _combining(
    op: Any, unit: Any, rows: Rows, check: bool
) -> tuple[Carry, tuple[Term, Face | None]]:
    """The carry of a reduce, and its operator, which was asked for the laws."""
    if not callable(op):
        raise TypeMismatch(f"{rows.word} takes an operator op(a, b), and this is {op!r:.60}")
    carry = Carry(unit, rows, looping(keeps=False, sequential=False))
    step = carry.step(op)
    known = _known(carry)
    if check and carry.made is not None and not (known and known.is_unit(carry.start)):
        for ask in ASKING:
            ask(carry.made, carry.start, rows.word)
    return carry, step


def _joined(stack: Any, row: Any, *, first: bool) -> Any:
    """A stack with one row more, before the others or behind them."""
    obj = natural(row).type
    if not isinstance(obj, Tensor):
        raise TypeMismatch(f"a scan keeps numbers and arrays, and these are {obj!r}")
    one = LIBRARY["reshape"](row, (1, *obj.shape))
    return LIBRARY["concatenate"]((one, stack) if first else (stack, one), axis=0)


def _known(carry: Carry) -> Known | None:
    """What the language has for the operator: that of tensors, element by element."""
    match carry.made and carry.made.lam:
        case Lam((x, y), Prim(operation, (Var(first), Var(second)))) if (
            {first, second} == {x.name, y.name}
            and isinstance(carry.obj, Tensor)
            and carry.obj.dtype in ("float64", "float32", "int64")
        ):
            return KNOWN.get(operation.name)
    return None
