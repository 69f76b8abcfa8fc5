"""Running a program as Python: arguments checked cheaply, the compiled function, the result shown.

A program of numbers, arrays and containers is compiled once. Arguments that are already what the
compiled function takes go to it after a comparison each; others are converted first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from combinators.errors import MissingRule
from combinators.objects import Bool, Int, Object, Real, Tensor, components
from combinators.terms import Lam
from combinators.tracing.trees import Face, face_of, open_up
from interpreters.backends.python import compile_program

Run = Callable[..., Any]

SCALARS: dict[Object, tuple[type, Any]] = {
    Real: (float, np.float64),
    Int: (int, np.int64),
    Bool: (bool, np.bool_),
}
"""What the compiled function takes and gives, and what the user gets, who may give either."""


class NotThese(Exception):
    """The arguments are not what the compiled function takes as they are."""


class Quick:
    """A program as Python."""

    def __init__(self, lam: Lam, face: Face | None, compute: Run) -> None:
        """Of a closed λ whose compiled function is ``compute``."""
        self._lam, self._face, self._compute = lam, face, compute
        self.entry = _entry(lam, compute, self.shown)
        """The function of arguments that need no conversion; it raises ``NotThese`` for others."""

    def shown(self, result: Any) -> Any:
        """The result as the user gets it."""
        return _shown(result, self._lam.body.type, self._face)

    def run(self, args: tuple[Any, ...]) -> Any:
        """The result at arguments that fit the types."""
        given = [_given(arg, param.type) for arg, param in zip(args, self._lam.params, strict=True)]
        return self.shown(self._compute(*given))


def quick(lam: Lam, face: Face | None) -> Quick | None:
    """``lam`` as Python; None where it takes or gives functions, or has no code."""
    if not all(_is_first_order(obj) for obj in (lam.body.type, *(p.type for p in lam.params))):
        return None
    try:
        return Quick(lam, face, compile_program(lam, name=lam.name or "f").function)
    except MissingRule:
        return None


def _is_first_order(obj: Object) -> bool:
    product = components(obj)
    return isinstance(obj, Tensor) if product is None else all(map(_is_first_order, product.parts))


def _given(value: Any, obj: Object) -> Any:
    """A user's value as the compiled function takes it."""
    product = components(obj)
    if product is not None:
        opened = open_up(value)
        parts = opened[2] if opened is not None else ()
        return tuple(_given(part, below) for part, below in zip(parts, product.parts, strict=False))
    assert isinstance(obj, Tensor)
    if obj in SCALARS:
        return SCALARS[obj][0](np.asarray(value, dtype=obj.dtype)[()])
    return np.asarray(value, dtype=obj.dtype)[()]


def _shown(result: Any, obj: Object, face: Face | None) -> Any:
    product = components(obj)
    if product is not None:
        shown = face if face is not None else face_of(obj)
        assert shown is not None
        children = zip(result, product.parts, shown.children, strict=True)
        return shown.build([_shown(part, below, child) for part, below, child in children])
    return SCALARS[obj][1](result) if obj in SCALARS else result


def _entry(lam: Lam, compute: Run, shown: Run) -> Run:
    """A function with a test an argument, written for the types of ``lam``."""
    names = [f"x{index}" for index in range(len(lam.params))]
    space: dict[str, Any] = {
        "compute": compute,
        "shown": shown,
        "NotThese": NotThese,
        "ndarray": np.ndarray,
        **{numpy.__name__: numpy for _, numpy in SCALARS.values()},
    }
    lines = [f"def entry({', '.join(names)}):"]
    for name, param in zip(names, lam.params, strict=True):
        lines += _tests(name, param.type, space)
    called = f"compute({', '.join(names)})"
    lines.append(f"    return {_result(called, lam.body.type)}")
    exec("\n".join(lines), space)  # noqa: S102 (names and numbers of our own making)
    return space["entry"]  # type: ignore[no-any-return]


def _tests(name: str, obj: Object, space: dict[str, Any]) -> Iterator[str]:
    if obj in SCALARS:
        python, numpy = (kind.__name__ for kind in SCALARS[obj])
        yield f"    if type({name}) is not {python}:"
        yield f"        if type({name}) is not {numpy}:"
        yield "            raise NotThese"
        yield f"        {name} = {python}({name})"
        if obj is Int:
            yield f"    if not {-(2**63)} <= {name} < {2**63}:"
            yield "        raise NotThese"
    elif isinstance(obj, Tensor) and obj.shape:
        space[f"dtype_{obj.dtype}"] = np.dtype(obj.dtype)
        yield (
            f"    if type({name}) is not ndarray or {name}.dtype is not dtype_{obj.dtype} "
            f"or {name}.shape != {obj.shape}:"
        )
        yield "        raise NotThese"
    else:
        yield "    raise NotThese"


def _result(called: str, obj: Object) -> str:
    """The expression that shows what ``called`` gives; without a call where it is a number."""
    if obj in SCALARS:
        return f"{SCALARS[obj][1].__name__}({called})"
    return called if isinstance(obj, Tensor) else f"shown({called})"
