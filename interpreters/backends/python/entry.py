"""Arguments checked cheaply, so that the compiled function can be called at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from combinators.objects import Bool, Int, Object, Product, Real, Tensor
from combinators.terms import Lam
from interpreters.backends.python.values import MOST, breadth


class NotThese(Exception):
    """The arguments are not exactly what the compiled function takes."""


def entry(lam: Lam, function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, the compiled ``lam``, for arguments that need no conversion.

    These are Python's float, int (of 64 bits) and bool, arrays of the exact shape and element
    type, and tuples of them. For all others it raises NotThese, before anything is computed.

    >>> from combinators.terms import Var
    >>> x = Var("x", Real)
    >>> call = entry(Lam((x,), x), lambda x: x)
    >>> call(2.0)
    2.0
    >>> call(2)
    Traceback (most recent call last):
        ...
    interpreters.backends.python.entry.NotThese
    """
    names = [f"x{index}" for index in range(len(lam.params))]
    kinds: dict[str, Any] = {}
    tests = [
        test
        for name, param in zip(names, lam.params, strict=True)
        for test in _tests(name, param.type, kinds)
    ]
    arguments = ", ".join(names)
    lines = [
        f"def call({arguments}):",
        f"    if {' and '.join(tests) or 'True'}:",
        f"        return function({arguments})",
        "    raise NotThese",
    ]
    space: dict[str, Any] = {
        "function": function,
        "NotThese": NotThese,
        "ndarray": np.ndarray,
        **kinds,
    }
    exec("\n".join(lines), space)  # noqa: S102 (names and numbers of our own making)
    return space["call"]  # type: ignore[no-any-return]


def _tests(name: str, obj: Object, kinds: dict[str, Any]) -> Iterator[str]:
    """What has to hold of the argument ``name``; the cheapest first."""
    match obj:
        case _ if obj is Real:
            yield f"type({name}) is float"
        case _ if obj is Bool:
            yield f"type({name}) is bool"
        case _ if obj is Int:
            yield f"type({name}) is int"
            yield f"{-(2**63)} <= {name} < {2**63}"
        case Tensor((), dtype):
            kinds[f"number_{dtype}"] = np.dtype(dtype).type
            yield f"type({name}) is number_{dtype}"
        case Tensor(shape, dtype):
            kinds[f"dtype_{dtype}"] = np.dtype(dtype)
            yield f"type({name}) is ndarray"
            yield f"{name}.dtype is dtype_{dtype}"
            yield f"{name}.shape == {shape}"
        case Product() if breadth(obj) < MOST:
            yield f"type({name}) is tuple"
            yield f"len({name}) == {obj.width}"
            for index, part in enumerate(obj.parts):
                yield from _tests(f"{name}[{index}]", part, kinds)
        case _:
            yield "False"
