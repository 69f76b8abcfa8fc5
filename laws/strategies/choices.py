"""Random choices: each is a small number, and the smallest is what it shrinks to.

They are drawn by a backend of hypothesis that makes each example afresh. By itself hypothesis makes
most examples by small changes of the one before, and mixes in constants from the modules that
happen to be loaded. Of arrows the changes are near-copies, and a seed would give other examples
elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

AFRESH = "diffcurry"
"""The name of the backend, for ``hypothesis.settings(backend=...)``."""


class Afresh(HypothesisProvider):
    """Hypothesis's own provider of random choices, without constants of the user's source."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


AVAILABLE_PROVIDERS[AFRESH] = Afresh


Draw = Callable[[st.SearchStrategy[Any]], Any]
T = TypeVar("T")


_FAR = 10**15 + 3**20
"""Where choices are counted from: nothing makes hypothesis prefer one of them to another."""


class Choices:
    """A source of choices, with hypothesis behind it."""

    def __init__(self, draw: Draw) -> None:
        """``draw`` is what a composite strategy is given."""
        self.draw = draw

    def below(self, count: int) -> int:
        """A number from 0 to ``count - 1``."""
        return 0 if count <= 1 else self.draw(_below(count)) - _FAR

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; the first is the simplest."""
        return options[self.below(len(options))]


@lru_cache(maxsize=256)
def _below(count: int) -> st.SearchStrategy[int]:
    return st.integers(_FAR, _FAR + count - 1)


def chosen(of: Callable[[Choices], T]) -> st.SearchStrategy[T]:
    """The strategy of what ``of`` makes by choices."""

    @st.composite
    def drawn(draw: Draw) -> T:
        return of(Choices(draw))

    return drawn()
