"""Examples drawn apart from each other, by a backend of hypothesis.

By itself hypothesis makes most examples by small changes of the one before, and mixes in constants
from the modules that happen to be loaded. Of arrows the changes are near-copies, and a seed would
give other examples elsewhere. Here every example is drawn afresh; shrinking is hypothesis's own.
"""

from __future__ import annotations

from typing import Any

from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

AFRESH = "diffcurry"
"""The name of the backend, for ``hypothesis.settings(backend=...)``."""


class Afresh(HypothesisProvider):
    """Hypothesis's own provider of random choices, without constants of the user's source."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


AVAILABLE_PROVIDERS[AFRESH] = Afresh
