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

from collections.abc import Callable
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


Word = Callable[..., Any]


def _word(primitive: Primitive, *said: str) -> Word:
    """The primitive of a value, and then of what is ``said``, in order."""

    def word(x: Any, *given: Any) -> Any:
        operation = Operation(primitive, tuple(zip(said, given, strict=True)))
        return emit_operation(operation, (operand(x),))

    name = "rolled" if primitive is ROLL else primitive.name  # np.roll is another
    return library(name, word=False)(word)


inject: Word = _word(INJECT, "of", "index")
"""The value of the sum ``of`` that is its alternative ``index``, with a value of that."""
payload: Word = _word(PAYLOAD, "index")
"""What a value of a sum holds that is its alternative ``index``; of another, an error."""
is_alternative: Word = _word(IS, "index")
"""Whether a value of a sum is its alternative ``index``."""
tag: Word = _word(TAG, "of", "index")
"""The tangent ``of`` a sum whose value is the alternative ``index``, of a tangent of that."""
untag: Word = _word(UNTAG, "index")
"""The tangent of the alternative ``index``; zero where the tangent is."""
roll: Word = _word(ROLL, "of")
"""The value of the recursive type ``of`` that unfolds to a value."""
unroll: Word = _word(UNROLL)
"""What a value of a recursive type unfolds to."""
