"""Values of any carrier, short."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

WIDTH = 120


def visible(text: str) -> str:
    r"""Text in which nothing acts on a terminal or a page: control characters as Python escapes.

    >>> visible("red \x1b[31m, and \u202e backwards")
    'red \\x1b[31m, and \\u202e backwards'
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def shown(value: Any) -> str:
    """A value on one line.

    >>> shown(Fraction(1, 2)), shown(np.float64(2.0)), shown(np.array([1.0, 2.0]))
    ('1/2', '2', '[1, 2]')
    """
    text = " ".join(_shown(value).split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _shown(value: Any) -> str:
    match value:
        case str():
            return value
        case np.ndarray() if value.ndim:
            if not value.size:
                return f"an empty array of shape {value.shape}"
            return f"[{', '.join(_shown(part) for part in value)}]"
        case np.ndarray() | np.generic():
            return _shown(value.item())
        case Fraction():
            return str(value)
        case float():
            return repr(value).removesuffix(".0")
        case tuple() | list():
            return f"({', '.join(map(_shown, value))})"
        case _ if " at 0x" in repr(value):
            return f"<{type(value).__name__}>"
        case _:
            return repr(value)
