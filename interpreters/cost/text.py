"""Numbers as they are shown: astronomical ones by their size."""

from __future__ import annotations

_BITS = 128


def number(value: int) -> str:
    """A count with its thousands apart.

    >>> number(1234567), number(3**200)
    ('1,234,567', 'about 2^317')
    """
    bits = value.bit_length()
    return f"{value:,}" if bits <= _BITS else f"about 2^{bits}"


def plural(value: int, noun: str) -> str:
    """A count of things.

    >>> plural(1, "line"), plural(0, "line")
    ('1 line', '0 lines')
    """
    return f"{number(value)} {noun}{'' if value == 1 else 's'}"


def ratio(part: int, whole: int) -> str:
    """How many times ``whole`` goes into ``part``.

    >>> ratio(7, 2), ratio(0, 0)
    ('3.50', '–')
    """
    try:
        return f"{part / whole:.2f}"
    except (ZeroDivisionError, OverflowError):
        return "–"
