"""What a model declares beside its methods: ``signature``, ``structures`` and ``excused``.

A misspelt declaration that was passed over would leave other laws asked than its author thinks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from combinators.errors import TypeMismatch
from laws.asking.selecting import hint
from laws.model import name_of, own_signature
from laws.structures import LAWS, STRUCTURES


def insist(model: Any) -> None:
    """Raise ``TypeMismatch`` where a declaration of ``model`` is not what it should be."""
    own_signature(model)
    structures = getattr(model, "structures", None)
    if isinstance(structures, str):
        raise TypeMismatch(f"{name_of(model)}.structures is a list of names: [{structures!r}]")
    _insist_on_names(model, "structures", structures or (), STRUCTURES)
    excused = getattr(model, "excused", {})
    if not isinstance(excused, Mapping):
        raise TypeMismatch(
            f"{name_of(model)}.excused is a mapping from names of laws to reasons, as "
            f"{{'C1': '…'}}, not {excused!r:.60}"
        )
    _insist_on_names(model, "excused", excused, [law.name for law in LAWS])


def _insist_on_names(
    model: Any, attribute: str, given: Collection[Any], known: Collection[str]
) -> None:
    for name in given:
        if name not in known:
            raise TypeMismatch(
                f"{name_of(model)}.{attribute} names {name!r:.60}, and there is none of that name; "
                f"{hint(str(name), known)}"
            )
