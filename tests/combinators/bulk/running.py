"""Programs as they are and in bulk, run side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from combinators.bulk import bulk, has_map
from combinators.kit.tree import distinct_nodes
from combinators.morphisms import interpret
from combinators.simplify.rule import Fired
from combinators.terms import Lam, Prim, Term
from combinators.translate import translate
from diffcurry.decorator import fun
from interpreters.carriers.numpy import NumPy
from interpreters.modes.primal import Primal


def value(lam: Lam, *args: Any) -> Any:
    """The value of a closed λ, by interpretation."""
    mode: Primal[Any] = Primal(NumPy())
    with np.errstate(all="ignore"):
        arrow = interpret(translate(lam.params, lam.body), mode)
        return arrow.run(tuple(np.asarray(arg)[()] for arg in args))


def leaves(result: Any) -> Iterator[Any]:
    """The arrays of a result, in order."""
    if isinstance(result, tuple):
        for part in result:
            yield from leaves(part)
    else:
        yield np.asarray(result)


def assert_close(found: Any, wanted: Any, rtol: float = 1e-10) -> None:
    """Same types, and the same numbers to rounding."""
    for x, y in zip(leaves(found), leaves(wanted), strict=True):
        assert x.dtype == y.dtype
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=rtol, atol=1e-11)


def in_bulk(f: Callable[..., Any], *args: Any, left: bool = False) -> tuple[Lam, list[Fired]]:
    """``f`` in bulk, which means what ``f`` means, and what has fired; maps may be ``left``."""
    lam = fun(f).program(*args).lam
    fired: list[Fired] = []
    made = bulk(lam, trace=fired.append)
    assert made.type is lam.type
    assert has_map(made) == left
    assert_close(value(made, *args), value(lam, *args))
    return made, fired


def operations(lam: Lam) -> list[str]:
    """The names of the primitives in a program, sorted."""
    nodes = distinct_nodes(lam, kind=Term)
    return sorted(node.operation.name for node in nodes if isinstance(node, Prim))
