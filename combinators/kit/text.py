"""Text of any depth and length, made piece by piece, and only as far as it is asked for.

>>> def nested(depth):
...     yield "("
...     if depth:
...         yield nested(depth - 1)
...     yield ")"
>>> cut(text_of(nested(2)), 10)
'((()))'
>>> cut(text_of(nested(10**9)), 10)
'(((((((((…'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Union

import numpy as np

Pieces = Iterator[Union[str, "Pieces"]]
"""Text, and pieces of text nested in it."""


def text_of(pieces: Pieces) -> Iterator[str]:
    """The text that ``pieces`` hold, in order, with a stack of our own."""
    stack = [pieces]
    while stack:
        for piece in stack[-1]:
            if isinstance(piece, str):
                yield piece
            else:
                stack.append(piece)
                break
        else:
            stack.pop()


def cut(text: Iterable[str], width: int) -> str:
    """The text in at most ``width`` characters; what follows is not even made."""
    kept: list[str] = []
    length = 0
    for part in text:
        kept.append(part)
        length += len(part)
        if length > width:
            return "".join(kept)[: width - 1] + "…"
    return "".join(kept)


def separated(parts: Iterable[Pieces | str], by: str = ", ") -> Pieces:
    """``parts`` with ``by`` between them."""
    for index, part in enumerate(parts):
        if index:
            yield by
        yield part


def brief(value: Any, digits: int = 6, between: str = " ") -> str:
    """A value in a few words: numbers of so many digits, and the ends of long arrays.

    >>> brief((0.5, np.array([[1.0, 2.0], [3.0, 4.0]])))
    '(0.5, [[1. 2.] [3. 4.]])'
    """
    if isinstance(value, tuple):
        return f"({', '.join([brief(part, digits, between) for part in value])})"
    if isinstance(value, np.ndarray) and value.shape:
        shown = np.array2string(value, precision=digits, threshold=6, separator=between)
        return " ".join(shown.split())
    number = value.item() if isinstance(value, np.ndarray | np.generic) else value
    return f"{number:.{digits}g}" if isinstance(number, float) else repr(number)


class Names:
    """Names that are used once, in a trace, a translation or a text."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._count: dict[str, int] = {}

    def fresh(self, wish: str) -> str:
        """``wish``, or ``wish`` with a number that makes it unique."""
        taken = self._taken
        name = wish
        if name in taken:
            count = self._count.get(wish, 0) + 1
            while (name := f"{wish}{count}") in taken:
                count += 1
            self._count[wish] = count
        taken.add(name)
        return name
