"""Names that stand for classes of Python's: two classes of one name have two."""

from __future__ import annotations

from typing import Any


class ClassName(str):
    """The name of the class ``kind``, whose instances are the values of what it names.

    >>> ClassName(int), ClassName(int) == ClassName(int), ClassName(int) == "int"
    ('int', True, False)
    """

    __slots__ = ("kind",)
    kind: type

    def __new__(cls, kind: type, name: str = "") -> ClassName:
        """The class's own name, or another."""
        made = super().__new__(cls, name or kind.__name__)
        made.kind = kind
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClassName) and other.kind is self.kind and str(self) == str(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        """By the class, which pickle finds by its name."""
        return ClassName, (self.kind, str(self))


def class_of(name: str | None) -> type | None:
    """The class that a name stands for, if it does."""
    return name.kind if isinstance(name, ClassName) else None
