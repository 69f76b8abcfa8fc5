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

    A name that is neither raises ``TypeMismatch``, and so does one of which nothing is owed, and
    to ask for nothing.
    """
    owed = laws_of(model, None if structures is None else _listed(structures))
    if only is None and owed:
        return owed
    names = _listed(only or ())
    if not names:
        raise TypeMismatch(
            f"no law of {name_of(model)} is asked; `diffcurry laws --list` lists them"
        )
    named_by(names)
    for name in names:
        if not any(name in (law.name, law.structure.name) for law in owed):
            raise TypeMismatch(f"{name_of(model)} does not claim {name}{_lacks(model, name)}")
    return tuple(law for law in owed if law.name in names or law.structure.name in names)


def named_by(names: Iterable[str]) -> tuple[Law, ...]:
    """The laws of those names, and of the structures of those names."""
    asked = set(names)
    known = {law.name for law in LAWS}
    for name in sorted(asked - known - set(STRUCTURES)):
        raise TypeMismatch(_unknown(name, [*STRUCTURES, *known]))
    return tuple(law for law in LAWS if law.structure.name in asked or law.name in asked)


def _listed(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _lacks(model: Any, name: str) -> str:
    """Which methods it would need."""
    structure = named_by([name])[0].structure
    if structure.is_claimed_by(model):
        return ""
    needed = [method for above in structure.lineage() for method in (*above.arrows, *above.methods)]
    return f", which takes {', '.join(dict.fromkeys(needed))}"


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known)
    hint = f"did you mean {' or '.join(near)}?" if near else "`diffcurry laws --list` lists them"
    return f"there is no structure and no law {name!r}; {hint}"
