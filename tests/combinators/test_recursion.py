"""Recursion and text that Python's stack does not limit."""

import pytest

from combinators.kit.recursion import recurse
from combinators.kit.text import cut, separated, text_of


def total(n: int):
    return n + (yield total(n - 1)) if n else 0


def test_a_deep_recursion_returns() -> None:
    assert recurse(total(100_000)) == 100_000 * 100_001 // 2


def test_an_error_comes_out() -> None:
    def failing(n: int):
        if not n:
            raise KeyError("at the bottom")
        yield failing(n - 1)

    with pytest.raises(KeyError, match="at the bottom"):
        recurse(failing(50_000))


def test_a_stream_is_made_only_as_far_as_it_is_read() -> None:
    made = []

    def counting(n: int):
        made.append(n)
        yield str(n)
        yield counting(n + 1)

    assert cut(text_of(counting(0)), 8) == "0123456…"
    assert len(made) == 9


def test_text_that_fits_is_not_cut() -> None:
    assert cut(["abc", "de"], 5) == "abcde"
    assert cut(["abc", "def"], 5) == "abcd…"
    assert "".join(text_of(separated([iter("a"), "b", iter("c")]))) == "a, b, c"
