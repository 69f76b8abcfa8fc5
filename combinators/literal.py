"""Numbers and arrays as atoms of syntax: immutable, hashable, equal bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from combinators.errors import TypeMismatch
from combinators.objects import Tensor

_MOST = 2**63


class Literal:
    """A copy of an array that nobody can change.

    >>> Literal(0.0) == Literal(-0.0), Literal(float("nan")) == Literal(float("nan"))
    (False, True)
    """

    __slots__ = ("array", "type")

    def __init__(self, value: Any, dtype: Any = None) -> None:
        """Copy ``value``; one that is the same number everywhere is kept as that number.

        An integer that is too large is a ``TypeMismatch``.
        """
        array = np.array(value, dtype=dtype)
        for item in array.flat if array.dtype == object else ():
            if isinstance(item, int) and not -_MOST <= item < _MOST:
                raise TypeMismatch(
                    f"an integer of {item.bit_length()} bits is too large for int64; "
                    "write a float, as 1e20"
                )
        array.setflags(write=False)
        self.array = array
        self.type = Tensor(array.shape, array.dtype)

    @classmethod
    def filled(cls, number: float, like: Tensor) -> Literal:
        """One number everywhere, held once."""
        literal = object.__new__(cls)
        literal.array = np.broadcast_to(np.array(number, dtype=like.dtype), like.shape)
        literal.type = like
        return literal

    def _key(self) -> tuple[Any, ...]:
        return self.type, self.array.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        if self.array.ndim == 0:
            return repr(self.array.item()).removesuffix(".0")
        if self.array.size <= 6:
            return repr(self.array.tolist())
        return f"<{self.type!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """By value; one number everywhere stays one number."""
        if self.array.size > 1 and not any(self.array.strides):
            return Literal.filled, (self.array.flat[0], self.type)
        return Literal, (np.array(self.array),)
