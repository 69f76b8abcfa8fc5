"""Leaves at the border: those of a user's value, of a basis tangent, of a random value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from combinators.objects import Object, Tensor
from combinators.tracing.faces import Face, open_up
from combinators.type_folds import Layout


def leaves(obj: Object) -> tuple[Object, ...]:
    """The leaves of an object, from the left."""
    return Layout(obj).leaves


def is_number(leaf: Object) -> bool:
    """Whether a leaf has tangents that are numbers."""
    return isinstance(leaf, Tensor) and leaf.is_smooth


def flattened(value: Any, face: Face | None) -> list[Any]:
    """The leaves of a value in these containers, in which None may stand for a leaf."""
    if face is None:
        return [value]
    opened = open_up(value)
    assert opened is not None
    pairs = zip(opened[2], face.children, strict=True)
    return [leaf for part, child in pairs for leaf in flattened(part, child)]


def basis(obj: Object) -> Iterator[tuple[int, tuple[int, ...], Any]]:
    """Every basis tangent of a first-order object: its leaf, the index in it, the tangent."""
    layout = Layout(obj)
    count = len(layout.leaves)
    for at, leaf in enumerate(layout.leaves):
        if not isinstance(leaf, Tensor) or not leaf.is_smooth:
            continue
        for index in np.ndindex(leaf.shape):
            unit = np.zeros(leaf.shape, dtype=leaf.dtype)
            unit[index] = 1
            yield at, index, layout.nested(unit[()] if i == at else None for i in range(count))


def sample(obj: Object, random: np.random.Generator) -> Any:
    """A random value of a first-order object, of floats between 1/2 and 3/2 and of ones."""
    layout = Layout(obj)
    return layout.nested(_drawn(leaf, random) for leaf in layout.leaves)


def _drawn(leaf: Object, random: np.random.Generator) -> Any:
    assert isinstance(leaf, Tensor)
    if not leaf.is_smooth:
        return np.ones(leaf.shape, dtype=leaf.dtype)[()]
    return random.uniform(0.5, 1.5, leaf.shape).astype(leaf.dtype)[()]
