"""Choice and loops, written in Python: ``cond``, ``fold``, ``scan``, ``map``.

The Python functions given to them become λs that capture; loops stay loops.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch, users_place
from combinators.objects import Bool, Fun, Object, Product, Tensor
from combinators.primitives.loops import FOLD, MAP, RECOMPUTE, SCAN
from combinators.rows import length_of, row_of
from combinators.terms import Cond, Term
from combinators.tracing.emit import emit, emit_operation, scope_here, unpack
from combinators.tracing.faces import Face, object_of, put_together, take_apart
from combinators.tracing.functions import (
    Draft,
    Natural,
    Specialisable,
    Specialised,
    argument_types,
    coerce,
    function_operand,
    natural,
)
from combinators.tracing.traced import LIBRARY, Traced


def cond(p: Any, a: Callable[[], Any], b: Callable[[], Any]) -> Any:
    """``a()`` where ``p`` holds, else ``b()``; only the branch taken is computed.

    ``p`` is a Bool; both branches take nothing and give values of one type. For a choice made
    element by element write ``where``.
    """
    scope_here()
    place = users_place()
    test = coerce(p, Bool)
    branches: tuple[Any, Any] = (a, b)
    for branch in branches:
        if not callable(branch) or isinstance(branch, Traced):
            raise TypeMismatch(
                "the branches of cond are functions of no arguments, as in "
                f"cond(p, lambda: a, lambda: b), and this is {branch!r:.60}"
            )
    then, other = Draft(a, (), (), "then"), Draft(b, (), (), "else")
    if _shape(then.face) != _shape(other.face):
        raise TypeMismatch(
            f"the branches of a cond have one type, but these have {then.object!r} "
            f"and {other.object!r}"
        )
    leaves = [_joined(x, y) for x, y in zip(then.naturals, other.naturals, strict=True)]
    first, second = then.finish(leaves), other.finish(leaves)
    captured = tuple({var.name: var for var in (*first.captured, *second.captured)}.values())
    result = emit(Cond(test, first.lam.body, second.lam.body, place), "c", captured)
    return unpack(then.face, result)


def _shape(face: Face | None) -> Any:
    return None if face is None else (face.names, tuple(_shape(child) for child in face.children))


def _joined(x: Natural, y: Natural) -> Object:
    """The type that two leaves have together: a weak one yields."""
    if x.type is y.type:
        return x.type
    for strong, weak in ((x, y), (y, x)):
        if weak.weak and isinstance(strong.type, Tensor) and strong.type.shape == ():
            if strong.weak and isinstance(weak.type, Tensor):
                return Tensor((), np.result_type(strong.type.dtype, weak.type.dtype))
            return strong.type
    raise TypeMismatch(
        f"the branches of a cond have one type, but these have {x.type!r} and {y.type!r}"
    )


def fold(f: Any, init: Any, xs: Any, *, checkpoint: int | None = None) -> Any:
    """``f(… f(f(init, x₀), x₁) …, xₙ₋₁)`` over the rows of ``xs``, with ``f(carry, x) -> carry``.

    ``xs`` is a tensor, or a container of tensors with one leading extent. With ``checkpoint=k`` a
    pullback keeps the carry of every k-th step only, and runs the steps between again.
    """
    scope_here()
    rows = _Rows(xs)
    if checkpoint is not None:
        return _checkpointed(f, init, xs, length_of(rows.obj), checkpoint)
    carry = _Carry(init, rows)
    function = carry.step(f, rows, scan=False)
    return unpack(carry.face, emit_operation(FOLD, (function, carry.operand(), rows.operand)))


def recompute(f: Any) -> Any:
    """``f``, of which a pullback keeps the arguments only, and runs it again."""

    @functools.wraps(f)
    def again(*args: Any) -> Any:
        scope_here()
        types, faces = argument_types(args)
        term, face = function_operand(f, types, faces)
        if not isinstance(term.type, Fun):
            raise TypeMismatch(f"{term.type!r} is to be recomputed, and is not a function")
        argument = coerce(args[0] if len(args) == 1 else args, term.type.dom)
        return unpack(face, emit_operation(RECOMPUTE, (term, argument)))

    return again


def _checkpointed(f: Any, init: Any, xs: Any, length: int, every: Any) -> Any:
    """A fold of folds, the inner of which are recomputed."""
    if not isinstance(every, (int, np.integer)) or isinstance(every, bool) or every < 1:
        raise TypeMismatch(f"checkpoint= is a positive number of steps, not {every!r}")
    every = operator.index(every)
    whole = length - length % every
    face, leaves = take_apart(xs)

    def part(change: Callable[[Any], Any]) -> Any:
        return put_together(face, iter([change(leaf) for leaf in leaves]))

    def chunks(leaf: Any) -> Any:
        shape = (whole // every, every, *LIBRARY["shape"](leaf)[1:])
        return LIBRARY["reshape"](LIBRARY["getitem"](leaf, slice(whole)), shape)

    inner = recompute(lambda carry, rows: fold(f, carry, rows))
    after = fold(inner, init, part(chunks))
    if whole == length:
        return after
    return fold(f, after, part(lambda leaf: LIBRARY["getitem"](leaf, slice(whole, None))))


def scan(f: Any, init: Any, xs: Any) -> Any:
    """``(carry, ys)``: a fold with ``f(carry, x) -> (carry, y)`` that keeps every ``y``."""
    scope_here()
    rows = _Rows(xs)
    carry = _Carry(init, rows)
    function = carry.step(f, rows, scan=True)
    result = emit_operation(SCAN, (function, carry.operand(), rows.operand))
    return unpack(Face(tuple, (), (carry.face, carry.result_face)), result)


def map(f: Any, *xs: Any) -> Any:
    """``f`` of each row of ``xs``; of several, ``f(x, y, …)`` of their rows together."""
    scope_here()
    rows = _Rows(xs[0] if len(xs) == 1 else xs)
    if len(xs) == 1:
        term, face = function_operand(f, (rows.row,), (rows.face,))
    else:
        faces = rows.face.children if rows.face else ()
        parts = rows.row.parts if isinstance(rows.row, Product) else ()
        term, face = function_operand(f, parts, faces)
    return unpack(face, emit_operation(MAP, (term, rows.operand)))


_PLAIN = (bool, int, float, np.generic)
"""A list of these is an array; every other list is the tuple of its items."""


class _Rows:
    """The sequence that a loop runs over."""

    def __init__(self, xs: Any) -> None:
        if isinstance(xs, (list, range)):
            xs = np.asarray(xs) if all(isinstance(x, _PLAIN) for x in xs) else tuple(xs)
        self.face, leaves = take_apart(xs)
        self.types = [natural(leaf).type for leaf in leaves]
        self.obj = object_of(self.face, iter(self.types))
        length_of(self.obj)
        self.row = row_of(self.obj)
        self.operand = coerce(xs, self.obj)


def _weakened(leaf: Any, rows: _Rows) -> Natural:
    """The type of a leaf of the carry; a Python float takes that of the floats it will meet."""
    found = natural(leaf)
    if not found.weak or not isinstance(leaf, float):
        return found
    kinds = [obj.dtype for obj in rows.types if isinstance(obj, Tensor) and obj.is_smooth]
    return Natural(Tensor((), np.result_type(leaf, *kinds)), weak=True)


class _Carry:
    """What a loop carries; the weak numbers in it take the type that the step gives them."""

    def __init__(self, init: Any, rows: _Rows) -> None:
        self.init = init
        self.face, leaves = take_apart(init)
        self._naturals = [_weakened(leaf, rows) for leaf in leaves]
        self.result_face: Face | None = None

    @property
    def obj(self) -> Object:
        return object_of(self.face, iter([leaf.type for leaf in self._naturals]))

    def operand(self) -> Term:
        return coerce(self.init, self.obj)

    def step(self, f: Any, rows: _Rows, *, scan: bool) -> Term:
        """The loop's function, at the type of the carry that it settles on."""
        for _ in range(3):
            types, faces = (self.obj, rows.row), (self.face, rows.face)
            if not callable(f):
                raise TypeMismatch(f"a loop takes a function f(carry, x), and this is {f!r:.60}")
            if isinstance(f, (Traced, Specialisable)):
                term, face = function_operand(f, types, faces)
                self.result_face = face.children[1] if scan and face else None
                return term
            draft = Draft(f, types, faces)
            if not self._settle(draft, scan=scan):
                return self._finish(draft, scan=scan)
        return self._finish(draft, scan=scan)

    def _parts(self, draft: Draft, *, scan: bool) -> int:
        """How many of the result's leaves are the carry's."""
        face = draft.face
        if scan and (face is None or face.names or len(face.children) != 2):
            raise TypeMismatch(
                f"scan takes f(carry, x) -> (carry, y), but f gives {draft.object!r}"
            )
        carried = face.children[0] if scan and face else face
        if _shape(carried) != _shape(self.face):
            given = draft.object
            raise TypeMismatch(
                f"a loop carries {self.obj!r} from step to step, but its function gives {given!r}"
            )
        return len(self._naturals)

    def _settle(self, draft: Draft, *, scan: bool) -> bool:
        """Widen the weak numbers of the carry; whether any changed."""
        count, changed = self._parts(draft, scan=scan), False
        for index, given in enumerate(draft.naturals[:count]):
            was = self._naturals[index]
            wider = was.weak and isinstance(given.type, Tensor) and given.type is not was.type
            if wider and not given.weak and isinstance(given.type, Tensor) and not given.type.shape:
                self._naturals[index] = Natural(given.type, weak=True)
                changed = True
        return changed

    def _finish(self, draft: Draft, *, scan: bool) -> Term:
        count = self._parts(draft, scan=scan)
        leaves = [n.type for n in self._naturals] + [n.type for n in draft.naturals[count:]]
        for given, wanted in zip(draft.naturals, leaves, strict=True):
            if given.type is not wanted and not given.weak:
                raise TypeMismatch(
                    f"a loop carries {wanted!r} from step to step, but its function gives "
                    f"{given.type!r}; start from a value of that type"
                )
        made: Specialised = draft.finish(leaves)
        if scan and made.face:
            self.result_face = made.face.children[1]
        return made.operand()
