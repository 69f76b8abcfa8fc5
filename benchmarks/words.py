"""One vocabulary for all programs: a NumPy-like module, and what its users call differently."""

from __future__ import annotations

from typing import Any


class Words:
    """A module in which some names mean something else."""

    def __init__(self, module: Any, **own: Any) -> None:
        """``module``, with ``own`` before it."""
        self._module = module
        self.__dict__.update(own)

    def __getattr__(self, name: str) -> Any:
        """What the module has."""
        return getattr(self._module, name)
