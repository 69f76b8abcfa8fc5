"""Names that are safe in Python: nothing a user names can become code, or hide what code needs."""

from __future__ import annotations

import builtins
import functools
import keyword
import re
from collections.abc import Iterable

from combinators.kit.names import Names

LONGEST = 20

RESERVED = frozenset(
    (*dir(builtins), *keyword.kwlist, *keyword.softkwlist, "np", "math", "l", "O", "I")
)
"""Keywords, builtins, the modules, and letters that look like digits."""


@functools.lru_cache(maxsize=1 << 12)
def identifier(name: str) -> str:
    """``name`` as a local variable: short, ASCII, and without an underscore in front.

    >>> identifier("x"), identifier("__import__"), identifier("os; exit()"), identifier("λ")
    ('x', 'import__', 'os__exit__', 'v')
    """
    letters = re.sub(r"[^0-9A-Za-z_]", "_", name).lstrip("_0123456789")[:LONGEST]
    return letters if letters.strip("_") else "v"


def names_apart(taken: Iterable[str] = ()) -> Names:
    """Names of variables; none is reserved, or ``taken``."""
    return Names({*RESERVED, *taken})
