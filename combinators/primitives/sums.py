"""Sums and recursive types: how their values are made and looked at.

A value of ``A + B`` is made by ``inject``, asked which alternative it is by ``is_alternative``, and
opened by ``payload``, where it is known to be that one. A lazy ``case`` is written with them::

    case s of inl x → f x          if is_alternative[0] s then f (payload[0] s)
              inr y → g y    is                           else g (payload[1] s)

Its tangents are zero, or tangents of the alternative that the value is (``Tagged``): ``tag`` makes
one, and ``untag`` opens it. They are linear and transposes of one another, and so what ``inject``
and ``payload`` derive to:

    inject[i] : A → S     pulls  c  back to  untag[i] c
    payload[i] : S → A    pulls  c  back to  tag[i] c

``roll`` and ``unroll`` go between a recursive type and what it unfolds to.
"""

from __future__ import annotations

from typing import Any

from combinators.errors import TypeMismatch
from combinators.objects import Bool, Mu, Object, Sum
from combinators.operation import CONSTANT, Linear, Operation, Primitive, declare, free
from combinators.tracing.emit import emit_operation, operand
from combinators.tracing.traced import library
from combinators.type_folds import tangent_of, unfolded


def _inject(x: Object, of: Sum, index: int) -> Object:
    wanted = of.parts[of.index(index)]
    if x is not wanted:
        raise TypeMismatch(f"alternative {_called(of, index)} of {of!r} is {wanted!r}, not {x!r}")
    return of


def _payload(s: Object, index: int) -> Object:
    if not isinstance(s, Sum):
        raise TypeMismatch(f"only a value of a sum has alternatives, and {s!r} is none")
    return s.parts[s.index(index)]


def _is_alternative(s: Object, index: int) -> Object:
    _payload(s, index)
    return Bool


def _called(of: Sum, index: int) -> str:
    return str(index) if of.names is None else of.names[index]


def _roll(x: Object, of: Object) -> Object:
    if not isinstance(of, Mu) or unfolded(of) is not x:
        raise TypeMismatch(f"roll makes a value of a recursive type of its unfolding, not {x!r}")
    return of


def _unroll(x: Object) -> Object:
    if not isinstance(x, Mu):
        raise TypeMismatch(f"unroll opens a value of a recursive type, not {x!r}")
    return unfolded(x)


INJECT = declare("inject", _inject, Linear(lambda g, x, of, index: (untag(g, index),)), cost=free)
PAYLOAD = declare(
    "payload", _payload, Linear(lambda g, s, index: (tag(g, tangent_of(s), index),)), cost=free
)
IS = declare("is_alternative", _is_alternative, CONSTANT, cost=free)
TAG = declare("tag", _inject, Linear(lambda g, x, of, index: (untag(g, index),)), cost=free)
UNTAG = declare("untag", _payload, Linear(lambda g, s, index: (tag(g, s, index),)), cost=free)
ROLL = declare("roll", _roll, Linear(lambda g, x, of: (unroll(g),)), cost=free)
UNROLL = declare("unroll", _unroll, Linear(lambda g, x: (roll(g, tangent_of(x)),)), cost=free)

PARTIAL = frozenset({PAYLOAD, UNTAG})
"""What is an error at another alternative, and so stays where it is known which one it is."""
SUMS = frozenset({INJECT, PAYLOAD, IS, TAG, UNTAG, ROLL, UNROLL})
"""What makes and opens values of sums and of recursive types."""


def _applied(primitive: Primitive, x: Any, **said: Any) -> Any:
    return emit_operation(Operation(primitive, tuple(said.items())), (operand(x),))


@library("inject", word=False)
def inject(x: Any, of: Object, index: int) -> Any:
    """The value of the sum ``of`` that is its alternative ``index``, with ``x``."""
    return _applied(INJECT, x, of=of, index=index)


@library("payload", word=False)
def payload(s: Any, index: int) -> Any:
    """What a value of a sum holds that is its alternative ``index``; of another, an error."""
    return _applied(PAYLOAD, s, index=index)


@library("is_alternative", word=False)
def is_alternative(s: Any, index: int) -> Any:
    """Whether a value of a sum is its alternative ``index``."""
    return _applied(IS, s, index=index)


@library("tag", word=False)
def tag(g: Any, of: Object, index: int) -> Any:
    """The tangent ``of`` a sum whose value is the alternative ``index``, of a tangent of that."""
    return _applied(TAG, g, of=of, index=index)


@library("untag", word=False)
def untag(g: Any, index: int) -> Any:
    """The tangent of the alternative ``index``; zero where ``g`` is."""
    return _applied(UNTAG, g, index=index)


@library("roll", word=False)
def roll(x: Any, of: Object) -> Any:
    """The value of the recursive type ``of`` that unfolds to ``x``."""
    return _applied(ROLL, x, of=of)


@library("unroll", word=False)
def unroll(x: Any) -> Any:
    """What a value of a recursive type unfolds to."""
    return _applied(UNROLL, x)
