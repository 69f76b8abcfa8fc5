"""Structures: what a model claims when it has certain methods, and which laws it then owes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from laws.model import signature_of


@dataclass(frozen=True, eq=False)
class Structure:
    """A kind of category, which inherits the laws of those that it ``extends``."""

    name: str
    title: str
    extends: tuple[Structure, ...] = ()
    arrows: tuple[str, ...] = ()
    """The methods that its laws use of a model's category."""
    methods: tuple[str, ...] = ()
    """The methods that its laws use of the model itself."""
    features: tuple[str, ...] = ()
    """What its laws use of the model's signature: ``"loops"``."""

    def lineage(self) -> Iterator[Structure]:
        """Those that it extends, first, and itself; each once."""
        seen: set[Structure] = set()
        todo = [self]
        order: list[Structure] = []
        while todo:
            structure = todo.pop()
            if structure not in seen:
                seen.add(structure)
                order.append(structure)
                todo.extend(structure.extends)
        return reversed(order)

    def is_claimed_by(self, model: Any) -> bool:
        """Whether ``model`` has every method that the structure and its lineage use."""
        return all(
            all(_has(model.category, name) for name in structure.arrows)
            and all(_has(model, name) for name in structure.methods)
            and all(getattr(signature_of(model), name) for name in structure.features)
            for structure in self.lineage()
        )


def _has(thing: Any, name: str) -> bool:
    """A method, or a table with the key after the colon: ``ways:simplify``."""
    attribute, _, key = name.partition(":")
    found = getattr(thing, attribute, None)
    return key in found if key and found is not None else found not in (None, False)
