"""Which laws to ask: by the names of structures and of laws."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from combinators.errors import TypeMismatch
from laws.law import Law
from laws.model import name_of
from laws.structures import LAWS, STRUCTURES, laws_of

Names = str | Iterable[str]


def selected(
    model: Any, only: Names | None = None, structures: Names | None = None
) -> tuple[Law, ...]:
    """The laws that ``model`` owes; of them ``only`` those of some structures, or of some names.

    A name that is neither raises ``TypeMismatch``, and so does one of which nothing is owed, a
    structure that the model does not claim, and to ask for nothing.
    """
    owed = _owed(model, structures)
    if only is None and owed:
        return owed
    names = listed(() if only is None else only)
    if not names:
        raise TypeMismatch(
            f"no law of {name_of(model)} is asked; `diffcurry laws --list` lists them"
        )
    named_by(names)
    for name in names:
        if not any(name in (law.name, law.structure.name) for law in owed):
            raise TypeMismatch(_not_owed(model, name))
    return tuple(law for law in owed if law.name in names or law.structure.name in names)


def named_by(names: Iterable[str]) -> tuple[Law, ...]:
    """The laws of those names, and of the structures of those names."""
    asked = set(names)
    known = [*STRUCTURES, *(law.name for law in LAWS)]
    for name in sorted(asked.difference(known)):
        raise TypeMismatch(f"there is no structure and no law {name!r}; {hint(name, known)}")
    return tuple(law for law in LAWS if law.structure.name in asked or law.name in asked)


def listed(names: Names) -> tuple[str, ...]:
    """The names; one may stand for a list of one. ``TypeMismatch`` where they are no names."""
    if isinstance(names, str):
        return (names,)
    given: Any = names
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    for name in found:
        if not isinstance(name, str):
            raise TypeMismatch(
                f"laws and structures are asked by name, as 'closed' or ['closed', 'E1'], "
                f"not by {name!r:.60}"
            )
    return found


def hint(name: str, known: Iterable[str]) -> str:
    """What may have been meant by a name that is not known."""
    near = difflib.get_close_matches(name, known)
    return f"did you mean {' or '.join(near)}?" if near else "`diffcurry laws --list` lists them"


def _owed(model: Any, structures: Names | None) -> tuple[Law, ...]:
    if structures is None:
        return laws_of(model)
    names = listed(structures)
    for name in names:
        if name not in STRUCTURES:
            raise TypeMismatch(f"there is no structure {name!r}; {hint(name, STRUCTURES)}")
        if not STRUCTURES[name].is_claimed_by(model):
            raise TypeMismatch(_not_owed(model, name))
    return laws_of(model, names)


def _not_owed(model: Any, name: str) -> str:
    """Why a law, or those of a structure, are not asked: what it would need, as far as is known."""
    structure = named_by([name])[0].structure
    lineage = [] if structure.is_claimed_by(model) else structure.lineage()
    needed = [
        need
        for above in lineage
        for need in (
            *above.arrows,
            *above.methods,
            *(f"signature.{feature}" for feature in above.features),
        )
    ]
    takes = f", which takes {', '.join(dict.fromkeys(needed))}" if needed else ""
    return f"{name_of(model)} does not claim {name}{takes}"
