"""Loops, written in Python: ``fold``, ``scan``, ``map``.

The Python functions given to them become λs that capture; loops stay loops.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Fun, Mu, Object, Product, Sum, Tensor
from combinators.operation import Operation, check_size
from combinators.primitives.loops import MAP, looping
from combinators.primitives.structural import RECOMPUTE
from combinators.terms import Term
from combinators.tracing.classes import is_list
from combinators.tracing.definition import argument_types
from combinators.tracing.emit import emit_operation, scope_here, unpack
from combinators.tracing.faces import Face, object_of, paths, put_together, shape_of, take_apart
from combinators.tracing.functions import (
    Draft,
    Laid,
    Natural,
    Specialisable,
    Specialised,
    coerce,
    function_operand,
    natural,
)
from combinators.tracing.joins import Apart, check_known, is_unknown, together
from combinators.tracing.scope import entered
from combinators.tracing.traced import LIBRARY, Traced
from combinators.type_folds import length_of, row_of


def fold(
    f: Any, init: Any, xs: Any, *, reverse: bool = False, checkpoint: int | None = None
) -> Any:
    """``f(… f(f(init, x₀), x₁) …, xₙ₋₁)`` over the rows of ``xs``, with ``f(carry, x) -> carry``.

    ``xs`` is a tensor, or a container of tensors with one leading extent. With ``reverse=True`` it
    runs from the last row to the first. With ``checkpoint=k`` a pullback keeps the carry of every
    k-th step only, and runs the steps between again.
    """
    scope_here()
    operation = looping(keeps=False, reverse=_direction("fold", reverse))
    if is_traced_list(xs):
        return LIBRARY["fold_list"](f, init, xs, reverse=reverse)
    if checkpoint is not None:
        return _checkpointed(f, init, Rows(xs, operation.name), reverse, checkpoint)
    return _looped(operation, f, xs, init)


def scan(f: Any, init: Any, xs: Any, *, reverse: bool = False) -> Any:
    """``(carry, ys)``: a fold with ``f(carry, x) -> (carry, y)`` that keeps every ``y``.

    With ``reverse=True`` it runs from the last row to the first; each ``y`` stands where its row
    does, so that ``ys[-1]`` is what the first step gave.
    """
    scope_here()
    return _looped(looping(reverse=_direction("scan", reverse)), f, xs, init)


def map(f: Any, *xs: Any) -> Any:
    """``f`` of each row of ``xs``; of several, ``f(x, y, …)`` of their rows together."""
    scope_here()
    if any(is_traced_list(one) for one in xs):
        return LIBRARY["map_list"](f, *xs)
    return _looped(MAP, f, xs[0] if len(xs) == 1 else xs, apart=len(xs) != 1)


def is_traced_list(xs: Any) -> bool:
    """Whether it is a list, of which there are no rows but cells."""
    return isinstance(xs, Traced) and isinstance(xs.type, Mu) and is_list(xs.type)


def _direction(word: str, reverse: Any) -> bool:
    if not isinstance(reverse, (bool, np.bool_)):
        raise TypeMismatch(f"reverse= of {word} is True or False, and this is {reverse!r:.60}")
    return bool(reverse)


def _looped(operation: Operation, f: Any, xs: Any, *init: Any, apart: bool = False) -> Any:
    """A loop; ``apart`` says that the function takes the parts of a row one by one."""
    if not callable(f):
        wanted = "f(carry, x)" if init else "f(x)"
        raise TypeMismatch(f"{operation.name} takes a function {wanted}, and this is {f!r:.60}")
    rows = Rows(xs, operation.name)
    if init:
        carry = Carry(init[0], rows, operation)
        return carry.loop(carry.step(f))
    types: tuple[Object, ...] = (rows.row,)
    faces: tuple[Face | None, ...] = (rows.face,)
    if apart and rows.face is not None and isinstance(rows.row, Product):
        types, faces = rows.row.parts, rows.face.children
    term, face = function_operand(f, types, faces)
    return unpack(face, emit_operation(operation, (term, rows.operand)))


def _checkpointed(f: Any, init: Any, rows: Rows, reverse: bool, every: Any) -> Any:
    """A fold of folds, the inner of which are recomputed; the rows that are left come last."""
    if not isinstance(every, (int, np.integer)) or isinstance(every, bool) or every < 1:
        raise TypeMismatch(f"checkpoint= is a positive number of steps, not {every!r}")
    every = operator.index(every)
    length = rows.length
    left = length % every
    whole, rest = slice(left, None), slice(left)
    if not reverse:
        whole, rest = slice(length - left), slice(length - left, None)

    def part(change: Callable[[Any], Any]) -> Any:
        return put_together(rows.face, iter([change(leaf) for leaf in rows.leaves]))

    def chunks(leaf: Any) -> Any:
        shape = (length // every, every, *LIBRARY["shape"](leaf)[1:])
        return LIBRARY["reshape"](LIBRARY["getitem"](leaf, whole), shape)

    inner = recompute(lambda carry, rows: fold(f, carry, rows, reverse=reverse))
    after = fold(inner, init, part(chunks), reverse=reverse)
    if not left:
        return after
    return fold(f, after, part(lambda leaf: LIBRARY["getitem"](leaf, rest)), reverse=reverse)


def recompute(f: Any) -> Any:
    """``f``, of which a pullback keeps the arguments only, and runs it again."""
    return functools.update_wrapper(functools.partial(_recomputed, f), f)


def _recomputed(f: Any, *args: Any) -> Any:
    scope_here()
    types, faces = argument_types(args)
    term, face = function_operand(f, types, faces)
    if not isinstance(term.type, Fun):
        raise TypeMismatch(f"{term.type!r} is to be recomputed, and is not a function")
    argument = coerce(args[0] if len(args) == 1 else args, term.type.dom)
    return unpack(face, emit_operation(RECOMPUTE, (term, argument)))


ROUNDS = 4
"""So often is a step traced, with ever wider types of the carry."""
_PLAIN = (bool, int, float, np.generic)
"""A list of these is an array; every other list is the tuple of its items."""


class Rows:
    """The sequence that a loop runs over."""

    def __init__(self, xs: Any, word: str) -> None:
        self.word = word
        if isinstance(xs, range):
            check_size("range", Tensor((max(0, -(-(xs.stop - xs.start) // xs.step)),), "int64"))
            xs = np.arange(xs.start, xs.stop, xs.step)
        if isinstance(xs, list):
            xs = np.asarray(xs) if all(isinstance(x, _PLAIN) for x in xs) else tuple(xs)
        self.face, self.leaves = take_apart(xs)
        self.types = [natural(leaf).type for leaf in self.leaves]
        self.obj = object_of(self.face, iter(self.types))
        self.length, self.row = length_of(self.obj, word), row_of(self.obj, word)
        self.operand = coerce(xs, self.obj)


class Widened(BaseException):
    """What a loop carries took another type, and the loop is traced anew."""


class Settling(Laid):
    """A value from step to step: what its start and what the step gives have together."""

    def __init__(self, word: str, face: Face | None, naturals: Sequence[Any]) -> None:
        """``word`` names what goes by steps in errors."""
        super().__init__(face, naturals)
        self.word = word

    @classmethod
    def of(cls, word: str, value: Any) -> Settling:
        """Of the value where it starts."""
        return cls(word, *take_apart(value))

    def settled(self, traced: Callable[..., Draft], at: Callable[[], tuple[Any, ...]]) -> Draft:
        """The step, ``traced`` until it gives what it is given: ``at`` says where, each time.

        Nothing stands between the two, so that steps in steps take little of Python's stack.
        """
        for _ in range(ROUNDS):
            with suppress(Widened):
                draft = traced(*at())
                if not self.widens(draft):
                    for obj in self.types:
                        if isinstance(obj, Mu | Sum):
                            check_known(obj)
                    return draft
        raise TypeMismatch(f"what {self.word} carries, {self.obj!r}, settles on no type")

    def widens(self, given: Laid) -> bool:
        """Whether a step gives more than was carried, which is then what is carried."""
        before, shape = self.naturals, shape_of(self.face)
        if given.types == self.types and shape_of(given.face) == shape:
            return False
        try:
            face, found = together((self, given))
        except Apart as apart:
            raise self.apart(apart) from None
        if shape_of(face) == shape:
            pairs = list(zip(before, found, strict=True))
            for was, one in pairs:
                if one.type is not was.type and not was.weak and not is_unknown(was.type):
                    raise self.apart(Apart([was.type, one.type]))
            # Numbers are settled first: an item of a list that starts from nil is made of them.
            first = [
                isinstance(was.type, Tensor) and one.type is not was.type for was, one in pairs
            ]
            found = [
                was if any(first) and is_unknown(was.type) else Natural(one.type, was.weak)
                for was, one in pairs
            ]
        self.face, self.naturals, self.leaves = face, found, found
        return [leaf.type for leaf in before] != self.types

    def next(self, value: Any) -> Any:
        """The value of the next step, which is laid out as this one was."""
        if self.widens(Laid(*take_apart(value))):
            raise Widened
        return value

    def apart(self, found: Apart) -> TypeMismatch:
        """What is wrong where a step gives what cannot be carried."""
        where = found.path and f" as {found.path}"
        return TypeMismatch(
            f"{self.word} carries {found.types[0]!r} from step to step, but its function gives "
            f"{found.types[-1]!r}{where}; {self.remedy(where)}"
        )

    def remedy(self, where: str) -> str:
        """What to write instead."""
        given = "start from a value of that type"
        return given if where else "give the next step what this one was given"


class Carry(Settling):
    """What a loop over rows carries."""

    made: Specialised | None = None
    """The λ of the step, where its code is known."""

    def __init__(self, init: Any, rows: Rows, operation: Operation) -> None:
        self.init, self.rows, self.operation = init, rows, operation
        face, leaves = take_apart(init)
        self.keeps = operation.keywords.get("keeps", True)
        super().__init__(operation.name, face, [self._weakened(leaf) for leaf in leaves])
        if not operation.keywords.get("sequential", True):
            self._as_a_row()

    def _as_a_row(self) -> None:
        """A unit is of the rows' type, and weak numbers in it take theirs."""
        if len(self.naturals) == len(self.rows.types):
            for index, (own, stack) in enumerate(zip(self.naturals, self.rows.types, strict=True)):
                row = row_of(stack)
                if not own.weak or not isinstance(row, Tensor) or row.shape:
                    continue
                if np.can_cast(getattr(own.type, "dtype", row.dtype), row.dtype, "same_kind"):
                    self.naturals[index] = Natural(row, weak=False)
        if self.obj is not self.rows.row:
            raise TypeMismatch(
                f"{self.operation.name} combines rows of {self.rows.row!r}, and its unit is of "
                f"{self.obj!r}; give a unit of the rows' type, or write a fold or a scan"
            )

    def _weakened(self, leaf: Any) -> Natural:
        """The type of a leaf; a Python float takes that of the floats it will meet."""
        found = natural(leaf)
        if not found.weak or not isinstance(leaf, float):
            return found
        floats = [obj for obj in self.rows.types if isinstance(obj, Tensor) and obj.is_smooth]
        return Natural(Tensor((), np.result_type(leaf, *[obj.dtype for obj in floats])), weak=True)

    @property
    def start(self) -> Term:
        """Where it starts, as an operand."""
        return coerce(self.init, self.obj)

    def loop(self, step: tuple[Term, Face | None]) -> Any:
        """The loop of what ``step`` gave."""
        term, face = step
        whole = self.face
        if self.keeps:
            given = face.children[1] if face is not None and len(face.children) == 2 else None
            whole = Face(tuple, (), (self.face, given))
        operands = (term, self.start, self.rows.operand)
        return unpack(whole, emit_operation(self.operation, operands))

    def step(self, f: Any) -> tuple[Term, Face | None]:
        """``f`` as an operand, and the face of what it gives."""
        if isinstance(f, (Traced, Specialisable)):
            types, faces = (self.obj, self.rows.row), (self.face, self.rows.face)
            self.made = f.made_at(types, faces) if hasattr(f, "made_at") else None
            return function_operand(f, types, faces)

        what = "f(carry, x)" if self.operation.keywords.get("sequential", True) else "op(a, b)"

        def trial() -> tuple[Any, ...]:
            types, faces = (self.obj, self.rows.row), (self.face, self.rows.face)
            return f, types, faces, "", None, f"{self.word} takes a function {what}"

        draft = self.settled(Draft, trial)
        self.made = draft.finish([*self.types, *draft.types[len(self.naturals) :]])
        return self.made.operand(), self.made.face

    def widens(self, given: Laid) -> bool:
        """Whether the carry does, which of a scan is the first of what its step gives."""
        if not self.keeps:
            return super().widens(given)
        face = given.face
        if face is None or face.names or len(face.children) != 2:
            raise TypeMismatch(f"scan takes f(carry, x) -> (carry, y), but f gives {given.obj!r}")
        count = len(list(paths(face.children[0], "")))
        with entered(given.scope):
            carry = Laid(face.children[0], given.leaves[:count])
            changed = super().widens(carry)
        given.face = Face(tuple, (), (carry.face, face.children[1]))
        given.leaves = [*carry.leaves, *given.leaves[count:]]
        given.naturals = [*carry.naturals, *given.naturals[count:]]
        return changed

    def remedy(self, where: str) -> str:
        """What to write instead; an operator gives what it is given."""
        if self.operation.keywords.get("sequential", True):
            return super().remedy(where)
        return "its operator gives what it is given: one type, as that of the rows"
