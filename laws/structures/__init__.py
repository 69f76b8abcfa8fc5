"""The structures and their laws, each in a file of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from combinators.errors import TypeMismatch
from laws.law import Law, Structure
from laws.structures import (
    categories,
    coproducts,
    cost,
    derivatives,
    function_tangents,
    functor,
    monoids,
    numbers,
    primitive,
    pullback,
    spaces,
)

LAWS: tuple[Law, ...] = (
    *(*categories.LAWS, *monoids.LAWS, *derivatives.LAWS, *pullback.LAWS, *function_tangents.LAWS),
    *coproducts.LAWS,
    *(*functor.LAWS, *cost.LAWS, *numbers.LAWS, *primitive.LAWS, *spaces.LAWS),
    *derivatives.OF_ELLIOTT,
)
"""Every law."""

STRUCTURES: dict[str, Structure] = {law.structure.name: law.structure for law in LAWS}
"""Every structure, by name."""


def laws_of(model: Any, structures: Iterable[str] | None = None) -> tuple[Law, ...]:
    """The laws that ``model`` owes: of the structures that it claims, each law once.

    Of the structures named, their lineage is asked too. An unknown name raises TypeMismatch.
    """
    if structures is None:
        own = getattr(model, "structures", None)
        structures = structures_of(model) if own is None else own
    wanted = {s for name in structures for s in named(name).lineage()}
    excused = getattr(model, "excused", {})
    return tuple(law for law in LAWS if law.structure in wanted and law.name not in excused)


def structures_of(model: Any) -> list[str]:
    """The names of the structures whose methods ``model`` has."""
    return [name for name, structure in STRUCTURES.items() if structure.is_claimed_by(model)]


def named(name: str) -> Structure:
    """The structure of that name."""
    if name not in STRUCTURES:
        raise TypeMismatch(f"there is no structure {name!r}; there are {', '.join(STRUCTURES)}")
    return STRUCTURES[name]
