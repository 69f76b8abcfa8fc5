"""Leaves of what users give and get, as compiled code takes and gives them: numbers and arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from combinators.errors import ShapeMismatch
from combinators.literal import Literal
from combinators.objects import Bool, Fun, Int, Mu, Object, Real, Tensor, Unit
from combinators.spaces import Space
from combinators.tracing.emit import check_fits
from combinators.tracing.faces import Face, open_up
from combinators.tracing.functions import Natural, natural
from combinators.type_folds import columns_of, tangent_of, velocity
from combinators.value_folds import Injected, map_leaves
from diffcurry.values import Inwards, Meet, NotThese, Outwards, Step

SCALARS: dict[Object, tuple[type, Any]] = {
    Real: (float, np.float64),
    Int: (int, np.int64),
    Bool: (bool, np.bool_),
}
"""What the compiled function takes and gives, and what the user gets, who may give either."""

# ---- values --------------------------------------------------------------------------------------


def check_leaf(value: Any, obj: Object) -> Object:
    """Raise where ``value`` is no leaf of type ``obj``, which is given back."""
    if isinstance(obj, Tensor):
        if open_up(value) is not None:
            raise NotThese("", f" : {obj!r} was given {value!r:.60}")
        found = natural(value)
        if found.type is not obj and not _casts(found, obj, value):
            raise NotThese("", f" : {obj!r} was given {found.type!r}")
    elif (isinstance(obj, Fun) and not callable(value)) or (
        isinstance(obj, Space) and natural(value).type is not obj
    ):
        raise NotThese("", f" : {obj!r} was given {value!r:.60}")
    return obj


def _casts(given: Natural, obj: Tensor, value: Any) -> bool:
    """Whether a number or an array becomes an ``obj`` without another meaning."""
    if not isinstance(given.type, Tensor) or given.type.shape != obj.shape:
        return False
    to = np.dtype(obj.dtype)
    if given.weak and isinstance(value, int) and to.kind in "iu":
        check_fits(int(value), to)
        return to.kind != "b" or isinstance(value, bool)
    if to.kind == "f":
        return np.can_cast(given.type.dtype, to, "same_kind")
    return np.can_cast(given.type.dtype, to, "safe")


def plain(value: Any, obj: Object) -> Any:
    """A leaf as compiled code takes it."""
    if isinstance(obj, Tensor):
        number = np.asarray(value, dtype=obj.dtype)[()]
        return SCALARS[obj][0](number) if obj in SCALARS else number
    return obj.declared.array(value, obj) if isinstance(obj, Space) else value


def _crossing(obj: Object, check: Callable[[Any, Object], Object], kinds: Any) -> Step:
    """That of what is checked, but for numbers of these ``kinds``."""
    python, numpy = kinds
    known = float if python is float else None

    def step(x: Any, at: Any, meet: Meet) -> Any:
        if type(x) is known:
            return x
        return python(x) if type(x) is numpy else plain(x, check(x, obj))

    return step


def _number(obj: Object) -> Step:
    return _crossing(obj, check_leaf, SCALARS.get(obj, (None, None)))


NUMBERS = Inwards(_number, inject=lambda tag, value: (tag, value))
"""Values as compiled code takes them."""


def fits(value: Any, obj: Object, path: str) -> None:
    """Raise, naming the path, where ``value`` does not stand for an ``obj``."""
    NUMBERS(obj, path, value)


def _shown(obj: Object, face: Face | None) -> Step:
    if obj is Unit:  # as the tangent of an integer in a field
        return lambda x, at, meet: None
    if isinstance(obj, Space):
        return lambda x, at, meet: obj.declared.shown(getattr(x, "array", x))
    if obj in SCALARS:
        number = SCALARS[obj][1]
        return lambda x, at, meet: number(x)
    return lambda x, at, meet: np.array(x) if isinstance(x, np.ndarray) else x


SHOWN = Outwards(_shown)
"""Values of compiled code, as users get them."""

# ---- tangents and cotangents ---------------------------------------------------------------------


def check_tangent(given: Any, obj: Object, word: str) -> Object:
    """Raise where this is no tangent of a leaf, or no cotangent; the type of those."""
    the, leaf = f"the {word} of ", tangent_of(obj) if isinstance(obj, Space) else obj
    if isinstance(leaf, Space):
        if natural(given).type is not leaf:
            raise NotThese(the, f" : {obj!r} is of type {leaf!r}, not {given!r:.60}")
    elif not isinstance(leaf, Tensor):
        raise NotThese(the, f" : {leaf!r} can only be None")
    elif not leaf.is_smooth:
        raise NotThese("", f" : {leaf!r} has no tangents; its {word} is None")
    elif (array := np.asarray(given)).dtype.kind not in "biuf":
        raise NotThese(the, f" : {leaf!r} is {given!r:.60}")
    elif array.shape != leaf.shape:
        raise NotThese(the, f" : {leaf!r} has the shape {array.shape}", ShapeMismatch)
    return leaf


def still(obj: Object) -> Any:
    """The zero tangent of compiled code; that of a sum is None."""

    def zero(leaf: Object, _: Any) -> Any:
        if isinstance(leaf, Tensor):
            return plain(Literal.filled(0.0, leaf).array, leaf)
        if isinstance(leaf, Space):
            return Literal.filled(leaf.declared.zero, leaf.coordinates).array
        return None

    return None if isinstance(obj, Mu) else map_leaves(zero, velocity(obj), None, parts=columns_of)


def _along(word: str, zero: Callable[[Object], Any], inject: Callable[[int, Any], Any]) -> Inwards:
    def leaf(obj: Object) -> Step:
        kinds = SCALARS[obj] if obj is Real else (None, None)
        return _crossing(obj, lambda x, obj: check_tangent(x, obj, word), kinds)

    return Inwards(leaf, zero, word, inject=inject)


_WORDS = "tangent", "cotangent"
ALONG = {word: _along(word, still, lambda tag, value: (tag, value)) for word in _WORDS}
"""Tangents and cotangents at values, as compiled code takes them."""
MIRRORED = _along("tangent", lambda _: None, Injected)
"""Tangents and cotangents as the folds over values take them."""


def _along_shown(obj: Object, face: Face | None) -> Step:
    leaf, zero = tangent_of(obj), still(obj)
    if leaf is Unit:
        return lambda g, at, meet: None
    shown = _shown(leaf, face)
    return lambda g, at, meet: shown(zero if g is None else g, at, meet)


SHOWN_ALONG = Outwards(_along_shown)
"""Tangents and cotangents of compiled code, as users get them."""
